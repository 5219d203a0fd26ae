"""What the README shows runs as it stands."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf8")


def test_the_python_example_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    # The second block opens a window; drawing its figure is enough.
    exec("\n".join(blocks).replace(".show()", ".to_json()"), {})
    assert float(capsys.readouterr().out.rpartition(":")[2]) > 0.9


def test_files_and_sections_it_names_are_there():
    from tests.bench.__main__ import SECTIONS

    for target in re.findall(r"\]\(([\w./-]+)\)", README):
        assert (ROOT / target).exists(), target
    for names in re.findall(r'BENCH="([\w ]+)"', README):
        assert set(names.split()) <= set(SECTIONS)


def test_every_option_of_the_command_line_it_shows_exists():
    from opnb.cli.commands import main

    commands = re.findall(r"^    \S*python -m opnb (\w+) ", README, re.MULTILINE)
    assert commands
    for command in commands:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
