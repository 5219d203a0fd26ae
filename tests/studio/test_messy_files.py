"""Files that are not quite clean, through the pages: read, corrected, prepared, with nothing lost on the way."""

import gzip
import json

import pandas as pd
import pytest

from opnb.studio.visit.intake import bring_file
from opnb.studio.visit.links import from_query, to_query
from opnb.studio.visit.settings import PictureSpec
from tests.data.messy_files import NAMES, ROWS, book_of, csv_of
from tests.studio import nasty
from tests.studio.test_escaping import live_words

ONE_COLUMN = csv_of([[f"{a}~{b}~{c}"] for a, b, c in ROWS], "length~width~kind").encode()
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WINES = [["Wines of the year"], ["copied by hand"], NAMES, *ROWS]


@pytest.fixture
def page(visit):
    return visit().go("Data")


def in_rows(*values, name="code"):
    """Put a column of some values in front of the usual ones."""
    return csv_of([[name, *NAMES], *([values[i % len(values)], *row] for i, row in enumerate(ROWS))]).encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("comments.csv", csv_of([NAMES, *ROWS], "# by hand", "# in May")),
        ("title.csv", csv_of([NAMES, *ROWS], "My wines", "")),
        ("packed.csv.gz", gzip.compress(csv_of([NAMES, *ROWS]).encode())),
        ("records.json", json.dumps([dict(zip(NAMES, row, strict=True)) for row in ROWS])),
        ("lines.jsonl", "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS)),
        (
            "plain.arff",
            csv_of(
                ROWS,
                "@relation wines",
                "@attribute length numeric",
                "@attribute width numeric",
                "@attribute kind {a,b}",
                "@data",
            ),
        ),
        ("book.xlsx", book_of(notes=[["These are notes"]], wines=WINES)),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value and len(value) < 20 else "",
)
def test_every_kind_of_file_is_read_and_prepared(page, name, data):
    page.upload(name, data if isinstance(data, bytes) else data.encode(), "application/octet-stream")
    assert not page.errors
    assert page.state.unread is None
    assert page.state.dataset.feature_names == ("length", "width")


def test_a_file_that_is_no_table_gets_a_sentence_that_names_those_that_are(page):
    page.upload("picture.png", b"\x89PNG\r\n" * 50, "image/png")
    assert "PNG picture" in page.errors
    assert "Parquet, JSON, ARFF" in page.errors
    assert not page.at.code
    assert page.state.dataset.name == "wine"
    page.press("Give this file up")
    assert not page.errors


def test_a_file_that_is_too_large_says_its_size_and_the_limit(page, monkeypatch):
    from opnb.data import Limits

    monkeypatch.setattr("opnb.studio.visit.intake.LIMITS", Limits(max_bytes=100))
    page.upload("large.csv", csv_of([NAMES, *ROWS]).encode())
    assert "B, more than the limit of" in page.errors
    assert "Until it is read, wine stays in use" in page.words


def test_a_file_that_could_not_be_read_shows_its_lines_and_is_read_otherwise(page):
    page.upload("odd.csv", ONE_COLUMN)
    assert "one column" in page.errors
    assert "length~width~kind" in page.at.code[0].value
    assert page.at.code[0].language in (None, "", "plaintext")
    assert page.at.selectbox[0].label == "Delimiter"  # what helps most likely comes first
    assert page.state.unread.raw == ONE_COLUMN
    assert page.state.dataset.name == "wine"
    bring_file(page.state, "odd.csv", page.state.unread.raw, delimiter="~")  # typed: only a browser can
    page.run()
    assert not page.errors
    assert page.state.dataset.feature_names == ("length", "width")
    assert page.find("selectbox", "Delimiter").value == "~"


def test_the_controls_of_a_failed_file_read_the_same_bytes(page):
    page.upload("latin.csv", "größe;kind\n1,5;a\n2,5;b\n3,5;a\n4,5;b\n".encode("utf-16"))
    page.fill("selectbox", "Encoding", "utf-8").press("Read again")
    assert "encoding" in page.errors
    assert page.find("selectbox", "Encoding").value == "utf-8"
    page.fill("selectbox", "Encoding", "as found").press("Read again")
    assert not page.errors
    assert list(page.state.table.frame.columns) == ["größe", "kind"]


def test_a_workbook_is_corrected_sheet_and_row(page):
    page.upload("book.xlsx", book_of(notes=[["These are notes"], ["of mine"]], wines=WINES), XLSX)
    assert "names in row 3" in page.at.expander[0].label
    page.fill("selectbox", "Sheet", "notes").press("Read again")
    assert "'notes' has one column" in page.errors
    assert "These are notes" in page.at.code[0].value
    assert "Until it is read, book.xlsx stays in use as it was read before" in page.words
    page.fill("selectbox", "Sheet", "wines").fill("number_input", "Row with the names", 3)
    page.fill("checkbox", "The names go on in the next row", True).press("Read again")
    assert str(page.state.table.frame.columns[0]).startswith("length / ")
    assert dict(page.state.source.reading) == {"sheet": "wines", "header_row": (3, 4)}
    assert page.find("number_input", "Row with the names").value == 3
    page.fill("number_input", "Row with the names", 0).press("Read again")
    assert page.state.table.settings.header is False
    page.fill("number_input", "Row with the names", None).press("Read again")
    assert list(page.state.table.frame.columns) == NAMES


def test_the_workbench_says_whose_picture_it_is_and_where_to_correct(visit):
    page = visit()
    page.upload("odd.csv", ONE_COLUMN)
    assert "one column" in page.errors
    assert "odd.csv could not be read. What you see here is still wine." in page.words.replace("*", "")
    assert any("Correct how it is read" in link.proto.label for link in page.at.get("page_link"))
    assert page.state.result.dataset.name == "wine"
    page.go("Data")
    assert "length~width~kind" in page.at.code[0].value
    page.press("Give this file up")
    assert "class" in list(page.at.dataframe[0].value.columns)


def test_another_target_for_the_old_table_does_not_lose_the_failed_file(visit):
    page = visit()
    page.upload("odd.csv", ONE_COLUMN).choose("selectbox", "Predict", "alcohol")
    assert page.state.unread is not None


@pytest.mark.slow
@pytest.mark.parametrize("room", ["Workbench", "Data"])
def test_a_class_of_one_row_is_left_out_at_one_click(visit, room):
    page = visit().go(room)
    page.upload("rare.csv", csv_of([NAMES, *ROWS, (1, 2, "rare")]).encode())
    assert "one row only" in page.errors
    assert "min_class_rows" not in page.errors
    page.press("Leave this class out")
    assert not page.errors
    assert page.state.dataset.class_names == ("a", "b")
    assert page.state.data_spec.options.min_class_rows == 2


@pytest.mark.slow
@pytest.mark.parametrize("room", ["Workbench", "Data"])
def test_a_numeric_target_is_cut_or_another_chosen_at_one_click(visit, room):
    page = visit().go(room)
    page.upload("numbers.csv", csv_of([("y", "size"), *((i / 7, i / 3 + i % 2) for i in range(60))]).encode())
    page.find("selectbox", "Predict").set_value("y")
    page.run() if room == "Workbench" else page.press("Use these data")
    page.press("Cut into 4 groups")
    assert len(page.state.dataset.class_names) == 4
    page.upload("both.csv", in_rows(*(i / 7 for i in range(30)), name="y"))
    page.find("selectbox", "Predict").set_value("y")
    page.run() if room == "Workbench" else page.press("Use these data")
    page.press("Predict 'kind'")
    assert page.state.dataset.class_names == ("a", "b")


def test_what_a_remedy_changed_is_shown_by_its_control_even_where_more_is_wrong(page):
    rows = [("y", "note", "size"), *((i / 7, "", i % 5) for i in range(60))]
    page.upload("numbers.csv", csv_of(rows).encode())
    page.find("selectbox", "Predict").set_value("y")
    page.press("Use these data").press("Cut into 4 groups")
    assert page.find("number_input", "Cut target into").value == 4


@pytest.mark.slow
@pytest.mark.parametrize("room", ["Workbench", "Data"])
def test_a_suspicious_code_counts_as_missing_at_one_click(visit, room):
    page = visit().go(room)
    page.upload("coded.csv", in_rows(*range(10, 19), -999))
    assert "-999 may stand for a missing value in code" in page.words.replace("*", "")
    page.press("Treat -999 as missing")
    assert page.state.data_spec.options.missing_codes == (("code", -999.0),)
    assert len(page.state.dataset.y) == 27
    page.go("Data")
    assert "-999 counts as missing, as asked" in page.words
    page.press("Use these data")
    assert page.state.data_spec.options.missing_codes == (("code", -999.0),)
    page.press("Take -999 as a number again")
    assert page.state.data_spec.options.missing_codes == ()


def test_one_click_is_enough_for_a_code_in_many_columns(page):
    values = [[-999 if i % 10 == 0 else i + j for j in range(12)] + ["ab"[i % 2]] for i in range(40)]
    page.upload("coded.csv", csv_of([[*(f"x{j}" for j in range(12)), "kind"], *values]).encode())
    page.press("Treat -999 as missing")
    assert len(page.state.data_spec.options.missing_codes) == 12


def test_links_carry_codes_and_rows_and_old_ones_mean_what_they_meant(page):
    page.upload("coded.csv", in_rows(*range(10, 19), -999)).press("Treat -999 as missing")
    page.fill("number_input", "Row with the names", 1).press("Read again").press("Treat -999 as missing")
    spec = page.state.spec
    link = from_query(to_query(spec, PictureSpec()))
    assert link.problems == ()
    assert link.spec == spec
    assert dict(link.spec.data.source.reading) == {"header_row": 1}
    assert from_query({"data": "example:wine"}).spec.data.options.missing_codes == ()


@pytest.mark.parametrize(
    "query",
    [
        {"codes": '{"a":["x"]}'},
        {"codes": '{"a":-999}'},
        {"codes": '{"a":[NaN]}'},
        {"codes": "[1]"},
        {"reading": '{"header_row":true}'},
        {"reading": '{"header_row":-1}'},
        {"reading": '{"header_row":[2,4]}'},
        {"reading": '{"header_row":[1,2,3]}'},
        {"reading": '{"sheet":[1,2]}'},
        {"reading": '{"header":"yes"}'},
    ],
)
def test_a_malformed_part_of_a_link_is_said_and_not_used(query):
    link = from_query({"data": "upload:x.csv"} | query)
    assert len(link.problems) == 1
    assert link.spec.data.source.reading == ()
    assert link.spec.data.options.missing_codes == ()


@pytest.mark.slow
def test_a_link_to_a_corrected_upload_comes_back_with_the_file_alone(page, visit):
    data = book_of(notes=[["a", "b"], *[[i, i % 2] for i in range(20)]], wines=WINES)
    page.upload("book.xlsx", data, XLSX)
    page.fill("selectbox", "Sheet", "wines").press("Read again")
    query = to_query(page.state.spec, PictureSpec())
    again = visit(**query)
    assert "Upload that file" in again.words
    again.upload("book.xlsx", data, XLSX)
    assert again.state.spec == page.state.spec
    other = visit(**query)
    other.upload("plain.csv", csv_of([NAMES, *ROWS]).encode())
    assert other.state.dataset.name == "plain.csv"


@pytest.fixture
def wide(page):
    rows = [
        [
            i,
            *((i * (j % 10 + 1)) % 11 + j / 3 for j in range(50)),
            *("pq"[(i + j) % 2] for j in range(3)),
            7,
            "ab"[i % 2],
        ]
        for i in range(40)
    ]
    names = ["id", *(f"Length {j}" for j in range(50)), *(f"word {j}" for j in range(3)), "always", "kind"]
    return page.upload("wide.csv", csv_of([names, *rows]).encode())


def roles(page):
    return page.at.data_editor[0].value.set_index("Column")["Used as"]


@pytest.mark.slow
def test_fifty_columns_are_set_by_a_search_in_three_moves(wide):
    wide.choose("text_input", "With this in the name", "length")
    assert "50 columns chosen" in wide.words
    wide.press("Set 50 columns")
    assert wide.state.dataset.feature_names == ("word 0 = q", "word 1 = q", "word 2 = q")
    assert (roles(wide).filter(like="Length") == "leave out").all()
    wide.choose("text_input", "With this in the name", "length 1").choose("selectbox", "Use them as", "number")
    wide.press("Set 11 columns")
    assert len(wide.state.data_spec.options.roles) == 39


@pytest.mark.slow
def test_columns_are_chosen_by_kind(wide):
    kinds = wide.find("pills", "Of these kinds")
    assert kinds.options == ["number (50)", "category (4)", "identifier (1)", "constant (1)"]
    kinds.set_value(["category"])
    wide.run()
    assert "3 columns chosen: word 0, word 1, word 2." in wide.words
    wide.press("Set 3 columns")
    assert len(wide.state.dataset.feature_names) == 50


def test_setting_all_columns_wrongly_is_explained_and_taken_back(wide):
    wide.press("Set 55 columns")
    assert "No column is left" in wide.errors
    assert wide.state.dataset.name == "wide.csv"
    wide.press("Give this table up")
    assert len(wide.state.dataset.feature_names) == 53


def test_few_columns_need_no_choosing(page):
    page.upload("few.csv", csv_of([NAMES, *ROWS]).encode())
    assert not page.at.pills


@pytest.mark.parametrize("room", ["Workbench", "Data"])
def test_hostile_texts_of_a_file_that_cannot_be_read_stay_text(visit, room):
    page = visit().go(room)
    lines = "\n".join(name.replace("\n", " ") for name in nasty.NAMES.values())
    page.upload(nasty.FILE_NAME, lines.replace(",", " ").encode())
    assert page.errors
    assert live_words(page.at) == []


@pytest.mark.parametrize("room", ["Workbench", "Data"])
def test_hostile_names_of_columns_sheets_and_classes_stay_text_in_buttons(visit, room):
    page = visit().go(room)
    evil = [nasty.NAMES["short codes"], nasty.NAMES["html"], nasty.NAMES["link"]]
    rows = [[-999 if i % 10 == 0 else i, i / 7, "ab"[i % 2]] for i in range(40)]
    frame = pd.DataFrame(rows, columns=evil)
    page.upload(nasty.FILE_NAME, frame.to_csv(index=False).encode())
    assert any("Treat -999" in button.label for button in page.at.button)
    assert live_words(page.at) == []
    page.find("selectbox", "Predict").set_value(evil[1])
    page.run() if room == "Workbench" else page.press("Use these data")
    assert any(button.label.startswith("Predict") for button in page.at.button)
    assert live_words(page.at) == []
