"""Too few rows in a class, or too few different values on a direction, for a density."""

import numpy as np

from opnb.core.kernel import Array
from opnb.diagnostics.context import Context
from opnb.diagnostics.finding import Finding, Severity, class_label, listed

# With 100, 20, 10 and 5 rows the recall of a class in a simulation is 0.86, 0.83, 0.81 and 0.76 (equal class shares).
ROWS_WARNING = 10
ROWS_NOTICE = 20
# Different values on a direction, where there are rows enough to show more. Continuous features give as many values as
# rows; three two-valued features give at most eight.
VALUES_WARNING = 10
VALUES_NOTICE = 0.1  # as a share of the rows
_ROWS_TO_TELL = 50
_SAME = 1e-6  # of a direction's range: what rounding may do to equal rows
_SHOWN = 2


def small_classes(context: Context) -> Finding:
    """See whether a class has too few rows for a density."""
    counts, names = context.counts, [class_label(name) for name in context.class_names]
    least = int(counts.min())
    severity: Severity = "warning" if least < ROWS_WARNING else "notice" if least < ROWS_NOTICE else "good"
    evidence = {"classes": context.class_names, "counts": counts, "rows_needed": ROWS_NOTICE}
    if severity == "good":
        text = f"The smallest class, {names[int(counts.argmin())]}, has {least:,} rows."
        return Finding("small-classes", severity, "Every class has rows enough", text, evidence)
    small = [f"{names[k]} ({counts[k]})" for k in np.argsort(counts, kind="stable") if counts[k] < ROWS_NOTICE]
    text = (
        f"{listed(small)} {'has' if len(small) == 1 else 'have'} fewer than {ROWS_NOTICE} rows. A density from so few "
        "is a guess, and one row can move the boundary. Collect more rows, join the class to another, or drop it; no "
        "setting makes up for rows."
    )
    return Finding("small-classes", severity, "A class with few rows", text, evidence)


def discrete_projections(context: Context) -> Finding:
    """See whether the leading directions take only few values."""
    n = context.labels.size
    values = distinct_values(context.Z)
    leading = values[:_SHOWN]
    worst = int(leading.argmin())
    least = int(leading[worst])
    severity: Severity = "good"
    if n >= _ROWS_TO_TELL and least < VALUES_NOTICE * n:
        severity = "warning" if least <= VALUES_WARNING else "notice"
    evidence = {"distinct_values": values, "n_rows": n}
    numbers = f"Direction {worst + 1} takes {least:,} different values in {n:,} rows."
    if severity == "good":
        return Finding("discrete-projections", severity, "Directions are continuous", numbers, evidence)
    text = (
        f"{numbers} A kernel density spreads each value over its neighbourhood, so it describes such a direction "
        "poorly: points lie on top of each other in the picture, and the peaks are values, not groups. Features with "
        "few values are at work here; look at the loadings."
    )
    return Finding("discrete-projections", severity, "A direction with few different values", text, evidence)


def distinct_values(Z: Array) -> Array:
    """Count the values of every column that differ by more than rounding."""
    ordered = np.sort(Z, axis=0)
    span = np.maximum(ordered[-1] - ordered[0], 1e-300)
    return 1 + np.sum(np.diff(ordered, axis=0) > _SAME * span, axis=0)
