"""A visit out and back: nothing changes on the way, and nothing that was tampered with is believed."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from opnb.data import Limits, PrepareOptions, Table, read_table
from opnb.data.kept_tables import kept_table, table_values, table_words
from opnb.errors import DataError, OPNBError, WorkspaceError
from opnb.studio.visit.links import to_query
from opnb.studio.visit.settings import FitSpec, PictureSpec
from opnb.studio.visit.snapshot import Snapshot, Waiting, items_of, opened
from opnb.studio.visit.sources import DataSpec, Source
from opnb.workspace import Item
from tests.workspace import samples


@pytest.fixture(scope="module")
def iris():
    return samples.fit()


@pytest.fixture(scope="module")
def mine():
    return samples.fit_of_an_upload(n_components=1)


def back(snapshot, **how):
    return opened(items_of(snapshot), **how)


def test_fits_come_back_and_predict_the_same(iris, mine):
    found = back(samples.snapshot(iris, mine, names={iris.key: "first"}, raw=samples.UPLOAD))
    assert found.problems == ()
    kept = found.snapshot
    assert [fit.key for fit in kept.fits] == [iris.key, mine.key]
    assert (kept.names, kept.shown, kept.raw) == ({iris.key: "first"}, mine.key, samples.UPLOAD)
    for before, after in zip((iris, mine), kept.fits, strict=True):
        np.testing.assert_array_equal(after.projected.log_posterior, before.projected.log_posterior)
        np.testing.assert_array_equal(after.projected.Z, before.projected.Z)
        np.testing.assert_array_equal(after.train.confusion, before.train.confusion)
        assert (after.spec, after.seconds, after.notes, after.made) == (
            before.spec,
            before.seconds,
            before.notes,
            before.made,
        )
        assert after.test.errors == before.test.errors
        pd.testing.assert_frame_equal(after.table.frame, before.table.frame)


def test_the_scores_of_a_kept_fit_need_no_predictions_and_those_of_strangers_are_computed(iris, monkeypatch):
    items = items_of(samples.snapshot(iris))
    calls = []
    monkeypatch.setattr("opnb.studio.visit.results.project", lambda *a, **k: calls.append(1) or iris.projected)
    assert opened(items).snapshot.fits[0].test.error == iris.test.error
    assert calls == []
    lying = [item for item in items if item.kind != "fit"]
    (fit,) = (item for item in items if item.kind == "fit")
    measures = [fit.about["measures"][0] | {"wrong": 0}, fit.about["measures"][1] | {"wrong": 0}]
    lying.append(Item("fit", fit.key, fit.about | {"measures": measures}, fit.content, fit.needs))
    assert opened(lying, own=False).snapshot.fits[0].train.errors == iris.train.errors
    assert calls == [1]


def test_settings_view_pending_fit_and_waiting_table_come_back(iris):
    options = PrepareOptions(seed=5, roles={"sepal length (cm)": "category"})
    view = PictureSpec((1, 0), extent="central", focus=("a",))
    numbers = read_table(b"u,v\n" + b"".join(b"%d.5,%d.25\n" % (i, i) for i in range(30)), name="numbers.csv")
    waiting = Waiting(numbers, DataSpec(Source("upload", "numbers.csv"), "v", options), b"raw")
    pending = replace(iris.spec, lam=0.02)
    kept = back(samples.snapshot(iris, picture=view, pending=pending, waiting=waiting)).snapshot
    assert (kept.picture, kept.pending, kept.spec) == (view, pending, iris.spec)
    assert (kept.waiting.spec, kept.waiting.raw, kept.waiting.table) == (waiting.spec, b"raw", numbers)


def test_a_fit_that_ended_unseen_is_shown_and_no_longer_pending(iris):
    later = samples.fit(lam=0.5)
    kept = back(samples.snapshot(iris, later, shown=iris.key, pending=later.spec)).snapshot
    assert (kept.shown, kept.pending) == (later.key, None)


def test_roles_of_many_columns_come_back():
    names = [f"a long name of a column with number {number}" for number in range(400)]
    rows = [",".join(f"{(i * (j + 3)) % 7}.{i}" for j in range(400)) + f",{'ab'[i % 2]}" for i in range(20)]
    table = read_table("\n".join([",".join([*names, "kind"]), *rows]).encode(), name="wide.csv")
    data = DataSpec(Source("upload", "wide.csv"), "kind", PrepareOptions(roles=dict.fromkeys(names[:300], "leave out")))
    snapshot = Snapshot(table, data, FitSpec(data), PictureSpec())
    assert len(to_query(FitSpec(data), PictureSpec())["roles"]) > 15_000
    assert back(snapshot).snapshot.data == data


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan], "c": ["x", None], "d": pd.to_datetime(["2020-01-01", None])}),
        pd.DataFrame({"ü ,\n": ["1", "x"], "text": ["True", "1,234"]}),
    ],
)
def test_a_table_comes_back_as_it_was(frame):
    table = Table.from_frame(frame, "name", description="d", provenance="p")
    again = kept_table(table_words(table), table_values(table), Limits())
    pd.testing.assert_frame_equal(again.frame, table.frame)
    assert (again, again.notes, again.settings, again.description) == (table, table.notes, table.settings, "d")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", 3),
        ("content_hash", "x" * 64),
        ("notes", "text"),
        ("settings", {"format": "text"}),
        ("settings", None),
        ("description", "x" * 20_000),
    ],
)
def test_words_about_a_table_are_checked(iris, name, value):
    with pytest.raises(DataError, match="cannot be used"):
        kept_table(table_words(iris.table) | {name: value}, table_values(iris.table), Limits())


def test_a_table_of_other_types_is_refused(iris):
    values = pd.DataFrame({"a": [[1], [2]], "b": [1, 2]}).to_parquet()
    with pytest.raises(DataError, match="neither numbers"):
        kept_table(table_words(iris.table), values, Limits())


def changed(items, kind, **parts):
    """Give items in which the one of a kind says something else."""
    return [
        item
        if item.kind != kind
        else Item(
            item.kind, item.key, item.about | parts.get("about", {}), parts.get("content", item.content), item.needs
        )
        for item in items
    ]


LIES = [
    ("fit", {"about": {"query": {"data": "example:iris", "lam": "1e99"}}}, "settings"),
    ("fit", {"about": {"query": {"data": "example:iris", "what": "x"}}}, "settings"),
    ("fit", {"about": {"query": [1, 2]}}, "settings"),
    ("fit", {"about": {"query": {"data": "upload:" + "x" * 300}}}, "settings"),
    ("fit", {"about": {"query": {"data": "pmlb:../../etc/passwd"}}}, "settings"),
    ("fit", {"about": {"seconds": "long"}}, "malformed"),
    ("fit", {"about": {"seconds": float("inf")}}, "malformed"),
    ("fit", {"content": lambda: b"no model"}, "not a model file"),
    ("fit", {"content": None}, "absent"),
    ("fit", {"about": {"query": {"data": "example:iris", "target": "petal width (cm)"}}}, "could not be opened"),
    ("table", {"content": lambda: b"PAR1 no table PAR1"}, "damaged"),
    ("table", {"about": {"content_hash": "0" * 64}}, "not the one its name says"),
]


@pytest.mark.parametrize(("kind", "lie", "words"), LIES)
def test_what_was_tampered_with_is_left_out_and_said(iris, mine, kind, lie, words):
    items = [*items_of(samples.snapshot(mine)), *changed(items_of(samples.snapshot(iris))[:-1], kind, **lie)]
    found = opened(items, own=False)
    assert [fit.key for fit in found.snapshot.fits] == [mine.key]
    assert words in " ".join(found.problems)


@pytest.mark.parametrize(
    "about",
    [
        {"table": "0" * 64},
        {"table": 3},
        {"query": None},
        {"query": {"data": "example:wine", "target": "nothing"}},
        {"raw": "0" * 64},
        {"pending": {"lam": "x"}},
    ],
)
def test_a_state_that_makes_no_sense_gives_way_to_the_last_fit(iris, about):
    found = opened(changed(items_of(samples.snapshot(iris, raw=b"x")), "state", about=about), own=False)
    assert found.snapshot.shown == iris.key
    assert found.problems


def test_a_wrong_waiting_table_spoils_nothing_else(iris):
    items = changed(items_of(samples.snapshot(iris)), "state", about={"waiting": {"table": 1, "query": 2, "raw": 3}})
    found = opened(items, own=False)
    assert (found.snapshot.waiting, found.snapshot.shown) == (None, iris.key)
    assert "waited" in found.problems[0]


def test_a_workspace_with_nothing_in_it_is_refused(iris):
    for items in ([], changed(items_of(samples.snapshot(iris)), "table", content=lambda: b"")):
        with pytest.raises(WorkspaceError, match="nothing in the workspace"):
            opened(items, own=False)


@pytest.mark.slow
def test_a_tampered_item_is_answered_with_words(iris):
    """Swap every value of every item for values of other kinds: the answer is words, never another exception."""
    items = items_of(samples.snapshot(iris))
    answers = []
    for place, item in enumerate(items):
        for name in item.about:
            for value in (None, 1, [[1]], {"a": {"b": [None]}}):
                odd = Item(item.kind, item.key, item.about | {name: value}, item.content, item.needs)
                with suppress(OPNBError):
                    answers += opened([*items[:place], odd, *items[place + 1 :]], own=False).problems
    assert len(answers) > 20
    assert all(answer.endswith(".") for answer in answers)
