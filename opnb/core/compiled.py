"""How kernels are compiled: every flag in one place.

Kernels are serial (parallelism lives above them, across starts, folds and data sets), release the GIL so that threads
can run them side by side, and are kept in Numba's disk cache. Only multiply-adds may be fused: reordering sums or
assuming finite numbers would spoil the log-domain arithmetic.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a hot loop."""
    return njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})(function)


def inline(function: Function) -> Function:
    """Compile a piece of a hot loop that is always inlined into its callers."""
    return njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"}, forceinline=True)(function)
