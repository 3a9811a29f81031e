"""Recorded games as text, one file for each game and set of options, to be reviewed as a diff when
rules change.

    python -m tests.playthroughs.record [GAME …]

writes those of the named games anew, or all. Every third action is random, the others are the
scripted player's (games of random players end before much has happened), so that a change of a
scripted player shows, too.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.event_log import ALL, EventLog
from dig_envs.registry import list_environments, load_game
from tests.fingerprints.record import plain
from tests.games import case_id, option_cases

FOLDER = Path(__file__).parent
SEED = 21
MOST_ACTIONS = 120
DRAW_EVERY = 15


def cases() -> list[tuple[str, dict[str, Any]]]:
    """Of each game the defaults, the most and the fewest players, the last of the other options'
    cases, and joint options."""
    chosen = []
    for name in list_environments():
        all_cases = option_cases(name)
        players = [case for case in all_cases if set(case) == {"num_players"}]
        others = [case for case in all_cases if set(case) != {"num_players"}]
        kept = [players[0], players[-1], *others[-1:], *(case for case in others if len(case) > 1)]
        chosen += [(name, case) for k, case in enumerate(kept) if case not in kept[:k]]
    return chosen


def file_of(name: str, options: dict[str, Any]) -> Path:
    """Return the file with the record of a game."""
    return FOLDER / f"{case_id(name, options)}.txt"


def playthrough(name: str, options: dict[str, Any]) -> str:
    """A game as text."""
    return "\n".join(_lines(name, options)) + "\n"


def _lines(name: str, options: dict[str, Any]) -> Iterator[str]:
    env = RawAEC(name, reward="score", **options)
    env.reset(seed=SEED)
    rng = np.random.default_rng(SEED)
    yield f"environment: {name}"
    yield (
        "options: "
        f"{json.dumps({'num_players': env.num_seats, **env.game.other_options(env.options)})}"
    )
    yield f"seed: {SEED}"
    for count in range(MOST_ACTIONS):
        if env.states["over"][0]:
            break
        agent = env.agent_selection
        if count % DRAW_EVERY == 0:
            yield f"\n{env.game.draw(env.snapshot())}\n"
        observation = env.observe(agent)
        legal = np.flatnonzero(observation["action_mask"])
        action = _scripted(env) if count % 3 else int(rng.choice(legal))
        text = env.game.actions[action]
        phase, total = env.snapshot()["phase"], observation["observation"].sum()
        yield (
            f"{count:>4} {agent}, {phase}, {len(legal)} legal, observation adds up to {total:.3f}: "
            f"{text}"
        )
        before = len(env.event_log)
        env.step(action)
        yield from (f"     {line}" for line in told(env.event_log, before))
        if any(env.rewards.values()):
            yield f"     rewards: {[env.rewards[a] for a in env.possible_agents]}"
    yield ""
    yield json.dumps(plain(env.game, env.game.to_snapshot(env.states[0])))


def told(log: EventLog, first: int) -> Iterator[str]:
    """Yield what happened as a viewer is told who knows everything; behind it what everybody is
    told, where that is less."""
    public = iter(log.told(None, first))
    for event in log.told(ALL, first):
        others = "" if event.kind.private else str(next(public))
        yield str(event) if others == str(event) else f"{event} [everybody: {others or 'nothing'}]"


def _scripted(env: RawAEC) -> int:
    actions = np.zeros(1, np.int64)
    env.game.kernels.heuristic_actions(
        env.states, 0, 1, np.array([env.seat_of(env.agent_selection)]), actions
    )
    return int(actions[0])


def main(names: list[str]) -> None:
    """Write the records of the named environments, or of all; those of cases that are no more
    go."""
    wanted = [load_game(name).env_name for name in names] or list_environments()
    for name in wanted:
        for stale in FOLDER.glob(f"{name}-*.txt"):
            stale.unlink()
    for name, options in cases():
        if name in wanted:
            file_of(name, options).write_text(playthrough(name, options))


if __name__ == "__main__":
    if JIT_DISABLED:
        sys.exit(
            "NUMBA_DISABLE_JIT is set: the players of the records are too slow as plain Python, "
            "and others would be recorded"
        )
    main(sys.argv[1:])
