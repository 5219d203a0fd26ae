"""Parts of a served machine, on this one: the tree as the service sees it, nginx with TLS, and clients."""

import os
import shlex
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from tests.browser.harness import free_port

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
NAME = "name.example.org"
USER = "nobody"  # stands for the user opnb: no home, no rights
PATIENCE = 120


def need(*programs):
    """Say what is missing; these are Debian packages, which `make deploy-test` installs."""
    import pytest

    missing = [program for program in programs if shutil.which(program) is None]
    if missing or not _may_mount():
        pytest.skip(f"needs {', '.join(missing) or 'root, with mounts of its own'}: run `make deploy-test` as root")


def _may_mount():
    """Whether this user may have mounts of its own; root inside a container often may not."""
    tried = subprocess.run(["unshare", "--mount", "mount", "--make-rprivate", "/"], capture_output=True, check=False)
    return os.geteuid() == 0 and tried.returncode == 0


def unit():
    """Read the unit, each setting with all its values."""
    settings = {}
    for line in (DEPLOY / "opnb.service").read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            settings.setdefault(key, []).append(value)
    return settings


def env_file():
    """Read the environment file."""
    lines = (DEPLOY / "opnb.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def _homes_taken_away():
    """Hide homes and temporary files, but for Python itself where it lies there."""
    pythons = {str(Path(place)) for place in (sys.base_prefix, sys.prefix)}
    aside = "".join(f"mkdir /mnt/{n} && mount --bind {path} /mnt/{n}\n" for n, path in enumerate(pythons))
    back = "".join(f"mkdir -p {path} && mount --bind /mnt/{n} {path}\n" for n, path in enumerate(pythons))
    hidden = "".join(f"mount -t tmpfs -o mode=755 tmpfs {home}\n" for home in ("/root", "/home"))
    return f"mount -t tmpfs -o mode=755 tmpfs /mnt\n{aside}{hidden}mount -t tmpfs -o mode=1777 tmpfs /tmp\n{back}"


@contextmanager
def restricted(command, environment, state, log, folder=ROOT):
    """Run a command as the unit would: another user, a tree that can be read alone at /srv/opnb, no home, its own /tmp.

    In a mount namespace of its own, so that nothing of this machine changes. systemd itself does not run here: system
    calls and capabilities are taken away as far as `setpriv` can.
    """
    given = " ".join(f"{key}={shlex.quote(value)}" for key, value in environment.items())
    rights = f"--reuid {USER} --regid nogroup --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all"
    mounts = f"""
        set -e
        mount --make-rprivate /
        mount -t tmpfs -o mode=755 tmpfs /srv && mkdir /srv/opnb
        mount --bind {folder} /srv/opnb && mount -o remount,bind,ro /srv/opnb
        mount -t tmpfs -o mode=755 tmpfs /var/lib && mkdir /var/lib/opnb && mount --bind {state} /var/lib/opnb
        {_homes_taken_away()}
        cd /srv/opnb
        exec setpriv {rights} env -i {given} PATH={sys.prefix}/bin:/usr/bin:/bin {command}
    """
    shutil.chown(state, USER, "nogroup")
    with log.open("wb") as out:
        process = subprocess.Popen(["unshare", "--mount", "sh", "-c", mounts], stdout=out, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def wait_until_well(address, process, log):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        try:
            return urllib.request.urlopen(f"{address}/healthz", timeout=5).read()
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"it does not answer: {log.read_text()}")


class Nginx:
    """The site of `deploy/nginx.conf`, on free ports, with a certificate of its own."""

    def __init__(self, folder, app_port, site):
        self.port, plain = free_port(), free_port()
        self.address = f"https://{NAME}:{self.port}"
        self.log = folder / "opnb.log"
        self.certificate = folder / "cert.pem"
        names = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
        request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
        keys = ["-keyout", str(folder / "key.pem"), "-out", str(self.certificate)]
        subprocess.run([*request, *keys], check=True, capture_output=True)
        for old, new in {
            "listen [::]:80;": "",
            "listen [::]:443 ssl;": "",
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            "/etc/ssl/opnb/fullchain.pem": str(self.certificate),
            "/etc/ssl/opnb/privkey.pem": str(folder / "key.pem"),
            "/var/log/nginx": str(folder),
            "server 127.0.0.1:8501;": f"server 127.0.0.1:{app_port};",
        }.items():
            assert old in site, old
            site = site.replace(old, new)
        (folder / "site.conf").write_text(site)
        scratch = "".join(
            f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (folder / "nginx.conf").write_text(
            f"daemon off; user root; pid {folder}/pid; error_log {folder}/main.log; events {{}}"
            f" http {{ {scratch} include {folder}/site.conf; }}"
        )
        command = ["nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "main.log")]
        subprocess.run([*command, "-t"], check=True, capture_output=True)
        self.process = subprocess.Popen(command)
        self.context = ssl.create_default_context(cafile=str(self.certificate))

    def ask(self, path, method="GET", data=None, **headers):
        """Send a request under the server's name, and give status, headers and content."""
        import http.client
        import socket

        connection = http.client.HTTPSConnection(NAME, self.port, context=self.context, timeout=PATIENCE)
        raw = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        connection.sock = self.context.wrap_socket(raw, server_hostname=NAME)
        try:
            connection.request(method, path, data, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def websocket(self, path="/_stcore/stream", origin=None):
        """Open the stream of a page, as a browser does, or fail as it does."""
        import socket

        from websockets.sync.client import connect

        raw = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        address = f"wss://{NAME}:{self.port}{path}"
        return connect(
            address,
            sock=raw,
            ssl=self.context,
            origin=origin or self.address,
            subprotocols=["streamlit"],
            max_size=None,
        )

    def end(self):
        self.process.terminate()
        self.process.wait(30)
