"""
Several optima: twenty random starts
====================================

The objective is not concave, so where the search begins decides where it ends. Here it begins at twenty random
projections; every end is kept in `starts_`.
"""

import numpy as np

from opnb import OPNBClassifier
from opnb.data import simulate
from opnb.figures import projection_figure

data = simulate("several-optima", n=240, seed=0)
rows = data.X_train, data.y_train, data.X_test, data.y_test
settings = {"n_components": 2, "independence": 0.1, "likelihood": "leave-one-out"}
clf = OPNBClassifier(**settings, init="random", n_init=20, random_state=0).fit(*rows[:2])
ends = sorted(clf.starts_, key=lambda start: -start.objective)
print(np.array([start.objective for start in ends]).round(3))

# %%
# The best of them is the model.

projection_figure(clf, *rows, title=f"The best of twenty: {ends[0].objective:.3f}")

# %%
# The worst of them, found again by starting where it ended: `max_iter=0` searches nothing.

worst = OPNBClassifier(**settings, init=ends[-1].V, max_iter=0).fit(*rows[:2])
projection_figure(worst, *rows, title=f"The worst of twenty: {ends[-1].objective:.3f}")

# %%
# How far apart do the planes of the twenty lie from the best one? Two angles each, in degrees.

from opnb.diagnostics import principal_angles

print(np.array([np.degrees(principal_angles(ends[0].V, end.V)) for end in ends]).round(0))
