"""What the app fits by itself makes a picture: two directions that differ, and no line."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.model_selection import train_test_split

from opnb import OPNBClassifier
from opnb.data import Table
from opnb.studio.visit.links import Link, from_query, to_query
from opnb.studio.visit.settings import FitSpec, PictureSpec, default_spec
from opnb.studio.visit.sources import DataSpec, Source
from opnb.studio.visit.state import Studio
from opnb.studio.visit.tours import from_axes

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def quarters():
    """Give a numeric target cut in four."""
    X, y = load_diabetes(return_X_y=True)
    return X, np.searchsorted(np.quantile(y, [0.25, 0.5, 0.75]), y)


@pytest.mark.parametrize("data", [lambda: load_iris(return_X_y=True), lambda: load_wine(return_X_y=True), quarters])
@pytest.mark.parametrize("seed", range(4))
def test_points_fill_the_plane(data, seed):
    X, y = data()
    X, _, y, _ = train_test_split(X, y, stratify=y, random_state=seed)
    clf = OPNBClassifier(**default_spec().settings()).fit(X, y)
    Z = clf.transform(X)
    within = Z - np.array([Z[y == k].mean(axis=0) for k in range(y.max() + 1)])[y]
    assert abs(np.corrcoef(within.T)[0, 1]) < 0.3
    larger, smaller = np.linalg.svd((Z - Z.mean(axis=0)) / Z.std(axis=0), compute_uv=False)
    assert smaller >= 0.3 * larger


def test_what_was_learnt_for_some_rows_come_back_with_these_alone():
    state = Studio()
    state.begin_from(Link(default_spec("iris"), PictureSpec(), ()))
    learnt = replace(state.spec, decision_priors=(0.2, 0.3, 0.5), sharpness=0.5)
    other_rows = replace(learnt.data, options=replace(learnt.data.options, seed=7))
    for spec, expected in (
        (learnt, (0.2, 0.3, 0.5)),
        (replace(learnt, decision_priors=(0.4, 0.6)), None),  # of two classes
        (replace(learnt, data=other_rows), (0.2, 0.3, 0.5)),
    ):
        state.begin_from(from_query(to_query(spec, PictureSpec())))
        assert state.spec.decision_priors == expected
        assert state.spec.sharpness == (1.0 if expected is None else 0.5)
    assert state.offer(state.source, state.table, replace(other_rows, options=replace(other_rows.options, seed=8)))
    assert (state.spec.decision_priors, state.spec.sharpness) == (None, 1.0)


def test_a_link_means_its_rows_whatever_the_file_is_called_here():
    frame = pd.DataFrame({"a": range(40), "b": [n % 7 for n in range(40)], "kind": ["x", "y"] * 20})
    table = Table.from_frame(frame, "mine.csv")
    mine = Source("upload", "mine.csv", content="0123456789ab")
    spec = FitSpec(DataSpec(mine, "kind"), decision_priors=(0.4, 0.6), sharpness=0.5)
    state = Studio()
    state.begin_from(from_query(to_query(spec, PictureSpec())))
    assert state.offer_upload(replace(mine, name="a copy.csv"), table, b"")
    assert (state.spec.decision_priors, state.spec.sharpness) == ((0.4, 0.6), 0.5)


def test_probabilities_of_other_classes_are_left_out_and_said_to_be():
    state = Studio()
    state.begin_from(Link(replace(default_spec("iris"), decision_priors=(0.4, 0.6)), PictureSpec(), ()))
    assert state.spec.decision_priors is None
    assert any("class probabilities" in notice for notice in state.notices)


def test_other_settings_drop_what_was_learnt_for_these():
    learnt = replace(default_spec("iris"), decision_priors=(0.2, 0.3, 0.5), sharpness=0.5)
    assert learnt.changed() == learnt.changed(lam=learnt.lam) == learnt
    for changed in (learnt.changed(lam=0.1), from_axes(learnt, ((1.0, 0.0, 0.0, 0.0),) * 2, search=False)):
        assert (changed.decision_priors, changed.sharpness) == (None, 1.0)
