"""Models of very many rows, which keep densities on a lattice and a sample of the rows; here of few rows."""

import json

import numpy as np
import pytest

from opnb import OPNBClassifier, load_model
from opnb.core.densities import ClassDensities
from opnb.core.lattice_densities import LatticeDensities
from opnb.diagnostics import diagnose
from opnb.errors import ModelFileError
from opnb.estimators import loading, model_files, rows, sampling
from opnb.estimators.novelty import learn_novelty, log_density
from opnb.views.bare import bare_projected
from opnb.views.tour import tour_view

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SETTINGS = {"n_components": 2, "max_iter": 15, "lam": 0.02}


def data(n=1200):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    return rng.standard_normal((n, 4)) + 1.5 * rng.standard_normal((3, 4))[y], np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module")
def fits():
    """Give the data, an exact model, and one on a lattice with a sample of 300 rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "ROWS_FOR_LATTICE", 1000)
        patch.setattr(sampling, "SAMPLE_ROWS", 300)
        X, y = data()
        lattice = OPNBClassifier(**SETTINGS).fit(X, y)
        patch.setattr(rows, "ROWS_FOR_LATTICE", 2000)
        return X, y, OPNBClassifier(**SETTINGS).fit(X, y), lattice


def test_posteriors_are_those_of_exact_densities(fits):
    _, _, exact, lattice = fits
    assert isinstance(exact.densities_[0], ClassDensities)
    assert isinstance(lattice.densities_[0], LatticeDensities)
    new = np.random.default_rng(1).normal(0, 3, (500, 4))
    np.testing.assert_allclose(lattice.predict_proba(new), exact.predict_proba(new), atol=1e-5)
    far = lattice.predict_log_proba(new * 1e6)
    np.testing.assert_allclose(far, exact.predict_log_proba(new * 1e6), rtol=1e-9, atol=1e-5)
    np.testing.assert_allclose(
        lattice.log_density_contributions(new), exact.log_density_contributions(new), atol=1e-5, rtol=1e-9
    )


def test_exact_sums_can_be_asked_for(monkeypatch):
    monkeypatch.setattr(rows, "ROWS_FOR_LATTICE", 100)
    X, y = data(200)
    assert isinstance(OPNBClassifier(**SETTINGS, n_bins=None).fit(X, y).densities_[0], ClassDensities)
    # A lattice that is larger than the rows is none.
    assert isinstance(OPNBClassifier(**SETTINGS, init=np.eye(4, 2) * 100).fit(X, y).densities_[0], ClassDensities)


def test_a_file_predicts_the_same_and_has_the_sample(fits, tmp_path):
    X, _, _, lattice = fits
    lattice.save(tmp_path / "model.opnb")
    again = load_model(tmp_path / "model.opnb")
    np.testing.assert_array_equal(again.predict_log_proba(X), lattice.predict_log_proba(X))
    np.testing.assert_allclose(again.sample_.X, lattice.sample_.X, rtol=1e-6)
    assert again.sample_.y.tolist() == lattice.sample_.y.tolist()
    assert len(again.sample_.y) == pytest.approx(300, abs=3)
    assert {tuple(row) for row in lattice.sample_.X.round(6)} <= {tuple(row) for row in X.round(6)}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("levels/0", lambda a: a[:-1]),
        ("slopes/0", lambda a: a * 1e3),
        ("first/0", lambda a: a[::-1].copy()),
        ("errors/0", lambda a: a * np.nan),
        ("sample/X", lambda a: a[:, :-1].copy()),
        ("sample/labels", lambda a: a + 7),
    ],
)
def test_a_file_with_a_strange_lattice_is_refused(fits, name, change):
    text, arrays = model_files.read_model(model_files.model_to_bytes(fits[3]), "model")
    arrays[name] = change(arrays[name])
    with pytest.raises(ModelFileError, match="not a valid model"):
        loading.model_from_bytes(model_files._written(json.loads(text), arrays))


def test_pictures_tours_novelty_and_findings_work_from_it(fits):
    X, y, exact, lattice = fits
    bare = bare_projected(lattice)
    assert bare.along.shape[1] == len(lattice.sample_.y)
    assert bare.counts.tolist() == exact.densities_[0].counts.tolist()
    view = tour_view(lattice, lattice.sample_.X, lattice.sample_.y)
    assert len(view.points) == len(lattice.sample_.y)
    np.testing.assert_allclose(log_density(lattice, X[:50]), log_density(exact, X[:50]), atol=1e-4)
    np.testing.assert_allclose(learn_novelty(lattice, X, y).scores, learn_novelty(exact, X, y).scores, atol=1e-4)
    found = [[finding.code for finding in diagnose(clf, X, y)] for clf in (exact, lattice)]
    assert found[0] == found[1]


def test_without_its_sample_a_model_still_knows_its_ranges(fits):
    lattice = loading.model_from_bytes(model_files.model_to_bytes(fits[3]))
    positions = lattice.transform(fits[0])
    lattice.sample_ = None
    along = bare_projected(lattice).along
    assert (along[:, 0] <= positions.min(axis=0)).all()
    assert (along[:, 1] >= positions.max(axis=0)).all()
