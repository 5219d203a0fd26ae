"""JSON and ARFF."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from opnb.data import Limits, prepare, read_table
from opnb.errors import ReadingError
from tests.data.messy_files import NAMES, ROWS

RECORDS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
FRAME = pd.DataFrame(RECORDS)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RECORDS),
        json.dumps(RECORDS, indent=2),
        "\n".join(map(json.dumps, RECORDS)),
        FRAME.to_json(),
        json.dumps(FRAME.to_dict("list")),
    ],
)
@pytest.mark.parametrize("name", ["rows.json", "a file"])
def test_json_of_records_and_columns(text, name):
    table = read_table(text.encode(), name=name)
    pd.testing.assert_frame_equal(table.frame, FRAME)
    assert table.settings.sentence() == "JSON file."
    assert prepare(table).class_names == ("a", "b")
    assert read_table(gzip.compress(text.encode()), name=name + ".gz").settings.compressed


def test_json_values():
    text = '[{"a": 1, "b": "5 %", "c": true}, {"a": 2, "b": null, "d": "NA"}, {"a": 3, "c": false, "d": "x"}]'
    frame = read_table(text.encode()).frame
    assert frame["a"].dtype == np.int64
    assert frame["b"].tolist()[0] == 5
    assert frame["c"].tolist()[0] == "True"
    assert frame["d"].isna().tolist() == [True, True, False]
    assert read_table(f'[{{"a": 1, "b": {"9" * 400}}}]'.encode()).frame["b"][0] == np.inf


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"a": 1, "b": [1, 2]}]', "a list or an object within 'b' .record 1."),
        ('[{"a": 1, "b": {"c": 2}}]', "a list or an object within 'b'"),
        ('{"a": [1, 2], "b": [1]}', "not of one length: 'b' has 1 values, 'a' has 2"),
        ("[[1, 2], [3, 4]]", "Save it as a list of records"),
        ("[]", "an empty list"),
        ("{}", "an empty list"),
        ("3", "not a table"),
        ('[{"a": 1,', "not valid JSON .line 1"),
        ('{"a": 1}\n{"a": 2', "not valid JSON"),
        ('[{"a": 1}]', "one column"),
        ("[" * 100_000, "values within values|nested values"),
        ('{"a":' * 50_000, "values within values"),
    ],
)
def test_json_that_is_no_table(text, words):
    with pytest.raises(ReadingError, match=words):
        read_table(text.encode(), name="t.json")


def test_json_limits():
    with pytest.raises(ReadingError, match="more records than the limit of 20"):
        read_table(json.dumps(RECORDS).encode(), limits=Limits(max_rows=20, max_columns=5))
    with pytest.raises(ReadingError, match="cells"):
        read_table(json.dumps(FRAME.to_dict("list")).encode(), limits=Limits(max_cells=30))


ARFF = """% made by us
@RELATION flowers
@attribute 'the length' NUMERIC
@attribute width real % in cm
@ATTRIBUTE kind {a,'b c'}
@data
% a comment
5.1, 3.5, a
4.9,?,'b c'
4.7,3.1,a
"""


def test_arff():
    table = read_table(ARFF.encode(), name="flowers.arff")
    assert list(table.frame.columns) == ["the length", "width", "kind"]
    assert table.frame["kind"].tolist() == ["a", "b c", "a"]
    assert np.isnan(table.frame["width"][1])
    assert table.settings.sentence() == "ARFF file."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ARFF.split("@data")[0], "no line '@data'"),
        (ARFF.split("5.1")[0], "no rows below"),
        ("@relation a\n@data\n1,2\n", "no line '@attribute'"),
        ("@relation a\n@attribute\n@data\n1,2\n", "Line 2 .* names no attribute"),
        (ARFF.split("5.1")[0] + "{0 5.1, 2 a}\n", "sparse rows"),
        (ARFF + "1,2\n", "Line 11 has 2 cells but the list of attributes has 3"),
    ],
)
def test_arff_that_cannot_be_read(text, words):
    with pytest.raises(ReadingError, match=words):
        read_table(text.encode())
