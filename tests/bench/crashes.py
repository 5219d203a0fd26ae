"""Kills at random moments while fits are being saved: what was reported as saved must open and predict the same."""

import multiprocessing
import random
import tempfile
import time
from pathlib import Path

from opnb.studio.visit.snapshot import opened
from opnb.workspace import Store, StoreSettings
from tests.bench.timing import heading, row

_KILLS = 200
_LONGEST = 0.25  # seconds from the first save to the kill, at the most


def crashes():
    """Kill a writer again and again."""
    heading("Kills of a process that saves fits")
    with tempfile.TemporaryDirectory() as folder:
        saves, losses = kill_writers(Path(folder), _KILLS, seed=0)
    row("kills", _KILLS)
    row("fits reported as saved", saves)
    row("of these lost or changed", losses)


def kill_writers(folder, kills, seed):
    """Kill writers of one workspace; give how many fits they reported as saved, and how many of them were lost.

    Every writer begins with what the one before left, so a workspace that cannot be opened any more shows at once.
    """
    from tests.bench import crash_writer  # it makes a fit when it is imported

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([crash_writer.__name__])
    rng = random.Random(seed)
    store = Store(StoreSettings(folder))
    kept, seen, lost, workspace_id = {}, set(), 0, ""
    for number in range(kills):
        ours, theirs = context.Pipe(duplex=False)
        writer = context.Process(target=crash_writer.write, args=(folder, workspace_id, number, theirs))
        writer.start()
        theirs.close()
        workspace_id, kept = ours.recv()
        time.sleep(rng.uniform(0.0, _LONGEST))
        writer.kill()
        writer.join()
        kept = _reported(ours, kept)
        seen |= kept.keys()
        there = {fit.key: crash_writer.mark(fit) for fit in opened(store.open(workspace_id).items()).snapshot.fits}
        lost += sum(there.get(key) != mark for key, mark in kept.items())
    return len(seen), lost


def _reported(pipe, kept):
    """Read the reports that were sent before the kill; a fit about to be deleted may be there or not."""
    while True:
        try:
            word, value = pipe.recv()
        except (EOFError, OSError):  # the last report may have been cut short
            return kept
        kept = {key: mark for key, mark in kept.items() if key not in value} if word == "deleting" else value


SECTIONS = {"crashes": crashes}
