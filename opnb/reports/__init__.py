"""HTML reports that need nothing but a browser."""

from opnb.errors import needs

with needs("plot"):
    import jinja2  # noqa: F401  # said here once, for both reports
    import plotly  # noqa: F401
