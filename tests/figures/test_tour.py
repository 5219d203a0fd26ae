"""The tour as a file: all of it inside, what it holds, and modules that can stand in one script."""

import base64
import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from opnb.errors import DataError
from opnb.figures import tour
from opnb.figures.palette import COLOURS
from opnb.figures.touring import FOLDER, MODULES, axes_from_browser, tour_script
from opnb.views.toured_rows import TouredRows
from tests.figures.fits import blobs_fit, iris_fit


def iris_tour(**settings):
    clf, *data = iris_fit()
    return tour(clf, *data, **settings)


def unpacked(data):
    """Read what the browser reads."""
    length = int.from_bytes(data[:4], "little")
    header, at = json.loads(data[4 : 4 + length]), 4 + length
    arrays = {}
    for name, kind, count in header["arrays"]:
        arrays[name] = np.frombuffer(data, f"<{kind}", count, at)
        at += arrays[name].nbytes
    assert at == len(data)
    return header, arrays


def test_the_browser_gets_the_views_numbers():
    made = iris_tour(class_names=["setosa", "versicolor", "virginica"])
    header, arrays = unpacked(made.to_bytes())
    view = made.view
    assert (header["n"], header["nTrain"], header["q"]) == (150, 112, 4)
    np.testing.assert_array_equal(arrays["points"].reshape(4, 150), view.points.T)
    np.testing.assert_array_equal(arrays["labels"], view.labels)
    np.testing.assert_array_equal(arrays["keyframes"].reshape(-1, 2, 4)[0], view.paths[0].axes[0])
    assert [one["name"] for one in header["classes"]] == ["setosa", "versicolor", "virginica"]
    assert [one["colour"] for one in header["classes"]] == list(COLOURS[:3])
    assert sum(one["prior"] for one in header["classes"]) == pytest.approx(1)


def test_new_rows_are_sent_apart_and_are_in_the_file():
    clf, X, y, *_ = iris_fit()
    made = tour(clf, X, y, X_new=X[::30])
    header, arrays = unpacked(base64.b64decode(made.new_text()))
    assert (header["n"], header["total"], header["chosen"]) == (4, 4, None)
    assert [(group["name"], group["unlike"], group["size"]) for group in header["groups"]] == [("new rows", False, 13)]
    np.testing.assert_array_equal(arrays["points"].reshape(4, 4), made.view.points[::30].T)
    np.testing.assert_array_equal(arrays["labels"], np.searchsorted(clf.classes_, clf.predict(X[::30])))
    assert arrays["rows"].tolist() == [1, 2, 3, 4]
    assert made.new_text() in made.html()
    assert tour(clf, X, y).new_text() is None


def test_new_rows_are_grouped_as_in_the_legend_of_the_still_picture():
    made = iris_tour()
    rows = np.array([3, 4, 5, 0])
    new = TouredRows(made.view.points[:4], np.zeros(4, dtype=int), np.array([False, True, False, True]), rows, 9)
    header, arrays = unpacked(base64.b64decode(replace(made, new=new, chosen=4).new_text()))
    assert [group["name"] for group in header["groups"]] == [
        "new rows",
        "new rows, unlike the training rows",
        "row by hand, unlike the training rows",
    ]
    assert arrays["group"].tolist() == [0, 1, 0, 2]
    assert (header["chosen"], header["total"]) == (4, 9)


def test_new_rows_of_other_columns_are_refused():
    clf, X, y, *_ = iris_fit()
    with pytest.raises(ValueError, match="3 features"):
        tour(clf, X, y, X_new=X[:, :3])


def test_a_file_needs_nothing_from_elsewhere(tmp_path):
    made = iris_tour(title="<b>Iris</b> & more")
    made.save(tmp_path / "tour.html")
    page = (tmp_path / "tour.html").read_text("utf8")
    assert "<title>&lt;b&gt;Iris&lt;/b&gt; &amp; more</title>" in page
    assert not re.search(r"https?://|\bimport\b.*from|<link|src=", page)


def test_names_from_the_data_cannot_end_the_script():
    nasty = "</script><script>alert(1)</script>"
    page = iris_tour(title=nasty, class_names=[nasty, "b", "c"]).html()
    assert "alert(1)</script>" not in page


def test_a_notebook_shows_it_in_a_frame():
    shown = iris_tour()._repr_html_()
    assert shown.startswith("<iframe")
    assert 'srcdoc="&lt;!doctype html&gt;' in shown


def test_the_modules_stand_in_one_script_without_clashes():
    assert {f"{name}.js" for name in MODULES} == {file.name for file in FOLDER.glob("*.js")}
    script = tour_script()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    top = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", script, re.MULTILINE)
    assert [name for name, count in Counter(top).items() if count > 1] == []


def test_every_module_comes_after_what_it_imports():
    for place, name in enumerate(MODULES):
        needed = re.findall(r'from "\./(\w+)\.js"', (FOLDER / f"{name}.js").read_text("utf8"))
        assert set(needed) <= set(MODULES[:place]), name


def test_many_classes_are_grey_beyond_ten():
    clf, X, y = blobs_fit(260, 13)
    header, _ = unpacked(tour(clf, X, y).to_bytes())
    assert sum(one["focused"] for one in header["classes"]) == 10


def test_axes_from_a_browser_are_read_with_care():
    view = iris_tour().view
    np.testing.assert_array_equal(axes_from_browser(view, [[1, 0, 0, 0], [0, 2, 0, 0]]), np.eye(4)[:, :2] * [1, 2])
    for told in (None, "x", [[1, 2], [3, 4]], [[1, 0, 0, "a"], [0, 0, 0, 1]], [[1, 0, 0, 1e9], [0, 0, 0, 1]], {}):
        assert axes_from_browser(view, told) is None


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="extent must be"):
        iris_tour(extent="half")
    with pytest.raises(ValueError, match="theme must be"):
        iris_tour(theme="pink")
    with pytest.raises(DataError, match="X_test and y_test"):
        tour(*iris_fit()[:4])
