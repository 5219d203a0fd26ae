"""What axe-core says of a page, and the rules that Streamlit itself breaks.

The list can only shrink: `test_layout.py` fails where a rule is listed that nothing breaks any more.
"""

from typing import Any

from axe_playwright_python.sync_playwright import Axe

# Rule, and what of Streamlit's breaks it. All else that axe finds is ours to mend.
STREAMLITS = {"presentation-role-conflict": "stFileUploaderDropzone"}  # a box for files is a named presentation

_AXE = Axe()


def broken_rules(page: Any) -> list[str]:
    """Say which rules a page breaks as it stands, Streamlit's own left out; a sentence for every element."""
    return [_sentence(rule, node) for rule, node in _broken(page) if not _is_streamlits(rule, node)]


def breaks_still(page: Any, rule: str) -> bool:
    """Tell whether Streamlit breaks a listed rule on a page."""
    return any(_is_streamlits(rule, node) for rule, node in _broken(page, [rule]))


def _broken(page: Any, rules: list[str] | None = None) -> list[tuple[str, dict[str, Any]]]:
    only = {} if rules is None else {"runOnly": {"type": "rule", "values": rules}}
    found = _AXE.run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [(rule["id"], node) for rule in found for node in rule["nodes"]]


def _is_streamlits(rule: str, node: dict[str, Any]) -> bool:
    return rule in STREAMLITS and f'data-testid="{STREAMLITS[rule]}"' in node["html"].split(">")[0]


def _sentence(rule: str, node: dict[str, Any]) -> str:
    said = [check["message"] for kind in ("any", "all", "none") for check in node[kind]]
    return f"{rule}: {node['html'][:120]} {' '.join(said)[:200]}"
