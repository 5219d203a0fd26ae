"""What leaves the app: safe tables, a model that predicts the same, pictures and a report."""

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from opnb import load_model
from opnb.data import Table
from opnb.data.writing import csv_bytes
from opnb.figures import figure_html
from opnb.studio.ui.text import escaped
from opnb.studio.visit import exports
from opnb.studio.visit.drawing import compute, describe, picture_of, report, side_by_side
from opnb.studio.visit.settings import FitSpec, PictureSpec
from opnb.studio.visit.sources import DataSpec, Source, fetch_table, prepared
from opnb.studio.words import file_stem, shortened
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job
from opnb.studio.workbench.picture import rows_frame


def fitted(spec, table):
    job = Job(lambda job: fit_work(spec, table, prepared(table, spec.data), job))
    job.run()
    assert not job.error
    return job.result


@pytest.fixture(scope="module")
def result():
    source = Source("example", "iris")
    return fitted(FitSpec(DataSpec(source, "species"), n_components=3), fetch_table(source))


@pytest.fixture(scope="module")
def hostile():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "=1+1": rng.normal(size=40),
            "<script>": rng.normal(size=40),
            "kind": ["=HYPERLINK(1)", "<b>x</b>"] * 20,
        }
    )
    table = Table.from_frame(frame, "=bad<i>.csv")
    return fitted(FitSpec(DataSpec(Source("upload", table.name), "kind")), table)


def rows_of(data):
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


def test_predictions_carry_row_class_and_probabilities(result):
    rows = rows_of(exports.predictions(result))
    assert len(rows) == 150
    assert sorted(int(row["row"]) for row in rows) == list(range(1, 151))
    sums = [sum(float(row[name]) for name in row if name.startswith("P(")) for row in rows]
    assert sums == pytest.approx([1.0] * 150)
    wrong = sum(row["class"] != row["predicted"] for row in rows if row["part"] == "held out")
    assert wrong == result.test.errors.wrong


def test_projections_and_loadings_reproduce_the_transform(result):
    positions = pd.DataFrame(rows_of(exports.projections(result)))
    weights = pd.DataFrame(rows_of(exports.loadings(result)))
    V = weights[["XV1", "XV2", "XV3"]].to_numpy(float)
    mean, scale = weights["mean"].to_numpy(float), weights["scale"].to_numpy(float)
    X = result.table.frame.iloc[positions["row"].astype(int) - 1][list(weights["feature"])].to_numpy(float)
    assert (X - mean) / scale @ V == pytest.approx(positions[["XV1", "XV2", "XV3"]].to_numpy(float))


def test_the_model_file_predicts_the_same(result, tmp_path):
    path = tmp_path / "model.opnb"
    path.write_bytes(exports.model_file(result))
    again = load_model(path)
    X = result.dataset.X
    assert again.predict_proba(X) == pytest.approx(result.classifier.predict_proba(X))


def test_writing_a_model_leaves_it_alone(result):
    # It is written in the background, while a page reads the classifier's attributes.
    before = set(vars(result.classifier))
    assert exports.model_file(result)
    assert set(vars(result.classifier)) == before


def test_no_cell_of_text_starts_a_formula(hostile):
    for data in (exports.predictions(hostile), exports.projections(hostile), exports.loadings(hostile)):
        for row in csv.reader(io.StringIO(data.decode("utf-8-sig"))):
            assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in row)


def test_numbers_stay_numbers_in_a_csv():
    frame = pd.DataFrame({"x": [-1.5, 2.0], "t": ["-1", "@x"], "n": [None, "a"]})
    assert csv_bytes(frame).decode("utf-8-sig").splitlines() == ["x,t,n", "-1.5,'-1,", "2.0,'@x,a"]


def test_names_are_text_in_the_report_and_the_figure(hostile):
    for page in (report(hostile, "<i>title</i>"), figure_html(picture_of(hostile, PictureSpec()))):
        assert "<b>x</b>" not in page
        assert "<i>title</i>" not in page


def test_the_report_holds_settings_account_and_program(result):
    page = report(result, "my iris")
    assert "my iris" in page
    assert "OPNBClassifier(" in page
    assert "rows are for training" in page
    assert "smoothness λ" in page


def test_selected_rows_come_with_their_columns_and_predictions(result):
    frame = rows_frame(result, [1, 51, 10_000])
    assert frame["row"].tolist() == [1, 51]
    assert frame["species"].tolist() == ["setosa", "versicolor"]
    assert frame["sepal length (cm)"].tolist() == [5.1, 7.0]
    assert set(frame["part"]) <= {"training", "held out"}


def test_the_link_is_an_address_that_reads_back(result):
    address = exports.link(result, PictureSpec((1, 2)), "http://localhost:1/")
    assert address == "http://localhost:1/?data=example%3Airis&target=species&directions=3&show=2%2C3"


def test_every_picture_has_words(result):
    assert "error" in describe(compute(result, PictureSpec()))
    strip = fitted(replace(result.spec, n_components=1), result.table)
    assert "only direction" in describe(compute(strip, PictureSpec()))


def test_fits_of_other_classes_are_compared_in_figures_of_their_own(result, hostile):
    assert len(side_by_side((result, result), ("a", "b"), PictureSpec())) == 1
    assert len(side_by_side((result, hostile), ("a", "b"), PictureSpec())) == 2


@pytest.mark.parametrize("name", ["**a**", "<b>", ":red[x]", "$x$", "[a](b)", "`c`", "# h", "- l", "a_b_c", "~~s~~"])
def test_markdown_is_escaped(name):
    text = escaped(name)
    assert text.replace("\\", "") == name
    assert all(f"\\{mark}" in text for mark in name if mark in "*<>[]$`#_~")


def test_names_are_kept_to_one_short_line():
    assert shortened("a\nb\u202ec") == "a b c"
    assert len(shortened("x" * 1_000)) == 80
    assert file_stem("../../etc/passwd") == "etc-passwd"
    assert file_stem("???") == "opnb"


def test_a_model_from_the_app_predicts_on_the_command_line(visit, tmp_path, capsys):
    from opnb.cli.commands import main
    from opnb.data import example_table

    result = visit(data="example:penguins", directions="2").state.result
    (tmp_path / "model.opnb").write_bytes(exports.model_file(result))
    example_table("penguins").frame.to_csv(tmp_path / "new.csv", index=False)
    assert main(["predict", str(tmp_path / "model.opnb"), str(tmp_path / "new.csv")]) == 0
    header = capsys.readouterr().out.splitlines()[0]
    assert header.endswith(",predicted,P(Adelie),P(Chinstrap),P(Gentoo),familiarity,problem")


@pytest.mark.slow
def test_the_report_holds_the_findings_and_the_path_where_they_are_known(result):
    from opnb.studio.diagnose.diagnosis import diagnose_work
    from opnb.studio.tune.studies import path_work

    findings, path = (Job(lambda job, work=work: work(result, job)) for work in (diagnose_work, path_work))
    findings.run()
    path.run()
    page = report(result, "a fit", findings.result, path.result.errors)
    assert "Cross-validated error against smoothness" in page
    assert findings.result[0].title in page
    assert "Cross-validated error" not in report(result, "a fit")
