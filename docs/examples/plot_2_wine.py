"""
Wine: settings chosen by cross-validation
=========================================

Thirteen chemical measurements of 178 wines from three growers. We give no settings: `OPNBAuto` tries some on folds of
the training rows and comes back with one projection.
"""

from opnb import OPNBAuto
from opnb.data import load_example
from opnb.figures import OPNBDisplay

data = load_example("wine")
rows = data.X_train, data.y_train, data.X_test, data.y_test
auto = OPNBAuto(n_components=2, cv=3).fit(data.X_train, data.y_train)
print(auto.best_params_)
print(f"expected error {auto.error_:.3f} (standard error {auto.error_se_:.3f})")
print(f"held-out error {1 - auto.score(data.X_test, data.y_test):.3f}")

# %%
# The picture of the choice is that of an ordinary model.

OPNBDisplay.from_estimator(auto, *rows, feature_names=data.feature_names)

# %%
# Who is mistaken for whom, on held-out rows.

from opnb.figures import confusion_figure
from opnb.views import metrics, project

train, held_out = metrics(project(auto, *rows))
confusion_figure(held_out)
