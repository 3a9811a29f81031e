"""The page of one's own: what its host sends, and what people do on it in a browser."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from dig_envs import Seat
from tests.export.node import NODE, needs_node
from tests.server.browsing import PATIENCE, TOO_WIDE, browsing, new_page

HERE = Path(__file__).parent
pytestmark = needs_node


@contextmanager
def hosting(folder, *players):
    """The links of the people."""
    words = [str(NODE), str(HERE / "page" / "host.mjs"), str(folder), *players]
    own = {**os.environ, "PORT": "0", "PAUSE": "20"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=own) as host:
        try:
            people = [name for name in players if name != "bot"]
            links = [host.stdout.readline().removesuffix("\n") for _ in people]
            assert [link.partition(": ")[0] for link in links] == people
            yield [link.partition(": ")[2] for link in links]
        finally:
            host.kill()


def stream(link):
    """What the page of a seat is sent."""
    with urllib.request.urlopen(link.replace("#", "seat/"), timeout=60) as answer:
        for line in answer:
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


def post(place, content):
    """The status of an answer, and what it says."""
    try:
        with urllib.request.urlopen(place, data=content, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.parametrize("game", ["go_dig", pytest.param("diggity", marks=pytest.mark.slow)])
def test_a_page_gets_the_view_of_its_seat_and_nothing_else(game, exported):
    with hosting(exported(f"{game}_v0"), "Ann", "Bob") as links:
        for seat, link in enumerate(links):
            news = next(stream(link))
            assert set(news) == {"seat", "names", "view", "legal", "told", "anew"}
            assert news["seat"] == seat
            assert Seat(news["view"], seat).view() == news["view"]
            assert len(json.dumps(news)) < 2500


def test_the_host_refuses_what_is_no_move_and_goes_on(exported):
    """Of a seat that is not to decide, of an action that is not legal, of no seat; and gives no
    file of another folder."""
    with hosting(exported("go_dig_v0"), "Ann", "Bob") as links:
        ann, bob = (link.replace("#", "seat/") for link in links)
        before = next(stream(links[0]))
        legal = Seat(before["view"], 0).legal()[0]["action"]
        refused = {
            content: post(ann, content) for content in (b"-1", b"99999", b"{}", b'"0"', b"[")
        }
        refused["bob"] = post(bob, str(legal).encode())
        assert {status for status, _ in refused.values()} == {400}
        assert post(ann[:-4], str(legal).encode()) == (404, "no such seat")
        assert "is not legal for seat 0 now" in refused[b"-1"][1]
        for path in ("game/../../secret", "..%2f..%2fetc%2fpasswd", "game/%2e%2e/package.json"):
            assert post(f"{links[0].partition('#')[0]}{path}", None) == (404, "no such file")
        assert next(stream(links[0])) == before
        assert post(ann, str(legal).encode()) == (204, "")
        assert next(stream(links[0]))["view"]["turn"] >= before["view"]["turn"]
        assert next(stream(links[0]))["told"]


def play(page):
    """Do what the hint says, if it is the turn of this page's seat."""
    if page.locator("#hint").is_disabled():
        return
    page.click("#hint")
    page.locator("button.hint").click()
    page.wait_for_timeout(50)


SLOW = [("go_dig", 600), ("diggity", 12)]


@pytest.mark.parametrize(
    ("game", "rounds"), [("go_dig", 12), *(pytest.param(*x, marks=pytest.mark.slow) for x in SLOW)]
)
def test_two_people_and_a_bot_play(game, rounds, exported):
    """One at a desk and one at a phone, Go Dig to its end; one of the names looks like HTML."""
    errors = []
    with (
        hosting(exported(f"{game}_v0"), "Ann", "<i>Bob</i>", "bot") as links,
        browsing() as browser,
    ):
        pages = []
        for link, width in zip(links, (1280, 390), strict=True):
            size = {"width": width, "height": 900}
            page = new_page(browser.new_context(viewport=size), errors)
            page.goto(link)
            page.wait_for_selector("svg [data-thing]", timeout=PATIENCE)
            pages.append(page)
        ann, bob = pages
        ann.locator("svg .open").first.click()
        bob.wait_for_selector("#log li")
        for _ in range(rounds):
            for page in pages:
                play(page)
            if "The game is over." in ann.locator("#log").inner_text():
                break
        for page in pages:
            if rounds == 600:
                page.wait_for_function("/won/.test(document.querySelector('h1').textContent)")
                assert page.locator("#choices button").count() == 0
            assert page.locator("i").count() == 0
            assert not page.evaluate(TOO_WIDE)
        assert "<i>Bob</i>" in ann.locator("#log").inner_text()
        assert "You draw" in ann.locator("#log").inner_text()
        reloaded = bob.locator("#log li").all_inner_texts()
        bob.reload()
        bob.wait_for_selector("#log li")
        assert bob.locator("#log li").all_inner_texts()[: len(reloaded)] == reloaded
    assert errors == []
