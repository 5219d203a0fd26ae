"""
The path of lambda
==================

Lambda decides how smooth the densities are. `OPNBClassifierCV` walks it from large to small, each solution starting the
next, and measures every step on rows left out.
"""

import numpy as np

from opnb import OPNBClassifierCV
from opnb.data import load_example
from opnb.figures import path_figure
from opnb.views import path_errors

data = load_example("breast_cancer")
rows = data.X_train, data.y_train, data.X_test, data.y_test
lams = np.logspace(-5, -1, 9)
cv = OPNBClassifierCV(lams=lams, n_components=4, cv=3, max_iter=500, random_state=0).fit(*rows[:2])
print(f"chosen lambda {cv.lam_:g}")
errors = path_errors(cv, *rows)
path_figure(errors, cv.lam_)

# %%
# The same as a movie: the slider goes through the solutions.

from opnb.figures import draw_movie
from opnb.views import path_movie, project

draw_movie(path_movie(cv, project(cv, *rows), np.vstack([rows[0], rows[2]]), errors))
