"""Nothing lost: a visit comes back from its workspace, whatever ended it, and nobody else's comes with it."""

import ast
import errno
import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit import config

import opnb
from opnb.studio.ui import session, tab
from opnb.studio.visit import saving as keeping
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import queue
from opnb.workspace import new_id
from opnb.workspace.settings import FOLDER
from opnb.workspace.workspace import DATABASE
from tests.studio.conftest import TIMEOUT

SHARED_CACHES = {
    "intake._bundled_table",  # examples and simulators as they come
    "session._first_result",  # the fit of an example
    "jobs.queue",  # jobs, each seen by its visitor alone
    "jobs.long_queue",
    "jobs._queue_of_processes",
    "jobs._queue_beside_a_cluster",
    "desk.example",  # bundled data
    "page._told",  # lessons on simulated data
    "page._drawn",
    "logs.set_up_logs",  # nothing
    "tab.program",  # the app's own files
    "plotly_file.address",  # a file of the app
    "plotly_file._packed",
    "page_head._parts",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))
    monkeypatch.setattr(tab, "knows", lambda workspace_id: True)  # of this browser; others are below
    return tmp_path / "kept"


def link(page):
    """Wait until all is saved, and give the query that a reload has."""
    shelf = page.state.keeper.shelf
    assert shelf is not None, "nothing was saved"
    assert shelf.wait(TIMEOUT)
    assert page.at.query_params["workspace"] == shelf.id
    return dict(page.at.query_params.items())


@pytest.fixture
def reload(visit):
    """Come back by the same address, to this server or, with `restarted`, to another one with the same folder."""

    def come_back(page, *, restarted=False):
        query = link(page)
        if restarted:
            keeping._shelves.clear()
        return visit(**query)

    return come_back


def refit(page, lam):
    page.find("select_slider", "Smoothness (λ)").set_value(lam)
    return page.press("Fit")


def same(before, after):
    assert [fit.key for fit in after.state.fits] == [fit.key for fit in before.state.fits]
    assert after.state.result.key == before.state.result.key
    np.testing.assert_array_equal(
        after.state.result.projected.log_posterior, before.state.result.projected.log_posterior
    )
    assert (after.state.spec, after.state.picture) == (before.state.spec, before.state.picture)
    assert after.state.data_spec == before.state.data_spec


def test_looking_alone_keeps_nothing(visit, folder):
    page = visit()
    page.go("Data")
    assert page.state.keeper.id == ""
    assert "workspace" not in page.at.query_params
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.parametrize("restarted", [False, True], ids=["reload", "restart"])
def test_data_fits_names_and_settings_come_back(visit, reload, table, restarted):
    page = visit().upload("mine.csv", table)
    refit(page, 0.05).segment("Part shown", "central").segment("More about this fit", 6)
    page.find("text_input", "Name").set_value("*smooth*")
    page.press("Save the name")
    again = reload(page, restarted=restarted)
    same(page, again)
    assert again.state.name_of(again.state.result) == "*smooth*"
    assert (again.state.picture.extent, again.find("select_slider", "Smoothness (λ)").value) == ("central", 0.05)
    assert again.state.raw == table
    assert again.state.table.frame.equals(page.state.table.frame)
    assert again.find("selectbox", "Data").value == again.state.source
    assert again.figures()
    assert "All is saved" in again.words
    again.go("Data")
    assert again.at.query_params["workspace"] == page.state.keeper.id


def test_the_preparation_comes_back(visit, reload, table):
    page = visit().upload("mine.csv", table)
    page.go("Data").fill("slider", "Held out (%)", 50).fill("selectbox", "Predict", "length").press("Use these data")
    again = reload(page)
    assert (again.state.data_spec.target, again.state.data_spec.options.test_size) == ("length", 0.5)
    assert len(again.state.dataset.test) == 20


def test_a_table_of_a_very_long_name_comes_back(visit, reload, table):
    page = visit().upload("x" * 250 + ".csv", table)
    same(page, reload(page))


def test_deleting_undoing_and_showing_again_are_kept(visit, reload):
    page = refit(refit(visit(), 0.01), 0.1).segment("More about this fit", 6)
    page.press("Delete")
    assert [fit.spec.lam for fit in reload(page).state.fits] == [0.002, 0.01]
    page.press("Undo the deletion")
    again = reload(page)
    assert [fit.spec.lam for fit in again.state.fits] == [0.002, 0.01, 0.1]
    again.segment("More about this fit", 6).choose("selectbox", "Fit", again.state.fits[0].id).press("Show again")
    assert reload(again).state.result.spec.lam == 0.002


def test_a_table_that_waits_comes_back(visit, reload):
    rows = "\n".join(["u,v", *(f"{i}.5,{i}.25" for i in range(60))]).encode()
    page = visit().upload("numbers.csv", rows)
    again = reload(page, restarted=True)
    assert again.state.draft.table.name == "numbers.csv"
    assert again.state.draft.error == page.state.draft.error
    assert again.state.result.dataset.name == "wine"


def test_how_a_table_was_read_and_its_codes_come_back(visit, reload):
    rows = [f"{-999 if i % 10 == 0 else i + 5},{i % 7},{'ab'[i % 2]}" for i in range(40)]
    page = visit().go("Data").upload("titled.csv", "\n".join(["My wines", "u,v,kind", *rows]).encode())
    page.fill("number_input", "Row with the names", 2).press("Read again").press("Treat -999 as missing")
    again = reload(page, restarted=True)
    assert again.state.data_spec == page.state.data_spec
    assert again.state.data_spec.options.codes == {"u": (-999.0,)}
    assert dict(again.state.source.reading) == {"header_row": 2}
    assert "names in row 2" in again.go("Data").at.expander[0].label


def slow(started, release):
    def work(spec, table, dataset, job):
        started.set()
        while not (job.stopping or release.wait(0.01)):
            pass
        return fit_work(spec, table, dataset, job)

    return work


def begin_slow_fit(page, monkeypatch):
    started, release = threading.Event(), threading.Event()
    monkeypatch.setattr("opnb.studio.visit.state.fit_work", slow(started, release))
    page.find("select_slider", "Smoothness (λ)").set_value(0.2)
    page.find("button", "Fit").click()
    page.at.run()
    assert started.wait(TIMEOUT)
    return release


def test_a_reload_goes_on_with_the_fit_under_way(visit, monkeypatch):
    page = visit()
    release = begin_slow_fit(page, monkeypatch)
    query = link(page)
    again = type(page).__new__(type(page))
    again.at = type(page.at).from_file(str(page.at._script_path), default_timeout=TIMEOUT)
    for name, value in query.items():
        again.at.query_params[name] = value
    again.at.run()
    assert again.state.job is page.state.job
    release.set()
    again.settled()
    assert again.state.result.spec.lam == 0.2
    assert again.state.interrupted is None
    assert len(again.state.fits) == 2


@pytest.mark.slow
def test_a_fit_that_was_killed_is_told_and_run_again_by_one_click(visit, reload, monkeypatch):
    page = visit()
    release = begin_slow_fit(page, monkeypatch)
    link(page)
    again = reload(page, restarted=True)
    assert "interrupted" in again.words
    assert again.state.interrupted.lam == 0.2
    release.set()
    page.settled()
    monkeypatch.undo()
    again.press("Run it again")
    assert again.state.result.spec.lam == 0.2
    assert "interrupted" not in again.words


@pytest.mark.slow
def test_an_interrupted_fit_can_be_left(visit, reload, monkeypatch):
    page = visit()
    release = begin_slow_fit(page, monkeypatch)
    again = reload(page, restarted=True).press("Leave it")
    assert "interrupted" not in again.words
    assert "interrupted" not in reload(again, restarted=True).words
    release.set()
    page.settled()


def test_a_fit_that_ends_when_nobody_looks_is_there_later(visit, monkeypatch):
    page = visit()
    release = begin_slow_fit(page, monkeypatch)
    query, job = link(page), page.state.job
    release.set()
    assert job.wait(TIMEOUT)
    assert page.state.keeper.shelf.wait(TIMEOUT)  # another thread writes it
    keeping._shelves.clear()
    again = visit(**query)
    assert again.state.result.spec.lam == 0.2
    assert again.state.interrupted is None


def test_two_tabs_of_one_workspace_are_merged(visit, reload):
    first = refit(visit(), 0.01)
    second = reload(first)
    refit(first, 0.02)
    link(first)
    refit(second, 0.05)
    link(second)
    third = reload(second)
    assert [fit.spec.lam for fit in third.state.fits] == [0.002, 0.01, 0.02, 0.05]
    assert third.state.result.spec.lam == 0.05


def test_a_link_to_share_never_names_the_workspace(visit):
    page = refit(visit(), 0.01).segment("More about this fit", 7)
    link(page)
    shared = [block.value for block in page.at.main.code if "?data=" in block.value]
    assert shared
    assert not any("workspace" in text or page.state.keeper.id in text for text in shared)


@pytest.mark.parametrize(
    "asked", [new_id(), "../../etc/passwd", "", "x" * 32], ids=["unknown", "path", "empty", "no id"]
)
def test_an_unknown_workspace_gives_words_and_the_link_beside_it(visit, asked):
    page = visit(workspace=asked, data="example:iris")
    assert page.state.result.dataset.name == "iris"
    assert ("could not be opened" in page.words) is (len(asked) == 32)
    assert page.state.keeper.id != asked


def test_another_visitor_gets_another_workspace(visit, table, folder):
    mine = visit().upload("mine.csv", table)
    yours = refit(visit(), 0.01)
    assert link(mine)["workspace"] != link(yours)["workspace"]
    assert len(list(folder.iterdir())) == 2
    assert [fit.dataset.name for fit in yours.state.fits] == ["wine", "wine"]


def test_every_cache_that_visitors_share_is_known_to_hold_nothing_of_theirs():
    """A new cache has to be looked at before it enters this list."""
    root = Path(opnb.__file__).parents[1]
    files = [root / "app.py", *(root / "pages").glob("*.py"), *(root / "opnb" / "studio").rglob("*.py")]
    found = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))):
            for mark in getattr(node, "decorator_list", ()):
                if "cache" in ast.unparse(mark) and "cached_property" not in ast.unparse(mark):
                    found.add(f"{file.stem}.{node.name}")
    assert found <= SHARED_CACHES, "say in SHARED_CACHES why visitors may share it"


def fails(number):
    def fail(*args):
        raise OSError(number, "trouble")

    return fail


@pytest.mark.slow
@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "cannot be written")])
def test_trouble_with_the_disk_is_told_and_the_app_goes_on(visit, reload, monkeypatch, number, words):
    page = refit(visit(), 0.01)
    link(page)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails(number))
        refit(page, 0.02)
        link(page)
        page.run()
        assert words in page.words
        assert len(page.state.fits) == 3
        assert page.figures()
    again = reload(page, restarted=True)
    assert [fit.spec.lam for fit in again.state.fits] == [0.002, 0.01]
    assert again.state.interrupted.lam == 0.02
    refit(page, 0.05)
    link(page)
    assert words not in page.run().words
    assert [fit.spec.lam for fit in reload(page).state.fits] == [0.002, 0.01, 0.02, 0.05]


def test_a_folder_that_cannot_be_made_is_told_and_the_app_goes_on(visit, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(FOLDER, str(tmp_path / "file" / "kept"))
    page = refit(visit(), 0.01)
    link(page)
    page.run()
    assert "cannot be written" in page.words
    assert page.state.result.spec.lam == 0.01


@pytest.mark.parametrize("harm", [b"", b"no database" * 1000])
def test_a_damaged_workspace_is_told_and_another_begun(visit, folder, harm):
    page = refit(visit(), 0.01)
    query = link(page)
    (database,) = folder.rglob(DATABASE)
    database.write_bytes(harm)
    keeping._shelves.clear()
    again = visit(**query)
    assert "could not be opened" in again.words
    assert again.state.result.spec.lam == 0.01  # by the link beside the workspace
    assert link(again)["workspace"] != query["workspace"]


def test_a_wrong_setting_of_the_owner_is_told(visit, monkeypatch):
    monkeypatch.setenv("OPNB_WORKSPACE_DAYS", "many")
    page = visit()
    assert "OPNB_WORKSPACE_DAYS must be" in page.words
    assert page.state.result is not None


def test_without_a_store_nothing_is_kept_and_the_panel_says_so(visit, monkeypatch):
    monkeypatch.setenv(FOLDER, "off")
    page = refit(visit(), 0.01)
    assert "Work is not kept here" in page.words
    assert "workspace" not in page.at.query_params


def zip_of(page):
    from opnb.studio.visit.snapshot import items_of
    from opnb.workspace import pack

    return pack(items_of(page.state.snapshot()))


def open_file(page, data):
    box = next(box for box in page.at.file_uploader if box.label == "Open a downloaded workspace")
    box.set_value(("opnb-workspace.zip", data, "application/zip"))
    return page.run()


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False], ids=["with a store", "without"])
def test_a_downloaded_workspace_is_opened_as_a_new_one(visit, table, monkeypatch, kept):
    page = refit(visit().upload("mine.csv", table), 0.05)
    data = zip_of(page)
    if not kept:
        monkeypatch.setenv(FOLDER, "off")
    other = refit(visit(data="example:iris"), 0.2)
    before = other.state.keeper.id
    open_file(other, data)
    same(page, other)
    if kept:
        assert link(other)["workspace"] not in ("", before, page.state.keeper.id)
        assert visit(workspace=before).state.result.spec.lam == 0.2


@pytest.mark.slow
def test_the_data_page_opens_a_workspace_file_too(visit, table):
    data = zip_of(visit().upload("mine.csv", table))
    other = visit()
    other.go("Data").segment("Where from", "Workspace")
    open_file(other, data)
    assert other.state.table.name == "mine.csv"


def test_a_bad_workspace_file_is_told_and_changes_nothing(visit):
    page = visit()
    before = page.state
    box = next(box for box in page.at.file_uploader if box.label == "Open a downloaded workspace")
    assert box.proto.max_upload_size_mb == config.get_option("server.maxUploadSize"), "it takes what the server takes"
    open_file(page, b"PK\x03\x04 nothing")
    assert "no readable zip" in page.errors
    assert page.state is before


def test_everything_can_be_forgotten(visit, reload, folder):
    page = refit(visit(), 0.01)
    other = reload(page)
    query = link(page)
    page.press("Forget this workspace").press("Forget everything")
    assert list(folder.iterdir()) == []
    assert [fit.spec.lam for fit in page.state.fits] == [0.002]
    assert "workspace" not in page.at.query_params
    refit(other, 0.2)
    other.state.keeper.shelf.wait(TIMEOUT)
    assert "was deleted" in other.run().words
    assert "could not be opened" in visit(**query).words


def test_saving_takes_no_time_of_the_page(visit, monkeypatch):
    """A disk that answers nothing holds up neither the page nor the fit's picture."""
    page = refit(visit(), 0.01)
    link(page)
    gate = threading.Event()
    monkeypatch.setattr(os, "fsync", lambda handle: gate.wait(TIMEOUT))
    refit(page, 0.2)
    assert page.state.result.spec.lam == 0.2
    assert not page.state.keeper.shelf.saved
    assert "Saving" in page.words
    gate.set()
    link(page)
    assert page.state.keeper.shelf.saved


def test_the_queue_is_empty_after_all_that():
    deadline = time.monotonic() + TIMEOUT
    while queue()._running and time.monotonic() < deadline:
        time.sleep(0.01)
    assert queue()._waiting == queue()._running == {}


@pytest.fixture
def strange(monkeypatch):
    monkeypatch.setattr(tab, "knows", lambda workspace_id: False)


@pytest.mark.parametrize("choice", ["Take a copy", "Open it itself", "Leave it"])
def test_a_workspace_by_a_link_is_asked_about_before_it_is_opened(visit, table, strange, choice):
    page = visit().upload("mine.csv", table)
    query = link(page)
    other = visit(**query)
    assert "studio" not in other.at.session_state, "nothing of it is opened before the answer"
    assert not other.figures()
    buttons = [button for button in other.at.button if button.key and button.key.startswith("opening-")]
    assert [button.label for button in buttons] == ["Take a copy", "Open it itself", "Leave it"]
    assert "they see what you do" in other.words
    other.press(choice)
    if choice == "Leave it":
        assert other.state.keeper.id != query["workspace"]
        assert "mine.csv" not in [fit.table.name for fit in other.state.fits]
        return
    same(page, other)
    assert (link(other)["workspace"] == query["workspace"]) is (choice == "Open it itself")
    refit(other, 0.2)
    link(other)
    assert len(visit_known(visit, query).state.fits) == len(page.state.fits) + (choice == "Open it itself")


def visit_known(visit, query):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tab, "knows", lambda workspace_id: True)
        return visit(**query)


def test_a_workspace_that_is_not_there_is_not_asked_about(visit, strange):
    assert "could not be opened" in visit(workspace=new_id()).words


def remembers(page, monkeypatch, workspace_id):
    """Let the browser tell what its tab remembers, as after a restart of the server."""
    monkeypatch.setattr(tab, "_told", lambda: {"workspace": workspace_id})
    return page.run()


def test_a_tab_comes_back_to_its_workspace_when_the_server_has_forgotten_it(visit, table, strange, monkeypatch):
    page = visit().upload("mine.csv", table)
    kept = link(page)["workspace"]
    keeping._shelves.clear()
    other = visit()
    other.go("Data")
    remembers(other, monkeypatch, kept)
    same(page, other)
    assert other.at.query_params["workspace"] == kept
    assert link(refit(other.go("Workbench"), 0.2))["workspace"] == kept


def test_what_the_example_showed_meanwhile_is_not_put_into_the_workspace(visit, table, monkeypatch):
    page = visit().upload("mine.csv", table)
    kept = link(page)["workspace"]
    keeping._shelves.clear()
    other = visit()  # the revision of its widgets may be that of the workspace's
    remembers(other, monkeypatch, kept)
    assert other.state.keeper.id == kept
    same(page, other)
    same(page, other.run())


@pytest.mark.parametrize("told", ["no id", 5, None, "x" * 32])
def test_what_a_browser_says_that_it_remembers_may_be_anything(visit, monkeypatch, told):
    page = remembers(visit(), monkeypatch, told)
    assert page.state.result is not None
    assert ("could not be opened" in page.words) is (told == "x" * 32)
    assert page.run().state.keeper.id == ""


def test_what_the_page_wrote_for_the_first_example_is_no_link(visit, table, monkeypatch):
    kept = link(visit().upload("mine.csv", table))["workspace"]
    written = dict(visit().at.query_params.items())
    assert "data" in written
    monkeypatch.setattr(tab, "_told", lambda: {"workspace": kept})
    page = visit(**{name: value if isinstance(value, str) else value[0] for name, value in written.items()})
    assert page.state.keeper.id == kept


def test_a_link_goes_before_what_the_tab_remembers(visit, table, monkeypatch):
    kept = link(visit().upload("mine.csv", table))["workspace"]
    page = remembers(visit(data="example:iris"), monkeypatch, kept)
    assert page.state.result.dataset.name == "iris"


def test_a_workspace_that_was_forgotten_is_not_taken_up_again(visit, monkeypatch):
    page = refit(visit(), 0.01)
    kept = link(page)["workspace"]
    page.press("Forget this workspace").press("Forget everything")
    assert "could not be opened" not in remembers(page, monkeypatch, kept).words


def test_a_page_that_was_open_across_an_update_says_so_and_goes_on(visit, monkeypatch):
    page = visit()
    monkeypatch.setattr(tab, "_told", lambda: {"updated": True})
    page.at = type(page.at).from_file(str(page.at._script_path), default_timeout=TIMEOUT)
    assert [toast.value for toast in page.run().at.toast] == [session._UPDATED]
    assert page.figures()


def test_behind_a_proxy_work_is_kept_only_where_the_owner_says_and_for_thirty_days(monkeypatch):
    headers = {"Host": "localhost:8501"}
    monkeypatch.setattr(session.st, "context", SimpleNamespace(headers=headers))
    monkeypatch.setattr(session.st, "get_option", lambda name: "localhost")
    assert session._store()[0].settings.days == 365
    headers["X-Forwarded-For"] = "192.0.2.1"
    assert session._store()[0].settings.days == 30
    monkeypatch.delenv(FOLDER)
    assert session._store() == (None, "")
