import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file
from sklearn.datasets import load_iris

from opnb import OPNBClassifier, load_model
from opnb.errors import ModelFileError
from opnb.estimators import loading, model_files

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


@pytest.fixture(scope="module")
def model_bytes(iris, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "iris.opnb"
    OPNBClassifier(n_components=2, max_iter=10).fit(*iris).save(path)
    return path.read_bytes()


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 1, 2]),
        np.array(["a", "b", "ü"]),
        np.array(["a", "b", "c"], dtype=object),
        np.array([0.5, 1.5, 2.5]) * 2,
    ],
)
def test_round_trip_predicts_the_same(tmp_path, iris, labels):
    X, y = iris
    clf = OPNBClassifier(n_components=2, init="random", n_init=3, combine="average", random_state=0, max_iter=10)
    clf.fit(X, labels[y]).save(tmp_path / "m.opnb")
    loaded = load_model(tmp_path / "m.opnb")
    np.testing.assert_array_equal(loaded.predict_log_proba(X), clf.predict_log_proba(X))
    np.testing.assert_array_equal(loaded.predict(X), clf.predict(X))
    np.testing.assert_array_equal(loaded.transform(X), clf.transform(X))
    np.testing.assert_array_equal(loaded.feature_names_in_, clf.feature_names_in_)
    assert loaded.get_params() == clf.get_params()
    assert loaded.objective_ == clf.objective_
    assert pd.DataFrame(loaded.history_).equals(pd.DataFrame(clf.history_))
    assert [start.seed for start in loaded.starts_] == [start.seed for start in clf.starts_]


def test_an_array_start_is_kept_and_a_callable_is_not(tmp_path, iris):
    X, y = iris
    OPNBClassifier(n_components=2, init=np.eye(4, 2), max_iter=5).fit(X, y).save(tmp_path / "a")
    np.testing.assert_array_equal(load_model(tmp_path / "a").init, np.eye(4, 2))
    OPNBClassifier(n_components=2, init=lambda X, y, m: np.eye(4, m), callback=print, max_iter=5).fit(X, y).save(
        tmp_path / "b"
    )
    assert load_model(tmp_path / "b").init == "pca"
    assert load_model(tmp_path / "b").callback is None


def test_unfitted_models_and_missing_files(tmp_path):
    with pytest.raises(ModelFileError, match="not fitted"):
        OPNBClassifier().save(tmp_path / "m")
    with pytest.raises(ModelFileError, match="no model file at"):
        load_model(tmp_path / "nowhere")


@pytest.mark.parametrize("length", [0, 7, 8, 100, -1, -1000])
def test_truncated_files_are_refused(tmp_path, model_bytes, length):
    path = tmp_path / "cut.opnb"
    path.write_bytes(model_bytes[:length])
    with pytest.raises(ModelFileError, match="cut short"):
        load_model(path)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_altered_files_are_refused(tmp_path_factory, model_bytes, data):
    position = data.draw(st.integers(0, len(model_bytes) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda v: v != model_bytes[position]))
    path = tmp_path_factory.getbasetemp() / "altered.opnb"
    path.write_bytes(model_bytes[:position] + bytes([value]) + model_bytes[position + 1 :])
    with pytest.raises(ModelFileError):
        load_model(path)


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=400))
def test_any_other_file_is_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "other.opnb"
    path.write_bytes(content)
    with pytest.raises(ModelFileError):
        load_model(path)


def forge(path, model_bytes, change):
    """Write a file with a right digest but altered content, as a hostile author could."""
    from safetensors import safe_open

    from opnb.estimators import model_files

    path.write_bytes(model_bytes)
    with safe_open(str(path), framework="numpy") as file:
        description = json.loads(file.metadata()["model"])
        arrays = {name: file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118
    change(description, arrays)
    text = json.dumps(description)
    metadata = {"format": "opnb-model-2", "model": text, "digest": model_files._digest(text, arrays)}
    save_file(arrays, str(path), metadata=metadata)


@pytest.mark.parametrize(
    "change",
    [
        lambda d, a: d.pop("parameters"),
        lambda d, a: d.update(parameters={"lam": "1e-3"}),
        lambda d, a: d.update(parameters={"penalty": "other"}),
        lambda d, a: d.update(parameters={"unknown": 1}),
        lambda d, a: d.update(n_models=7),
        lambda d, a: d.update(n_models="many"),
        lambda d, a: a.update({"counts/0": np.array([50, 50, -50])}),
        lambda d, a: a.update({"counts/0": np.array([50, 50])}),
        lambda d, a: a.update({"counts/0": np.array([2**62, 2**62, 0])}),
        lambda d, a: a.update({"members/0": a["members/0"][:, :10].copy()}),
        lambda d, a: a.update({"members/0": a["members/0"].astype(np.float32)}),
        lambda d, a: a.update({"components/0": np.full((2, 4), np.nan)}),
        lambda d, a: a.update({"bandwidths/0": np.ones(9)}),
        lambda d, a: a.update({"bandwidths/0": np.array([0.0, -1.0])}),
        lambda d, a: a.update({"mean_": np.ones((4, 4))}),
        lambda d, a: a.update({"classes": np.arange(2)}),
        lambda d, a: a.pop("scale_"),
        lambda d, a: d.update(history=[1, 2]),
        lambda d, a: d.update(feature_names=["a"]),
    ],
)
def test_hostile_files_with_a_right_digest_are_refused(tmp_path, model_bytes, change):
    path = tmp_path / "hostile.opnb"
    forge(path, model_bytes, change)
    with pytest.raises(ModelFileError, match="not a valid model"):
        load_model(path)


def rewritten(model_bytes, change):
    """Write a model file anew after a change, with a digest that fits it, as a stranger can."""
    text, arrays = model_files.read_model(model_bytes, "model")
    description = json.loads(text)
    change(description, arrays)
    text = json.dumps(description)
    metadata = {"format": "opnb-model-2", "model": text, "digest": model_files._digest(text, arrays)}
    return model_files.save(arrays, metadata=metadata)


LIES = {
    "objective": lambda d, a: d["fitted"].update(objective_="high"),
    "best start": lambda d, a: d["fitted"].update(best_start_=7),
    "history": lambda d, a: d["history"][0].update(gradient_norm=None),
    "history is text": lambda d, a: d.update(history="none"),
    "start": lambda d, a: d["starts"][0].pop("seconds"),
    "seed": lambda d, a: d["starts"][0].update(seed="x"),
    "start's shape": lambda d, a: a.update({"start/0": np.zeros((1, 1))}),
    "scale": lambda d, a: a["scale_"].fill(0.0),
    "mean": lambda d, a: a["mean_"].fill(np.nan),
    "classes": lambda d, a: a["classes"].fill(1),
    "records": lambda d, a: d.update(history=[{}] * 200_000),
    "deep": lambda d, a: d.update(fitted=[[[]]]),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_record_that_makes_no_sense_is_refused_even_with_a_true_digest(model_bytes, lie):
    assert loading.model_from_bytes(rewritten(model_bytes, lambda d, a: None)).n_features_in_ == 4
    with pytest.raises(ModelFileError, match="not a valid model"):
        loading.model_from_bytes(rewritten(model_bytes, LIES[lie]))


def test_weights_and_priors_are_kept(tmp_path, iris):
    X, y = iris
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    clf = OPNBClassifier(n_components=2, priors=[0.2, 0.3, 0.5], independence=0.1, scale="robust", max_iter=5)
    clf.fit(X, y, sample_weight=weights).save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict_log_proba(X), clf.predict_log_proba(X))
    assert (loaded.independence, loaded.scale, list(loaded.priors)) == (0.1, "robust", [0.2, 0.3, 0.5])
