"""Files and links from strangers crash nothing: a modest number of them; `make bench BENCH=fuzz` tries many more."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import fuzzing

COUNTS = {
    "links": 300,
    "results": 150,
    "text tables": 80,
    "titled tables": 80,
    "JSON and ARFF": 80,
    "gzip": 40,
    "Parquet": 80,
    "models": 120,
    "workspaces": 30,
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", fuzzing.READERS)
def test_a_reader_gives_a_value_or_an_error_in_words(name):
    @settings(max_examples=COUNTS.get(name, 25), deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.integers(0, 2**62))
    def one(seed):
        fuzzing.take(name, seed)

    one()


@pytest.mark.slow
def test_unchanged_files_are_accepted():
    for samples in (
        fuzzing.texts,
        fuzzing.titled,
        fuzzing.notations,
        fuzzing.packed,
        fuzzing.workbooks,
        fuzzing.parquets,
    ):
        for data in samples():
            fuzzing._table(data)
    fuzzing._read_model(fuzzing.model())
    fuzzing.read_results(fuzzing.results()[0])
    fuzzing._read_workspace(fuzzing.archive())
    for query in fuzzing.queries():
        fuzzing._follow(query)


def test_the_changes_reach_behind_the_digests():
    accepted = {name: sum(fuzzing.take(name, seed) for seed in range(60)) for name in ("models", "workspaces", "links")}
    assert all(count > 0 for count in accepted.values()), accepted
