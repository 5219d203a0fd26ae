"""The first part of `make release-check`: one version everywhere, and a build that holds what it must.

python -m tests.release
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import opnb

ROOT = Path(__file__).parent.parent
NEEDED = ("opnb/guide/picture.md", "opnb/_app/app.py", "opnb/figures/tour/tour.js", "opnb/py.typed")


def disagreements(version, root=ROOT):
    """Say where another version is named than the package's own."""
    said = {
        "CITATION.cff": re.search(r"^version: (.+)$", (root / "CITATION.cff").read_text("utf8"), re.M),
        "CHANGELOG.md": re.search(r"^## \[(.+?)\]", (root / "CHANGELOG.md").read_text("utf8"), re.M),
    }
    return [
        f"{file} names {found[1] if found else 'no version'}"
        for file, found in said.items()
        if not found or found[1] != version
    ]


def missing(wheel):
    """Name what a wheel lacks."""
    with zipfile.ZipFile(wheel) as archive:
        return sorted(set(NEEDED) - set(archive.namelist()))


def main():
    """Build the wheel into a folder of its own and look at it; end with what is wrong."""
    wrong = disagreements(opnb.__version__)
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--wheel-dir",
        ]
        subprocess.run([*command, folder, str(ROOT)], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        wrong += [f"{wheel.name} lacks {name}" for name in missing(wheel)]
        if not wheel.name.startswith(f"opnb-{opnb.__version__}-"):
            wrong.append(f"the wheel is called {wheel.name}")
    if wrong:
        sys.exit("Not ready: " + "; ".join(wrong) + ".")
    print(f"opnb {opnb.__version__}: one version everywhere, and {wheel.name} is complete.")


if __name__ == "__main__":
    main()
