from opnb.core import binned, exact, kernel_sums, posterior
from opnb.core.warm_up import warm_up


def test_it_compiles_every_kernel_for_every_width():
    warm_up()
    for module, names in (
        (exact, ("add_log_sums", "pull_back")),
        (binned, ("add_log_sums", "pull_back", "take_logs", "read_scores", "scatter", "turn_adjoint", "write_slopes")),
        (posterior, ("likelihood_and_pull",)),
    ):
        for name in names:
            widths = {signature[-1].count for signature in getattr(module, name).signatures}
            assert widths >= {2, 4, 8}, name


def test_it_compiles_for_equal_and_for_unequal_weights():
    warm_up()
    none, flags, weights = "none", "array(bool, 1d, C)", "array(float64, 1d, C)"
    for function, place, kinds, widths in (
        (binned.add_log_sums, 3, {none, weights}, 3),
        (binned.pull_back, 3, {none, weights}, 3),
        (posterior.likelihood_and_pull, 3, {none, weights}, 3),
        (kernel_sums.class_log_sums, 1, {flags, weights}, 1),
        (kernel_sums.class_pull, 1, {flags, weights}, 1),
        (kernel_sums.log_sums_at, 3, {"omitted(default=None)", weights}, 1),
    ):
        found = [str(signature[place]) for signature in function.signatures]
        assert all(found.count(kind) >= widths for kind in kinds), function.py_func.__qualname__
