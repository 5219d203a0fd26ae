"""The examples in docstrings run, and public functions and estimators have one."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

from tests.test_docs import PUBLIC, found

ROOT = Path(__file__).parent.parent
SOURCES = sorted(file for file in (ROOT / "opnb").rglob("*.py") if re.search(r"^ +>>> ", file.read_text("utf8"), re.M))
# What an example cannot show in a line or two, with the reason.
WITHOUT = {
    # They download, or read a folder of data sets.
    *(f"opnb.data.{name}" for name in ("load_pmlb", "pmlb_catalogue", "pmlb_names", "pmlb_table")),
    # They are about the rows of a run; the page on comparing has the commands.
    *(
        f"opnb.benchmark.{name}"
        for name in (
            "characteristics",
            "dissect",
            "extent",
            "local_datasets",
            "mean_errors",
            "method_table",
            "read_results",
            "run_benchmark",
            "run_task",
            "summarise",
            "tables",
        )
    ),
    # They start a browser.
    "opnb.figures.figure_png",
    "opnb.figures.figure_svg",
    # Parts of the app's pages, which need what came before them there.
    "opnb.comparators.predict_one_by_one",
    "opnb.figures.column_path_figure",
    "opnb.figures.draw_marks",
    "opnb.views.column_path",
    "opnb.views.playback_movie",
}


def module_of(file):
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("file", SOURCES, ids=module_of)
def test_the_examples_run(file):
    outcome = doctest.testmod(importlib.import_module(module_of(file)))
    assert outcome.attempted
    assert not outcome.failed


def is_called(thing):
    return inspect.isroutine(thing) or (inspect.isclass(thing) and issubclass(thing, BaseEstimator))


@pytest.mark.parametrize("name", [name for name in PUBLIC if is_called(found(name))])
def test_what_is_called_has_an_example(name):
    has = ">>>" in inspect.getdoc(found(name))
    assert has is (name not in WITHOUT), name
