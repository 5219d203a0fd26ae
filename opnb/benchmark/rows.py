"""One row of the results, and its form as a line of text.

A row is one physical line whatever its texts hold, so that a line that was cut short can be told from a whole one.
"""

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from opnb import __version__
from opnb.benchmark.protocol import Protocol, Task

Status = Literal["ok", "failed", "timeout"]
STATUSES = ("ok", "failed", "timeout")
_LONGEST_MESSAGE = 500
_UNKNOWN = math.nan


@dataclass(frozen=True)
class Row:
    """The outcome of one task.

    Attributes
    ----------
    dataset, method : str
    repeat : int
    error, log_loss : float
        On the held-out rows. The log-loss is the mean negative log posterior of the true class, unknown for a
        method without posteriors (SVM).
    seconds_tune, seconds_fit : float
        Cross-validation, and the final fit.
    params : str
        The chosen setting as JSON text.
    n, p, K : int or None
        Rows, covariates and classes after the preprocessing policy; None when it was never reached.
    status : {"ok", "failed", "timeout"}
    message : str
        Why a task failed; for one that did not, what there is to say about it.
    share_binary, class_variance : float
        Share of the covariates that come from categories; variance of the class shares.
    error_centroid, error_1nn : float
        Errors of the nearest centroid and the nearest neighbour on the same split.
    protocol : str
        `Protocol.settings`.
    version : str
        Of the program that made the row; empty where it is not known.
    """

    dataset: str
    method: str
    repeat: int
    error: float = _UNKNOWN
    log_loss: float = _UNKNOWN
    seconds_tune: float = _UNKNOWN
    seconds_fit: float = _UNKNOWN
    params: str = "{}"
    n: int | None = None
    p: int | None = None
    K: int | None = None
    status: Status = "ok"
    message: str = ""
    share_binary: float = _UNKNOWN
    class_variance: float = _UNKNOWN
    error_centroid: float = _UNKNOWN
    error_1nn: float = _UNKNOWN
    protocol: str = "{}"
    version: str = __version__

    @property
    def task(self) -> Task:
        """The task that the row answers."""
        return Task(self.repeat, self.dataset, self.method)


COLUMNS = tuple(field.name for field in fields(Row))
COLUMNS_0_1 = COLUMNS[: COLUMNS.index("version")]
REQUIRED = COLUMNS[: COLUMNS.index("message") + 1]


def unfinished(protocol: Protocol, task: Task, status: Status, message: str, **known: Any) -> Row:
    """Make the row of a task that gave no error rate."""
    said = one_line(message)[:_LONGEST_MESSAGE]
    return Row(
        task.dataset, task.method, task.repeat, status=status, message=said, protocol=protocol.settings(), **known
    )


def timed_out(protocol: Protocol, task: Task) -> Row:
    """Make the row of a task that took too long."""
    return unfinished(protocol, task, "timeout", f"given up after {protocol.timeout:g} s")


def one_line(text: object) -> str:
    """Bring any text to one printable line."""
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())


def line_of(row: Row | None, columns: Sequence[str] = COLUMNS) -> bytes:
    """Write a row, or the names of the columns, as one line of CSV."""
    cells = columns if row is None else [_cell(getattr(row, name)) for name in columns]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else one_line(value)


def params_text(params: dict[str, Any]) -> str:
    """Write a setting as JSON; numbers of NumPy become plain ones."""
    return json.dumps(
        params, sort_keys=True, default=lambda value: value.item() if hasattr(value, "item") else str(value)
    )
