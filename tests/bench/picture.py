"""The picture in the README, drawn by the code it shows."""

import warnings
from pathlib import Path

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from opnb import OPNBClassifier
from opnb.figures import figure_png, projection_figure

_HOME = Path(__file__).parents[2] / "docs" / "picture.png"


def picture():
    """Draw the wine data on two directions and write docs/picture.png."""
    data = load_wine(as_frame=True)
    names = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(data.data, names, stratify=names, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = OPNBClassifier(n_components=2).fit(X, y)
    figure = projection_figure(clf, X, y, X_test, y_test, theme="light")
    figure.update_layout(paper_bgcolor="white", plot_bgcolor="white")
    _HOME.parent.mkdir(exist_ok=True)
    _HOME.write_bytes(figure_png(figure, width=1000, scale=1.5))
    print(f"\nWrote {_HOME.relative_to(Path.cwd())}.")


SECTIONS = {"picture": picture}
