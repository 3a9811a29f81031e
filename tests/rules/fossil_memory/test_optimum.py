"""The computed optimum: by hand where that is possible, against what it must not be worse than, and
played by the real rules."""

import re

import numpy as np
import pytest

from dig_envs import BatchEnv, load_agent
from dig_envs.agents.matches import play_games
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import optimum
from tests.rules.fossil_memory.positions import GAME, GENERA, PARTS, VALUES

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="a million positions are too many uncompiled")

CHOICE = 0
IN_PLAY = [genus for genus in GENERA if genus in ("TYR", *box.CHOICES[CHOICE])]
OPTIONS = {"num_players": 2, "genera": list(box.CHOICES[CHOICE])}
TAKEN = "taken"


@pytest.fixture(scope="module")
def best():
    return optimum.optimum(CHOICE)


@pytest.fixture(scope="module")
def answer():
    return optimum.answer_to_scripted(CHOICE)


def number(known):
    """The number of a position: known parts by genus; those that are not named are taken."""
    position, stride = 0, 1
    for genus in IN_PLAY:
        there = known.get(genus, TAKEN)
        position += stride * (PARTS[genus] + 1 if there == TAKEN else there)
        stride *= PARTS[genus] + 2
    return position


def begins(best, **known):
    """Return the value of a position for the player who begins a turn there."""
    return -best.ended[number(known)]


def test_the_positions_are_those_of_the_genera(best):
    assert [GENERA[genus] for genus in best.table.genera] == IN_PLAY
    assert len(best.ended) == 6 * 5**4 * 4**4 == number({}) + 1
    assert best.ended[-1] == 0


def test_by_hand(best):
    """Values of positions with one or two skeletons of two parts left agree with those computed by
    hand."""
    dei, ste = VALUES["DEI"], VALUES["STE"]
    assert begins(best, DEI=0) == dei  # whatever comes first, the other is the last card
    assert begins(best, DEI=1) == dei
    assert begins(best, DEI=2) == dei
    assert begins(best, DEI=2, STE=2) == dei - ste
    # the one that is left is known by what is missing
    assert begins(best, DEI=2, STE=1) == pytest.approx(dei - ste)
    assert begins(best, DEI=2, STE=0) == pytest.approx(dei - ste)
    # One of each is known. An unknown card is either with one half: what fits is taken, and the
    # other takes what is left.
    assert begins(best, DEI=1, STE=1) == pytest.approx(0)
    # The first card finds its like with one third; else the other has one of each.
    assert begins(best, DEI=0, STE=0) == pytest.approx(0)


def test_to_wait_costs_nothing(best):
    """If cards of two genera are known, nobody has to turn up what helps the other: no such
    position is worth less than 0."""
    positions = np.arange(len(best.ended) - 1)
    known = positions[:, None] // best.table.strides % (best.table.parts + 2)
    can_wait = ((known > 0) & (known <= best.table.parts)).sum(axis=1) > 1
    assert (best.ended[:-1][can_wait] <= 0).all()
    assert (best.ended[:-1][can_wait] == 0).any()
    assert (best.ended[:-1][~can_wait] > 0).any()


def test_the_best_answer_is_no_worse_than_the_optimum(best, answer):
    """In no position at all: what the optimum has against everybody, the best answer has against
    the scripted player."""
    _, mine, theirs = optimum.answers(CHOICE)
    assert (mine >= -best.ended - 1e-9).all()
    assert (theirs >= best.ended - 1e-9).all()
    assert mine[-1] == theirs[-1] == 0
    assert (answer.first, answer.second) == (mine[0], theirs[0])
    for lead in (best.ended, mine):
        assert np.abs(lead).max() <= sum(VALUES[genus] for genus in IN_PLAY)


def test_distance_of_the_scripted_player(best, answer):
    """The game is even, and the scripted player loses 6.6 points a game
    to its best response."""
    assert best.first == pytest.approx(-0.0267, abs=1e-4)
    assert answer.exploitability == pytest.approx(6.629, abs=1e-3)


def leads(one, other, games=1500):
    """The lead in points of one player over another in each of so many games, in one seat and in
    the other."""
    players = [load_agent(name, "fossil_memory_v0") for name in (one, other)]
    found = []
    for seat in (0, 1):
        line_up = players if seat == 0 else players[::-1]
        scores = play_games("fossil_memory_v0", line_up, games, 50_000, OPTIONS).scores
        found.append(scores[:, seat] - scores[:, 1 - seat])
    return found


def test_the_answer_in_real_games(answer):
    """By the rules themselves its lead is what was computed: within four standard errors, on 1500
    deals in each seat."""
    for lead, expected in zip(
        leads("fossil_memory/answering", "heuristic"), (answer.first, answer.second), strict=True
    ):
        assert abs(lead.mean() - expected) < 4 * lead.std() / np.sqrt(len(lead))


def test_the_optimum_in_real_games(best, answer):
    """The optimum beats the scripted player by less than the best response does, and does not lose
    to the best response."""
    both = np.concatenate(leads("fossil_memory/optimal", "heuristic"))
    error = both.std() / np.sqrt(len(both))
    assert both.mean() > 3 * error
    assert both.mean() < answer.exploitability + 2 * error
    against = np.concatenate(leads("fossil_memory/optimal", "fossil_memory/answering", 300))
    assert against.mean() > -3 * against.std() / np.sqrt(len(against))


def some_positions():
    batch = BatchEnv("fossil_memory_v0", 64, seed=4, **OPTIONS)
    for step in range(30):
        batch.step(batch.sample_actions() if step % 2 else batch.heuristic_actions())
    return batch


@pytest.mark.parametrize("name", ["optimal", "answering"])
def test_plays_from_what_is_known(name):
    """Legal actions; cards that nobody has seen may lie otherwise."""
    batch = some_positions()
    agent = load_agent(f"fossil_memory/{name}")
    actions = agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover)
    assert (batch.action_mask[np.arange(64), actions] == 1).all()
    for i in range(64):
        dealt = batch.states[i : i + 1].copy()
        GAME.kernels.determinize_one(dealt, int(batch.mover[i]), np.uint64(77 + i))
        assert (
            agent.act_batch(
                batch.observation[i : i + 1],
                batch.action_mask[i : i + 1],
                dealt,
                batch.mover[i : i + 1],
            )
            == actions[i]
        )


@pytest.mark.parametrize("options", [{"num_players": 3}, {"recall": "recent"}])
def test_other_games_are_refused(options):
    batch = BatchEnv("fossil_memory_v0", 1, seed=4, **options)
    agent = load_agent("fossil_memory/optimal")
    with pytest.raises(ValueError, match="two players with recall=perfect"):
        agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover)


def test_says_once_what_takes_long(monkeypatch, capsys):
    monkeypatch.setenv("DIG_ENVS_QUIET", "0")
    optimum.say_how_long.cache_clear()
    optimum.say_how_long()
    optimum.say_how_long()
    assert re.fullmatch(r"dig_envs: computing best responses .*\n", capsys.readouterr().err)
    monkeypatch.setenv("DIG_ENVS_QUIET", "1")
    optimum.say_how_long.cache_clear()
    optimum.say_how_long()
    assert capsys.readouterr().err == ""
