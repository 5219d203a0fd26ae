"""The command line: open the app, fit a model to a table, predict with it, run the paper's experiment.

Anything that a user can mend is printed on one line and ends with status 2.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opnb import __version__
from opnb.cli.app import add_app, add_health
from opnb.cli.benchmark import add_benchmark, add_summarise
from opnb.cli.scattered import add_scattered, fit_in_pieces, is_in_pieces
from opnb.cli.tables import add_preparing, add_reading, advice, preparation_of, table_of
from opnb.errors import DataError, needs

if TYPE_CHECKING:
    from opnb.data import AppliedRows, Dataset
    from opnb.estimators.auto import OPNBAuto
    from opnb.estimators.classifier import OPNBClassifier

_FIT_SETTINGS = {
    "components": "n_components",
    "penalty": "penalty",
    "init": "init",
    "starts": "n_init",
    "combine": "combine",
    "likelihood": "likelihood",
    "max_iter": "max_iter",
    "independence": "independence",
    "bend": "bend",
    "priors": "priors",
    "scale": "scale",
    "jobs": "n_jobs",
    "seed": "random_state",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; gives the exit status."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (ValueError, OSError) as error:
        mended = advice(error) if options.command in ("fit", "predict") else ""
        print(f"opnb {options.command}: {' '.join(f'{error}{mended}'.split())}", file=sys.stderr)
        return 2
    return 0


class _Command(argparse.ArgumentParser):
    """A command that asks for its options when it is called, because those of others import much."""

    def __init__(self, describe: Callable[[argparse.ArgumentParser], None], **settings: Any) -> None:
        super().__init__(**settings)
        self._describe = describe

    def parse_known_args(self, *arguments: Any) -> Any:  # type: ignore[override]
        self._describe(self)
        return super().parse_known_args(*arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="opnb", description="Optimal projections for naive Bayes.")
    parser.add_argument("--version", action="version", version=f"opnb {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Command)
    commands.add_parser("app", describe=add_app, help="open the app in the browser")
    commands.add_parser("fit", describe=_add_fit, help="fit a model to a table", description="Fit a model to a table.")
    commands.add_parser("predict", describe=_add_predict, help="predict the classes of a table's rows")
    commands.add_parser("benchmark", describe=add_benchmark, help="compare methods on many data sets")
    commands.add_parser("summarise", describe=add_summarise, help="tables and report of a results file")
    commands.add_parser("health", describe=add_health, help="ask a served app whether it is well")
    return parser


def _add_fit(parser: argparse.ArgumentParser) -> None:
    from opnb.core.objective import LIKELIHOODS
    from opnb.core.penalties import PENALTIES

    parser.set_defaults(run=_fit)
    parser.add_argument("table", help="CSV or other text, Excel, Parquet, JSON or ARFF file; text may be gzipped")
    parser.add_argument("--lam", type=_lam, default=1e-3, help='weight of the penalty, or "cv" to choose it (0.001)')
    parser.add_argument(
        "--auto",
        action="store_true",
        help="choose lam, penalty, likelihood, independence and class probabilities by cross-validation, whatever is "
        "given for them",
    )
    parser.add_argument("--max-seconds", type=float, help="with --auto, time to choose in (no limit)")
    parser.add_argument("--penalty", choices=PENALTIES, default="frobenius")
    parser.add_argument("--init", choices=("pca", "random"), default="pca")
    parser.add_argument("--starts", type=int, default=1, help="number of random starts (1)")
    parser.add_argument("--combine", choices=("best", "average"), default="best")
    parser.add_argument("--likelihood", choices=LIKELIHOODS, default="resubstitution")
    parser.add_argument("--components", type=int, help="number of directions (the number of features, 20 at most)")
    parser.add_argument("--independence", type=float, default=0.0, help="weight that keeps directions apart (0)")
    parser.add_argument("--bend", type=float, help="let directions bend, by 1 for instance (straight)")
    parser.add_argument("--priors", choices=("uniform",), help="let classes count equally (by their shares)")
    parser.add_argument(
        "--scale", type=_scale, default=True, metavar="{yes,no,robust}", help="equal scales of the features (yes)"
    )
    parser.add_argument("--max-iter", type=int, default=100)
    parser.add_argument("--jobs", type=int, help="starts or folds at a time (1)")
    parser.add_argument("--seed", type=int, default=0, help="of the split and of random starts (0)")
    parser.add_argument("--out", type=Path, help="write the model here")
    parser.add_argument("--report", type=Path, help="write a report here, as one HTML file")
    add_preparing(parser)
    add_reading(parser)
    add_scattered(parser)


def _add_predict(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_predict)
    parser.add_argument("model", type=Path, help='model file of "opnb fit --out"')
    parser.add_argument("table", help="table with the columns that the model was fitted to")
    parser.add_argument(
        "--out", type=Path, help="write the table with the predictions here, as CSV (default: print it)"
    )
    add_reading(parser)


def _scale(text: str) -> bool | str:
    known: dict[str, bool | str] = {"yes": True, "no": False, "robust": "robust"}
    if text not in known:
        raise argparse.ArgumentTypeError(f"must be yes, no or robust, not {text!r}")
    return known[text]


def _lam(text: str) -> float | str:
    return text if text == "cv" else float(text)


@needs("data")
def _fit(options: argparse.Namespace) -> None:
    if is_in_pieces(options):
        _save(fit_in_pieces(options, lambda X, y: _searched(options, X, y)), options.out)
        return
    from opnb.data import prepare

    table = table_of(options)
    data = prepare(table, options.target, options=preparation_of(options, table))
    print(*data.account, sep="\n")
    classifier = _fitted(options, data)
    _print_outcome(classifier, data)
    if options.out is not None:
        from opnb.estimators.novelty import learn_novelty

        classifier.recipe_ = data.recipe.to_dict() if data.recipe is not None else None
        classifier.novelty_ = learn_novelty(classifier, *_parts(data)[:2]).scores
        _save(classifier, options.out)
    if options.report is not None:
        options.report.write_text(_report(classifier, data), encoding="utf8")
        print(f"Wrote the report to {options.report}.")


def _save(classifier: "OPNBClassifier", out: Path | None) -> None:
    if out is not None:
        classifier.save(out)
        print(f"Wrote the model to {out}.")


def _fitted(options: argparse.Namespace, data: "Dataset") -> "OPNBClassifier":
    return _searched(options, _named(data.X_train, data.feature_names), data.y_train)


def _searched(options: argparse.Namespace, X: Any, y: Any) -> "OPNBClassifier":
    """Fit as the options say, and print what was chosen and what the search warned of."""
    from sklearn.exceptions import ConvergenceWarning

    from opnb.estimators.classifier import OPNBClassifier
    from opnb.estimators.selection import OPNBClassifierCV

    settings: dict[str, Any] = {name: getattr(options, option) for option, name in _FIT_SETTINGS.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        if options.auto:
            auto = _chosen(options, settings).fit(X, y)
            print(_choice_words(auto))
            classifier = auto.best_estimator_
        elif options.lam == "cv":
            search = OPNBClassifierCV(**settings).fit(X, y)
            print(f"Cross-validation chose lam = {search.lam_:g}.")
            classifier = search.best_estimator_
        else:
            classifier = OPNBClassifier(**settings, lam=options.lam).fit(X, y)
    for warning in caught:
        print(warning.message)
    return classifier


def _chosen(options: argparse.Namespace, settings: dict[str, Any]) -> "OPNBAuto":
    """Give the search for settings; the number of directions, the scale and the priors are as the options say."""
    from opnb.estimators.auto import OPNBAuto

    kept = {name: settings[name] for name in ("n_components", "scale", "priors", "n_jobs", "random_state")}
    return OPNBAuto(**kept, max_seconds=options.max_seconds)


def _choice_words(auto: "OPNBAuto") -> str:
    chosen = ", ".join(f"{name} = {_in_words(value)}" for name, value in auto.best_params_.items())
    wrong = f"{100 * auto.error_:.1f} +- {100 * auto.error_se_:.1f} % of rows left out are wrong"
    return f"Cross-validation chose {chosen}; {wrong}. {auto.widened_}".strip()


def _in_words(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{number:.3g}" for number in value) + ")"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _print_outcome(classifier: "OPNBClassifier", data: "Dataset") -> None:
    from opnb.views import metrics, project

    print(f"Objective {classifier.objective_:.6f} after {classifier.n_iter_} iterations.")
    for name, result in zip(("Training", "Held-out"), metrics(project(classifier, *_parts(data))), strict=True):
        if result is not None:
            print(f"{name} error {result.errors}, log-loss {result.log_loss:.4f}.")


def _parts(data: "Dataset") -> tuple[Any, ...]:
    """Training and held-out data, with the names of the covariates."""
    train = (_named(data.X_train, data.feature_names), data.y_train)
    return (*train, _named(data.X_test, data.feature_names), data.y_test) if len(data.test) else train


def _named(X: Any, names: Sequence[str]) -> Any:
    import pandas as pd

    return pd.DataFrame(X, columns=list(names))


def _report(classifier: "OPNBClassifier", data: "Dataset") -> str:
    from opnb.diagnostics import diagnose
    from opnb.reports.fit_report import fit_report

    parts = _parts(data)
    findings = [finding for finding in diagnose(classifier, *parts) if finding.severity != "good"]
    return fit_report(classifier, *parts, title=data.name, account=data.account, findings=findings)


@needs("data")
def _predict(options: argparse.Namespace) -> None:
    import numpy as np
    import pandas as pd  # noqa: F401  # where it is missing, that is said before a file is looked for

    from opnb.data import Limits, Recipe
    from opnb.data.new_rows import with_predictions
    from opnb.data.writing import csv_bytes
    from opnb.estimators.loading import load_model
    from opnb.estimators.novelty import novelty_of
    from opnb.views.new_rows import new_rows

    table = table_of(options, Limits(min_columns=1))
    classifier = load_model(options.model)
    if getattr(classifier, "recipe_", None) is None:
        raise DataError(f"{options.model} does not say how to prepare a table. Fit it with 'opnb fit' or in the app.")
    applied = Recipe.from_dict(classifier.recipe_).apply_rows(table)
    new = new_rows(classifier, applied.X[applied.usable], novelty=novelty_of(classifier))
    predicted = with_predictions(table, applied, new.class_names, np.exp(new.log_posterior), new.familiarity)
    written = csv_bytes(predicted)
    _print_troubles(applied)
    if options.out is None:
        print(written.decode("utf-8-sig"), end="")
    else:
        options.out.write_bytes(written)
        print(f"Wrote {len(new.rows):,} predictions for {len(table.frame):,} rows to {options.out}.")


def _print_troubles(applied: "AppliedRows") -> None:
    """Say how many rows could not be predicted, and how many were filled in."""
    lost, filled = int((~applied.usable).sum()), sum(map(bool, applied.filled))
    if lost:
        rows = "1 row" if lost == 1 else f"{lost:,} rows"
        print(
            f"{rows} of {len(applied.usable):,} could not be predicted; the column 'problem' says why.", file=sys.stderr
        )
    if filled:
        rows = "1 row" if filled == 1 else f"{filled:,} rows"
        print(f"Missing values were filled in as in training in {rows}.", file=sys.stderr)
