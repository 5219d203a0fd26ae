"""Bytes for Arrow's readers, in memory of Arrow's own.

Arrow reads ahead and decodes in threads that may outlive a refused file. One that touches a Python object (a file
object, the bytes behind a buffer, a callback) while the interpreter ends brings the process down: "terminate called
without an active exception", status 134. So readers get a copy that Arrow owns, and parse in their caller's thread.
"""

from __future__ import annotations

from typing import Any


def arrow_input(data: bytes) -> Any:
    """Give bytes as a file that no Python object stands behind (a `pyarrow.BufferReader`)."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    sink.write(data)
    return pa.BufferReader(sink.getvalue())
