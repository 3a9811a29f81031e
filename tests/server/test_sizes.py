"""How large words and targets are on the page of a table, in a browser: every game, few and many
players, from beginning to end."""

import pytest

from dig_envs.registry import load_game
from tests.games import SHIPPED, needs_compiling
from tests.pictures.record import LONG, played, telling
from tests.server.browsing import HERE, PATIENCE

pytestmark = [needs_compiling, pytest.mark.slow]

CASES = [
    (name, players)
    for name in SHIPPED
    for players in sorted({load_game(name).player_counts[i] for i in (0, -1)})
]
SCREENS = {
    "desktop": ({"width": 1440, "height": 900}, 12.0),
    "small": ({"width": 1280, "height": 800}, 11.0),
    "tablet": ({"width": 1024, "height": 768}, 11.0),
    "phone": ({"width": 390, "height": 844}, 11.0),
}
# Of the words in the picture the smallest, in pixels of the page; the width of the page; marks that
# are too small for a finger.
MEASURED = """() => {
  const sizes = [...document.querySelectorAll(".picture svg text")]
    .filter((text) => !text.closest("[display=none]"))
    .map((text) => Number(text.getAttribute("font-size")) * text.getScreenCTM().a);
  const small = [...document.querySelectorAll(".open .reach")].filter((mark) => {
    const { width, height } = mark.getBoundingClientRect();
    return Math.min(width, height) < 39.5;
  });
  return [Math.min(...sizes), document.documentElement.scrollWidth, small.length];
}"""


def opened(page, server, name, snapshot):
    """Open a table with a position, as its first player."""
    wanted = {
        "env": name,
        "players": ["human"] + ["random"] * (len(snapshot["scores"]) - 1),
        "position": snapshot,
    }
    answer = page.request.post(
        f"{server.url}api/tables", data=wanted, headers={"origin": server.url.rstrip("/")}
    )
    assert answer.ok, answer.text()
    page.goto(
        f"{server.url}#"
        f"{next(link['token'] for link in answer.json()['links'] if link['seat'] == 0)}"
    )
    page.wait_for_selector(HERE)
    page.wait_for_selector(".picture svg")


@pytest.mark.parametrize(("name", "players"), CASES, ids=lambda part: str(part))
@pytest.mark.parametrize("screen", SCREENS)
def test_words_can_be_read_and_things_touched(server, browser, name, players, screen):
    size, least = SCREENS[screen]
    is_phone = screen == "phone"
    context = browser.new_context(viewport=size, has_touch=is_phone, is_mobile=is_phone)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    snapshots = [
        played(name, players, 0).snapshot(),
        telling(name, players),
        played(name, players, LONG).snapshot(),
    ]
    for snapshot in snapshots:
        opened(page, server, name, snapshot)
        smallest, width, small = page.evaluate(MEASURED)
        assert smallest >= least
        assert width <= size["width"], "the page is moved sideways"
        assert small == 0 or not is_phone
    context.close()
