"""How long a lesson takes on first view: computing its story, and drawing it."""

import time

from opnb.figures.story import draw_story
from opnb.lessons import LESSONS
from tests.bench.timing import heading, row


def lessons():
    """Seconds to compute and to draw every lesson, the kernels compiled."""
    heading("Lessons: seconds on first view, in the usual state with other seeds (least of 3), goal 3")
    row("", "compute, s", "draw, s", "frames", "figure, kB")
    for lesson in LESSONS:
        lesson.story()  # compiles
        computed, drawn = zip(*(_seconds(lesson, seed) for seed in (11, 12, 13)), strict=True)
        story = lesson.story()
        size = len(draw_story(story).to_json()) / 1000
        row(lesson.title, f"{min(computed):.2f}", f"{min(drawn):.2f}", len(story.frames), f"{size:.0f}")


def _seconds(lesson, seed):
    begin = time.perf_counter()
    story = lesson.story(seed=seed)
    middle = time.perf_counter()
    draw_story(story)
    return middle - begin, time.perf_counter() - middle


SECTIONS = {f.__name__: f for f in (lessons,)}
