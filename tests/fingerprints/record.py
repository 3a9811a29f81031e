"""Fingerprints of all that trained agents and saved games rely on: actions, layouts, deals,
snapshots, views, re-deals.

    python -m tests.fingerprints.record [GAME …]

writes them anew. A fingerprint that changes without a new version of the environment breaks
policies and saved games.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.snapshot import ORIGIN
from dig_envs.registry import list_environments, load_game
from tests.games import case_id, mostly_heuristic, option_cases, play, random_choice

FOLDER = Path(__file__).parent
GAMES_PER_CASE = 2
MOST_ACTIONS = 150
LOOK_EVERY = 5


def digest(*things: Any) -> str:
    """A short hash of bytes and of things that JSON can write."""
    found = hashlib.sha256()
    for thing in things:
        found.update(thing if isinstance(thing, bytes) else json.dumps(thing).encode())
    return found.hexdigest()[:16]


def file_of(name: str) -> Path:
    """Return the file with the fingerprints of a game."""
    return FOLDER / f"{name}.json"


def static_prints(name: str) -> dict[str, Any]:
    """Of what does not depend on play: the action list and the observation's layout."""
    game = load_game(name)
    layout = {
        key: f"{entry.slice.start}:{entry.slice.stop} {list(entry.shape)}"
        for key, entry in game.layout.items()
    }
    return {"actions": digest(game.actions), "num_actions": len(game.actions), "layout": layout}


def plain(game: Game, position: dict[str, Any]) -> dict[str, Any]:
    """A snapshot or a view as the rules have it: without the seed of the episode, without who wrote
    it, and without the options that have their default, so that an option that is added changes
    nothing."""
    kept = {key: value for key, value in position.items() if key not in ("seed", *ORIGIN)}
    return {**kept, "options": game.other_options(position["options"])}


def play_prints(name: str, options: dict[str, Any]) -> list[str]:
    """Of a few games with these options: everything that everybody sees, and positions re-dealt for
    each seat."""
    prints = []
    for k in range(GAMES_PER_CASE):
        env, twin = RawAEC(name, **options), RawAEC(name, **options)
        env.reset(seed=7_000 + k)
        rng = np.random.default_rng(k)
        found = hashlib.sha256()
        for count, action in enumerate(
            play(env, rng, random_choice if k else mostly_heuristic, MOST_ACTIONS)
        ):
            seen = env.observe(env.agent_selection)
            found.update(
                digest(
                    action, seen["observation"].tobytes(), seen["action_mask"].tobytes()
                ).encode()
            )
            if count % LOOK_EVERY == 0:
                snapshot = env.snapshot()
                views = (plain(env.game, env.view(agent)) for agent in env.possible_agents)
                found.update(digest(plain(env.game, snapshot), *views).encode())
                for seat, agent in enumerate(env.possible_agents):
                    twin.restore(snapshot)
                    twin.determinize(agent, seed=100 * count + seat)
                    found.update(digest(plain(env.game, twin.snapshot())).encode())
        found.update(digest(plain(env.game, env.snapshot())).encode())
        prints.append(found.hexdigest()[:16])
    return prints


def record(name: str) -> None:
    """Write the fingerprints of a game."""
    cases = {case_id(name, options): play_prints(name, options) for options in option_cases(name)}
    file_of(name).write_text(json.dumps({**static_prints(name), "games": cases}, indent=1) + "\n")


if __name__ == "__main__":
    if JIT_DISABLED:
        sys.exit(
            "NUMBA_DISABLE_JIT is set: the players of the records are too slow as plain Python, "
            "and others would be recorded"
        )
    for environment in sys.argv[1:] or list_environments():
        record(load_game(environment).env_name)
