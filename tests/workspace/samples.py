"""Small visits to keep."""

from functools import partial

from opnb.data import propose, read_table
from opnb.studio.visit.settings import FitSpec, PictureSpec
from opnb.studio.visit.snapshot import Snapshot
from opnb.studio.visit.sources import HASH_LENGTH, DataSpec, Source, fetch_table, prepared, settled
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job

ROWS = [f"{i % 7},{(i * i) % 11},{'ab'[i % 2]}" for i in range(40)]
UPLOAD = "\n".join(["length,width,kind", *ROWS]).encode()


def fit(source=None, table=None, **settings):
    """Fit as the app does."""
    source = source or Source("example", "iris")
    table = table or fetch_table(source)
    spec = FitSpec(settled(DataSpec(source), propose(table)), max_iter=5, **settings)
    job = Job(partial(fit_work, spec, table, prepared(table, spec.data)))
    job.run()
    assert not job.error, job.error
    return job.result


def fit_of_an_upload(data=UPLOAD, name="mine.csv", **settings):
    table = read_table(data, name=name)
    return fit(Source("upload", name, content=table.content_hash[:HASH_LENGTH]), table, **settings)


def snapshot(*fits, **others):
    last = fits[-1]
    given = {"picture": PictureSpec(), "fits": fits, "shown": last.key} | others
    return Snapshot(last.table, last.spec.data, last.spec, **given)
