"""OPNB in the terms of `opnb.comparators.tuning`: one path of lambdas serves all of them.

Every solution starts the search for the next smaller lambda, in the folds and in the final fit alike, so that
the model that is chosen is the kind of model that was judged. Settings that differ in more than lam make one
path a group.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from opnb.comparators.base import Setting
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.selection import finish, fit_path


def _others(setting: Setting) -> dict[str, Any]:
    """Everything but lam."""
    return {name: value for name, value in setting.items() if name != "lam"}


def predict_on_path(
    estimator: OPNBClassifier, X: ArrayLike, y: ArrayLike, X_new: ArrayLike, settings: Sequence[Setting]
) -> Sequence[NDArray]:
    """Predict under every setting, with one path for those that differ in lam alone."""
    predictions: dict[int, NDArray] = {}
    numbers = sorted(range(len(settings)), key=lambda s: (repr(_others(settings[s])), settings[s]["lam"]))
    for _, group in groupby(numbers, key=lambda s: repr(_others(settings[s]))):
        members = list(group)
        template = clone(estimator).set_params(**_others(settings[members[0]]))
        lams = [float(settings[s]["lam"]) for s in members]
        path = fit_path(template, X, y, lams, ordered=False)
        predictions.update({s: model.predict(X_new) for s, model in zip(members, path, strict=True)})
    return [predictions[s] for s in range(len(settings))]


def finish_path(
    estimator: OPNBClassifier, X: ArrayLike, y: ArrayLike, setting: Setting, settings: Sequence[Setting]
) -> OPNBClassifier:
    """Walk from the largest lam to the chosen one and bring that solution to the tolerance."""
    others = _others(setting)
    lams = sorted(float(s["lam"]) for s in settings if _others(s) == others and s["lam"] >= setting["lam"])
    model = fit_path(clone(estimator).set_params(**others), X, y, lams)[0]
    finish(model, X, y)
    model.warn_if_it_gave_up()
    return model
