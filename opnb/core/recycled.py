"""Large arrays in memory that was used before.

What a piece of rows keeps in one evaluation of the objective is gone before the next, which needs as much. The system
gives fresh memory page by page and clears it, which takes longer than the arithmetic on it; malloc gives large blocks
back at once. So memory is kept here until a search is over (`forget`).
"""

import mmap
import weakref
from contextlib import suppress

import numpy as np

from opnb.core.kernel import Array

_free: list[mmap.mmap] = []  # appended to and taken from in one step: threads need no lock


def array(size: int) -> Array:
    """Give an array of so many numbers, whatever they are; its memory comes back when nobody holds a part of it."""
    memory = _taken(max(8 * size, mmap.PAGESIZE))
    lent = np.frombuffer(memory, count=size)
    # The memory is no array itself, so every view holds the array that was lent, and not only what it lies in.
    weakref.finalize(lent, _free.append, memory).atexit = False
    return lent


def _taken(n_bytes: int) -> mmap.mmap:
    for _ in range(len(_free)):
        try:
            memory = _free.pop(0)
        except IndexError:  # another thread was faster
            break
        if n_bytes <= len(memory) <= 1.25 * n_bytes:
            return memory
        _free.append(memory)
    memory = mmap.mmap(-1, n_bytes)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system may have none
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def forget() -> None:
    """Give all memory back that nobody uses."""
    _free.clear()
