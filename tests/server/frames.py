"""How long the page takes for a frame while games are played, in Chromium.

``python -m tests.server.frames`` plays some moves of each game with the most players and prints, for each, the longest work of the
page at one go (processor time, so that a busy machine does not count) and what of it is which, and the longest time between two
frames (by the clock). Work of more than 30 ms is a frame that somebody sees stand still.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

from dig_envs.registry import list_environments, load_game
from tests.server.browsing import MINE_OR_OVER, Server, ask_for_hint, browsing, choose, hurry, is_over, new_page, open_table

CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
LEAST = 5000  # microseconds of a piece of work that is looked at
TASK = ("RunTask", "ThreadControllerImpl::RunTask")
PARTS = ("FunctionCall", "UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit", "ParseHTML", "MinorGC", "MajorGC")
CLOCK = """() => {
  window.gaps = [];
  let before = performance.now();
  const next = (now) => { window.gaps.push(now - before); before = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""


def slowest(trace: bytes) -> list[tuple[float, dict[str, float]]]:
    """The pieces of work of the page's main thread in milliseconds of processor time, the longest first, and what is in them."""
    events = json.loads(trace)["traceEvents"]
    names = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == "thread_name"}
    own: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for one in events:
        if one.get("ph") == "X" and "tdur" in one and names.get((one["pid"], one["tid"])) == "CrRendererMain":
            own[one["pid"], one["tid"]].append(one)
    thread = max(own.values(), key=lambda found: sum(one["tdur"] for one in found if one["name"] in TASK))
    found = []
    for task in (one for one in thread if one["name"] in TASK and one["tdur"] > LEAST):
        first, last = task["ts"], task["ts"] + task["dur"]
        parts: dict[str, float] = defaultdict(float)
        for one in thread:
            if one["name"] in PARTS and first <= one["ts"] and one["ts"] + one["dur"] <= last:
                parts[one["name"]] += one["tdur"] / 1000
        found.append((task["tdur"] / 1000, dict(parts)))
    return sorted(found, key=lambda one: -one[0])


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--games", nargs="+", default=list_environments(), help="names of environments")
    options.add_argument("--moves", type=int, default=6, help="own decisions in each game")
    options.add_argument("--phone", action="store_true", help="a narrow screen, with the parts of the picture below each other")
    given = options.parse_args()
    size = {"width": 390, "height": 844} if given.phone else {"width": 1440, "height": 900}
    with tempfile.TemporaryDirectory() as folder, browsing() as browser, closing(Server(Path(folder) / "games.sqlite")) as server:
        for env in given.games:
            most = max(next(option.values for option in load_game(env).options if option.name == "num_players"))
            page = new_page(browser.new_context(viewport=size), [])
            open_table(page, server.url, env, players=["human", *["heuristic"] * (most - 1)], seed=4)
            page.wait_for_selector(MINE_OR_OVER)
            hurry(page)
            page.wait_for_timeout(500)
            page.evaluate(CLOCK)
            browser.start_tracing(page=page, categories=CATEGORIES)
            for _ in range(given.moves):
                page.wait_for_selector(MINE_OR_OVER)
                if is_over(page):
                    break
                choose(page, ask_for_hint(page))
            page.wait_for_timeout(600)
            work = slowest(browser.stop_tracing())
            gap = max(page.evaluate("window.gaps.slice(1)"))
            inside = ", ".join(f"{name} {took:.0f}" for name, took in work[0][1].items() if took >= 1)
            longest = " ".join(f"{took:.0f}" for took, _ in work[:5])
            print(f"{env}: longest pieces of work {longest} ms ({inside}); longest time between frames {gap:.0f} ms", flush=True)
            page.context.close()


if __name__ == "__main__":
    main()
