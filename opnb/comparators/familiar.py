"""What users would pick today: forests, boosting, neighbours, logistic regression, all of scikit-learn.

The grids are small, as those of somebody who knows the methods and has other work to do. Forests in the folds have
fewer trees than the one that is kept: they only have to tell settings apart, and would take most of an experiment's
time.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from opnb.comparators.base import Setting
from opnb.comparators.tuning import predict_one_by_one

_TREES, _TREES_IN_FOLDS, _LEAVES = 300, 100, (1, 5)
_RATES, _LEAF_NODES = (0.05, 0.2), (7, 31)
_NEIGHBOURS = (1, 3, 5, 9, 15, 25, 45)
_INVERSE_PENALTIES = tuple(10.0**i for i in range(-3, 4))
_MOST_ITERATIONS = 1_000


def random_forest() -> RandomForestClassifier:
    """Make a forest."""
    return RandomForestClassifier(_TREES)


def forest_grid(X: ArrayLike, y: ArrayLike) -> dict[str, list[Any]]:
    """Give the number of columns tried at a split, from the usual square root to a half, and sizes of leaves."""
    p = np.shape(X)[1]
    tried = {max(round(share), 1) for share in (np.sqrt(p), p / 4, p / 2)}
    return {"max_features": sorted(tried), "min_samples_leaf": list(_LEAVES)}


def predict_with_small_forests(
    estimator: RandomForestClassifier, X: ArrayLike, y: ArrayLike, X_new: ArrayLike, settings: Sequence[Setting]
) -> Sequence[NDArray]:
    """Predict under every setting with a third of the trees."""
    return predict_one_by_one(clone(estimator).set_params(n_estimators=_TREES_IN_FOLDS), X, y, X_new, settings)


def gradient_boosting() -> HistGradientBoostingClassifier:
    """Make boosted trees."""
    return HistGradientBoostingClassifier(early_stopping=False)


def boosting_grid(X: ArrayLike, y: ArrayLike) -> dict[str, list[Any]]:
    """Give learning rates and sizes of trees."""
    return {"learning_rate": list(_RATES), "max_leaf_nodes": list(_LEAF_NODES)}


def nearest_neighbours() -> Pipeline:
    """Make the classifier by nearest neighbours, on columns of equal spread."""
    return make_pipeline(StandardScaler(), KNeighborsClassifier())


def neighbours_grid(X: ArrayLike, y: ArrayLike) -> dict[str, list[Any]]:
    """Give numbers of neighbours, none above a third of the rows."""
    most = max(np.shape(X)[0] // 3, 1)
    return {"kneighborsclassifier__n_neighbors": [count for count in _NEIGHBOURS if count <= most]}


def logistic_regression() -> Pipeline:
    """Make the multinomial logistic regression with a ridge penalty, on columns of equal spread."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=_MOST_ITERATIONS))


def regression_grid(X: ArrayLike, y: ArrayLike) -> dict[str, list[Any]]:
    """Give weights of the data against the penalty."""
    return {"logisticregression__C": list(_INVERSE_PENALTIES)}
