"""Model files: numbers and text, nothing that could run.

A model is a `safetensors` file (a JSON header of names, types and offsets, followed by raw arrays), which its reader
checks against the size of the file. Settings, class names and records are one JSON text in its metadata. A SHA-256
digest over everything tells an altered file. `opnb.estimators.loading` makes classifiers of them again.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save
from sklearn.utils import Bunch

from opnb.core.densities import ClassDensities, NaiveBayesDensities
from opnb.core.lattice_densities import LatticeDensities
from opnb.errors import ModelFileError
from opnb.estimators.base import single_fit
from opnb.estimators.radial import RadialColumns
from opnb.estimators.search import HISTORY_FIELDS
from opnb.estimators.validation import check_lam, check_parameters

# The first had neither priors nor weights, and no dependence in its records; the third has densities on a lattice, and
# other models are written as before, for older versions to read.
_FORMAT, _LATTICE_FORMAT = "opnb-model-2", "opnb-model-3"
_READ = ("opnb-model-1", _FORMAT, _LATTICE_FORMAT)
_PLAIN = (str, int, float, bool, type(None))
_FITTED_NUMBERS = ("objective_", "log_likelihood_", "n_iter_", "converged_", "stopped_", "best_start_")
_SHARED_ARRAYS = ("class_prior_", "mean_", "scale_")
_MODEL_ARRAYS = ("components", "bandwidths", "members", "counts")
_OPTIONAL_ARRAYS = ("priors", "masses")
_LATTICE_ARRAYS = ("components", "bandwidths", "counts", "low", "first", "levels", "slopes", "errors")
_COLUMN_ARRAYS = ("landmarks", "weights", "centre")
_GIVEN_ARRAYS = ("init", "priors", "decision_priors")  # parameters that may be arrays
_NOVELTY = "novelty"  # densities of the training rows, see `opnb.estimators.novelty`; older versions pass it over
_START_NUMBERS = ("objective", "log_likelihood", "n_iter", "converged", "seconds")
_MOST_RECORDS = 100_000
_LENGTH = 8  # bytes that give the length of a safetensors header


def model_to_bytes(classifier: Any) -> bytes:
    """Give the content of a model file of a classifier, or of the one that a search over settings has chosen."""
    fitted = single_fit(classifier)
    if not hasattr(fitted, "components_"):
        raise ModelFileError("This classifier is not fitted yet: call fit before save.")
    return _written(_description(fitted), _arrays(fitted))


def _written(description: dict[str, Any], arrays: dict[str, NDArray]) -> bytes:
    text = json.dumps(description, allow_nan=True)
    version = _LATTICE_FORMAT if any("levels/" in name for name in arrays) else _FORMAT
    return save(arrays, metadata={"format": version, "model": text, "digest": _digest(text, arrays)})


def read_model(data: bytes, name: str) -> tuple[str, dict[str, NDArray]]:
    """Read the description and the arrays, and check format and digest."""
    try:
        arrays = {key: array.copy() for key, array in load(data).items()}  # copies can be written and are aligned
        # The reader has checked the header's length against the file's.
        header = json.loads(data[_LENGTH : _LENGTH + int.from_bytes(data[:_LENGTH], "little")])
        metadata = header.get("__metadata__") or {}
    except (SafetensorError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise ModelFileError(
            f"{name} is not a model file, or it is cut short ({error}). Save the model again."
        ) from error
    if metadata.get("format") not in _READ:
        raise ModelFileError(
            f"{name} has the format {metadata.get('format')!r}; this version reads up to {_READ[-1]!r}. "
            "Save the model again, or read it with a newer version."
        )
    text = metadata.get("model", "")
    if metadata.get("digest") != _digest(text, arrays):
        raise ModelFileError(f"{name} was altered after it was saved. Save the model again.")
    return text, arrays


def _digest(text: str, arrays: dict[str, NDArray]) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _arrays(classifier: Any) -> dict[str, NDArray]:
    arrays = {name: getattr(classifier, name) for name in _SHARED_ARRAYS}
    for number, model in enumerate(classifier.densities_):
        always = _LATTICE_ARRAYS if isinstance(model, LatticeDensities) else _MODEL_ARRAYS
        kept = [*always, *(name for name in _OPTIONAL_ARRAYS if getattr(model, name, None) is not None)]
        arrays |= {f"{name}/{number}": getattr(model, name) for name in kept}
    arrays |= {f"start/{number}": start.V for number, start in enumerate(classifier.starts_)}
    if getattr(classifier, "sample_", None) is not None:
        arrays["sample/X"] = np.asarray(classifier.sample_.X, dtype=np.float32)
        arrays["sample/labels"] = np.searchsorted(classifier.classes_, classifier.sample_.y)
    if classifier.columns_ is not None:
        arrays |= {f"columns/{name}": getattr(classifier.columns_, name) for name in _COLUMN_ARRAYS}
    for name in _GIVEN_ARRAYS:
        if isinstance(getattr(classifier, name), np.ndarray | list | tuple):
            arrays[name] = np.asarray(getattr(classifier, name), dtype=float)
    if getattr(classifier, "novelty_", None) is not None:
        arrays[_NOVELTY] = np.asarray(classifier.novelty_, dtype=float)
    if classifier.classes_.dtype.kind in "iufb":
        arrays["classes"] = classifier.classes_
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def _description(classifier: Any) -> dict[str, Any]:
    parameters = classifier.get_params(deep=False)
    description: dict[str, Any] = {
        "parameters": {
            name: _plain(value) for name, value in parameters.items() if isinstance(value, (*_PLAIN, np.generic))
        },
        "fitted": {name: _plain(getattr(classifier, name)) for name in _FITTED_NUMBERS},
        "history": [dict(record) for record in classifier.history_],
        "starts": [{key: value for key, value in start.items() if key != "V"} for start in classifier.starts_],
        "n_models": len(classifier.densities_),
        "recipe": getattr(classifier, "recipe_", None),
        "feature_names": getattr(classifier, "feature_names_in_", np.array([])).tolist(),
    }
    if classifier.columns_ is not None:
        description["columns"] = {"a": classifier.columns_.a}
    if classifier.classes_.dtype.kind not in "iufb":
        description["classes"] = [str(name) for name in classifier.classes_]
        description["classes_dtype"] = "object" if classifier.classes_.dtype.kind == "O" else "str"
    return description


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def parameters_of(description: dict[str, Any], arrays: dict[str, NDArray]) -> dict[str, Any]:
    """Give the settings of the classifier in a file."""
    parameters = dict(description["parameters"])
    return parameters | {name: arrays[name] for name in _GIVEN_ARRAYS if name in arrays}


def set_fitted(classifier: Any, description: dict[str, Any], arrays: dict[str, NDArray]) -> None:
    """Set what the file says of the fit, after a look at whether it can be."""
    check_parameters(classifier)
    check_lam(classifier.lam, classifier.likelihood)
    for name in _SHARED_ARRAYS:
        setattr(classifier, name, arrays[name])
    for name in _FITTED_NUMBERS:
        setattr(classifier, name, description["fitted"][name])
    classifier.classes_ = _classes(description, arrays)
    classifier.n_features_in_ = classifier.mean_.size
    classifier.sharpness_ = float(classifier.sharpness)
    classifier.recipe_ = description["recipe"]
    if description["feature_names"]:
        classifier.feature_names_in_ = np.array(description["feature_names"], dtype=object)
    classifier.novelty_ = _checked_novelty(arrays.get(_NOVELTY))
    classifier.columns_ = _columns(description, arrays, classifier.n_features_in_)
    if (classifier.columns_ is None) != (classifier.bend is None):
        raise ValueError("its setting bend does not fit its directions")
    classifier.densities_ = [_densities(arrays, number) for number in range(description["n_models"])]
    _check_shapes(classifier)
    classifier.sample_ = _sample(arrays, classifier)
    classifier.components_, classifier.bandwidths_ = (
        classifier.densities_[0].components,
        classifier.densities_[0].bandwidths,
    )
    _check_records(description, arrays)
    classifier.history_ = [Bunch(**record) for record in description["history"]]
    classifier.starts_ = [
        Bunch(**record, V=arrays[f"start/{number}"]) for number, record in enumerate(description["starts"])
    ]


def _columns(description: dict[str, Any], arrays: dict[str, NDArray], p: int) -> RadialColumns | None:
    """Give the columns in which directions bend, if they do, after a look at whether their parts fit together."""
    if "columns" not in description:
        return None
    columns = RadialColumns(float(description["columns"]["a"]), *(arrays[f"columns/{name}"] for name in _COLUMN_ARRAYS))
    parts = columns.landmarks, columns.weights, columns.centre
    shapes = ((columns.landmarks.shape[0], p), (columns.landmarks.shape[0], columns.centre.size), columns.centre.shape)
    if tuple(part.shape for part in parts) != shapes or columns.centre.ndim != 1:
        raise ValueError("its bent columns do not fit together")
    if not (columns.a > 0 and all(part.dtype == np.float64 and np.isfinite(part).all() for part in parts)):
        raise ValueError("its bent columns hold numbers that no data have")
    return columns


def _sample(arrays: dict[str, NDArray], classifier: Any) -> Bunch | None:
    """Give the rows for pictures, if there are any, after a look at whether they can be rows of this model."""
    if "sample/X" not in arrays:
        return None
    X, labels = arrays["sample/X"], arrays["sample/labels"]
    fit = X.ndim == 2 and X.shape == (labels.size, classifier.n_features_in_) and labels.shape == (len(X),)
    if not (fit and X.dtype == np.float32 and np.isfinite(X).all() and labels.dtype.kind == "i"):
        raise ValueError("its sample of rows does not fit its features")
    if not ((labels >= 0) & (labels < classifier.classes_.size)).all():
        raise ValueError("its sample of rows has classes that the model has not")
    return Bunch(X=X, y=classifier.classes_[labels])


def _densities(arrays: dict[str, NDArray], number: int) -> NaiveBayesDensities:
    if f"levels/{number}" in arrays:
        tables: Any = {name: arrays[f"{name}/{number}"] for name in _LATTICE_ARRAYS}
        return LatticeDensities(**tables, priors=arrays.get(f"priors/{number}"))
    optional: Any = {name: arrays.get(f"{name}/{number}") for name in _OPTIONAL_ARRAYS}
    return ClassDensities(*(arrays[f"{name}/{number}"] for name in _MODEL_ARRAYS), **optional)


def _classes(description: dict[str, Any], arrays: dict[str, NDArray]) -> NDArray:
    if "classes" in arrays:
        return arrays["classes"]
    return np.array(description["classes"], dtype=object if description["classes_dtype"] == "object" else str)


def _check_shapes(classifier: Any) -> None:
    """Refuse arrays that do not belong together: predictions index them without looking."""
    p, n_classes = classifier.n_features_in_, classifier.classes_.size
    if not (
        classifier.mean_.shape == classifier.scale_.shape == (p,) and classifier.class_prior_.shape == (n_classes,)
    ):
        raise ValueError("its scaling and its classes do not fit together")
    if not (np.isfinite(classifier.mean_).all() and np.isfinite(classifier.scale_).all() and classifier.scale_.all()):
        raise ValueError("its scaling holds numbers that no data have")
    if not (n_classes >= 1 and (classifier.classes_[1:] > classifier.classes_[:-1]).all()):
        raise ValueError("its classes are not distinct and sorted")
    if len(getattr(classifier, "feature_names_in_", classifier.mean_)) != p:
        raise ValueError("its feature names do not fit its features")
    n_columns = p if classifier.columns_ is None else classifier.columns_.centre.size
    for model in classifier.densities_:
        fits = model.components.shape == (model.bandwidths.size, n_columns) and model.counts.shape == (n_classes,)
        if not (fits and model.counts.min() > 0):
            raise ValueError("its directions and its classes do not fit together")
        if isinstance(model, LatticeDensities):
            _check_lattice(model)
        else:
            _check_members(model)
        if not (model.bandwidths > 0).all():
            raise ValueError("its bandwidths are not positive")


def _check_members(model: ClassDensities) -> None:
    """Refuse training points that no fit has."""
    if model.members.shape != (model.bandwidths.size, int(model.counts.sum())):
        raise ValueError("its directions and its training points do not fit together")
    _check_positive(model, {"priors": model.counts.shape, "masses": model.members.shape})
    _check_doubles(model, ("components", "bandwidths", "members"))
    blocks = np.split(model.members, np.cumsum(model.counts)[:-1], axis=1)
    if not all((np.diff(block) >= 0).all() for block in blocks):
        raise ValueError("its training points are not sorted")


def _check_lattice(model: LatticeDensities) -> None:
    """Refuse tables of log densities that no fit has."""
    m, first, shape = model.bandwidths.size, model.first, (len(model.levels), model.counts.size)
    fits = first.shape == (m + 1,) and first.dtype == np.int64 and model.low.shape == model.errors.shape == (m,)
    if not (fits and first[0] == 0 and first[-1] == shape[0] and (np.diff(first) > 1).all()):
        raise ValueError("its directions and its lattices do not fit together")
    if not model.levels.shape == model.slopes.shape == shape:
        raise ValueError("its lattices and its classes do not fit together")
    _check_positive(model, {"priors": model.counts.shape})
    _check_doubles(model, ("components", "bandwidths", "low", "levels", "slopes", "errors"))
    if np.abs(model.slopes).max() > 1.0:
        raise ValueError("its densities fall faster than a kernel")


def _check_doubles(model: NaiveBayesDensities, names: Sequence[str]) -> None:
    if any(getattr(model, name).dtype != np.float64 for name in names):
        raise ValueError("its numbers are not doubles")
    if not all(np.isfinite(getattr(model, name)).all() for name in names if name != "bandwidths"):
        raise ValueError("it holds numbers that are not finite")


def _check_positive(model: NaiveBayesDensities, shapes: dict[str, tuple[int, ...]]) -> None:
    """Refuse priors and weights that no fit has."""
    for name, shape in shapes.items():
        given = getattr(model, name)
        if given is not None and not (
            given.shape == shape and given.dtype == np.float64 and np.isfinite(given).all() and (given > 0).all()
        ):
            raise ValueError(f"its {name} do not fit its classes and training points")


def _checked_novelty(scores: NDArray | None) -> NDArray | None:
    if scores is None:
        return None
    fine = scores.ndim == 1 and scores.size > 0 and scores.dtype == np.float64 and np.isfinite(scores).all()
    if not (fine and (np.diff(scores) >= 0).all()):
        raise ValueError("the densities of its training rows are not finite numbers in ascending order")
    return scores


def _check_records(description: dict[str, Any], arrays: dict[str, NDArray]) -> None:
    """Refuse a record of the search in which a number is absent or no number: pictures are drawn from it."""
    history, starts, fitted = description["history"], description["starts"], description["fitted"]
    if not (isinstance(history, list) and isinstance(starts, list) and len(history) <= _MOST_RECORDS):
        raise ValueError("the record of its search is no list")
    shape = arrays["components/0"].shape[::-1]
    for number, start in enumerate(starts):
        _expect_numbers(start, _START_NUMBERS)
        if arrays[f"start/{number}"].shape != shape or not isinstance(start["seed"], int | None):
            raise ValueError("a start of its search does not fit its directions")
    for record in history:
        record.setdefault("dependence", 0.0)
        _expect_numbers(record, HISTORY_FIELDS)
    _expect_numbers(fitted, _FITTED_NUMBERS)
    if not (isinstance(fitted["best_start_"], int) and 0 <= fitted["best_start_"] < max(len(starts), 1)):
        raise ValueError("its best start is none of its starts")


def _expect_numbers(values: dict[str, Any], names: Sequence[str]) -> None:
    if not all(isinstance(values[name], int | float) for name in names):
        raise ValueError("the record of its search holds something other than numbers")
