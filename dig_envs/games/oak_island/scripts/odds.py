"""The odds of digging as a picture, for the README, computed exactly from the contents of the bag at the start:

    python -m dig_envs.games.oak_island.scripts.odds --out dig_envs/games/oak_island/odds.svg

Above: what each dig brings with the full bag. Below: how the chance of the treasure grows as the bag gets empty. Needs matplotlib
(``pip install -e ".[train]"``).
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dig_envs.engine.core.state import new_records
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.data import BOX_FILE, DIGGING
from dig_envs.games.oak_island.heuristic import chances
from dig_envs.registry import load_game

SHOWN = {"treasure": ("the treasure", "#d4a900"), "dazzler": ("a Bobby Dazzler", "#c03a2b"), "if_so": ("an If so", "#2f6fb3")}


class Odds(NamedTuple):
    """The odds of one dig. ``treasure``, ``dazzler``, ``if_so``: chances; of the last two without the treasure, of at least one.
    ``money``: dollars to be expected, without the treasure, less the price."""

    dig: str
    cubes: int
    treasure: float
    dazzler: float
    if_so: float
    money: float


def full_bag() -> Any:
    """A game that has just begun, with the standard bag."""
    game = load_game("oak_island")
    states = new_records(1, game.state)
    game.kernels.start(states, 0, 1, np.zeros(1, np.uint64), game.template(game.complete_options({})), np.zeros(1, np.int64))
    return states[0]


def odds() -> list[Odds]:
    """The odds of each dig with the full bag."""
    in_bag = [int(count) for count in full_bag()["in_bag"]]
    others = sum(in_bag) - 1
    found = []
    for place, extra in s.DIGS:
        cubes = int(box.CUBES[place]) + extra
        red, blue = (1.0 - float(chances.exactly(others, in_bag[cube], cubes, 0)) for cube in (box.RED, box.BLUE))
        money = box.GREEN_MONEY * cubes * in_bag[box.GREEN] / others - float(box.COST[place])
        found.append(Odds(f"{DIGGING[place]} +{extra}", cubes, min(cubes / (others + 1), 1.0), red, blue, money))
    return found


def _label(row: Odds) -> str:
    place, extra = row.dig.split()
    sign = "−" if row.money < 0 else "+"
    return f"{place}\n{extra}\n{row.cubes} cube{'s' * (row.cubes > 1)}\n{sign}${abs(row.money):.0f}"


def draw(file: Path) -> None:
    """Write the picture as SVG."""
    import matplotlib
    from matplotlib.figure import Figure  # without pyplot, which would choose a window system for the whole process

    rows = odds()
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    above, below = figure.subplots(2, 1)
    width = 0.27
    places = np.arange(len(rows))
    for k, (name, (label, colour)) in enumerate(SHOWN.items()):
        values = [100 * getattr(row, name) for row in rows]
        bars = above.bar(places + (k - 1) * width, values, width, color=colour, label=label)
        above.bar_label(bars, fmt="%.0f", fontsize=7)
    above.set_xticks(places, [_label(row) for row in rows], fontsize=7)
    above.set_ylabel("chance, %")
    title = "At least one of them in a dig with the full bag; below it the money to be expected, less the price"
    above.set_title(title, fontsize=9)
    above.legend(fontsize="small")
    size = sum(box.BAG_DEFAULTS.values()) + 1
    bag = np.array([*range(1, 16), *range(16, 40, 3), *range(40, size, 8), size])
    for cubes in (1, 2, 4, 8):
        below.plot(bag, 100 * np.minimum(cubes / bag, 1.0), label=f"{cubes} cube{'s' * (cubes > 1)}")
    below.invert_xaxis()
    below.set_xlabel("cubes in the bag")
    below.set_ylabel("chance of the treasure, %")
    below.grid(alpha=0.3)
    below.legend(fontsize="small", title="pulled at once", title_fontsize="small")
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "oak_island", "font.family": "sans-serif"}):
        figure.savefig(file, format="svg", metadata={"Date": None})


def main() -> None:
    """Draw the odds of digging."""
    parser = argparse.ArgumentParser(prog="python -m dig_envs.games.oak_island.scripts.odds", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=BOX_FILE.with_name("odds.svg"), help="the SVG to write")
    arguments = parser.parse_args()
    draw(arguments.out)
    print(f"{arguments.out}, {arguments.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
