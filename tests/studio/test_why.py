"""Why a row, on the workbench: its reasons as words, tables and a file."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from opnb.data import Table
from opnb.studio.visit import exports
from opnb.studio.visit.arrivals import open_model
from opnb.studio.visit.settings import FitSpec
from opnb.studio.visit.sources import DataSpec, Source, prepared
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job
from opnb.studio.workbench.explaining import (
    explainer_of,
    explainer_of_file,
    flips_frame,
    place_of,
    reasons_csv,
    verdict,
)


@pytest.fixture(scope="module")
def result():
    """A fit with a category, names that a spreadsheet would take for formulas, and a row that is left out."""
    rng = np.random.default_rng(0)
    kind = np.arange(60) % 2
    frame = pd.DataFrame(
        {
            "=length": rng.normal(size=60) + 2 * kind,
            "colour": np.array(["blue", "red"])[np.where(rng.random(60) < 0.8, kind, 1 - kind)],
            "kind": np.array(["+a", "b"])[kind],
        }
    )
    frame.loc[6, "=length"] = np.nan
    table = Table.from_frame(frame, "mine")
    spec = FitSpec(DataSpec(Source("upload", "mine"), "kind"))
    job = Job(lambda job: fit_work(spec, table, prepared(table, spec.data), job))
    job.run()
    assert not job.error
    return job.result


def test_a_row_is_found_by_its_number_in_the_table(result):
    place = place_of(result.projected, 9)
    assert result.projected.rows[place] == 9
    assert place_of(result.projected, 7) is None, "it lacks a value"


def test_the_verdict_says_what_it_is_taken_for_and_what_it_is(result):
    found = explainer_of(result).reasons(result.dataset.X[0])
    names = found.class_names
    assert names[found.predicted] in verdict(found, None)
    assert verdict(found, found.predicted).endswith("That is right.")
    assert verdict(found, found.other).endswith(f"In truth it is {names[found.other]}.")


def test_the_nearest_rows_come_with_their_columns_and_without_the_row_itself(result):
    frame = explainer_of(result).nearest(result.dataset.X_train[3], 3)
    assert list(frame.columns) == ["row", "its class", "distance", "=length", "colour", "kind"]
    assert result.projected.rows[3] not in frame["row"].tolist()
    assert (frame["its class"] == frame["kind"]).all()
    bare = type(explainer_of(result))(result.classifier, result.dataset.columns, result.projected)
    assert bare.nearest(result.dataset.X[0], None) is None


def test_the_file_of_reasons_adds_up_and_has_no_formulas(result):
    explainer = explainer_of(result)
    found, changes = explainer.reasons(result.dataset.X[0]), explainer.flips(result.dataset.X[0])
    lines = list(csv.DictReader(io.StringIO(reasons_csv(found, changes).decode("utf-8-sig"))))

    def total(what):
        return sum(float(line["number"]) for line in lines if line["what"] == what)

    parts = total("log-odds: class probabilities") + total("log-odds: a direction") + total("log-odds: other starts")
    assert parts == pytest.approx(total("log-odds: sum"), abs=1e-9)
    assert total("position: a column") == pytest.approx(total("position: sum"), abs=1e-9)
    assert total("probability") == pytest.approx(1, abs=1e-9)
    assert {line["column"] for line in lines} >= {"'=length", "colour"}
    assert {line["class"] for line in lines} >= {"'+a", "b"}
    assert len(flips_frame(changes, found.class_names)) == len(changes) > 0


def test_a_model_file_explains_rows_as_the_fit_it_comes_from(result):
    file = open_model("mine.opnb", exports.model_file(result))
    row = result.dataset.X[0]
    own, kept = explainer_of(result), explainer_of_file(file)
    assert kept.reasons(row).log_odds == pytest.approx(own.reasons(row).log_odds, abs=1e-9)
    assert kept.columns == own.columns
    assert kept.nearest(row, None) is None
    assert kept.margin(0).heights.shape == own.margin(0).heights.shape
    for flip in kept.flips(row):
        assert file.classifier.predict(flip.row[None])[0] != file.classifier.predict(row[None])[0]


def test_a_new_row_by_hand_has_reasons(visit):
    page = visit()
    options = page.find("segmented_control", "More about this fit").proto.options
    page.segment("More about this fit", next(k for k, one in enumerate(options) if one.content == "New rows"))
    page.choose("toggle", "One row by hand", True)
    page.choose("toggle", "Why this new row is given its class", True)
    assert "Why: The row by hand" in page.words
    page.choose("number_input", "Why this row?", 17)
    assert "Why: Row 17" in page.words
    assert "Why: The row by hand" in page.words


def test_a_row_number_brings_the_reasons(visit):
    page = visit()
    assert "It is taken for" not in page.words
    page.choose("number_input", "Why this row?", 17)
    assert "Row 17" in page.words
    assert "It is taken for class_0, with probability" in page.words
    ring = next(trace for trace in page.figures()[0]["data"] if trace.get("name") == "the row asked about")
    projected = page.state.result.projected
    assert [ring["x"][0], ring["y"][0]] == projected.Z[projected.rows == 17][0, :2].tolist()
    titles = " ".join(str(figure["layout"].get("title")) for figure in page.figures())
    for words in ("Probability of every class", "Log-odds", "Densities that it was judged by", "a sum over columns"):
        assert words in titles
    page.choose("selectbox", "Compared with", 2)
    odds = next(f for f in page.figures() if "Log-odds" in str(f["layout"].get("title")))
    assert "class_2" in odds["layout"]["title"]["text"]
    page.choose("number_input", "Why this row?", None)
    assert "It is taken for" not in page.words
