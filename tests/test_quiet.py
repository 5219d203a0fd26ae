"""Warnings by thread: no thread hears those of another, and the process is left as it was."""

import threading
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from opnb.quiet import own_warnings, warn

WAIT = 10.0


class Warner(threading.Thread):
    """A thread that listens and is warned, step by step, when it is told to."""

    def __init__(self, words):
        super().__init__(daemon=True)
        self.words, self.heard = words, []
        self.go, self.listening, self.leave = threading.Event(), threading.Event(), threading.Event()

    def run(self):
        with own_warnings() as heard:
            self.listening.set()
            assert self.go.wait(WAIT)
            warnings.warn(self.words, ConvergenceWarning, stacklevel=1)
            self.heard = [str(warning) for warning in heard]
            assert self.leave.wait(WAIT)


def settings():
    return list(warnings.filters), warnings.showwarning


def test_threads_hear_their_own_warnings_however_they_come_and_go():
    before = settings()
    first, second = Warner("first"), Warner("second")
    for thread in (first, second):
        thread.start()
        assert thread.listening.wait(WAIT)
    first.go.set()
    first.leave.set()
    first.join(WAIT)  # the one that came first goes first: `catch_warnings` would take the other's filter with it
    second.go.set()
    second.leave.set()
    second.join(WAIT)
    assert (first.heard, second.heard) == (["first"], ["second"])
    assert settings() == before


def test_other_threads_are_warned_as_ever():
    thread = Warner("theirs")
    thread.start()
    assert thread.listening.wait(WAIT)
    with pytest.warns(UserWarning, match="mine"):
        warnings.warn("mine", UserWarning, stacklevel=1)
    with own_warnings() as heard:
        warnings.warn("mine again", UserWarning, stacklevel=1)
    thread.go.set()
    thread.leave.set()
    thread.join(WAIT)
    assert [str(warning) for warning in heard] == ["mine again"]


def test_other_kinds_are_warnings_as_ever():
    with pytest.raises(RuntimeWarning, match="overflow"), own_warnings(ConvergenceWarning):
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
    with own_warnings() as outer, own_warnings(ConvergenceWarning) as inner:
        warnings.warn("short", ConvergenceWarning, stacklevel=1)
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
    assert ([str(one) for one in inner], [str(one) for one in outer]) == (["short"], ["overflow"])


def test_an_error_leaves_the_process_as_it_was():
    before = settings()
    with pytest.raises(ZeroDivisionError), own_warnings():
        1 / 0
    assert settings() == before


def test_the_warnings_of_the_package_are_heard_whatever_others_do_to_the_filters():
    """A fit failed at random beside a thread that checked arrays, whose `catch_warnings` took the filter away."""
    with warnings.catch_warnings(), own_warnings(ConvergenceWarning) as heard:
        warnings.simplefilter("error")
        warn("short", ConvergenceWarning)
        with pytest.raises(UserWarning, match="far"):
            warn("far")
    assert [str(one) for one in heard] == ["short"]


def test_a_warning_of_the_package_names_the_line_that_asked():
    def asks():
        warn("mine", stacklevel=2)

    with pytest.warns(UserWarning, match="mine") as noted:
        asks()
    assert noted[0].filename == __file__
