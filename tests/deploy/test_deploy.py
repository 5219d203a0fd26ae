"""The files of `deploy/`, each used for real on this machine: unit, container file, nginx with TLS, login."""

import json
import re
import shlex
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager

import pytest
from websockets.exceptions import InvalidStatus

from opnb.studio.work import limits
from tests.browser.harness import free_port
from tests.deploy import machine
from tests.deploy.machine import DEPLOY, NAME, ROOT, Nginx, env_file, need, restricted, unit, wait_until_well

pytestmark = pytest.mark.deploy
EXPOSURE = 2.0


def test_the_unit_is_valid_and_gives_little_away(tmp_path):
    need("systemd-analyze")
    here = (DEPLOY / "opnb.service").read_text().replace("/srv/opnb/.venv/bin/python", "/bin/true")
    (tmp_path / "opnb.service").write_text(here)
    found = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / "opnb.service"], capture_output=True, text=True, check=False
    )
    assert "opnb.service" not in found.stderr, found.stderr
    judged = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", tmp_path / "opnb.service"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert float(re.search(r"exposure level for opnb.service: ([\d.]+)", judged)[1]) <= EXPOSURE


def test_every_limit_is_in_the_environment_file_and_on_the_page():
    text, page = (DEPLOY / "opnb.env").read_text(), (DEPLOY / "README.md").read_text()
    for name in limits.VARIABLES:
        assert re.search(rf"^(# )?{name}=", text, re.MULTILINE), f"{name} is not in deploy/opnb.env"
        assert f"`{name}`" in page, f"{name} is not in deploy/README.md"
    assert set(re.findall(r"^(?:# )?(OPNB_\w+)=", text, re.MULTILINE)) == set(limits.VARIABLES)


def commands(words):
    """Give the commands of the container file that begin with a word."""
    text = (DEPLOY / "Containerfile").read_text()
    return [line.removeprefix(f"{words} ") for line in text.splitlines() if line.startswith(f"{words} ")]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """What `git archive` gives, owned by root; with what warming up writes, as both ways of installing do."""
    folder = tmp_path_factory.mktemp("tree")
    folder.chmod(0o755)
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, files.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    for made in (ROOT / "opnb" / "core").rglob("__pycache__/*.nb*"):  # half a minute less than anew
        (folder / made.relative_to(ROOT)).parent.mkdir(exist_ok=True)
        (folder / made.relative_to(ROOT)).write_bytes(made.read_bytes())
    (warming,) = [line for line in commands("RUN") if "warm_up" in line]
    subprocess.run(shlex.split(warming.replace("python", machine.sys.executable)), cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("file", ["unit", "container"])
def test_its_command_starts_under_its_own_restrictions(tree, tmp_path, file):
    """Another user, a tree that can only be read, no home; and it saves, logs JSON alone, and ends when told."""
    need("unshare", "setpriv")
    state, log, port = tmp_path / "state", tmp_path / "log", free_port()
    state.mkdir()
    tmp_path.chmod(0o755)
    if file == "unit":
        (command,) = unit()["ExecStart"]
        command = command.replace("/srv/opnb/.venv/bin/python", machine.sys.executable)
    else:
        command = shlex.join(json.loads(commands("CMD")[0])).replace("python", machine.sys.executable, 1)
    command = re.sub(r"--server.port \d+", f"--server.port {port}", command)
    environment = env_file() | {"STREAMLIT_SERVER_ALLOWED_HOSTS": NAME}
    with restricted(command, environment, state, log, tree) as process:
        address = f"http://localhost:{port}"
        assert json.loads(wait_until_well(address, process, log)) == {"status": "ok", "queue": "ok", "disk": "ok"}
        health = subprocess.run([machine.sys.executable, "-m", "opnb", "health", address], cwd=ROOT, check=False)
        assert health.returncode == 0
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(address)
        process.terminate()
        assert process.wait(30) in (0, -15, 143)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["event"] for line in lines if line["event"] in ("started", "stopped")] == ["started", "stopped"]
    assert (state / "workspaces").stat().st_mode & 0o077 == 0


@pytest.fixture(scope="module", params=["", "opnb"], ids=["root", "sub-path"])
def served(request, tree, tmp_path_factory):
    """The app behind nginx, at the root of its name or below."""
    need("nginx", "openssl", "unshare", "setpriv")
    folder = tmp_path_factory.mktemp("served")
    folder.chmod(0o755)
    (folder / "state").mkdir()
    port, log = free_port(), folder / "log"
    environment = env_file() | {"STREAMLIT_SERVER_ALLOWED_HOSTS": NAME}
    site = (DEPLOY / "nginx.conf").read_text()
    if request.param:
        environment["STREAMLIT_SERVER_BASE_URL_PATH"] = request.param
        assert site.count("location / {") == 1
        site = site.replace("location / {", f"location /{request.param}/ {{")
    (command,) = unit()["ExecStart"]
    command = command.replace("/srv/opnb/.venv/bin/python", machine.sys.executable)
    with restricted(command.replace("8501", str(port)), environment, folder / "state", log, tree) as process:
        wait_until_well(f"http://localhost:{port}", process, log)
        nginx = Nginx(folder, port, site)
        nginx.below = f"/{request.param}" if request.param else ""
        yield nginx
        nginx.end()


def test_nginx_passes_pages_and_streams_on_and_refuses_foreign_ones(served):
    for _ in range(50):
        try:
            asked = {"Referer": "https://x/?workspace=secret", "Accept": "text/html"}
            status, headers, page = served.ask(f"{served.below}/?workspace=secret", **asked)
            break
        except ConnectionRefusedError:
            threading.Event().wait(0.1)
    assert status == 200
    assert b"opnb-plotly" in page
    assert headers.get_all("X-Frame-Options") == ["SAMEORIGIN"]
    assert headers.get_all("Referrer-Policy") == ["no-referrer"]
    stream = f"{served.below}/_stcore/stream"
    with served.websocket(stream) as connection:
        assert connection.subprotocol == "streamlit"
    with pytest.raises(InvalidStatus, match="403"), served.websocket(stream, "https://evil.example"):
        pass
    assert served.ask(f"{served.below}/_stcore/metrics")[0] == 404
    assert served.ask(f"{served.below}/healthz")[0] == 404
    assert served.ask(f"{served.below}/", Host="evil.example")[0] == 421
    upload = f"{served.below}/_stcore/upload_file/a/b"
    assert served.ask(upload, "PUT", b"x", Origin="https://evil.example")[0] == 403
    assert served.ask(upload, "PUT", b"x")[0] == 403, "without the token of this site"
    with pytest.raises((ConnectionError, AssertionError)):
        assert served.ask(upload, "PUT", bytes(52 * 2**20))[0] != 413
    written = served.log.read_text()
    assert len(written.splitlines()) >= 6
    assert "secret" not in written
    assert "upload_file" not in written


@contextmanager
def provider(issuer):
    """An OpenID provider from PyPI, in a process of its own: it warns of its own parts."""
    command = [machine.sys.executable, "-m", "oidc_provider_mock", "--port", issuer.rpartition(":")[2]]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + machine.PATIENCE
        while time.monotonic() < deadline:
            assert process.poll() is None, "the provider ended"
            try:
                urllib.request.urlopen(f"{issuer}/.well-known/openid-configuration", timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait(30)


def test_login_for_real(tree, tmp_path):
    """Against a provider from PyPI: strangers see a button and can send nothing; who logged in sees the app."""
    need("unshare", "setpriv")
    port, log, state = free_port(), tmp_path / "log", tmp_path / "state"
    tmp_path.chmod(0o755)
    state.mkdir()
    address = f"http://localhost:{port}"
    issuer = f"http://localhost:{free_port()}"
    with provider(issuer):
        secrets = tree / ".streamlit" / "secrets.toml"
        secrets.write_text(
            f'[auth]\nredirect_uri = "{address}/oauth2callback"\ncookie_secret = "{"x" * 40}"\nclient_id = "opnb"\n'
            f'client_secret = "shared"\nserver_metadata_url = "{issuer}/.well-known/openid-configuration"\n'
        )
        (command,) = unit()["ExecStart"]
        command = command.replace("/srv/opnb/.venv/bin/python", machine.sys.executable).replace("8501", str(port))
        try:
            with restricted(command, env_file(), state, log, tree) as process:
                wait_until_well(address, process, log)
                _logs_in(address, issuer)
        finally:
            secrets.unlink()


def _logs_in(address, issuer):
    from http.cookiejar import CookieJar

    from tests.visitor import Visitor, put_file

    stranger = Visitor(address)
    assert "Log in" in stranger.widgets
    assert stranger.charts == 0
    upload = f"{address}/_stcore/upload_file/{stranger.session}/file"
    assert put_file(upload, "a.csv", b"a,b\n1,2\n", stranger.token) == 403
    stranger.press("Log in")
    stranger.leave()
    jar = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    provider = opener.open(urllib.parse.urljoin(address, stranger.sent_to))  # sends on to the provider
    assert provider.url.startswith(issuer)
    form = urllib.parse.urlencode({"sub": "somebody"}).encode()
    back = opener.open(urllib.request.Request(provider.url, form, method="POST"))
    assert back.url.startswith(address)
    cookies = {cookie.name: cookie.value for cookie in jar}
    assert "_streamlit_user" in cookies
    member = Visitor(address, cookies=cookies, origin=address)
    assert "Log in" not in member.widgets
    assert member.charts > 0
    upload = f"{address}/_stcore/upload_file/{member.session}/file"
    cookie = f"_streamlit_xsrf={member.token}; _streamlit_user={cookies['_streamlit_user']}"
    assert put_file(upload, "a.csv", b"a,b\n1,2\n", member.token, Cookie=cookie) == 204
    member.leave()


def test_the_page_names_only_what_is_there():
    page = (DEPLOY / "README.md").read_text()
    for file in re.findall(r"deploy/([\w.]+)", page):
        assert (DEPLOY / file).exists(), file
    for target in re.findall(r"\]\(([\w./-]+)\)", page):
        assert (DEPLOY / target).exists(), target
