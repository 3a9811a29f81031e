"""Small games as trees: the same game as elsewhere, what is hidden stays hidden, and its exact
answers."""

from collections import defaultdict

import numpy as np
import pytest

from dig_envs import load_agent
from dig_envs.registry import load_game

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install 'dig_envs[openspiel]'"
)
from dig_envs.adapters.openspiel_tree import GameTree  # noqa: E402 (there where pyspiel is)
from training import exact  # noqa: E402

pytestmark = pytest.mark.ecosystem
VALUES = {
    "go_dig": 21 / 23,
    "fossil_memory": 0.0,
    "oak_island": 0.2,
    "twenty_questions": 0.0,
    "dino_dig": -0.5,
    "fossil_canyon": 0.6,
    "diggity": 0.5,
    "the_big_dig": 0.0,
}


class Trees(dict):
    """Those that a test asks for."""

    def __missing__(self, name):
        self[name] = exact.tree_of(name)
        return self[name]


@pytest.fixture(scope="module")
def trees():
    return Trees()


@pytest.fixture
def small(trees):
    return trees["oak_island"]


def step(game, states, action):
    """The states after an action of the player to move."""
    after = states.copy()
    game.kernels.apply_one(after, int(states["to_move"][0]), action)
    return after


@pytest.mark.parametrize("name", exact.GAMES)
def test_the_value_and_what_is_not_exploitable(name, trees):
    tree = trees[name]
    policy = exact.solve(tree, 60)
    gap = pyspiel.exploitability(tree.game, policy)
    assert 0 <= gap + 1e-9 < 0.01
    assert exact.value_of(tree, policy) == pytest.approx(VALUES[name], abs=0.01)
    uniform = pyspiel.UniformRandomPolicy(tree.game)
    assert pyspiel.exploitability(tree.game, uniform) > 0.05
    by_hand = tree.policy(tree.masks / tree.masks.sum(1, keepdims=True))
    assert pyspiel.exploitability(tree.game, by_hand) == pytest.approx(
        pyspiel.exploitability(tree.game, uniform)
    )


@pytest.mark.parametrize("name", exact.GAMES)
def test_an_agent_plays_as_it_does_in_the_game(name, trees):
    tree, game = trees[name], load_game(f"{name}_v0")
    agent, won = load_agent("heuristic", env=game.env_name), []
    for position in exact.GAMES[name]():
        states = game.from_snapshot(position)
        while not states["over"][0]:
            seat = int(states["to_move"][0])
            records, flat = game.new_observations(1)
            seats = np.array([seat])
            game.kernels.observations_of(states, 0, 1, seats, records, flat)
            mask = game.mask_of(states, seat)[None]
            states = step(game, states, int(agent.act_batch(flat, mask, states, seats)[0]))
        won.append(game.returns_of(states)[0, 0])
    assert exact.value_of(tree, tree.policy(agent)) == pytest.approx(np.mean(won))


def test_what_is_hidden_separates_no_information_states(trees):
    start = trees["go_dig"].game.new_initial_state()
    first = {start.child(deal).information_state_string() for deal in start.legal_actions()}
    hands = {tuple(position["hands"][0]) for position in exact.go_dig()}
    assert len(first) == len(hands) == 56 - 8  # without those with a complete skeleton
    for name in ("oak_island", "fossil_memory"):  # nobody knows anything
        start = trees[name].game.new_initial_state()
        assert len({start.child(k).information_state_string() for k in start.legal_actions()}) == 1


def test_the_value_where_both_know_the_same(small):
    """Oak Island hides the same from both, so that a best choice follows from the end."""
    game = load_game("oak_island_v0")

    def value(positions):
        """What seat 0 wins, summed over positions that nobody can tell apart."""
        if positions[0]["over"][0]:
            return sum(game.returns_of(states)[0, 0] for states in positions)
        seat = int(positions[0]["to_move"][0])
        choices = []
        for action in np.flatnonzero(game.mask_of(positions[0], seat)):
            seen = defaultdict(list)
            for states in positions:
                after = step(game, states, int(action))
                view = game.to_view(game.to_snapshot(after[0]), 0)
                seen[str(view)].append(after)
            choices.append(sum(map(value, seen.values())))
        return max(choices) if seat == 0 else min(choices)

    positions = [game.from_snapshot(position) for position in exact.oak_island()]
    assert value(positions) / len(positions) == pytest.approx(VALUES["oak_island"])


def test_what_is_wrong_is_said(small):
    positions = exact.oak_island()
    other = positions[0] | {"options": positions[0]["options"] | {"max_rounds": 2}}
    for wrong, words in (
        ([], "one snapshot at least"),
        ([positions[0], other], "the same options"),
    ):
        with pytest.raises(ValueError, match=words):
            GameTree("oak_island_v0", wrong)
    with pytest.raises(ValueError, match="more than 100 nodes"):
        GameTree("oak_island_v0", positions, most_nodes=100)
    with pytest.raises(ValueError, match="shape"):
        small.policy(np.ones((3, 4)))
    with pytest.raises(TypeError, match="probabilities must be numbers"):
        small.policy(np.full(small.masks.shape, "x"))
    for chances in (np.zeros(small.masks.shape), 1.0 - small.masks, -1.0 * small.masks):
        with pytest.raises(ValueError, match="with the sum 1"):
            small.policy(chances)
    tree = GameTree("fossil_memory_v0", exact.fossil_memory()[:1])
    with pytest.raises(ValueError, match="has a memory"):
        tree.policy(load_agent("fossil_memory/remembering"))
    for words in (
        ["cretaceous_creek"],
        ["oak_island", "--iterations", "0"],
        ["oak_island", "--agents", "x"],
    ):
        with pytest.raises(SystemExit) as ended:
            exact.main(words)
        assert ended.value.code == 2


def test_the_command_prints_value_and_exploitability(capsys):
    exact.main(["oak_island", "--iterations", "20", "--agents", "heuristic,random"])
    said = capsys.readouterr().out
    assert "414 information states" in said
    assert [line.split(":")[0] for line in said.splitlines()[2:]] == [
        f"exploitability of {name}" for name in ("heuristic", "random", "CFR+", "uniform")
    ]
