import contextlib
import io
import sys

from tests.bench import (
    advice,
    app_cluster,
    browser,
    cluster,
    costs,
    crashes,
    diagnoses,
    engine,
    estimates,
    evidence,
    fresh,
    fuzz,
    halves,
    lessons,
    load,
    novelty,
    picture,
    real_data,
    restyle,
    small_fits,
    soak,
    tour,
    tuning,
    versions,
)

SECTIONS = (
    engine.SECTIONS
    | browser.SECTIONS
    | diagnoses.SECTIONS
    | advice.SECTIONS
    | real_data.SECTIONS
    | tuning.SECTIONS
    | picture.SECTIONS
    | estimates.SECTIONS
    | fuzz.SECTIONS
    | soak.SECTIONS
    | load.SECTIONS
    | novelty.SECTIONS
    | crashes.SECTIONS
    | lessons.SECTIONS
    | costs.SECTIONS
    | halves.SECTIONS
    | fresh.SECTIONS
    | versions.SECTIONS
    | tour.SECTIONS
    | restyle.SECTIONS
    | small_fits.SECTIONS
    | cluster.SECTIONS
    | app_cluster.SECTIONS
    | evidence.SECTIONS
)


class _Both(io.StringIO):
    """Print as usual, and keep it."""

    def write(self, text):
        sys.__stdout__.write(text)
        return super().write(text)


def _recorded(name):
    """Run a section and put what it prints into the evidence."""
    with contextlib.redirect_stdout(_Both()) as printed:
        SECTIONS[name]()
    evidence.record(name, printed.getvalue())


if __name__ == "__main__":
    keep = "--record" in sys.argv
    every = [name for name in SECTIONS if name not in ("evidence", "fresh-tables")]  # these measure nothing
    chosen = [name for name in sys.argv[1:] if name != "--record"] or every
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        sys.exit(f"There is no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}.")
    for name in chosen:
        if keep:
            _recorded(name)
        else:
            SECTIONS[name]()
