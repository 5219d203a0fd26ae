"""The ways to bring data, on the Data page: upload, paste, examples, simulators, benchmarks, the server's tables."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from opnb.data import SIMULATORS, PmlbEntry, pmlb_catalogue
from opnb.data.simulators import Parameter
from opnb.studio.ui.intake import bring_in, show_intake_error, upload_box
from opnb.studio.ui.running_fit import not_saved
from opnb.studio.ui.text import escaped
from opnb.studio.ui.workspace_file import restoring
from opnb.studio.visit.intake import bring_file, bring_source
from opnb.studio.visit.settings import LARGEST_SEED
from opnb.studio.visit.sources import MAX_SIMULATED_ROWS, ROWS, SEED, Source, bundled_names
from opnb.studio.visit.state import Studio
from opnb.studio.words import quantity
from opnb.studio.work.limits import tables_folder
from opnb.studio.work.reading import TABLE_LIMITS, server_tables

_LISTED = 200
_SERVER_WORDS = (
    f"Tables that are too large to send, up to {TABLE_LIMITS.max_rows:,} rows. A fit uses all rows that are for "
    "training, and the errors count all rows; the picture draws a sample of about 10,000."
)


def ways_in(state: Studio) -> None:
    """Let the user choose a way, and bring in what comes."""
    ways: dict[str, Callable[[Studio], None]] = {
        "Upload": _upload,
        "Paste": _paste,
        "Examples": _examples,
        "Simulate": _simulate,
        "PMLB": _benchmarks,
        **({"Server": _server} if tables_folder() is not None else {}),
        "Workspace": restoring,
    }
    not_saved(state)
    way = st.segmented_control(
        "Where from", list(ways), default="Upload", required=True, key="way", persist_state="session"
    )
    ways[way or "Upload"](state)
    show_intake_error()


def _upload(state: Studio) -> None:
    upload_box(state, "A file with a row of names and one row for each case", "data-page")


def _paste(state: Studio) -> None:
    with st.form("paste", border=False):
        text = st.text_area("Rows of a table, for instance copied from a spreadsheet", height=160, key="pasted")
        sent = st.form_submit_button("Read", icon=":material/content_paste:")
    if sent:
        bring_in(lambda: bring_file(state, "pasted text", text.encode()))


def _examples(state: Studio) -> None:
    with st.container(horizontal=True):
        for name in bundled_names():
            if st.button(name.replace("_", " "), key=f"example-{name}"):
                bring_in(lambda name=name: bring_source(state, Source("example", name)))  # type: ignore[misc]


def _simulate(state: Studio) -> None:
    name = st.selectbox("Design", list(SIMULATORS), key="design")
    simulator = SIMULATORS[name]
    st.caption(simulator.description)
    with st.form(f"simulate-{name}", border=False):
        columns = st.columns(2 + len(simulator.parameters))
        rows = columns[0].number_input("Rows", 10, MAX_SIMULATED_ROWS, simulator.n, key=f"sim-{name}-rows")
        seed = columns[1].number_input("Seed", 0, LARGEST_SEED, 0, key=f"sim-{name}-seed")
        values = {
            key: _parameter(column, f"sim-{name}-{key}", key, parameter)
            for column, (key, parameter) in zip(columns[2:], simulator.parameters.items(), strict=True)
        }
        sent = st.form_submit_button("Draw", icon=":material/casino:")
    if sent:
        usual = {ROWS: simulator.n, SEED: 0} | {key: p.default for key, p in simulator.parameters.items()}
        given = {ROWS: rows, SEED: seed, **values}
        changed = tuple((key, value) for key, value in given.items() if value != usual[key])
        bring_in(lambda: bring_source(state, Source("simulator", name, changed)))


def _parameter(column: st.delta_generator.DeltaGenerator, key: str, name: str, parameter: Parameter) -> float:
    label, words = (
        name.replace("_", " ").capitalize(),
        f"{parameter.meaning[0].upper()}{parameter.meaning[1:]}.",
    )
    if parameter.whole:
        low, high, default = int(parameter.low), int(parameter.high), int(parameter.default)
        return int(column.number_input(label, low, high, default, key=key, help=words))
    return float(
        column.number_input(label, parameter.low, parameter.high, parameter.default, format="%.4g", key=key, help=words)
    )


def _benchmarks(state: Studio) -> None:
    found = pmlb_catalogue(st.text_input("Part of the name", key="pmlb-search", placeholder="for instance wine"))
    if not found:
        st.info("No data set of the Penn Machine Learning Benchmarks has that in its name.")
        return
    entry = st.selectbox(f"Data set ({len(found)} found)", found[:_LISTED], format_func=_entry_words, key="pmlb-choice")
    if st.button("Load", icon=":material/download:", key="pmlb-load") and entry is not None:
        bring_in(lambda: bring_source(state, Source("pmlb", entry.name)))


def _server(state: Studio) -> None:
    """Offer the tables of the server's owner, which nobody has to send."""
    names = server_tables()
    if not names:
        st.info("The owner of this server has set up a folder for tables, and there is none in it that can be read.")
        return
    name = st.selectbox(f"Table ({len(names)} on the server)", names, key="server-table")
    st.caption(_SERVER_WORDS)
    if st.button("Load", icon=":material/database:", key="server-load") and name is not None:
        bring_in(lambda: bring_source(state, Source("server", name)))


def _entry_words(entry: PmlbEntry) -> str:
    where = "" if entry.local else ", over the network"
    shape = f"{quantity(entry.n, 'row')}, {quantity(entry.p, 'column')}, {quantity(entry.K, 'class', 'classes')}"
    return f"{entry.name}: {shape}{where}"


def described(state: Studio) -> None:
    """Say what the table at work is and where it comes from."""
    working = state.working
    if working is None:
        return
    st.header(escaped(working.table.name))
    for words in (working.table.description, working.table.provenance or working.table.settings.sentence()):
        if words:
            st.caption(escaped(words, 600))
