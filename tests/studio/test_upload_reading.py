"""Reading uploads: small ones at once, others in their turn and in another process, with limits and an end."""

import gzip
import io
import threading
import time
import zipfile
from dataclasses import asdict

import pandas as pd
import pytest

from opnb.data import Limits, read_table
from opnb.errors import OPNBError, ReadingError
from opnb.studio.work import jobs, reading
from opnb.studio.work.errands import Attended, Visitor
from opnb.studio.work.limits import READING_MEGABYTES_VARIABLE, READING_SECONDS_VARIABLE
from opnb.studio.work.reading import read_upload, weight

LIMITS = Limits()
SMALL = b"a,b,kind\n1,2,x\n3,4,y\n"


def workbook(rows, columns=3):
    buffer = io.BytesIO()
    frame = pd.DataFrame({f"c{i}": range(rows) for i in range(columns)})
    frame.to_excel(buffer, index=False)
    return buffer.getvalue()


@pytest.fixture
def heavy(monkeypatch):
    """Let everything count as heavy."""
    monkeypatch.setattr(reading, "_LIGHT", 0)


def test_a_small_file_pays_for_no_process_and_no_place_in_the_queue(monkeypatch):
    monkeypatch.setattr(reading, "run_in_child", None)
    monkeypatch.setattr(jobs, "queue", None)
    for data in (SMALL, SMALL * 1000, gzip.compress(SMALL), workbook(20)):
        assert read_upload(Attended(), data, "a", LIMITS) == read_table(data, name="a")


@pytest.mark.parametrize(
    ("data", "heavy"),
    [
        (SMALL, False),
        (b"1,2\n" * 2**21, True),
        (gzip.compress(bytes(10**7)), True),
        (b"PK\x03\x04 no archive", False),
        (b"PAR1" + bytes(5_000), True),
    ],
    ids=["small text", "large text", "gzip", "no archive", "parquet"],
)
def test_what_may_become_large_is_known_before_it_is_unpacked(data, heavy):
    assert (weight(data) > reading._LIGHT) is heavy


def test_a_small_excel_file_of_many_cells_is_heavy():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(2**20))
    assert len(buffer.getvalue()) < 5_000
    assert weight(buffer.getvalue()) > reading._LIGHT > weight(workbook(50))


@pytest.mark.slow
def test_another_process_reads_what_this_one_would(heavy):
    odd = "a;b;größe\n1,5;x;2021-01-02\n2,5;;2021-01-03\n".encode("cp1252")
    there, here = read_upload(Attended(), odd, "t", LIMITS, header_row=1), read_table(odd, name="t", header_row=1)
    pd.testing.assert_frame_equal(there.frame, here.frame)
    assert there == here
    assert there.settings == here.settings
    assert there.notes == here.notes


def test_what_is_wrong_with_a_file_is_said_as_if_it_were_read_here(tmp_path):
    (tmp_path / "upload").write_bytes(b"one column\n1\n2\n")
    with pytest.raises(ReadingError) as here:
        read_table((tmp_path / "upload").read_bytes(), name="t")
    reading.say_table(None, str(tmp_path), str(tmp_path / "upload"), "t", asdict(LIMITS), {})
    with pytest.raises(ReadingError) as there:
        reading._found(tmp_path, LIMITS)
    assert str(there.value) == str(here.value)
    assert vars(there.value) == vars(here.value)


def test_reading_has_a_limit_on_its_time(heavy, monkeypatch):
    monkeypatch.setenv(READING_SECONDS_VARIABLE, "0.01")
    with pytest.raises(ReadingError, match=r"took all the time that this server allows it, 0.01 seconds.*CSV"):
        read_upload(Attended(), workbook(100), "t", LIMITS)


def test_a_small_file_has_the_limit_too(monkeypatch):
    monkeypatch.setenv(READING_SECONDS_VARIABLE, "1e-9")
    with pytest.raises(ReadingError, match="stopped before the table was complete"):
        read_upload(Attended(), workbook(10), "t", LIMITS)


@pytest.mark.slow
def test_reading_has_a_limit_on_its_memory(heavy, monkeypatch):
    monkeypatch.setenv(READING_MEGABYTES_VARIABLE, "3")
    with pytest.raises(ReadingError, match=r"more memory than this server allows|ended with status"):
        read_upload(Attended(), SMALL, "t", LIMITS)


@pytest.mark.parametrize("ends", ["leaves", "clicks on something else"])
def test_reading_ends_when_its_visitor(heavy, monkeypatch, ends):
    """A table that would keep the other process busy for a minute or more."""
    monkeypatch.setattr(jobs, "_GRACE", 0.05)
    here, seen = threading.Event(), []
    here.set()
    errand = Attended(Visitor("me", here.is_set))

    class SomethingElseError(Exception):
        pass

    def look(job, place):
        seen.append(job)
        if ends == "leaves":
            here.clear()
        else:
            raise SomethingElseError

    errand.look = look
    began = time.monotonic()
    with pytest.raises(ReadingError if ends == "leaves" else SomethingElseError):
        read_upload(errand, b"\n".join([b"1,2,x"] * 5_000_000), "t", LIMITS)
    assert seen[0].wait(10)
    assert time.monotonic() - began < 20
    assert not errand.is_under_way


def test_work_that_somebody_waits_for_is_one_at_a_time():
    errand = Attended()
    begun, outcome = threading.Event(), []

    def first(job):
        begun.set()
        while not job.stopping:
            time.sleep(0.01)

    def wait():
        with pytest.raises(OPNBError, match="stopped before it was done"):
            errand.attend(first)
        outcome.append("ended")

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert begun.wait(10)
    assert errand.attend(lambda job: 42) == 42
    waiting.join(10)
    assert outcome == ["ended"]
