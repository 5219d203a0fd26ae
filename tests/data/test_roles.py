"""Roles and targets proposed for columns."""

import numpy as np
import pandas as pd
import pytest

from opnb.data import Table, propose, read_table
from opnb.data.roles import suspected_codes

N = 40
LETTERS = ["u", "v"] * (N // 2)
COLUMNS = {
    "height": (np.linspace(1, 2, N), "number"),
    "rating": ([1, 2] * (N // 2), "number"),
    "colour": (LETTERS, "category"),
    "row": (range(1, N + 1), "identifier"),
    "patient_id": ([7 * i % 97 for i in range(N)], "identifier"),
    "price": ([7 * i % 97 for i in range(N)], "number"),
    "code": ([f"A{i}" for i in range(N)], "identifier"),
    "remark": ([f"patient number {i} was well" for i in range(N)], "free text"),
    "day": ([f"2020-01-{i % 28 + 1:02d}" for i in range(N)], "date"),
    "other day": ([f"{i % 28 + 1}.3.2020" for i in range(N)], "date"),
    "stamp": (pd.date_range("2020-01-01", periods=N), "date"),
    "same": ([5] * N, "constant"),
    "empty": ([None] * N, "constant"),
    "mixed": (["oops", *map(str, range(N - 1))], "number"),
    "many": ([f"B{i // 2}" for i in range(200)], "identifier"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_role(name):
    values, role = COLUMNS[name]
    frame = pd.DataFrame({name: list(values)})
    frame["other"] = np.arange(len(frame)) % 2
    assert propose(Table.from_frame(frame, "t")).role(name) == role


def test_notes_say_why():
    frame = pd.DataFrame({name: list(COLUMNS[name][0]) for name in ("row", "same", "empty", "mixed", "remark")})
    notes = {column.name: column.note for column in propose(Table.from_frame(frame, "t")).columns}
    assert notes["row"] == "counts the rows"
    assert notes["same"] == "is always 5"
    assert notes["empty"] == "is empty"
    assert "1 of 40 values are not ('oops' in row 1)" in notes["mixed"]
    assert "5 words" in notes["remark"]


@pytest.mark.parametrize(
    ("names", "target"),
    [
        (["Species", "a", "b"], "Species"),
        (["y", "Class", "b"], "Class"),
        (["a", "TARGET", "label"], "TARGET"),
        (["a", "outcome", "b"], "outcome"),
        (["a", "b", "c"], "c"),
    ],
)
def test_target_by_name_then_by_place(names, target):
    frame = pd.DataFrame(dict.fromkeys(names, LETTERS))
    assert propose(Table.from_frame(frame, "t")).target == target


def test_target_needs_few_values():
    frame = pd.DataFrame({"group": LETTERS, "a": np.linspace(0, 1, N), "same": [1] * N})
    assert propose(Table.from_frame(frame, "t")).target == "group"
    assert propose(Table.from_frame(frame[["a", "same"]], "t")).target is None


def test_numbers_with_commas_and_with_points_are_numbers_still():
    lines = [f"{i},5;{'ab'[i % 2]}" for i in range(30)] + ["2.5;a"]
    table = read_table("\n".join(["size;kind", *lines]).encode(), name="t.csv")
    column = propose(table).columns[0]
    assert column.role == "number"
    assert "not all written in the same way" in column.note


def target_of(**columns):
    return propose(Table.from_frame(pd.DataFrame(columns), "t")).target


LETTERS_26 = [chr(65 + i % 26) for i in range(260)]
FLOATS = np.linspace(0, 1, 260)
MANY = np.arange(260) * 7 % 251 / 4
BINARY = [0, 1] * 130


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"a": FLOATS, "letter": LETTERS_26}, "letter"),
        ({"letter": LETTERS_26, "a": FLOATS, "b": np.arange(260) % 15}, "letter"),
        ({"kind": ["u", "v"] * 130, "y": np.arange(260) % 22 / 10}, "kind"),
        ({"a": FLOATS, "y": MANY}, "y"),
        ({"y": np.arange(260) % 7, "kind": ["u", "v"] * 130}, "y"),
        ({"target": np.arange(260) % 26, "b": np.arange(260) % 15}, "target"),
        ({"sex": ["f", "m"] * 130, "a": FLOATS, "default": BINARY}, "default"),
        ({"a": FLOATS, "flag": [True, False] * 130, "b": MANY}, "flag"),
        ({"Class": BINARY, "a": FLOATS, "town": ["x", "y"] * 130}, "Class"),
        ({"outcome": [0.0, 1.0] * 130, "a": FLOATS, "b": MANY}, "outcome"),
        ({"label": [True, False] * 130, "a": FLOATS}, "label"),
        ({"few": np.arange(260) % 4 / 4, "a": FLOATS}, "few"),
        ({"rank": np.arange(260) % 5, "few": np.arange(260) % 4 / 4, "a": FLOATS}, "rank"),
        ({"a": FLOATS, "b": MANY}, None),
    ],
)
def test_the_target_a_person_would_choose(columns, target):
    assert target_of(**columns) == target


def test_columns_by_role():
    frame = pd.DataFrame({name: list(COLUMNS[name][0]) for name in ("height", "colour", "row", "price", "same", "day")})
    assert propose(Table.from_frame(frame, "t")).by_role() == {
        "number": ("height", "price"),
        "category": ("colour",),
        "identifier": ("row",),
        "date": ("day",),
        "constant": ("same",),
    }


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1.5, 2.5, 3.5, -999], (-999,)),
        ([1, 2, 3, 9999, -999], (-999, 9999)),
        ([20, 35, 61, -1], (-1,)),
        ([0, 20, 35, -1], (-1,)),
        ([0, 1, 2, -1], ()),
        ([-1, 0, 1], ()),
        ([80, 90, 95, 99], ()),
        ([1, 2, 3, 99], (99,)),
        ([-5000, 6000, 9999], ()),
        ([-999], ()),
        ([1, 2, 1000], ()),
        ([1, 2, np.inf, -999], (-999,)),
        ([], ()),
    ],
)
def test_codes_for_missing_values_are_suspected(values, codes):
    assert suspected_codes(np.array(values, dtype=float)) == codes


def test_suspected_codes_are_told():
    frame = pd.DataFrame({"a": [*range(38), -999, -999], "other": LETTERS})
    column = propose(Table.from_frame(frame, "t")).columns[0]
    assert column.codes == (-999,)
    assert column.note == "holds -999, which may stand for a missing value"
