"""The guide in the app: offered where it is needed, the same text as in the documentation."""

import re
from pathlib import Path

from opnb import guide
from opnb.studio.ui.guide import shown

ROOT = Path(__file__).parents[2]


def test_every_page_by_task_is_offered_somewhere_and_no_other():
    sources = [*(ROOT / "pages").glob("*.py"), *(ROOT / "opnb" / "studio").rglob("*.py")]
    offered = {
        name for file in sources for name in re.findall(r'guide(?:_button\(|=)"([\w-]+)"', file.read_text("utf8"))
    }
    # The two others are for readers of papers and of terminals; the box in the guide leads to them.
    assert offered == set(guide.PAGES) - {"commands", "method"}


def test_a_page_is_shown_as_it_is_but_for_its_links():
    words = shown("picture")
    assert "see\n*What is wrong*" in words
    assert ".md)" not in words
    assert words.count("\n") == guide.text("picture").count("\n") - 1


def test_the_guide_opens_beside_what_it_explains(visit):
    page = visit().go("Data").press("Bringing a table")
    assert "One row is one observation" in page.words
    assert page.find("selectbox", "Page").value == "table"
    assert len(page.find("selectbox", "Page").options) == len(guide.PAGES)
