from opnb.core import binned, exact, kernel_sums, posterior
from opnb.core.warm_up import warm_up


def test_it_compiles_every_kernel_for_every_width():
    warm_up()
    for module, names in (
        (exact, ("add_log_sums", "pull_back")),
        (binned, ("add_log_sums", "pull_back")),
        (posterior, ("likelihood_and_pull",)),
    ):
        for name in names:
            widths = {signature[-1].count for signature in getattr(module, name).signatures}
            assert widths >= {2, 4, 8}, name
    for name in ("class_log_sums", "class_pull", "log_sums_at"):
        assert getattr(kernel_sums, name).signatures
