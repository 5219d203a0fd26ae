"""The layers of the package: a module imports only from its own layer or a lower one."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import opnb

ROOT = Path(__file__).parent.parent
LAYERS = [
    {"opnb.errors"},
    {"opnb.core"},
    {
        "opnb.parallel",
        "opnb.base",
        "opnb.validation",
        "opnb.classifier",
        "opnb.selection",
        "opnb.ensemble",
        "opnb.radial",
        "opnb.model_files",
    },
    {"opnb.comparators"},
    {"opnb.workspace", "opnb.data", "opnb.views", "opnb.diagnostics", "opnb.benchmark"},
    {"opnb.figures"},
    {"opnb.report", "opnb.benchmark_report", "opnb.lessons"},
    {"opnb.cli", "opnb.cli_benchmark", "opnb.__main__", "opnb.studio"},
    {"app", "pages"},
]
ONLY_FROM = {"streamlit": "opnb.studio", "plotly": "opnb.figures", "pandas": "opnb.data", "sklearn": "opnb.base"}


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


def imports(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} uses a relative import"
            yield node.module
            if node.module == "opnb":
                yield from (f"opnb.{alias.name}" for alias in node.names)


PUBLIC = {f"opnb.{name}" for name in opnb.__all__}


@pytest.mark.parametrize(("name", "file"), list(modules()), ids=[name for name, _ in modules()])
def test_a_module_looks_down_only(name, file):
    for imported in imports(file):
        if imported.startswith("opnb.") and imported not in PUBLIC:
            # classifier.save needs model_files, which needs the classifier: the one import within its own layer.
            assert layer(imported) <= layer(name), f"{name} looks up to {imported}"
        package = imported.split(".")[0]
        if package in ONLY_FROM:
            assert layer(name) >= layer(ONLY_FROM[package]), f"{name} imports {package}"


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
