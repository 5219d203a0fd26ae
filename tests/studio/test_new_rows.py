"""New rows on the workbench: recognised, predicted, listed, drawn, by hand, and by a model file."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from opnb.data import PrepareOptions, Table, example_table, prepare, read_table
from opnb.data.new_rows import true_classes, usual_values
from opnb.data.preparing import target_cut
from opnb.errors import DataError, OPNBError
from opnb.estimators.loading import model_from_bytes
from opnb.estimators.model_files import model_to_bytes
from opnb.studio.visit.arrivals import looks_like_model, open_model, read_rows
from opnb.studio.visit.exports import model_file
from opnb.studio.visit.intake import bring_file, use_as_rows
from opnb.studio.visit.new_rows import (
    BY_HAND,
    NewRowsDesk,
    chosen_rows,
    listed,
    predict_table,
    predictor_of_file,
    predictor_of_fit,
)
from opnb.studio.visit.new_rows_words import sentences
from opnb.studio.visit.snapshot import items_of, opened
from opnb.studio.visit.state import Studio
from opnb.studio.work.errands import Attended
from tests.workspace.samples import fit

WINE = example_table("wine").frame


def without(table, column):
    return replace(table, frame=table.frame.drop(columns=column))


def csv(frame):
    return frame.to_csv(index=False).encode()


@pytest.fixture(scope="module")
def iris():
    return fit(independence=0.1)


@pytest.fixture(scope="module")
def flowers(iris):
    """New rows of every kind: ordinary ones, one far away, one that lacks a value, one with text for a number."""
    frame = iris.table.frame.iloc[::5].reset_index(drop=True)
    frame.iloc[0, :4] = 1e30  # the classifier would warn
    frame.iloc[1, 2] = np.nan
    frame.loc[5, "species"] = "virginica"  # it is none
    frame = frame.astype({frame.columns[0]: object})
    frame.iloc[2, 0] = "tall"
    return Table.from_frame(frame, "flowers")


# Knowing ----------------------------------------------------------------------------------------------------------


def test_every_row_is_predicted_or_said_why_not(iris, flowers):
    predicted = predict_table(predictor_of_fit(iris), flowers)
    assert predicted.frame.shape[0] == len(flowers.frame)
    assert predicted.frame["problem"][1] == "no value in 'petal length (cm)'"
    assert predicted.frame["problem"][2] == "'tall' in 'sepal length (cm)' is no number"
    assert predicted.frame["predicted"][[1, 2]].isna().all()
    assert predicted.new.unlike[0]
    assert predicted.frame["familiarity"][0] == predicted.frame["familiarity"].min()
    shares = predicted.frame[[f"P({name})" for name in iris.dataset.class_names]].sum(axis=1)
    np.testing.assert_allclose(shares[[0, *range(3, len(shares))]], 1.0)
    assert chosen_rows(predict_table(predictor_of_fit(iris), without(flowers, "species")), "wrong").size == 0
    assert "2 rows could not be predicted" in " ".join(sentences(predicted))


def test_new_rows_are_predicted_as_the_training_rows_were(iris):
    predicted = predict_table(predictor_of_fit(iris), iris.table)
    own = iris.projected
    np.testing.assert_array_equal(predicted.new.Z[own.rows - 1], own.Z)
    np.testing.assert_array_equal(predicted.new.log_posterior[own.rows - 1], own.log_posterior)


def test_the_order_of_the_columns_means_nothing(iris):
    usual, turned = (
        predict_table(predictor_of_fit(iris), Table.from_frame(frame, "rows"))
        for frame in (iris.table.frame, iris.table.frame[iris.table.frame.columns[::-1]])
    )
    np.testing.assert_array_equal(turned.new.log_posterior, usual.new.log_posterior)


def test_classes_in_the_file_give_an_error_with_its_interval(iris, flowers):
    predicted = predict_table(predictor_of_fit(iris), flowers)
    assert predicted.truth.column == "species"
    assert predicted.error.errors.n == len(flowers.frame) - 2
    assert predicted.error.low < predicted.error.errors.error < predicted.error.high
    wrong = chosen_rows(predicted, "wrong")
    assert len(wrong) == predicted.error.errors.wrong
    assert all(predicted.frame["predicted"][row - 1] != flowers.frame["species"][row - 1] for row in wrong)


def test_classes_that_the_model_does_not_know_are_said_and_not_counted(iris, flowers):
    frame = flowers.frame.assign(species=["thistle", *flowers.frame["species"][1:]])
    predicted = predict_table(predictor_of_fit(iris), Table.from_frame(frame, "flowers"))
    assert predicted.truth.unknown == ("thistle",)
    assert predicted.error.errors.n == len(frame) - 3
    assert "'thistle'" in " ".join(sentences(predicted))


def test_a_target_that_was_cut_is_cut_at_the_same_points():
    rows = "\n".join(f"{i % 13},{i / 10},{i}" for i in range(60))
    table = read_table(f"a,b,size\n{rows}\n".encode(), name="sizes.csv")
    options = PrepareOptions(target_bins=3)
    dataset = prepare(table, "size", options=options)
    cut = target_cut(table, "size", options)
    part = replace(table, frame=table.frame.iloc[:20])  # quantiles of its own would cut it elsewhere
    found = true_classes(part, dataset.recipe, dataset.class_names, "size", cut)
    whole = dict(zip(dataset.rows.tolist(), dataset.y, strict=True))
    assert [dataset.class_names[label] for label in found.labels] == [whole[row] for row in range(20)]


def test_rows_that_moved_are_said_to_have_moved(iris):
    frame = iris.table.frame.iloc[50:].drop(columns="species")
    predicted = predict_table(predictor_of_fit(iris), Table.from_frame(frame.reset_index(drop=True), "no setosa"))
    assert any(shift.differs for shift in predicted.shifts)
    assert "do not lie as the training rows do" in " ".join(sentences(predicted))


def test_the_list_puts_the_most_unlike_first_and_keeps_the_rows_numbers(iris, flowers):
    predicted = predict_table(predictor_of_fit(iris), flowers)
    frame = listed(predicted, "unlike")
    assert frame["row"][0] == 1
    assert frame["familiarity"].is_monotonic_increasing
    assert listed(predicted, "problem")["row"].tolist() == [2, 3]


def test_a_table_that_has_such_columns_itself_keeps_them(iris):
    frame = iris.table.frame.head(3).assign(predicted="mine", row=7, problem="=1+1")
    predicted = predict_table(predictor_of_fit(iris), Table.from_frame(frame, "odd"))
    assert predicted.frame["predicted"].tolist() == ["mine"] * 3
    assert set(predicted.frame["predicted 2"]) == {"setosa"}
    assert listed(predicted, "all").columns[0].strip() == "row"
    back = pd.read_csv(io.BytesIO(predicted.csv()))
    assert back["problem"].tolist() == ["'=1+1"] * 3  # no live formulas


def test_a_file_that_lacks_a_column_is_refused_in_words(iris):
    desk = NewRowsDesk(rows=read_rows(Attended(), "part.csv", csv(iris.table.frame[["petal width (cm)"]])))
    with pytest.raises(DataError, match="lacks 3 columns"):
        desk.predicted(desk.predictor(iris))
    assert desk.drawn(iris) == ()


def test_a_row_by_hand_begins_at_the_medians_and_can_be_looked_at(iris):
    desk = NewRowsDesk(by_hand=usual_values(iris.dataset.recipe), chosen=BY_HAND)
    np.testing.assert_array_equal(desk.features(iris), np.median(iris.dataset.X_train, axis=0))
    assert desk.drawn(iris)[0].rows.tolist() == [BY_HAND]
    assert desk.drawn(iris)[0] is desk.drawn(iris)[0]
    desk.by_hand = dict.fromkeys(desk.by_hand)
    assert desk.features(iris) is None
    assert "no value" in desk.predicted_by_hand(desk.predictor(iris)).applied.reasons[0]


def test_the_row_that_is_looked_at_has_the_features_of_its_row(iris, flowers):
    desk = NewRowsDesk(rows=read_rows(Attended(), "flowers.csv", csv(flowers.frame)), chosen=4)
    np.testing.assert_array_equal(desk.features(iris), flowers.frame.iloc[3, :4].to_numpy(dtype=float))
    desk.chosen = 3  # it cannot be used
    assert desk.features(iris) is None


def test_a_click_on_a_new_row_looks_at_it_and_one_beside_takes_it_back():
    desk = NewRowsDesk()
    assert desk.follow_click([], [-4])
    assert desk.chosen == 4
    assert not desk.follow_click([-4], [-4])
    assert not desk.follow_click([-4], [-4, 7, 9])  # a lasso chooses none
    assert desk.follow_click([-4, 7, 9], [0])
    assert desk.chosen == BY_HAND
    assert not desk.follow_click([7], [])  # a row of the table was let go
    assert desk.follow_click([0], [])
    assert desk.chosen is None
    assert not desk.follow_click([], [12])


# Model files ------------------------------------------------------------------------------------------------------


def test_a_model_file_predicts_as_the_fit_it_comes_from(iris, flowers):
    file = open_model("iris.opnb", model_file(iris))
    assert looks_like_model(file.raw)
    from_file, from_fit = (predict_table(p, flowers) for p in (predictor_of_file(file), predictor_of_fit(iris)))
    pd.testing.assert_frame_equal(from_file.frame, from_fit.frame)
    assert from_file.error == from_fit.error  # the column of the classes is found
    assert [s.chance for s in from_file.shifts] == pytest.approx([s.chance for s in from_fit.shifts])


def test_a_model_file_of_an_older_version_predicts_without_telling_unlike_rows(iris, flowers):
    old = model_from_bytes(model_file(iris))
    old.novelty_ = None
    predicted = predict_table(predictor_of_file(open_model("old.opnb", model_to_bytes(old))), flowers)
    assert predicted.new.familiarity is None
    assert "familiarity" not in predicted.frame
    assert "cannot be told" in " ".join(sentences(predicted))


def test_a_model_file_that_cannot_predict_a_table_is_refused_in_words(iris):
    bare = model_from_bytes(model_file(iris))
    bare.recipe_ = None
    with pytest.raises(OPNBError, match="does not say how a table becomes its 4 features"):
        open_model("bare.opnb", model_to_bytes(bare))
    short = model_from_bytes(model_file(iris))
    short.recipe_ = short.recipe_ | {"ingredients": short.recipe_["ingredients"][:2]}
    with pytest.raises(OPNBError, match="make 2 features, but its model has 4"):
        open_model("short.opnb", model_to_bytes(short))


def test_files_that_are_not_the_table_in_use_are_kept_with_the_visit(iris):
    state = Studio()
    state.restore(iris)
    state.fits = [iris]
    bring_file(state, "odd.csv", b"a~b\n1~2\n")
    bring_file(state, "new.csv", csv(iris.table.frame.drop(columns="species")))
    unread = state.unread
    assert unread is None  # the second was read
    assert state.new.asked.name == "new.csv"
    use_as_rows(state, state.new.asked)
    bring_file(state, "odd.csv", b"a~b\n1~2\n", encoding="utf-8")
    state.new.model = open_model("iris.opnb", model_file(iris))
    again = Studio()
    again.resume(opened(items_of(state.snapshot())).snapshot)
    assert (again.unread.name, again.unread.raw, dict(again.unread.reading)) == (
        "odd.csv",
        b"a~b\n1~2\n",
        {"encoding": "utf-8"},
    )
    assert str(again.unread.error) == str(state.unread.error)
    assert again.new.rows.table == state.new.rows.table
    assert again.new.model.raw == state.new.model.raw
    assert again.snapshot().mark()[-1] == state.snapshot().mark()[-1]
    damaged = [
        item if item.kind != "state" else replace(item, about=item.about | {"files": [{"role": "king"}]})
        for item in items_of(state.snapshot())
    ]
    found = opened(damaged)
    assert found.snapshot.files == {}
    assert "what it is for is not known" in found.problems[0]


# Showing ----------------------------------------------------------------------------------------------------------


def test_an_upload_without_a_target_is_asked_about_and_predicted(visit):
    page = visit()
    fits = len(page.state.fits)
    page.upload("new.csv", csv(WINE.drop(columns="class").iloc[::16]))
    assert "Rows to predict, or a new table?" in page.words
    assert page.state.dataset.name == "wine"
    page.press("Predict these rows")
    assert len(page.state.fits) == fits
    assert "12 rows of 12 in new.csv predicted" in page.words
    drawn = [trace for trace in page.figures()[0]["data"] if trace.get("name", "").startswith("new rows")]
    assert drawn
    assert page.find("segmented_control", "More about this fit").value == 5
    page.choose("toggle", "One row by hand", True)
    hand = [trace for trace in page.figures()[0]["data"] if trace.get("name") == "row by hand"]
    assert {mark["marker"]["symbol"] for mark in hand} == {"star-diamond", "circle-open"}  # the row, and its ring
    page.choose("number_input", "alcohol", 20.0)
    assert page.state.new.by_hand["alcohol"] == 20.0
    moved = next(trace for trace in page.figures()[0]["data"] if trace.get("name", "").startswith("row by hand"))
    assert moved["x"] != hand[0]["x"]
    page.press("Give these rows up")
    assert page.state.new.rows is None


def test_the_same_upload_can_be_a_new_table(visit):
    page = visit()
    page.upload("new.csv", csv(WINE.drop(columns="class").assign(kind=["a", "b"] * 89)))
    page.press("Use it as a new table")
    assert page.state.dataset.name == "new.csv"
    assert page.state.new.asked is None


def test_a_model_file_opens_in_the_box_for_tables(visit, iris):
    page = visit()
    page.upload("iris.opnb", model_file(iris), "application/octet-stream")
    assert "training rows are not in the file" in page.words
    names = {trace.get("name") for trace in page.figures()[0]["data"]}
    assert {"setosa", "boundary"} <= names
    page.segment("More about this model", "Weights").segment("More about this model", "Densities")
    page.press("Close this model")
    assert page.state.new.model is None
    assert "Training error" in [metric.label for metric in page.at.metric]
    page.upload("broken.opnb", model_file(iris)[:-40], "application/octet-stream")
    assert "not a model file, or it is cut short" in page.errors
