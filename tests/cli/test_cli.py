import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pandas as pd
import pytest

from opnb import __version__, load_model
from opnb.cli.commands import main
from opnb.data import example_table

ROOT = Path(__file__).parents[2]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "penguins.csv"
    example_table("penguins").frame.to_csv(path, index=False)
    return path


def test_fit_then_predict(table, tmp_path, capsys):
    model, report, out = tmp_path / "model.opnb", tmp_path / "report.html", tmp_path / "predictions.csv"
    settings = ["--target", "species", "--lam", "0.001", "--penalty", "pooled", "--components", "2"]
    assert main(["fit", str(table), *settings, "--out", str(model), "--report", str(report)]) == 0
    printed = capsys.readouterr().out
    assert "Left out 11 rows" in printed
    assert "Held-out error" in printed
    assert report.read_text().lstrip().lower().startswith("<!doctype html>")
    assert load_model(model).penalty == "pooled"
    assert main(["predict", str(model), str(table), "--out", str(out)]) == 0
    predictions, given = pd.read_csv(out), pd.read_csv(table)
    added = ["predicted", "P(Adelie)", "P(Chinstrap)", "P(Gentoo)", "familiarity", "problem"]
    assert predictions.columns.tolist() == [*given.columns, *added]
    pd.testing.assert_frame_equal(predictions[given.columns], given)
    assert (predictions.predicted == given.species).sum() > 0.95 * predictions.predicted.notna().sum()
    assert (predictions.problem.notna() == predictions.predicted.isna()).all()
    assert predictions.problem.notna().sum() == 11


def test_predictions_are_printed_without_out(table, tmp_path, capsys):
    model = tmp_path / "model.opnb"
    assert main(["fit", str(table), "--components", "1", "--test-size", "0", "--out", str(model)]) == 0
    capsys.readouterr()
    assert main(["predict", str(model), str(table)]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 1 + len(pd.read_csv(table))
    assert "11 rows of 344 could not be predicted" in captured.err


def test_lam_by_cross_validation(table, capsys):
    assert main(["fit", str(table), "--lam", "cv", "--components", "1", "--max-iter", "10"]) == 0
    assert "Cross-validation chose lam" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "nowhere.csv"], "nowhere.csv"),
        (["fit", "TABLE", "--target", "colour"], "no column 'colour'"),
        (["fit", "TABLE", "--lam", "0"], "lam must be positive"),
        (["fit", "TABLE", "--components", "99"], "n_components=99"),
        (["predict", "TABLE", "TABLE"], "not a model file"),
        (["predict", "nowhere.opnb", "TABLE"], "no model file at"),
    ],
)
def test_mistakes_are_one_line_and_status_two(table, capsys, arguments, message):
    assert main([str(table) if a == "TABLE" else a for a in arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_model_without_a_recipe_says_so(table, tmp_path, capsys):
    from sklearn.datasets import load_iris

    from opnb import OPNBClassifier

    path = tmp_path / "bare.opnb"
    OPNBClassifier(n_components=1).fit(*load_iris(return_X_y=True)).save(path)
    assert main(["predict", str(path), str(table)]) == 2
    assert "does not say how to prepare" in capsys.readouterr().err


def test_runs_as_a_module(table):
    command = [sys.executable, "-m", "opnb", "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert "predict" in result.stdout


def test_app_runs_the_app_of_the_checkout(monkeypatch):
    asked = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda arguments, **_: asked.append(arguments))
    assert main(["app"]) == 0
    assert main(["app", "--port", "8600", "--no-browser", "--", "--server.address", "0.0.0.0"]) == 0
    first = ["run", str(ROOT / "app.py")]
    options = ["--server.port", "8600", "--server.headless", "true", "--server.address", "0.0.0.0"]
    assert asked == [first, [*first, *options]]


def test_the_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"opnb {__version__}\n"


def test_health_asks_the_server(capsys):
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path != "/ill/healthz" else 503)
            self.end_headers()
            answers = {"/healthz": b'{"status": "ok"}', "/ill/healthz": b'{"disk": "failing"}'}
            self.wfile.write(answers.get(self.path, b"something else"))

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("localhost", 0), Answer) as server:
        threading.Thread(target=server.serve_forever).start()
        address = f"http://localhost:{server.server_port}"
        assert main(["health", address]) == 0
        assert capsys.readouterr().out == "ok\n"
        assert main(["health", f"{address}/ill"]) == 2
        assert '"disk": "failing"' in capsys.readouterr().err
        assert main(["health", f"{address}/elsewhere"]) == 2
        assert "not as this app does" in capsys.readouterr().err
        server.shutdown()
    assert main(["health", address, "--timeout", "1"]) == 2
    assert main(["health", "file:///etc"]) == 2
    assert "must begin with http" in capsys.readouterr().err
