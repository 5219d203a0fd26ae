"""A default fit of this program beside that of another checkout, in turn in one run.

OPNB_OTHER  the folder of the other checkout
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tests.bench.timing import heading, row

_ROUNDS = 5
# Reads the name of a file of rows, fits, and answers with the processor seconds; the first fit only warms up.
_CHILD = """
import json, sys, time, warnings
import numpy as np
from opnb import OPNBClassifier
warnings.simplefilter("ignore")
for line in sys.stdin:
    with np.load(line.strip()) as data:
        X, y = data["X"], data["y"]
    started = time.process_time()
    fitted = OPNBClassifier().fit(X, y)
    print(json.dumps([time.process_time() - started, float(fitted.objective_)]), flush=True)
"""


def versions():
    """Least processor seconds of a default fit on every data set, here over there."""
    other, data_dir = os.environ.get("OPNB_OTHER"), os.environ.get("OPNB_DATA_DIR")
    if not (other and data_dir):
        print("OPNB_OTHER and OPNB_DATA_DIR are needed: left out.")
        return
    heading("A default fit, here over the other checkout: processor time, and objective less the other's")
    ratios = []
    here = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder, _child(here) as ours, _child(other) as theirs:
        for name, path in _prepared(Path(data_dir), Path(folder)):
            times = np.array([[_ask(child, path) for child in (ours, theirs)] for _ in range(_ROUNDS + 1)])[1:]
            least, objectives = times[..., 0].min(axis=0), times[-1, :, 1]
            ratios.append(least[0] / least[1])
            row(name, f"{least[0]:.3f} s", f"{ratios[-1]:.2f}", f"{objectives[0] - objectives[1]:+.1e}")
    row("median of the ratios", f"{statistics.median(ratios):.2f}", "goal 1.05", f"worst {max(ratios):.2f}")


def _prepared(data_dir, folder):
    from opnb.data import load_pmlb, paper_policy

    for source in sorted(path for path in data_dir.iterdir() if path.is_dir()):
        data = load_pmlb(source.name, data_dir=data_dir)
        policy = paper_policy(data.X, data.y, seed=0)
        path = folder / "rows.npz"
        np.savez(path, X=policy.X, y=policy.y)
        yield source.name, path


@contextmanager
def _child(folder):
    """Keep a process of the program in a folder, on one thread."""
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _CHILD]
    child = subprocess.Popen(
        command, cwd=folder, env=os.environ | alone, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        yield child
    finally:
        child.stdin.close()
        child.wait(60)


def _ask(child, path):
    child.stdin.write(f"{path}\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())


SECTIONS = {"versions": versions}
