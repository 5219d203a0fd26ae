"""Files in pieces on the command line; the tasks run in this thread, a real cluster is in tests/estimators."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from opnb import load_model
from opnb.cli import main, scattered
from opnb.views.bare import bare_projected

dask = pytest.importorskip("dask")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write three files of rows with a number that lacks values, a category and a class, and use no cluster."""
    monkeypatch.setattr(scattered, "_workers", lambda options: nullcontext())
    rng = np.random.default_rng(0)
    for number in range(3):
        kind = rng.integers(0, 2, 200)
        frame = pd.DataFrame(
            {
                "length": rng.normal(3.0 * kind, 1.0),
                "width": np.where(rng.random(200) < 0.05, np.nan, rng.normal(-2.0 * kind, 1.0)),
                "colour": rng.choice(["red", "blue"], 200),
                "kind": np.array(["ant", "bee"])[kind],
            }
        )
        frame.to_parquet(tmp_path / f"rows-{number}.parquet")
        frame.to_csv(tmp_path / f"rows-{number}.csv", index=False)
    with dask.config.set(scheduler="synchronous"):
        yield tmp_path


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_pattern_of_files_is_fitted_in_pieces(files, capsys, kind):
    out = files / "model.opnb"
    command = ["fit", str(files / f"rows-*.{kind}"), "--target", "kind", "--components", "2", "--out", str(out)]
    assert main([*command, "--max-iter", "5"]) == 0
    printed = capsys.readouterr().out
    assert "The first 600 rows told what the columns are." in printed
    errors = [line for line in printed.splitlines() if " error " in line]
    assert [line.split()[0] for line in errors] == ["Training", "Held-out"]
    model = load_model(out)
    assert model.feature_names_in_.tolist() == ["length", "width", "colour = red"]
    assert model.classes_.tolist() == ["ant", "bee"]
    assert bare_projected(model).along.shape == (2, len(model.sample_.y))
    assert main(["predict", str(out), str(files / "rows-0.csv"), "--out", str(files / "said.csv")]) == 0
    said = pd.read_csv(files / "said.csv")
    known = said["predicted"].notna()
    assert (said["predicted"] == said["kind"])[known].mean() > 0.9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--auto", "--target", "kind"], "--auto needs all rows at once"),
        ([], "name its column"),
        (["--target", "kind", "--likelihood", "leave-one-out"], "where all rows are in one memory"),
        (["--target", "kind", "--missing-code", "-9"], "write --missing-code COLUMN=-9"),
        (["--target", "size"], "no column 'size'"),
    ],
)
def test_what_cannot_be_done_in_pieces_is_said(files, capsys, options, words):
    assert main(["fit", str(files / "rows-*.parquet"), *options]) == 2
    assert words in capsys.readouterr().err


def test_only_parquet_and_csv_are_read_in_pieces(files, capsys):
    assert main(["fit", str(files / "rows-*.xlsx"), "--target", "kind"]) == 2
    assert "Only Parquet and CSV" in capsys.readouterr().err
