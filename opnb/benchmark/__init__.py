"""The paper's experiment: a protocol, its tasks on one machine or many, and what the results say.

protocol = Protocol(["iris", "glass"], ["OPNB", "LDA"], repeats=10, data_dir="pmlb")
results = run_benchmark(protocol, "results.csv", jobs=2)
errors = mean_errors(results)
pairwise(errors.table), mean_ranks(errors.complete), dissect(errors, characteristics(results))
"""

from opnb.errors import needs

with needs("data"):
    import pandas  # noqa: F401  # said here once, for all that follows

from opnb.benchmark.costs import cheap_first, expected_seconds
from opnb.benchmark.dissection import CHARACTERISTICS, Dissection, characteristics, dissect
from opnb.benchmark.methods import BENCHMARK_METHODS
from opnb.benchmark.overview import Summary, extent, markdown, summarise, tables, wins_table
from opnb.benchmark.progress import Bar, Progress
from opnb.benchmark.protocol import Protocol, Task
from opnb.benchmark.results import Results, read_results
from opnb.benchmark.rows import COLUMNS, Row
from opnb.benchmark.running import local_datasets, run_benchmark
from opnb.benchmark.summaries import (
    MEASURES,
    MeanErrors,
    Pairwise,
    Ranks,
    mapped,
    mean_errors,
    mean_ranks,
    method_table,
    min_normalised,
    pairwise,
    studentised,
)
from opnb.benchmark.tasks import run_task

__all__ = [
    "BENCHMARK_METHODS",
    "CHARACTERISTICS",
    "COLUMNS",
    "MEASURES",
    "Bar",
    "Dissection",
    "MeanErrors",
    "Pairwise",
    "Progress",
    "Protocol",
    "Ranks",
    "Results",
    "Row",
    "Summary",
    "Task",
    "characteristics",
    "cheap_first",
    "dissect",
    "expected_seconds",
    "extent",
    "local_datasets",
    "mapped",
    "markdown",
    "mean_errors",
    "mean_ranks",
    "method_table",
    "min_normalised",
    "pairwise",
    "read_results",
    "run_benchmark",
    "run_task",
    "studentised",
    "summarise",
    "tables",
    "wins_table",
]
