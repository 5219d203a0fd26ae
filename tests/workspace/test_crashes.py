"""Kills in the middle of saving lose nothing that was reported as saved."""

import pytest

from tests.bench import crashes


@pytest.mark.slow
def test_twenty_kills_lose_nothing(tmp_path):
    saves, losses = crashes.kill_writers(tmp_path, 20, seed=1)
    assert saves >= 20  # every writer reports one before it is killed
    assert losses == 0
