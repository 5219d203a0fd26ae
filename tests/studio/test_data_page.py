"""The Data page, way by way."""

import io

import pandas as pd
import pytest

from opnb.errors import DataError


@pytest.fixture
def page(visit):
    return visit().go("Data")


def test_it_shows_the_table_in_use_with_its_account_and_classes(page):
    assert "rows are for training" in page.words
    assert list(page.at.dataframe[0].value.columns)[-1] == "class"
    assert page.at.dataframe[-1].value["Rows"].tolist() == [59, 71, 48]


def test_examples_come_at_one_click(page):
    page.segment("Where from", "Examples").press("penguins")
    assert page.state.dataset.name == "penguins"
    assert "missing values" in page.words


def test_pasted_text_is_read(page, table):
    page.segment("Where from", "Paste")
    page.find("text_area", "Rows of a table, for instance copied from a spreadsheet").set_value(table.decode())
    page.press("Read")
    assert page.state.dataset.class_names == ("a", "b")
    assert page.state.source.kind == "upload"


def test_pasting_nothing_is_explained(page):
    page.segment("Where from", "Paste").press("Read")
    assert page.errors
    assert page.state.dataset.name == "wine"


def test_a_simulator_takes_its_settings(page):
    page.segment("Where from", "Simulate").choose("selectbox", "Design", "gaussian")
    page.find("number_input", "Rows").set_value(90)
    page.press("Draw")
    assert page.state.source.parameters == (("n", 90),)
    assert len(page.state.dataset.y) == 90


def test_benchmarks_are_found_by_a_part_of_their_name(page, monkeypatch):
    page.segment("Where from", "PMLB")
    page.find("text_input", "Part of the name").set_value("no such thing")
    page.run()
    assert "No data set" in page.words
    page.find("text_input", "Part of the name").set_value("spectf")
    page.run()
    monkeypatch.setattr("opnb.studio.visit.intake.fetch_table", unreachable)
    page.press("Load")
    assert "network" in page.errors
    assert page.state.dataset.name == "wine"


def unreachable(source):
    raise DataError(f"'{source.name}' cannot be fetched from the network.")


def test_how_a_file_was_read_is_shown_and_can_be_corrected(page):
    page.upload("odd.csv", b"a;b;kind\n1,5;2;x\n2,5;3;y\n3,5;1;x\n4,5;0;y\n")
    assert "semicolon" in page.at.expander[0].label
    assert page.state.table.frame["a"].tolist() == [1.5, 2.5, 3.5, 4.5]
    page.fill("selectbox", "Decimal mark", ".").press("Read again")
    assert page.state.source.reading == (("decimal", "."),)
    assert page.state.table.frame["a"].dtype != float


def test_a_workbook_offers_its_sheets(page):
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        pd.DataFrame({"a": range(8), "kind": list("xy") * 4}).to_excel(writer, sheet_name="first", index=False)
        pd.DataFrame({"b": range(8), "kind": list("xy") * 4}).to_excel(writer, sheet_name="second", index=False)
    page.upload("book.xlsx", buffer.getvalue(), "application/vnd.ms-excel")
    page.fill("selectbox", "Sheet", "second").press("Read again")
    assert list(page.state.table.frame.columns) == ["b", "kind"]


def test_preparation_is_applied_and_accounted_for(page):
    page.segment("Where from", "Examples").press("penguins")
    page.find("selectbox", "Missing values").set_value("impute")
    page.find("slider", "Held out (%)").set_value(0)
    page.find("number_input", "Seed of the split").set_value(5)
    page.press("Use these data")
    assert page.state.data_spec.options.missing == "impute"
    assert page.state.data_spec.options.test_size is None
    assert len(page.state.dataset.test) == 0
    assert "median" in page.words


def test_the_papers_policy_is_a_preset(page):
    page.fill("selectbox", "Prepare", "paper").press("Use these data")
    assert page.state.data_spec.options.preset == "paper"


def test_roles_can_be_changed(page):
    from dataclasses import replace

    from opnb.studio.visit.intake import change_data

    spec = page.state.data_spec
    change_data(page.state, replace(spec, options=replace(spec.options, roles={"hue": "leave out"})))
    page.run()
    assert "'hue'" in page.words
    assert "hue" not in page.state.dataset.feature_names
    editor = page.at.data_editor[0].value
    assert editor.set_index("Column").loc["hue", "Used as"] == "leave out"


def test_a_preparation_that_fails_is_explained_beside_its_control_and_loses_nothing(page):
    page.fill("number_input", "Fewest rows of a class", 1000).press("Use these data")
    assert page.errors
    assert "stays in use" in page.words
    assert page.state.dataset.name == "wine"
    page.fill("number_input", "Fewest rows of a class", 1).press("Use these data")
    assert not page.errors


def test_a_numeric_target_can_be_cut_into_classes(page):
    page.find("selectbox", "Predict").set_value("alcohol")
    page.press("Use these data")
    assert "Cut it into groups" in page.errors
    page.fill("number_input", "Cut target into", 3).press("Use these data")
    assert len(page.state.dataset.class_names) == 3


def test_the_workbench_takes_up_what_was_prepared(page):
    page.segment("Where from", "Examples").press("iris").go("Workbench")
    assert page.state.result.dataset.name == "iris"


def test_columns_without_effect_are_chosen_at_once(visit):
    page = visit().go("Data")
    silent = ("ash", "hue")
    page.state.result.__dict__["silent_columns"] = silent  # what is found is tested with the views
    try:
        page.choose("toggle", "Only those without effect", True)
        assert "2 columns chosen: ash, hue." in page.words
        page.press("Set 2 columns")
        assert dict(page.state.data_spec.options.roles) == dict.fromkeys(silent, "leave out")
    finally:
        del page.state.fits[0].__dict__["silent_columns"]  # the first fit is everyone's
