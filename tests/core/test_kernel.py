import numpy as np
import pytest
from scipy.integrate import quad

from opnb.core.kernel import kernel_derivative, kernel_value, unit_directions


def test_kernel_integrates_to_one_with_variance_four():
    assert quad(kernel_value, -np.inf, np.inf)[0] == pytest.approx(1.0)
    assert quad(lambda u: u**2 * kernel_value(u), -np.inf, np.inf)[0] == pytest.approx(4.0)


def test_kernel_derivative_is_that_of_the_kernel():
    u = np.linspace(-5, 5, 101)
    step = 1e-6
    slope = (kernel_value(u + step) - kernel_value(u - step)) / (2 * step)
    np.testing.assert_allclose(kernel_derivative(u), slope, atol=1e-9)


def test_unit_directions_put_the_length_into_the_bandwidth():
    V = np.array([[3.0, 0.0], [4.0, 0.0]])
    components, bandwidths = unit_directions(V)
    np.testing.assert_allclose(components, [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_array_equal(bandwidths, [0.2, np.inf])
