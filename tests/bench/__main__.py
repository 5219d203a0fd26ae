import sys

from tests.bench import (
    advice,
    browser,
    cluster,
    costs,
    crashes,
    diagnoses,
    engine,
    estimates,
    fuzz,
    halves,
    lessons,
    load,
    novelty,
    picture,
    real_data,
    soak,
    tour,
    tuning,
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
    | tour.SECTIONS
    | cluster.SECTIONS
)

if __name__ == "__main__":
    chosen = sys.argv[1:] or list(SECTIONS)
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        sys.exit(f"There is no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}.")
    for name in chosen:
        SECTIONS[name]()
