"""The documentation says nothing that does not run, and leaves no public name out."""

import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

from opnb import guide

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PACKAGES = (
    "opnb",
    "opnb.benchmark",
    "opnb.comparators",
    "opnb.data",
    "opnb.diagnostics",
    "opnb.figures",
    "opnb.lessons",
    "opnb.views",
    "opnb.workspace",
)
PUBLIC = [f"{package}.{name}" for package in PACKAGES for name in importlib.import_module(package).__all__]


def reference_names():
    """Give the names on the pages of the reference, with their modules."""
    for page in (DOCS / "reference").glob("*.md"):
        module = ""
        for line in page.read_text("utf8").splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.removeprefix(".. currentmodule:: ") + "."
            elif name := re.fullmatch(r"   ([\w.]+)", line):
                yield name[1] if name[1].startswith("opnb.") else module + name[1]
            elif name := re.fullmatch(r"   \* - ``([\w.]+)``", line):
                yield name[1]


def found(name):
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def test_the_reference_names_everything_public_and_nothing_else():
    named = list(reference_names())
    assert len(named) == len(set(named))
    described = [found(name) for name in named]
    # Some estimators have two homes, and one page.
    assert not [name for name in PUBLIC if name not in named and not any(found(name) is one for one in described)]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_documented(name):
    thing = found(name)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        said = inspect.getdoc(thing)
        assert said
        assert not said.startswith(f"{thing.__name__}("), "that is the text a dataclass makes for itself"


def test_the_guide_is_complete_and_leads_nowhere_else():
    files = {file.stem for file in (ROOT / "opnb" / "guide").glob("*.md")}
    assert files == set(guide.PAGES)
    listed = re.findall(r"^guide/([\w-]+)$", (DOCS / "guide.md").read_text("utf8"), re.MULTILINE)
    assert tuple(listed) == guide.PAGES
    for page in guide.PAGES:
        for target in re.findall(r"\]\(([^)]+)\)", guide.text(page)):
            assert target.removesuffix(".md") in guide.PAGES, (page, target)


@pytest.mark.parametrize("page", guide.PAGES)
def test_the_examples_of_the_guide_run(page):
    blocks = re.findall(r"```python\n(.*?)```", guide.text(page), re.DOTALL)
    exec("\n".join(blocks), {})


def test_the_commands_of_the_guide_exist():
    from opnb.cli.commands import main

    shown = "".join(guide.text(page) for page in guide.PAGES)
    for command in set(re.findall(r"^    opnb (\w+) ", shown, re.MULTILINE)):
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0


def test_an_unknown_page_is_refused_by_name():
    with pytest.raises(ValueError, match="no page 'x' in the guide"):
        guide.text("x")


@pytest.mark.slow
def test_the_notebook_runs(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(DOCS / "_ext"), *sys.path])
    from notebooks import executed, page

    written = page(executed(DOCS / "notebooks" / "course.ipynb"))
    assert written.count("opnb-figure") >= 4
    assert "<iframe" in written
