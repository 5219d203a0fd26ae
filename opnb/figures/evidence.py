"""The picture of a finding: one small figure for every code, drawn from the finding's evidence."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from opnb.figures.layout import headline, legend_below, titled
from opnb.figures.palette import BOUNDARY, COLOURS, Theme, Trace, find_theme, make_figure, trace
from opnb.figures.text import class_labels, unique_names

HEIGHT = 250
_PLAIN, _MARKED = COLOURS[0], COLOURS[6]
_MOST_BARS = 12
_BAR = 22
_ERROR_AXIS: Mapping[str, Any] = {
    "title": {"text": "share of rows wrong"},
    "tickformat": ".0%",
    "rangemode": "tozero",
    "nticks": 6,
}

Drawn = tuple[list[Trace], dict[str, Any]]


def evidence_figure(
    code: str,
    evidence: Mapping[str, Any],
    class_names: Sequence[str] = (),
    *,
    theme: str = "neutral",
    compact: bool = False,
) -> go.Figure | None:
    """Draw what a finding rests on.

    Parameters
    ----------
    code : str
        Which check speaks.
    evidence : mapping
        Of a `Finding`.
    class_names : sequence of str
        In the order of the classifier's classes; plain text.
    theme, compact
        As in `draw_projection`.

    Returns
    -------
    plotly.graph_objects.Figure or None
        None for a code that has no picture.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opnb import OPNBClassifier
    >>> from opnb.diagnostics import diagnose
    >>> from opnb.figures import evidence_figure
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OPNBClassifier(n_components=2).fit(X, y)
    >>> (finding,) = diagnose(clf, X, y, codes=("overfit-scale",))
    >>> type(evidence_figure(finding.code, finding.evidence)).__name__
    'Figure'
    """
    if code not in _PICTURES:
        return None
    title, draw = _PICTURES[code]
    traces, layout = draw({"class_names": class_names, "narrow": compact, **evidence}, find_theme(theme))
    height = layout.pop("height", HEIGHT)
    place = titled(headline(None, [title], compact), height)
    settings = {"height": height, "showlegend": False, "bargap": 0.35, "hovermode": "closest", **layout}
    return make_figure(traces, find_theme(theme), **place, **settings)


def _bars(names: Sequence[str], values: Any, marked: Any, hover: str, **look: Any) -> Trace:
    """Draw a bar for each name, those that matter in another colour and with a pattern."""
    colours = [_MARKED if mark else _PLAIN for mark in marked]
    shapes = ["/" if mark else "" for mark in marked]
    pattern = {"shape": shapes, "fillmode": "overlay", "solidity": 0.2, "fgcolor": "#ffffff", "fgopacity": 0.35}
    return trace(
        "bar",
        x=np.asarray(values, dtype=np.float32),
        y=list(names),
        orientation="h",
        marker={"color": colours, "line": {"width": 0}, "pattern": pattern},
        hovertemplate=f"%{{y}}: {hover}<extra></extra>",
        **look,
    )


def _listing(count: int) -> dict[str, Any]:
    """Lay out a list of bars, the first on top."""
    axis = {"autorange": "reversed", "type": "category", "dtick": 1, "showgrid": False, "ticks": ""}
    return {"yaxis": axis, "height": max(150, 104 + _BAR * count)}


def _line_at(value: float, words: str, theme: Theme, axis: str = "x") -> dict[str, Any]:
    """Mark a value by a dashed line with its name."""
    shape: dict[str, Any] = {
        "type": "line",
        f"{axis}ref": axis,
        "line": {"color": theme.mark, "width": 1.5, "dash": "dash"},
    }
    other = "y" if axis == "x" else "x"
    shape |= {f"{axis}0": value, f"{axis}1": value, f"{other}ref": "paper", f"{other}0": 0, f"{other}1": 0.84}
    label = {"text": words, "textposition": "end", "textangle": 0, "font": {"size": 12, "color": theme.text}}
    return {"shapes": [{**shape, "label": label}]}


def _overfit_scale(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    names = ["own kernel counted", "own kernel left out", "guessing by shares"]
    values = [evidence[f"log_likelihood{suffix}"] for suffix in ("", "_left_out", "_guessing")]
    written = {"text": [f"{value:.2f}" for value in values], "textfont": {"color": "#ffffff", "size": 12}}
    bars = _bars(names, values, [False, True, False], "%{x:.3f}", insidetextanchor="middle", textangle=0, **written)
    return [bars], {**_listing(3), "xaxis": {"title": {"text": "log-likelihood a row (0 is perfect)"}, "nticks": 6}}


def _elongated_covariance(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    shares = np.asarray(evidence["variance_shares"], dtype=np.float32)
    numbers = np.arange(1, shares.size + 1, dtype=np.int32)
    few = int(evidence["directions_for_95"])
    bars = trace(
        "bar",
        x=numbers,
        y=shares,
        marker={"color": [_MARKED if number <= few else _PLAIN for number in numbers], "line": {"width": 0}},
        hovertemplate="direction %{x}: %{y:.2%}<extra></extra>",
    )
    axes = {
        "xaxis": {"title": {"text": "principal direction"}, "nticks": 8, "range": [0.4, max(shares.size, 5) + 0.6]},
        "yaxis": {"title": {"text": "share"}, "tickformat": ".0%", "nticks": 5, "rangemode": "tozero"},
    }
    return [bars], {**axes, "bargap": 0.15}


def _dependent_classes(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    strength = np.asarray(evidence["strength"])
    order = np.argsort(-strength, kind="stable")[:_MOST_BARS]
    classes = unique_names(class_labels(evidence["class_names"] or sorted(set(evidence["classes"]))), 16)
    by_name = dict(zip(evidence["class_names"] or sorted(set(evidence["classes"])), classes, strict=True))
    pairs = np.asarray(evidence["pairs"]) + 1
    names = [f"{by_name.get(evidence['classes'][i], '?')}, {pairs[i][0]} and {pairs[i][1]}" for i in order]
    marked = np.asarray(evidence.get("flagged", np.zeros(strength.size, dtype=bool)))[order]
    axis = {"title": {"text": "strength (0 none, 1 full)"}, "range": [0, 1], "nticks": 6}
    return [_bars(names, strength[order], marked, "%{x:.2f}")], {**_listing(order.size), "xaxis": axis}


def _strip(values: Any, mark: float, words: str, hover: str, theme: Theme) -> Drawn:
    """Draw values as points on a line, with one value marked."""
    values = np.asarray(values, dtype=np.float32)
    points = trace(
        "scatter",
        x=values,
        y=np.linspace(-0.3, 0.3, max(values.size, 1), dtype=np.float32)[: values.size],
        mode="markers",
        marker={"color": _PLAIN, "size": 11, "opacity": 0.85, "line": {"width": 0.6, "color": theme.outline}},
        hovertemplate=f"{hover}: %{{x:.4f}}<extra></extra>",
    )
    low, high = min(mark, *values.tolist()), max(mark, *values.tolist())
    room = 0.12 * max(high - low, 1e-3)
    layout = {
        "xaxis": {"title": {"text": "objective a row (higher is better)"}, "range": [low - room, high + room]},
        "yaxis": {"visible": False, "range": [-1, 1]},
        "height": 190,
        **_line_at(mark, words, theme),
    }
    return [points], layout


def _poor_start(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    ours = float(evidence.get("ours", evidence["best"]))
    return _strip(evidence["objectives"], ours, "this fit", "a start", theme)


def _noise_separable(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    return _strip(evidence["shuffled_objectives"], float(evidence["objective"]), "true labels", "shuffled", theme)


def _not_converged(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    lines = []
    for name, colour, dash, axis in (("objective", _PLAIN, "solid", "y"), ("gradient_norm", _MARKED, "dot", "y2")):
        values = np.asarray(evidence[name], dtype=np.float32)
        lines.append(
            trace(
                "scatter",
                x=np.arange(values.size, dtype=np.int32),
                y=values,
                mode="lines",
                line={"color": colour, "width": 2.5, "dash": dash},
                name=name.replace("_", " "),
                yaxis=axis,
                hovertemplate="%{y:.4g}",
            )
        )
    layout = {
        "xaxis": {"title": {"text": "iteration"}, "anchor": "y2"},
        "yaxis": {"domain": [0.55, 1], "title": {"text": "objective"}, "nticks": 4},
        "yaxis2": {"domain": [0, 0.43], "type": "log", "title": {"text": "gradient"}, "nticks": 4},
        "hovermode": "x unified",
        "height": 290,
    }
    return lines, layout


def _calibration(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    stated, accuracy = (np.asarray(evidence[f"bin_{name}"], dtype=np.float32) for name in ("confidence", "accuracy"))
    low, high = (np.asarray(evidence[f"bin_{name}"], dtype=np.float32) for name in ("low", "high"))
    diagonal = trace(
        "scatter",
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": BOUNDARY, "dash": "dash", "width": 1.5},
        name="as sure as right",
        hoverinfo="skip",
    )
    bins = trace(
        "scatter",
        x=stated,
        y=accuracy,
        mode="markers+lines",
        marker={"size": 8, "color": _PLAIN},
        line={"color": _PLAIN, "width": 1.5},
        error_y={"array": np.maximum(high - accuracy, 0), "arrayminus": np.maximum(accuracy - low, 0), "width": 3},
        name="groups of held-out rows, 95 % interval",
        customdata=np.asarray(evidence["bin_sizes"], dtype=np.int32),
        hovertemplate="sure %{x:.1%}, right %{y:.1%}, %{customdata} rows<extra></extra>",
    )
    least = float(min(stated.min(), low.min(), 0.9))
    axis = {"range": [max(least - 0.05, 0), 1.03], "tickformat": ".0%", "nticks": 5}
    layout = {
        "xaxis": {**axis, "title": {"text": "how sure the model is"}},
        "yaxis": {**axis, "title": {"text": "how often right"}},
        "showlegend": True,
        "legend": legend_below(bool(evidence["narrow"])),
        "height": 310,
    }
    return [diagonal, bins], layout


def _shown_versus_full(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    shares = np.asarray(evidence["by_class"])
    order = np.argsort(-shares, kind="stable")[:_MOST_BARS]
    names = unique_names(class_labels(evidence["class_names"]) or [f"class {k + 1}" for k in range(shares.size)], 22)
    bars = _bars([names[k] for k in order], shares[order], np.zeros(order.size, dtype=bool), "%{x:.1%}")
    axis = {"title": {"text": "share of the class's rows"}, "tickformat": ".0%", "rangemode": "tozero", "nticks": 6}
    return [bars], {**_listing(order.size), "xaxis": axis}


def _idle_directions(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    totals = np.asarray(evidence["log_likelihood_left_out"], dtype=np.float32)
    idle = int(evidence["n_idle"])
    numbers = np.arange(totals.size, dtype=np.int32)
    useful = numbers < totals.size - idle
    line = trace(
        "scatter",
        x=numbers,
        y=totals,
        mode="lines+markers",
        line={"color": BOUNDARY, "width": 1.5},
        marker={
            "size": 9,
            "color": [_PLAIN if fine else _MARKED for fine in useful],
            "symbol": ["circle" if fine else "x" for fine in useful],
        },
        hovertemplate="%{x} directions: %{y:.3f}<extra></extra>",
    )
    axes = {
        "xaxis": {"title": {"text": "directions used (× adds nothing)"}, "dtick": max(1, totals.size // 8)},
        "yaxis": {"title": {"text": "log-likelihood"}, "nticks": 5},
    }
    return [line], axes


def _small_classes(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    counts = np.asarray(evidence["counts"])
    order = np.argsort(counts, kind="stable")[:_MOST_BARS]
    names = unique_names(class_labels(evidence["classes"]), 22)
    needed = int(evidence["rows_needed"])
    bars = _bars([names[k] for k in order], counts[order], counts[order] < needed, "%{x:,} rows")
    layout = {"xaxis": {"title": {"text": "training rows"}, "rangemode": "tozero", "nticks": 6}}
    return [bars], {**_listing(order.size), **layout, **_line_at(needed, f"{needed}", theme)}


def _discrete_projections(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    values = np.asarray(evidence["distinct_values"])[:_MOST_BARS]
    names = [f"direction {number + 1}" for number in range(values.size)]
    bars = _bars(names, values, np.zeros(values.size, dtype=bool), "%{x:,} different values")
    axis = {"title": {"text": f"different values in {evidence['n_rows']:,} rows"}, "rangemode": "tozero", "nticks": 6}
    return [bars], {**_listing(values.size), "xaxis": axis}


def _guessing(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    errors = np.array([evidence["error"], evidence["guessing"]])
    reach = {"array": [evidence["high"] - errors[0], 0], "arrayminus": [errors[0] - evidence["low"], 0]}
    bars = _bars(
        ["this fit", "guessing"], errors, [True, False], "%{x:.1%} wrong", error_x={**reach, "color": theme.text}
    )
    return [bars], {**_listing(2), "xaxis": _ERROR_AXIS}


def _outliers(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    weight = float(evidence["weight"])
    bars = _bars(["ruled columns", "other columns"], [weight, 1 - weight], [True, False], "%{x:.0%}")
    axis = {"title": {"text": "weight on a direction shown"}, "tickformat": ".0%", "range": [0, 1], "nticks": 6}
    return [bars], {**_listing(2), "xaxis": axis}


def _repeated_directions(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    bars = _bars(["directions 1 and 2"], [evidence["correlation"]], [True], "%{x:.3f}")
    axis = {"title": {"text": "correlation within classes (1 is a line)"}, "range": [0, 1], "nticks": 6}
    return [bars], {**_listing(1), "xaxis": axis}


def _few_directions(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    names = [f"{evidence[name]} direction{'s' if evidence[name] > 1 else ''}" for name in ("n_components", "more")]
    bars = _bars(names, [evidence["error"], evidence["error_other"]], [True, False], "%{x:.1%} wrong")
    return [bars], {**_listing(2), "xaxis": _ERROR_AXIS}


def _worse_than_simple(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    errors = np.asarray(evidence["errors"])
    bars = _bars(evidence["names"], errors, np.arange(errors.size) == 0, "%{x:.1%} wrong")
    return [bars], {**_listing(errors.size), "xaxis": _ERROR_AXIS}


def _edge_of_grid(evidence: Mapping[str, Any], theme: Theme) -> Drawn:
    lams, errors = (np.asarray(evidence[name], dtype=np.float32) for name in ("lams", "errors"))
    best = np.arange(lams.size) == evidence["best"]
    marker = {
        "size": 9,
        "color": [_MARKED if one else _PLAIN for one in best],
        "symbol": ["diamond" if one else "circle" for one in best],
    }
    line = {"color": BOUNDARY, "width": 1.5}
    says = "λ = %{x:.2g}: %{y:.1%} wrong<extra></extra>"
    points = trace("scatter", x=lams, y=errors, mode="lines+markers", line=line, marker=marker, hovertemplate=says)
    axes = {
        "xaxis": {"type": "log", "title": {"text": "λ (◆ the one taken)"}},
        "yaxis": {"title": {"text": "error in folds"}, "tickformat": ".0%", "nticks": 5, "rangemode": "tozero"},
    }
    return [points], axes


_PICTURES: Mapping[str, tuple[str, Callable[[Mapping[str, Any], Theme], Drawn]]] = {
    "overfit-scale": ("Log-likelihood with and without a row's own kernel", _overfit_scale),
    "elongated-covariance": ("Share of the variance; the first 95 % marked", _elongated_covariance),
    "dependent-classes": ("Dependence of two directions within a class", _dependent_classes),
    "poor-start": ("What other starts reach", _poor_start),
    "not-converged": ("The course of the search", _not_converged),
    "noise-separable": ("The same search on shuffled labels", _noise_separable),
    "calibration": ("Stated and true accuracy on held-out rows", _calibration),
    "shown-versus-full": ("Where picture and model differ, by class", _shown_versus_full),
    "idle-directions": ("What every direction adds, rows left out", _idle_directions),
    "small-classes": ("Rows of the smallest classes", _small_classes),
    "discrete-projections": ("Different values on a direction", _discrete_projections),
    "guessing": ("Errors of the fit, with what so few rows allow", _guessing),
    "outliers": ("What rests on columns ruled by far rows", _outliers),
    "repeated-directions": ("How alike the two directions shown are", _repeated_directions),
    "few-directions": ("Training rows left out that are wrong", _few_directions),
    "worse-than-simple": ("Training rows left out that are wrong", _worse_than_simple),
    "edge-of-grid": ("Error along the lambdas that were tried", _edge_of_grid),
}
