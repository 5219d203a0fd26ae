"""How often held-out rows are called unlike the training rows, against the nominal rate."""

import warnings

import numpy as np

from opnb import OPNBClassifier
from opnb.data import example_names, load_example
from opnb.estimators.novelty import RATE, learn_novelty, log_density
from tests.bench.timing import heading, row

RATES = (0.01, RATE, 0.05, 0.1)
_SPLITS = 50
_HELD_OUT = 0.25


def novelty():
    """Pooled over 50 splits of each example: the share of held-out rows with a familiarity at most each rate."""
    heading(f"Held-out rows called unlike the training rows (nominal {', '.join(f'{100 * r:g} %' for r in RATES)})")
    pooled = np.zeros(len(RATES))
    total = 0
    for name in example_names():
        counts, n = counted(name, range(_SPLITS))
        row(name, " ".join(f"{100 * share:5.1f}" for share in counts / n))
        pooled, total = pooled + counts, total + n
    row("pooled", " ".join(f"{100 * share:5.2f}" for share in pooled / total))


def counted(name, seeds, **settings):
    """Count the held-out rows of some splits that are as unlike as each rate says, and all of them."""
    dataset = load_example(name)
    counts, n = np.zeros(len(RATES)), 0
    for seed in seeds:
        part = dataset.split(_HELD_OUT, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = OPNBClassifier(independence=0.1, **settings).fit(part.X_train, part.y_train)
        known = learn_novelty(model, part.X_train, part.y_train)
        shares = known.familiarity(log_density(model, part.X_test))
        counts += [(shares <= rate).sum() for rate in RATES]
        n += len(shares)
    return counts, n


SECTIONS = {"novelty": novelty}
