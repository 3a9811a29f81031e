"""``dig-envs serve --origin``: pages of named other sites may use the server, and no others."""

import threading
from concurrent.futures import CancelledError
from contextlib import closing, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from dig_envs.server.app import make_app
from dig_envs.server.guard import allowed_origins
from tests.server import asking
from tests.server.browsing import browsing
from tests.server.tables import ADDRESS, BOUNDS, SOCKET

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "hello"}
MINE, EVIL = "https://my-site.example", "https://evil.example"
PREFLIGHT = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type",
}
ALLOWED = "access-control-allow-origin"


def client(*origins):
    return TestClient(make_app(None, BOUNDS, origins=origins), ADDRESS)


def post(one, origin, path="/rpc"):
    return one.post(path, json=HELLO, headers={"origin": origin})


def test_pages_of_a_named_origin_may_use_the_server_and_others_may_not():
    with client(MINE) as one:
        asked = one.options("/rpc", headers={"origin": MINE, **PREFLIGHT})
        assert (asked.status_code, asked.headers[ALLOWED]) == (200, MINE)
        assert "POST" in asked.headers["access-control-allow-methods"]
        for said in (post(one, MINE), one.get("/api/games", headers={"origin": MINE})):
            assert (said.status_code, said.headers[ALLOWED]) == (200, MINE)
            assert said.headers["vary"] == "Origin"
            assert "access-control-allow-credentials" not in said.headers
        assert post(one, MINE, "/api/tables").status_code == 400  # heard, and no table
        heard = []
        for path in (SOCKET, f"{SOCKET.removesuffix('/ws')}/rpc"):
            with suppress(CancelledError), one.websocket_connect(path, headers={"origin": MINE}):
                heard.append(path)
        assert len(heard) == 2
        for origin in (EVIL, "null", f"{MINE}:444", MINE.replace("https", "http"), f"{MINE}.evil"):
            refused = one.options("/rpc", headers={"origin": origin, **PREFLIGHT})
            assert refused.status_code == 400
            assert post(one, origin).status_code == 403
            assert ALLOWED not in one.get("/api/games", headers={"origin": origin}).headers
            with (
                pytest.raises(WebSocketDisconnect),
                one.websocket_connect(SOCKET, headers={"origin": origin}),
            ):
                pass
        wrong = one.options("/rpc", headers={"host": "evil", "origin": MINE, **PREFLIGHT})
        assert wrong.status_code == 403
        assert post(one, ADDRESS).status_code == 200  # its own page


def test_without_an_origin_nothing_is_allowed():
    with client() as one:
        assert one.options("/rpc", headers={"origin": MINE, **PREFLIGHT}).status_code == 405
        assert post(one, MINE).status_code == 403
        assert ALLOWED not in one.get("/api/games", headers={"origin": MINE}).headers


def test_origins_are_written_as_browsers_write_them():
    given = ("HTTPS://My-Site.example:443", "http://localhost:5173", "http://[::1]:80")
    assert allowed_origins(given) == (MINE, "http://localhost:5173", "http://[::1]")
    for wrong in (
        *("my-site.example", f"{MINE}/", f"{MINE}/page", "null", "", "file://", "ws://x"),
        *("https://", "https://a b", f"https://me@{MINE[8:]}", "https://*.example"),
    ):
        with pytest.raises(ValueError, match="an origin is such as"):
            allowed_origins((wrong,))
    with pytest.raises(ValueError, match="each page that somebody looks at"):
        allowed_origins((MINE, "*"))


PAGE = """<!doctype html><title>elsewhere</title><script type="module">
const ask = { jsonrpc: "2.0", id: 1, method: "hello" };
const said = await Promise.all([
  fetch("http://HOST/rpc", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(ask) })
    .then((answer) => answer.json()).then((answer) => answer.result.protocol)
    .catch((error) => String(error)),
  new Promise((done) => {
    const socket = new WebSocket("ws://HOST/rpc");
    socket.onopen = () => socket.send(JSON.stringify(ask));
    socket.onmessage = ({ data }) => done(JSON.parse(data).result.protocol);
    socket.onerror = () => done("refused");
  })
]);
document.body.dataset.said = JSON.stringify(said);
</script><body></body>"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_a_page_at_another_port_in_a_browser(tmp_path):
    """It asks by POST and by WebSocket; a page at a port that was not named cannot."""
    sites = [ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
             for _ in range(2)]  # fmt: skip
    urls = [f"http://127.0.0.1:{site.server_address[1]}" for site in sites]
    for site in sites:
        threading.Thread(target=site.serve_forever, daemon=True).start()
    command = [*asking.COMMAND, "serve", "--port", "0", "--memory", "--origin", urls[0]]
    with browsing() as browser, closing(asking.Server(command)) as server:
        (tmp_path / "index.html").write_text(PAGE.replace("HOST", server.host))
        said = []
        for url in urls:
            page = browser.new_page()
            page.goto(f"{url}/index.html")
            page.wait_for_selector("body[data-said]", state="attached")
            said.append(page.get_attribute("body", "data-said"))
    for site in sites:
        site.shutdown()
    assert said[0] == "[1,1]"
    assert "Failed to fetch" in said[1]
    assert "refused" in said[1]
