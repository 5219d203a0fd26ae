"""
Twenty directions, toured
=========================

Handwritten digits in 61 pixels that vary: ten classes need more than two directions. The model has twenty, and the
tour goes through them.
"""

from opnb import OPNBClassifier
from opnb.data import load_example
from opnb.figures import projection_figure, tour

data = load_example("digits")
rows = data.X_train[:600], data.y_train[:600], data.X_test[:200], data.y_test[:200]
clf = OPNBClassifier(n_components=20, lam=0.003, max_iter=1000).fit(*rows[:2])
print(f"held-out error with all directions {1 - clf.score(*rows[2:]):.3f}")

# %%
# The first two directions alone cannot do it, of course.

projection_figure(clf, *rows)

# %%
# Play a way, or drag a handle of the ring. Boundary and errors of every frame are those of naive Bayes on the two axes
# shown.

tour(clf, *rows, title="Digits on twenty directions")
