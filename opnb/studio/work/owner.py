"""The one owner of a visit's long work: its fit, its studies, and the runs of its pages, which all end with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from opnb.studio.work.errands import Attended, Errand, LongRun, Visitor
from opnb.studio.work.studies import Studies

KEPT_RUNS = 10
R = TypeVar("R", bound=LongRun)


class LongWork:
    """Everything of a visit that outlasts a page run.

    Parameters
    ----------
    visitor : Visitor

    Attributes
    ----------
    fit : Errand
        The fit under way.
    studies : Studies
        Work about fits: diagnoses, paths and the like.
    reading, export : Attended
        A file on its way in, and one on its way out.
    looks : Studies
        Quick looks at fits that nobody asked for; they make way for everything else.
    """

    def __init__(self, visitor: Visitor | None = None) -> None:
        self.visitor = visitor or Visitor()
        self.fit: Errand[Any] = Errand(self.visitor)
        self.studies = Studies(self.visitor)
        self.reading, self.export = Attended(self.visitor), Attended(self.visitor)
        self.looks = Studies(self.visitor, quiet=True)
        self._runs: dict[str, dict[Hashable, LongRun]] = {}
        self._closed = False

    def run(self, kind: str, make: Callable[[Visitor], R], key: Hashable = None) -> R:
        """Give a page its run, made when it is first asked for.

        Parameters
        ----------
        kind : str
            Which page; the latest `KEPT_RUNS` of a kind are kept.
        make : callable
            Makes the run for a visitor.
        key : hashable
            Which of them; equal keys mean the same run.
        """
        runs = self._runs.setdefault(kind, {})
        found = cast("R", runs.pop(key, None) or make(self.visitor))
        runs[key] = found
        for old in list(runs)[:-KEPT_RUNS]:
            runs.pop(old).close()
        if self._closed:
            found.close()
        return found

    def under_way(self, kind: str) -> list[LongRun]:
        """List the runs of a kind that wait or go on."""
        return [run for run in self._runs.get(kind, {}).values() if run.is_under_way]

    def close(self) -> None:
        """End all of it; nothing can begin any more."""
        self._closed = True
        runs = [run for runs in self._runs.values() for run in runs.values()]
        for errand in (self.fit, self.studies, self.looks, self.reading, self.export, *runs):
            errand.close()
