"""Data sets at one click: five classics that come with installed packages, and the simulators."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from opnb.data.simulators import SIMULATORS, simulate, simulated_table
from opnb.data.table import Table
from opnb.errors import DataError, needs

if TYPE_CHECKING:
    from opnb.data.dataset import Dataset
    from opnb.data.options import PrepareOptions

# name: (scikit-learn's loader, the target's name, description, provenance)
_SKLEARN = {
    "iris": (
        "load_iris",
        "species",
        "Sepals and petals of 150 irises of three species, in centimetres. One species stands apart, the "
        "other two touch: the classic first example.",
        "R. A. Fisher (1936), data of E. Anderson; the copy in scikit-learn.",
    ),
    "wine": (
        "load_wine",
        "class",
        "Thirteen chemical measurements of 178 wines from three growers of one Italian region. The "
        "covariates have very different scales, and two or three directions suffice.",
        "UCI repository, M. Forina and others (1988); the copy in scikit-learn.",
    ),
    "breast_cancer": (
        "load_breast_cancer",
        "diagnosis",
        "Thirty measurements of cell nuclei in 569 breast masses, benign or malignant. Many covariates "
        "measure the same thing, so a projection loses little.",
        "UCI repository, W. H. Wolberg, W. N. Street and O. L. Mangasarian (1995); the copy in scikit-learn.",
    ),
    "digits": (
        "load_digits",
        "digit",
        "1,797 handwritten digits as 8 by 8 grey pixels: ten classes, 64 covariates, some of them nearly "
        "always white. A test for pictures with many classes.",
        "UCI repository, E. Alpaydin and C. Kaynak (1998), test part; the copy in scikit-learn.",
    ),
}
_PENGUINS = (
    "Size, sex, island and year of 344 penguins of three species near Palmer Station, Antarctica. It has "
    "categories and some missing values, as tables from life do.",
    "A. M. Horst, A. P. Hill and K. B. Gorman (2020), palmerpenguins, CC0; the copy in the Python package.",
)


def example_names() -> tuple[str, ...]:
    """Give the names `load_example` and `example_table` know; the simulators come last.

    Examples
    --------
    >>> from opnb.data import example_names
    >>> example_names()[:2]
    ('iris', 'wine')
    """
    return (*_SKLEARN, "penguins", *SIMULATORS)


@needs("data")
def example_table(name: str) -> Table:
    """Give an example as the table it was before any preparation.

    Parameters
    ----------
    name : str
        One of `example_names()`.

    Returns
    -------
    Table

    Examples
    --------
    >>> from opnb.data import example_table
    >>> example_table("iris").name
    'iris'
    """
    if name in _SKLEARN:
        return _sklearn_table(name)
    if name == "penguins":
        return _penguins_table()
    if name in SIMULATORS:
        return simulated_table(name)
    raise DataError(f"There is no example '{name}'. Choose one of: {', '.join(example_names())}.")


def load_example(name: str, *, options: PrepareOptions | None = None) -> Dataset:
    """Load an example ready for a classifier.

    Parameters
    ----------
    name : str
        One of `example_names()`.
    options : PrepareOptions, optional
        Other choices for missing values, the split and so on.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from opnb.data import load_example
    >>> load_example("iris").X.shape
    (150, 4)
    """
    from opnb.data.preparing import prepare

    if name in SIMULATORS and options is None:
        return simulate(name)
    return prepare(example_table(name), options=options)


def _sklearn_table(name: str) -> Table:
    from sklearn import datasets

    loader, target, description, provenance = _SKLEARN[name]
    bunch: Any = getattr(datasets, loader)(as_frame=True)
    frame = bunch.data.copy()
    classes = bunch.target.to_numpy()
    frame[target] = classes if name == "digits" else bunch.target_names[classes]
    return Table.from_frame(frame, name, description=description, provenance=provenance)


def _penguins_table() -> Table:
    from dataclasses import replace

    from opnb.data.reading import read_table

    # read as a file: importing the package would bring in nothing but a second way of parsing it
    data = resources.files("palmerpenguins").joinpath("data/penguins.csv").read_bytes()
    return replace(read_table(data, name="penguins"), description=_PENGUINS[0], provenance=_PENGUINS[1])
