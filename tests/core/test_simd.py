import numpy as np
import pytest

from opnb.core import simd
from opnb.core.compiled import kernel


@kernel
def _apply_exp(x, out, lanes):
    for i in range(0, x.size, len(lanes)):
        simd.store(out, i, simd.exp(simd.load(x, i, lanes), lanes))


@kernel
def _apply_log(x, out, lanes):
    for i in range(0, x.size, len(lanes)):
        simd.store(out, i, simd.log(simd.load(x, i, lanes), lanes))


@kernel
def _reduce(x, out, lanes):
    out[0] = simd.total(simd.load(x, 0, lanes))
    out[1] = simd.largest(simd.load(x, 0, lanes))


@pytest.mark.parametrize("width", [2, 4, 8])
def test_exp_and_log_are_accurate_to_the_last_places(width):
    lanes = (0,) * width
    x = np.concatenate([np.linspace(-707, 20, 4000), [0.0, -0.0, -1e-300, 1e-9, -1e-9, 1.0, -1.0, -0.5]])
    out = np.empty_like(x)
    _apply_exp(x, out, lanes)
    np.testing.assert_allclose(out, np.exp(x), rtol=5e-16)
    positive = np.concatenate([np.exp(x), np.linspace(0.5, 2.0, 800)])
    logs = np.empty_like(positive)
    _apply_log(positive, logs, lanes)
    np.testing.assert_allclose(logs, np.log(positive), rtol=5e-16, atol=1e-300)


@pytest.mark.parametrize("width", [2, 4, 8])
def test_exp_is_zero_far_below(width):
    x = np.full(width, -1e30)
    out = np.ones(width)
    _apply_exp(x, out, (0,) * width)
    assert not out.any()


@pytest.mark.parametrize("width", [2, 4, 8])
def test_reductions(width):
    x = np.random.default_rng(0).standard_normal(width)
    out = np.empty(2)
    _reduce(x, out, (0,) * width)
    np.testing.assert_allclose(out, [x.sum(), x.max()])


@pytest.mark.parametrize(("n_classes", "expected"), [(2, (2, 1)), (3, (4, 1)), (5, (8, 1)), (8, (8, 1)), (26, (8, 4))])
def test_lane_layout_holds_all_classes(n_classes, expected):
    lanes, n_vectors = simd.lane_layout(n_classes)
    assert (len(lanes), n_vectors) == expected
