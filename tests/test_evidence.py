"""What is said in numbers comes from the results in docs/evidence."""

import json

import pytest

from tests.bench import evidence


@pytest.fixture(scope="module")
def frame():
    return evidence.results()


def test_the_numbers_of_the_readme_are_those_of_the_evidence(frame):
    text = evidence.README.read_text("utf8")
    assert evidence.filled(text, evidence.readme_blocks(frame)) == text, "make evidence"


def test_the_page_is_what_the_results_give():
    assert evidence.PAGE.read_text("utf8") == evidence.page(), "make evidence"


def test_a_block_without_a_place_is_noticed():
    with pytest.raises(AssertionError, match="no place for results"):
        evidence.filled("nothing is marked", {"results": "1"})


def test_a_changed_number_is_put_right():
    marked = "a\n<!-- evidence: results -->\n0.1\n<!-- end of evidence -->\nb"
    assert evidence.filled(marked, {"results": "0.2"}) == marked.replace("0.1", "0.2")


def test_every_figure_says_how_when_and_on_what_it_was_measured():
    for name, entry in json.loads(evidence.FIGURES.read_text("utf8")).items():
        assert {"topic", "command", "machine", "date"} < entry.keys(), name
        assert set(entry) & {"printed", "table", "points"}, name


def test_what_a_section_prints_is_kept_with_machine_and_date(monkeypatch, tmp_path):
    file = tmp_path / "figures.json"
    file.write_text('{"objective": {"topic": "The engine", "points": ["old"]}}', "utf8")
    monkeypatch.setattr(evidence, "FIGURES", file)
    evidence.record("objective", "\nOne value\n---------\n  3.7\n")
    entry = json.loads(file.read_text("utf8"))["objective"]
    assert entry["topic"] == "The engine"
    assert entry["printed"] == ["One value", "---------", "  3.7"]
    assert "points" not in entry
    assert "cores" in entry["machine"]


def test_a_method_is_compared_once_it_has_been_run_on_half_of_the_sets(frame):
    judged = frame[~frame["design"]]
    rare = judged[judged["method"].ne("LR") | judged["dataset"].eq(judged["dataset"].iloc[0])]
    assert "LR" in evidence.compared(judged)
    assert "LR" not in evidence.compared(rare)


def test_a_method_with_few_splits_does_not_take_splits_from_the_others(frame):
    judged = frame[~frame["design"]]
    few = judged[judged["method"].ne("LR") | judged["repeat"].eq(0)]
    assert "LR" in evidence.compared(few)
    assert "LR" not in evidence.thorough(few)
    assert evidence.wins(few).equals(evidence.wins(judged))
