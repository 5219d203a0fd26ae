"""
A model explained
=================

Why is a row given its class? Naive Bayes is a sum, and so is the answer.
"""

from opnb import OPNBClassifier
from opnb.data import load_example
from opnb.figures import log_odds_figure, parts_figure
from opnb.views import flips, reasons

data = load_example("breast_cancer")
rows = data.X_train, data.y_train, data.X_test, data.y_test
clf = OPNBClassifier(n_components=2, independence=0.1, likelihood="leave-one-out").fit(*rows[:2])
unsure = clf.predict_proba(data.X_test).max(axis=1).argsort()
row = data.X_test[unsure[2]]
why = reasons(clf, row, columns=data.columns, class_names=data.class_names)
print(f"given {data.class_names[why.predicted]}, against {data.class_names[why.other]}")

# %%
# What speaks for the class: the priors, and each direction.

log_odds_figure(why)

# %%
# What brings the row to its place on the first direction: each column's weight times its distance from the mean.

parts_figure(why, 0)

# %%
# The smallest change of one column that would flip the class.

for flip in flips(clf, row, columns=data.columns, X=data.X_train)[:3]:
    print(f"{flip.column.name}: {flip.before:.3g} -> {flip.after:.3g} gives {data.class_names[flip.becomes]}")

# %%
# Over all held-out rows: the rise of the error when a column is shuffled.

from opnb.figures import importance_figure
from opnb.views import column_importance

importance_figure(column_importance(clf, data.X_test, data.y_test, columns=data.columns), most=8)
