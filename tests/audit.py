"""What the lock brings along: known vulnerabilities by pip-audit, and the licence of every package.

    python -m tests.audit requirements.txt

Ends with status 1 for a vulnerability or a licence that was not looked at before, and with 0 and a clear word where no
database of vulnerabilities can be reached.
"""

import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

# Licences under which the packages of the lock may be used in a service and beside BSD code.
FINE = re.compile(r"BSD|MIT|Apache|Python Software|PSF|ISC|MPL|Mozilla|HPND|Zlib|Unlicense|0BSD|CNRI", re.IGNORECASE)
CANARY = "jinja2==2.10"
_UNREACHABLE = (
    "ConnectionError",
    "Max retries",
    "timed out",
    "ServiceError",
    "Failed to resolve",
    "HTTPError",
    "JSONDecodeError",
)


def names_in(lock):
    """Give the packages that a lock names."""
    return re.findall(r"^([A-Za-z0-9._-]+)==", Path(lock).read_text(encoding="utf8"), re.MULTILINE)


def licence_of(name):
    """Give what a package says about its licence; None where it is not installed here (another system's)."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers = [c.split(" :: ")[-1] for c in about.get_all("Classifier") or () if c.startswith("License ::")]
    given = about.get("License-Expression") or "; ".join(classifiers) or (about.get("License") or "").splitlines()[:1]
    return given if isinstance(given, str) else (given[0] if given else "")


def licences(names):
    """List the licences of packages, and those that nobody has looked at."""
    known = {name: licence_of(name) for name in names}
    strange = [name for name, words in known.items() if words is not None and not FINE.search(words)]
    return known, strange


def vulnerabilities(lock):
    """Give what is known against the lock's packages; None where no database can be reached.

    A mirror may answer without knowing of any: so it is first asked about a version that is known to be vulnerable.
    """
    with tempfile.TemporaryDirectory() as folder:
        canary = Path(folder, "canary.txt")
        canary.write_text(f"{CANARY}\n", encoding="utf8")
        return ask(lock) if ask(str(canary)) else None


def ask(lock, run=subprocess.run):
    """Ask pip-audit about the packages of a file; None where it cannot reach a database."""
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]
    answer = run([*command, "--disable-pip", "--no-deps", "-r", lock], capture_output=True, text=True, check=False)
    try:
        found = json.loads(answer.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        if any(word in answer.stderr for word in _UNREACHABLE):
            return None
        raise SystemExit(f"pip-audit ended with status {answer.returncode}:\n{answer.stderr[-2000:]}") from None
    return [(package["name"], bug["id"]) for package in found for bug in package.get("vulns", ())]


def main(lock):
    known, strange = licences(names_in(lock))
    for name, words in sorted(known.items()):
        print(f"{name:32} {words if words is not None else 'not installed here'}"[:110])
    for name in strange:
        print(f"NOT LOOKED AT: the licence of {name}, {known[name]!r}")
    found = vulnerabilities(lock)
    if found is None:
        print("VULNERABILITIES NOT LOOKED FOR: no database of them can be reached from here.")
    for name, bug in found or ():
        print(f"VULNERABLE: {name}, {bug}")
    if found == []:
        print(f"No vulnerability is known in the {len(known)} packages of {lock}.")
    return 1 if strange or found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
