"""Which tables of other packages are taken, and what of them."""

import numpy as np
import pandas as pd
import pytest

from tests.bench.fresh import DESIGN, alike, columns_of, drawn, is_design, usable


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    n = 200
    return pd.DataFrame(
        {
            "length": random.normal(size=n),
            "width": random.normal(size=n),
            "colour": random.choice(["red", "green", "blue"], n),
            "label": [f"row {number}" for number in range(n)],
            "kind": np.repeat(["rare", "this", "that"], [10, 100, 90]),
        }
    )


def test_the_last_column_of_few_words_is_the_class_and_names_of_rows_are_left_out(table):
    taken = usable(table, last=False)
    assert list(taken) == ["c0", "c1", "c2", "c3", "target"], "two numbers, and two of three colours"
    assert len(taken) == 190, "without the class of ten"
    assert taken["target"].value_counts().to_dict() == {1: 100, 0: 90}
    assert taken.drop(columns="target").dtypes.eq(float).all()


def test_a_class_of_numbers_is_taken_where_the_package_says_it_is_the_last(table):
    table["code"] = np.repeat([1, 2], 100)
    assert usable(table.drop(columns="kind"), last=True)["target"].nunique() == 2
    assert usable(table.drop(columns=["kind", "colour"]), last=False) is None, "no column of words is left for a class"


def test_what_lacks_much_goes_as_a_column_and_what_lacks_little_as_a_row(table):
    table["lacks much"] = np.where(np.arange(200) < 50, np.nan, 1.0 * np.arange(200))
    table.loc[[20, 30], "length"] = np.nan
    taken = usable(table, last=False)
    assert taken.shape == (188, 5)
    assert not taken.isna().any(axis=None)


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda table: table.head(90),
        lambda table: table[["length", "kind"]],
        lambda table: table.assign(kind="this", colour="red"),
        lambda table: table.assign(kind=[f"{number}" for number in range(200)], colour="red"),
    ],
    ids=["few rows", "few columns", "one class", "no class"],
)
def test_a_table_that_does_not_fit_the_rule_is_left_out(table, spoilt):
    assert usable(spoilt(table), last=False) is None


def test_tables_with_a_column_in_common_are_alike_however_it_is_called(table):
    taken = usable(table, last=False)
    shuffled = taken.sample(frac=1, random_state=0).rename(columns={"c0": "x"})[["x", "c2", "target"]]
    assert alike(columns_of(taken), columns_of(shuffled))
    assert not alike(columns_of(taken), columns_of(taken.assign(c0=taken["c0"] + 1, c1=taken["c1"] + 1)))
    assert not alike(columns_of(taken), columns_of(taken.head(50))), "too few rows to be the same"


def test_the_lot_is_the_same_at_any_time_and_whatever_the_order():
    assert drawn(["b", "a", "c"]) == drawn({"c", "b", "a"})


def test_a_package_designs_or_judges_with_all_its_tables():
    assert sorted(DESIGN, key=lambda name: name) == list(DESIGN)
    assert is_design("AER_Affairs")
    assert not is_design("COUNT_medpar")
    assert not is_design("AERIAL_photos")
