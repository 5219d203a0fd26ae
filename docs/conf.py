"""The documentation, by Sphinx: `make docs`."""

import shutil
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE / "_ext")]

import opnb  # noqa: E402

project = "OPNB Studio"
author = "The OPNB Studio developers"
copyright = author
release = version = opnb.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "pictures",
]
exclude_patterns = ["_build", "examples", "notebooks/*.ipynb", "evidence/about.md", "**/README.rst"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
nitpicky = False
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autosummary_generate = True
# Types are in the docstrings, in words; those of the code would spell every alias of numpy out.
autodoc_typehints = "none"
autodoc_default_options = {"members": False}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = project
html_favicon = "icon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": project, "image_light": "icon.svg", "image_dark": "icon.svg"},
    "show_prev_next": True,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}
html_sidebars = {"index": []}

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("pictures.thumbnail",),
    "capture_repr": ("_repr_html_", "__repr__"),
    "reset_modules": (),
    "doc_module": ("opnb",),
    "backreferences_dir": "reference/uses",
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "first_notebook_cell": None,
}
# An example must be quiet: what it warns of would be printed into the page.
warnings.filterwarnings("error", module="opnb")


def _from_elsewhere() -> None:
    """Bring in what is written once and elsewhere: the guide of the package, and the executed notebooks."""
    from notebooks import executed, page

    shutil.rmtree(HERE / "guide", ignore_errors=True)
    shutil.copytree(ROOT / "opnb" / "guide", HERE / "guide", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for file in (HERE / "notebooks").glob("*.ipynb"):
        written = file.with_suffix(".md")
        if not written.exists() or written.stat().st_mtime < file.stat().st_mtime:
            written.write_text(page(executed(file)), "utf8")


_from_elsewhere()
