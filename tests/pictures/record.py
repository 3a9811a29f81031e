"""Reference pictures, to be looked at when they change.

    python -m tests.pictures.record [GAME …]

writes those of the named games anew, or all: for the fewest and the most players, what seat 0 sees
in the middle of a game, light, and all of the game's end, dark.
``python -m tests.pictures.record --readme`` draws the pictures of the games' READMEs.
"""

import sys
from pathlib import Path

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.game import Snapshot
from dig_envs.pictures.drawing import sheet_of
from dig_envs.registry import list_environments, load_game
from tests.games import SHIPPED, mostly_heuristic, play

FOLDER = Path(__file__).parent / "reference"
SEED = 21
MIDDLE, LONG = 60, 4000  # actions
MOST_CHOICES = 60
# where with the most choices nothing has been placed yet
FEWER = {"oak_island_v0": 25, "oak_island_v1": 25}


def cases() -> list[tuple[str, int, str]]:
    """Game, number of players, and which position."""
    found = []
    for name in list_environments():
        counts = load_game(name).player_counts
        found += [(name, counts[0], "end"), (name, counts[-1], "middle")]
    return found


def file_of(name: str, players: int, which: str) -> Path:
    """Return the file with a reference picture."""
    return FOLDER / f"{name}-{players}-{which}.svg"


def played(name: str, players: int, most: int) -> RawAEC:
    """A game after so many actions, most of them the scripted player's; or shortly before, if it is
    over by then."""
    env = RawAEC(name, num_players=players)
    env.reset(seed=SEED)
    for _ in play(env, np.random.default_rng(SEED), mostly_heuristic, most):
        pass
    return env


def reference(name: str, players: int, which: str) -> str:
    """A reference picture, without its fonts."""
    env = played(name, players, MIDDLE if which == "middle" else LONG)
    snapshot = env.snapshot()
    if which == "middle":
        return sheet_of(env.game, env.game.to_view(snapshot, 0), 0).svg(fonts=False)
    return sheet_of(env.game, snapshot, None, "dark").svg(fonts=False)


def record(names: list[str]) -> None:
    """Write the reference pictures of some games."""
    FOLDER.mkdir(exist_ok=True)
    for case in cases():
        if case[0] in names:
            file_of(*case).write_text(reference(*case))
            print(file_of(*case).name)


def telling(name: str, players: int) -> Snapshot:
    """A position in the middle of a game in which seat 0 has to choose: of those the one with the
    most choices, as far as a picture shows so many well. It is of the game of twelve that goes best
    for seat 0."""
    games, most = [], FEWER.get(name, MOST_CHOICES)
    for seed in range(SEED, SEED + 12):
        env = RawAEC(name, num_players=players)
        env.reset(seed=seed)
        found = []
        for _ in play(env, np.random.default_rng(seed), mostly_heuristic, LONG):
            if env.states["owes"][0][0]:
                found.append((len(env.game.legal_actions(env.states, 0)), env.snapshot()))
        end = env.snapshot()
        games.append((0 in end["winners"], end["scores"][0], -seed, found))
    *_, found = max(games, key=lambda game: game[:3])
    middle = found[int(0.4 * len(found)) : int(0.65 * len(found)) + 1]
    return max(
        ((count, snapshot) for count, snapshot in middle if count <= most), key=lambda one: one[0]
    )[1]


def draw_for_readmes() -> None:
    """Write ``picture.svg`` of each game's folder, which its README shows: what seat 0 sees at a
    telling moment."""
    for name in SHIPPED:
        game = load_game(name)
        players = game.complete_options({})["num_players"]
        file = Path(sys.modules[game.package].__file__ or "").parent / "picture.svg"
        file.write_text(sheet_of(game, game.to_view(telling(name, players), 0), 0).svg())
        print(file)


if __name__ == "__main__":
    if sys.argv[1:] == ["--readme"]:
        draw_for_readmes()
    else:
        record([load_game(name).env_name for name in sys.argv[1:]] or list_environments())
