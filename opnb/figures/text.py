"""Names as plain text inside Plotly's labels, legends and hover boxes.

Plotly reads a small HTML in every label and fills in `%{...}` in hover templates, so a class called `<b>` or `%{x}`
would change the picture. Character references are turned back into characters after both have been read.
"""

import html
import textwrap
from collections.abc import Sequence

from opnb.diagnostics.finding import class_label
from opnb.views.axes import Axis


def label_text(name: str, longest: int | None = None) -> str:
    """Make any text safe inside a Plotly label, on one line, shortened if it is longer than `longest`."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())
    if longest is not None and len(line) > longest:
        line = line[: longest - 1].rstrip() + "…"
    # LaTeX between dollar signs would wait for a MathJax that never comes.
    return html.escape(line, quote=False).replace("%{", "&#37;{").replace("$", "&#36;")


def axis_title(axis: Axis, features: int = 2) -> str:
    """Name a direction and the features that weigh most on it, on one line."""
    heaviest = ", ".join(label_text(name, 20) for name, _ in axis.heaviest[:features])
    more = ", …" if len(axis.heaviest) > features else ""
    return f"{axis.called}: {heaviest}{more}" if heaviest else axis.called


def class_labels(names: Sequence[str]) -> list[str]:
    """Call classes by their names, and those that are numbers "class 0"; not yet safe inside a label."""
    return [class_label(name) for name in names]


def unique_names(names: Sequence[str], longest: int = 28) -> list[str]:
    """Shorten names for a legend; those that would come out alike get their number."""
    short = [label_text(name, longest) or "(no name)" for name in names]
    return [f"{name} #{k + 1}" if short.count(name) > 1 else name for k, name in enumerate(short)]


def wrapped(text: str, width: int) -> list[str]:
    """Break plain text into safe lines of at most `width` characters."""
    return [label_text(line) for line in textwrap.wrap(text, width)]
