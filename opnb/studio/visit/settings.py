"""The settings of a fit as one frozen value, and the settings of its picture as another.

A `FitSpec` decides the result completely: equal specs give equal fits. A `PictureSpec` decides only what is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from opnb.errors import OPNBError
from opnb.studio.visit.sources import DataSpec, Source

if TYPE_CHECKING:
    from opnb.core.optimise import Callback
    from opnb.estimators.classifier import OPNBClassifier

Penalty = Literal["frobenius", "total", "pooled"]
Init = Literal["pca", "random", "given", "fixed"]
# Weights of the columns, brought to equal scales, in one or several axes; an axis is one tuple.
Axes = tuple[tuple[float, ...], ...]
Combine = Literal["best", "average"]
Likelihood = Literal["resubstitution", "leave-one-out"]
Bins = int | Literal["auto"] | None
Scale = bool | Literal["robust"]
Priors = Literal["shares", "uniform"]

Boundary = Literal["shown", "full"]
Extent = Literal["all", "central"]
Margins = Literal["density", "prior", "log"]
Mode = Literal["still", "tour"]

FIRST_EXAMPLE = "wine"
LARGEST_SEED = 2**31 - 1
# Of a fit that the app begins by itself. In a link or a workspace an absent value is the paper's.
# Chosen on the data sets that help to design, with two directions: on the first split fewer errors than the paper's
# with an independence of 0.1 (0.188 against 0.199), on the other data sets as many (0.211 and 0.208); iris is no line.
USUAL: Mapping[str, Any] = MappingProxyType({"lam": 2e-3, "penalty": "pooled", "independence": 1.0, "max_iter": 300})
BOUNDS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "n_components": (1, 100),
        "lam": (1e-8, 1e3),
        "n_init": (1, 100),
        "n_bins": (10, 100_000),
        "max_iter": (1, 2_000),
        "tol": (1e-10, 1e-1),
        "independence": (0.0, 100.0),
        "bend": (1e-3, 100.0),
        "sharpness": (1e-3, 1e3),
        "seed": (0, LARGEST_SEED),
    }
)
CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "penalty": get_args(Penalty),
        "init": get_args(Init),
        "combine": get_args(Combine),
        "likelihood": get_args(Likelihood),
        "priors": get_args(Priors),
        "boundary": get_args(Boundary),
        "extent": get_args(Extent),
        "margins": get_args(Margins),
        "mode": get_args(Mode),
    }
)
_ROUNDING = 1e-6  # of numbers in a link
HEAVIEST_WEIGHT = 1e6  # of a column in an axis
# What was learnt on rows left out, as long as nothing was.
LEARNT: Mapping[str, Any] = MappingProxyType({"decision_priors": None, "sharpness": 1.0})
# How the settings are called in the app; the keys are the classifier's own names.
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "data": "data",
        "n_components": "directions",
        "lam": "smoothness λ",
        "penalty": "penalty",
        "init": "start",
        "n_init": "random starts",
        "combine": "use of the starts",
        "likelihood": "likelihood",
        "n_bins": "bins",
        "scale": "equal scales",
        "max_iter": "most iterations",
        "tol": "precision",
        "independence": "independence of directions",
        "bend": "shape of directions",
        "priors": "classes count",
        "decision_priors": "class probabilities in decisions",
        "sharpness": "sharpness of probabilities",
        "seed": "seed",
        "start": "axes to start from",
    }
)
VALUE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "frobenius": "size of the directions",
        "total": "total spread",
        "pooled": "spread within classes",
        "pca": "principal components",
        "random": "random",
        "given": "axes turned by hand",
        "fixed": "axes turned by hand, without a search",
        "best": "best start",
        "average": "average of the starts",
        "resubstitution": "as in the paper",
        "leave-one-out": "leave one out",
        "auto": "automatic",
        "exact": "none (exact)",
        "shares": "by their share of the rows",
        "uniform": "equally",
        "robust": "by the middle half",
    }
)


@dataclass(frozen=True)
class FitSpec:
    """Everything that decides a fit: the data with their split, and the classifier's settings.

    Parameters are those of `OPNBClassifier`; `seed` is its random_state, and the split's seed is in `data.options`.
    With `init` "given" the search begins at the axes in `start`, with "fixed" they are the model's and nothing is
    searched; where these are not as many as `n_components`, it begins at principal components.
    `LEARNT` settings belong to one data set and one choice of the others: other data, and other settings in the form,
    drop them. A remedy keeps them, as it was tried with them.

    Raises
    ------
    OPNBError
        For a value outside `BOUNDS` or `CHOICES`, with what is allowed.
    """

    data: DataSpec
    n_components: int | None = 2
    lam: float = 1e-3
    penalty: Penalty = "frobenius"
    init: Init = "pca"
    n_init: int = 1
    combine: Combine = "best"
    likelihood: Likelihood = "resubstitution"
    n_bins: Bins = "auto"
    scale: Scale = True
    max_iter: int = 100
    tol: float = 1e-5
    independence: float = 0.0
    bend: float | None = None
    priors: Priors = "shares"
    decision_priors: tuple[float, ...] | None = None
    sharpness: float = 1.0
    seed: int = 0
    start: Axes | None = None

    def __post_init__(self) -> None:
        for name in ("penalty", "init", "combine", "likelihood", "priors"):
            check_choice(name, getattr(self, name))
        if self.start is not None:
            check_axes("start", self.start)
        if self.decision_priors is not None:
            check_shares("decision_priors", self.decision_priors)
        for name in ("n_init", "max_iter", "seed"):
            check_bounds(name, getattr(self, name), whole=True)
        for name in ("lam", "tol", "independence", "sharpness"):
            check_bounds(name, getattr(self, name))
        if self.bend is not None:
            check_bounds("bend", self.bend)
        if self.n_components is not None:
            check_bounds("n_components", self.n_components, whole=True)
        if self.n_bins is not None and self.n_bins != "auto":
            check_bounds("n_bins", self.n_bins, whole=True)
        if not isinstance(self.scale, bool) and self.scale != "robust":
            raise OPNBError(f"{WORDS['scale']} must be yes, no or robust, not {self.scale!r}.")

    def settings(self) -> dict[str, Any]:
        """Give the classifier's parameters."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        del values["data"]
        values["random_state"] = values.pop("seed")
        values |= self._beginning(values.pop("start"))
        if self.init != "random":
            values["n_init"] = 1  # kept in the settings for the day when starts are random again
        if self.priors == "shares":
            values["priors"] = None
        return values

    def changed(self, **values: Any) -> FitSpec:
        """Give other settings, without what was learnt on rows left out for these."""
        asked = replace(self, **values)
        return asked if asked == self else replace(asked, **LEARNT)

    def same_fit(self, other: FitSpec) -> bool:
        """Tell whether both lead to the same fit: a number of random starts means nothing where none is random."""
        return self.data == other.data and self.settings() == other.settings()

    @property
    def has_given_axes(self) -> bool:
        """Whether the fit begins at axes that are given, or has them as its directions."""
        return self.init in ("given", "fixed") and self.start is not None and len(self.start) == self.n_components

    def _beginning(self, start: Axes | None) -> dict[str, Any]:
        """Give the classifier's parameters that say where the search begins."""
        if self.init in ("pca", "random"):
            return {}
        if not self.has_given_axes or start is None:
            return {"init": "pca"}
        given = [list(weights) for weights in zip(*start, strict=True)]  # one row a column, as a classifier has it
        return {"init": given} | ({"max_iter": 0} if self.init == "fixed" else {})

    def classifier(self, callback: Callback | None = None) -> OPNBClassifier:
        """Make the classifier, not yet fitted."""
        from opnb.estimators.classifier import OPNBClassifier

        return OPNBClassifier(**self.settings(), callback=callback)

    def label(self) -> str:
        """Say the fit in a few words, for lists and titles."""
        directions = "all directions" if self.n_components is None else _directions(self.n_components)
        parts = [self.data.source.name, directions, f"λ = {self.lam:g}"]
        if self.penalty != USUAL["penalty"]:
            parts.append(in_words("penalty", self.penalty))
        if self.init == "random":
            parts.append("1 random start" if self.n_init == 1 else f"{self.n_init} random starts")
        if self.has_given_axes:
            parts.append("turned by hand" if self.init == "fixed" else "from turned axes")
        if self.likelihood != "resubstitution":
            parts.append("leave one out")
        if self.independence != USUAL["independence"]:
            parts.append(f"independence {self.independence:g}")
        if self.bend is not None:
            parts.append(in_words("bend", self.bend))
        if self.priors != "shares":
            parts.append("classes count equally")
        if self.decision_priors is not None:
            parts.append("classes balanced")
        return ", ".join(parts)


@dataclass(frozen=True)
class PictureSpec:
    """What the picture shows of a fit.

    Parameters
    ----------
    directions : tuple of two int
        From 0, as in the classifier.
    boundary : {"shown", "full"}
        Of the model on the directions shown, or of the full model.
    extent : {"all", "central"}
        All points, or the central 98 %.
    margins : {"density", "prior", "log"}
    focus : tuple of str
        Classes in colour when there are many; empty for all.
    mode : {"still", "tour"}
        Whether it can be turned.
    plane : Axes, optional
        Where a tour stands: two axes; None for the directions shown.
    """

    directions: tuple[int, int] = (0, 1)
    boundary: Boundary = "shown"
    extent: Extent = "all"
    margins: Margins = "density"
    focus: tuple[str, ...] = ()
    mode: Mode = "still"
    plane: Axes | None = None

    def __post_init__(self) -> None:
        for name in ("boundary", "extent", "margins", "mode"):
            check_choice(name, getattr(self, name))
        if self.plane is not None:
            check_axes("plane", self.plane, 2)
        for direction in self.directions:
            check_bounds("n_components", direction + 1, whole=True)

    def fitting(self, n_directions: int) -> tuple[int, ...]:
        """Give the directions to draw of a model that may have fewer."""
        if n_directions == 1:
            return (0,)
        first, second = (direction if direction < n_directions else 0 for direction in self.directions)
        return (first, second if second != first else (first + 1) % n_directions)


def default_spec(name: str = FIRST_EXAMPLE) -> FitSpec:
    """Give the fit a visitor sees first."""
    return FitSpec(DataSpec(Source("example", name)), **USUAL)


def check_choice(name: str, value: Any) -> None:
    """Raise `OPNBError` for a value that is not among the setting's choices."""
    if not isinstance(value, str) or value not in CHOICES[name]:
        raise OPNBError(f"{WORDS.get(name, name)} must be one of {', '.join(CHOICES[name])}, not {value!r}.")


def check_axes(name: str, axes: Any, count: int | None = None) -> None:
    """Raise `OPNBError` for anything but axes of finite weights of equally many columns, so many of them."""
    fine = isinstance(axes, tuple) and axes and all(isinstance(axis, tuple) and axis for axis in axes)
    fine = fine and len({len(axis) for axis in axes}) == 1 and (count is None or len(axes) == count)
    # A comparison that is false for NaN, too.
    if not fine or not all(isinstance(w, float) and abs(w) <= HEAVIEST_WEIGHT for axis in axes for w in axis):
        raise OPNBError(f"{WORDS.get(name, name)} must be axes with a number for every column.")


def check_shares(name: str, shares: Any) -> None:
    """Raise `OPNBError` for anything but positive numbers, one a class, that sum to one."""
    fine = isinstance(shares, tuple) and all(isinstance(share, float) and share > 0 for share in shares)
    if not fine or not abs(sum(shares) - 1.0) < _ROUNDING:
        raise OPNBError(f"{WORDS[name]} must be positive numbers, one for every class, that sum to one.")


def check_bounds(name: str, value: Any, *, whole: bool = False) -> None:
    """Raise `OPNBError` for a value that is no number within the setting's bounds."""
    low, high = BOUNDS[name]
    kind = int if whole else (int, float)
    fine = isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(value) and low <= value <= high
    if not fine:
        noun = "a whole number" if whole else "a number"
        raise OPNBError(f"{WORDS.get(name, name)} must be {noun} from {low:g} to {high:g}, not {value!r}.")


def in_words(name: str, value: Any) -> str:
    """Say the value of one setting."""
    if name == "n_components" and value is None:
        return "all, 20 at the most"
    if name == "n_bins" and value is None:
        return VALUE_WORDS["exact"]
    if name == "decision_priors":
        return "those that count in the fit" if value is None else "learnt on rows left out"
    if name == "start":
        return "none" if value is None else _directions(len(value))
    if name == "bend":
        return f"bent by {value:g}" if isinstance(value, float | int) else "straight"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return VALUE_WORDS.get(value, str(value))


def differences(first: FitSpec, second: FitSpec) -> list[tuple[str, str, str]]:
    """List the settings in which two fits differ: name, first value, second value, all in words."""
    found = _data_differences(first.data, second.data)
    for field in fields(FitSpec):
        one, other = getattr(first, field.name), getattr(second, field.name)
        if field.name != "data" and one != other:
            found.append((WORDS[field.name], in_words(field.name, one), in_words(field.name, other)))
    return found


def _data_differences(first: DataSpec, second: DataSpec) -> list[tuple[str, str, str]]:
    asked: dict[str, Callable[[DataSpec], object]] = {
        "data": lambda spec: _source_words(spec.source),
        "target": lambda spec: spec.target,
        "preset": lambda spec: spec.options.preset,
        "missing values": lambda spec: spec.options.missing,
        "codes for missing values": lambda spec: (
            ", ".join(f"{name}: {', '.join(f'{c:g}' for c in codes)}" for name, codes in spec.options.codes.items())
            or "none"
        ),
        "columns": lambda spec: (
            ", ".join(f"{name}: {role}" for name, role in dict(spec.options.roles).items()) or "as proposed"
        ),
        "fewest rows of a class": lambda spec: spec.options.min_class_rows,
        "target cut into": lambda spec: spec.options.target_bins or "not cut",
        "held out": lambda spec: "none" if spec.options.test_size is None else f"{100 * spec.options.test_size:g} %",
        "split's seed": lambda spec: spec.options.seed,
    }
    return [(name, str(ask(first)), str(ask(second))) for name, ask in asked.items() if ask(first) != ask(second)]


def _source_words(source: Source) -> str:
    settings = [f"{name} {value:g}" for name, value in source.parameters]
    return ", ".join([source.name, *settings]) + (f" ({source.content})" if source.content else "")


def _directions(count: int) -> str:
    return "1 direction" if count == 1 else f"{count} directions"
