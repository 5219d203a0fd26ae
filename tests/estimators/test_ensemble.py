import numpy as np
import pytest
from safetensors.numpy import load
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from opnb import OPNBClassifier, OPNBEnsemble, load_model
from opnb.diagnostics import diagnose
from opnb.errors import FitError, ModelFileError, OPNBError
from opnb.estimators import model_files
from opnb.estimators.ensemble import stacked
from opnb.figures import projection_figure
from tests.estimators.test_auto import WEIGHTS, halves

SMALL = OPNBEnsemble(cv=halves(), n_components=2)


@parametrize_with_checks(
    [OPNBEnsemble(cv=halves(), max_seconds=0, n_kept=2)], expected_failed_checks=lambda estimator: WEIGHTS
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(wine):
    return clone(SMALL).fit(*wine)


def test_posteriors_are_the_weighted_mean_over_all_members(fitted, wine):
    X, y = wine
    mean = np.tensordot(fitted.weights_, [member.predict_proba(X) for member in fitted.members_], 1)
    np.testing.assert_allclose(fitted.predict_proba(X), mean, atol=1e-12)
    np.testing.assert_allclose(logsumexp(fitted.predict_log_proba(X), axis=1), 0, atol=1e-12)
    assert fitted.weights_.sum() == pytest.approx(1)
    assert fitted.score(X, y) > 0.97


def test_a_member_is_a_fit_without_the_rows_of_its_fold(fitted, wine):
    X, y = wine
    for number, member in enumerate(fitted.members_):
        train, test = list(halves().split(X, y))[number % 2]
        setting = fitted.settings_[number // 2]
        assert all(getattr(member, name) == value for name, value in setting.items() if name != "weight")
        np.testing.assert_allclose(member.mean_, X[train].mean(axis=0))
        trial = next(t for t in fitted.trials_ if all(t[name] == setting[name] for name in setting if name != "weight"))
        assert trial.errors[number % 2] == pytest.approx(1 - member.score(X[test], y[test]))


def test_no_more_settings_vote_than_are_asked_for(wine):
    few = clone(SMALL).set_params(n_kept=2, max_seconds=0).fit(*wine)
    assert len(few.settings_) == 2
    assert len(few.members_) == 4
    assert few.settings_[0].weight >= few.settings_[1].weight


def test_weights_make_rows_left_out_likely():
    rng = np.random.default_rng(0)
    losses = rng.exponential(size=(6, 200))
    losses[2] *= 0.3
    begin = np.ones(6)
    weights = stacked(losses, np.ones(200), begin)

    def mixture(w):
        return -np.log(w @ np.exp(-losses)).mean()

    assert weights.sum() == pytest.approx(1)
    assert weights.argmax() == 2
    assert mixture(weights) < mixture(begin / 6)
    assert mixture(weights) < mixture(np.eye(6)[2]), "the best alone"
    np.testing.assert_allclose(stacked(losses + rng.normal(size=200), np.ones(200), begin), weights)
    doubled = stacked(np.repeat(losses, 2, axis=1), np.ones(400), begin)
    np.testing.assert_allclose(stacked(losses, np.full(200, 2.0), begin), doubled)


def test_the_result_does_not_depend_on_the_number_of_threads(fitted, wine):
    other = clone(SMALL).set_params(n_jobs=2).fit(*wine)
    np.testing.assert_allclose(other.predict_proba(wine[0]), fitted.predict_proba(wine[0]), atol=1e-12)


def test_the_file_predicts_the_same(fitted, wine, tmp_path):
    fitted.save(tmp_path / "many.opnb")
    loaded = load_model(tmp_path / "many.opnb")
    np.testing.assert_array_equal(loaded.predict_log_proba(wine[0]), fitted.predict_log_proba(wine[0]))
    assert loaded.settings_ == fitted.settings_
    assert loaded.get_params()["n_kept"] == 8
    assert {array.dtype.kind for array in load((tmp_path / "many.opnb").read_bytes()).values()} <= {"f", "i"}


def test_a_file_whose_weights_do_not_fit_is_refused(fitted, tmp_path, monkeypatch):
    written = model_files._written
    monkeypatch.setattr(model_files, "_written", lambda text, arrays: written(text, arrays | {"weights": np.ones(3)}))
    fitted.save(tmp_path / "odd.opnb")
    with pytest.raises(ModelFileError, match="do not belong together"):
        load_model(tmp_path / "odd.opnb")


def test_save_before_fit_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match="call fit"):
        OPNBEnsemble().save(tmp_path / "none")
    with pytest.raises(NotFittedError):
        OPNBEnsemble().predict([[0.0]])


def test_pictures_and_diagnoses_say_why_there_are_none(fitted, wine):
    for ask in (projection_figure, diagnose):
        with pytest.raises(OPNBError, match="OPNBAuto"):
            ask(fitted, *wine)
    assert type(fitted.members_[0]) is OPNBClassifier
    assert projection_figure(fitted.members_[0], *wine) is not None


def test_weights_of_zero_are_no_rows(wine):
    X, y = wine
    weights = np.where(np.arange(len(y)) % 9 == 0, 0.0, 1.0)
    there = weights > 0
    kept = np.cumsum(there) - 1
    folds = list(halves().split(X, y))
    fewer = [(kept[train[there[train]]], kept[test[there[test]]]) for train, test in folds]
    quick = {"n_components": 2, "max_seconds": 0, "n_kept": 3}
    weighted = OPNBEnsemble(cv=folds, **quick).fit(X, y, sample_weight=weights)
    dropped = OPNBEnsemble(cv=fewer, **quick).fit(X[there], y[there])
    np.testing.assert_allclose(weighted.predict_proba(X), dropped.predict_proba(X), atol=1e-3)


def test_groups_stay_together(wine):
    X, y = wine
    groups = np.arange(len(y)) % 6
    found = OPNBEnsemble(cv=GroupKFold(3), max_seconds=0, n_components=2, n_kept=1).fit(X, y, groups=groups)
    assert len(found.members_) == 3


def test_a_fold_without_a_class_gives_it_no_posterior():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 2)) + 3 * y[:, None]
    folds = [(np.flatnonzero(y != 2), np.flatnonzero(y == 2)), (np.arange(0, 60, 2), np.arange(1, 60, 2))]
    found = OPNBEnsemble(cv=folds, max_seconds=0, n_kept=1).fit(X, y)
    assert found.members_[0].classes_.tolist() == [0, 1]
    assert np.isfinite(found.predict_log_proba(X)).all()
    assert found.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(60))


def test_a_stop_before_anything_is_known_is_said(wine):
    with pytest.raises(FitError, match="stopped"):
        OPNBEnsemble(callback=lambda iteration: True).fit(*wine)


@pytest.mark.parametrize(
    ("settings", "words"), [({"n_kept": 0}, "n_kept"), ({"max_seconds": -1}, "max_seconds"), ({"scale": 3}, "scale")]
)
def test_parameters_that_make_no_sense_are_refused(wine, settings, words):
    with pytest.raises(ValueError, match=words):
        OPNBEnsemble(**settings).fit(*wine)
