"""Simultaneous decisions: it makes no difference in which order the seats commit."""

import numpy as np
import pytest

from dig_envs.registry import list_environments, load_game
from tests.games import option_cases, positions

SIMULTANEOUS = [name for name in list_environments() if load_game(name).is_simultaneous]
ORDERS = 4


def owing(states):
    """Return the seats that have a decision to make."""
    return [int(p) for p in np.flatnonzero(states["owes"][0])]


def key_of(game, states):
    """Phase, turn and who has been asked: what tells one simultaneous decision from the next."""
    facts = game.facts(states[0])
    return int(states["phase"][0]), int(states["turn"][0]), bytes(facts["asked"].tobytes())


def resolve(game, states, choices, order):
    """Let the seats commit, each taking its own actions, the next seat drawn by ``order``; the
    position after the last."""
    states = states.copy()
    before, number = key_of(game, states), dict.fromkeys(owing(states), 0)
    while owing(states) and key_of(game, states) == before:
        seats = [p for p in owing(states) if p in number]
        if not seats:
            break
        seat = int(order.choice(seats))
        legal = game.legal_actions(states, seat)
        game.kernels.apply_one(states, seat, legal[choices[seat][number[seat]] % len(legal)])
        number[seat] += 1
        if not states["owes"][0][seat]:
            del number[seat]
    return game.to_snapshot(states[0])


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_the_order_of_commitments_does_not_matter(name):
    game, checked = load_game(name), 0
    for options in option_cases(name)[:4]:
        for env in positions(name, options, games=10, every=1):
            states = env.states
            started = (
                any(states["to_move"][0] != p for p in owing(states)[:1]) or len(owing(states)) < 2
            )
            facts = game.facts(states[0])
            if started or len(owing(states)) != int(facts["asked"].sum()):
                continue  # alone, or in the middle of a decision
            choices = np.random.default_rng(checked).integers(10**6, size=(game.max_players, 64))
            outcomes = [
                resolve(game, states, choices, np.random.default_rng(order))
                for order in range(ORDERS)
            ]
            assert all(outcome == outcomes[0] for outcome in outcomes)
            checked += 1
            if checked % 25 == 0:
                break
    assert checked > 5
