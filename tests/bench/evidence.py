"""The page of the evidence, from the results in docs/evidence: `make evidence`.

Nothing on the page is typed in: tables of the experiment are computed from its rows, all other figures come from
`figures.json`, where `make bench BENCH="--record objective"` puts what a section prints, with machine and date. Blocks
of the README between marks are written from the same numbers.
"""

import json
import os
import platform
import re
from datetime import date
from pathlib import Path

import pandas as pd
from scipy.stats import binomtest

from opnb.benchmark import markdown, mean_ranks, read_results
from opnb.errors import DataError
from tests.bench.fresh import is_design as fresh_design
from tests.bench.halves import FEW_ROWS, FIRST_ROUND, PAIRS, against, decided, is_design, means

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "evidence"
PAGE, README = FOLDER / "README.md", ROOT / "README.md"
FIGURES = FOLDER / "figures.json"
# A method is compared once it has been run on so large a part of the data sets,
ENOUGH = 0.5
# and in the first table if it has so large a part of the splits: methods that cost much have been run on fewer.
NEARLY_ALL = 0.8
BASE = "SVM"
# Tried and taken out again: the page says why, and users of the program need not care.
GONE = ("OPNB+",)
# With whom the README compares.
RIVALS = ("OPNB", "SVM", "RF", "HGB")


def evidence():
    """Write the page, and the marked blocks of the README."""
    blocks = readme_blocks(results())
    PAGE.write_text(page(), "utf8")
    README.write_text(filled(README.read_text("utf8"), blocks), "utf8")
    print(f"\nWrote {PAGE.relative_to(ROOT)} and {len(blocks)} block of {README.name}.")


def results():
    """Give the rows of the experiment, with the half of their data set."""
    frame = read_results(FOLDER / "experiment.csv").frame
    frame = frame[frame["status"] == "ok"]
    return frame.assign(design=frame["dataset"].map(is_design(frame["dataset"].unique())))


def fresh():
    """Give the rows on tables of other packages that judge (see `tests.bench.fresh`)."""
    frame = read_results(FOLDER / "fresh.csv").frame
    design = frame["dataset"].map(fresh_design).astype(bool)
    return frame[(frame["status"] == "ok") & ~design]


def compared(frame):
    """Name the methods that have been run on enough of these data sets, in the order of their coming."""
    sets = frame[~frame["method"].isin(GONE)].groupby("method", sort=False)["dataset"].nunique()
    return [method for method, count in sets.items() if count >= ENOUGH * frame["dataset"].nunique()]


def thorough(frame):
    """Name those of the compared methods that have been run on nearly all splits."""
    splits = frame["method"].value_counts()[compared(frame)]
    return [method for method, count in splits.items() if count >= NEARLY_ALL * splits.max()]


def method_rows(frame, methods):
    """Errors, log-loss, ranks and seconds of methods, best rank first, and how much was compared."""
    table = means(frame, methods)
    ranks = mean_ranks(table["error"][methods].round(12))
    order = list(ranks.methods)
    seconds = table["seconds"]
    rows = pd.DataFrame(
        {
            "mean error": table["error"].mean(),
            "mean rank": pd.Series(dict(zip(order, ranks.mean_ranks, strict=True))),
            "log-loss": table["log_loss"].mean(),
            "seconds": seconds.median(),
        }
    ).loc[order]
    if BASE in methods:
        rows[f"of {BASE}'s"] = seconds.div(seconds[BASE], axis=0).median()
    return rows.rename_axis("method"), ranks, table


def extent(frame, ranks, table):
    """Say how much was compared, and which ranks differ."""
    splits = _common_splits(frame, list(ranks.methods))
    each = f"{splits.min()}" if splits.min() == splits.max() else f"{splits.min()} to {splits.max()}"
    return (
        f"{len(table)} of {frame['dataset'].nunique()} data sets, {each} splits of each. Mean ranks differ "
        f"(Nemenyi, 5 %) if they are more than {ranks.critical_difference:.2f} apart; Friedman's test gives "
        f"p = {ranks.p_value:.2g}."
    )


def _common_splits(frame, methods):
    fine = frame[frame["method"].isin(methods)]
    whole = fine.groupby(["dataset", "repeat"])["method"].nunique() == len(methods)
    return whole[whole].groupby("dataset").size()


def wins(frame):
    """Wins of the pairs that matter, on all splits that both have, with share, interval and sign test."""
    there = set(compared(frame)) | set(GONE)
    rows = []
    for pair in PAIRS:
        if set(pair) <= there & set(frame["method"]):
            errors = means(frame, pair)["error"]
            rows.append((" : ".join(pair), against(errors[pair[0]], errors[pair[1]])))
    return pd.DataFrame(rows, columns=["pair", "wins : losses (ties), share of wins (95 %), sign test"]).set_index(
        "pair"
    )


def half(title, frame):
    """Write one part of the data sets: methods that have been run on most splits, then all, then pairs."""
    said = f"### {title}\n\n"
    most, everyone = thorough(frame), compared(frame)
    try:
        parts = [_methods_told(frame, most)]
    except (DataError, KeyError):
        return said + "Not enough has been run here yet.\n"
    if len(most) < len(everyone):
        parts.append(_methods_told(frame, everyone))
    pairs = wins(frame)
    if len(pairs):
        parts.append(markdown(pairs))
    left = sorted(set(frame["method"]) - set(everyone) - set(GONE))
    if left:
        parts.append(f"Run on too few sets to be compared yet: {', '.join(left)}.")
    return said + "\n\n".join(parts) + "\n"


def _methods_told(frame, methods):
    rows, ranks, table = method_rows(frame, methods)
    return f"{extent(frame, ranks, table)}\n\n{markdown(rows)}"


def page():
    """Give the whole page."""
    frame = results()
    rows_of = frame.groupby("dataset")["n"].transform("max")
    judged = ~frame["design"]
    parts = [
        (FOLDER / "about.md").read_text("utf8").rstrip(),
        half("Data sets that judge", frame[judged]),
        half(f"Of these, below {FEW_ROWS} rows", frame[judged & (rows_of < FEW_ROWS)]),
        half("Of these, not among the sets of version 0.1", frame[judged & ~frame["dataset"].isin(FIRST_ROUND)]),
        half("Tables of other packages, which nobody had looked at", fresh()),
        half("Data sets that helped to design", frame[~judged]),
        _sets(frame),
        *_figures(),
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _sets(frame):
    """List which data sets designed and which judge."""
    design = frame.groupby("dataset")["design"].first()
    lines = [
        f"- **{word}** ({(design == kind).sum()}): {', '.join(design.index[design == kind])}."
        for word, kind in (("Judge", False), ("Designed", True))
    ]
    return "### Which is which\n\n" + "\n".join(lines)


def _figures():
    recorded = json.loads(FIGURES.read_text("utf8"))
    topics = dict.fromkeys(entry["topic"] for entry in recorded.values())
    for topic in topics:
        entries = [entry for entry in recorded.values() if entry["topic"] == topic]
        yield f"## {topic}\n\n" + "\n\n".join(_entry(entry) for entry in entries)


def _entry(entry):
    how = f"*`{entry['command']}`; {entry['machine']}; {entry['date']}.*"
    return f"{how}\n\n{_body(entry)}"


def _body(entry):
    parts = ["\n".join(f"- {point}" for point in entry["points"])] if "points" in entry else []
    if "printed" in entry:
        parts.append("```text\n" + "\n".join(entry["printed"]) + "\n```")
    if "table" in entry:
        names, *rows = entry["table"]
        parts.insert(0, markdown(pd.DataFrame(rows, columns=names).set_index(names[0])))
    return "\n\n".join(parts)


def readme_blocks(frame):
    """Give what stands between marks in the README, by name."""
    judged = frame[~frame["design"]]
    rows, ranks, table = method_rows(judged, thorough(judged))
    return {"results": f"{markdown(rows)}\n\n{extent(judged, ranks, table)}", "wins": _told_wins(judged)}


def _told_wins(frame):
    """Say in a sentence against whom the method that chooses by itself wins how often."""
    parts = []
    for other in RIVALS:
        errors = means(frame, ("OPNB-auto", other))["error"]
        wins, losses = decided(errors["OPNB-auto"], errors[other])
        p_value = binomtest(wins, wins + losses).pvalue
        parts.append(f"{wins} : {losses} against {other} (p = {p_value:.2g})")
    return f"Data sets on which OPNB-auto has fewer or more errors, with sign tests: {', '.join(parts)}."


def filled(text, blocks):
    """Put blocks between their marks; a mark without a block, or a block without marks, is a mistake."""

    def put(found):
        return f"{found[1]}\n{blocks.pop(found[2])}\n{found[3]}"

    blocks = dict(blocks)
    text = re.sub(r"(<!-- evidence: (\w+) -->)\n.*?\n(<!-- end of evidence -->)", put, text, flags=re.DOTALL)
    assert not blocks, f"the README has no place for {', '.join(blocks)}"
    return text


def record(section, printed):
    """Keep what a section printed, with the machine and the date."""
    recorded = json.loads(FIGURES.read_text("utf8"))
    before = recorded.get(section, {"topic": "Other figures"})
    recorded[section] = {
        "topic": before["topic"],
        "command": f'make bench BENCH="{section}"',
        "machine": machine(),
        "date": date.today().isoformat(),
        "printed": printed.strip().splitlines(),
    }
    FIGURES.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", "utf8")


def machine():
    """Describe this machine: processor, how many, and how busy it is."""
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text("utf8"))
    except OSError:
        found = None
    name = found[1] if found else platform.machine()
    busy = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}{busy}"


SECTIONS = {"evidence": evidence}
