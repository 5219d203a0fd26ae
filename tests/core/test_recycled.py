"""Memory that is used again: only when nobody holds a part of what was in it, and not for ever."""

import gc

import numpy as np
import pytest

from opnb.core import recycled


@pytest.fixture(autouse=True)
def _nothing_before():
    gc.collect()
    recycled.forget()
    yield
    recycled.forget()


def address(array):
    return array.__array_interface__["data"][0]


def test_memory_comes_back_and_serves_what_is_nearly_as_large():
    first = recycled.array(100_000)
    first[:] = 1.0
    where = address(first)
    assert first.flags.writeable
    del first
    assert address(recycled.array(90_000)) == where
    assert address(recycled.array(50_000)) != where


@pytest.mark.parametrize(
    "part", [lambda a: a[10:20], lambda a: a[:99].reshape(9, 11)[2:4], lambda a: np.asarray(a[5:])[::2]], ids=range(3)
)
def test_memory_is_not_used_again_while_any_part_of_it_is_held(part):
    lent = recycled.array(1_000)
    lent[:] = 7.0
    held = part(lent)
    del lent
    gc.collect()
    others = [recycled.array(1_000) for _ in range(5)]
    for other in others:
        other[:] = 0.0
    assert (held == 7.0).all()


def test_what_nobody_uses_is_given_back():
    recycled.array(1_000)
    assert recycled._free
    recycled.forget()
    assert not recycled._free


def test_an_empty_array_is_one():
    assert recycled.array(0).size == 0
