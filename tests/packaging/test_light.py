"""The library works without the packages of its extras, and a part that needs one says which to install.

A package is hidden from a process of its own, as if it were not installed: scikit-learn imports pandas where it can.
"""

import subprocess
import sys

import pytest

from tests.packaging.declared import ROOT, declared

HEAVY = {"dask", "distributed", "jinja2", "kaleido", "openpyxl", "pandas", "plotly", "pmlb", "polars", "pyarrow"}
HEAVY |= {"authlib", "httpx", "requests", "starlette", "streamlit"}
HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""
LIGHT = """
import numpy as np
from opnb import OPNBClassifier, load_model
from opnb import KDENaiveBayes, diagnostics
from opnb.views import project
from opnb.data import simulate

data = simulate("rotated", 120)
X, y = data.X_train, data.y_train
model = OPNBClassifier(n_components=2).fit(X, y)
model.save({path!r})
again = load_model({path!r})
np.testing.assert_array_equal(again.predict_proba(data.X_test), model.predict_proba(data.X_test))
print(again.score(data.X_test, data.y_test) > 0.5, KDENaiveBayes().fit(X, y).score(X, y) > 0.5)
project(again, X, y)
"""
READ = "from opnb.data import read_table; read_table(b'a,b\\n1,x\\n2,y\\n')"
CLUSTER = "from opnb.benchmark.cluster import run_on_cluster; next(run_on_cluster(None, (), 'tcp://x:1'))"
MISSING = [
    ("pandas", "data", READ),
    ("pyarrow", "data", READ),
    ("pandas", "data", "from opnb.data import example_table; example_table('iris')"),
    ("palmerpenguins", "data", "from opnb.data import load_example; load_example('penguins')"),
    ("pmlb", "data", "from opnb.data import pmlb_names; pmlb_names('iris')"),
    ("pandas", "data", "import opnb.benchmark"),
    ("plotly", "plot", "from opnb.figures import projection_figure"),
    ("jinja2", "plot", "from opnb.reports.fit_report import fit_report"),
    ("distributed", "cluster", CLUSTER),
]


def run(code, hidden=()):
    prelude = HIDE.format(hidden=set(hidden)) if hidden else ""
    command = [sys.executable, "-W", "error", "-c", prelude + code]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.slow
def test_fitting_and_keeping_a_model_needs_only_the_library(tmp_path):
    result = run(LIGHT.format(path=str(tmp_path / "model.opnb")), HEAVY)
    assert result.stdout.split() == ["True", "True"], result.stderr


def test_what_is_hidden_is_all_that_the_library_does_not_ask_for():
    names = {
        "scikit-learn",
        "markupsafe",
        "palmerpenguins",
        "httptools",
        "uvloop",
    }  # not imported by this name, or at all
    assert declared("all") - declared() - names <= HEAVY


@pytest.mark.slow
@pytest.mark.parametrize(("hidden", "extra", "code"), MISSING)
def test_a_missing_extra_is_named_with_the_command(hidden, extra, code):
    result = run(code, {hidden})
    last = result.stderr.strip().splitlines()[-1]
    assert last.endswith(f"This needs {hidden}, which is not installed. Install it: pip install 'opnb[{extra}]'.")


@pytest.mark.parametrize(("command", "hidden", "extra"), [("predict", "pandas", "data"), ("app", "streamlit", "app")])
def test_a_command_says_it_on_one_line(command, hidden, extra):
    arguments = [command, "model", "table"][: 3 if command == "predict" else 1]
    result = run(f"from opnb.cli import main; sys.exit(main({arguments!r}))", {hidden})
    assert result.returncode == 2
    said = f"This needs {hidden}, which is not installed. Install it: pip install 'opnb[{extra}]'."
    assert result.stderr == f"opnb {command}: {said}\n"


def test_health_imports_nothing_heavy():
    heavy = HEAVY | {"numpy", "scipy", "sklearn", "numba", "joblib"}
    code = "import sys; from opnb.cli import main; print(main(['health', 'http://localhost:1']))"
    result = run(f"{code}; print(sorted({heavy} & set(sys.modules)))")
    assert result.stdout.split() == ["2", "[]"], result.stderr


def test_without_a_missing_package_an_error_of_import_is_left_alone():
    from opnb.errors import MissingExtraError, needs

    for code in ("from math import nothing", "import opnb.nothing"):
        with pytest.raises(ImportError, match="nothing") as caught, needs("data"):
            exec(code)
        assert not isinstance(caught.value, MissingExtraError)
