"""Work in many pieces: one after another on this machine, or shared out among all workers of a cluster.

A share is a job of its own at one worker, beside the fits there. Shares get smaller, so that all workers end at about
the same time, but not so small that the start of their process would count; what a worker that went away has left is
given to others. Runs at the same time have the same number of workers each.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from opnb.errors import OPNBError
from opnb.studio.work.cluster import connected, hand_over, threads_of
from opnb.studio.work.jobs import Job, LostWorkError, long_queue
from opnb.studio.work.limits import run_seconds, scheduler
from opnb.studio.work.process import OutOfTimeError

P = TypeVar("P")
Work = Callable[[Sequence[P], Job[None]], None]
_LOOK = 0.1  # seconds between two looks at whether to stop
_END = 10.0  # seconds that a share is waited for which was asked to end
_WORTH_IT = 20.0  # seconds of work for which a process is worth its start
_MOST_LOSSES = 3  # workers that went away one after another before any piece was done


def share_out(work: Work[P], pieces: Sequence[P], job: Job[None]) -> None:
    """Have pieces of work done where this server has them done; returns when all are, or soon after a stop.

    Parameters
    ----------
    work : callable
        Does some pieces by a process of low priority (see `opnb.studio.work.process`) and says one thing of each, in
        their order; it and the pieces can be pickled.
    pieces : sequence
    job : Job
        Is told all that is said, and ends the work when it is stopped.
    """
    if scheduler() is None:
        work(pieces, job)
    else:
        _Distribution(work, pieces, job).follow()


class _Share(Job[None], Generic[P]):
    """Some pieces at one worker.

    Attributes
    ----------
    pieces : int
        How many.
    left : list
        Those of which nothing was said yet.
    """

    def __init__(self, work: Work[P], pieces: Sequence[P], whole: Job[None], said: SimpleQueue[Any]) -> None:
        super().__init__(partial(hand_over, partial(work, pieces), beside=True), whole.owner, heard=self._hear)
        self.pieces, self.left, self._said = len(pieces), list(pieces), said

    def _hear(self, message: Any) -> None:
        self.left.pop(0)
        self._said.put(message)


class _Distribution(Generic[P]):
    """Pieces on their way: those that are left, and those at the workers."""

    def __init__(self, work: Work[P], pieces: Sequence[P], job: Job[None]) -> None:
        self.work, self.left, self.job = work, list(pieces), job
        self._shares: list[_Share[P]] = []
        self._said: SimpleQueue[Any] = SimpleQueue()
        self._losses = 0
        self._done, self._worked = 0, 0.0  # pieces and seconds of shares that have ended
        self._free = threading.Event()
        self._free.set()

    def follow(self) -> None:
        """Share out what is left, and pass on what is said, until nothing is left."""
        seconds = run_seconds()
        deadline = self.job.worked + seconds
        self.job.held_by(self._hold)
        try:
            while not self.job.stopping and (self.left or self._shares):
                if self.job.worked > deadline:
                    raise OutOfTimeError(seconds)
                self._begin()
                self._hear(_LOOK)
                self._collect()
        finally:
            self.job.held_by(lambda held: None)
            self._end()

    def _hold(self, held: bool) -> None:
        (self._free.clear if held else self._free.set)()

    def _begin(self) -> None:
        """Give every worker that this run may have a share of what is left."""
        room = self._room() if self.left else 0
        while self.left and len(self._shares) < room:
            size = self._size(room)
            share = _Share(self.work, self.left[:size], self.job, self._said)
            share.gives_way_by(partial(self._wait, share))
            del self.left[:size]
            self._shares.append(share)
            threading.Thread(target=share.run, name=f"opnb-share-{share.id[:8]}", daemon=True).start()

    def _size(self, room: int) -> int:
        """Choose how many pieces the next share has: half of what is due to a worker, or more of short ones."""
        due = -(-len(self.left) // room)
        worth_it = round(_WORTH_IT * self._done / self._worked) if self._worked else 0
        return min(max(-(-due // 2), worth_it), due)

    def _room(self) -> int:
        """Tell how many workers this run may have at once."""
        address = scheduler()
        assert address is not None
        return max(sum(threads_of(connected(address)).values()) // max(long_queue().running, 1), 1)

    def _wait(self, share: _Share[P]) -> None:
        """Let a share stand still while others have their turn; called by its thread."""
        if not self._free.is_set():
            with share.paused() as still_paused:
                while not self._free.wait(_LOOK):
                    still_paused()

    def _hear(self, timeout: float) -> None:
        """Pass on what was said, and wait for something if there is nothing."""
        try:
            while True:
                self.job.say(self._said.get(timeout=timeout))
                self._losses, timeout = 0, 0.0
        except Empty:
            return

    def _collect(self) -> None:
        """Take back the pieces of shares whose worker went away; another error ends the run."""
        for share in [share for share in self._shares if share.finished]:
            self._shares.remove(share)
            self._done += share.pieces - len(share.left)
            self._worked += share.worked
            if share.lost and self._losses < _MOST_LOSSES:
                self._losses += 1
                self.left = share.left + self.left
            elif share.error:
                raise (LostWorkError if share.lost else OPNBError)(share.error)

    def _end(self) -> None:
        """End the shares under way, and pass on what they still say."""
        self._free.set()
        for share in self._shares:
            share.cancel()
        for share in self._shares:
            share.wait(_END)
        self._hear(0.0)
