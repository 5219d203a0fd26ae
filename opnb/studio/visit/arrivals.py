"""Files that came in and are not the table in use: unread ones, rows to predict, ones that may be either, models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from opnb.data import Limits, Recipe, Table
from opnb.errors import ModelFileError, ReadingError
from opnb.estimators.loading import model_from_bytes
from opnb.studio.work.errands import Attended
from opnb.studio.work.reading import read_upload

if TYPE_CHECKING:
    from opnb.estimators.classifier import OPNBClassifier

Role = Literal["unread", "asked", "rows", "model"]
# New rows of a model with one feature have one column.
ROW_LIMITS = Limits(min_columns=1)
_LENGTH = 8  # bytes that give the length of a model file's header


@dataclass(frozen=True, eq=False)
class KeptFile:
    """A file as it came: its name and bytes, and the corrections it was read with."""

    name: str
    raw: bytes
    reading: Mapping[str, Any]

    def mark(self) -> tuple[Any, ...]:
        """Give a value that is the same for the same file; comparing the very same bytes costs nothing."""
        return (self.name, self.raw, tuple(sorted(self.reading.items())))


@dataclass(frozen=True, eq=False)
class Unread(KeptFile):
    """A file that gave no table yet, and why."""

    error: ReadingError


@dataclass(frozen=True, eq=False)
class Rows(KeptFile):
    """A file that gave a table of new rows, or may be one."""

    table: Table


@dataclass(frozen=True, eq=False)
class ModelFile(KeptFile):
    """A model file: the classifier in it, and how a table becomes its features."""

    classifier: OPNBClassifier
    recipe: Recipe


def read_rows(
    errand: Attended, name: str, raw: bytes, reading: Mapping[str, Any] | None = None, limits: Limits = ROW_LIMITS
) -> Rows:
    """Read a table of new rows, as an errand of its visitor where it is large.

    Raises
    ------
    ReadingError
    """
    given = dict(reading or {})
    return Rows(name, raw, given, read_upload(errand, raw, name, limits, **given))


def looks_like_model(raw: bytes) -> bool:
    """Tell a model file by its first bytes: the length of a header that begins as JSON does."""
    return raw[_LENGTH : _LENGTH + 2] == b'{"' and int.from_bytes(raw[:_LENGTH], "little") <= len(raw) - _LENGTH


def open_model(name: str, raw: bytes) -> ModelFile:
    """Read a model file that says how a table becomes its features.

    Raises
    ------
    OPNBError
        Where it is no model, is altered, or its parts do not fit together.
    """
    classifier = model_from_bytes(raw, name)
    if classifier.recipe_ is None:
        raise ModelFileError(
            f"{name} does not say how a table becomes its {classifier.n_features_in_} features, so it can predict no "
            "table. Save the model from the app or with 'opnb fit'."
        )
    recipe = Recipe.from_dict(classifier.recipe_)
    if len(recipe.feature_names) != classifier.n_features_in_:
        raise ModelFileError(
            f"{name} says how to make {len(recipe.feature_names)} features, but its model has "
            f"{classifier.n_features_in_}. Save the model again."
        )
    return ModelFile(name, raw, {}, classifier, recipe)
