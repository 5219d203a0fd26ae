"""PMLB through a small folder in its cache layout; the network is never touched."""

import gzip

import numpy as np
import pytest
import requests

from opnb.data import PrepareOptions, load_pmlb, pmlb_catalogue, pmlb_names, pmlb_table
from opnb.errors import DataError


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{i}\t{a:.4f}\t{k}\t{k}" for i, (a, k) in enumerate(zip(rng.normal(size=40), [0, 2] * 20, strict=True))]
    store(tmp_path, "iris", "count\tsize\tfew\ttarget\n" + "\n".join(rows) + "\n99\t0.5\t0\t7\n")
    return tmp_path


def store(folder, name, text):
    (folder / name).mkdir()
    (folder / name / f"{name}.tsv.gz").write_bytes(gzip.compress(text.encode()))


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    def refuse(*args, **kwargs):
        raise requests.ConnectionError("no network in tests")

    monkeypatch.delenv("OPNB_DATA_DIR", raising=False)
    for verb in ("get", "head"):
        monkeypatch.setattr(requests, verb, refuse)


def test_a_stored_set_keeps_every_covariate_as_a_number(folder):
    data = load_pmlb("iris", folder)
    assert data.feature_names == ("count", "size", "few")
    assert data.X.shape == (40, 3)
    assert data.y.dtype == np.int64
    assert data.class_names == ("0", "2")
    assert "Left out 1 class with fewer than 2 rows: '7' (1)." in data.account
    assert "PMLB" in data.provenance
    assert "'iris'" in data.description


def test_the_folder_can_come_from_the_environment(folder, monkeypatch):
    monkeypatch.setenv("OPNB_DATA_DIR", str(folder))
    assert len(pmlb_table("iris").frame) == 41
    paper = load_pmlb("iris", options=PrepareOptions(preset="paper"))
    assert paper.feature_names == ("count", "size", "few = 2")


def test_the_catalogue(folder):
    entries = {entry.name: entry for entry in pmlb_catalogue(data_dir=folder)}
    assert len(entries) == 162
    assert (entries["iris"].n, entries["iris"].p, entries["iris"].K) == (150, 4, 3)
    assert [entry.name for entry in entries.values() if entry.local] == ["iris"]
    assert pmlb_names("VALLEY noise") == ("Hill_Valley_with_noise", "Hill_Valley_without_noise")
    assert pmlb_names("no such thing") == ()


def test_what_cannot_be_had_is_said(folder):
    with pytest.raises(DataError, match=r"'sonar' is not in a local folder and cannot be fetched.*OPNB_DATA_DIR"):
        load_pmlb("sonar", folder)
    with pytest.raises(DataError, match="cannot be fetched"):
        load_pmlb("sonar")
    with pytest.raises(DataError, match="no data set 'tulips'"):
        load_pmlb("tulips", folder)
    with pytest.raises(DataError, match="is for regression"):
        load_pmlb("1027_ESL", folder)
    with pytest.raises(DataError, match="is no name"):
        load_pmlb("../iris", folder)


def test_a_damaged_copy(folder):
    (folder / "glass").mkdir()
    (folder / "glass" / "glass.tsv.gz").write_bytes(b"no gzip")
    with pytest.raises(DataError, match=r"'glass' in .* is damaged"):
        load_pmlb("glass", folder)
    store(folder, "wdbc", "a\tb\n1\t2\n")
    with pytest.raises(DataError, match="no column 'target'"):
        load_pmlb("wdbc", folder)
