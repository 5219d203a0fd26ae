"""Errors that a user can mend.

Every message says what is wrong, where, and what to do about it. All of them are `ValueError`, so that scikit-learn
code and callers that know nothing of this package treat them as bad input.
"""


class OPNBError(ValueError):
    """Base of everything a user can mend."""


class DataError(OPNBError):
    """The data cannot be used as they are; the message names the column or row and the remedy."""


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
