"""New rows in a visit: which model predicts them, the table they come from, the row by hand, the row looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from opnb.data.new_rows import (
    TrueClasses,
    holds_new_rows,
    table_of_row,
    true_classes,
    usual_values,
    with_predictions,
)
from opnb.data.preparing import target_cut
from opnb.data.writing import csv_bytes
from opnb.errors import DataError
from opnb.estimators.novelty import Novelty, novelty_of
from opnb.quiet import own_warnings
from opnb.studio.visit.arrivals import KeptFile, ModelFile, Role, Rows
from opnb.views.new_rows import Interval, NewRows, Shift, error_of, new_rows, shifts

if TYPE_CHECKING:
    import pandas as pd

    from opnb.data import AppliedRows, Recipe, Table
    from opnb.estimators.classifier import OPNBClassifier
    from opnb.studio.visit.results import FitResult

BY_HAND = 0  # the number of the row by hand
LISTED = 2_000  # rows that a page lists; the file that can be taken away has all


@dataclass(frozen=True, eq=False)
class Predictor:
    """What predicts new rows: a fit of this visit, or a model file.

    Attributes
    ----------
    name : str
    classifier, recipe : the model, and how a table becomes its features
    class_names : tuple of str
    find_novelty : gives what its training rows' densities are, when they are first needed; None if a file does not tell
    target : the column with the classes, where it is known
    cut_at : where a target of numbers was cut into classes
    reference : positions of rows to compare new ones with; None for those in the model
    """

    name: str
    classifier: OPNBClassifier
    recipe: Recipe
    class_names: tuple[str, ...]
    find_novelty: Callable[[], Novelty | None]
    target: str | None = None
    cut_at: NDArray[np.float64] | None = None
    reference: NDArray[np.float64] | None = None

    def predicts(self, table: Table) -> bool:
        """Tell whether a table holds rows for it, without their classes."""
        return holds_new_rows(table, self.recipe, self.target)


def predictor_of_fit(result: FitResult) -> Predictor | None:
    """Let a fit predict; None for data that never were a table."""
    dataset, spec = result.dataset, result.spec.data
    if dataset.recipe is None:
        return None
    cut = None if spec.target is None else target_cut(result.table, spec.target, spec.options)
    return Predictor(
        dataset.name,
        result.classifier,
        dataset.recipe,
        dataset.class_names,
        lambda: result.novelty,
        spec.target,
        cut,
    )


def predictor_of_file(file: ModelFile) -> Predictor:
    """Let a model file predict."""
    names = tuple(str(name) for name in file.classifier.classes_)
    return Predictor(file.name, file.classifier, file.recipe, names, lambda: novelty_of(file.classifier))


@dataclass(frozen=True, eq=False)
class Predicted:
    """A table of new rows with what a model says of it.

    Attributes
    ----------
    predictor : Predictor
    table : Table
    applied : AppliedRows
        What became of every row.
    new : NewRows
        The rows that can be used; `rows` counts the table's rows from 1.
    """

    predictor: Predictor
    table: Table
    applied: AppliedRows
    new: NewRows

    @cached_property
    def truth(self) -> TrueClasses | None:
        """The classes that the rows carry themselves."""
        predictor = self.predictor
        return true_classes(self.table, predictor.recipe, predictor.class_names, predictor.target, predictor.cut_at)

    @cached_property
    def error(self) -> Interval | None:
        """How often the classes that the rows carry are missed."""
        return None if self.truth is None else error_of(self.new, self.truth.labels[self.new.rows - 1])

    @cached_property
    def shifts(self) -> tuple[Shift, ...]:
        """How far the rows lie from the training rows, direction by direction."""
        return shifts(self.predictor.classifier, self.new, self.predictor.reference)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Every row with its own columns, then what the model says of it."""
        posterior = np.exp(self.new.log_posterior)
        return with_predictions(self.table, self.applied, self.new.class_names, posterior, self.new.familiarity)

    def csv(self) -> bytes:
        """Write all rows with their own columns and what the model says, as CSV without formulas."""
        return csv_bytes(self.frame)

    def features(self, row: int | None) -> NDArray[np.float64] | None:
        """Give the prepared features of a row (from 1; 0 is the one by hand), (n_features,); None if it has none."""
        place = np.flatnonzero(self.new.rows == row)
        return self.new.X[place[0]] if place.size else None


def predict_table(predictor: Predictor, table: Table, first: int = 1) -> Predicted:
    """Predict all rows of a table that can be, counted from `first`.

    Raises
    ------
    DataError
        Where it lacks a column.
    """
    applied = predictor.recipe.apply_rows(table)
    with own_warnings(UserWarning):  # that a row lies far from all others is said of the row
        new = new_rows(
            predictor.classifier,
            applied.X[applied.usable],
            novelty=predictor.find_novelty(),
            rows=np.flatnonzero(applied.usable) + first,
            class_names=predictor.class_names,
        )
    return Predicted(predictor, table, applied, new)


def listed(predicted: Predicted, which: str) -> pd.DataFrame:
    """List rows for a page, at most `LISTED` of them: what the model says first, then the table's own columns.

    Parameters
    ----------
    predicted : Predicted
    which : {"all", "unlike", "problem", "wrong"}
        All rows; those unlike the training rows; those that cannot be predicted; those predicted wrongly.
    """
    rows = chosen_rows(predicted, which)[:LISTED]
    own = list(predicted.table.frame.columns)
    said = predicted.frame.iloc[rows - 1].drop(columns=own)
    shown = predicted.frame.iloc[rows - 1][own]
    both = said.join(shown)
    both.insert(0, _free_name("row", both.columns), rows)
    return both.reset_index(drop=True)


def chosen_rows(predicted: Predicted, which: str) -> NDArray[np.intp]:
    """Give the rows of a kind, from 1; the most unlike first where that is the kind."""
    new = predicted.new
    if which == "unlike":
        found = np.flatnonzero(new.unlike)
        return new.rows[found if new.familiarity is None else found[np.argsort(new.familiarity[found], kind="stable")]]
    if which == "problem":
        return np.flatnonzero(~predicted.applied.usable) + 1
    if which == "wrong":
        labels = np.full(len(new.rows), -1) if predicted.truth is None else predicted.truth.labels[new.rows - 1]
        return new.rows[(labels >= 0) & (labels != new.predicted)]
    return np.arange(1, len(predicted.table.frame) + 1)


def _free_name(name: str, taken: Any) -> str:
    while name in taken:
        name += " "
    return name


def clicked_row(selected: Sequence[int]) -> int | None:
    """Give the new row that alone is selected on a picture, where it has a minus sign; None if there is none."""
    return -selected[0] if len(selected) == 1 and selected[0] <= BY_HAND else None


@dataclass
class NewRowsDesk:
    """What a visit holds of new rows.

    Attributes
    ----------
    asked : an upload that may be rows to predict or a new table, until the user says which
    rows : the file of new rows
    by_hand : the values of a row by hand, by column; empty if there is none
    model : the model file that is shown in place of the fit
    chosen : the row that is looked at, from 1; 0 is the one by hand
    """

    asked: Rows | None = None
    rows: Rows | None = None
    by_hand: dict[str, float | str | None] = field(default_factory=dict)
    model: ModelFile | None = None
    chosen: int | None = None
    _made: dict[str, tuple[tuple[Any, ...], Any]] = field(default_factory=dict, repr=False)

    def predictor(self, result: FitResult | None) -> Predictor | None:
        """Give what predicts: the model file that is open, else the fit that is shown."""
        subject: Any = self.model or result
        if subject is None:
            return None
        return self._kept("predictor", (subject,), lambda: _predictor_of(subject))

    def predicted(self, predictor: Predictor) -> Predicted | None:
        """Predict the rows of the file, once; None without one.

        Raises
        ------
        DataError
            Where it lacks a column.
        """
        if self.rows is None:
            return None
        table = self.rows.table
        return self._kept("rows", (predictor, table), lambda: predict_table(predictor, table))

    def predicted_by_hand(self, predictor: Predictor) -> Predicted | None:
        """Predict the row by hand; None without one, or where it was made for other columns."""
        if not self.by_hand or set(self.by_hand) != set(usual_values(predictor.recipe)):
            return None
        values = self.by_hand
        return self._kept("hand", (predictor, values), lambda: predict_table(predictor, table_of_row(values), BY_HAND))

    def features(self, result: FitResult | None) -> NDArray[np.float64] | None:
        """Give the prepared features of the row that is looked at, (n_features,), as the model takes them."""
        predictor = self.predictor(result)
        if predictor is None or self.chosen is None:
            return None
        found = self.predicted_by_hand(predictor) if self.chosen == BY_HAND else self.predicted(predictor)
        return None if found is None else found.features(self.chosen)

    def drawn(self, result: FitResult | None) -> tuple[NewRows, ...]:
        """Give what is drawn on the picture: the rows of the file, and the one by hand."""
        predictor = self.predictor(result)
        if predictor is None:
            return ()
        try:
            found = (self.predicted(predictor), self.predicted_by_hand(predictor))
        except DataError:  # the list of the rows says why
            return ()
        return tuple(one.new for one in found if one is not None and len(one.new.rows))

    def follow_click(self, before: Sequence[int], selected: Sequence[int]) -> bool:
        """Look at the new row that is selected on the picture since, or no longer at the one that was.

        Parameters
        ----------
        before, selected : sequence of int
            Rows selected on the picture, as they were and as they are.

        Returns
        -------
        bool
            Whether another row is looked at now, or none.
        """
        row, last = clicked_row(selected), self.chosen
        if row is not None:
            self.chosen = row
        elif not selected and last is not None and clicked_row(before) == last:
            self.chosen = None  # a click beside the points takes the row back
        return self.chosen != last

    def give_up(self) -> None:
        """Forget the file of new rows."""
        self.rows, self.chosen = None, None

    def files(self) -> dict[Role, KeptFile]:
        """Give the files that are kept with the visit, by what they are."""
        found: Mapping[Role, KeptFile | None] = {"asked": self.asked, "rows": self.rows, "model": self.model}
        return {role: file for role, file in found.items() if file is not None}

    def _kept(self, name: str, of: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Give what was made last under a name of the same things, or make it."""
        before = self._made.get(name, ((), None))[0]
        if len(before) != len(of) or any(one is not other for one, other in zip(before, of, strict=True)):
            self._made[name] = (of, make())
        return self._made[name][1]


def _predictor_of(subject: Any) -> Predictor | None:
    return predictor_of_file(subject) if isinstance(subject, ModelFile) else predictor_of_fit(subject)
