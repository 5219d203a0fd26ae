"""Where data come from and what is done with them, as small frozen values: a link, a key and a line of code."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from opnb.data import (
    SIMULATORS,
    PrepareOptions,
    Proposal,
    Table,
    example_names,
    example_table,
    pmlb_table,
    prepare,
    simulated_table,
)
from opnb.errors import DataError

if TYPE_CHECKING:
    from opnb.data import Dataset

Kind = Literal["example", "simulator", "pmlb", "upload", "server"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HASH_LENGTH = 12
ROWS = "n"
SEED = "seed"
MAX_SIMULATED_ROWS = 200_000
MAX_SIMULATED_CELLS = 10_000_000


@dataclass(frozen=True)
class Source:
    """Where a table comes from.

    Parameters
    ----------
    kind : {"example", "simulator", "pmlb", "upload", "server"}
        Pasted text counts as an upload: the app cannot fetch it again. Those of the server are its owner's tables.
    name : str
    parameters : tuple of (str, float)
        Of a simulator: rows, seed and its own settings, where they differ from the usual ones.
    reading : tuple of (str, str, bool, int or pair of int)
        Of an upload: the corrections to how it was read, as keywords of `opnb.data.read_table`.
    content : str
        Of an upload: the start of its hash, by which it is known again.
    """

    kind: Kind
    name: str
    parameters: tuple[tuple[str, float], ...] = ()
    reading: tuple[tuple[str, str | bool | int | tuple[int, ...]], ...] = ()
    content: str = ""

    @property
    def is_reachable(self) -> bool:
        """Whether the app can fetch the table by itself."""
        return self.kind != "upload"


@dataclass(frozen=True)
class DataSpec:
    """A table, the column to predict (None: the proposed one), and how the rest is prepared."""

    source: Source
    target: str | None = None
    options: PrepareOptions = field(default_factory=PrepareOptions)


def bundled_names() -> tuple[str, ...]:
    """Give the examples that are no simulators."""
    return tuple(name for name in example_names() if name not in SIMULATORS)


def fetch_table(source: Source) -> Table:
    """Fetch the table of a source that needs no upload.

    Raises
    ------
    DataError
        When it cannot be had, with the reason.
    """
    if source.kind == "example":
        return example_table(source.name)
    if source.kind == "simulator":
        return _simulated(source)
    if source.kind == "pmlb":
        return pmlb_table(source.name)
    raise DataError(f"The file '{source.name}' has to be uploaded again: the app keeps no uploads.")


def _simulated(source: Source) -> Table:
    settings = dict(source.parameters)
    rows = settings.pop(ROWS, SIMULATORS[source.name].n)
    seed = settings.pop(SEED, 0)
    if not 2 <= rows <= MAX_SIMULATED_ROWS:
        raise DataError(f"A simulator draws from 2 to {MAX_SIMULATED_ROWS:,} rows here, not {rows:g}.")
    if not 0 <= seed < 2**31:
        raise DataError(f"The seed must be a whole number from 0 to {2**31 - 1:,}, not {seed:g}.")
    unknown = settings.keys() - SIMULATORS[source.name].parameters.keys()
    if unknown:
        raise DataError(f"The simulator '{source.name}' has no setting '{min(unknown)}'.")
    widths = [settings.get(name, p.default) for name, p in SIMULATORS[source.name].parameters.items() if p.whole]
    if rows * max(widths, default=1) > MAX_SIMULATED_CELLS:
        raise DataError(
            f"A simulator draws at most {MAX_SIMULATED_CELLS:,} numbers here. Ask for fewer rows or columns."
        )
    return simulated_table(source.name, n=int(rows), seed=int(seed), **settings)


def usual_spec(source: Source, proposal: Proposal) -> DataSpec:
    """Say how to use a table: the proposed target, and the roles of a source that is known to hold numbers."""
    if source.kind != "pmlb":
        return DataSpec(source, proposal.target)
    # A benchmark's columns are numbers even where one looks like an identifier.
    numbers = {c.name: "number" for c in proposal.columns if c.name != "target" and c.role == "identifier"}
    return DataSpec(source, "target", PrepareOptions(min_class_rows=2, roles=numbers))


def prepared(table: Table, spec: DataSpec) -> Dataset:
    """Prepare a table as a `DataSpec` says."""
    return prepare(table, spec.target, options=spec.options)


def settled(spec: DataSpec, proposal: Proposal) -> DataSpec:
    """Name the target where it was left to the proposal."""
    return spec if spec.target is not None else replace(spec, target=proposal.target)
