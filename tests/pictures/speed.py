"""How long a frame takes, in milliseconds of processor time: ``python -m tests.pictures.speed [GAME …]``.

For each game with the most players, after 60 actions: drawing the sheet, the SVG text, and the pixels of a frame (all three).
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from dig_envs.pictures.drawing import sheet_of
from dig_envs.pictures.pixels import pixels
from dig_envs.registry import load_game
from tests.games import SHIPPED
from tests.pictures.record import MIDDLE, played

REPEATS = 9


def best_of(function: Callable[[], Any]) -> float:
    """The shortest of some runs, in milliseconds of processor time."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        function()
        times.append(time.process_time() - started)
    return 1000 * min(times)


def report(name: str) -> str:
    """One game's line."""
    game = load_game(name)
    env = played(name, game.max_players, MIDDLE)
    view = game.to_view(env.snapshot(), 0)
    sheet = sheet_of(game, view, 0)
    frame = best_of(lambda: pixels(sheet_of(game, view, 0)))
    size = f"{sheet.width}x{sheet.height}"
    return f"{name:<22} {size:>9} {best_of(lambda: sheet_of(game, view, 0)):6.1f} {best_of(sheet.svg):6.1f} {frame:6.1f}"


if __name__ == "__main__":
    print(f"{'':<22} {'':>9} {'sheet':>6} {'svg':>6} {'frame':>6}")
    for each in sys.argv[1:] or SHIPPED:
        print(report(each))
