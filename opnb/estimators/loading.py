"""Fitted models out of their files."""

import json
from pathlib import Path

from opnb.errors import ModelFileError
from opnb.estimators.classifier import OPNBClassifier
from opnb.estimators.model_files import parameters_of, read_model, set_fitted


def load_model(path: str | Path) -> OPNBClassifier:
    """Read a fitted classifier from a file that `save` wrote.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    OPNBClassifier
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


def model_from_bytes(data: bytes, name: str = "The model") -> OPNBClassifier:
    """Read a fitted classifier from the content of a model file; raises as `load_model` does."""
    text, arrays = read_model(data, name)
    try:
        description = json.loads(text)
        classifier = OPNBClassifier(**parameters_of(description, arrays))
        set_fitted(classifier, description, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise ModelFileError(f"{name} is not a valid model: {error}. Save the model again.") from error
    return classifier
