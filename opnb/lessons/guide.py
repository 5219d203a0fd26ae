"""The teacher's guide: one page about all lessons, from their own definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jinja2 import Environment

from opnb.lessons.lesson import Lesson

HEAD = (
    "Each lesson fills one screen, plays by itself and ends with a question. Everything that is shown is computed at "
    "that moment from simulated or bundled data; the same link shows the same picture to everyone."
)
HOW = (
    "The space bar plays, the arrow keys step, N and P change the lesson, Q and A show question and answer, W goes to "
    "the wall, which shows the lesson alone in large letters, and Esc leaves it. The buttons under Things to try set "
    "named states. Link gives an address for exactly what is shown, which can also play by itself."
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.4 "Source Sans 3", "Helvetica Neue", Arial, sans-serif; max-width: 54rem; margin: 1.5rem auto;
  padding: 0 1rem; background: Canvas; color: CanvasText; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.05rem; margin: .9rem 0 .1rem; } p { margin: .15rem 0; }
section { break-inside: avoid; }
@media print { @page { size: A4; margin: 9mm; }
  body { font-size: 7.8pt; line-height: 1.2; max-width: none; margin: 0; padding: 0; columns: 2; column-gap: 6mm; }
  h1 { font-size: 12pt; } h2 { font-size: 9pt; margin: .35rem 0 0; } p { margin: .05rem 0; } }
</style>
</head>
<body>
<h1>{{ title }}</h1>
<p>{{ head }}</p>
<p>{{ how }}</p>
{% for number, lesson, link in lessons %}<section>
<h2>{{ number }}. {% if link %}<a href="{{ link }}">{{ lesson.title }}</a>{% else %}{{ lesson.title }}{% endif %}
({{ lesson.minutes }} minutes)</h2>
<p>{{ lesson.shows }}</p>
<p><b>Try:</b> {% for one in lesson.tries %}{{ one.label }}{% if not loop.last %}, {% endif %}{% endfor %}.</p>
<p><b>Question:</b> {{ lesson.question }}</p>
<p><b>Answer:</b> {{ lesson.answer }}</p>
</section>
{% endfor %}
</body>
</html>
"""


def minutes(lessons: Sequence[Lesson]) -> int:
    """Add up the minutes of some lessons."""
    return sum(lesson.minutes for lesson in lessons)


def title(lessons: Sequence[Lesson]) -> str:
    """Head the guide."""
    return f"Teacher's guide: {len(lessons)} lessons, {minutes(lessons)} minutes"


def guide_html(lessons: Sequence[Lesson], link: Callable[[Lesson], str] = lambda lesson: "") -> str:
    """Write the guide as a page that prints on one sheet.

    Parameters
    ----------
    lessons : sequence of Lesson
    link : callable, optional
        Gives the address of a lesson, or nothing.
    """
    page = Environment(autoescape=True).from_string(_PAGE)
    numbered = [(number, lesson, link(lesson)) for number, lesson in enumerate(lessons, start=1)]
    return page.render(title=title(lessons), head=HEAD, how=HOW, lessons=numbered)


def guide_markdown(lessons: Sequence[Lesson], link: Callable[[Lesson], str] = lambda lesson: "") -> str:
    """Write the guide as Markdown; the parameters are those of `guide_html`."""
    parts = [f"# {title(lessons)}", HEAD, HOW]
    for number, lesson in enumerate(lessons, start=1):
        name = f"[{lesson.title}]({link(lesson)})" if link(lesson) else lesson.title
        parts += [
            f"## {number}. {name} ({lesson.minutes} minutes)",
            lesson.shows,
            f"**Try:** {', '.join(one.label for one in lesson.tries)}.",
            f"**Question:** {lesson.question}",
            f"**Answer:** {lesson.answer}",
        ]
    return "\n\n".join(parts) + "\n"
