"""Where findings are in the picture, by the numbers of the marks and of what is drawn."""

import numpy as np
import pytest

from opnb import OPNBClassifier
from opnb.diagnostics import diagnose
from opnb.figures import draw_marks
from opnb.views import finding_marks, project, projection_view
from opnb.views.marks import ellipse, ridge
from tests.diagnostics import problems

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def marked(problem, code, **changes):
    X, y, X_test, y_test, settings = problem(0)
    clf = OPNBClassifier(**{**settings, "max_iter": 30, **changes}).fit(X, y)
    projected = project(clf, X, y, X_test, y_test)
    (finding,) = diagnose(clf, X, y, X_test, y_test, codes=(code,))
    return finding, clf, projected, finding_marks(code, finding.evidence, clf, projected)


def test_rows_that_vouch_for_themselves_are_ringed_and_their_spikes_marked():
    finding, clf, projected, marks = marked(problems.tiny_lam, "overfit-scale")
    assert set(marks.rows) == set(finding.evidence["alone"][0]) | set(finding.evidence["alone"][1])
    assert not projected.is_test[marks.rows].any()
    assert marks.spikes[0] == pytest.approx(projected.Z[finding.evidence["alone"][0], 0])
    figure = draw_marks(projection_view(clf, projected=projected), marks, projected)
    (rings,) = [one for one in figure.data if one.name == marks.name]
    assert rings.x == pytest.approx(projected.Z[marks.rows, 0], rel=1e-5)
    (top, right) = [one for one in figure.data if one.name == "spikes"]
    assert (top.yaxis, right.xaxis) == ("y2", "x2")


def test_the_long_direction_has_an_arrow_of_its_own_length():
    finding, clf, projected, marks = marked(problems.long_cloud, "elongated-covariance")
    start, end = marks.lines[0]
    seen = clf.components_[:2] @ finding.evidence["first_direction"]
    assert end - start == pytest.approx(4 * np.sqrt(finding.evidence["first_variance"]) * seen)
    figure = draw_marks(projection_view(clf, projected=projected), marks, projected, theme="dark")
    assert figure.data[-1].marker.symbol == ("circle", "arrow")


def test_a_dependent_class_shows_its_ridge_or_its_ellipse():
    _, clf, _, marks = marked(problems.rings, "dependent-classes")
    assert "ridge" in marks.caption
    X, y, *_ = problems.rings(0)
    ring = project(clf, X, y).Z[y == clf.classes_[marks.label]]
    distance = np.linalg.norm(marks.lines[0] - np.median(ring, axis=0), axis=1)
    assert distance.min() > 0.5 * np.linalg.norm(ring, axis=1).mean()
    assert "ellipse" in marked(problems.crossed, "dependent-classes")[3].caption


def test_the_shapes_are_those_of_the_clouds():
    rng = np.random.default_rng(0)
    cloud = rng.normal(size=(4000, 2)) * (3.0, 0.5) + (10, -2)
    line = ellipse(cloud)
    assert np.ptp(line, axis=0) == pytest.approx([12.0, 2.0], rel=0.05)
    assert line.mean(axis=0) == pytest.approx([10, -2], abs=0.4)
    angle = rng.uniform(-np.pi, np.pi, 4000)
    ring = 5 * np.column_stack([np.cos(angle), np.sin(angle)])
    assert np.linalg.norm(ridge(ring), axis=1) == pytest.approx(5, rel=0.05)


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (problems.gross_errors, "outliers"),
        (problems.tiny_class, "small-classes"),
        (problems.many_groups, "shown-versus-full"),
        (problems.one_direction_twice, "repeated-directions"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_other_places_are_marked(problem, code):
    finding, clf, projected, marks = marked(problem, code)
    if code == "outliers":
        assert list(marks.rows) == list(finding.evidence["rows"])
    elif code == "small-classes":
        assert marks.rows.size == finding.evidence["counts"].min()
    elif code == "repeated-directions":
        (line,) = marks.lines
        spans = np.ptp(projected.Z[~projected.is_test, :2], axis=0)
        assert np.abs(np.diff(line, axis=0))[0] == pytest.approx(spans, rel=1e-3)
    assert draw_marks(projection_view(clf, projected=projected), marks, projected).data[-1].name == marks.name


def test_what_has_no_place_is_not_marked():
    assert marked(problems.three_gaussians, "guessing")[3] is None
    X, y, *_ = problems.three_gaussians(0)
    one = OPNBClassifier(n_components=1).fit(X, y)
    assert finding_marks("outliers", {"rows": [1]}, one, project(one, X, y)) is None
