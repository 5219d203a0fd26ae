"""Tables that are not quite clean, on the command line."""

import numpy as np
import pandas as pd
import pytest

from opnb import load_model
from opnb.cli.commands import main
from tests.data.messy_files import NAMES, ROWS, book_of, csv_of

FIT = ["--components", "1", "--max-iter", "5"]


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def book(file):
    wines = [["Wines of the year"], ["copied by hand"], NAMES, *ROWS]
    return file("wines.xlsx", book_of(notes=[["These are notes"], ["of mine"]], wines=wines))


def recipe_columns(model):
    return [item["name"] for item in load_model(model).recipe_["ingredients"]]


def test_the_sheet_and_the_row_of_names_can_be_given(book, tmp_path, capsys):
    out = str(tmp_path / "model.opnb")
    assert main(["fit", book, "--sheet", "notes", *FIT]) == 2
    assert "Try --sheet (notes, wines)." in capsys.readouterr().err
    assert main(["fit", book, "--sheet", "wines", "--header-row", "3", *FIT, "--out", out]) == 0
    assert recipe_columns(out) == ["length", "width"]
    assert main(["fit", book, "--sheet", "2", "--header-row", "3-4", "--role", "width / 3.5=leave out", *FIT]) == 0


def test_delimiter_decimal_and_encoding_can_be_given(file):
    rows = [("länge", "kind"), *((f"{i % 7},5", "ab"[i % 2]) for i in range(30))]
    path = file("odd.txt", csv_of(rows, delimiter="\t").encode("latin-1"))
    flags = ["--delimiter", "tab", "--decimal", ",", "--encoding", "latin-1", "--target", "kind"]
    assert main(["fit", path, *flags, *FIT]) == 0


def test_settings_are_chosen_on_request(file, tmp_path, capsys):
    path, out = file("plain.csv", csv_of([NAMES, *ROWS])), str(tmp_path / "model.opnb")
    assert main(["fit", path, "--auto", "--max-seconds", "0", "--components", "1", "--out", out]) == 0
    said = capsys.readouterr().out
    model = load_model(out)
    assert f"Cross-validation chose lam = {model.lam:g}, likelihood = {model.likelihood}" in said
    assert "% of rows left out are wrong" in said


@pytest.mark.parametrize("flags", [["--header-row", "x"], ["--role", "a"], ["--missing-code", "a=b"]])
def test_a_flag_that_cannot_be_read_is_explained(book, flags, capsys):
    with pytest.raises(SystemExit):
        main(["fit", book, *flags])
    assert flags[0] in capsys.readouterr().err


def test_an_error_names_the_flags_that_mend_it_and_they_do(file, capsys):
    path = file("rare.csv", csv_of([NAMES, *ROWS, (1, 2, "rare")]))
    assert main(["fit", path, *FIT]) == 2
    assert "Try --min-class-rows 2 (leave this class out)." in capsys.readouterr().err
    assert main(["fit", path, "--min-class-rows", "2", *FIT]) == 0


def test_a_numeric_target_is_cut_as_advised(file, capsys):
    rows = [("size", "y"), *((i % 5, i / 7) for i in range(60))]
    path = file("numbers.csv", csv_of(rows))
    assert main(["fit", path, "--target", "y", *FIT]) == 2
    assert "--target-bins 4 (cut into 4 groups), or --target ..." in capsys.readouterr().err
    assert main(["fit", path, "--target", "y", "--target-bins", "4", *FIT]) == 0


def test_a_column_is_left_out_as_advised(file, capsys):
    rows = [(*NAMES, "note"), *((*row, "") for row in ROWS)]
    path = file("empty.csv", csv_of(rows))
    assert main(["fit", path, "--role", "note=number", "--target", "kind", *FIT]) == 2
    assert "--role 'note=leave out'" in capsys.readouterr().err
    assert main(["fit", path, "--role", "note=leave out", "--target", "kind", *FIT]) == 0


@pytest.mark.parametrize("flag", ["-999", "length=-999"])
def test_a_code_counts_as_missing_in_training_and_prediction(file, flag, tmp_path, capsys):
    rows = [NAMES, *((-999 if i % 10 == 0 else row[0], *row[1:]) for i, row in enumerate(ROWS))]
    path, model = file("coded.csv", csv_of(rows)), str(tmp_path / "model.opnb")
    assert main(["fit", path, "--missing-code", flag, *FIT, "--out", model]) == 0
    assert "-999 counts as missing, as asked (3 rows)" in capsys.readouterr().out
    assert main(["predict", model, path, "--out", str(tmp_path / "out.csv")]) == 0
    found = pd.read_csv(tmp_path / "out.csv")
    assert found.problem.notna().sum() == 3
    assert found.predicted.isna().equals(found.problem.notna())


def test_predictions_say_row_by_row_what_is_the_matter(file, tmp_path, capsys):
    model = str(tmp_path / "model.opnb")
    assert main(["fit", file("plain.csv", csv_of([NAMES, *ROWS])), *FIT, "--out", model]) == 0
    new = file("new.csv", "predicted,length,width\nolder,5,3\nnewer,,3\nworse,5,long\n=1+1,6,inf\n")
    capsys.readouterr()
    assert main(["predict", model, new, "--out", str(tmp_path / "out.csv")]) == 0
    assert "3 rows of 4" in capsys.readouterr().err
    found = pd.read_csv(tmp_path / "out.csv")
    assert found.columns.tolist() == [
        "predicted",
        "length",
        "width",
        "predicted 2",
        "P(a)",
        "P(b)",
        "familiarity",
        "problem",
    ]
    assert found["predicted"].tolist()[:3] == ["older", "newer", "worse"]
    assert found["predicted 2"].notna().tolist() == [True, False, False, False]
    assert "no value in 'length'" in found.problem[1]
    assert "'long'" in found.problem[2]
    assert np.isclose(found.loc[0, ["P(a)", "P(b)"]].sum(), 1)


def test_a_table_in_which_no_row_can_be_predicted_still_comes_back(file, tmp_path, capsys):
    model = str(tmp_path / "model.opnb")
    assert main(["fit", file("plain.csv", csv_of([NAMES, *ROWS])), *FIT, "--out", model]) == 0
    new = file("new.csv", "length,width\n5,none\n,3\n")
    assert main(["predict", model, new]) == 0
    assert "2 rows of 2" in capsys.readouterr().err
