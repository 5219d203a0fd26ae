"""Plotly figures on the pages of the site, drawn by the file of Plotly that the app ships: no other host is asked."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio
from plotly.io._base_renderers import MimetypeRenderer
from sphinx.application import Sphinx

from opnb.figures import figure_png
from opnb.figures.export import CONFIG, NoBrowserError
from opnb.studio.ui.plotly_file import FILE

_THUMBNAIL = {"width": 800, "scale": 1}
_NUMBER = iter(range(10**9))


def block(figure: dict[str, Any]) -> str:
    """Give the HTML in which a figure draws itself once the page has loaded Plotly."""
    name = f"figure-{next(_NUMBER)}"
    data, layout = (json.dumps(figure[part]).replace("</", "<\\/") for part in ("data", "layout"))
    height = figure["layout"].get("height", 450)
    return (
        f'<div id="{name}" class="opnb-figure" style="height:{height}px"></div>'
        f'<script>document.addEventListener("DOMContentLoaded", () => '
        f'Plotly.newPlot("{name}", {data}, {layout}, {json.dumps(CONFIG)}));</script>'
    )


class _OnThePage(MimetypeRenderer):
    def to_mimebundle(self, figure: dict[str, Any]) -> dict[str, str]:
        # Through JSON once more: arrays become what the browser reads.
        return {"text/html": block(json.loads(pio.to_json(figure, validate=False)))}


def thumbnail(code: Any, variables: dict[str, Any], _settings: dict[str, Any]) -> str:
    """Make the first figure of an example its small picture; a scraper of sphinx-gallery's."""
    paths, value = variables["image_path_iterator"], variables["example_globals"].get("___")
    figure = getattr(value, "figure_", value)
    if isinstance(figure, go.Figure) and len(paths) == 0:
        still = go.Figure(figure).update_layout(paper_bgcolor="white", plot_bgcolor="white")
        try:
            image = figure_png(still, **_THUMBNAIL)
        except NoBrowserError:
            return ""
        Path(next(paths)).write_bytes(image)
    return ""


def _copy_plotly(app: Sphinx) -> None:
    folder = Path(app.outdir, "_static")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(FILE, folder / FILE.name)


def _load_where_needed(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    if re.search(r'class="opnb-figure"', context.get("body", "")):
        app.add_js_file(FILE.name, loading_method="defer")  # it wants a body to draw in


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the renderer the usual one, and load Plotly on pages with a figure."""
    pio.renderers["page"] = _OnThePage()
    pio.renderers.default = "page"
    app.connect("builder-inited", _copy_plotly)
    app.connect("html-page-context", _load_where_needed)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
