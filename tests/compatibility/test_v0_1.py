"""What version 0.1 wrote still opens and means what it meant.

The files in `v0_1/` were written by that version and are never written again.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from opnb import load_model
from opnb.benchmark import Protocol, Row, read_results, summarise
from opnb.benchmark.results_file import ResultsFile
from opnb.data import Recipe
from opnb.studio.visit.links import from_query
from opnb.studio.visit.snapshot import opened
from opnb.workspace import unpack
from tests.data.test_recipe import OPTIONS, make_table, prepare

WRITTEN = Path(__file__).parent / "v0_1"
LINKS = json.loads((WRITTEN / "links.json").read_text(encoding="utf8"))


@pytest.mark.parametrize("written", LINKS, ids=[link["query"]["data"] for link in LINKS])
def test_links(written):
    link = from_query(written["query"])
    assert not link.problems
    settings = link.spec.settings()
    assert {name: settings[name] for name in written["spec"]} == written["spec"]
    source = link.spec.data.source
    assert [source.kind, source.name, source.content] == written["source"]
    assert link.spec.data.target == written["target"]
    view = link.picture
    assert list(view.directions) == written["directions"]
    assert [view.boundary, view.extent, view.margins, list(view.focus)] == written["view"]


@pytest.mark.parametrize("name", ["iris", "average"])
def test_model_files(name):
    X, _ = load_iris(return_X_y=True, as_frame=True)
    rows = X if name == "iris" else X.to_numpy()
    with np.load(WRITTEN / "expected.npz") as expected:
        found = load_model(WRITTEN / f"{name}.opnb").predict_log_proba(rows)[::10]
        np.testing.assert_allclose(found, expected[name], rtol=1e-12, atol=1e-14)


def test_a_recipe():
    recipe = Recipe.from_dict(json.loads((WRITTEN / "recipe.json").read_text(encoding="utf8")))
    np.testing.assert_array_equal(recipe.apply(make_table()), prepare(make_table(), "class", options=OPTIONS).X)


def test_a_workspace():
    found = opened(unpack((WRITTEN / "workspace.zip").read_bytes(), 10**8), own=False)
    assert found.problems == ()
    kept = found.snapshot
    first, second = kept.fits
    assert kept.names == {first.key: "first"}
    assert kept.shown == second.key
    assert kept.raw.startswith(b"length,width,kind")
    assert (kept.picture.directions, kept.picture.boundary) == ((1, 0), "full")
    assert [fit.spec.data.source.kind for fit in kept.fits] == ["example", "upload"]
    assert [fit.spec.n_components for fit in kept.fits] == [2, 1]
    assert [round(fit.test.error, 6) for fit in kept.fits] == [0.105263, 0.3]


def test_results_are_continued(tmp_path):
    path, protocol = tmp_path / "results.csv", Protocol(["iris", "glass"], ["OPNB", "LDA", "SVM"], repeats=2)
    written = (WRITTEN / "results.csv").read_bytes()
    for cut in (0, 30):  # the second time as if its writer had been killed
        path.write_bytes(written[: len(written) - cut])
        with ResultsFile(path, protocol, resume=True) as file:
            assert len(file.finished) == 6 - (cut > 0)
            assert "by version 0.1)" in file.notes[0]
            file.append(Row("iris", "LDA", 1, status="failed", protocol=protocol.settings()))
        assert path.read_bytes().startswith(written[: written.rfind(b"\n", 0, -1) + 1])
        assert len(read_results(path).frame) == 7 - (cut > 0)


def test_results():
    results = read_results(WRITTEN / "results.csv")
    assert len(results.frame) == 6
    assert set(summarise(results).methods.index) == {"OPNB", "LDA", "SVM"}
