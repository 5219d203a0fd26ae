"""The link between a story that plays in the browser and the page: which frame is shown, and playing by itself."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

# The figure steps in the browser, so the page hears of it only from here. A frame is reported when a person has set it,
# and otherwise when nothing has moved for longer than one step.
_SCRIPT = """
let stop = () => {}; // Streamlit calls again when the data change, and ends only the last call
export default function ({ data, setStateValue }) {
  stop();
  let attached = null, quiet = null, started = false, touched = -Infinity;
  const report = (frame, wait) => {
    clearTimeout(quiet);
    quiet = setTimeout(() => setStateValue("frame", frame), wait);
  };
  const moved = (event) => report(Number(event.name), performance.now() - touched < 1000 ? 350 : data.step + 600);
  const dragged = (event) => {
    if (!event.interaction) return;
    touched = performance.now();
    report(event.slider.active, 350);
  };
  const attach = () => {
    const plot = document.querySelector(`.st-key-${data.figure} .js-plotly-plot`);
    if (!plot || !plot.on || !plot.querySelector(".updatemenu-button")) return null;
    if (plot !== attached) {
      detach();
      attached = plot;
      plot.on("plotly_animatingframe", moved);
      plot.on("plotly_sliderchange", dragged);
    }
    return plot;
  };
  const start = () => { // not at once: the figure to play may be drawn after this call
    const plot = attach();
    if (plot && data.play && !started) {
      started = true;
      plot.querySelector(".updatemenu-button").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
  };
  const detach = () => {
    if (!attached || !attached.removeListener) return;
    attached.removeListener("plotly_animatingframe", moved);
    attached.removeListener("plotly_sliderchange", dragged);
  };
  attach();
  const watch = setInterval(start, 100);
  stop = () => {
    clearInterval(watch);
    clearTimeout(quiet);
    detach();
  };
  return stop;
}
"""
_player = st.components.v2.component("opnb_story_player", js=_SCRIPT)


def story_player(figure: str, identity: str, step: float, play: bool, moved: Callable[[int], None]) -> None:
    """Hear of the frames of a figure, and play it if it should play by itself.

    Parameters
    ----------
    figure : str
        Key of the container that holds the figure.
    identity : str
        Changes with what is drawn.
    step : float
        Seconds from frame to frame.
    play : bool
        Whether it plays by itself.
    moved : callable
        Gets the number of the frame that is shown.
    """
    key = f"player-{figure}"

    def changed() -> None:
        frame = st.session_state[key].get("frame")
        # It comes from the browser.
        if isinstance(frame, int | float) and 0 <= frame < 10_000:
            moved(int(frame))

    data = {"figure": figure, "identity": identity, "step": round(1000 * step), "play": play}
    _player(key=key, data=data, default={"frame": None}, on_frame_change=changed)
