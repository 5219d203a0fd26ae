"""The layers of the package: a module imports only from its own layer or a lower one."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import opnb

ROOT = Path(__file__).parent.parent
LAYERS = [
    {"opnb.errors", "opnb.quiet", "opnb.guide"},
    {"opnb.core"},
    {"opnb.estimators"},
    {"opnb.comparators"},
    {"opnb.workspace", "opnb.data", "opnb.views", "opnb.diagnostics", "opnb.benchmark"},
    {"opnb.figures"},
    {"opnb.reports", "opnb.lessons"},
    {"opnb.cli", "opnb.__main__", "opnb.studio"},
    {"app", "pages"},
]
ONLY_FROM = {"streamlit": "opnb.studio", "plotly": "opnb.figures", "pandas": "opnb.data", "sklearn": "opnb.estimators"}
PAGES = ("workbench", "data", "diagnose", "tune", "compare", "benchmark", "learn")
# What a page knows, apart from what it shows; `visit` and `work` know, too.
KNOWING = {
    "opnb.studio.benchmark.desk",
    "opnb.studio.compare.comparison",
    "opnb.studio.compare.planes",
    "opnb.studio.compare.trials",
    "opnb.studio.diagnose.diagnosis",
    "opnb.studio.diagnose.trials",
    "opnb.studio.learn.links",
    "opnb.studio.tune.column_studies",
    "opnb.studio.tune.studies",
    "opnb.studio.workbench.explaining",
    "opnb.studio.workbench.quick",
}


def modules():
    files = [ROOT / "app.py", *(ROOT / "opnb").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    for file in files:
        name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if name != "opnb":  # the package itself only hands out names
            yield name, file


def layer(name):
    for number, names in enumerate(LAYERS):
        if any(name == member or name.startswith(member + ".") for member in names):
            return number
    raise AssertionError(f"{name} has no place in the layers of tests/test_architecture.py")


@cache
def statements(file):
    """Give the statements that import, wherever they are: in functions and for types alone, too."""
    tree = ast.parse(file.read_text(encoding="utf8"))
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]


def imports(file):
    for node in statements(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            assert node.level == 0, f"{file} uses a relative import"
            yield node.module
            if node.module == "opnb":
                yield from (f"opnb.{alias.name}" for alias in node.names)


PUBLIC = {f"opnb.{name}" for name in (*opnb.__all__, "__version__")}


@pytest.mark.parametrize(("name", "file"), list(modules()), ids=[name for name, _ in modules()])
def test_a_module_looks_down_only(name, file):
    for imported in imports(file):
        if imported.startswith("opnb.") and imported not in PUBLIC:
            assert layer(imported) <= layer(name), f"{name} looks up to {imported}"
        package = imported.split(".")[0]
        if package in ONLY_FROM:
            assert layer(name) >= layer(ONLY_FROM[package]), f"{name} imports {package}"


def studio_modules():
    return [(name, file) for name, file in modules() if name.startswith("opnb.studio.")]


@pytest.mark.parametrize(("name", "file"), studio_modules(), ids=[name for name, _ in studio_modules()])
def test_a_room_of_the_studio_keeps_to_itself(name, file):
    room = name.split(".")[2]
    for imported in imports(file):
        other = imported.split(".")[2] if imported.startswith("opnb.studio.") else ""
        assert other not in PAGES or room not in PAGES or other == room, f"{name} looks into the page {imported}"


@pytest.mark.parametrize(("name", "file"), studio_modules(), ids=[name for name, _ in studio_modules()])
def test_what_is_known_needs_no_streamlit(name, file):
    room, imported = name.split(".")[2], set(imports(file))
    if name in KNOWING or room in ("visit", "work"):
        assert "streamlit" not in imported
        assert not any(other.startswith("opnb.studio.ui") for other in imported), f"{name} looks at what is shown"
    elif room in PAGES and name.count(".") > 2:
        assert "streamlit" in imported, f"{name} shows nothing: name it among what is known"


@pytest.mark.parametrize(("name", "file"), studio_modules(), ids=[name for name, _ in studio_modules()])
def test_what_a_visit_holds_and_long_work_know_no_page(name, file):
    if name.split(".")[2] in ("visit", "work"):
        rooms = {imported.split(".")[2] for imported in imports(file) if imported.startswith("opnb.studio.")}
        assert not rooms & set(PAGES), f"{name} knows a page"


def imported_modules(name, file, known):
    """Give the modules that one imports."""
    for node in statements(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        else:
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from full & known.keys() or {node.module} & known.keys()


def circles():
    """Find the sets of modules in which each can be reached from every other."""
    known = dict(modules())
    reached = {name: set(imported_modules(name, file, known)) - {name} for name, file in known.items()}
    for middle in known:  # Warshall: paths through ever more modules
        for name in known:
            if middle in reached[name]:
                reached[name] |= reached[middle]
    return {
        frozenset(other for other in known if other in reached[name] and name in reached[other])
        for name in known
        if name in reached[name]
    }


def test_no_modules_import_each_other_in_a_circle():
    assert circles() == set()


def test_importing_the_package_loads_nothing_heavy():
    heavy = "{'numba', 'sklearn', 'pandas', 'plotly', 'streamlit', 'scipy'}"
    code = f"import sys, opnb; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.strip() == "[]"


def test_public_names_are_there():
    for name in opnb.__all__:
        assert getattr(opnb, name).__name__ == name
    assert set(opnb.__all__) <= set(dir(opnb))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        opnb.nothing


def test_docstrings_of_the_public_parts_name_every_parameter():
    import inspect

    from opnb import OPNBClassifier, OPNBClassifierCV
    from opnb.core.objective import value_and_gradient

    for subject, function in (
        (OPNBClassifier, OPNBClassifier.__init__),
        (OPNBClassifierCV, OPNBClassifierCV.__init__),
        (value_and_gradient, value_and_gradient),
    ):
        for parameter in inspect.signature(function).parameters:
            assert parameter == "self" or parameter in subject.__doc__, (subject, parameter)
