"""One self-contained HTML page about a fit: data, settings, errors, pictures, loadings, code.

The page opens without a network and follows the reader's light or dark setting. All text is escaped.
"""

import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import plotly.graph_objects as go
from jinja2 import Environment
from markupsafe import Markup
from numpy.typing import ArrayLike
from plotly.offline import get_plotlyjs

from opnb import __version__
from opnb.estimators.base import single_fit
from opnb.figures import (
    calibration_figure,
    confusion_figure,
    history_figure,
    loadings_figure,
    margins_figure,
    projection_figure,
    roc_figure,
)
from opnb.figures.export import CONFIG
from opnb.views import (
    LoadingsView,
    Metrics,
    class_scores,
    describe_projection,
    loadings_view,
    metrics,
    project,
    projection_view,
)
from opnb.views.model import fitted_model

# All that `pyproject.toml` asks for with the extra "app".
_PACKAGES = (
    *("httptools", "jinja2", "joblib", "kaleido", "markupsafe", "numba", "numpy", "openpyxl", "palmerpenguins"),
    *("pandas", "plotly", "pmlb", "pyarrow", "requests", "safetensors", "scikit-learn", "scipy", "starlette"),
    *("streamlit", "threadpoolctl", "uvloop"),
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
:root { color-scheme: light dark; --line: #8884; --quiet: #6b6f78; }
@media (prefers-color-scheme: dark) { :root { --quiet: #a3a8b4; } }
body { font: 16px/1.55 "Source Sans 3", "Helvetica Neue", Arial, sans-serif; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; background: Canvas; color: CanvasText; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } .wide { overflow-x: auto; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; } figure { margin: 1rem 0 1.6rem; }
figcaption, .quiet { color: var(--quiet); font-size: .93rem; }
pre { padding: .9rem; border: 1px solid var(--line); border-radius: .4rem; overflow-x: auto; font-size: .88rem; }
@media (max-width: 40rem) { .modebar { display: none !important; } }
li.warning strong::before { content: "Warning: "; } li.notice strong::before { content: "Notice: "; }
</style>
<script>{{ plotly }}</script>
</head>
<body>
<main>
<h1>{{ title }}</h1>
{% if subtitle %}<p class="quiet">{{ subtitle }}</p>{% endif %}
{% if results %}<h2>Results</h2>
<div class="wide"><table><tr><th></th><th class="number">error</th><th class="number">misclassified</th>
<th class="number">points</th><th class="number">log-loss</th></tr>
{% for name, m in results %}<tr><th>{{ name }}</th><td class="number">{{ "%.4f"|format(m.error) }}</td>
<td class="number">{{ m.errors.wrong }}</td><td class="number">{{ m.errors.n }}</td>
<td class="number">{{ "%.4f"|format(m.log_loss) }}</td></tr>{% endfor %}</table></div>{% endif %}
{% if findings %}<h2>Findings</h2>
<ul>{% for f in findings %}<li class="{{ f.severity }}"><strong>{{ f.title }}</strong> {{ f.explanation }}</li>
{% endfor %}</ul>{% endif %}
{% for heading, text, figure in figures %}<h2>{{ heading }}</h2>
<figure{% if text %} aria-label="{{ text }}"{% endif %}>{{ figure }}
{% if text %}<figcaption>{{ text }}</figcaption>{% endif %}</figure>
{% endfor %}
{% if loadings %}<h2>Weights</h2>
<p class="quiet">Of features divided by their standard deviations; every projection has length one.</p>
<div class="wide"><table><tr><th>feature</th>
{% for d in loadings.directions %}<th class="number">projection {{ d + 1 }}</th>{% endfor %}</tr>
{% for name in loadings.feature_names %}<tr><td>{{ name }}</td>
{% for w in loadings.weights[loop.index0] %}<td class="number">{{ "%+.4f"|format(w) }}</td>{% endfor %}</tr>
{% endfor %}</table></div>{% endif %}
{% if account %}<h2>Data</h2>
<ul>{% for sentence in account %}<li>{{ sentence }}</li>{% endfor %}</ul>{% endif %}
{% if settings %}<h2>Settings</h2>
<div class="wide"><table>{% for name, value in settings.items() %}<tr><th>{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}</table></div>{% endif %}
{% if snippet %}<h2>Python</h2>
<pre><code>{{ snippet }}</code></pre>{% endif %}
<h2>Made with</h2>
<p class="quiet">{{ versions }}</p>
</main>
</body>
</html>
"""


def html_report(
    title: str,
    *,
    subtitle: str = "",
    account: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    results: Sequence[tuple[str, Metrics]] = (),
    figures: Sequence[tuple[str, str, go.Figure]] = (),
    loadings: LoadingsView | None = None,
    snippet: str | None = None,
    findings: Sequence[Any] = (),
) -> str:
    """Write a report from its parts; any of them may be left out.

    Parameters
    ----------
    title, subtitle : str
    account : sequence of str
        What was done to the data, in sentences.
    settings : mapping of str to anything
        Shown as text.
    results : sequence of (str, Metrics)
        Name of the points (training, held out) and how the model does on them.
    figures : sequence of (str, str, Figure)
        Heading, text alternative, figure.
    loadings : LoadingsView, optional
    snippet : str, optional
        Python code that repeats the fit.
    findings : sequence of objects with `severity`, `title` and `explanation`

    Returns
    -------
    str
        The whole page.
    """
    drawn = [(heading, text, _embedded(figure, number)) for number, (heading, text, figure) in enumerate(figures)]
    return _TEMPLATE.render(
        title=title,
        subtitle=subtitle,
        account=account,
        settings=settings,
        results=results,
        figures=drawn,
        loadings=loadings,
        snippet=snippet,
        findings=findings,
        plotly=Markup(get_plotlyjs()) if drawn else "",
        versions=", ".join(f"{name} {version}" for name, version in used_versions().items()),
    )


def used_versions() -> dict[str, str]:
    """Give the versions of Python and of the packages that a fit and its report come from, where they are known."""
    found = {"Python": platform.python_version(), "opnb": __version__}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


_TEMPLATE = Environment(autoescape=True, trim_blocks=True).from_string(_PAGE)


def _embedded(figure: go.Figure, number: int) -> Markup:
    """Give the figure's own HTML, which Plotly has made safe, without Plotly itself."""
    html = figure.to_html(full_html=False, include_plotlyjs=False, config=CONFIG, div_id=f"figure-{number}")
    return Markup(html)


def fit_report(
    clf: Any,
    X: ArrayLike,
    y: ArrayLike,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    *,
    title: str = "Optimal projections for naive Bayes",
    class_names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    more_figures: Sequence[tuple[str, str, go.Figure]] = (),
    **parts: Any,
) -> str:
    """Write the report of a fitted classifier, with all its pictures.

    Parameters
    ----------
    clf : OPNBClassifier
    X, y, X_test, y_test : array-like
        Training and held-out data.
    title : str
    class_names, feature_names : sequence of str, optional
    settings : mapping, optional
        By default the classifier's parameters.
    more_figures : sequence of (str, str, Figure)
        Heading, text alternative and figure of what else is known of the fit.
    **parts
        `subtitle`, `account`, `snippet` and `findings` of `html_report`.

    Returns
    -------
    str
    """
    model = fitted_model(clf)
    data = project(clf, X, y, X_test, y_test, class_names=class_names, feature_names=feature_names)
    train, test = metrics(data)
    text = describe_projection(projection_view(clf, projected=data)) if data.Z.shape[1] > 1 else ""
    scores = class_scores(data)
    figures = [
        ("Projection", text, projection_figure(clf, projected=data)),
        ("Class densities on every projection", "", margins_figure(clf, projected=data)),
        ("Confusion" + (", held out" if test else ""), "", confusion_figure(test or train)),
        ("ROC of every class" + (", held out" if test else ""), "", roc_figure(scores)),
        ("Calibration" + (", held out" if test else ""), "", calibration_figure(scores)),
        ("Heaviest features", "", loadings_figure(clf, data.feature_names)),
    ]
    if getattr(model, "history_", None):
        figures.append(("Course of the fit", "", history_figure(model, terms=True)))
    figures.extend(more_figures)
    return html_report(
        title,
        results=[("training", train), *([("held out", test)] if test else [])],
        figures=figures,
        loadings=loadings_view(clf, data.feature_names, most=100),
        settings=single_fit(clf).get_params() if settings is None else settings,
        **parts,
    )
