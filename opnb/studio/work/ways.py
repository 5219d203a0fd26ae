"""Ways for a tour that have to be searched for: the steps of a fit's own search, and its solutions along lambda."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from opnb.core.kernel import Array
from opnb.estimators.selection import DEFAULT_LAMS
from opnb.quiet import own_warnings
from opnb.studio.work.studies import report
from opnb.views.axes_paths import AxesPath, model_axes, steps_path

if TYPE_CHECKING:
    from opnb.core.optimise import Iteration
    from opnb.studio.visit.results import FitResult
    from opnb.studio.work.jobs import Job

_MOST_STEPS = 40


def steps_work(result: FitResult, job: Job[Any]) -> AxesPath:
    """Repeat the search that led to a fit, and give the way it went."""
    clf, seen = result.classifier, list[tuple[int, float, Array]]()

    def watch(iteration: Iteration) -> bool:
        report(job, iteration.number / max(clf.n_iter_, 1), f"Step {iteration.number}")
        if iteration.start == clf.best_start_:
            seen.append((iteration.number, iteration.objective, iteration.V.copy()))
        return iteration.start > clf.best_start_ or (
            iteration.start == clf.best_start_ and iteration.number >= clf.n_iter_
        )

    repeated = result.spec.classifier(callback=watch)
    with own_warnings(ConvergenceWarning):  # it was said with the fit itself
        repeated.fit(result.dataset.X_train, result.dataset.y_train)
    order = _order(seen[-1][2], model_axes(clf))
    kept = [seen[place] for place in np.unique(np.linspace(0, len(seen) - 1, _MOST_STEPS).round().astype(int))]
    captions = [f"Step {number}: objective {objective:.3f}" for number, objective, _ in kept]
    return steps_path("Steps of the search", [V[:, order] for _, _, V in kept], captions)


def _order(V: Array, found: Array) -> list[int]:
    """Find the columns of a search's last step that are the model's first directions."""
    return [int(np.argmin(np.linalg.norm(V - axis[:, None], axis=0))) for axis in found.T[:2]]


def lams_work(result: FitResult, job: Job[Any]) -> AxesPath:
    """Fit along lambda, from smooth to sharp, each search beginning at the solution before."""
    data, solutions, captions = result.dataset, list[Array](), list[str]()
    settings = result.spec.settings() | {"init": model_axes(result.classifier).tolist(), "n_init": 1, "combine": "best"}
    for number, lam in enumerate(sorted(DEFAULT_LAMS, reverse=True)):
        report(job, number / len(DEFAULT_LAMS), f"λ = {lam:.2g}")
        model = type(result.classifier)(**(settings | {"lam": lam}))
        with own_warnings(ConvergenceWarning):  # a way may be rough
            model.fit(data.X_train, data.y_train)
        axes = model_axes(model)
        solutions.append(axes[:, _order(axes, solutions[-1])] if solutions and axes.shape[1] > 1 else axes)
        captions.append(f"λ = {lam:.2g}")
        settings["init"] = axes.tolist()
    return steps_path("Along λ, from smooth to sharp", solutions, captions)
