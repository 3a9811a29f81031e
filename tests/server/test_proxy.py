"""The nginx configuration in the server's README does what the README says."""

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import dig_envs.server
from tests.server.asking import Server, serve_command

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
README = Path(dig_envs.server.__file__).with_name("README.md")
MOST = 4  # connections of an address, instead of those in the README
pytestmark = pytest.mark.skipif(NGINX is None, reason="no nginx: apt-get install nginx-light")


def configuration(folder, port, behind):
    """The README's configuration without TLS, with a small limit and a short time."""
    (shown,) = [part.partition("```")[0] for part in README.read_text().split("```nginx\n")[1:]]
    for old, new in {
        "listen 443 ssl": f"listen 127.0.0.1:{port}",
        "client_header_timeout 10s": "client_header_timeout 1s",
        "limit_conn each 100": f"limit_conn each {MOST}",
        "http://127.0.0.1:8000": f"http://{behind}",
    }.items():
        assert old in shown
        shown = shown.replace(old, new)
    lines = [line for line in shown.splitlines() if "ssl_certificate" not in line]
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = [f"{kind}_temp_path {folder}/{kind};" for kind in kinds]
    head = f"pid {folder}/pid; error_log stderr; daemon off; master_process off; events {{}}"
    return "\n".join([head, "http {", "access_log off;", *places, *lines, "}"])


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """The address of nginx in front of a server."""
    folder = tmp_path_factory.mktemp("nginx")
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        port = found.getsockname()[1]
    with closing(Server(serve_command(None, ("127.0.0.1",), workers=1))) as server:
        (folder / "nginx.conf").write_text(configuration(folder, port, server.host))
        command = [NGINX, "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"]
        process = subprocess.Popen(command)
        try:
            wait_for(port)
            yield "127.0.0.1", port
        finally:
            process.terminate()
            process.wait()


def wait_for(port):
    for _ in range(100):
        with closing(socket.socket()) as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("nginx does not listen")


def status(proxy):
    """The status of a request for the page."""
    try:
        with urllib.request.urlopen("http://{}:{}/".format(*proxy), timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_unfinished_and_slow_headers_lock_nobody_out_and_end(proxy):
    with ExitStack() as held:
        opened = [socket.create_connection(proxy, timeout=30) for _ in range(50)]
        unfinished = [held.enter_context(one) for one in opened]
        for one in unfinished:
            one.sendall(b"GET / HTTP/1.1\r\n")
        assert status(proxy) == 200
        for _ in range(3):
            time.sleep(0.25)
            unfinished[0].sendall(b"X: y\r\n")
        assert not any(one.recv(1000).startswith(b"HTTP/1.1 200") for one in unfinished)


def test_headers_that_are_too_long_are_refused(proxy):
    with closing(socket.create_connection(proxy, timeout=30)) as one:
        one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (1 << 16))
        assert one.recv(1000).startswith(b"HTTP/1.1 400")


def test_an_address_has_so_many_connections_and_its_websockets_work(proxy):
    host = "{}:{}".format(*proxy)
    with ExitStack() as held:
        opened = [connect(f"ws://{host}/ws", origin=f"http://{host}") for _ in range(MOST)]
        sockets = [held.enter_context(one) for one in opened]
        with pytest.raises(InvalidStatus):
            connect(f"ws://{host}/rpc")
        assert status(proxy) == 503
        sockets[0].send(json.dumps({"token": "0" * 32}))
        assert json.loads(sockets[0].recv(30))["code"] == "no-seat"
    for _ in range(100):
        if (last := status(proxy)) == 200:
            return
        time.sleep(0.05)
    pytest.fail(f"the places are not given back: {last}")
