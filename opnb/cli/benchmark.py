"""The commands `opnb benchmark` and `opnb summarise`."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from opnb.errors import DataError

if TYPE_CHECKING:
    from opnb.benchmark import Protocol, Results


def add_benchmark(parser: argparse.ArgumentParser) -> None:
    """Describe the options of `opnb benchmark`."""
    parser.set_defaults(run=_benchmark)
    parser.add_argument("--datasets", type=_list, required=True, help='PMLB names with commas, or "all" of the folder')
    parser.add_argument("--methods", type=_list, help="names with commas (the paper's eight)")
    parser.add_argument("--repeats", type=int, default=10, help="splits of every data set (10)")
    parser.add_argument("--folds", type=int, default=5, help="of the cross-validation (5)")
    parser.add_argument("--seed", type=int, default=0, help="of every random choice (0)")
    parser.add_argument("--test-share", type=float, default=0.25, help="share of held-out rows (0.25)")
    parser.add_argument("--max-rows", type=int, default=3000, help="larger data sets are sampled (3000)")
    parser.add_argument(
        "--data-dir", type=Path, help="folder of the data sets, which keeps fetched ones (OPNB_DATA_DIR)"
    )
    parser.add_argument("--out", type=Path, required=True, help="the results file, CSV; one row a task")
    parser.add_argument("--resume", action="store_true", help="continue the results file")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (1)")
    parser.add_argument("--timeout", type=float, help="seconds after which a task is given up")
    parser.add_argument("--scheduler", help="Dask scheduler that does the tasks, e.g. tcp://host:8786")


def add_summarise(parser: argparse.ArgumentParser) -> None:
    """Describe the options of `opnb summarise`."""
    parser.set_defaults(run=_summarise)
    parser.add_argument("results", type=Path, help='results file of "opnb benchmark"')
    parser.add_argument("--methods", type=_list, help="names with commas (all)")
    parser.add_argument("--report", type=Path, help="write a report here, as one HTML file")
    parser.add_argument("--tables", type=Path, help="write the tables into this folder, as CSV files")


def _list(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _benchmark(options: argparse.Namespace) -> None:
    from opnb.benchmark import Bar, run_benchmark

    protocol = _protocol(options)
    try:
        results = run_benchmark(
            protocol,
            options.out,
            resume=options.resume,
            jobs=options.jobs,
            scheduler=options.scheduler,
            progress=Bar(),
        )
    except KeyboardInterrupt:
        print(f"\nStopped. The finished rows are in {options.out}; continue with --resume.", file=sys.stderr)
        raise SystemExit(130) from None
    print(_outcome(results, options.out))


def _protocol(options: argparse.Namespace) -> "Protocol":
    from opnb.benchmark import Protocol, local_datasets
    from opnb.comparators import PAPER_METHODS

    folder = None if options.data_dir is None else str(options.data_dir.resolve())
    datasets = local_datasets(folder) if options.datasets == ("all",) else options.datasets
    if not datasets:
        raise DataError("--datasets: there is no folder with data sets. Name some, or give the folder by --data-dir.")
    return Protocol(
        datasets,
        options.methods or PAPER_METHODS,
        repeats=options.repeats,
        folds=options.folds,
        seed=options.seed,
        test_share=options.test_share,
        max_rows=options.max_rows,
        data_dir=folder,
        timeout=options.timeout,
    )


def _outcome(results: "Results", out: Path) -> str:
    counts = results.frame["status"].value_counts()
    said = ", ".join(f"{counts[status]:,} {status}" for status in ("ok", "failed", "timeout") if status in counts)
    return f"{out} has {len(results.frame):,} rows: {said}."


def _summarise(options: argparse.Namespace) -> None:
    from opnb.benchmark import extent, markdown, read_results, summarise, tables, wins_table
    from opnb.data.writing import csv_bytes

    results = read_results(options.results)
    said = summarise(results, options.methods)
    print(extent(results, said), *said.notes, sep="\n")
    print(f"\n{markdown(said.methods)}\n\n{markdown(wins_table(said.wins))}")
    if options.tables is not None:
        options.tables.mkdir(parents=True, exist_ok=True)
        for name, table in tables(said).items():
            (options.tables / f"{name}.csv").write_bytes(csv_bytes(table.reset_index()))
        print(f"\nWrote the tables to {options.tables}.")
    if options.report is not None:
        from opnb.reports.benchmark_report import benchmark_report

        page = benchmark_report(results, title=f"Benchmark: {options.results.stem}", summary=said)
        options.report.write_text(page, encoding="utf8")
        print(f"\nWrote the report to {options.report}.")
