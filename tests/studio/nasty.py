"""A table whose names, classes and values are markup, formulas and worse; shared by the tests of pages and browser."""

import csv
import io

import numpy as np

HOST = "evil.example"  # no request may ever go there
MARK = "PWN"

NAMES = {
    "html": f"<img src='http://{HOST}/{MARK}.png' onerror='window.__pwned=1'>",
    "script": f"</script><script>window.__pwned=2;'{MARK}'</script>",
    "bold": f"**{MARK}** <b>{MARK}</b>",
    "link": f"[{MARK}](http://{HOST}/)",
    "image": f"![{MARK}](http://{HOST}/{MARK}.png)",
    "latex": f"$\\href{{http://{HOST}}}{{{MARK}}}$",
    "short codes": f":red[{MARK}] :material/home: :smile: `{MARK}`",
    "formula": f'=HYPERLINK("http://{HOST}/","{MARK}")',
    "template": f"%{{x}} {{{{{MARK}}}}} ${{{MARK}}} <a href='javascript:window.__pwned=3'>{MARK}</a>",
    "right to left": f"\u202e{MARK}\u2066 \u05d0\u05d1\u05d2",
    "newlines": f"# {MARK}\n- {MARK}\r\n\n---\n|a|b|\n|-|-|",
    "long": f"{MARK} " + "long " * 200,
}
CLASSES = (NAMES["html"], f"=cmd|' /C calc'!A0 <b>{MARK}</b>", f"$x$ :red[{MARK}] **{MARK}**")
FILE_NAME = f"<b>{MARK}</b> **{MARK}** :red[{MARK}] =1+1.csv"

# What Markdown, HTML or LaTeX would act upon; an escaped name holds none of these.
LIVE = (
    f"**{MARK}",
    f"<b>{MARK}",
    "<img",
    "<script",
    "</script",
    f"[{MARK}](",
    f"[{MARK}]",
    "$\\href",
    "$x$",
    ":material/home:",
    ":smile:",
    f"`{MARK}",
    "<a href",
    f"\n- {MARK}",
)


def table(rows: int = 72) -> bytes:
    """Write the table: a number under every name, a column of text, an empty name, and the classes."""
    rng = np.random.default_rng(0)
    labels = np.arange(rows) % len(CLASSES)
    values = np.round(rng.normal(size=(rows, len(NAMES))) + labels[:, None] * rng.normal(size=len(NAMES)), 3)
    text = [list(NAMES.values())[i % 4] for i in range(rows)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*NAMES.values(), "", "text", f"class <i>{MARK}</i>"])
    for row, words, label in zip(values, text, labels, strict=True):
        writer.writerow([*row, row[0] * 2, words, CLASSES[label]])
    return out.getvalue().encode()
