"""Numbers with percent signs, currencies, units and marks between thousands are numbers, and it is said."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.data import prepare, propose, read_table
from opnb.data.marks import without_marks
from tests.data.messy_files import book_of


def column_of(*cells, kind="x"):
    return read_table("\n".join(["size\tkind", *(f"{cell}\t{kind}" for cell in cells)]) + "\n")


@pytest.mark.parametrize(
    ("cells", "values", "words"),
    [
        (["5%", "12.5 %", "0"], [5, 12.5, 0], "a percent sign"),
        (["$1,234.50", "-$5.00", "$-6.00"], [1234.5, -5, -6], "the currency '$'"),
        (["1.234,50 €", "−5,25 €", "7,00 €"], [1234.5, -5.25, 7], "the currency '€'"),
        (["CHF 1'234.50", "CHF 12’345.00"], [1234.5, 12345], "the currency 'CHF'"),
        (["1 234,5 EUR", "5,5 EUR"], [1234.5, 5.5], "the currency 'EUR'"),
        (["£5", "£6", "NA"], [5, 6, np.nan], "the currency '£'"),
        (["12 kg", "5.5kg"], [12, 5.5], "the unit 'kg'"),
        (["3 m/s", "4 m/s"], [3, 4], "the unit 'm/s'"),
        (["20 °C", "-3 °C"], [20, -3], "the unit '°C'"),
        (["1e3 kg", "2e3 kg"], [1000, 2000], "the unit 'kg'"),
    ],
)
def test_marks_are_taken_off_and_told(cells, values, words):
    table = column_of(*cells)
    np.testing.assert_array_equal(table.frame["size"], values)
    assert f"Column 'size' holds numbers with {words}, which was taken off." in table.notes


@pytest.mark.parametrize("cells", [["1,234.5", "12"], ["1'234.5", "12"], ["1’234.5", "12"], ["1 234.5", "12"]])
def test_marks_between_thousands(cells):
    table = column_of(*cells)
    assert table.frame["size"].tolist() == [1234.5, 12]
    assert "thousands separators" in table.notes[0]


@pytest.mark.parametrize(
    "cells", [["12 kg", "5 g", "3 mg"], ["A12", "A13"], ["2020-01-01", "2020-01-02"], ["12:30", "13:00"], ["5a", "6b"]]
)
def test_what_has_no_common_mark_stays_text(cells):
    assert column_of(*cells).frame["size"].tolist() == cells


def test_a_few_words_among_marked_numbers():
    table = column_of(*[f"{i} kg" for i in range(30)], "unknown")
    assert "Column 'size' holds the unit 'kg', which was taken off." in table.notes
    assert propose(table).role("size") == "number"


def test_marked_columns_are_covariates_not_dummies():
    lines = [f'{i / 10}%,"${i},000.00",{"ab"[i % 2]}' for i in range(1, 61)]
    data = prepare(read_table("\n".join(["share,price,kind", *lines])))
    assert data.feature_names == ("share", "price")
    assert any("'price' holds numbers with the currency '$'" in line for line in data.account)


def test_marks_in_excel_and_the_hash():
    book = book_of(Data=[["price", "kind"], ["$5", "a"], ["$6", "b"], ["$7", "a"]])
    assert read_table(book).frame["price"].tolist() == [5, 6, 7]


@settings(max_examples=60, deadline=None)
@given(
    numbers=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=20),
    mark=st.sampled_from(["%", " %", " kg", "cm", " €", " USD"]),
)
def test_a_mark_gives_the_number_back(numbers, mark):
    bare, words = without_marks(pa.array([f"{number}{mark}" for number in numbers]))
    assert bare.to_pylist() == [str(number) for number in numbers]
    assert mark.strip() in words or words == "a percent sign"
