"""Columns that change nothing: shuffled among the rows, no row is predicted otherwise."""

from typing import TYPE_CHECKING, Any

import numpy as np

from opnb.core.kernel import Array
from opnb.views.model import fitted_model

if TYPE_CHECKING:
    from opnb.data.recipe import Recipe

_MOST_ROWS = 300


def silent_columns(clf: Any, X: Array, recipe: "Recipe", *, seed: int = 0) -> tuple[str, ...]:
    """Name the columns without effect on any prediction.

    Parameters
    ----------
    clf : OPNBClassifier
    X : ndarray of shape (n, n_features)
        Prepared rows; of more than 300 an even selection is enough to find an effect.
    recipe : Recipe
        Says which features a column became; they are shuffled together.
    seed : int

    Returns
    -------
    tuple of str
        None where components were taken of all columns: then every one may count.
    """
    if recipe.rotation is not None or len(X) < 2:
        return ()
    model: Any = fitted_model(clf)
    rows = X[:: -(-len(X) // _MOST_ROWS)]
    usual, order = model.predict(rows), np.random.default_rng(seed).permutation(len(rows))
    found, first = [], 0
    for item in recipe.ingredients:
        places = slice(first, first := first + len(item.feature_names))
        changed = rows.copy()
        changed[:, places] = rows[order, places]
        if (model.predict(changed) == usual).all():
            found.append(item.name)
    return tuple(found)
