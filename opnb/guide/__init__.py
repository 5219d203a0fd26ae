"""The user's guide, in Markdown: the pages of the documentation and of the app's help are these files."""

from __future__ import annotations

from importlib.resources import files

# In reading order.
PAGES = (
    "table",
    "picture",
    "wrong",
    "settings",
    "new-rows",
    "why",
    "touring",
    "comparing",
    "teaching",
    "work",
    "commands",
    "method",
)


def text(page: str) -> str:
    """Give a page as Markdown.

    Parameters
    ----------
    page : str
        One of `PAGES`.

    Returns
    -------
    str

    Examples
    --------
    >>> from opnb.guide import text
    >>> text("picture").splitlines()[0]
    '# Reading the picture'
    """
    if page not in PAGES:
        raise ValueError(f"There is no page {page!r} in the guide; there are {', '.join(PAGES)}.")
    return (files(__package__) / f"{page}.md").read_text("utf8")


def title(page: str) -> str:
    """Give the heading of a page.

    Parameters
    ----------
    page : str
        One of `PAGES`.

    Returns
    -------
    str

    Examples
    --------
    >>> from opnb.guide import title
    >>> title("table")
    'Bringing a table'
    """
    return text(page).partition("\n")[0].removeprefix("# ")
