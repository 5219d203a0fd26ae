"""A process that saves fits until it is killed."""

import hashlib
from functools import cache, partial

from opnb.data import propose
from opnb.studio.visit.saving import Keeper
from opnb.studio.visit.settings import FitSpec, PictureSpec
from opnb.studio.visit.snapshot import Snapshot
from opnb.studio.visit.sources import DataSpec, Source, fetch_table, prepared, settled
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job
from opnb.workspace import Store, StoreSettings

_MOST_FITS = 6
_SOURCE = Source("example", "iris")


def write(folder, workspace_id, number, pipe):
    """Save a growing and shrinking list of fits for ever, as a visit does, and report every save."""
    store = Store(StoreSettings(folder))
    keeper, fits = Keeper(store), ()
    if workspace_id:
        fits = keeper.open(workspace_id).snapshot.fits
    marks = {fit.key: mark(fit) for fit in fits}
    turn = 0
    while True:
        turn += 1
        fit = _fit(1000 * number + turn)
        marks[fit.key] = mark(fit)
        gone, fits = (fits, (fit,)) if len(fits) >= _MOST_FITS else ((), (*fits, fit))
        if turn > 1 and gone:
            pipe.send(("deleting", {one.key for one in gone}))
        names = {fit.key: str(turn)}
        keeper.save(Snapshot(fit.table, fit.spec.data, fit.spec, PictureSpec(), None, fits, names, fit.key))
        assert keeper.shelf.wait()
        if keeper.shelf.saved:
            report = {one.key: marks[one.key] for one in fits}
            pipe.send((keeper.id, report) if turn == 1 else ("saved", report))


@cache
def _data():
    table = fetch_table(_SOURCE)
    data = settled(DataSpec(_SOURCE), propose(table))
    return table, data, prepared(table, data)


def _fit(seed):
    """Make a fit that no other equals, quickly: the time should go into saving."""
    table, data, dataset = _data()
    spec = FitSpec(data, init="random", max_iter=1, seed=seed)
    job = Job(partial(fit_work, spec, table, dataset))
    job.run()
    return job.result


def mark(fit):
    return hashlib.sha256(fit.classifier.predict_log_proba(fit.dataset.X).tobytes()).hexdigest()


_fit(0)  # compiled and imported once, in the process that all writers come from
