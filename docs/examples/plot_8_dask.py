"""
More rows than memory: a fit on Dask
====================================

`fit` takes Dask arrays and frames, too. Rows stay where they are read; only sums over them travel. Here the collection
is small and its tasks run in threads of this process, so that the outcome can be compared with that of the same rows in
memory. With a client of `dask.distributed` the very same lines run on a cluster; what a large fit took there is on the
page of the evidence.
"""

import dask.array as da
import numpy as np

from opnb import OPNBClassifier
from opnb.data import simulate
from opnb.figures import projection_figure

data = simulate("several-optima", n=4_000, seed=0)
X, y = data.X_train, data.y_train
settings = {"n_components": 2, "independence": 0.1, "tol": 1e-4}
here = OPNBClassifier(**settings).fit(X, y)

# %%
# The same rows in pieces of 1,000.

pieces = da.from_array(X, chunks=(1_000, X.shape[1])), da.from_array(y, chunks=1_000)
there = OPNBClassifier(**settings).fit(*pieces)
print(f"objective in memory {here.objective_:.5f}, in pieces {there.objective_:.5f}")
print(f"largest difference of a posterior {np.abs(here.predict_proba(X) - there.predict_proba(X)).max():.1g}")

# %%
projection_figure(there, X, y, data.X_test, data.y_test)
