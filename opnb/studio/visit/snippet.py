"""A fit as a Python program that runs as it stands and reaches the same objective.

Every name from outside is written by `repr`, never as bare text, so a column's name cannot become code.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from opnb.data import PrepareOptions
from opnb.studio.visit.settings import FitSpec
from opnb.studio.visit.sources import ROWS, SEED, DataSpec, Source


def python_snippet(spec: FitSpec) -> str:
    """Write the program of a fit.

    Parameters
    ----------
    spec : FitSpec
        With a target that is named; see `opnb.studio.visit.sources.settled`.
    """
    call, names = _table_call(spec.data.source)
    settings = ",\n".join(f"    {name}={value!r}" for name, value in spec.settings().items())
    return "\n".join(
        [
            "from opnb import OPNBClassifier",
            f"from opnb.data import {', '.join(sorted(['prepare', 'PrepareOptions', *names], key=str.lower))}",
            "",
            f"table = {call}",
            f"data = prepare(table, {spec.data.target!r}, options={_options(spec.data)})",
            "clf = OPNBClassifier(",
            f"{settings},",
            ")",
            "clf.fit(data.X_train, data.y_train)",
            "",
            'print("objective:", clf.objective_)',
            'print("training error:", 1 - clf.score(data.X_train, data.y_train))',
            "if len(data.test):",
            '    print("held-out error:", 1 - clf.score(data.X_test, data.y_test))',
            "",
        ]
    )


def _table_call(source: Source) -> tuple[str, list[str]]:
    if source.kind == "simulator":
        settings = {name: int(value) if name in (ROWS, SEED) else value for name, value in source.parameters}
        return _call("simulated_table", source.name, settings), ["simulated_table"]
    if source.kind in ("upload", "server"):
        return _call("read_table", source.name, dict(source.reading)), ["read_table"]
    function = "example_table" if source.kind == "example" else "pmlb_table"
    return _call(function, source.name, {}), [function]


def _options(data: DataSpec) -> str:
    usual = PrepareOptions()
    changed = {
        field.name: getattr(data.options, field.name)
        for field in fields(PrepareOptions)
        if getattr(data.options, field.name) != getattr(usual, field.name)
    }
    # The split is written even where it is the usual one, because a reader asks for it.
    return _call("PrepareOptions", None, {"test_size": data.options.test_size, "seed": data.options.seed} | changed)


def _call(function: str, first: str | None, keywords: dict[str, Any]) -> str:
    arguments = ([] if first is None else [repr(first)]) + [f"{name}={value!r}" for name, value in keywords.items()]
    return f"{function}({', '.join(arguments)})"
