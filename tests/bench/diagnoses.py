"""False warnings and missed faults of every finding, and what a diagnosis costs.

Truth is by design where the simulator decides it, and measured where it cannot: a start is poor when 20 random ones
do better, a search is unfinished when 600 iterations lead on.
"""

import time
import warnings
from collections import defaultdict

import numpy as np

from opnb import OPNBClassifier
from opnb.data import simulate
from opnb.diagnostics import CHECKS, FOLD_CHECKS, diagnose
from tests.bench.engine import _digits
from tests.bench.timing import heading, row
from tests.diagnostics.problems import CLEAN, FAULTY, found_as, unfitted

_CLEAN_RUNS, _FAULTY_RUNS = 40, 100
_FIRST_SEED = 1000  # the thresholds were set with lower ones
# What a better start or more iterations must bring to be a fault, and at most bring in a clean fit.
_TRULY_WORSE, _TRULY_EQUAL = 0.03, 0.005


def false_warnings():
    """Share of clean problems on which a check warns, and on which it says anything."""
    runs = _CLEAN_RUNS * len(CLEAN)
    heading(f"Clean problems: {len(CLEAN)} designs x {_CLEAN_RUNS} seeds = {runs} fits a check")
    row("code", "warnings", "notices", "fits", "goal")
    said = defaultdict(list)
    for problem in CLEAN:
        for seed in _seeds(_CLEAN_RUNS):
            for finding in _diagnosed(problem, seed, (*CHECKS, *FOLD_CHECKS)):
                said[finding.code].append(finding.severity)
    for code in (*CHECKS, *FOLD_CHECKS):
        warned, noted = (np.mean([s == severity for s in said[code]]) for severity in ("warning", "notice"))
        row(code, f"{warned:.1%}", f"{noted:.1%}", len(said[code]), "5 %")


def detection():
    """Share of faulty problems on which the check of the fault warns."""
    heading(f"Faulty problems: {_FAULTY_RUNS} seeds a design")
    row("code: design", "found", "fits", "goal")
    for code, problems in FAULTY.items():
        for problem in problems:
            found = [_found(problem, seed, code) for seed in _seeds(_FAULTY_RUNS)]
            row(f"{code}: {problem.__name__}", f"{np.mean(found):.1%}", len(found), "95 %")


def _seeds(runs):
    return range(_FIRST_SEED, _FIRST_SEED + runs)


def _diagnosed(problem, seed, codes):
    X, y, X_test, y_test, settings = problem(seed)
    return diagnose(unfitted(settings).fit(X, y), X, y, X_test, y_test, codes=codes)


def _found(problem, seed, code):
    return any(finding.severity in found_as(code) for finding in _diagnosed(problem, seed, (code,)))


def starts():
    """Poor starts, where the truth is what 20 random starts reach."""
    heading("Poor starts: one start against the best of 20 random ones, three designs x 30 seeds")
    row("gain of the 20 over the one", "warnings", "fits", "goal")
    outcomes = []
    for name, settings in {"several-optima": {}, "gaussian": {"n_classes": 5, "n_features": 8}, "rotated": {}}.items():
        for seed in _seeds(30):
            data = simulate(name, seed=seed, test_size=None, **settings)
            one = OPNBClassifier(n_components=2).fit(data.X, data.y)
            many = OPNBClassifier(n_components=2, init="random", n_init=20, random_state=seed).fit(data.X, data.y)
            (finding,) = diagnose(one, data.X, data.y, codes=("poor-start",))
            outcomes.append((many.objective_ - one.objective_, finding.severity == "warning"))
    _by_truth(np.array(outcomes))


def endings():
    """Unfinished searches, where the truth is what 600 iterations reach."""
    heading("Unfinished searches: what is left up to 600 iterations, three designs x 10 seeds x 5 limits")
    row("objective that is left", "warnings", "fits", "goal")
    designs = (("gaussian", 5, {"n_features": 20, "n_classes": 6}), ("hill-valley", 2, {}), ("rotated", 2, {}))
    outcomes = []
    for name, n_components, parameters in designs:
        for seed in _seeds(10):
            data = simulate(name, n=500, seed=seed, test_size=None, **parameters)
            fits = [
                OPNBClassifier(n_components=n_components, penalty="pooled", max_iter=limit).fit(data.X, data.y)
                for limit in (3, 8, 20, 50, 100, 600)
            ]
            for fit in fits[:-1]:
                (finding,) = diagnose(fit, data.X, data.y, codes=("not-converged",))
                outcomes.append((fits[-1].objective_ - fit.objective_, finding.severity == "warning"))
    _by_truth(np.array(outcomes))


def _by_truth(outcomes):
    gain, warned = outcomes.T
    for name, chosen, goal in (
        (f"clean: below {_TRULY_EQUAL:g}", gain < _TRULY_EQUAL, "at most 5 %"),
        ("between", (gain >= _TRULY_EQUAL) & (gain < _TRULY_WORSE), ""),
        (f"faulty: {_TRULY_WORSE:g} or more", gain >= _TRULY_WORSE, "at least 95 %"),
    ):
        row(name, f"{warned[chosen].mean():.1%}" if chosen.any() else "none", int(chosen.sum()), goal)


def harm():
    """What the thresholds on elongation and class size mean for new rows."""
    heading("Held-out error on the simulator 'elongated' (3 seeds): default penalty, pooled penalty")
    for length in (1, 10, 30, 100, 300):
        errors, typical = [], []
        for seed in range(3):
            data = simulate("elongated", n=500, seed=seed, n_features=10, length=length, gap=3, test_size=0.4)
            fits = [
                OPNBClassifier(n_components=2, penalty=penalty).fit(data.X[data.train], data.y[data.train])
                for penalty in ("frobenius", "pooled")
            ]
            errors.append([1 - fit.score(data.X[data.test], data.y[data.test]) for fit in fits])
            (finding,) = diagnose(fits[0], data.X[data.train], data.y[data.train], codes=("elongated-covariance",))
            typical.append(finding.evidence["typical_variance"])
        row(
            f"typical variance {min(typical):.2g} to {max(typical):.2g}", *(f"{e:.3f}" for e in np.mean(errors, axis=0))
        )
    heading("Held-out recall of a class of few rows among classes of 100 (20 seeds)")
    for count in (3, 5, 10, 20, 50, 100):
        row(f"{count} rows", f"{np.mean([_recall_of_small_class(count, seed) for seed in range(20)]):.3f}")


def _recall_of_small_class(count, seed):
    data = simulate("gaussian", n=1500, seed=seed, separation=2.5, test_size=0.8)
    X, y = data.X[data.train], data.y[data.train]
    keep = (y != "A") | (np.cumsum(y == "A") <= count)
    fit = OPNBClassifier(n_components=2).fit(X[keep], y[keep])
    # Equal class shares, so that only the density counts.
    scores = fit.predict_log_proba(data.X[data.test]) - np.log(fit.class_prior_)
    return np.mean(scores[data.y[data.test] == "A"].argmax(axis=1) == 0)


def diagnosis_cost():
    """All findings of a default fit of digits, over the fit, in time of the processor."""
    heading("All findings of a default fit of digits (3000 x 64, K = 10, held-out rows too), over that fit")
    X, y = _digits()
    X_test = X[:750] + 0.1
    least = [np.inf, np.inf]
    for _ in range(5):
        started = time.process_time()
        fit = OPNBClassifier().fit(X, y)
        fitted = time.process_time()
        diagnose(fit, X, y, X_test, y[:750])
        seconds = fitted - started, time.process_time() - fitted
        least = np.minimum(least, seconds)
    row("diagnosis over fit", f"{least[1] / least[0]:.2f}", "goal 1")


SECTIONS = {f.__name__: f for f in (false_warnings, detection, starts, endings, harm, diagnosis_cost)}
warnings.simplefilter("ignore")
