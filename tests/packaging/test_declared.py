"""Every package that is imported is declared, in the extra of the layer that imports it."""

import re
import sys
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from packaging.utils import canonicalize_name

import opnb
from tests.packaging.declared import EXTRAS, PROJECT, ROOT, declared, pinned
from tests.test_architecture import imports, modules

# Layers that a light installation does not have; all others are the library.
EXTRA_OF = {
    "opnb.data": "data",
    "opnb.benchmark": "data",
    "opnb.cli": "data",
    "opnb.figures": "plot",
    "opnb.reports": "plot",
    "opnb.lessons": "plot",
    "opnb.studio": "app",
    "app": "app",
    "pages": "app",
}
# Modules that need more than their layer: they are loaded only when that is asked for.
MORE = {
    "opnb.benchmark.cluster": "cluster",
    "opnb.cli.app": "app",
    "opnb.cli.scattered": "cluster",
    "opnb.data.scattered": "cluster",
    "opnb.estimators.distributed": "cluster",
    "opnb.studio.work.cluster": "cluster",
    "opnb.studio.work.worker": "cluster",
    "opnb.figures.benchmark": "app",
    "opnb.figures.ranks": "app",
}
# Numba pins llvmlite to one release: asking for another would contradict it.
WITH = {"llvmlite": "numba", "dask": "dask", "distributed": "dask"}


@cache
def distributions():
    """Give the packages that own a module; to ask for them is to list all files of an environment."""
    return packages_distributions()


def extra_of(name):
    return MORE.get(name) or next(
        (extra for room, extra in EXTRA_OF.items() if f"{name}.".startswith(f"{room}.")), None
    )


@pytest.mark.parametrize(("name", "file"), list(modules()), ids=[name for name, _ in modules()])
def test_what_a_module_imports_is_declared(name, file):
    allowed = {canonicalize_name(package) for package in declared(extra_of(name))}
    for imported in imports(file):
        package = imported.split(".")[0]
        if package in ("opnb", *sys.stdlib_module_names):
            continue
        owners = {canonicalize_name(WITH.get(package, owner)) for owner in distributions()[package]}
        assert owners & allowed, f"{name} imports {package}, which {extra_of(name) or 'the library'} does not declare"


def test_the_library_alone_is_light():
    light = {"joblib", "numba", "numpy", "safetensors", "scikit-learn", "scipy", "threadpoolctl"}
    assert declared() == light
    assert set(EXTRAS) == {"plot", "data", "app", "cluster", "login", "all"}


def test_there_is_one_version():
    assert PROJECT["dynamic"] == ["version"]
    assert f"version: {opnb.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf8")


def test_the_lock_of_the_app_is_complete_and_part_of_the_tests_lock():
    """A server and the workers of its cluster are installed from it, so that all have the same versions."""
    app, tests = pinned("requirements.txt"), pinned("tests/requirements.txt")
    assert {canonicalize_name(name) for name in declared("all")} <= app.keys()
    assert {name: tests.get(name) for name in app} == app


@pytest.mark.parametrize("file", ["requirements.txt", "tests/requirements.txt"])
def test_a_lock_has_hashes_and_names_no_server(file):
    text = (ROOT / file).read_text(encoding="utf8")
    assert "://" not in text
    assert not re.search(r"^-", text, re.M)
    entries = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
    assert len(entries) == len(pinned(file))
    assert all("--hash=sha256:" in entry for entry in entries)
