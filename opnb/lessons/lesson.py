"""What a lesson is: texts, controls, named states, and a pure function from a state to a story.

How a lesson is made
--------------------
A module of this package defines one constant `LESSON`, and `opnb.lessons.LESSONS` lists it::

    def tell(state: State) -> Story: ...

    LESSON = Lesson(
        key="rotate",                      # in links: /learn?lesson=rotate
        title="Why rotate?",
        minutes=8,
        shows="...",                       # one sentence: what a student takes home
        why="...",                         # a short paragraph: the reason behind what is seen
        question="...", answer="...",      # the answer stays hidden until asked for
        controls=(Slider("overlap", "Overlap", 0.6, 1.6, 0.1, 1.0), Choice("n", "Points", numbers(100, 1000), 1000)),
        tries=(Try("Few points", {"n": 100}, "What to look at."),),
        tell=tell,
    )

- `tell` is pure: the same state gives the same story. Data come from `opnb.data.simulate` or `load_example`, models
  from the library, everything is computed when it is asked for (three seconds at most on first view; the app keeps
  stories).
- A story has frames along one quantity (an angle, a scale, the iterations). The figure plays them in the browser, steps
  through them and has a slider for them. So the quantity that runs is no control of its own. Every frame says in a
  sentence what it shows, formatted from what was computed, and keeps those figures in `Frame.numbers`, where the tests
  of the claim read them.
- The fixed texts (`shows`, `why`, `question`, `answer`, `Try.look`) hold no figures at all (a test looks for digits).
  They are plain text: no markup.
- The panels are those of `opnb.views.story`: `Points`, `Curve`, `Rule`, `Bars`, `Decision` on fixed axes.
- The claim of each lesson is a test in `tests/lessons/`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from opnb.core.kernel import Array
from opnb.errors import DataError
from opnb.figures import Tour
from opnb.views.axes_paths import AxesPath
from opnb.views.story import Bars, Curve, Decision, Frame, Layer, Panel, Points, Rule, Scale, Story, decision

__all__ = [
    "Bars",
    "Choice",
    "Control",
    "Curve",
    "Decision",
    "Frame",
    "Layer",
    "Lesson",
    "Panel",
    "Points",
    "Rule",
    "Scale",
    "Slider",
    "State",
    "Story",
    "Try",
    "decision",
    "numbers",
    "seed",
    "short",
]

Value = int | float | str
State = Mapping[str, Value]

_NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9})?", re.ASCII)
LARGEST_SEED = 9999


@dataclass(frozen=True)
class Slider:
    """A number within limits, in steps.

    Whole limits, step and default make it a whole number.
    """

    key: str
    label: str
    low: float
    high: float
    step: float
    default: float
    help: str = ""

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return all(isinstance(value, int) for value in (self.low, self.high, self.step, self.default))

    def check(self, value: Value) -> Value:
        """Give the nearest value that can be set, or raise `DataError` for one outside the limits."""
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        if not number or not self.low <= float(value) <= self.high:
            raise DataError(f"{self.label} must be a number from {self.low:g} to {self.high:g}.")
        steps = round((float(value) - self.low) / self.step)
        nearest = min(self.low + steps * self.step, self.high)
        return int(nearest) if self.whole else round(nearest, 9)

    def read(self, text: str) -> Value:
        """Read a value from a link."""
        if not _NUMBER.fullmatch(text):
            raise DataError(f"{self.label} must be a number from {self.low:g} to {self.high:g}.")
        return self.check(float(text))

    def write(self, value: Value) -> str:
        """Write a value into a link."""
        return f"{value:.10g}" if not isinstance(value, str) else value


@dataclass(frozen=True)
class Choice:
    """One of a few values, each with its words.

    Attributes
    ----------
    options : tuple of (value, words)
    default : int, float or str
    """

    key: str
    label: str
    options: tuple[tuple[Value, str], ...]
    default: Value
    help: str = ""

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that can be chosen."""
        return tuple(value for value, _ in self.options)

    def words(self, value: Value) -> str:
        """Say a value."""
        return dict(self.options)[value]

    def check(self, value: Value) -> Value:
        """Give the value, or raise `DataError` if it is none of the options."""
        for option in self.values:
            if option == value:
                return option
        raise DataError(f"{self.label} must be one of: {', '.join(words for _, words in self.options)}.")

    def read(self, text: str) -> Value:
        """Read a value from a link."""
        for option in self.values:
            if self.write(option) == text:
                return option
        raise DataError(f"{self.label} must be one of: {', '.join(map(self.write, self.values))}.")

    def write(self, value: Value) -> str:
        """Write a value into a link."""
        return value if isinstance(value, str) else f"{value:.10g}"


Control = Slider | Choice


def numbers(*values: float) -> tuple[tuple[Value, str], ...]:
    """Make the options of a `Choice` among numbers."""
    return tuple((value, f"{value:,g}") for value in values)


def short(value: float) -> str:
    """Write a number with two digits that count and no exponent, e.g. 0.32, 32, 3,200."""
    return f"{float(f'{value:.2g}'):,.10g}"


def seed(default: int = 0) -> Slider:
    """Make the control of the seed, under the key "seed"."""
    return Slider("seed", "Seed", 0, LARGEST_SEED, 1, default, "Another number draws other data of the same kind.")


@dataclass(frozen=True)
class Try:
    """A named state: what differs from the usual, where to begin, and what to look at.

    Attributes
    ----------
    label : str
        On its button, two to four words.
    changes : mapping of str to value
        Controls that differ from their defaults; the rest are set back.
    look : str
        What to look at, one sentence.
    at : int, optional
        The frame to show, counted from the end if negative; None for the story's own.
    """

    label: str
    changes: Mapping[str, Value]
    look: str
    at: int | None = None


@dataclass(frozen=True)
class Lesson:
    """A lesson; see the head of this module.

    Attributes
    ----------
    key, title : str
    minutes : int
        In front of a class.
    shows, why, question, answer : str
        Plain text without figures.
    controls : tuple of Slider or Choice
    tries : tuple of Try
    tell : callable
        From a whole state to a story.
    to_turn : callable, optional
        From a whole state and ways to a tour that a student can turn; with it comes `climb`, from a state and the
        student's axes to the way of a search that begins there.
    """

    key: str
    title: str
    minutes: int
    shows: str
    why: str
    question: str
    answer: str
    controls: tuple[Control, ...]
    tries: tuple[Try, ...]
    tell: Callable[[State], Story] = field(repr=False)
    to_turn: Callable[[State, Sequence[AxesPath]], Tour] | None = field(default=None, repr=False)
    climb: Callable[[State, Array], AxesPath] | None = field(default=None, repr=False)

    @property
    def usual(self) -> dict[str, Value]:
        """The state a lesson begins in."""
        return {control.key: control.default for control in self.controls}

    def state(self, changes: Mapping[str, Value]) -> dict[str, Value]:
        """Give a whole state from what differs from the usual.

        Raises
        ------
        DataError
            For a value outside its limits, or a control that the lesson has not.
        """
        unknown = [key for key in changes if key not in self.usual]
        if unknown:
            raise DataError(f"The lesson '{self.title}' has no control '{unknown[0]}'.")
        return {control.key: control.check(changes.get(control.key, control.default)) for control in self.controls}

    def story(self, **changes: Value) -> Story:
        """Compute the story of a state given by what differs from the usual."""
        return self.tell(self.state(changes))
