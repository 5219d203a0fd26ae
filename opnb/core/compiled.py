"""How kernels are compiled: every flag in one place.

Kernels are serial (parallelism lives above them, across starts, folds and data sets), release the GIL so that threads
can run them side by side, and are kept in Numba's disk cache. Only multiply-adds may be fused: reordering sums or
assuming finite numbers would spoil the log-domain arithmetic.

Numba takes a cached kernel for valid while the kernel's own file is unchanged, although it holds the code of every
kernel it calls. So the stamp of each cached kernel is joined with a digest of all of `opnb.core`.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_FLAGS: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy", "fastmath": {"contract"}}
_SOURCES = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
).hexdigest()


def kernel(function: Function) -> Function:
    """Compile a hot loop."""
    return _stamped(njit(**_FLAGS)(function))


def inline(function: Function) -> Function:
    """Compile a piece of a hot loop that is always inlined into its callers."""
    return _stamped(njit(**_FLAGS, forceinline=True)(function))


def _stamped(dispatcher: Any) -> Any:
    file = dispatcher._cache._cache_file
    file._source_stamp = (file._source_stamp, _SOURCES)
    return dispatcher
