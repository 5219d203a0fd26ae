"""Reading results: foreign and hostile files, and lines that were cut short."""

import math
from dataclasses import replace

import pytest

from opnb import __version__
from opnb.benchmark import COLUMNS, Protocol, Row, read_results
from opnb.benchmark import results as reading
from opnb.benchmark.results_file import ResultsFile
from opnb.benchmark.rows import line_of
from opnb.errors import DataError
from tests.benchmark.samples import row

PROTOCOL = Protocol(["iris"], ["LDA"])
API = "dataset,method,repeat,error,log_loss,seconds_tune,seconds_fit,params,n,p,K,status,message"
LINE = 'iris,LDA,0,0.1,,1.5,0.5,"{""lam"": 0.1}",150,4,3,ok,'


def changed(old, new):
    """A foreign file whose one line has something else in one place."""
    return f"{API}\n{LINE.replace(old, new, 1)}\n".encode()


def file_of(*rows):
    return b"".join([line_of(None), *map(line_of, rows)])


def test_rows_survive_writing_and_reading():
    rows = [
        row("a", "OPNB", 0, 0.123456789012345, log_loss=math.inf, params='{"lam": 1e-05, "x": "a, \\"b\\""}'),
        row("b, c", "SVM", 11, 0.0, log_loss=math.nan, message='two\nlines, "quoted"'),
        row("ä", "NB", status="timeout", message="given up after 3 s"),
    ]
    data = file_of(*rows)
    assert data.count(b"\n") == 4
    frame = read_results(data).frame
    assert tuple(frame.columns) == COLUMNS
    assert frame["error"].tolist()[:2] == [0.123456789012345, 0.0]
    assert frame["log_loss"][0] == math.inf
    assert frame["params"][0] == rows[0].params
    assert frame["message"].tolist() == ["", 'two lines, "quoted"', "given up after 3 s"]
    assert frame["n"].isna().tolist() == [False, False, True]


def test_columns_are_those_of_the_contract():
    assert ",".join(COLUMNS).startswith(API)


def test_the_contract_columns_are_enough():
    frame = read_results(f"{API}\n{LINE}\n".encode()).frame
    assert frame["error"].tolist() == [0.1]
    assert frame["share_binary"].isna().all()
    shuffled = "mine," + ",".join(reversed(API.split(",")))
    cells = ["=cmd()", "", "ok", "3", "4", "150", "{}", "0.5", "1.5", "", "0.1", "0", "LDA", "iris"]
    assert read_results(f"{shuffled}\n{','.join(cells)}\n".encode()).frame["K"].tolist() == [3]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b\n1,2\n", "no column 'dataset', 'method', 'repeat' and others"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is not (UTF-8 )?text"),
        ("Ergebnis;Fehler\nä;1\n".encode("latin-1"), "not UTF-8 text"),
        (f"{API}\niris,LDA\n".encode(), "line 2: 2 cells, but the first line has 13"),
        (f"{API},error\n{LINE},1\n".encode(), "more than one column 'error'"),
        (f"{API}\n{LINE}\n{LINE}\n".encode(), "line 3: a second row of LDA on 'iris', repeat 0"),
        (changed("0.1,", "low,"), "error must be a number from 0 to 1"),
        (changed("0.1,", "nan,"), "error must be a number"),
        (changed("0.1,", "1.1,"), "error must be a number"),
        (changed("LDA,0", "LDA,-1"), "repeat must be a whole number"),
        (changed("LDA,0", "LDA," + "9" * 30), "repeat must be a whole number"),
        (changed("150", "1e3"), "n must be a whole number"),
        (changed("150", ""), "status is ok, but"),
        (changed("ok", "failed"), "status is failed, but there is an error rate"),
        (changed("ok", "fine"), "status must be one of ok, failed, timeout"),
        (changed("iris", "  "), "dataset must be a name"),
        (changed("iris", "i" * 300), "dataset must be a name"),
        (changed("iris", chr(27) + "[2J"), "dataset must be a name"),
        (changed('""lam""', "__import__(1)"), "params must be a JSON object"),
        (changed('{""lam"": 0.1}', "[" * 9000), "params must be a JSON object"),
        (changed('{""lam"": 0.1}', "x" * 30_000), "params has 30,000 characters"),
        (f'{API}\n"iris,LDA\n'.encode(), "line 2: not CSV"),
        (f"{API}\n{'x' * 200_000},LDA\n".encode(), "line 2: not CSV"),
    ],
)
def test_foreign_files_get_a_clear_error(data, words):
    with pytest.raises(DataError, match=words):
        read_results(data)


def test_a_file_that_is_too_large_or_not_there(monkeypatch, tmp_path):
    path = tmp_path / "results.csv"
    path.write_bytes(file_of(row("a", "LDA"), row("b", "LDA")))
    with pytest.raises(DataError, match="No such file"):
        read_results(tmp_path / "none.csv")
    monkeypatch.setattr(reading, "MOST_RESULTS", 1)
    with pytest.raises(DataError, match="more than 1 rows"):
        read_results(path)
    monkeypatch.setattr(reading, "MAX_BYTES", 100)
    with pytest.raises(DataError, match="more than"):
        read_results(path)


def test_a_file_cut_anywhere_keeps_its_whole_lines():
    first, second = row("ä", "LDA", params='{"a": "b"}'), row("b", "LDA", message="x")
    whole = file_of(first)
    data = file_of(first, second)
    for end in range(len(whole), len(data)):
        found = read_results(data[:end])
        assert found.frame["dataset"][0] in ("ä", "b")
        assert len(found.frame) == 1 or end >= len(data) - len(f"{__version__}\n")
        assert set(found.frame["version"][found.frame["dataset"] == "b"]) <= {""}
        if end > len(whole) and len(found.frame) == 1:
            assert "was cut short" in found.notes[0]


def settled(dataset):
    return row(dataset, "LDA", protocol=PROTOCOL.settings())


def test_opening_cuts_off_what_was_not_finished(tmp_path):
    whole = file_of(settled("a"), settled("b"))
    more = line_of(settled("c"))
    for end in range(0, len(whole + more), 23):
        path = tmp_path / f"{end}.csv"
        path.write_bytes((whole + more)[:end])
        with ResultsFile(path, PROTOCOL, resume=True) as file:
            names = {task.dataset for task in file.finished}
            assert len(names) == max((whole + more)[:end].count(b"\n") - 1, 0)
            for dataset in {"a", "b", "c"} - names:
                file.append(settled(dataset))
        assert path.read_bytes().startswith(line_of(None))
        assert sorted(read_results(path).frame["dataset"]) == ["a", "b", "c"]


def test_a_row_is_never_written_twice(tmp_path):
    with ResultsFile(tmp_path / "r.csv", PROTOCOL, resume=False) as file:
        file.append(settled("a"))
        with pytest.raises(DataError, match="already"):
            file.append(settled("a"))


def test_files_that_must_not_be_touched(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(file_of(settled("a")))
    with pytest.raises(DataError, match=r"is there already\. Add --resume"):
        ResultsFile(path, PROTOCOL, resume=False)
    with pytest.raises(DataError, match="made with other settings"):
        ResultsFile(path, Protocol(["iris"], ["LDA"], seed=1), resume=True)
    with ResultsFile(path, PROTOCOL, resume=True), pytest.raises(DataError, match="Another run is writing"):
        ResultsFile(path, PROTOCOL, resume=True)
    for foreign in (b"my diary", b"a,b\n1,2\n", f"{API}\n{LINE}\n".encode()):
        path.write_bytes(foreign)
        with pytest.raises(DataError, match=r"results file|other columns"):
            ResultsFile(path, PROTOCOL, resume=True)
        assert path.read_bytes() == foreign
    with pytest.raises(DataError, match="cannot be written"):
        ResultsFile(tmp_path / "no" / "r.csv", PROTOCOL, resume=False)


def test_a_row_says_which_version_made_it():
    assert read_results(file_of(row("a", "LDA"))).frame["version"].tolist() == [__version__]
    mixed = read_results(file_of(row("a", "LDA", version="0.2.0"), row("b", "LDA", version="0.3.0")))
    assert mixed.notes == ("The rows were made by different versions of the program: 0.2.0, 0.3.0.",)
    assert read_results(f"{API}\n{LINE}\n".encode()).frame["version"].tolist() == [""]
    with pytest.raises(DataError, match="version must be a version such as"):
        read_results(f"{API},version\n{LINE},<b>\n".encode())


def test_continuing_a_file_of_another_version_says_so(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(file_of(settled("a")))
    with ResultsFile(path, PROTOCOL, resume=True) as file:
        assert file.notes == ()
    path.write_bytes(file_of(settled("a"), replace(settled("b"), version="0.1.9")))
    with ResultsFile(path, PROTOCOL, resume=True) as file:
        (said,) = file.notes
        assert "1 by version 0.1.9" in said
        assert f"this is {__version__}" in said
        file.append(settled("c"))
    assert read_results(path).frame["version"].tolist() == [__version__, "0.1.9", __version__]


def test_a_row_knows_its_task():
    assert Row("a", "NB", 3).task == row("a", "NB", 3).task
