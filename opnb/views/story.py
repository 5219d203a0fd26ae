"""A picture of several panels that changes step by step: what a lesson shows, without any plotting.

A story is a row of frames. Every frame has the same panels with the same axes, and every panel the same kinds of
layers in the same order, so that a figure can move from one frame to the next.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from opnb.core.kernel import Array
from opnb.views.boundary import boundary_lines
from opnb.views.plane import AveragedFullModel, ClassMap

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Points:
    """Observations in the colours and symbols of their classes; held-out ones are open.

    Attributes
    ----------
    x, y : array-like of shape (n,)
    labels : array-like of int of shape (n,)
    is_test : array-like of bool of shape (n,), optional
        None: all are training points.
    size : float, optional
    """

    x: ArrayLike
    y: ArrayLike
    labels: ArrayLike
    is_test: ArrayLike | None = None
    size: float | None = None


@dataclass(frozen=True, eq=False)
class Curve:
    """A line, or the marks alone.

    Attributes
    ----------
    x, y : array-like of shape (m,)
    name : str
        In the legend where it is not empty. Curves of one name share an entry, whichever panels they are in.
    of_class : int, optional
        Has that class's colour and symbol; else `look` chooses.
    look : int
        Number of a colour, symbol and dash that belong together, for curves that are no class's.
    filled, marks, line : bool
        Whether it is filled down to zero, has marks, has a line.
    quiet : bool
        Thin and grey.
    rings : bool
        Marks are rings around points of other layers, which no class has.
    """

    x: ArrayLike
    y: ArrayLike
    name: str = ""
    of_class: int | None = None
    look: int = 0
    filled: bool = False
    marks: bool = False
    line: bool = True
    quiet: bool = False
    rings: bool = False


@dataclass(frozen=True, eq=False)
class Rule:
    """A thin upright (x) or level (y) line across a panel; its words are in the legend."""

    x: float | None = None
    y: float | None = None
    text: str = ""


@dataclass(frozen=True, eq=False)
class Bars:
    """Level bars with a number at the end of each, the first on top.

    Attributes
    ----------
    names, values
    texts : tuple of str, optional
        What stands at the end of a bar; the value with three decimals by default.
    strong : tuple of int
        Bars to set off.
    """

    names: tuple[str, ...]
    values: ArrayLike
    texts: tuple[str, ...] = ()
    strong: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Decision:
    """Regions of the predicted classes and the boundary between them.

    Attributes
    ----------
    x, y : (low, high)
        The rectangle that the map covers.
    classes : ndarray of int of shape (height, width)
        First row at the bottom.
    lines : tuple of ndarray of shape (m, 2)
    """

    x: Range
    y: Range
    classes: ClassMap
    lines: tuple[Array, ...]


Layer = Points | Curve | Rule | Bars | Decision


@dataclass(frozen=True)
class Scale:
    """One axis of a panel: its words, what it covers, and how."""

    label: str = ""
    shown: Range | None = None
    log: bool = False
    numbers: bool = True


@dataclass(frozen=True, eq=False)
class Panel:
    """One part of the picture.

    Attributes
    ----------
    title : str
        Above it; may change from frame to frame.
    layers : tuple of Layer
    x, y : Scale
    equal : bool
        Whether a unit is as long on both axes.
    """

    title: str
    layers: tuple[Layer, ...]
    x: Scale = Scale()
    y: Scale = Scale()
    equal: bool = False


@dataclass(frozen=True, eq=False)
class Frame:
    """One step of a story.

    Attributes
    ----------
    name : str
        A word or a number for the slider.
    says : str
        One or two sentences on what this step shows, with numbers from what was computed.
    panels : tuple of Panel
    numbers : mapping of str to float
        What was computed, by name.
    """

    name: str
    says: str
    panels: tuple[Panel, ...]
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Story:
    """Frames in order.

    Attributes
    ----------
    frames : tuple of Frame
    runs_along : str
        What changes from frame to frame, e.g. "angle".
    class_names : tuple of str
        Of the points and curves that belong to classes.
    columns : int
        Panels side by side; further ones go below.
    widths, heights : tuple of float, optional
        Shares of the columns and of the rows.
    first : int
        The frame to begin with.
    step : float
        Seconds from frame to frame when played.
    """

    frames: tuple[Frame, ...]
    runs_along: str
    class_names: tuple[str, ...]
    columns: int = 2
    widths: tuple[float, ...] = ()
    heights: tuple[float, ...] = ()
    first: int = 0
    step: float = 1.0

    def __post_init__(self) -> None:
        """Refuse frames between which a figure could not move."""
        kinds = {tuple(tuple(map(_kind, panel.layers)) for panel in frame.panels) for frame in self.frames}
        axes = {tuple((panel.x, panel.y, panel.equal) for panel in frame.panels) for frame in self.frames}
        if len(kinds) != 1 or len(axes) != 1:
            raise ValueError("The frames of a story need the same panels: the same kinds of layers on the same axes.")

    def number(self, at: int | None) -> int:
        """Find a frame that exists: None is the first to show, a negative number counts from the end."""
        if at is None:
            return self.first
        count = len(self.frames)
        return min(max(at + count if at < 0 else at, 0), count - 1)


def _kind(layer: Layer) -> tuple[object, ...]:
    if isinstance(layer, Curve):
        return (Curve, layer.name, layer.of_class, layer.look)
    return (type(layer),)


def decision(scores: Callable[[Array], Array], x: Range, y: Range, cells: int = 90) -> Decision:
    """Map a model's classes over a rectangle and trace the boundary between them.

    Parameters
    ----------
    scores : callable
        Takes points of shape (m, 2), gives (m, n_classes); the highest decides. For instance `clf.predict_log_proba`.
    x, y : (low, high)
    cells : int
        Places along each axis at which the scores are known; between them they are interpolated.
    """
    grid_x, grid_y = np.linspace(*x, cells), np.linspace(*y, cells)
    across, up = np.meshgrid(grid_x, grid_y)
    values = scores(np.column_stack([across.ravel(), up.ravel()]))
    by_class = np.ascontiguousarray(values.T).reshape(-1, cells, cells)
    classes = by_class.argmax(axis=0).astype(np.int16)
    plane = AveragedFullModel(grid_x, grid_y, by_class)
    return Decision(x, y, classes, boundary_lines(plane, grid_x, grid_y, classes))
