"""The display in the manner of scikit-learn: computed once, drawn again, shown in a notebook."""

import pytest
from sklearn.datasets import load_iris

from opnb import OPNBClassifier
from opnb.figures import OPNBDisplay, projection_figure


@pytest.fixture(scope="module")
def rows():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("n_components", [1, 2])
def test_it_draws_what_the_function_draws(rows, n_components):
    clf = OPNBClassifier(n_components=n_components).fit(*rows)
    display = OPNBDisplay.from_estimator(clf, *rows, title="Iris", theme="dark", fade=False)
    expected = projection_figure(clf, *rows, title="Iris", theme="dark", fade=False)
    assert display.figure_.to_json() == expected.to_json()


def test_it_is_drawn_again_with_another_look(rows):
    display = OPNBDisplay.from_estimator(OPNBClassifier(n_components=2).fit(*rows), *rows)
    before, view = display.figure_, display.view
    assert display.plot(title="Again", height=300) is display
    assert display.view is view
    assert display.figure_ is not before
    assert display.figure_.layout.height == 300


def test_a_notebook_shows_the_figure(rows):
    display = OPNBDisplay.from_estimator(OPNBClassifier(n_components=2).fit(*rows), *rows)
    assert display._repr_mimebundle_() == display.figure_._repr_mimebundle_()
    assert "Direction 1" in display._repr_html_()
