"""The pictures of findings, by the numbers in them."""

import numpy as np
import pytest

from opnb.diagnostics import CHECKS, FOLD_CHECKS, diagnose, edge_finding
from opnb.figures import evidence_figure
from tests.figures.fits import iris_fit, quick_fit

NASTY = "<b>%{x}</b> $x$"


def findings(**settings):
    clf, *data = iris_fit()
    return {finding.code: finding for finding in diagnose(clf, *data)}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("compact", [False, True])
def test_every_finding_has_a_picture(theme, compact):
    found = findings()
    assert set(found) >= set(CHECKS) - {"dependent-classes", "edge-of-grid"}
    for code, finding in found.items():
        figure = evidence_figure(code, finding.evidence, list("abc"), theme=theme, compact=compact)
        assert figure.data
        assert figure.layout.title.text


def test_what_other_fits_showed_has_a_picture():
    clf, X, y, *_ = iris_fit()
    found = {finding.code: finding for finding in diagnose(clf, X, y, codes=tuple(FOLD_CHECKS))}
    assert set(found) == set(FOLD_CHECKS)
    for code, finding in found.items():
        bars = evidence_figure(code, finding.evidence).data[0]
        assert bars.x[0] == pytest.approx(finding.evidence["error"])
    path = edge_finding(np.array([0.1, 1.0, 10.0, 100.0]), np.linspace(0.1, 0.4, 4)[:, None] + [0, 0.01], 0.1)
    line = evidence_figure("edge-of-grid", path.evidence).data[0]
    assert line.y == pytest.approx(path.evidence["errors"])
    assert line.marker.symbol[0] == "diamond"


def test_an_unknown_code_has_none():
    assert evidence_figure("another", {}) is None


def test_the_numbers_are_those_of_the_evidence():
    found = findings()
    scale = found["overfit-scale"].evidence
    expected = [scale["log_likelihood"], scale["log_likelihood_left_out"], scale["log_likelihood_guessing"]]
    np.testing.assert_allclose(evidence_figure("overfit-scale", scale).data[0].x, expected, rtol=1e-5)
    cloud = found["elongated-covariance"].evidence
    figure = evidence_figure("elongated-covariance", cloud)
    np.testing.assert_allclose(figure.data[0].y, cloud["variance_shares"], rtol=1e-5)
    shuffled = found["noise-separable"].evidence
    figure = evidence_figure("noise-separable", shuffled)
    np.testing.assert_allclose(figure.data[0].x, shuffled["shuffled_objectives"], rtol=1e-5)
    assert figure.layout.shapes[0].x0 == pytest.approx(shuffled["objective"])
    sure = found["calibration"].evidence
    np.testing.assert_allclose(evidence_figure("calibration", sure).data[1].y, sure["bin_accuracy"], rtol=1e-5)
    steps = found["not-converged"].evidence
    np.testing.assert_allclose(evidence_figure("not-converged", steps).data[0].y, steps["objective"], rtol=1e-5)


def test_classes_are_named_as_plain_text():
    rng = np.random.default_rng(0)
    y = np.array([NASTY, "other"])[np.arange(120) % 2]
    X = rng.normal(size=(120, 4)) + 2 * (y == NASTY)[:, None]
    clf = quick_fit(X, y, n_components=3)
    names = [str(name) for name in clf.classes_]
    for finding in diagnose(clf, X, y):
        written = evidence_figure(finding.code, finding.evidence, names).to_json()
        assert "<b>%" not in written
        assert "%{x}</b>" not in written


def test_starts_of_a_fit_with_several_are_drawn_all():
    evidence = {"objectives": np.array([-1.0, -0.5, -0.7]), "best": -0.5, "gain": 0.0}
    figure = evidence_figure("poor-start", evidence)
    np.testing.assert_allclose(figure.data[0].x, evidence["objectives"])
    assert figure.layout.shapes[0].x0 == -0.5


def test_the_smallest_of_many_classes_are_shown_and_the_few_marked():
    names = [f"class {k}" for k in range(30)]
    counts = np.arange(30) + 5
    evidence = {"classes": names, "counts": counts, "rows_needed": 10}
    bars = evidence_figure("small-classes", evidence).data[0]
    assert list(bars.x) == list(range(5, 17))
    assert len({colour for colour, count in zip(bars.marker.color, bars.x, strict=True) if count < 10}) == 1
    assert bars.marker.pattern.shape[0] == "/"
