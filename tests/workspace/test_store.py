"""The store on the disk: what is saved is whole, quotas and ages hold, and every trouble has its sentence."""

import ast
import errno
import os
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

import pytest

import opnb
from opnb.errors import WorkspaceError, WorkspaceMissingError
from opnb.workspace import Item, Store, StoreSettings, is_id, new_id, store_settings
from opnb.workspace import files as stored_files
from opnb.workspace.identity import folder_name
from opnb.workspace.settings import user_folder
from opnb.workspace.workspace import DATABASE

DAY = 86_400


@pytest.fixture
def store(tmp_path):
    return Store(StoreSettings(tmp_path / "workspaces"))


@pytest.fixture
def workspace_id():
    return new_id()


@pytest.fixture
def workspace(store, workspace_id):
    return store.create(workspace_id)


def item(kind="fit", key="00000001", content=b"content", needs=(), made=0.0, **about):
    return Item(kind, key, about, None if content is None else lambda: content, needs, made)


def names(workspace):
    return [kept.name for kept in workspace.items()]


def contents(workspace):
    return sorted(path.name for path in (workspace.folder / "files").iterdir())


def make_old(workspace, seconds):
    for path in [workspace.folder / DATABASE, *(workspace.folder / "files").iterdir()]:
        os.utime(path, (time.time() - seconds,) * 2)


def test_what_is_written_comes_back(store, workspace_id, workspace):
    workspace.write([item("table", "0a0a0a0a", b"rows"), item(needs=(("table", "0a0a0a0a"),), made=2.5, name="ü")])
    table, fit = store.open(workspace_id).items()
    assert (fit.name, fit.about, fit.made, fit.needs) == (
        ("fit", "00000001"),
        {"name": "ü"},
        2.5,
        (("table", "0a0a0a0a"),),
    )
    assert (table.content(), fit.content()) == (b"rows", b"content")


def test_a_second_save_replaces_the_words_and_keeps_the_content(workspace):
    workspace.write([item(name="a")])
    workspace.write([item(name="b", content=b"never asked for")])
    (kept,) = workspace.items()
    assert (kept.about, kept.content()) == ({"name": "b"}, b"content")


def test_tables_go_with_the_last_fit_that_needs_them(workspace):
    needs = (("table", "0a0a0a0a"),)
    workspace.write([item("table", "0a0a0a0a", b"rows"), item(needs=needs), item(key="00000002", needs=needs)])
    workspace.write([], gone=[("fit", "00000001")])
    assert names(workspace) == [("fit", "00000002"), ("table", "0a0a0a0a")]
    workspace.write([], gone=[("fit", "00000002")])
    assert names(workspace) == []


def test_orphans_are_swept_once_no_save_can_be_about_to_name_them(workspace):
    workspace.write([item()])
    workspace.write([item(key="00000002", content=b"other")], gone=[("fit", "00000001")])
    (workspace.folder / "files" / "part-0123456789abcdef").write_bytes(b"cut short")
    (workspace.folder / "files" / "somebody's letter.txt").write_bytes(b"not ours")
    workspace.sweep()
    assert len(contents(workspace)) == 4
    make_old(workspace, 7200)
    workspace.sweep()
    assert contents(workspace) == sorted([stored_files.digest_of(b"other"), "somebody's letter.txt"])
    assert workspace.items()[0].content() == b"other"


def test_a_save_is_all_or_nothing(workspace):
    def fails():
        raise OSError(errno.ENOSPC, "no space")

    workspace.write([item()])
    with pytest.raises(WorkspaceError, match="disk is full"):
        workspace.write([item(key="00000002", content=b"x"), Item("fit", "00000003", {}, fails)], [("fit", "00000001")])
    assert names(workspace) == [("fit", "00000001")]
    assert len(contents(workspace)) == 1


def test_two_writers_wait_for_each_other_and_are_merged(store, workspace_id, workspace):
    other = store.open(workspace_id)

    def write(into, first):
        for number in range(first, first + 10):
            into.write(
                [item(key=f"{number:08x}", content=str(number).encode()), item("state", "state", None, by=first)]
            )

    threads = [threading.Thread(target=write, args=given) for given in ((workspace, 0), (other, 100))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = workspace.items()
    assert len([one for one in kept if one.kind == "fit"]) == 20
    assert all(one.content() == str(int(one.key, 16)).encode() for one in kept if one.kind == "fit")
    assert [one.about["by"] for one in kept if one.kind == "state"] in ([0], [100])


@pytest.mark.parametrize("bad", ["", "x", "../" * 11, "a" * 31, "a" * 33, "a" * 31 + "\n", "ä" * 32, "a" * 31 + "/"])
def test_only_ids_of_the_right_form_are_looked_for(store, bad):
    assert not is_id(bad)
    for call in (store.open, store.create, store.forget):
        with pytest.raises(WorkspaceMissingError):
            call(bad)
    assert not store.settings.folder.exists()


def test_ids_cannot_be_guessed_and_are_written_nowhere(store, workspace_id, workspace):
    assert is_id(workspace_id)
    assert len({new_id() for _ in range(100)}) == 100
    workspace.write([item()])
    everything = b"".join(path.read_bytes() for path in store.settings.folder.rglob("*") if path.is_file())
    listed = " ".join(str(path) for path in store.settings.folder.rglob("*"))
    assert workspace_id.encode() not in everything
    assert workspace_id not in listed
    with pytest.raises(WorkspaceMissingError, match="not here"):
        store.open(new_id())
    with pytest.raises(WorkspaceMissingError):  # the name of its folder opens nothing
        store.open(folder_name(workspace_id))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_other_users_of_the_computer_cannot_read_it(workspace):
    workspace.write([item()])
    assert workspace.folder.parent.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_nor_in_a_folder_that_they_can_read(tmp_path, workspace_id):
    tmp_path.chmod(0o755)
    workspace = Store(StoreSettings(tmp_path)).create(workspace_id)
    workspace.write([item()])
    made = [workspace.folder, *workspace.folder.rglob("*")]
    assert len(made) > 3
    assert [path.name for path in made if path.stat().st_mode & 0o077] == []
    (workspace.folder / DATABASE).chmod(0o644)  # as earlier versions did
    workspace.folder.chmod(0o755)
    workspace.touch()
    assert [path.name for path in made if path.stat().st_mode & 0o077] == []


def test_a_workspace_has_a_quota(tmp_path, workspace_id):
    workspace = Store(StoreSettings(tmp_path, workspace_bytes=100)).create(workspace_id)
    workspace.write([item(content=b"x" * 60)])
    with pytest.raises(WorkspaceError, match=r"reached its limit.*Delete fits"):
        workspace.write([item(key="00000002", content=b"y" * 60)])
    workspace.write([item(key="00000002", content=b"y" * 60)], gone=[("fit", "00000001")])
    assert (names(workspace), workspace.size) == ([("fit", "00000002")], 60)


def test_all_workspaces_share_a_quota(tmp_path):
    store = Store(StoreSettings(tmp_path, total_bytes=60_000))
    store.create(new_id()).write([item(content=b"x" * 30_000)])
    with pytest.raises(WorkspaceError, match="All the room"):
        store.create(new_id()).write([item(content=b"y" * 30_000)])


def tidy_later(store, days, jump=0):
    """Tidy again some days later, by a clock that is wrong by `jump` days."""
    for path in store.settings.folder.rglob("*"):
        used = path.stat().st_mtime - days * DAY
        os.utime(path, (used, used))
    store._tidied = -1e9
    with pytest.MonkeyPatch.context() as patch:
        now = time.time() + jump * DAY
        patch.setattr("opnb.workspace.store.time.time", lambda: now)
        store.tidy()


def test_a_clock_that_jumps_ahead_and_back_removes_nothing(tmp_path):
    store = Store(StoreSettings(tmp_path, days=10))
    kept = new_id()
    store.create(kept).write([item()])
    tidy_later(store, 0, jump=400)
    tidy_later(store, 1, jump=400)
    tidy_later(store, 1)
    tidy_later(store, 1, jump=400)
    assert names(store.open(kept))
    store.open(kept).touch()
    assert not (tmp_path / folder_name(kept) / "unused").exists()


def test_what_nobody_opened_for_too_long_is_removed_and_nothing_else(tmp_path):
    store = Store(StoreSettings(tmp_path, days=10))
    old, new = new_id(), new_id()
    for one in (old, new):
        store.create(one).write([item()])
    other = tmp_path / "photographs"
    other.mkdir()
    os.utime(other, (0, 0))
    make_old(store.open(old), 11 * DAY)
    make_old(store.open(new), 9 * DAY)
    store.tidy()
    assert (tmp_path / folder_name(old)).is_dir(), "it is removed at the second look, days later"
    tidy_later(store, 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([folder_name(new), "photographs"])
    store.open(new).touch()
    make_age = time.time() - (tmp_path / folder_name(new) / DATABASE).stat().st_mtime
    assert make_age < DAY


def test_forgetting_leaves_nothing_and_stops_later_saves(store, workspace_id, workspace):
    workspace.write([item()])
    store.forget(workspace_id)
    assert list(store.settings.folder.iterdir()) == []
    with pytest.raises(WorkspaceMissingError, match="was deleted"):
        workspace.write([item()])
    assert list(store.settings.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EDQUOT, "disk is full"),
        (errno.EROFS, "cannot be written"),
        (errno.EACCES, "cannot be written"),
        (errno.EIO, "does not answer"),
    ],
)
def test_troubles_of_the_disk_have_a_sentence_and_lose_nothing(workspace, monkeypatch, number, sentence):
    workspace.write([item()])

    def fails(*args):
        raise OSError(number, "trouble")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        with pytest.raises(WorkspaceError, match=sentence):
            workspace.write([item(key="00000002", content=b"new")])
    assert [one.content() for one in workspace.items()] == [b"content"]
    assert len(contents(workspace)) == 1


def test_a_full_database_has_a_sentence(workspace, monkeypatch):
    workspace.write([item()])
    connect = sqlite3.connect

    def small(*args, **kwargs):
        db = connect(*args, **kwargs)
        db.execute("PRAGMA max_page_count = 1")  # SQLite takes the least it can
        return db

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(WorkspaceError, match="disk is full"):
        workspace.write([item(key="00000002", content=None, long="x" * 100_000)])
    assert names(workspace) == [("fit", "00000001")]


def test_a_folder_that_cannot_be_made_has_a_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WorkspaceError, match="cannot be written"):
        Store(StoreSettings(tmp_path / "file" / "workspaces")).create(new_id())


@pytest.fixture
def ordinary_folder():
    """Give a folder to a user who may not write everywhere, as root may."""
    with tempfile.TemporaryDirectory() as folder:
        if os.getuid() != 0:
            yield Path(folder)
            return
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_read_only_folder_opens_and_says_that_it_cannot_be_written(ordinary_folder, workspace_id):
    store = Store(StoreSettings(ordinary_folder / "workspaces"))
    workspace = store.create(workspace_id)
    workspace.write([item()])
    closed = (workspace.folder / DATABASE, workspace.folder / "files", workspace.folder, store.settings.folder)
    for path in closed:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        assert store.open(workspace_id).items()[0].content() == b"content"
        with pytest.raises(WorkspaceError, match="cannot be written"):
            workspace.write([item(key="00000002", content=b"new")])
        with pytest.raises(WorkspaceError, match="cannot be written"):
            store.create(new_id())
    finally:
        for path in reversed(closed):
            path.chmod(0o700)


@pytest.mark.parametrize("harm", ["noise", "cut", "empty", "other"])
def test_a_damaged_database_is_told_and_left_as_it_is(store, workspace_id, workspace, harm):
    workspace.write([item(key=f"{number:08x}", content=None, words="x" * 500) for number in range(50)])
    path = workspace.folder / DATABASE
    good = path.read_bytes()
    bad = {"noise": good[:100] + b"\xff" * (len(good) - 100), "cut": good[: len(good) // 2], "empty": b""}
    path.write_bytes(bad.get(harm, b"this is no database at all, but long enough to look at" * 100))
    with pytest.raises(WorkspaceError, match=r"damaged|deleted"):
        store.open(workspace_id)
    assert path.read_bytes() == bad.get(harm, path.read_bytes())


def test_a_damaged_file_is_told(workspace):
    workspace.write([item()])
    path = workspace.folder / "files" / stored_files.digest_of(b"content")
    path.write_bytes(b"CONTENT")
    with pytest.raises(WorkspaceError, match="not what was saved"):
        workspace.items()[0].content()
    path.unlink()
    with pytest.raises(WorkspaceError, match="does not answer"):
        workspace.items()[0].content()


def test_a_workspace_of_another_version_is_told(store, workspace_id, workspace):
    with sqlite3.connect(workspace.folder / DATABASE) as db:
        db.execute("PRAGMA user_version = 9")
    db.close()
    with pytest.raises(WorkspaceError, match="another version"):
        store.open(workspace_id)


@pytest.mark.parametrize(
    ("given", "local", "kept"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"OPNB_WORKSPACES": "off"}, True, False),
        ({"OPNB_WORKSPACES": "/data/opnb"}, False, True),
    ],
)
def test_work_is_kept_here_by_default_and_on_a_server_where_its_owner_says_so(given, local, kept):
    assert (store_settings(given, local=local) is not None) is kept


def test_the_owner_sets_folder_quota_and_age():
    given = {
        "OPNB_WORKSPACES": "/data/opnb",
        "OPNB_WORKSPACE_QUOTA_MB": "7",
        "OPNB_WORKSPACE_TOTAL_MB": "70",
        "OPNB_WORKSPACE_DAYS": "3",
    }
    settings = store_settings(given, local=False)
    assert (str(settings.folder), settings.workspace_bytes) == (os.path.normpath("/data/opnb"), 7 * 2**20)
    assert (settings.total_bytes, settings.days) == (70 * 2**20, 3)
    assert store_settings({"OPNB_WORKSPACES": "/x"}, local=False).days == 30
    assert store_settings({}, local=True).folder == user_folder()


@pytest.mark.parametrize("bad", ["0", "-1", "x", "1.5", "9" * 20, "²"])
def test_a_setting_that_is_no_number_is_told(bad):
    with pytest.raises(WorkspaceError, match="OPNB_WORKSPACE_DAYS must be a whole number"):
        store_settings({"OPNB_WORKSPACE_DAYS": bad}, local=True)


def test_a_folder_must_be_given_in_full():
    with pytest.raises(WorkspaceError, match="in full"):
        store_settings({"OPNB_WORKSPACES": "here"}, local=True)


def test_nothing_unpickles_or_evaluates():
    root = Path(opnb.__file__).parent
    for file in [
        *(root / "workspace").glob("*.py"),
        root / "studio" / "visit" / "snapshot.py",
        root / "data" / "kept_tables.py",
    ]:
        called = {
            getattr(node.func, "id", getattr(node.func, "attr", "")): node
            for node in ast.walk(ast.parse(file.read_text(encoding="utf8")))
            if isinstance(node, ast.Call)
        }
        assert not called.keys() & {"eval", "exec", "compile_code", "__import__", "extractall", "extract"}, file
        assert "pickle" not in {
            name for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))) for name in imported(node)
        }


def imported(node):
    return [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
