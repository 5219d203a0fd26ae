"""A workspace as one file: out, back, and every kind of file that is none."""

import io
import json
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.errors import OPNBError, WorkspaceError
from opnb.studio.visit.snapshot import items_of, opened
from opnb.workspace import Item, pack, unpack
from opnb.workspace.files import digest_of
from tests.workspace import samples

MOST = 50 * 2**20
DIGEST = digest_of(b"content")


@pytest.fixture(scope="module")
def visit():
    return samples.snapshot(samples.fit(), samples.fit_of_an_upload())


@pytest.fixture(scope="module")
def packed(visit):
    return pack(items_of(visit))


def listed(*items, **more):
    return json.dumps({"format": "opnb-workspace-1", "items": list(items)} | more)


def entry(**changes):
    return {"kind": "fit", "key": "0a0a0a0a", "about": {}, "needs": "", "file": DIGEST, "made": 0.0} | changes


def zipped(**parts):
    """Write a zip file; in a name, two underscores stand for a slash."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_everything_comes_back_from_the_file(visit, packed):
    found = opened(unpack(packed, MOST), own=False)
    assert found.problems == ()
    assert [fit.key for fit in found.snapshot.fits] == [fit.key for fit in visit.fits]
    before, after = visit.fits[1].projected, found.snapshot.fits[1].projected
    assert (before.log_posterior == after.log_posterior).all()


def test_a_content_that_two_items_share_is_there_once():
    packed = pack([Item("raw", f"0000000{number}", {}, lambda: b"content") for number in (1, 2)])
    assert len(zipfile.ZipFile(io.BytesIO(packed)).namelist()) == 2
    assert [item.content() for item in unpack(packed, MOST)] == [b"content"] * 2


LIST = "workspace.json"
GOOD = {LIST: listed(entry()), f"files/{DIGEST}": b"content"}
BAD_FILES = [
    (b"", "no readable zip"),
    (b"PK\x03\x04 but no zip", "no readable zip"),
    (b"length,width\n1,2\n", "no readable zip"),
    (zipped(), "no list of what is in it"),
    (zipped(**{"letter.txt": "dear"}), "no list of what is in it"),
    (zipped(**GOOD, **{"../../etc/passwd": b"x"}), "something that no workspace has"),
    (zipped(**GOOD, **{"/absolute/x": b"x"}), "something that no workspace has"),
    (zipped(**GOOD, **{"files/../x": b"x"}), "something that no workspace has"),
    (zipped(**GOOD, **{"C:\\x": b"x"}), "something that no workspace has"),
    (zipped(**GOOD, **{"model.pkl": b"x"}), "something that no workspace has"),
    (zipped(**{f"{number}": b"" for number in range(2_001)}), "more than a workspace can have"),
    (zipped(**{LIST: "[" * 100_000}), "cannot be read"),
    (zipped(**{LIST: "nothing"}), "cannot be read"),
    (zipped(**{LIST: "[1]"}), "cannot be read"),
    (zipped(**{LIST: '{"items": NaN}'}), "cannot be read"),
    (zipped(**{LIST: " " * (20 * 2**20 + 1)}), "longer than any workspace's"),
    (zipped(**{LIST: listed(format="opnb-workspace-9")}), "this version reads"),
    (zipped(**{LIST: listed(entry())}), "incomplete"),
    (zipped(**GOOD | {LIST: listed(entry(), entry())}), "twice"),
    (zipped(**GOOD | {LIST: listed(entry(needs="table:0a0a0a0a"))}), "incomplete"),
    (zipped(**GOOD | {LIST: listed(entry(needs="table:../../x"))}), "no valid name"),
    (zipped(**GOOD | {LIST: listed(entry(kind="program"))}), "no valid name"),
    (zipped(**GOOD | {LIST: listed(entry(key="../../x"))}), "no valid name"),
    (zipped(**GOOD | {LIST: listed(entry(kind=["fit"]))}), "no valid name"),
    (zipped(**GOOD | {LIST: listed(entry(about=[]))}), "no valid name"),
    (zipped(**GOOD | {LIST: listed(entry(made="today"))}), "no valid name"),
    (zipped(**GOOD | {LIST: listed(entry()).replace("0.0", "1e999")}), "no valid name"),
    (zipped(**GOOD | {LIST: listed(entry(file="../../x"))}), "incomplete"),
    (zipped(**GOOD | {LIST: listed(entry() | {"more": 1})}), "malformed"),
    (zipped(**GOOD | {LIST: listed("fit")}), "malformed"),
    (zipped(**GOOD | {LIST: listed(entry(needs=None))}), "malformed"),
]


@pytest.mark.parametrize(("data", "sentence"), BAD_FILES)
def test_every_kind_of_bad_file_has_its_sentence(data, sentence):
    with pytest.raises(WorkspaceError, match=sentence):
        unpack(data, MOST)


def test_a_content_that_is_not_what_its_name_says_is_refused():
    (item,) = unpack(zipped(**GOOD | {f"files/{DIGEST}": b"other"}), MOST)
    with pytest.raises(WorkspaceError, match="was altered"):
        item.content()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_parts_of_one_name_are_refused():
    buffer = io.BytesIO(zipped(**GOOD))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(LIST, listed())
    with pytest.raises(WorkspaceError, match="two parts of one name"):
        unpack(buffer.getvalue(), MOST)


def test_a_protected_file_is_refused():
    data = bytearray(zipped(**GOOD))
    place = data.find(b"PK\x01\x02")
    data[place + 8 : place + 10] = struct.pack("<H", 1)
    with pytest.raises(WorkspaceError, match="protected by a password"):
        unpack(bytes(data), MOST)


def test_a_bomb_is_not_unpacked():
    data = zipped(**GOOD | {f"files/{DIGEST}": bytes(60 * 2**20)})
    assert len(data) < 2**17
    with pytest.raises(WorkspaceError, match="unpacks to more than the 50 MB"):
        unpack(data, MOST)


def test_a_bomb_that_lies_about_its_size_gives_no_more_than_it_declared():
    data = bytearray(zipped(**GOOD | {f"files/{DIGEST}": bytes(60 * 2**20)}))
    while (place := data.find(struct.pack("<I", 60 * 2**20))) >= 0:
        data[place : place + 4] = struct.pack("<I", 7)
    (item,) = unpack(bytes(data), MOST)
    with pytest.raises(WorkspaceError, match=r"damaged|altered"):
        item.content()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_never_raises_anything_else(packed, data):
    place = data.draw(st.integers(0, len(packed) - 1))
    length = data.draw(st.integers(1, 40))
    harmed = packed[:place] + data.draw(st.binary(min_size=length, max_size=length)) + packed[place + length :]
    cut = data.draw(st.sampled_from([harmed, harmed[:place], harmed[place:]]))
    try:
        found = opened(unpack(cut, MOST), own=False)
    except OPNBError as error:
        answer = str(error)
    else:
        answer = f"{len(found.snapshot.fits)} fits"
    assert answer


def test_a_small_file_that_unpacks_to_a_large_one_is_refused_before_it_does():
    content = bytes(40 * 2**20)
    packed = zipped(**GOOD | {f"files/{digest_of(content)}": content})
    assert len(packed) < 2**20
    with pytest.raises(WorkspaceError, match=r"unpacks to [\d,]+ times its size"):
        unpack(packed, 500 * 2**20)


def test_tables_from_elsewhere_are_limited_as_they_are_read(packed):
    with pytest.raises(WorkspaceError, match=r"larger than a workspace from elsewhere|more than the limit"):
        opened(unpack(packed, MOST), own=False, most=100)
    assert opened(unpack(packed, MOST), own=False, most=10**7).snapshot.fits
