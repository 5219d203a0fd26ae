"""The first five lines, as the documentation shows them."""

from sklearn.datasets import load_wine

from opnb import OPNBClassifier
from opnb.figures import OPNBDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
clf = OPNBClassifier(n_components=2, independence=0.1).fit(X, y)
OPNBDisplay.from_estimator(clf, X, y).figure_.show()
