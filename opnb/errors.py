"""Errors that a user can mend.

Every message says what is wrong, where, and what to do about it. All of them are `ValueError`, so that scikit-learn
code and callers that know nothing of this package treat them as bad input.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Remedy:
    """One change that would mend an error: an option, its new value, and the words for a button.

    Parameters
    ----------
    option : str
        A field of `opnb.data.PrepareOptions`, a keyword of `opnb.data.read_table`, or "target".
    value : object
        What to set it to; None where the user has to choose.
    words : str
        For instance "Leave this class out".
    """

    option: str
    value: Any
    words: str


class OPNBError(ValueError):
    """Base of everything a user can mend."""


class DataError(OPNBError):
    """The data cannot be used as they are; the message names the column or row and the remedy.

    Parameters
    ----------
    message : str
        Speaks plainly and names no parameter.
    remedies : tuple of Remedy
        The same remedies for a program, which can make buttons or flags of them.
    """

    def __init__(self, message: str = "", *, remedies: tuple[Remedy, ...] = ()) -> None:
        super().__init__(message)
        self.remedies = remedies


class ReadingError(DataError):
    """A file gives no table as it was read; with all that is needed to read it otherwise.

    Parameters
    ----------
    message : str
    change : str
        The keyword of `opnb.data.read_table` that most likely mends it, "" where none does.
    lines : tuple of str
        The first lines as text, cut to a length that can be shown; of a workbook, the first rows with their numbers.
    sheets : tuple of str
        The sheets of a workbook.
    tried : mapping
        The settings it was read with, by keyword.
    """

    def __init__(
        self,
        message: str = "",
        *,
        change: str = "",
        lines: tuple[str, ...] = (),
        sheets: tuple[str, ...] = (),
        tried: Mapping[str, Any] | None = None,
        remedies: tuple[Remedy, ...] = (),
    ) -> None:
        super().__init__(message, remedies=remedies)
        self.change = change
        self.lines = lines
        self.sheets = sheets
        self.tried = dict(tried or {})


class ReadingStoppedError(ReadingError):
    """Reading was ended from outside, as the caller asked."""


class ModelFileError(OPNBError):
    """A model file is truncated, altered, of another version, or no model file at all."""


class FitError(OPNBError):
    """A fit cannot go on, for instance because the objective left the finite numbers."""


class EdgeOfGridWarning(UserWarning):
    """The best of the values tried is the first or the last of them: the best of all may lie beyond."""


class WorkspaceError(OPNBError):
    """Work cannot be kept or brought back: a full disk, a folder that cannot be written, a damaged or foreign file."""


class WorkspaceMissingError(WorkspaceError):
    """There is no workspace under this id: it was deleted, grew too old, or is kept elsewhere."""


class MissingExtraError(OPNBError, ImportError):
    """A part of the package needs others that a light installation leaves out; the message has the command."""


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Say which extra to install when a package is not there; also a decorator of functions.

    Parameters
    ----------
    extra : str
        Of `pyproject.toml`: "plot", "data", "app" or "cluster".

    Raises
    ------
    MissingExtraError
        In place of the `ModuleNotFoundError` of another project's package.
    """
    try:
        yield
    except ImportError as fault:
        # scikit-learn makes an error of its own from that of pandas.
        missing = fault if isinstance(fault, ModuleNotFoundError) else fault.__cause__
        package = str(getattr(missing, "name", "opnb")).split(".")[0]
        if package == "opnb":
            raise
        raise MissingExtraError(
            f"This needs {package}, which is not installed. Install it: pip install 'opnb[{extra}]'."
        ) from None
