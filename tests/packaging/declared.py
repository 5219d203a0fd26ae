"""What `pyproject.toml` declares, and what the lock files pin."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def declared(extra=None):
    """Names of the packages that an installation with this extra asks for, those of the library included."""
    found = {Requirement(line).name for line in PROJECT["dependencies"]}
    for line in EXTRAS[extra] if extra else ():
        requirement = Requirement(line)
        found |= set().union(*map(declared, requirement.extras)) if requirement.name == "opnb" else {requirement.name}
    return found


def pinned(file):
    """Versions that a lock file pins, by canonical name."""
    text = (ROOT / file).read_text(encoding="utf8")
    return {canonicalize_name(name): version for name, version in re.findall(r"^([\w.\-]+)==([^\s;]+)", text, re.M)}
