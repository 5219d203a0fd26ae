"""The report: one page, everything in it, nothing in it that runs or loads by itself."""

import platform
import re
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from opnb import __version__
from opnb.reports.fit_report import fit_report, html_report
from tests.figures.fits import blobs_fit, iris_fit
from tests.packaging.declared import declared

NASTY = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def page():
    clf, X, y, X_test, y_test = iris_fit()
    return fit_report(
        clf,
        X,
        y,
        X_test,
        y_test,
        title=f"iris {NASTY}",
        class_names=["setosa", NASTY, "virginica"],
        feature_names=["a", "b", NASTY, "d"],
        account=["Two rows were left out.", NASTY],
        snippet="print('<x>')",
        findings=[SimpleNamespace(severity="notice", title="Small", explanation=f"Ten rows {NASTY}")],
    )


def test_report_holds_its_parts(page):
    for part in ("Two rows were left out.", "print(&#39;&lt;x&gt;&#39;)", "Small", "held out", "max_iter", "+0."):
        assert part in page
    assert page.count('class="plotly-graph-div"') == 7


def test_report_escapes_everything(page):
    assert NASTY not in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_report_is_one_file_with_plotly_once(page):
    outside = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(?:src|href)\s*=", outside)
    assert not re.search(r"<script[^>]+src=", page)
    assert page.count("plotly.js v") == 1
    assert '"showSendToCloud": false' in page


def test_report_states_the_numbers_of_the_classifier(page):
    clf, _, _, X_test, y_test = iris_fit()
    assert f"{1 - clf.score(X_test, y_test):.4f}" in page


def test_report_of_one_direction():
    clf, X, y = blobs_fit(200, 3, 1)
    assert "Projection" in fit_report(clf, X, y)


def test_report_of_nothing_is_small():
    assert len(html_report("empty")) < 5_000


def test_the_report_lists_the_versions_of_all_that_is_asked_for():
    page = html_report("A fit")
    for name in declared("app"):
        assert f"{name} {version(name)}" in page
    assert f"Python {platform.python_version()}, opnb {__version__}, " in page
