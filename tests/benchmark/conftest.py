import pytest

from tests.benchmark.samples import fill_cache


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return fill_cache(tmp_path_factory.mktemp("pmlb"))


@pytest.fixture(autouse=True)
def no_folder_from_outside(monkeypatch):
    monkeypatch.delenv("OPNB_DATA_DIR", raising=False)
