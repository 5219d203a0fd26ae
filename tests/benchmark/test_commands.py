import argparse
import re

import pytest

from opnb import __version__
from opnb.benchmark import read_results
from opnb.benchmark.rows import line_of
from opnb.cli.benchmark import add_benchmark, add_summarise
from opnb.errors import DataError
from tests.benchmark.samples import results_of, row


def command(add, *arguments):
    parser = argparse.ArgumentParser()
    add(parser)
    options = parser.parse_args([str(argument) for argument in arguments])
    options.run(options)


def test_benchmark_then_summarise(cache, tmp_path, capsys):
    out, report, folder = tmp_path / "results.csv", tmp_path / "report.html", tmp_path / "tables"
    common = ["--datasets", "iris,wine", "--repeats", 2, "--seed", 0, "--data-dir", cache, "--out", out]
    command(add_benchmark, *common, "--methods", "LDA, RDA", "--max-rows", 60)
    captured = capsys.readouterr()
    assert captured.out == f"{out} has 8 rows: 8 ok.\n"
    assert "8 of 8 rows" in captured.err
    out.write_bytes(out.read_bytes().replace(f",{__version__}\n".encode(), b",0.1.5\n", 1))
    command(add_benchmark, *common, "--methods", "LDA,RDA,NB", "--max-rows", 60, "--resume")
    captured = capsys.readouterr()
    assert "has 12 rows" in captured.out
    assert captured.err.startswith(f"{out} has rows that another version made (1 by version 0.1.5); this is")
    command(add_summarise, out, "--report", report, "--tables", folder)
    printed = capsys.readouterr().out
    assert printed.startswith("2 data sets, 3 methods, 2 repeats: 12 rows.\nThe rows were made by different versions")
    assert "| method |" in printed
    assert "The dissection needs at least" in printed
    assert report.read_text().lstrip().lower().startswith("<!doctype html>")
    assert (folder / "wins.csv").exists()


def test_all_means_the_whole_folder(cache, tmp_path, capsys):
    out = tmp_path / "results.csv"
    arguments = ["--datasets", "all", "--methods", "RDA", "--repeats", 1, "--data-dir", cache, "--out", out]
    command(add_benchmark, *arguments, "--max-rows", 60)
    assert sorted(read_results(out).frame["dataset"]) == ["broken", "iris", "wine"]
    assert capsys.readouterr().out == f"{out} has 3 rows: 2 ok, 1 failed.\n"
    with pytest.raises(DataError, match="give the folder by --data-dir"):
        command(add_benchmark, "--datasets", "all", "--out", tmp_path / "none.csv")


def test_mistakes_are_named(cache, tmp_path):
    out = tmp_path / "results.csv"
    with pytest.raises(DataError, match="there is no 'XGB'"):
        command(add_benchmark, "--datasets", "iris", "--methods", "XGB", "--data-dir", cache, "--out", out)
    with pytest.raises(DataError, match="cannot be read"):
        command(add_summarise, tmp_path / "none.csv")
    out.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(DataError, match="no results file"):
        command(add_summarise, out)


def test_an_interrupt_says_how_to_go_on(cache, tmp_path, monkeypatch, capsys):
    def interrupt(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("opnb.benchmark.run_benchmark", interrupt)
    with pytest.raises(SystemExit) as stopped:
        command(add_benchmark, "--datasets", "iris", "--data-dir", cache, "--out", tmp_path / "results.csv")
    assert stopped.value.code == 130
    assert "continue with --resume" in capsys.readouterr().err


def test_methods_of_a_summary_can_be_chosen(tmp_path, capsys):
    out = tmp_path / "results.csv"
    frame = results_of({"A": [0.1, 0.2], "B": [0.2, 0.3], "C": [0.1, 0.1]}).frame
    frame.to_csv(out, index=False)
    assert out.read_bytes().startswith(line_of(None))
    command(add_summarise, out, "--methods", "A,B")
    assert "2 : 0 (0)" in capsys.readouterr().out


def test_names_in_the_tables_are_no_formulas(tmp_path):
    results = tmp_path / "results.csv"
    rows = [row(name, method) for name in ("=cmd()", "@b") for method in ("LDA", "-NB")]
    results.write_bytes(line_of(None) + b"".join(map(line_of, rows)))
    command(add_summarise, results, "--tables", tmp_path / "tables")
    written = "".join(file.read_text("utf-8-sig") for file in (tmp_path / "tables").glob("*.csv"))
    assert "'=cmd()" in written
    assert not re.search(r"(^|,)(=cmd|@b|-NB)", written, re.MULTILINE)
