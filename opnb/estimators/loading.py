"""Fitted models out of their files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from opnb.errors import ModelFileError
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.ensemble import OPNBEnsemble
from opnb.estimators.model_files import parameters_of, read_model, set_fitted


def load_model(path: str | Path) -> OPNBClassifier | OPNBEnsemble:
    """Read a fitted classifier from a file that `save` wrote.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    OPNBClassifier or OPNBEnsemble
        It predicts the same as the one that was saved.

    Raises
    ------
    ModelFileError
        If the file is truncated, altered, of another version, or no model file.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier, load_model
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     OPNBClassifier(n_components=2).fit(X, y).save(f"{folder}/iris.opnb")
    ...     model = load_model(f"{folder}/iris.opnb")
    ...
    >>> model.predict(X[:1])
    array([0])
    """
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(f"There is no model file at {path}.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path.name} cannot be read: {error.strerror}.") from error
    return model_from_bytes(data, path.name)


def model_from_bytes(data: bytes, name: str = "The model") -> OPNBClassifier | OPNBEnsemble:
    """Read a fitted classifier from the content of a model file; raises as `load_model` does."""
    text, arrays = read_model(data, name)
    try:
        description = json.loads(text)
        return _ensemble(description, arrays) if "members" in description else _classifier(description, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise ModelFileError(f"{name} is not a valid model: {error}. Save the model again.") from error


def _classifier(description: dict[str, Any], arrays: dict[str, NDArray]) -> OPNBClassifier:
    classifier = OPNBClassifier(**parameters_of(description, arrays))
    set_fitted(classifier, description, arrays)
    return classifier


def _ensemble(description: dict[str, Any], arrays: dict[str, NDArray]) -> OPNBEnsemble:
    """Make an ensemble of its fits, after a look at whether they belong together."""
    ensemble = OPNBEnsemble(**description["parameters"])
    parts = [_part(arrays, f"member/{number}/") for number in range(len(description["members"]))]
    members = [_classifier(*part) for part in zip(description["members"], parts, strict=True)]
    weights = arrays["weights"]
    fit = (
        weights.shape == (len(members),)
        and weights.dtype == np.float64
        and len({m.n_features_in_ for m in members}) == 1
    )
    if not (fit and np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
        raise ValueError("its fits and their weights do not belong together")
    ensemble.members_, ensemble.weights_ = members, weights
    ensemble.settings_ = [Bunch(**setting) for setting in description["settings"]]
    ensemble.classes_ = np.unique(np.concatenate([member.classes_ for member in members]))
    ensemble.n_features_in_ = members[0].n_features_in_
    ensemble.recipe_ = description["recipe"]
    if description["feature_names"]:
        ensemble.feature_names_in_ = np.array(description["feature_names"], dtype=object)
    return ensemble


def _part(arrays: dict[str, NDArray], prefix: str) -> dict[str, NDArray]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
