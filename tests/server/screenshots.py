"""Pictures of the page while games are played to their ends, to be looked at after changes of it.

``python -m tests.server.screenshots --out FOLDER`` plays each game in Chromium as the scripted
player would, by the buttons of the page, with two and the most players, on a desktop and on a
phone, in light and dark colours. It keeps the page at the beginning, in the middle and at the end,
and in a text what headlines, buttons and the log have said, and what went wrong.
"""

import argparse
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from dig_envs.registry import list_environments, load_game
from tests.server.browsing import (
    MINE_OR_OVER,
    TOO_WIDE,
    Server,
    ask_for_hint,
    browsing,
    choose,
    hurry,
    is_over,
    new_page,
    open_table,
)

SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
SAID = """() => [document.getElementById('status').innerText,
  ...[...document.querySelectorAll('#choices .lead, #choices button')]
    .filter((one) => one.offsetParent)
    .map((one) => (one.localName === 'button'
      ? `  [${one.innerText}]  ${one.ariaLabel ?? ''}` : `  ${one.innerText}`))]"""


def play(page: Any, out: Path, name: str) -> list[str]:
    """Play a game to its end; returns what the page has said, each once."""
    said: dict[str, None] = {}
    kept: dict[int, bytes] = {}
    count = 0
    while True:
        page.wait_for_selector(MINE_OR_OVER)
        if is_over(page):
            break
        for words in page.evaluate(SAID):
            said[words] = None
        if count & (count - 1) == 0:  # 0, 1, 2, 4, 8 …: one of them is near the middle
            kept[count] = shot(page)
        count += 1
        choose(page, ask_for_hint(page))
    page.wait_for_timeout(600)
    middle = min(kept, key=lambda number: abs(2 * number - count))
    for moment, picture in (("begin", kept[0]), ("middle", kept[middle]), ("end", shot(page))):
        (out / f"{name}-{moment}.png").write_bytes(picture)
    return [
        *said,
        f"wider than the screen: {page.evaluate(TOO_WIDE)}",
        page.inner_text("#status"),
        page.inner_text("#log"),
    ]


def shot(page: Any) -> bytes:
    """The page as it is seen when nothing moves."""
    page.mouse.move(0, 0)
    page.wait_for_function(
        "() => document.getAnimations().every((one) => one.playState === 'finished')"
    )
    return bytes(page.screenshot())


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, required=True, help="folder, new or not")
    options.add_argument(
        "--games", nargs="+", default=list_environments(), help="names of environments"
    )
    options.add_argument("--screens", nargs="+", choices=sorted(SCREENS), default=list(SCREENS))
    options.add_argument(
        "--themes", nargs="+", choices=("light", "dark"), default=("light", "dark")
    )
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        browsing() as browser,
        closing(Server(Path(folder) / "games.sqlite")) as server,
    ):
        for env in given.games:
            values = next(
                option.values for option in load_game(env).options if option.name == "num_players"
            )
            for count in sorted({max(2, min(values)), max(values)}):
                for screen in given.screens:
                    for theme in given.themes:
                        context, errors = (
                            browser.new_context(**SCREENS[screen], color_scheme=theme),
                            [],
                        )
                        page = new_page(context, errors)
                        open_table(
                            page,
                            server.url,
                            env,
                            players=["human", *["heuristic"] * (count - 1)],
                            seed=4,
                        )
                        hurry(page)
                        name = f"{env}-{count}-{screen}-{theme}"
                        said = play(page, given.out, name)
                        (given.out / f"{name}.txt").write_text("\n".join([*said, *errors]) + "\n")
                        print(name, *errors, flush=True)
                        context.close()


if __name__ == "__main__":
    main()
