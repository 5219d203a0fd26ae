"""The wheel in an empty environment: the library alone first, then the app, started in an empty folder.

It builds and installs as a user would, from where pip finds packages, at the versions of the lock.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

import opnb
from tests.browser.harness import free_port, wait_for
from tests.packaging.declared import ROOT, pinned
from tests.visitor import Visitor, status_of

pytestmark = pytest.mark.wheel

SCRIPTS = "Scripts" if os.name == "nt" else "bin"
LIGHT = """
import json, sys
from sklearn.datasets import load_iris
import opnb

model = opnb.OPNBClassifier(n_components=2).fit(*load_iris(return_X_y=True))
model.save("model.opnb")
score = opnb.load_model("model.opnb").score(*load_iris(return_X_y=True))
heavy = sorted({"pandas", "plotly", "streamlit"} & set(sys.modules))
print(json.dumps([opnb.__version__, opnb.__file__, score > 0.9, heavy]))
"""


class Place:
    """An empty environment and an empty folder to work in."""

    def __init__(self, folder):
        self.environment, self.folder = folder / "environment", folder / "empty"
        self.folder.mkdir()
        venv.create(self.environment, with_pip=True)

    def program(self, name):
        return str(self.environment / SCRIPTS / name)

    @property
    def variables(self):
        # No settings of Streamlit, no workspaces and no packages of whoever runs the tests.
        hidden = ("PYTHONPATH", "VIRTUAL_ENV", "OPNB_DATA_DIR")
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        return kept | {"HOME": str(self.folder), "OPNB_WORKSPACES": "off"}

    def run(self, name, *arguments):
        command = [self.program(name), *map(str, arguments)]
        result = subprocess.run(
            command, cwd=self.folder, env=self.variables, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def install(self, what, constraints):
        command = [self.program("python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*command, "--constraint", str(constraints), what], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns(".*", "tests", "build", "dist", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, folder / "source", ignore=left_out)
    shutil.copytree(ROOT / ".streamlit", folder / "source" / ".streamlit")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(folder / "source")], check=True)
    (found,) = folder.glob("opnb-*.whl")
    return found


@pytest.fixture(scope="module")
def constraints(tmp_path_factory):
    """The versions of the lock without their hashes, which pip would then demand of the wheel, too."""
    file = tmp_path_factory.mktemp("versions") / "constraints.txt"
    file.write_text("".join(f"{name}=={version}\n" for name, version in pinned("requirements.txt").items()))
    return file


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def library(place, wheel, constraints):
    place.install(str(wheel), constraints)
    return place


@pytest.fixture(scope="module")
def address(library, wheel, constraints):
    """The app, started by its command in an empty folder."""
    library.install(f"{wheel}[app]", constraints)
    port = free_port()
    command = [library.program("opnb"), "app", "--port", str(port), "--no-browser"]
    with (library.folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=library.folder, env=library.variables, stdout=log, stderr=log)
    try:
        wait_for(f"http://localhost:{port}", process)
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        process.wait(30)


def test_everything_is_inside_the_package(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"opnb", f"opnb-{opnb.__version__}.dist-info"}
    sources = {"app.py", ".streamlit/config.toml", "docs/icon.svg"}
    sources |= {f"pages/{page.name}" for page in (ROOT / "pages").glob("*.py")}
    assert {name for name in names if "/_app/" in name} == {f"opnb/_app/{source}" for source in sources}
    assert "opnb/py.typed" in names
    for page in ("ui", "learn"):
        for file in (ROOT / "opnb" / "studio" / page / "frontend").iterdir():
            assert (f"opnb/studio/{page}/frontend/{file.name}" in names) is (file.suffix != ".cjs")


def test_the_library_alone_fits_and_keeps_a_model(library):
    version, file, good, heavy = json.loads(library.run("python", "-c", LIGHT))
    assert version == opnb.__version__
    assert Path(file).is_relative_to(library.environment)
    assert good
    assert heavy == []
    assert library.run("opnb", "--version") == f"opnb {opnb.__version__}\n"


def test_the_app_opens_from_an_empty_folder(library, address):
    assert library.run("opnb", "health", address) == "ok\n"
    request = urllib.request.Request(address, headers={"Accept": "text/html"})
    page = urllib.request.urlopen(request, timeout=30).read().decode()
    (plotly,) = set(re.findall(r"charts/plotly-\w+\.js", page))
    assert status_of(f"{address}/{plotly}") == 200


def test_a_picture_comes_and_every_page_runs(address):
    visitor = Visitor(address)
    # As in `.streamlit/config.toml`; Streamlit's own limit is four times as large.
    assert visitor.widgets["Or your own table"][1].max_upload_size_mb == 50
    visitor.follow(lambda it: it.charts > 0)
    for page in visitor.pages:
        visitor.go(page)
        assert not visitor.faults, (page, visitor.faults)
    visitor.leave()
