"""The form of fit settings: friendly words in front, every setting of the classifier behind them."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from opnb.errors import OPNBError
from opnb.estimators.search import default_components
from opnb.studio.ui.guide import guide_button
from opnb.studio.ui.session import studio
from opnb.studio.ui.text import escaped
from opnb.studio.visit.settings import CHOICES, LARGEST_SEED, Bins, FitSpec, in_words
from opnb.studio.visit.state import Studio

LAMS = (*(float(f"{digit}e{power}") for power in range(-5, 0) for digit in (1, 2, 5)), 1.0)
_MOST_SHOWN = 100
_FORM, _SEEN = "settings in the form", "whether the picture is of other settings"
_EXACT, _STRAIGHT = "exact", "straight"  # None is a choice that Streamlit takes for no choice
_BINS = ("auto", _EXACT, 100, 300, 1_000, 3_000, 10_000)
_SCALES = (True, False, "robust")
_INDEPENDENCE = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_BENDS = (0.3, 1.0, 3.0)
_STARTS = ("pca", "random")  # axes turned by hand come from the picture
_TOLS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
_BALANCED = (
    "The classes' probabilities in decisions, and how sure to be, were learnt on rows left out, for these settings; "
    "with any other, each class counts as said above."
)
_HELP = {
    "n_components": "How many directions the model uses. With two, the picture shows the whole model.",
    "lam": "The weight of the penalty. Larger: smoother densities and simpler boundaries. Smaller: closer to the data, "
    "down to picking out single points.",
    "penalty": "What smoothness is measured by. The two spreads suit data in which a few directions carry most of the "
    "variation.",
    "init": "Where the search begins. It finds a nearby optimum, so another start can give another picture.",
    "find": "Chooses smoothness, penalty, likelihood, independence and shape of the directions on the training rows by "
    "cross-validation, balances the classes there, and fits with all that. The number of directions stays.",
    "n_init": "How many random starts to try; the best is shown. Choose to start from random ones first.",
    "likelihood": "Whether a point counts in the density it is judged by. Leaving it out guards against densities that "
    "pick out single points.",
    "combine": "With several starts: predict with the best one, or average their probabilities.",
    "n_bins": "Grid points for fast sums. Automatic takes exact sums where they are quick.",
    "seed": "Decides the random starts. The same seed gives the same fit.",
    "max_iter": "When to give up a search that has not settled.",
    "tol": "How small the slope must be to stop. Smaller is more exact and slower.",
    "scale": "Divide every column by its standard deviation first, so that units do not matter; by the middle half, a "
    "few gross outliers do not matter either.",
    "independence": "How strongly directions are kept from repeating each other. At 0, as in the paper, two of them "
    "may fall on one line.",
    "bend": "Straight directions are weighted sums of the columns. Bent ones follow curved classes; more than a little "
    "needs many rows.",
    "priors": "Whether a class counts by its share of the rows, or all classes count equally.",
}


def fit_form() -> None:
    """Show the settings, and ask for the fit when the visitor does; a change of a setting runs this part alone."""
    st.session_state[_SEEN] = None  # the picture of this run is still to come
    _form()


@st.fragment
def _form() -> None:
    state = studio()
    if state.dataset is None:
        return
    # The Fit button stays when the settings start afresh, so that it keeps the focus.
    above, buttons = st.container(), st.container(horizontal=True, key="fit-buttons")
    more = st.expander("More settings")
    key = f"fit-{state.revision}-{hash(state.spec):x}-"
    try:
        spec = _settings(state, above, more, key)
    except OPNBError as error:
        st.error(escaped(error, 500), icon=":material/error:")
        return
    st.session_state[_FORM] = (state.revision, spec)
    with buttons:
        _buttons(state, spec)
    # Not before the buttons: who presses Fit right after a change may have sent both at once.
    if st.session_state[_SEEN] not in (None, unfitted(state)):
        st.rerun()  # the picture says whether it is of these settings


def unfitted(state: Studio) -> bool:
    """Tell whether the settings in the form are others than those of the fit that is shown."""
    revision, spec = st.session_state.get(_FORM, (None, None))
    return revision == state.revision and state.result is not None and not state.result.spec.same_fit(spec)


def note_unfitted(state: Studio) -> bool:
    """Give the same to the picture, which is drawn again when it changes."""
    st.session_state[_SEEN] = unfitted(state)
    return bool(st.session_state[_SEEN])


def _buttons(state: Studio, spec: FitSpec) -> None:
    if st.button("Fit", type="primary", icon=":material/play_arrow:", key="fit", width="stretch"):
        if state.shows(spec):
            st.toast("Nothing has changed: the picture is the fit of these settings.", icon=":material/check:")
        else:
            state.fit(spec)
            st.rerun()
    if st.button("Find good settings", key="find", help=_HELP["find"]):
        state.find_settings()
        st.rerun()


def _settings(state: Studio, above: DeltaGenerator, more: DeltaGenerator, key: str) -> FitSpec:
    """Ask for every setting, and give them where they are allowed; the fit may still refuse them."""
    assert state.dataset is not None
    spec, p = state.spec, state.dataset.X.shape[1]
    with above:
        values = _main_settings(spec, p, key)
    with more:
        values |= _more_settings(spec, key, values["init"] == "random" and values["n_init"] > 1)
        if spec.decision_priors is not None:
            st.caption(_BALANCED)
        guide_button("settings")
    if spec.n_components is None and values["n_components"] == default_components(p):
        values["n_components"] = None
    return spec.changed(**values)


def _main_settings(spec: FitSpec, p: int, key: str) -> dict[str, Any]:
    count = spec.n_components if spec.n_components is not None else default_components(p)
    most = min(p, _MOST_SHOWN)
    values: dict[str, Any] = {
        "lam": st.select_slider(
            "Smoothness (λ)",
            _with(LAMS, spec.lam),
            spec.lam,
            format_func=lambda lam: f"{lam:g}",
            key=key + "lam",
            help=_HELP["lam"],
        ),
        "init": _listed("Start from", "init", _STARTS, spec.init, key),
    }
    left, right = st.columns(2)
    values["n_components"] = left.number_input(
        "Directions", 1, most, min(count, most), key=key + "n_components", help=_HELP["n_components"]
    )
    values["n_init"] = right.number_input(
        "Random starts",
        1,
        100,
        spec.n_init,
        key=key + "n_init",
        help=_HELP["n_init"],
        disabled=values["init"] != "random",
    )
    return values


def _more_settings(spec: FitSpec, key: str, several: bool) -> dict[str, Any]:
    values: dict[str, Any] = {
        "penalty": _choice("Penalty on", "penalty", spec, key),
        "independence": st.select_slider(
            "Independence of directions",
            _with(_INDEPENDENCE, spec.independence),
            spec.independence,
            format_func=lambda weight: f"{weight:g}",
            key=key + "independence",
            help=_HELP["independence"],
        ),
        "bend": _bend(spec, key),
        "likelihood": _choice("Likelihood", "likelihood", spec, key),
        "combine": _choice("With several starts", "combine", spec, key, disabled=not several),
        "n_bins": _bins(spec, key),
        "tol": _listed("Precision", "tol", _TOLS, spec.tol, key),
    }
    left, right = st.columns(2)
    values["max_iter"] = left.number_input(
        "Most iterations", 1, 2_000, spec.max_iter, step=50, key=key + "max_iter", help=_HELP["max_iter"]
    )
    values["seed"] = right.number_input("Seed", 0, LARGEST_SEED, spec.seed, key=key + "seed", help=_HELP["seed"])
    values["scale"] = _listed("Equal scales", "scale", _SCALES, spec.scale, key)
    values["priors"] = _choice("Classes count", "priors", spec, key)
    return values


def _bend(spec: FitSpec, key: str) -> float | None:
    chosen = _listed("Directions are", "bend", (_STRAIGHT, *_BENDS), spec.bend or _STRAIGHT, key)
    return None if chosen == _STRAIGHT else float(chosen)


def _bins(spec: FitSpec, key: str) -> Bins:
    chosen = _listed("Bins", "n_bins", _BINS, _EXACT if spec.n_bins is None else spec.n_bins, key)
    bins: Bins = None if chosen == _EXACT else chosen
    return bins


def _choice(label: str, name: str, spec: FitSpec, key: str, *, disabled: bool = False) -> str:
    return str(_listed(label, name, CHOICES[name], getattr(spec, name), key, disabled=disabled))


def _listed(label: str, name: str, options: tuple[Any, ...], now: Any, key: str, *, disabled: bool = False) -> Any:
    listed = options if now in options else (*options, now)
    return st.selectbox(
        label,
        listed,
        listed.index(now),
        format_func=lambda value: in_words(name, value),
        key=key + name,
        help=_HELP[name],
        disabled=disabled,
    )


def _with(values: tuple[float, ...], value: float) -> tuple[float, ...]:
    """Put a value among sorted ones, where it is not there yet: a link may carry any."""
    return tuple(sorted({*values, value}))
