"""A browser for the tests: Chromium, driven by Playwright; a server in a process of its own; and
somebody who clicks."""

import shutil
from contextlib import contextmanager

import pytest

from tests.server import asking

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
OFF = ("gpu", "quic", "background-networking", "component-update", "sync")
SETTINGS = [
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    *(f"--disable-{part}" for part in OFF),
]
PATIENCE = 60_000  # milliseconds: the machine may be busy
COMPILING = 600_000  # milliseconds until a game is ready that has changed
HERE = "body[data-connection=open][data-busy=no]"
MY_TURN = f"{HERE}[data-asked=yes]"
MINE_OR_OVER = f"{MY_TURN}, body[data-over=yes]"
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@contextmanager
def browsing():
    """A browser; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium found: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=SETTINGS)
        try:
            yield browser
        finally:
            browser.close()


class Server(asking.Server):
    """``dig-envs serve`` with its games in a file."""

    def __init__(self, games, port="0"):
        super().__init__(
            [*asking.COMMAND, "serve", "--port", port, "--games", str(games), "--workers", "1"]
        )
        self.games = games

    def kill(self):
        """As a crash would, and nothing is said to anybody."""
        self.process.kill()
        self.close()

    def start_again(self):
        """At the same place."""
        self.__init__(self.games, self.host.rpartition(":")[2])


def new_page(context, errors):
    """A page whose errors are written down, refused styles and scripts included."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda message: errors.append(message.text) if "Content Security" in message.text else None,
    )
    return page


def set_up(page, url, env, players, options=None):
    """Open a table by the form; afterwards the page is that of the first person."""
    page.goto(url)
    page.select_option("#game", env)
    page.select_option("#players", str(len(players)))
    page.click("#more summary")
    for seat, player in enumerate(players):
        page.select_option(f"#seat{seat}", player)
    for name, value in (options or {}).items():
        field = page.locator(f"#option-{name}")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.click("#start")
    page.wait_for_selector(HERE)


def open_table(page, url, env, **more):
    """Open a table without the form, for one person and a scripted player; the page is that of the
    first person. Returns the secrets, by seat."""
    wanted = {"env": env, "players": ["human", "heuristic"], **more}
    answer = page.request.post(
        f"{url}api/tables", data=wanted, headers={"origin": url.rstrip("/")}, timeout=COMPILING
    )
    assert answer.ok, answer.text()
    tokens = {link["seat"]: link["token"] for link in answer.json()["links"]}
    page.goto(f"{url}#{tokens[0]}")
    page.wait_for_selector(HERE)
    return tokens


def hurry(page):
    """No pause between the moves of agents."""
    page.locator("#delay").evaluate(
        "slider => { slider.value = 0; slider.dispatchEvent(new Event('change')); }"
    )


def version(page):
    return page.get_attribute("body", "data-version")


def is_over(page):
    return page.get_attribute("body", "data-over") == "yes"


def ask_for_hint(page):
    """Return the number of the action that the scripted player would choose."""
    page.wait_for_selector(MY_TURN)
    page.click("#hint")
    page.wait_for_selector("#advice[data-action]:not([hidden])")
    return page.get_attribute("#advice", "data-action")


def wait_for_change(page, before):
    page.wait_for_function(
        "before => document.body.dataset.version !== before || document.body.dataset.over === "
        "'yes'",
        arg=before,
    )


# A point of a mark where a click is meant for it and nothing that lies over it; none: it cannot be
# clicked.
POINT = """name => {
  const mark = document.querySelector(`.board .open[data-thing="${name}"]`);
  mark.scrollIntoView({ block: 'center', inline: 'center' });
  const { left, top, width, height } = mark.querySelector('.edge').getBoundingClientRect();
  const inside = (box, x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  for (const across of [0.5, 0.15, 0.85, 0.3, 0.7]) {
    for (const down of [0.5, 0.15, 0.85, 0.3, 0.7]) {
      const [x, y] = [left + across * width, top + down * height];
      const hit = document.elementFromPoint(x, y)?.closest('.mark');
      const over = hit && hit !== mark && hit.querySelector('.edge').getBoundingClientRect();
      if (hit && !(over && inside(over, x, y))) return [x, y];
    }
  }
  return null;
}"""


def point_of(page, thing):
    """Return the point at which a thing can be clicked."""
    point = page.evaluate(POINT, thing)
    assert point, f"{thing} cannot be clicked: something lies over it"
    return point


def touch(page, thing):
    """By a finger where there is a touch screen, otherwise by the mouse."""
    point = point_of(page, thing)
    if page.evaluate("navigator.maxTouchPoints"):
        page.touchscreen.tap(*point)
    else:
        page.mouse.click(*point)


def click_thing(page, action):
    """Do an action by clicking things of the picture, then the menu where several actions are left;
    returns the things.

    What belongs to nothing in the picture is done by its button.
    """
    before, clicked = version(page), []
    while True:
        things = page.locator(f'.board .open[data-actions~="{action}"]')
        names = things.evaluate_all("things => things.map((thing) => thing.dataset.thing)")
        name = next((name for name in names if name not in clicked), None)
        # it belongs to nothing in the picture
        if name is None and page.locator("#which").is_hidden():
            choose(page, action)
            return clicked
        if name is None:
            while not page.locator(f'#which [data-action="{action}"]').count():
                page.click("#turn")
            page.click(f'#which [data-action="{action}"]')
            break
        clicked.append(name)
        touch(page, name)
        if page.locator("#which").is_hidden():
            break
    wait_for_change(page, before)
    return clicked


def play_by_clicks(page, moves=10_000):
    """Do what the scripted player would, by clicking things in the picture; returns what was
    clicked for each decision."""
    clicked = []
    for _ in range(moves):
        page.wait_for_selector(MINE_OR_OVER)
        if is_over(page):
            break
        clicked.append(click_thing(page, ask_for_hint(page)))
    return clicked


def choose(page, action, press="click"):
    """Do an action by the buttons beside the picture, step by step where there are many of its
    kind."""
    before = version(page)
    unfold = "document.querySelector('#actions details:not([open])')?.setAttribute('open', '')"
    page.evaluate(unfold)  # on a phone
    for _ in range(4):
        button = page.locator(f'#actions [data-action="{action}"]')
        if button.count():
            break
        getattr(page.locator(f'#actions [data-actions~="{action}"]'), press)()
    getattr(button, press)()
    wait_for_change(page, before)


def play_first(page):
    """Play the first action of the list."""
    before = version(page)
    page.wait_for_selector("#actions button")
    while not page.locator("#actions [data-action]").count():
        page.locator("#actions [data-actions]").first.click()
    page.locator("#actions [data-action]").first.click()
    wait_for_change(page, before)


def shown(page):
    """The version of the position, the log and the actions that a page shows."""
    page.wait_for_selector(MY_TURN)
    return (
        version(page),
        page.locator("#log li").all_inner_texts(),
        page.locator("#actions button").all_inner_texts(),
    )


def wait_for_log(page, lines):
    page.wait_for_function(
        "count => document.querySelectorAll('#log li').length === count", arg=lines
    )
