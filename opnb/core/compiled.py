"""How kernels are compiled: every flag in one place.

Kernels are serial (parallelism lives above them, across starts, folds and data sets), release the GIL so that threads
can run them side by side, and are kept in Numba's disk cache. Only multiply-adds may be fused: reordering sums or
assuming finite numbers would spoil the log-domain arithmetic.

Numba takes a cached kernel for valid while the kernel's own file is unchanged, although it holds the code of every
kernel it calls. So the stamp of each cached kernel is joined with a digest of all of `opnb.core`.

Numba also refuses to cache where it cannot write, even if the cache is full, as in a tree that an administrator has
warmed up and made read-only. Here a kernel is looked up in the first folder that can be written (`NUMBA_CACHE_DIR`, the
`__pycache__` beside the source, the user's cache folder) and then beside the source. One that is found nowhere and can
be kept nowhere is compiled in memory.
"""

import contextlib
import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, InTreeCacheLocator

Function = TypeVar("Function", bound=Callable[..., Any])

_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
_SOURCES = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
).hexdigest()


def kernel(function: Function) -> Function:
    """Compile a hot loop."""
    return _cached(njit(**_FLAGS)(function))


def inline(function: Function) -> Function:
    """Compile a piece of a hot loop that is always inlined into its callers."""
    return _cached(njit(**_FLAGS, forceinline=True)(function))


def _cached(dispatcher: Any) -> Any:
    dispatcher._cache = _KernelCache(dispatcher.py_func)
    return dispatcher


class _BesideTheSource(InTreeCacheLocator):
    """The folder beside the source, whether it can be written or not."""

    def ensure_cache_path(self) -> None:
        """Ask for nothing: writing may fail later, and then nothing is kept."""


class _KernelCacheImpl(CompileResultCacheImpl):
    """Numba's choice of a folder, with one more where it would give up."""

    _locator_classes: ClassVar = [*CompileResultCacheImpl._locator_classes, _BesideTheSource]


class _KernelCache(FunctionCache):
    """Numba's cache of one kernel, which also reads where it cannot write."""

    _impl_class = _KernelCacheImpl

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        file = self._cache_file
        file._source_stamp = (file._source_stamp, _SOURCES)
        beside = _BesideTheSource(function, inspect.getfile(function)).get_cache_path()
        self._file_beside = IndexDataCacheFile(beside, self._impl.filename_base, file._source_stamp)

    def _load_overload(self, signature: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        key = self._index_key(signature, target_context.codegen())
        for file in (self._cache_file, self._file_beside):
            with contextlib.suppress(OSError):  # a file that may not be read is a kernel that is not there
                found = file.load(key)
                if found is not None:
                    return self._impl.rebuild(target_context, found)
        return None

    def _save_overload(self, signature: Any, compiled: Any) -> None:
        with contextlib.suppress(OSError):  # a full or read-only disk: the kernel works, it is only not kept
            super()._save_overload(signature, compiled)
