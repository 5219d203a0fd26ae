"""Tables of the server's owner: listed, read whole by another process, and no way to any other file."""

import pytest

from opnb.errors import ReadingError
from opnb.studio.visit.intake import bring_source
from opnb.studio.visit.links import from_query, to_query
from opnb.studio.visit.snippet import python_snippet
from opnb.studio.visit.sources import Source
from opnb.studio.visit.state import Studio
from opnb.studio.work.errands import Attended
from opnb.studio.work.limits import TABLES_VARIABLE
from opnb.studio.work.reading import read_server_table, server_tables


@pytest.fixture
def folder(tmp_path, monkeypatch, table):
    """A folder with a table, beside files that are nobody's business."""
    place = tmp_path / "tables"
    (place / "inner").mkdir(parents=True)
    (place / "mine.csv").write_bytes(table)
    (place / "inner" / "deep.csv").write_bytes(table)
    (place / "notes.txt").write_text("not for you")
    (tmp_path / "secret.csv").write_bytes(table)
    (place / "link.csv").symlink_to(tmp_path / "secret.csv")
    monkeypatch.setenv(TABLES_VARIABLE, str(place))
    return place


def test_only_tables_of_the_folder_itself_are_listed(folder, monkeypatch, tmp_path):
    assert server_tables() == ["mine.csv"]
    monkeypatch.setenv(TABLES_VARIABLE, str(tmp_path / "absent"))
    assert server_tables() == []
    monkeypatch.delenv(TABLES_VARIABLE)
    assert server_tables() == []


def test_no_name_leads_out_of_the_folder(folder, tmp_path):
    names = (
        *("../secret.csv", "inner/../../secret.csv", "inner/deep.csv", "link.csv", str(tmp_path / "secret.csv")),
        *("/etc/passwd", "notes.txt", "", ".", "mine.csv/", "./mine.csv", "MINE.CSV", "mine.csv\0"),
    )
    for name in names:
        with pytest.raises(ReadingError, match="offers no table"):
            read_server_table(Attended(), name)
        assert from_query({"data": f"server:{name}"}).spec.data.source.kind == "example", name


def test_a_table_is_read_whole_and_used(folder):
    state = Studio()
    assert bring_source(state, Source("server", "mine.csv")) == ""
    assert len(state.table.frame) == 40
    assert state.table.name == "mine.csv"
    assert state.job.wait(60)
    state.collect()
    assert len(state.result.projected.labels) == 40
    link = from_query(to_query(state.spec, state.picture))
    assert link.spec.data.source == Source("server", "mine.csv")
    assert "read_table('mine.csv')" in python_snippet(state.spec)
    assert str(folder) not in python_snippet(state.spec)


def test_a_file_that_is_no_table_is_said(folder):
    (folder / "broken.parquet").write_bytes(b"PAR1 and nothing more")
    state = Studio()
    assert "cannot be read" in bring_source(state, Source("server", "broken.parquet")).lower() or state.draft
    assert state.table is None


def test_the_data_page_offers_the_folder_where_there_is_one(folder, visit, monkeypatch):
    page = visit().go("Data").segment("Where from", "Server")
    assert "all rows" in page.words
    assert page.find("selectbox", "Table (1 on the server)").options == ["mine.csv"]
    monkeypatch.delenv(TABLES_VARIABLE)
    page = visit().go("Data")
    assert "Server" not in page.find("segmented_control", "Where from").options
