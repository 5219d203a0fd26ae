"""The check list of a release notices what is wrong."""

import zipfile

import opnb
from tests import release


def test_there_is_one_version_everywhere():
    assert release.disagreements(opnb.__version__) == []


def test_another_version_is_noticed(tmp_path):
    (tmp_path / "CITATION.cff").write_text("version: 1.0\n", "utf8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n", "utf8")
    assert release.disagreements("1.1", tmp_path) == ["CITATION.cff names 1.0", "CHANGELOG.md names no version"]


def test_an_incomplete_wheel_is_noticed(tmp_path):
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as archive:
        archive.writestr("opnb/py.typed", "")
    assert "opnb/guide/picture.md" in release.missing(tmp_path / "some.whl")
