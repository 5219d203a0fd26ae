"""The notebooks of `docs/notebooks`, executed and written as pages with what they showed."""

import os
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from pictures import block
from traitlets.config import Config

_PLOTLY = "application/vnd.plotly.v1+json"


def executed(file: Path) -> Any:
    """Run a notebook from beginning to end in a kernel of its own; a cell that fails raises."""
    notebook = nbformat.read(file, as_version=4)
    # Figures come as data, which a page can draw with the Plotly it has; the package comes from this folder.
    own = {"PLOTLY_RENDERER": "plotly_mimetype", "PYTHONPATH": str(file.resolve().parents[2])}
    near = Config({"KernelManager": {"transport": "ipc"}})  # no port of this machine
    return NotebookClient(notebook, timeout=120, config=near).execute(env=os.environ | own)


def page(notebook: Any) -> str:
    """Write an executed notebook as a page in Markdown."""
    return "\n\n".join(part for cell in notebook.cells for part in _parts(cell))


def _parts(cell: Any) -> list[str]:
    if cell.cell_type == "markdown":
        return [cell.source]
    return [_fenced("python", cell.source), *(_shown(output) for output in cell.outputs)]


def _shown(output: Any) -> str:
    data = output.get("data", {})
    if _PLOTLY in data:
        return _fenced("{raw} html", block(data[_PLOTLY]))
    if "text/html" in data:
        return _fenced("{raw} html", "".join(data["text/html"]))
    return _fenced("text", output.get("text") or data.get("text/plain", ""))


def _fenced(kind: str, text: str) -> str:
    fence = "`" * 4
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"
