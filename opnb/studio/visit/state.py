"""Everything a visit holds, in one typed object under one session key.

The stages follow each other: source and table, data set, settings, result. Setting one discards those after it;
nothing flows back. The fits of the visit are kept beside the chain, each with all stages it came from, so that
any of them can be restored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from opnb.data import Limits, Proposal, propose
from opnb.errors import OPNBError, ReadingError, Remedy
from opnb.studio.visit.arrivals import ROW_LIMITS, KeptFile, Role, Unread, open_model, read_rows
from opnb.studio.visit.links import Link
from opnb.studio.visit.new_rows import NewRowsDesk
from opnb.studio.visit.saving import AWAY, Keeper
from opnb.studio.visit.settings import LEARNT, FitSpec, PictureSpec, default_spec
from opnb.studio.visit.snapshot import Snapshot, Waiting
from opnb.studio.visit.sources import DataSpec, Source, fetch_table, prepared, settled, usual_spec
from opnb.studio.work.choosing import choose_work
from opnb.studio.work.errands import Visitor
from opnb.studio.work.fitting import check_size, ended_early, fit_somewhere, fit_work
from opnb.studio.work.jobs import Job
from opnb.studio.work.owner import LongWork
from opnb.studio.work.reading import read_server_table
from opnb.studio.work.studies import Studies

if TYPE_CHECKING:
    from opnb.data import Dataset, Table
    from opnb.studio.visit.results import FitResult

KEPT_FITS = 30
_SMALL = 1_000_000  # cells of data that are fitted without being asked


@dataclass(frozen=True, eq=False)
class Draft:
    """A table with the preparation chosen for it; where that failed, `error` says why, and `remedies` what may help."""

    source: Source
    table: Table
    proposal: Proposal
    spec: DataSpec
    raw: bytes | None = None
    error: str = ""
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, eq=False)
class TriedRemedy:
    """A remedy that was tried: the fit before it, the settings it asked for, and the finding it should mend."""

    before: FitResult
    spec: FitSpec
    code: str
    title: str


@dataclass
class Studio:
    """The state of one visit.

    Attributes
    ----------
    source, table, proposal, raw : where the table came from, the table, what its columns seem to be, and the bytes of
        an upload (to read it otherwise)
    data_spec, dataset : how the table was prepared, and what came of it
    draft : a table that could not be prepared yet, while the one before stays in use
    unread : a file that could not be read yet, likewise
    new : rows to predict, and the model file that is open
    spec : the settings of the latest fit asked for
    result : the fit that is shown
    fits, names, deleted : the fits of this visit, the names given to them, and the last one deleted
    picture : settings of the picture
    work : the fit under way, the studies, and what the pages have under way
    tried : the remedy tried last
    before_columns : the fit before columns were left out of it
    notices : sentences to show once
    awaited : a link that waits for its upload
    keeper : saves the visit
    interrupted : the settings of a fit that was under way when the server or the visit ended
    revision : counts the changes that widgets must start afresh for
    """

    owner: str = ""
    alive: Callable[[], bool] = lambda: True
    source: Source | None = None
    table: Table | None = None
    proposal: Proposal | None = None
    raw: bytes | None = None
    data_spec: DataSpec | None = None
    dataset: Dataset | None = None
    draft: Draft | None = None
    unread: Unread | None = None
    new: NewRowsDesk = field(default_factory=NewRowsDesk)
    spec: FitSpec = field(default_factory=default_spec)
    result: FitResult | None = None
    fits: list[FitResult] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    deleted: tuple[int, FitResult] | None = None
    picture: PictureSpec = field(default_factory=PictureSpec)
    work: LongWork = field(init=False)
    tried: TriedRemedy | None = None
    before_columns: FitResult | None = None
    fit_error: str = ""
    notices: list[str] = field(default_factory=list)
    awaited: Link | None = None
    keeper: Keeper = field(default_factory=Keeper)
    interrupted: FitSpec | None = None
    revision: int = 0

    def __post_init__(self) -> None:
        self.work = LongWork(Visitor(self.owner, self.alive))

    @property
    def job(self) -> Job[FitResult] | None:
        """The fit under way."""
        return self.work.fit.job

    @property
    def studies(self) -> Studies:
        """The studies of the visit."""
        return self.work.studies

    def close(self) -> None:
        """End the visit: all its long work ends with it."""
        self.work.close()

    def offer(self, source: Source, table: Table, spec: DataSpec | None = None, raw: bytes | None = None) -> bool:
        """Use a table if it can be prepared, and tell whether it could.

        Where it cannot, everything stays as it was and the table waits as the draft, with the reason, for the user
        to choose another target or preparation.
        """
        proposal = self._proposal_for(table)
        spec = settled(spec or usual_spec(source, proposal), proposal)
        try:
            dataset = prepared(table, spec)
        except OPNBError as error:
            self.draft = Draft(source, table, proposal, spec, raw, str(error), getattr(error, "remedies", ()))
            return False
        if self.table != table:
            self.spec = default_spec()  # settings that served other data say nothing about these
        self._set_table(source, table, proposal, raw)
        self._set_dataset(spec, dataset)
        return True

    def give_up_draft(self) -> None:
        """Forget the table that waits."""
        self.draft = None
        self.revision += 1

    def give_up_unread(self) -> None:
        """Forget the file that could not be read."""
        self.unread = None
        self.revision += 1

    @property
    def working(self) -> Draft | None:
        """The table the Data page works on: the one that waits, else the one in use."""
        if self.draft is not None or self.table is None:
            return self.draft
        assert self.source is not None
        assert self.data_spec is not None
        assert self.proposal is not None
        return Draft(self.source, self.table, self.proposal, self.data_spec, self.raw)

    def _proposal_for(self, table: Table) -> Proposal:
        """Look through the columns, or remember: a large table takes a while."""
        working = self.working
        return working.proposal if working is not None and working.table == table else propose(table)

    def _set_table(self, source: Source, table: Table, proposal: Proposal, raw: bytes | None) -> None:
        self.source, self.table, self.proposal, self.raw = source, table, proposal, raw
        self.data_spec = self.dataset = self.draft = self.new.asked = self.new.model = None
        self._forget_fit()

    def _set_dataset(self, spec: DataSpec, dataset: Dataset) -> None:
        self.data_spec, self.dataset = spec, dataset
        self._forget_fit()
        self.spec = self._suited(self.spec)

    def _suited(self, spec: FitSpec) -> FitSpec:
        """Give the settings for the data in use, with no more directions than these have columns."""
        assert self.data_spec is not None
        assert self.dataset is not None
        p = self.dataset.X.shape[1]
        count = spec.n_components and min(spec.n_components, p)
        if spec.has_given_axes and spec.start is not None and spec.bend is None and len(spec.start[0]) != p:
            spec = replace(spec, init="pca", start=None)  # axes of other columns
        shares = spec.decision_priors
        if spec.data != self.data_spec or (shares is not None and len(shares) != len(self.dataset.class_names)):
            spec = replace(spec, **LEARNT)  # on other rows
        return replace(spec, data=self.data_spec, n_components=count)

    def _forget_fit(self) -> None:
        self.work.fit.drop()
        self.result = self.interrupted = None
        self.fit_error = ""
        # What belongs to the model and its classes.
        self.picture = replace(self.picture, directions=(0, 1), focus=(), plane=None)
        self.revision += 1

    @property
    def fits_by_itself(self) -> bool:
        """Whether the data are small enough to be fitted without being asked."""
        return self.dataset is not None and self.dataset.X.size <= _SMALL

    def fit(self, spec: FitSpec) -> Job[FitResult] | None:
        """Ask for a fit of the current data; one that is under way is stopped. `fit_error` says why it was refused."""
        return self._ask_for(spec, fit_work)

    def shows(self, spec: FitSpec) -> bool:
        """Tell whether the fit that is shown is the whole fit of these settings."""
        result = self.result
        return result is not None and self.job is None and result.spec.same_fit(spec) and not ended_early(result)

    def find_settings(self) -> Job[FitResult] | None:
        """Ask for a fit with settings that are chosen on the training rows; as `fit` otherwise."""
        return self._ask_for(self.spec, choose_work)

    def _ask_for(self, spec: FitSpec, fitting: Callable[..., FitResult]) -> Job[FitResult] | None:
        assert self.table is not None
        assert self.dataset is not None
        try:
            check_size(spec, self.dataset)
        except OPNBError as error:
            self.fit_error = str(error)
            return None
        self.cancel()
        self.studies.drop()  # a fit that is asked for does not wait for a study
        self.work.looks.drop()
        if spec != self.spec:
            self.picture = replace(self.picture, plane=None)  # what was turned was another fit
        self.spec, self.fit_error, self.interrupted, self.new.model = spec, "", None, None
        work = self.keeper.saving(partial(fit_somewhere, partial(fitting, spec, self.table, self.dataset)))
        grace = AWAY if self.keeper.store is not None else None
        return self.work.fit.begin(work, grace, note=partial(self.keeper.began, spec))

    def try_remedy(self, spec: FitSpec, code: str, title: str) -> None:
        """Ask for a fit with a remedy, and remember the fit it should mend."""
        assert self.result is not None
        self.tried = TriedRemedy(self.result, spec, code, title)
        self.fit(spec)

    @property
    def mended(self) -> TriedRemedy | None:
        """The remedy whose outcome is the fit that is shown."""
        tried, result = self.tried, self.result
        if tried is None or result is None or result is tried.before:
            return None
        return tried if result.spec == tried.spec and result.dataset is tried.before.dataset else None

    def cancel(self) -> None:
        """Stop the fit under way; what it reached still arrives by `collect`."""
        self.work.fit.cancel()

    def collect(self) -> bool:
        """Show the outcome of the fit under way where it is there, and tell whether it was."""
        job = self.work.fit.collect()
        if job is None:
            return False
        self.fit_error = job.error
        self.interrupted = self.spec if job.lost else self.interrupted
        if job.result is not None:
            self.add(job.result)
        return True

    def add(self, result: FitResult) -> None:
        """Show a new result and put it on the list."""
        self.result, self.spec = result, result.spec
        self.fits = [*self.fits, result][-KEPT_FITS:]

    def restore(self, result: FitResult) -> None:
        """Show an earlier fit again, with its table, data and settings."""
        self._set_table(result.spec.data.source, result.table, self._proposal_for(result.table), None)
        self._set_dataset(result.spec.data, result.dataset)
        self.result, self.spec = result, result.spec

    def name_of(self, result: FitResult) -> str:
        """Give the name the user gave a fit, else its settings in words."""
        return self.names.get(result.id) or result.spec.label()

    def delete(self, result: FitResult) -> None:
        """Take a fit off the list; `undelete` brings back the last one."""
        place = self.fits.index(result)
        self.deleted = (place, self.fits.pop(place))

    def undelete(self) -> None:
        """Bring back the fit deleted last."""
        if self.deleted is not None:
            self.fits.insert(*self.deleted)
            self.deleted = None

    def snapshot(self) -> Snapshot | None:
        """Give what is kept of the visit; None as long as there are no data."""
        if self.table is None or self.data_spec is None:
            return None
        draft = self.draft
        return Snapshot(
            self.table,
            self.data_spec,
            self.spec,
            self.picture,
            self.raw,
            tuple(self.fits),
            {fit.key: self.names[fit.id] for fit in self.fits if self.names.get(fit.id)},
            "" if self.result is None else self.result.key,
            self.interrupted if self.job is None else self.spec,
            None if draft is None else Waiting(draft.table, draft.spec, draft.raw),
            self._other_files(),
        )

    def _other_files(self) -> dict[Role, KeptFile]:
        unread: dict[Role, KeptFile] = {"unread": self.unread} if self.unread is not None and self.unread.raw else {}
        return unread | self.new.files()

    def resume(self, kept: Snapshot) -> None:
        """Go on where a visit was left."""
        shown = next((fit for fit in kept.fits if fit.key == kept.shown), None)
        self._set_table(kept.data.source, kept.table, propose(kept.table), kept.raw)
        self._set_dataset(kept.data, prepared(kept.table, kept.data) if shown is None else shown.dataset)
        self.result, self.spec, self.picture = shown, self._suited(kept.spec), kept.picture
        self.fits, self.interrupted = list(kept.fits), kept.pending
        self.names = {fit.id: name for fit in kept.fits if (name := (kept.names or {}).get(fit.key))}
        if kept.waiting is not None:
            self.offer(kept.waiting.spec.source, kept.waiting.table, kept.waiting.spec, kept.waiting.raw)
        for role, file in kept.files.items():
            self._take_up(role, file)
        self._go_on_waiting()

    def _take_up(self, role: Role, file: KeptFile) -> None:
        """Bring back a file that is not the table in use; what it is may be told otherwise by another version."""
        try:
            if role == "model":
                self.new.model = open_model(file.name, file.raw)
                return
            limits = ROW_LIMITS if role == "rows" else Limits()
            rows = read_rows(self.work.reading, file.name, file.raw, file.reading, limits)
        except ReadingError as error:
            self.unread = Unread(file.name, file.raw, file.reading, error)
        except OPNBError as error:
            self.notices.append(f"A file of the workspace could not be opened. {error}")
        else:
            if role == "rows":
                self.new.rows = rows
            else:
                self.new.asked = rows

    def _go_on_waiting(self) -> None:
        """Wait for the fit that was under way, where it still is."""
        job = self.keeper.under_way(self.interrupted)
        if job is not None and self.interrupted is not None:
            job.watch(self.alive)
            self.work.fit.job, self.spec, self.interrupted = job, self.interrupted, None

    def leave_interrupted(self) -> None:
        """Give up the fit that was interrupted."""
        self.interrupted = None

    def begin_from(self, link: Link) -> None:
        """Begin as a link says, or at the usual example where that cannot be."""
        self.notices += link.problems
        source = link.spec.data.source
        try:
            if not source.is_reachable:
                self.awaited = link
                raise OPNBError(f"It belongs to the file '{source.name}'. Upload that file, and its fit comes back.")
            followed = self._begin(source, self.fetch(source), None, link)
        except OPNBError as error:
            self.notices.append(f"The link could not be followed. {error}")
            followed = False
        if not followed:
            usual = default_spec()
            self._begin(usual.data.source, fetch_table(usual.data.source), None, Link(usual, PictureSpec()))

    def fetch(self, source: Source) -> Table:
        """Fetch a table that needs no upload; one of the server's may take its turn."""
        return read_server_table(self.work.reading, source.name) if source.kind == "server" else fetch_table(source)

    def _begin(self, source: Source, table: Table, raw: bytes | None, link: Link) -> bool:
        if not self.offer(source, table, replace(link.spec.data, source=source), raw):
            assert self.draft is not None
            self.notices.append(f"The link could not be followed. {self.draft.error}")
            self.draft = None
            return False
        assert self.data_spec is not None
        # These are the rows that the link means, whatever the file is called here.
        self.spec, self.picture = self._suited(replace(link.spec, data=self.data_spec)), link.picture
        if link.spec.decision_priors is not None and self.spec.decision_priors is None:
            self.notices.append("The link's class probabilities are of another number of classes, and are left out.")
        return True

    def offer_upload(self, source: Source, table: Table, raw: bytes) -> bool:
        """Use an upload, as a link says that waits for this very file; tell whether it could be."""
        link, self.awaited = self.awaited, None
        if (
            link is not None
            and link.spec.data.source.content == source.content
            and self._begin(source, table, raw, link)
        ):
            return True
        return self.offer(source, table, raw=raw)
