"""Each phase and each group of actions of a game is reached by some player: what nobody reaches is
tested by nothing."""

from importlib import import_module
from importlib.util import find_spec

import numpy as np

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.registry import load_game
from tests.games import every_game, needs_compiling, option_cases

GAMES_PER_CASE, STEPS = 24, 1500


def played_by_others(game):
    """Return the games of the players in a game's own tests, if it has any; they look for what is
    rare."""
    module = f"tests.rules.{game}.players"
    there = find_spec(f"tests.rules.{game}") is not None and find_spec(module) is not None
    return import_module(module).played() if there else ()


@needs_compiling
@every_game
def test_every_phase_and_every_group_of_actions_is_reached(name):
    game = load_game(name)
    cases = option_cases(name)
    batch = BatchEnv(
        name,
        GAMES_PER_CASE * len(cases),
        seed=11,
        observation=None,
        per_game=cases * GAMES_PER_CASE,
    )
    rng = np.random.default_rng(0)
    phases: set[int] = set()
    taken = np.zeros(len(game.actions), np.int64)
    groups = dict.fromkeys(game.action_groups, 0)
    # of a random action in place of the scripted player's
    chance = rng.choice([0.9, 0.3, 0.1], batch.batch_size)
    # who takes what has been taken least, half of the time
    curious = rng.random(batch.batch_size) < 0.4
    for _ in range(STEPS):
        phases |= set(batch.states["phase"].tolist()) | set(
            batch.final_states["phase"][batch.terminated].tolist()
        )
        actions = np.where(
            rng.random(batch.batch_size) < chance, batch.sample_actions(), batch.heuristic_actions()
        )
        rare = np.where(batch.action_mask, taken + rng.random(len(taken)), np.inf).argmin(axis=1)
        actions = np.where(curious & (rng.random(batch.batch_size) < 0.5), rare, actions)
        taken += np.bincount(actions, minlength=len(taken))
        batch.step(actions)
        groups = {(first, last): int(taken[first : last + 1].sum()) for first, last in groups}
        if len(phases) == len(game.phases) and all(groups.values()):
            break
    batch.close()
    for text in played_by_others(game.name):
        taken[game.action_index[text]] += 1
    groups = {(first, last): int(taken[first : last + 1].sum()) for first, last in groups}
    assert {game.phases[phase] for phase in phases} == set(game.phases)
    never = [game.actions[first] for (first, _), count in groups.items() if count == 0]
    assert not never, f"nobody ever plays an action of the groups that begin with {never}"
