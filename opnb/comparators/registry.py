"""The methods of the paper's experiment, ours beyond it, and familiar ones, with the grids they are tuned over."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from opnb.comparators.class_ica import ClassConditionalICA
from opnb.comparators.columns import binary_columns
from opnb.comparators.familiar import (
    boosting_grid,
    forest_grid,
    gradient_boosting,
    logistic_regression,
    nearest_neighbours,
    neighbours_grid,
    predict_with_small_forests,
    random_forest,
    regression_grid,
)
from opnb.comparators.gaussian_projection import OptimalGaussianProjection
from opnb.comparators.kde import FACTORS
from opnb.comparators.kernel_discriminant import KernelDensityDiscriminant
from opnb.comparators.lambda_path import finish_path, predict_on_path
from opnb.comparators.linear_discriminant import ReducedLinearDiscriminant
from opnb.comparators.naive_bayes import KDENaiveBayes
from opnb.comparators.regularised_discriminant import RegularisedDiscriminant
from opnb.comparators.support_vectors import COSTS, SCALES, predict_on_kernels, support_vector_machine
from opnb.comparators.tuning import Method
from opnb.estimators.auto import OPNBAuto
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.search import MOST_COMPONENTS
from opnb.estimators.selection import DEFAULT_LAMS

ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5)
_RDA_LAMS = tuple(i / 10 for i in range(1, 11))


def _fixed(X: ArrayLike, y: ArrayLike, *, values: dict[str, tuple[float, ...]]) -> dict[str, list[Any]]:
    """Give a grid that does not depend on the data."""
    return {name: list(choices) for name, choices in values.items()}


def _dimensions(X: ArrayLike, y: ArrayLike) -> dict[str, list[Any]]:
    return {"n_components": list(range(1, min(np.shape(X)[1], MOST_COMPONENTS) + 1))}


def _dimensions_and_factors(X: ArrayLike, y: ArrayLike) -> dict[str, list[Any]]:
    return {**_dimensions(X, y), "factor": list(FACTORS)}


def _discriminant_dimensions(X: ArrayLike, y: ArrayLike) -> dict[str, list[Any]]:
    return {"n_components": list(range(1, min(np.shape(X)[1], np.unique(np.asarray(y)).size - 1) + 1))}


def _bandwidths(X: ArrayLike, y: ArrayLike) -> dict[str, list[Any]]:
    """Give the factors if there are continuous columns, the alphas if there are binary ones."""
    binary = binary_columns(np.asarray(X, dtype=float))
    grid: dict[str, list[Any]] = {}
    if not binary.all():
        grid["factor"] = list(FACTORS)
    if binary.any():
        grid["alpha"] = list(ALPHAS)
    return grid


_ALL = (
    Method(
        "OPNB",
        "Naive Bayes with kernel densities on the optimal projection",
        OPNBClassifier,
        partial(_fixed, values={"lam": DEFAULT_LAMS}),
        (("lam", -1),),
        predict_on_path,
        finish_path,
    ),
    Method(
        "SVM",
        "Support vector machine with a radial kernel, one-versus-one",
        support_vector_machine,
        partial(_fixed, values={"svc__gamma": SCALES, "svc__C": COSTS}),
        (("svc__C", 1), ("svc__gamma", 1)),
        predict_on_kernels,
    ),
    Method(
        "OPGD",
        "Gaussian naive Bayes on the optimal projection",
        OptimalGaussianProjection,
        _dimensions,
        (("n_components", 1),),
    ),
    Method(
        "RDA",
        "Gaussian classes with covariances between their own and the pooled one",
        RegularisedDiscriminant,
        partial(_fixed, values={"lam": _RDA_LAMS}),
        (("lam", 1),),
    ),
    Method(
        "CCICA",
        "Naive Bayes with kernel densities on the independent components of each class",
        ClassConditionalICA,
        _dimensions_and_factors,
        (("n_components", 1), ("factor", -1)),
    ),
    Method(
        "LDA",
        "Linear discriminant analysis on its leading directions",
        ReducedLinearDiscriminant,
        _discriminant_dimensions,
        (("n_components", 1),),
    ),
    Method(
        "NB",
        "Naive Bayes with a kernel density for every class and covariate",
        KDENaiveBayes,
        _bandwidths,
        (("factor", -1), ("alpha", -1)),
    ),
    Method(
        "KDDA",
        "Discriminant analysis with a multivariate kernel density for every class",
        KernelDensityDiscriminant,
        _bandwidths,
        (("factor", -1), ("alpha", -1)),
    ),
    Method(
        "OPNB-auto",
        "OPNB with straight or bent directions, independence and lambda chosen together",
        OPNBAuto,
        partial(_fixed, values={}),
        (),
        judges_itself=True,
    ),
    Method(
        "RF",
        "Random forest",
        random_forest,
        forest_grid,
        (("max_features", 1), ("min_samples_leaf", -1)),
        predict_with_small_forests,
    ),
    Method(
        "HGB",
        "Gradient boosting of trees on histograms",
        gradient_boosting,
        boosting_grid,
        (("max_leaf_nodes", 1), ("learning_rate", 1)),
    ),
    Method(
        "KNN",
        "Nearest neighbours",
        nearest_neighbours,
        neighbours_grid,
        (("kneighborsclassifier__n_neighbors", -1),),
    ),
    Method(
        "LR",
        "Logistic regression with a ridge penalty",
        logistic_regression,
        regression_grid,
        (("logisticregression__C", 1),),
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in _ALL}
PAPER_METHODS = ("OPNB", "SVM", "OPGD", "RDA", "CCICA", "LDA", "NB", "KDDA")
# What the app compares unless it is told otherwise.
USUAL_METHODS = (*PAPER_METHODS, "OPNB-auto")
