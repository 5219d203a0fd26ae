"""What became of new rows, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from opnb.studio.visit.new_rows import Predicted
from opnb.studio.words import quantity, shortened
from opnb.views.new_rows import Shift

_NAMED = 5


def sentences(predicted: Predicted) -> list[str]:
    """Say how many rows were predicted, how many are unlike the training rows, and how well the model does on them."""
    new, n = predicted.new, len(predicted.table.frame)
    lost, filled = n - len(new.rows), sum(map(bool, predicted.applied.filled))
    said = [f"{quantity(len(new.rows), 'row')} of {n:,} in {predicted.table.name} predicted."]
    if lost:
        said.append(f"{quantity(lost, 'row')} could not be predicted; the column 'problem' says why.")
    if filled:
        said.append(f"Missing values were filled in as in training in {quantity(filled, 'row')}.")
    return [*said, *_familiarity(predicted), *_error(predicted), *_shifts(predicted.shifts)]


def _familiarity(predicted: Predicted) -> list[str]:
    new = predicted.new
    if new.familiarity is None:
        return ["The model file does not say how dense its training rows lie, so rows unlike them cannot be told."]
    if not len(new.rows):
        return []
    count = int(new.unlike.sum())
    verb = "lies" if count == 1 else "lie"
    return [
        f"{quantity(count, 'row')} {verb} outside what any class has seen. Of rows like the training rows, about "
        f"{100 * new.rate:.2g} % do. 'familiarity' is the share of training rows in a place as sparse."
    ]


def _error(predicted: Predicted) -> list[str]:
    truth, error = predicted.truth, predicted.error
    if truth is None:
        return []
    said = []
    if error is not None:
        said.append(
            f"Their classes are in the column '{shortened(truth.column, 40)}': error {error} on "
            f"{quantity(error.errors.n, 'row')}, with the interval that holds the true error in 95 of 100 cases."
        )
    if truth.unknown:
        names = ", ".join(f"'{shortened(name, 40)}'" for name in truth.unknown[:_NAMED])
        more = " and others" if len(truth.unknown) > _NAMED else ""
        said.append(f"Classes that the model does not know: {names}{more}.")
    return said


def _shifts(shifts: Sequence[Shift]) -> list[str]:
    moved = sorted((shift for shift in shifts if shift.differs), key=lambda shift: -shift.distance)
    if not shifts:
        return []
    if not moved:
        return ["On every direction they lie as the training rows do, as far as so many rows can tell."]
    named = ", ".join(f"{shift.direction + 1} (by {100 * shift.distance:.0f} %)" for shift in moved[:_NAMED])
    more = f" and {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
    noun = "direction" if len(moved) == 1 else "directions"
    return [
        f"They do not lie as the training rows do on {noun} {named}{more}; in brackets, the share of rows that would "
        "have to move. What was learnt may not hold for them."
    ]
