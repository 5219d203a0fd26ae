"""What is said of one row: who explains it, its reasons in sentences, tables and as a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from opnb.data import Dataset, FeatureColumn, Table, feature_columns
from opnb.data.writing import csv_bytes
from opnb.quiet import own_warnings
from opnb.views import Flip, Margin, Projected, Reasons, flips, margins_view, nearest_rows, reasons
from opnb.views.bare import bare_projected

if TYPE_CHECKING:
    from opnb.estimators.classifier import OPNBClassifier
    from opnb.studio.visit.arrivals import ModelFile
    from opnb.studio.visit.results import FitResult

NEAREST = 5
_FIELDS = ("what", "class", "direction", "column", "value", "number")


@dataclass(frozen=True, eq=False)
class Explainer:
    """What explains rows: a model, and the rows it was fitted to where they are known.

    Attributes
    ----------
    classifier : OPNBClassifier
    columns : tuple of FeatureColumn
    projected : Projected
        May be without points, as that of a model file is.
    dataset : Dataset, optional
        What the model was fitted to.
    table : Table, optional
        Where the projected rows come from.
    """

    classifier: OPNBClassifier
    columns: tuple[FeatureColumn, ...]
    projected: Projected
    dataset: Dataset | None = None
    table: Table | None = None

    def reasons(self, row: NDArray[np.float64], other: int | None = None) -> Reasons:
        """Say why a prepared row is given its class."""
        with own_warnings(UserWarning):  # that a row lies far from all others is seen in the densities
            return reasons(
                self.classifier, row, columns=self.columns, class_names=self.projected.class_names, other=other
            )

    def flips(self, row: NDArray[np.float64]) -> tuple[Flip, ...]:
        """Find the changes of single columns that give a prepared row another class."""
        X = None if self.dataset is None else self.dataset.X_train
        with own_warnings(UserWarning):
            return flips(self.classifier, row, columns=self.columns, X=X)

    def margin(self, direction: int) -> Margin:
        """Give the class densities along a direction."""
        return margins_view(self.classifier, self.projected, [direction]).margins[0]

    def nearest(self, row: NDArray[np.float64], own: int | None) -> pd.DataFrame | None:
        """List the nearest training rows with their columns; None where the rows are not known."""
        if self.table is None:
            return None
        places, distances = nearest_rows(self.classifier, row, self.projected, count=NEAREST, leave_out=own)
        names = np.array(self.projected.class_names, dtype=object)
        numbers = self.projected.rows[places]
        said = pd.DataFrame(
            {"row": numbers, "its class": names[self.projected.labels[places]], "distance": distances.round(2)}
        )
        values = self.table.frame.iloc[numbers - 1].reset_index(drop=True)
        return pd.concat([said, values.rename(columns={name: f"{name} (table)" for name in said})], axis=1)


def explainer_of(result: FitResult) -> Explainer:
    """Let a fit explain rows."""
    return Explainer(result.classifier, result.dataset.columns, result.projected, result.dataset, result.table)


def explainer_of_file(file: ModelFile) -> Explainer:
    """Let a model file explain rows."""
    names = file.recipe.feature_names
    return Explainer(file.classifier, feature_columns(names, file.recipe), bare_projected(file.classifier, names))


def place_of(projected: Projected, row: int) -> int | None:
    """Find a row of the table among the projected ones; None for a row that is not in use."""
    found = np.flatnonzero(projected.rows == row)
    return int(found[0]) if found.size else None


def verdict(found: Reasons, truth: int | None) -> str:
    """Say in a sentence what a row is taken for, how surely, and what it is."""
    names, posterior = found.class_names, found.posterior
    sentence = f"It is taken for {names[found.predicted]}, with probability {_share(posterior[found.predicted])}"
    if len(names) > 1:
        order = np.argsort(-found.log_posterior, kind="stable")
        sentence += f"; next is {names[order[1]]}, with {_share(posterior[order[1]])}"
    if truth is None:
        return f"{sentence}."
    return f"{sentence}. That is right." if truth == found.predicted else f"{sentence}. In truth it is {names[truth]}."


def _share(probability: float) -> str:
    if probability > 0.9995:
        return "above 99.9 %"
    return f"{100 * probability:.1f} %" if probability >= 0.0005 else "below 0.1 %"


def flips_frame(found: Sequence[Flip], class_names: Sequence[str]) -> pd.DataFrame:
    """List changes of single columns, the smallest first."""
    return pd.DataFrame(
        {
            "Column": [flip.column.name for flip in found],
            "Now": [flip.column.written(flip.before) for flip in found],
            "Would be": [flip.column.written(flip.after) for flip in found],
            "Standard deviations": [round(flip.size, 2) for flip in found],
            "Taken for": [class_names[flip.becomes] for flip in found],
        }
    )


def reasons_csv(found: Reasons, changes: Sequence[Flip]) -> bytes:
    """Write all numbers about a row as CSV, one a line: probabilities, log-odds, positions, densities, changes."""
    return csv_bytes(pd.DataFrame([*_lines(found), *_change_lines(found, changes)], columns=list(_FIELDS)))


Line = tuple[str, str, int | None, str, str, float]


def _lines(found: Reasons) -> Iterator[Line]:
    names = found.class_names
    for name, probability in zip(names, found.posterior, strict=True):
        yield "probability", name, None, "", "", float(probability)
    two = f"{names[found.predicted]} against {names[found.other]}"
    yield "sharpness of probabilities", "", None, "", "", found.sharpness
    yield "log-odds: class probabilities", two, None, "", "", found.prior_odds
    for d, odds in enumerate(found.direction_odds, start=1):
        yield "log-odds: a direction", two, d, "", "", float(odds)
    if found.start_odds:
        yield "log-odds: other starts", two, None, "", "", found.start_odds
    yield "log-odds: sum", two, None, "", "", found.log_odds
    for d, position in enumerate(found.positions):
        if found.parts is not None:
            for column, part in zip(found.columns, found.parts[d], strict=True):
                yield "position: a column", "", d + 1, column.name, column.written(column.value(found.row)), float(part)
        yield "position: sum", "", d + 1, "", "", float(position)
        for name, log_density in zip(names, found.log_densities[d], strict=True):
            yield "log density", name, d + 1, "", "", float(log_density)


def _change_lines(found: Reasons, changes: Sequence[Flip]) -> Iterator[Line]:
    for flip in changes:
        value = f"{flip.column.written(flip.before)} to {flip.column.written(flip.after)}"
        name = found.class_names[flip.becomes]
        yield "smallest change, in standard deviations", name, None, flip.column.name, value, flip.size
