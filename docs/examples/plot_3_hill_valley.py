"""
A hill or a valley: what the penalty cannot see, and its remedy
===============================================================

Each row is a landscape of many heights, with a hill or a valley somewhere in it. Nearly all variance is in how high the
landscape lies as a whole, which says nothing; the hill is in tiny differences of neighbouring columns. The paper's
penalty charges for the size of weights, and the weights that would show the hill are huge.
"""

from opnb import OPNBClassifier
from opnb.data import simulate
from opnb.figures import projection_figure

data = simulate("hill-valley", n=800, levels=2, seed=1)
rows = data.X_train, data.y_train, data.X_test, data.y_test
plain = OPNBClassifier(n_components=2).fit(*rows[:2])
print(f"held-out error {1 - plain.score(*rows[2:]):.3f}")

# %%
# The page Diagnose, or `diagnose`, says what the matter is.

from opnb.diagnostics import diagnose

for finding in diagnose(plain, *rows, codes=("elongated-covariance", "overfit-scale", "guessing")):
    print(f"{finding.severity}: {finding.title}. {finding.explanation}")
    if finding.remedy is not None:
        print(f"    {finding.remedy.sentence} {dict(finding.remedy.settings)}")

# %%
projection_figure(plain, *rows, title="Penalty on the size of the weights")

# %%
# The remedy: charge for the variance of the projected rows within classes instead.

mended = OPNBClassifier(n_components=2, penalty="pooled", tol=1e-4, max_iter=1000).fit(*rows[:2])
print(f"held-out error {1 - mended.score(*rows[2:]):.3f}")
projection_figure(mended, *rows, title="Penalty on the variance within classes")
