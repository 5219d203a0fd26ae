import pytest

from opnb.benchmark import BENCHMARK_METHODS, cheap_first, expected_seconds


@pytest.mark.parametrize("method", BENCHMARK_METHODS)
def test_every_method_has_a_cost_that_grows_with_the_rows(method):
    small, large = (expected_seconds(method, n, 10, 3) for n in (100, 3_000))
    assert 0 < small < large < 3_600


def test_quick_methods_come_first():
    assert cheap_first(["SVM", "OPNB", "LDA"], 1_000, 10, 3) == ["LDA", "OPNB", "SVM"]
