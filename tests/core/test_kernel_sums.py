import mpmath
import numpy as np
import pytest

from opnb.core.kernel_sums import class_log_sums, class_pull, log_sums_at
from tests import reference


def positions(kind, rng):
    return np.sort(
        {
            "plain": rng.standard_normal(60) * 3,
            "ties": rng.integers(0, 4, 60).astype(float),
            "all equal": np.zeros(60),
            "offset": 1e6 + rng.standard_normal(60),
            "tiny": 1e-6 * rng.standard_normal(60),
            "huge": 1e6 * rng.standard_normal(60),
        }[kind]
    )


KINDS = ("plain", "ties", "all equal", "offset", "tiny", "huge")


@pytest.mark.parametrize("leave_out", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_class_log_sums_equal_the_direct_sum(kind, leave_out):
    rng = np.random.default_rng(1)
    z = positions(kind, rng)
    member = rng.random(60) < 0.4
    log_sum, score = np.empty(60), np.empty(60)
    class_log_sums(z, member, leave_out, log_sum, score)
    expected = reference.log_densities(z[:, None], np.where(member, 0, 1), 1, leave_out)[:, 0, 0]
    size = member.sum() - (leave_out & member)
    np.testing.assert_allclose(log_sum, expected + np.log(4 * size), rtol=1e-12, atol=1e-12)
    assert (np.abs(score) <= 1).all()


@pytest.mark.parametrize("leave_out", [False, True])
def test_score_and_pull_are_derivatives(leave_out):
    rng = np.random.default_rng(2)
    z = np.sort(rng.standard_normal(30) * 4)
    member = rng.random(30) < 0.5
    weight = rng.standard_normal(30)

    def total(positions):
        log_sum, score = np.empty(30), np.empty(30)
        class_log_sums(positions, member, leave_out, log_sum, score)
        return weight @ log_sum, log_sum, score

    _, log_sum, score = total(z)
    gradient = weight * score
    class_pull(z, member, weight, log_sum, np.arange(30), gradient)
    step = 1e-6
    for i in range(30):
        moved = np.zeros(30)
        moved[i] = step
        slope = (total(z + moved)[0] - total(z - moved)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_log_sums_at_new_points(kind):
    rng = np.random.default_rng(3)
    members = positions(kind, rng)
    spread = np.ptp(members) + 1
    z = np.sort(np.concatenate([members[::7], members.mean() + spread * rng.standard_normal(40)]))
    log_sum = np.empty(z.size)
    log_sums_at(members, z, log_sum)
    expected = reference.logsumexp(reference.log_kernel(z[:, None] - members) + np.log(4), axis=1)
    np.testing.assert_allclose(log_sum, expected, rtol=1e-12, atol=1e-12)


def test_log_sums_ten_thousand_bandwidths_away_agree_with_high_precision():
    members = np.array([0.0, 0.5, 3.0, 20_000.0])
    z = np.array([-10_000.0, 10_000.0, 10_001.3, 31_000.0])
    log_sum = np.empty(z.size)
    log_sums_at(members, z, log_sum)
    with mpmath.workdps(50):
        for value, x in zip(log_sum, z, strict=True):
            distances = [abs(mpmath.mpf(x) - mpmath.mpf(m)) for m in members]
            exact = mpmath.log(mpmath.fsum((1 + u) * mpmath.exp(-u) for u in distances))
            assert value == pytest.approx(float(exact), rel=1e-14)
