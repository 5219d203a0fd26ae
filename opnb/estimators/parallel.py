"""One numerical thread a fit: parallelism lives above the kernels, across starts, folds and data sets.

Threads inside the small matrix products of one evaluation cost more than they bring, and fight with the fits that run
beside them.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_users = 0
_limiter: Any = None


@cache
def _controller() -> ThreadpoolController:
    # Looking through the loaded libraries takes milliseconds, so it is done once.
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep linear algebra to one thread while any fit of this process is running.

    The limit belongs to the whole process. Fits in several threads share it: the first sets it, the last lifts it.
    """
    global _users, _limiter
    with _lock:
        if _users == 0:
            _limiter = _controller().limit(limits=1, user_api="blas")
            _limiter.__enter__()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _limiter.__exit__(None, None, None)
