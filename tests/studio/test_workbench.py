"""The workbench, state by state."""

import json

import numpy as np
import pytest

from opnb.studio.work.jobs import queue


def names_of(figure):
    return [trace.get("name") for trace in figure["data"]]


def test_the_first_visit_shows_a_fitted_example_at_once(visit):
    page = visit()
    assert page.state.result is not None
    assert {"class_0", "class_1", "class_2"} <= set(names_of(page.figures()[0]))
    assert [metric.label for metric in page.at.metric] == ["Training error", "Held-out error", "Guessing", "Log-loss"]
    assert page.at.query_params["data"] == "example:wine"


def test_another_example_is_fitted_at_once(visit):
    page = visit()
    box = page.find("selectbox", "Data")
    box.set_value(next(option for option in box.options if option.startswith("iris")))
    page.run()
    assert page.state.result.dataset.name == "iris"
    assert "setosa" in names_of(page.figures()[0])
    assert len(page.state.fits) == 2


def test_the_form_makes_a_new_fit_with_its_settings(visit):
    page = visit()
    page.find("number_input", "Directions").set_value(4)
    page.find("select_slider", "Smoothness (λ)").set_value(0.01)
    page.find("selectbox", "Penalty on").set_value("pooled")
    assert page.find("number_input", "Random starts").disabled  # the principal components are one start
    page.choose("selectbox", "Start from", "random")
    page.find("number_input", "Random starts").set_value(3)
    page.run()
    page.find("selectbox", "Likelihood").set_value("leave-one-out")
    page.find("selectbox", "With several starts").set_value("average")
    page.find("selectbox", "Bins").set_value("exact")
    page.press("Fit")
    spec = page.state.result.spec
    assert (spec.n_components, spec.lam, spec.penalty, spec.n_init) == (4, 0.01, "pooled", 3)
    assert (spec.likelihood, spec.combine, spec.n_bins) == ("leave-one-out", "average", None)
    assert page.state.result.classifier.components_.shape == (4, 13)
    assert page.at.query_params["penalty"] == "pooled"


def test_a_change_of_directions_redraws_without_a_new_fit(visit):
    page = visit(directions="4")
    before, first = page.state.result, page.figures()[0]
    page.choose("selectbox", "Up", 3)
    assert page.state.result is before
    assert page.state.picture.directions == (0, 3)
    assert page.figures()[0] != first
    assert page.figures()[0]["layout"]["yaxis"]["title"]["text"].startswith("Direction 4: ")


def test_asking_for_the_direction_of_the_other_axis_makes_them_change_places(visit):
    page = visit(directions="3").choose("selectbox", "Up", 0)
    assert page.state.picture.directions == (1, 0)
    assert [page.find("selectbox", label).value for label in ("Across", "Up")] == [1, 0]
    page.choose("selectbox", "Across", 2)
    assert page.state.picture.directions == (2, 0)


def test_boundary_extent_and_margins_are_choices_of_the_picture(visit):
    page = visit(directions="3")
    page.segment("Boundary of", "full").segment("Part shown", "central").segment("Curves at the sides", "prior")
    view = page.state.picture
    assert (view.boundary, view.extent, view.margins) == ("full", "central", "prior")
    assert page.at.query_params["boundary"] == "full"


def test_one_direction_is_a_strip(visit):
    page = visit(directions="1")
    assert page.state.result.n_directions == 1
    assert [box.label for box in page.at.selectbox if box.label in ("Across", "Up")] == []
    assert page.figures()


def test_many_classes_can_be_focused(visit):
    rng = np.random.default_rng(0)
    rows = [f"{k + rng.normal():.3f},{k % 5 + rng.normal():.3f},{chr(97 + k)}" for k in range(26) for _ in range(8)]
    page = visit().upload("letters.csv", "\n".join(["p,q,letter", *rows]).encode())
    page.choose("selectbox", "Predict", "letter")
    assert len(page.state.result.projected.class_names) == 26
    page.choose("multiselect", "Classes in colour", ["c", "x"])
    assert page.state.picture.focus == ("c", "x")
    named = {name for name in names_of(page.figures()[0]) if name}
    assert {"c", "x"} <= named
    assert "a" not in named


@pytest.mark.parametrize("place", [0, 1, 2, 4])
def test_every_view_below_the_picture_is_drawn(visit, place):
    page = visit(directions="4").segment("More about this fit", place)
    assert len(page.figures()) >= 2


def test_all_pairs_are_small_pictures_with_what_each_direction_tells(visit):
    page = visit(directions="4").segment("More about this fit", 3)
    sent = next(e.proto for e in page.at.get("bidi_component") if e.proto.component_name == "opnb_gallery")
    tiles = json.loads(sent.bytes)["tiles"]
    assert len(tiles) == 6
    assert [tile["chosen"] for tile in tiles].count(True) == 1
    assert all(tile["source"].startswith("data:image/png;base64,") for tile in tiles)
    assert list(page.at.dataframe[0].value["Direction"]) == [1, 2, 3, 4]


def test_settings_that_are_not_fitted_mark_the_picture_and_fit_makes_no_second_one(visit):
    page = visit().press("Fit")
    assert len(page.state.fits) == 1
    assert "Nothing has changed" in page.at.toast[0].value
    page.choose("select_slider", "Smoothness (λ)", 0.01)
    assert "settings have changed since this fit" in page.words
    assert len(page.state.fits) == 1
    page.press("Fit")
    assert "settings have changed" not in page.words
    assert page.state.result.spec.lam == 0.01
    page.choose("select_slider", "Smoothness (λ)", 0.02).choose("select_slider", "Smoothness (λ)", 0.01)
    assert "settings have changed" not in page.words


def test_new_data_begin_with_the_usual_settings_and_say_which_rows_are_lost(visit, table):
    page = visit(lam="0.1", directions="3")
    page.upload("holes.csv", table + b"\n,,a\n3,,b")
    assert (page.state.spec.lam, page.state.spec.n_components) == (0.002, 2)
    assert "42 rows became 40. Left out 2 rows with missing values" in page.words
    assert "rows became" not in visit().words


def test_a_quick_look_is_counted_in_a_line_that_leads_to_diagnose(visit):
    page = visit()
    links = [link.label for link in page.at.get("page_link")]
    assert any("A quick look finds nothing wrong" in label or "Diagnose has" in label for label in links)


def test_the_search_lists_its_starts(visit):
    page = visit(init="random", starts="3").segment("More about this fit", 4)
    assert len(page.at.dataframe[0].value) == 3


def test_fits_are_listed_renamed_deleted_brought_back_and_restored(visit):
    page = visit()
    first = page.state.result
    page.find("select_slider", "Smoothness (λ)").set_value(0.01)
    page.press("Fit").segment("More about this fit", 6)
    assert list(page.at.dataframe[0].value["Fit"]) == ["wine, 2 directions, λ = 0.01", "wine, 2 directions, λ = 0.002"]
    page.find("text_input", "Name").set_value("smooth")
    page.press("Save the name")
    assert page.at.dataframe[0].value["Fit"][0] == "smooth"
    page.press("Delete")
    assert page.state.fits == [first]
    page.press("Undo the deletion")
    assert len(page.state.fits) == 2
    page.choose("selectbox", "Fit", first.id).press("Show again")
    assert page.state.result is first
    assert page.find("select_slider", "Smoothness (λ)").value == 0.002


def test_two_fits_are_compared_in_settings_errors_and_pictures(visit):
    page = visit()
    page.find("select_slider", "Smoothness (λ)").set_value(0.1)
    page.press("Fit").segment("More about this fit", 6)
    page.find("toggle", "Show them side by side").set_value(True)
    page.run()
    tables = [frame.value for frame in page.at.dataframe]
    assert tables[1].to_numpy().tolist() == [["smoothness λ", "0.002", "0.1"]]
    assert "Held-out error" in set(tables[2]["Measure"])
    layout = page.figures()[-1]["layout"]
    assert layout["xaxis"]["range"] == layout["xaxis2"]["range"]


def test_everything_can_be_taken_away(visit):
    page = visit().segment("More about this fit", 7)
    labels = {button.label for button in page.at.download_button}
    assert {"Picture (HTML)", "Picture (PNG)", "Picture (SVG)", "Report"} <= labels
    assert {"Predictions", "Projected data", "Weights", "Model"} <= labels
    assert any("OPNBClassifier(" in block.value for block in page.at.code)
    assert any("?data=example%3Awine" in block.value for block in page.at.code)


def test_a_link_restores_data_settings_seed_and_view(visit):
    page = visit(data="simulator:rotated", sim='{"n":200,"seed":4}', lam="0.02", directions="2", show="2,1", split="7")
    spec = page.state.result.spec
    assert page.state.result.dataset.name == "rotated"
    assert (spec.lam, spec.data.options.seed, page.state.picture.directions) == (0.02, 7, (1, 0))
    assert len(page.state.result.dataset.y) == 200
    assert page.find("selectbox", "Across").value == 1


def test_a_bad_link_gives_a_message_and_a_working_page(visit):
    page = visit(data="example:nowhere", lam="x")
    assert "not here" in page.words
    assert page.state.result is not None


def test_a_link_that_does_not_suit_its_data_gives_a_message_and_a_working_page(visit):
    page = visit(data="example:iris", target="no such column")
    assert "no such column" in page.words
    assert page.state.result is not None


@pytest.mark.parametrize("sim", ['{"n":200000,"n_features":1000}', '{"n":1}', '{"seed":-1}', '{"name":1}'])
def test_a_link_to_an_impossible_simulation_gives_a_message_and_a_working_page(visit, sim):
    page = visit(data="simulator:gaussian", sim=sim)
    assert "could not be followed" in page.words
    assert page.state.result.dataset.name == "wine"


def test_more_directions_than_columns_in_a_link_are_reduced(visit):
    page = visit(data="example:iris", directions="50")
    assert page.state.result.n_directions == 4


def test_an_upload_is_fitted_and_its_target_can_be_changed(visit, table):
    page = visit().upload("mine.csv", table)
    assert page.state.result.dataset.name == "mine.csv"
    assert page.state.data_spec.target == "kind"
    page.choose("selectbox", "Predict", "length")
    assert page.state.data_spec.target == "length"
    assert len(page.state.result.projected.class_names) == 7


def test_a_link_to_an_upload_asks_for_the_file_and_then_follows(visit, table):
    first = visit().upload("mine.csv", table)
    query = dict(first.at.query_params.items()) | {"lam": "0.05"}
    page = visit(**query)
    assert "mine.csv" in page.words
    assert page.state.result.dataset.name == "wine"
    page.upload("mine.csv", table)
    assert (page.state.result.dataset.name, page.state.result.spec.lam) == ("mine.csv", 0.05)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.csv", b"", "empty"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG"),
        ("one.csv", b"a\n1\n2\n", "one column"),
    ],
)
def test_a_bad_file_is_explained_and_loses_nothing(visit, name, data, words):
    page = visit()
    before = page.state.result
    page.upload(name, data)
    assert words in page.errors
    assert page.state.result is before
    assert page.figures()


def test_a_table_without_a_usable_target_waits_while_the_old_one_stays(visit):
    rows = "\n".join(["u,v", *(f"{i}.5,{i}.25" for i in range(60))]).encode()
    page = visit().upload("numbers.csv", rows)
    assert "target" in page.errors
    assert page.state.result.dataset.name == "wine"
    page.choose("selectbox", "Predict", "v")
    assert "Cut it into groups" in page.errors
    assert page.state.result.dataset.name == "wine"
    page.press("Give this table up")
    assert not page.errors
    assert page.state.working.table.name == "wine"


def test_names_are_text_and_never_markup(visit):
    rows = [f"{i},{i % 3},{['<b>x</b>', ':red[y]'][i % 2]}" for i in range(30)]
    page = visit().upload("**bold** <i>.csv", "\n".join(["a,$b$,[c](http://x)", *rows]).encode())
    assert page.state.result is not None
    page.go("Data")
    shown = [element.value for kind in ("markdown", "header", "caption") for element in getattr(page.at, kind)]
    assert not any("<i>" in text or "**bold**" in text for text in shown)


def test_a_failing_fit_is_explained_and_keeps_the_fit_before(visit, monkeypatch):
    page = visit()
    before = page.state.result
    monkeypatch.setattr("opnb.studio.visit.state.fit_work", fail)
    page.fill("select_slider", "Smoothness (λ)", 0.01).press("Fit")
    assert "no reason at all" in page.errors
    assert page.state.fits == [before]


def fail(spec, table, dataset, job):
    raise ValueError("no reason at all")


def test_a_cancelled_fit_keeps_what_it_reached_and_says_so(visit):
    page = visit()
    job = page.state.fit(page.state.spec)
    job.cancel()
    page.run()
    assert page.state.result.classifier.stopped_ or page.state.result.classifier.converged_
    if page.state.result.classifier.stopped_:
        assert "stopped" in page.words


def test_two_visitors_do_not_see_each_other(visit, table):
    mine = visit().upload("mine.csv", table)
    yours = visit()
    assert yours.state.result.dataset.name == "wine"
    assert mine.state.result.dataset.name == "mine.csv"
    assert [fit.dataset.name for fit in yours.state.fits] == ["wine"]


def test_the_queue_is_empty_after_all_that():
    assert not queue()._waiting
