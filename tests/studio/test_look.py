"""Colours that can be read: 4.5 : 1 and more for all text, in both themes."""

import re
import tomllib
from pathlib import Path

import pytest

from opnb.figures.palette import THEMES
from opnb.studio.ui import page_head

ROOT = Path(__file__).parents[2]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf8"))["theme"]
STYLE = (Path(page_head.__file__).parent / "frontend" / "page.css").read_text("utf8")
CAPTION = 0.6  # how opaque Streamlit's captions are
BOTH = pytest.mark.parametrize("name", ["light", "dark"])


def channels(colour):
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def luminance(rgb):
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(text, ground, opacity=1.0):
    """The contrast of the W3C's guidelines, of text that lets the ground through."""
    ground = channels(ground)
    mixed = [opacity * t + (1 - opacity) * g for t, g in zip(channels(text), ground, strict=True)]
    low, high = sorted([luminance(mixed), luminance(ground)])
    return (high + 0.05) / (low + 0.05)


def grounds(name):
    """Give the backgrounds that text stands on."""
    theme = THEME[name]
    names = ("backgroundColor", "secondaryBackgroundColor")
    return {part[key] for part in (theme, theme["sidebar"]) for key in names}


@BOTH
def test_text_and_captions_can_be_read_on_every_ground(name):
    for ground in grounds(name):
        assert contrast(THEME[name]["textColor"], ground) >= 7
        assert contrast(THEME[name]["textColor"], ground, CAPTION) >= 4.5, ground


@BOTH
def test_primary_buttons_and_chosen_segments_can_be_read(name):
    written = re.search(r"span\[title\] ~ \* \{ color: light-dark\((#\w+), (#\w+)\)", STYLE)
    primary = THEME[name]["primaryColor"]
    assert contrast(written[1 if name == "light" else 2], primary) >= 4.5
    # A chosen segment stands on a tint of a tenth of its colour.
    ground = THEME[name]["backgroundColor"]
    tint = "#" + "".join(
        f"{round(255 * (0.1 * p + 0.9 * g)):02x}" for p, g in zip(channels(primary), channels(ground), strict=True)
    )
    assert contrast(primary, tint) >= 4.5


@BOTH
def test_the_words_of_figures_can_be_read(name):
    for colour in (THEMES[name].text, THEMES[name].quiet):
        assert contrast(colour, THEME[name]["backgroundColor"]) >= 4.5


def test_the_ground_of_fit_is_that_of_the_side_bar():
    ground = re.search(r"background: light-dark\((#\w+), (#\w+)\)", STYLE)
    assert [ground[1], ground[2]] == [THEME[name]["sidebar"]["backgroundColor"] for name in ("light", "dark")]
