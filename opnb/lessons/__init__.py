"""Lessons: each one screen, computed when it is asked for, the same for everyone who opens its link."""

from opnb.lessons import (
    bandwidth,
    categories,
    dimensions,
    forces,
    long_direction,
    noise,
    rotate,
    starts,
    turning,
    twice,
)
from opnb.lessons.lesson import Choice, Control, Lesson, Slider, State, Try

LESSONS: tuple[Lesson, ...] = (
    rotate.LESSON,
    bandwidth.LESSON,
    noise.LESSON,
    long_direction.LESSON,
    starts.LESSON,
    forces.LESSON,
    twice.LESSON,
    categories.LESSON,
    dimensions.LESSON,
    turning.LESSON,
)

__all__ = ["LESSONS", "Choice", "Control", "Lesson", "Slider", "State", "Try"]
