"""Roles and targets proposed for columns."""

import numpy as np
import pandas as pd
import pytest

from opnb.data import Table, propose, read_table

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
