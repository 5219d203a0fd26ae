import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import opnb
from opnb.comparators import kde
from opnb.core import binned, compiled, exact, kernel_sums


def test_a_cached_kernel_depends_on_all_of_the_core():
    for function in (exact.pull_back, binned.pull_back, kernel_sums.log_sums_at, kde._add_log_sums):
        _, digest = function._cache._cache_file._source_stamp
        assert digest == compiled._SOURCES


def test_another_digest_makes_the_cache_forget():
    file = kernel_sums.log_sums_at._cache._cache_file
    file.save("probe", b"kept")
    assert file.load("probe") == b"kept"
    stamp = file._source_stamp
    try:
        file._source_stamp = (stamp[0], "another digest")
        assert file.load("probe") is None
    finally:
        file._source_stamp = stamp


def copied_tree(folder, with_kernels):
    """Copy the core, let it keep kernels of one width or not, and take the right to write from everybody."""
    shutil.copytree(Path(opnb.__file__).parent, folder / "opnb", ignore=shutil.ignore_patterns("__pycache__", "studio"))
    if with_kernels:
        subprocess.run([sys.executable, "-c", USE], cwd=folder, check=True, env=environment(folder))
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def environment(folder):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    return kept | {"HOME": str(folder / "no home"), "XDG_CACHE_HOME": str(folder / "no home"), "TMPDIR": "/nowhere"}


USE = """
import numpy as np
from opnb.core import kernel_sums
log_sum = np.empty(2)
kernel_sums.log_sums_at(np.zeros(3), np.zeros(2), log_sum)
assert np.allclose(log_sum, np.log(3))
stats = kernel_sums.log_sums_at.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def without_the_right_to_write():
    """Give the start of a command that runs as somebody who may not write: root may write anywhere."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root, and nobody else to be")
@pytest.mark.parametrize("with_kernels", [True, False])
def test_a_tree_that_cannot_be_written_gives_its_kernels_or_compiles_in_memory(with_kernels):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copied_tree(folder, with_kernels)
        command = [*without_the_right_to_write(), sys.executable, "-c", USE]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment(folder))
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755)  # so that it can be removed
    assert result.returncode == 0, result.stderr
    hits, misses = map(int, result.stdout.split())
    assert (hits, misses) == ((1, 0) if with_kernels else (0, 1))
