"""What the server lets in, as it is shipped."""

import ast
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from opnb.data import Limits
from opnb.studio.work.limits import SCHEDULER_VARIABLE

ROOT = Path(__file__).parents[2]


def test_the_app_listens_to_this_computer_alone_and_tells_nobody():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    server = settings["server"]
    assert server["address"] == "localhost"
    assert server["enableXsrfProtection"] is True
    assert server["enableAgentApi"] is False
    assert server["maxUploadSize"] * 2**20 == Limits().max_bytes
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["client"]["disableDataExport"] is True, "its CSV would hold live formulas"
    assert settings["runner"]["postScriptGC"] is False, "it takes most of a busy server's time"
    assert settings["runner"]["magicEnabled"] is False, "two threads cannot parse pages at once"
    assert settings["client"]["showErrorDetails"] not in (True, "full", "stacktrace")


def test_a_server_for_a_cluster_does_not_start_without_what_a_cluster_needs(monkeypatch):
    monkeypatch.setenv(SCHEDULER_VARIABLE, "tcp://scheduler.example:8786")
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "app", raising=False)
    with pytest.raises(SystemExit, match="Dask is not installed here") as ended:
        import_module("app")
    assert SCHEDULER_VARIABLE in str(ended.value)


CODE = [ROOT / "app.py", *(ROOT / "opnb").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
MARKUP_AND_SHELLS = {"allow_pickle", "unsafe_allow_html", "unsafe_allow_javascript", "shell"}
FOREIGN_CODE = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "runpy"}


@pytest.mark.parametrize("file", CODE, ids=lambda file: str(file.relative_to(ROOT)))
def test_nothing_unpickles_evaluates_or_shows_foreign_markup(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            assert not FOREIGN_CODE & {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module.split(".")[0] not in FOREIGN_CODE
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in {"eval", "exec", "compile", "joblib.load", "os.system"}
            # Markup is the app's own, a constant of the module or an entry of one.
            if called == "st.html":
                assert ast.unparse(getattr(node.args[0], "value", node.args[0])).isupper()
            given = [keyword for keyword in node.keywords if keyword.arg in MARKUP_AND_SHELLS]
            assert all(ast.unparse(keyword.value) == "False" for keyword in given)
