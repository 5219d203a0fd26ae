"""Categories become continuous: answers to questions as columns of 0 and 1, and a weighted sum of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opnb import KDENaiveBayes, OPNBClassifier
from opnb.core.kernel import Array
from opnb.data import Dataset, simulate
from opnb.estimators.parallel import one_blas_thread
from opnb.lessons.lesson import (
    Choice,
    Curve,
    Frame,
    Lesson,
    Panel,
    Points,
    Rule,
    Scale,
    State,
    Story,
    Try,
    numbers,
    seed,
)
from opnb.lessons.planes import along, class_numbers, counted, density_curves, fitted_quietly, upright

QUESTIONS = tuple(range(1, 13))
_AT_FIRST = 7
_TESTED = 2000
_DRAWN = 200
_REACH = 1.4
_SAME = 1e-6  # of the spread: projected values nearer than this are one value


@dataclass(frozen=True, eq=False)
class Fit:
    """Both models on the answers to the first few questions.

    Attributes
    ----------
    n_questions : int
    clf : OPNBClassifier
        One direction.
    z : ndarray of shape (n,)
        Training rows on it.
    nb_error, opnb_error : float
        On new rows.
    distinct : int
        Different values among the projected training rows.
    columns : int
    """

    n_questions: int
    clf: OPNBClassifier
    z: Array
    nb_error: float
    opnb_error: float
    distinct: int
    columns: int


def tell(state: State) -> Story:
    """Fit both models to more and more questions."""
    data = draw(state)
    with one_blas_thread():
        fits = [fit(data, int(state["n_levels"]), count) for count in QUESTIONS]
    frames = [_frame(one, fits, data) for one in fits]
    return Story(
        tuple(frames),
        "questions",
        data.class_names,
        columns=2,
        widths=(1.25, 1.0),
        first=_AT_FIRST,
        step=1.2,
    )


def draw(state: State) -> Dataset:
    """Draw the answers to all questions, with many rows held out so that the errors are known well."""
    size = int(state["n"]) + _TESTED
    pattern = {"together": {"together": 1.0}, "mostly": {"together": 0.8}, "lean": {"together": 0.0, "lean": 0.5}}
    return simulate(
        "answers",
        n=size,
        seed=int(state["seed"]),
        test_size=_TESTED / size,
        n_questions=QUESTIONS[-1],
        n_levels=int(state["n_levels"]),
        **pattern[str(state["answers"])],
    )


def fit(data: Dataset, n_levels: int, count: int) -> Fit:
    """Fit naive Bayes on the columns and OPNB on one direction, to the first questions."""
    used = slice(count * (n_levels - 1))
    X, X_test = data.X_train[:, used], data.X_test[:, used]
    clf = fitted_quietly(OPNBClassifier(n_components=1), X, data.y_train)
    nb = KDENaiveBayes().fit(X, data.y_train)
    z = clf.transform(X)[:, 0]
    errors = [float(np.mean(model.predict(X_test) != data.y_test)) for model in (nb, clf)]
    return Fit(count, clf, z, errors[0], errors[1], _distinct(z), X.shape[1])


def _distinct(z: Array) -> int:
    """Count the different values, taking those apart by rounding alone as one."""
    return int(1 + np.sum(np.diff(np.sort(z)) > _SAME * np.ptp(z)))


def _frame(one: Fit, fits: list[Fit], data: Dataset) -> Frame:
    n = len(data.y_train)
    counts = [other.n_questions for other in fits]
    by_method = {"NB on the columns": [f.nb_error for f in fits], "OPNB on the sum": [f.opnb_error for f in fits]}
    here = one.n_questions - 1
    along = Scale("questions", (0.5, QUESTIONS[-1] + 0.5))
    errors = [
        Curve(counts, np.multiply(100, values), name=name, look=look, marks=True)
        for look, (name, values) in enumerate(by_method.items())
    ]
    panels = (
        _strip(one, data),
        Panel(
            "Errors on new rows, %",
            (*errors, upright(one.n_questions, (0, 65))),
            along,
            Scale("", (0.0, 65.0)),
        ),
        _columns(one, data),
        Panel(
            f"Different values among {n:,} rows",
            (
                Curve(counts, [f.distinct for f in fits], name="values of the sum", look=2, marks=True),
                Rule(y=n, text="rows"),
                upright(one.n_questions, (1, 2 * n)),
            ),
            along,
            Scale("", (1.0, 2.0 * n), log=True),
        ),
    )
    found = {
        "nb_error": by_method["NB on the columns"][here],
        "opnb_error": by_method["OPNB on the sum"][here],
        "distinct": one.distinct,
        "columns": one.columns,
        "rows": n,
    }
    return Frame(f"{one.n_questions}", _says(one, n), panels, found)


def _strip(one: Fit, data: Dataset) -> Panel:
    """Draw the rows on the direction, with the class densities the model uses."""
    middle, half = along(one.z)
    labels = class_numbers(data)[:_DRAWN]
    rows = -0.12 - 0.22 * labels - 0.16 * np.random.default_rng(0).random(labels.size)
    points = Points((one.z[:_DRAWN] - middle) / half, rows, labels, size=5.0)
    return Panel(
        f"The weighted sum of {counted(one.columns, 'column')}: {counted(one.distinct, 'value')}",
        (*density_curves(one.clf, 0, one.z, _REACH, shares=True, filled=True), points),
        Scale("weighted sum of the columns", (-_REACH, _REACH), numbers=False),
        Scale("", (-0.55, 1.08), numbers=False),
    )


def _columns(one: Fit, data: Dataset) -> Panel:
    """Draw how frequent a 1 is in every column, for each class."""
    labels, X = class_numbers(data), data.X_train
    most = X.shape[1]
    curves = []
    for k in range(len(data.class_names)):
        share = 100 * X[labels == k].mean(axis=0)
        share[one.columns :] = np.nan
        curves.append(Curve(np.arange(1, most + 1), share, of_class=k, marks=True, line=False))
    return Panel(
        "Each column alone: rows that have a 1, %",
        tuple(curves),
        Scale("column", (0.4, most + 0.6)),
        Scale("", (0.0, 100.0)),
    )


def _says(one: Fit, n: int) -> str:
    return (
        f"{counted(one.n_questions, 'question')} in {counted(one.columns, 'column')} of 0 and 1. Naive Bayes on the "
        f"columns errs on {100 * one.nb_error:.0f} % of new rows. One weighted sum of them takes "
        f"{counted(one.distinct, 'value')} in {n:,} rows, and OPNB on it errs on {100 * one.opnb_error:.0f} %."
    )


LESSON = Lesson(
    key="categories",
    title="Categories become continuous",
    minutes=7,
    shows="A column of zeros and ones says little. A weighted sum of many of them is as good as a measurement, and "
    "can know what no single column knows.",
    why="Undecided people answer now one way, now the other. Decided people answer everything one way, or everything "
    "the other way. In each single column both groups have as many ones, so naive Bayes on the columns can only "
    "guess. In the weighted sum the decided are at both ends and the undecided in the middle. With every question "
    "the number of values the sum can take is multiplied, and soon nearly every row has its own. Then a smooth "
    "density along the sum makes sense, though every column is a category.",
    question="When should the columns be left as they are?",
    answer="When they do not depend on each other within a class. Then naive Bayes on the columns is the right "
    "model, and the sum can only match it. Set the answers to independent to see it.",
    controls=(
        Choice(
            "answers",
            "Answers of the decided",
            (("together", "all one way"), ("mostly", "mostly one way"), ("lean", "independent, other shares")),
            "together",
            "Independent: every answer is drawn by itself, and the groups differ in how frequent each is.",
        ),
        Choice("n_levels", "Answers to choose from", numbers(2, 3, 4, 5), 3, "Each but the first becomes a column."),
        Choice("n", "Rows", numbers(100, 300, 900), 300, "Training rows."),
        seed(),
    ),
    tries=(
        Try(
            "One question",
            {},
            "A single question has a handful of values, whatever weights it gets, and neither method beats chance.",
            at=0,
        ),
        Try("All questions", {}, "Nearly every row has a value of its own.", at=-1),
        Try("Yes or no only", {"n_levels": 2}, "With two answers each question says less, so it takes more of them."),
        Try(
            "Independent answers",
            {"answers": "lean"},
            "Now each column knows a little, they do not depend on each other, and naive Bayes is as good.",
            at=-1,
        ),
    ),
    tell=tell,
)
