"""The audit of what the lock brings along."""

from subprocess import CompletedProcess

import pytest

from tests import audit

LOCK = "numpy==2.0 \\\n    --hash=sha256:00\nno-such-package==1.0 ; sys_platform == 'win32'\n"


def answers(text, errors=""):
    return lambda *args, **kwargs: CompletedProcess(args, 1, text, errors)


def test_the_lock_is_read_and_its_licences_are_known(tmp_path):
    (tmp_path / "lock.txt").write_text(LOCK)
    names = audit.names_in(tmp_path / "lock.txt")
    assert names == ["numpy", "no-such-package"]
    known, strange = audit.licences(names)
    assert "BSD" in known["numpy"]
    assert known["no-such-package"] is None
    assert strange == []


def test_vulnerabilities_and_a_database_out_of_reach_are_told_apart(monkeypatch):
    found = '{"dependencies": [{"name": "a", "vulns": [{"id": "PYSEC-1"}]}, {"name": "b", "vulns": []}]}'
    assert audit.ask("lock", answers(found)) == [("a", "PYSEC-1")]
    assert audit.ask("lock", answers("", "requests.exceptions.ConnectionError: ...")) is None
    with pytest.raises(SystemExit, match="status 1"):
        audit.ask("lock", answers("", "a broken lock"))
    monkeypatch.setattr(audit, "ask", lambda lock: [])
    assert audit.vulnerabilities("lock") is None, "a database that does not know the canary knows nothing"
