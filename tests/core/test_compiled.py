from opnb.comparators import kde
from opnb.core import binned, compiled, exact, kernel_sums


def test_a_cached_kernel_depends_on_all_of_the_core():
    for function in (exact.pull_back, binned.pull_back, kernel_sums.log_sums_at, kde._add_log_sums):
        _, digest = function._cache._cache_file._source_stamp
        assert digest == compiled._SOURCES


def test_another_digest_makes_the_cache_forget():
    file = kernel_sums.log_sums_at._cache._cache_file
    file.save("probe", b"kept")
    assert file.load("probe") == b"kept"
    stamp = file._source_stamp
    try:
        file._source_stamp = (stamp[0], "another digest")
        assert file.load("probe") is None
    finally:
        file._source_stamp = stamp
