"""The paper's experiment: many methods on many data sets, run here or brought as a file."""

from opnb.studio.benchmark.page import benchmarking
from opnb.studio.ui.heading import heading
from opnb.studio.ui.session import studio, write_link

studio()
heading(
    "Benchmark",
    "Many methods on many data sets, each tuned and judged in the same way, and what comes out over all of them.",
    guide="comparing",
)
benchmarking()
write_link()
