"""Search: finds what there is to find, plays by the rules and the budget, and never sees what its
seat cannot know."""

from itertools import product

import numpy as np
import pytest

from dig_envs import BatchEnv, load_agent, make
from dig_envs.agents import search as search_module
from dig_envs.agents.matches import play_games
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.search import SearchAgent, SearchSettings, load_search, parse_settings
from dig_envs.agents.search_settings import usable_cores
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.search.tree import NOTHING, back_up, choose_edge, clear_tree, new_tree, node_of
from dig_envs.games.cretaceous_creek.components import TYPES
from dig_envs.registry import list_environments, load_game
from tests.clock import search_clock
from tests.games import every_game, player_cases, positions
from tests.policies import Zoo
from tests.rules.cretaceous_creek.positions import BASES, start_with
from tests.rules.cretaceous_creek.positions import Position as Creek
from tests.rules.fossil_canyon.positions import base, deal
from tests.training.random_network import random_network
from training.export import write_policy
from training.network import Network

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a search is slow")

CREEK, CANYON = load_game("cretaceous_creek"), load_game("fossil_canyon")
PLAIN = "playout=random:trust=0:lead=0:depth=0:c=1"  # nothing but the tree and the rules
HINTED = "playout=random:trust=0.5:depth=2:lead=0.5"  # with priors from the scripted player
# cut off early, where what a game knows is scores to come
QUICK = "playout=random:trust=0:depth=2:lead=0.5"


def agent_for(game, text, seed=0):
    return load_agent(f"search:{text}", game.env_name, seed=seed)


def constant_policy(folder, game, logits=None, value=0.0, **settings):
    """A policy that sees nothing: the same logits and the same value everywhere."""
    shapes = {
        "layer0": (2, game.observation_size),
        "policy": (len(game.actions), 2),
        "value": (1, 2),
    }
    weights = {f"{name}.weight": np.zeros(shape, np.float32) for name, shape in shapes.items()}
    weights |= {f"{name}.bias": np.zeros(shape[0], np.float32) for name, shape in shapes.items()}
    if logits is not None:
        weights["policy.bias"] = np.asarray(logits, np.float32)
    weights["value.bias"][:] = value
    network = Network(game.observation_size, len(game.actions), [2]).load_weights(weights)
    return write_policy(folder / game.name / "constant", game, network, {"settings": settings})


def name_of(game, found):
    return game.actions[found.action]


# ---------------------------------------------------------------- what it finds


def last_turn(where, points):
    """Seat 1 carries the last skeleton; the game is lost when this turn ends, and won on the camp
    C5."""
    changes = {
        "turn": 28,
        "deck": ["A5", "C2", "C3", "C5"],
        "player": 1,
        "to_move": 1,
        "ap": points,
        "pos": ["A1", where],
    }
    changes |= {
        "flooded": ["A2", "A3", "A4", "B1", "B2", "B4", "B5", "C1"],
        "sandbagged": ["none", "B3", "A1", "C4"],
    }
    changes |= {
        "storage": [[], ["PAR1", "PAR2", "PAR3"]],
        "out": sorted([*BASES["late"]["out"], "PAR1", "EDM"], key=TYPES.index),
    }
    for space in ("A1", "B3", "C5"):
        changes |= {f"grid.{space}": [], f"top.{space}": None}
    return Creek("late", changes)


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"sims=200:{PLAIN}",
            "sims=60:depth=0",
            f"sims=200:threads=3:{PLAIN}",
            f"sims=64:root=gumbel:{PLAIN}",
        ),
        f"sims=200:others=heuristic:{PLAIN}",
    ],
)
@pytest.mark.parametrize(
    ("where", "points", "moves"), [("C4", 1, ["move E"]), ("C3", 2, ["move E", "move E"])]
)
def test_win_in_one_and_two_moves(text, where, points, moves):
    """The only way to win is found, without the scripted player and with it."""
    position = last_turn(where, points)
    assert len(position.legal) >= 5
    agent = agent_for(CREEK, text)
    for move in moves:
        found = agent.search(position.states, 1)
        assert name_of(CREEK, found) == move
        position.play(move)
    assert position["ended"] == "won"
    if "gumbel" not in text:
        assert found.visits[found.action] > found.simulations / 2


def last_exchange():
    """Three players in the end phase; seat 0 wins with PAC2 from seat 1, everything else lets seat
    1 win."""
    museums = [
        ["TRI", "ANK", "PAR", "PAR", "MOS", "MOS", "MOS"],
        ["TYR", "ALL", "ANK", "PAC", "DIL", "DIL"],
    ]
    return base("end", {"museums.0": museums[0], "museums.1": museums[1], "scores": [87, 96, 85]})


def test_the_positions_are_as_described():
    """Whoever ends the turn loses; without the exchange the other seat wins."""
    assert last_turn("C4", 1).play("end turn")["ended"] == "flooded"
    assert last_turn("C4", 1).play("move E")["ended"] == "won"
    assert last_exchange().play("exchange +1", "give open BRA1", "take PAC2")["winners"] == [0]
    assert last_exchange().play("finish", "finish")["winners"] == [1]


def test_win_in_three_moves_against_others():
    """exchange, give (PAC1 would complete the other's skeleton), take: each seat maximises its own
    return."""
    position = last_exchange()
    agent = agent_for(CANYON, f"sims=400:{PLAIN}")
    played = []
    while position.mover == 0:
        played.append(name_of(CANYON, agent.search(position.states, 0)))
        position.play(played[-1])
    assert played[0] == "exchange +1"
    assert played[1] in ("give open BRA1", "give open BRA2")
    assert played[2] == "take PAC2"
    assert position["winners"] == [0]


def test_cooperative_game_improves_over_random():
    """A few simulations win skeletons in Cretaceous Creek, of which random players practically
    never complete one."""
    agent = agent_for(CREEK, "sims=12:depth=6")
    assert play_games("cretaceous_creek_v0", [agent, agent], 4, seed=5).score(0).mean >= 1.5


# ---------------------------------------------------------------- rules and budgets


def test_number_of_simulations():
    """A search makes exactly the number of simulations asked for, and each adds at most one
    node."""
    for sims in (1, 7, 250):
        found = agent_for(CANYON, f"sims={sims}:{QUICK}").search(deal(1, num_players=2).states, 0)
        assert found.simulations == sims
        assert found.nodes <= sims
        assert found.visits.sum() == sims - 1, "the first one makes the root"


@pytest.mark.parametrize(("root", "most"), [("", 0.056), (":root=gumbel:considered=4", 0.07)])
def test_time(monkeypatch, root, most):
    """A search for 50 ms ends at the first look at the clock after them; with halving each round
    has its share of the time."""
    clock = search_clock(monkeypatch)
    found = agent_for(CANYON, f"50ms:{QUICK}{root}").search(deal(1, num_players=2).states, 0)
    assert 0.05 <= clock.now <= most
    assert found.simulations >= 20


def test_one_legal_action_needs_no_search():
    position = start_with(
        [[]],
        ("TYR", "TRI", "ANK", "PAC", "PAR", "QUE"),
        pos=["B3"],
        ap=0,
        options__evacuation="never",
    )
    found = agent_for(CREEK, "sims=100").search(position.states, 0)
    assert (name_of(CREEK, found), found.simulations) == ("end turn", 0)


def test_memory_runs_out(monkeypatch):
    """When the memory for nodes is full, the search makes its remaining simulations with the nodes
    that it has."""
    monkeypatch.setattr(search_module, "MOST_NODES", 5)
    agent = agent_for(CANYON, f"sims=300:{QUICK}")
    position = deal(1, num_players=2)
    found = agent.search(position.states, 0)
    assert (found.simulations, found.nodes) == (300, 5)
    assert position.mask(0)[found.action]


def test_memory_grows_with_the_tree(monkeypatch):
    """What is found does not depend on how often a tree is moved to more memory."""
    position = deal(1, num_players=2)
    first = agent_for(CANYON, f"sims=400:{QUICK}").search(position.states, 0)
    for name, value in (("FIRST_NODES", 16), ("MOST_AT_ONCE", 8), ("EDGES_IN_USE", 8)):
        monkeypatch.setattr(search_module, name, value)
    agent = agent_for(CANYON, f"sims=400:{QUICK}")
    assert len(agent._tree.nodes) == 16
    found = agent.search(position.states, 0)
    np.testing.assert_array_equal(found.visits, first.visits)
    np.testing.assert_array_equal(found.values, first.values)
    assert 16 < found.nodes <= len(agent._tree.nodes) <= 401


# ---------------------------------------------------------------- the same again


@every_game
def test_reproducible(name):
    """The choice depends on position and seed alone: not on what was searched before, nor on doing
    many at once."""
    game = load_game(name)
    batch = BatchEnv(name, 6, seed=11)
    for _ in range(30):
        batch.step(batch.heuristic_actions())
    agent = agent_for(game, f"sims=40:{QUICK}")
    seats = np.asarray(batch.mover)
    first = [agent.search(batch.states[i : i + 1], int(seats[i])) for i in range(6)]
    again = [
        agent_for(game, f"sims=40:{QUICK}").search(batch.states[i : i + 1], int(seats[i]))
        for i in (5, 2)
    ]
    for found, other in zip((first[5], first[2]), again, strict=True):
        np.testing.assert_array_equal(found.visits, other.visits)
        np.testing.assert_array_equal(found.values, other.values)
    many = agent.act_batch(batch.observation, batch.action_mask, batch.states, seats)
    assert many.tolist() == [found.action for found in first]
    other_seed = [
        agent_for(game, f"sims=40:{QUICK}:seed=8").search(batch.states[i : i + 1], int(seats[i]))
        for i in range(6)
    ]
    assert any((a.values != b.values).any() for a, b in zip(first, other_seed, strict=True))


# ---------------------------------------------------------------- what a seat cannot know


KINDS = [
    f"sims=60:{QUICK}",
    "sims=12:depth=1:others=heuristic",
    f"sims=30:root=gumbel:noise=1:threads=2:{QUICK}",
]


def turns_of_kinds():
    """By default each kind of search for each game and one for each player count, in turn; the
    other combinations are slow."""
    for game in list_environments():
        cases = [case for case in player_cases() if case.values[0] == game]
        for (number, case), (kind, text) in product(enumerate(cases), enumerate(KINDS)):
            default = number % len(KINDS) == kind or number == kind % len(cases)
            yield pytest.param(
                *case.values,
                text,
                marks=() if default else pytest.mark.slow,
                id=f"{case.id}-{text}",
            )


@pytest.mark.parametrize(("name", "options", "text"), list(turns_of_kinds()))
def test_hidden_things_change_nothing(name, options, text):
    """Positions that look alike to a seat are searched alike, to the last visit; the choice is
    legal, and the position stays."""
    game = load_game(name)
    agent = agent_for(game, text)
    searched = different = 0
    for number, env in enumerate(positions(name, options, games=4, every=23, seed=40)):
        seat = int(env.states["to_move"][0])
        if seat < 0:
            continue
        before = env.states.tobytes()
        found = agent.search(env.states, seat)
        assert found.action in game.legal_actions(env.states, seat)
        for redeal in range(2):
            twin = env.states.copy()
            game.kernels.determinize_one(twin, seat, np.uint64(1000 * number + redeal))
            other = agent.search(twin, seat)
            np.testing.assert_array_equal(found.visits, other.visits)
            np.testing.assert_array_equal(found.values, other.values)
            different += twin.tobytes() != before
        assert env.states.tobytes() == before
        searched += 1
    assert searched >= 4
    assert different > 0, "the positions did differ"


def test_guided_search_sees_no_more(tmp_path):
    """Neither priors nor values let anything through, although the policy is asked about the
    others' views, too."""
    folder = any_policy(tmp_path)
    for playout in ("random", "none"):
        agent = agent_for(CANYON, f"sims=60:playout={playout}:guide={folder}")
        for env in positions("fossil_canyon_v0", {"num_players": 3}, games=1, every=40):
            seat = int(env.states["to_move"][0])
            twin = env.states.copy()
            CANYON.kernels.determinize_one(twin, seat, np.uint64(5))
            np.testing.assert_array_equal(
                agent.search(env.states, seat).visits, agent.search(twin, seat).visits
            )


def test_sealed_choices_of_others():
    """Set-up of Fossil Canyon: what seat 0 has committed changes nothing for seat 1."""
    found = []
    for choice in (["done"], ["hide {0}", "done"], ["hide {1}", "hide {2}", "hide {3}"]):
        position = deal(3, num_players=2)
        hand = [
            text.removeprefix("hide ") for text in sorted(position.legal) if text.startswith("hide")
        ]
        position.play(*(text.format(*hand) for text in choice))
        assert position.mover == 1
        found.append(
            agent_for(CANYON, f"sims=300:{QUICK}").search(position.states, 1).visits.tolist()
        )
    assert found[0] == found[1] == found[2]


def canyon_choice():
    """Set-up of Fossil Canyon; seat 0 hides its last fossil, then seat 1 begins to choose."""
    position = deal(3, num_players=2)
    position.play(*[text for text in sorted(position.legal) if text.startswith("hide")][:2])
    return position.states


def dig_choice():
    """The first turn of The Big Dig; seat 0 completes its model, then seat 1 begins one."""
    env = make("the_big_dig_v0").unwrapped
    env.reset(seed=3)
    env.step(env.game.action_index["input 27-3-N"])
    return env.states


@pytest.mark.parametrize(
    ("game", "states"),
    [(CANYON, canyon_choice), (load_game("the_big_dig"), dig_choice)],
    ids=["fossil_canyon", "the_big_dig"],
)
def test_others_do_not_answer_a_sealed_choice(game, states):
    """Whatever seat 0 chooses at the root, seat 1, who decides then, has the same node."""
    sims = 200
    agent = agent_for(game, f"sims={sims}:{QUICK}")
    found = agent.search(states(), 0)
    assert (found.visits > 0).sum() > 3
    tree = agent._tree
    visits = []
    for node in range(found.nodes):
        edge, total = int(tree.nodes["edges"][node]), 0
        while edge != NOTHING:
            total += int(tree.edges["visits"][edge])
            edge = int(tree.edges["next"][edge])
        if tree.nodes["seat"][node] == 1:
            visits.append(total)
    assert max(visits) == sims - 2, "all simulations but those that made the root and this node"


# ---------------------------------------------------------------- the tree


class Scratch:
    """A tree and the scratch memory for a game of two seats and four actions."""

    def __init__(self, **settings):
        self.tree = new_tree(8)
        clear_tree(self.tree, np.uint64(1))
        for name, value in {"exploration": 1.0, **settings}.items():
            self.tree.search[name] = value
        self.node, is_new = node_of(self.tree, np.uint64(99), 0)
        assert is_new
        assert node_of(self.tree, np.uint64(99), 0) == (self.node, False)
        self.work = search_module.new_work(CANYON, 1)
        self.slots = np.full(4, NOTHING, np.int32)

    def visit(self, legal, returns=0.0, hint=NOTHING):
        mask = np.array([action in legal for action in range(4)], np.int8)
        edge = choose_edge(self.tree, self.node, mask, self.slots, hint)
        assert (self.slots == NOTHING).all()
        self.work.paths[0, 0] = (edge, 0)
        self.work.lengths[0] = 1
        self.work.returns[0, :2] = (returns, -returns)
        back_up(self.tree, self.work, 0, 0, 2)
        return int(self.tree.edges["action"][edge])

    def edge(self, action):
        used = self.tree.edges[: self.tree.search["num_edges"][0]]
        return used[used["action"] == action][0]


def test_availability():
    """Visits count for an action when it is legal: one that is legal half the time is explored by
    the logarithm of that half."""
    scratch = Scratch()
    for k in range(400):
        scratch.visit({0, 1, 2} if k % 2 else {0, 1})
    assert [scratch.edge(action)["available"] for action in (0, 1, 2)] == [400, 400, 200]
    first, rare = scratch.edge(0)["visits"], scratch.edge(2)["visits"]
    assert rare / first == pytest.approx(np.log(200) / np.log(400), abs=0.05), (
        "all worth 0: equal bounds"
    )
    assert scratch.edge(0)["visits"] + scratch.edge(1)["visits"] + rare == 400


# ---------------------------------------------------------------- guidance


@pytest.mark.parametrize("inside", [True, False])
def test_values_of_a_policy(tmp_path, monkeypatch, inside):
    """If no position has a value, the win in reach counts; asked in compiled code, or by
    onnxruntime."""
    folder = constant_policy(tmp_path, CANYON)
    if not inside:
        monkeypatch.setattr(OnnxAgent, "program", None)
    agent = agent_for(CANYON, f"sims=400:playout=none:guide={folder}")
    assert agent._tree.search["inside"][0] == inside
    position = last_exchange()
    for _ in range(3):
        position.play(name_of(CANYON, agent.search(position.states, 0)))
    assert position["winners"] == [0]
    for text in ("playout=guide", "playout=random:value=guide", "playout=random:others=guide"):
        if inside:
            agent_for(CANYON, f"sims=4:{text}:guide={folder}")
        else:
            with pytest.raises(ValueError, match="compiled code cannot evaluate"):
                agent_for(CANYON, f"sims=4:{text}:guide={folder}")


def test_values_of_shaped_rewards_are_refused(tmp_path):
    folder = constant_policy(tmp_path, CANYON, shaping_weight=1.0)
    with pytest.raises(ValueError, match="shaped rewards"):
        agent_for(CANYON, f"sims=5:playout=none:guide={folder}")
    agent_for(CANYON, f"sims=5:playout=random:guide={folder}")


def any_policy(folder, game=CANYON, **settings):
    """A policy with random weights that is paid returns."""
    network = random_network(game)
    return write_policy(
        folder / game.name / "any", game, network, {"pays": "return", "settings": settings}
    )


def test_the_first_simulation_is_the_policy(tmp_path):
    """Its prior and its value, as onnxruntime has them, whether it is asked in compiled code or
    not."""
    folder = any_policy(tmp_path, win_weight=0.5, score_weight=0.25)
    for number, env in enumerate(
        positions("fossil_canyon_v0", {"num_players": 3}, games=2, every=30)
    ):
        seat = int(env.states["to_move"][0])
        seen = env.look(f"player_{seat}")
        for inside in (True, False):
            agent = agent_for(CANYON, f"sims=1:playout=none:guide={folder}")
            for tree in agent._trees:
                tree.search["inside"] = inside
            agent.search(env.states, seat)
            if not agent._tree.search["simulations"][0]:
                continue  # one legal action
            logits, value = agent.guide.evaluate(
                seen["observation"][None], seen["action_mask"][None]
            )
            odds = np.where(seen["action_mask"], np.exp(logits[0] - logits[0].max()), 0.0)
            np.testing.assert_allclose(agent._read_root().priors, odds / odds.sum(), atol=1e-5)
            points = 0.25 * env.states["scores"][0, seat]
            assert agent._tree.search["lead_mean"][0] == pytest.approx(
                value[0] + points, abs=1e-3
            ), number


def test_every_seat_is_judged_by_its_own_view(tmp_path):
    """Three players: an edge has the sum of values that the policy gives to the seat that decides
    there."""
    folder = any_policy(tmp_path)
    env = make("fossil_canyon_v0", num_players=3).unwrapped
    env.reset(seed=8)
    agent = agent_for(CANYON, f"sims=2:playout=none:guide={folder}")
    while True:
        seat = int(env.states["to_move"][0])
        choice = np.flatnonzero(env.look(f"player_{seat}")["action_mask"])
        following = env.states.copy()
        CANYON.kernels.apply_one(following, seat, int(choice[0]))
        if len(choice) > 1 and following["to_move"][0] != seat and not following["over"][0]:
            break
        env.step(int(choice[0]))
    found = agent.search(env.states, seat)
    tried = int(found.visits.argmax())
    leaf = agent._works[0].states[:1]
    records, flat = CANYON.new_observations(1)
    CANYON.kernels.observations_of(leaf, 0, 1, np.array([seat]), records, flat)
    _, value = agent.guide.evaluate(flat, np.ones((1, len(CANYON.actions)), np.int8))
    assert leaf["to_move"][0] != seat, (
        "the leaf is another seat's, the value on the path that of the searching seat"
    )
    assert agent._read_root().leads[tried] == pytest.approx(value[0], abs=1e-3)


def test_settings_for_guided_searches(tmp_path, monkeypatch):
    """A game may have some of its own: Cretaceous Creek has no playouts where the guide's values
    judge positions, else playouts by the guide where compiled code can ask it, else those of all
    games; and what is asked for."""
    folder = constant_policy(tmp_path, CREEK)
    agent = agent_for(CREEK, f"sims=4:guide={folder}")
    assert agent.settings.playout == "none"
    assert "playout" not in agent.name
    assert load_agent(agent.name, CREEK.env_name, seed=0).settings == agent.settings
    assert agent_for(CREEK, f"sims=4:playout=random:guide={folder}").settings.playout == "random"
    assert agent_for(CREEK, "sims=4").settings.playout == "heuristic"
    folder = constant_policy(tmp_path / "shaped", CREEK, shaping_weight=1.0)
    shaped = agent_for(CREEK, f"sims=4:guide={folder}")
    assert shaped.settings.playout == "guide"
    assert load_agent(shaped.name, CREEK.env_name, seed=0).settings == shaped.settings
    monkeypatch.setattr(OnnxAgent, "program", None)
    asked_outside = agent_for(CREEK, f"sims=4:guide={folder}")
    assert asked_outside.settings.playout == "heuristic"
    assert load_agent(asked_outside.name, CREEK.env_name, seed=0).settings == asked_outside.settings


def test_playouts_by_the_policy(tmp_path):
    """With ``playout=guide`` the search makes all its simulations, and draws the playouts by its
    own generator: another seed, other values.
    """
    folder = constant_policy(tmp_path, CANYON)
    found = agent_for(CANYON, f"sims=40:playout=guide:depth=4:guide={folder}").search(
        deal(1, num_players=2).states, 0
    )
    assert found.simulations == 40
    other = agent_for(CANYON, f"sims=40:playout=guide:depth=4:seed=9:guide={folder}").search(
        deal(1, num_players=2).states, 0
    )
    assert (found.values != other.values).any(), "drawn by the search's own generator"


def test_cut_off_and_judged_by_the_policy(tmp_path):
    """After a turn of random play the value counts, not the scores of the moment."""
    folder = constant_policy(tmp_path, CANYON, value=7.0, win_weight=1.0)
    agent = agent_for(CANYON, f"sims=30:playout=random:value=guide:depth=1:guide={folder}")
    agent.search(deal(1, num_players=2).states, 0)
    assert agent._tree.search["lead_mean"][0] == pytest.approx(7.0)


# ---------------------------------------------------------------- the best answer to a player


def test_others_play_as_a_player_does(tmp_path):
    """The second simulation is one own action and what the other seat does then: what is said of
    it, in no node of the tree."""
    end_turn = CREEK.action_index["end turn"]
    folder = constant_policy(
        tmp_path, CREEK, logits=10.0 * (np.arange(len(CREEK.actions)) == end_turn)
    )
    position = Creek("late", {})
    seat = position.mover
    leaves = {}
    for others in ("search", "heuristic", "guide"):
        agent = agent_for(CREEK, f"sims=2:playout=none:others={others}:guide={folder}")
        assert agent.search(position.states, seat).visits[end_turn] == 1
        leaves[others] = agent._works[0].states[0]
        nodes = agent._tree.nodes[: agent._tree.search["num_nodes"][0]]
        assert (nodes["seat"] == seat).all() == (others != "search")
    assert {others: leaf["to_move"] for others, leaf in leaves.items()} == {
        "search": 1 - seat,
        "heuristic": seat,
        "guide": seat,
    }
    assert leaves["guide"]["pos"][1 - seat] == position.states["pos"][0, 1 - seat], (
        "it ended its turn at once"
    )
    assert leaves["heuristic"]["pos"][1 - seat] != position.states["pos"][0, 1 - seat]


# ---------------------------------------------------------------- a tree for more than one decision


def own_decisions(game, seed, count, **options):
    """Positions in which seat 0 has a choice, one after the other; seat 0 plays what it is sent,
    the others by the script."""
    batch = BatchEnv(game.env_name, 1, seed=seed, **options)
    while count:
        action = batch.heuristic_actions()
        if batch.mover[0] == 0 and batch.action_mask[0].sum() > 1:
            count -= 1
            chosen = yield batch.states.copy()
            action = action if chosen is None else [chosen]
        batch.step(action)


def searched(agent, seed, count=8, **options):
    """Return the agent's searches in the decisions of a game that it plays with seat 0."""
    decisions, found = own_decisions(agent.game, seed, count, num_players=2, **options), []
    states = next(decisions)
    while len(found) < count:
        found.append(agent.search(states, 0))
        try:
            states = decisions.send(found[-1].action)
        except StopIteration:
            break
    return found


def test_a_tree_goes_on():
    """With ``reuse=1`` every decision gets all simulations asked for, in addition to the visits
    from earlier searches."""
    agent = agent_for(CANYON, f"sims=100:reuse=1:{QUICK}")
    decisions = own_decisions(CANYON, 3, 12, num_players=2)
    states, went_on = next(decisions), 0
    for _ in range(11):
        root = agent_for(CANYON, f"sims=1:{QUICK}")
        root.search(states, 0)
        nodes = np.flatnonzero(
            agent._tree.nodes["key"][: agent._count("num_nodes")] == root._tree.nodes["key"][0]
        )
        before = visits_of(agent._tree, nodes[0]) if len(nodes) else NOTHING
        found = agent.search(states, 0)
        assert found.simulations == 100
        assert found.visits.sum() in (before + 100, 99), (
            "in a new tree the first simulation makes the root"
        )
        went_on += found.visits.sum() > 100
        states = decisions.send(found.action)
    assert went_on >= 3


def visits_of(tree, node):
    edge, visits = tree.nodes["edges"][node], 0
    while edge != NOTHING:
        visits += int(tree.edges["visits"][edge])
        edge = tree.edges["next"][edge]
    return visits


def test_trees_of_games_side_by_side():
    """A game's trees wait while others are searched; what is found is what an agent finds that
    plays this game alone."""
    agent = agent_for(CANYON, f"sims=60:reuse=1:{QUICK}")
    games = [own_decisions(CANYON, seed, 6, num_players=2) for seed in (1, 2, 3)]
    states, visits = [next(game) for game in games], [[], [], []]
    for _ in range(5):
        for k, game in enumerate(games):
            found = agent.search(states[k], 0)
            visits[k].append(found.visits.tolist())
            states[k] = game.send(found.action)
    for k, seed in enumerate((1, 2, 3)):
        alone = searched(agent_for(CANYON, f"sims=60:reuse=1:{QUICK}"), seed, 5)
        assert [found.visits.tolist() for found in alone] == visits[k]
    assert len(agent._earlier) < search_module.KEPT_TREES


def test_a_full_tree_is_cleared(monkeypatch):
    """The longest game does not outgrow the memory."""
    monkeypatch.setattr(search_module, "MOST_NODES", 90)
    agent = agent_for(CANYON, f"sims=60:reuse=1:{QUICK}")
    for found in searched(agent, 1, 40):
        assert found.simulations == 60
        assert found.nodes <= 90


@pytest.mark.parametrize("name", ["fossil_canyon_v0", "the_big_dig_v0", "dino_dig_v0"])
def test_a_tree_that_goes_on_knows_no_more(name):
    """Two decisions of a seat, in two deals that it cannot tell apart: the same visits in both."""
    game, compared = load_game(name), 0
    for seed in range(6):
        decisions = own_decisions(game, seed, 9, num_players=2)
        for _ in range(7):
            states = next(decisions)
        worlds = [states, states.copy()]
        game.kernels.determinize_one(worlds[1], 0, np.uint64(seed + 1))
        agents = [agent_for(game, f"sims=80:reuse=1:{QUICK}") for _ in worlds]
        first = [agent.search(world, 0) for agent, world in zip(agents, worlds, strict=True)]
        after = [played(game, world, 0, first[0].action) for world in worlds]
        if (
            after[0] is None
            or after[1] is None
            or seen_by(game, after[0]) != seen_by(game, after[1])
        ):
            continue
        second = [agent.search(world, 0) for agent, world in zip(agents, after, strict=True)]
        np.testing.assert_array_equal(second[0].visits, second[1].visits)
        compared += 1
    assert compared


def played(game, states, seat, action):
    """The position after an action, if the same seat decides there among several actions."""
    position = states.copy()
    game.kernels.apply_one(position, seat, action)
    decides = not position["over"][0] and position["to_move"][0] == seat
    return position if decides and len(game.legal_actions(position, seat)) > 1 else None


def seen_by(game, states):
    records, flat = game.new_observations(1)
    game.kernels.look_one(states, 0, np.zeros((1, len(game.actions)), np.int8), records, flat)
    return flat.tobytes()


# ---------------------------------------------------------------- threads and halving


def test_threads_share_the_simulations():
    """A function of seed and simulations, as often as one likes, and with any number of threads:
    the trees are as many as ever."""
    states = deal(1, num_players=2).states
    for sims, trees in ((2, 1), (7, 1), (20, 2), (100, 8)):
        first, again, two, one = (
            agent_for(CANYON, f"sims={sims}:threads={threads}:{QUICK}").search(states, 0)
            for threads in (3, 3, 2, 1)
        )
        for other in (again, two, one):
            np.testing.assert_array_equal(first.visits, other.visits)
            np.testing.assert_array_equal(first.values, other.values)
        assert first.simulations == sims
        assert first.visits.sum() == sims - trees, "each tree begins with its root"
    fewer = agent_for(CANYON, f"sims=100:threads=2:trees=3:{QUICK}").search(states, 0)
    assert (fewer.visits != first.visits).any()
    assert fewer.visits.sum() == 97
    alone = agent_for(CANYON, f"sims=100:trees=1:{QUICK}").search(states, 0)
    np.testing.assert_array_equal(
        alone.visits, agent_for(CANYON, f"sims=100:{QUICK}").search(states, 0).visits
    )


def test_few_simulations_are_not_spent_on_the_roots_of_many_trees():
    """With threads, a search of fewer than 16 simulations is that of one tree."""
    states = deal(1, num_players=2).states
    for sims in (2, 15):
        alone, shared = (
            agent_for(CANYON, f"sims={sims}{threads}:{QUICK}").search(states, 0)
            for threads in ("", ":threads=2")
        )
        np.testing.assert_array_equal(alone.visits, shared.visits)
        assert alone.action == shared.action


@pytest.mark.parametrize("trust", [0.5, 0.9])
def test_without_a_tried_action_the_search_plays_what_is_likeliest(trust):
    """A single simulation makes the root and tries nothing: the choice is the scripted player's, as
    the priors say."""
    chosen = []
    for seed in range(8):
        states = deal(seed, num_players=2).states
        found = agent_for(CANYON, f"sims=1:trust={trust}").search(states, 0)
        hint = np.zeros(1, np.int64)
        CANYON.kernels.heuristic_actions(states, 0, 1, np.zeros(1, np.int64), hint)
        assert found.visits.sum() == 0
        assert found.action == hint[0]
        assert found.policy.sum() == pytest.approx(1.0)
        chosen.append(found.action)
    assert len(set(chosen)) > 1, "not always the first legal action"


def test_widening_tries_few_actions_first():
    """With a widening of 1 no more than the root of the visits are tried (Coulom 2007), and the
    scripted player's choice is."""
    states = deal(2, num_players=2).states
    wide = agent_for(CANYON, f"sims=101:{HINTED}").search(states, 0)
    narrow = agent_for(CANYON, f"sims=101:widening=0.5:{HINTED}").search(states, 0)
    assert 1 < (narrow.visits > 0).sum() <= 6
    assert (narrow.visits > 0).sum() < (wide.visits > 0).sum()
    assert narrow.visits.sum() == 100
    unlimited = agent_for(CANYON, f"sims=101:widening=1000:{HINTED}").search(states, 0)
    np.testing.assert_array_equal(unlimited.visits, wide.visits)


# ---------------------------------------------------------------- guides that nobody asks for


@pytest.fixture
def guided(tmp_path, monkeypatch):
    """Oak Island with two usual guides, one for two players and one for three and four."""
    monkeypatch.setattr("dig_envs.agents.zoo.ZOOS", (tmp_path,))
    game = load_game("oak_island_v1")
    zoo = Zoo(tmp_path, game)
    zoo.players(
        [zoo.policy("two-players", 1, num_players=[2]), zoo.policy("policy", 2, num_players=[3, 4])]
    )
    return zoo


def test_a_game_can_have_usual_guides(guided):
    """Each guides with the numbers of players that it was trained for, and where it is there;
    ``guide=none`` leaves it out."""
    game = guided.game
    usual = load_search("sims=8", game, 1)
    assert usual.guide is not None
    assert usual.name == "search:sims=8"
    assert usual.for_options({"num_players": 2}) is usual
    three = usual.for_options({"num_players": 3})
    assert three.guide.name == "oak_island/policy"
    assert three.name == "search:sims=8:guide=oak_island/policy"
    assert three is usual.for_options({"num_players": 4})
    assert three.settings == load_search("sims=8:guide=oak_island/policy", game, 1).settings
    asked = load_search("sims=8:guide=oak_island/two-players", game, 1)
    assert asked.settings == usual.settings
    assert asked.for_options({"num_players": 3}) is asked, (
        "who asks for it is told elsewhere that it was not trained for three"
    )
    (guided.folder / "policy" / "card.json").write_text("damaged")
    assert load_search("sims=8:guide=none", game, 1).guide is None
    alone = load_search("sims=8", game, 1).for_options({"num_players": 3})
    assert alone.guide is None
    assert alone.settings == load_search("sims=8:guide=none", game, 1).settings
    assert alone.name == "search:sims=8:guide=none"
    assert load_search(alone.name.partition(":")[2], game, 1).settings == alone.settings
    with pytest.raises(ValueError, match=r"others=guide needs a guide.*with 3 players"):
        load_search("sims=8:others=guide", game, 1).for_options({"num_players": 3})
    guided.players(["oak_island/other"])
    assert load_search("sims=8", game, 1).guide is None


def test_the_usual_guide_decides_for_the_number_of_players_of_each_position(guided):
    """Positions of two and of three players in one batch: each is searched with the policy that was
    trained for it."""
    game, usual = guided.game, load_search("sims=30", guided.game, 1)
    names = {2: "two-players", 3: "policy"}
    batches = {
        players: BatchEnv("oak_island_v1", 6, seed=5, num_players=players) for players in names
    }
    looks = [
        (each.observation, each.action_mask, each.states, each.mover) for each in batches.values()
    ]
    both = [np.concatenate(parts) for parts in zip(*looks, strict=True)]
    chosen = usual.act_batch(*both)
    expected = [
        load_search(f"sims=30:guide=oak_island/{names[n]}", game, 1).act_batch(*look)
        for n, look in zip(batches, looks, strict=True)
    ]
    np.testing.assert_array_equal(chosen, np.concatenate(expected))


def test_noise_draws_from_the_prior(tmp_path):
    """Without simulations to speak of the choice is drawn by the policy's odds; without noise it is
    the likeliest action."""
    position = deal(2, num_players=2)
    legal = np.flatnonzero(position.mask(0))
    logits = np.full(len(CANYON.actions), -20.0)
    logits[legal[:3]] = np.log([0.6, 0.3, 0.1])
    folder = constant_policy(tmp_path, CANYON, logits)
    agent = agent_for(CANYON, f"sims=1:root=gumbel:noise=1:playout=none:guide={folder}")
    drawn = [agent.search(position.states, 0, seed).action for seed in range(400)]
    for action, odds in zip(legal[:3], (0.6, 0.3, 0.1), strict=True):
        assert drawn.count(action) / 400 == pytest.approx(odds, abs=0.08)
    calm = agent_for(CANYON, f"sims=1:root=gumbel:playout=none:guide={folder}")
    assert {calm.search(position.states, 0, seed).action for seed in range(20)} == {legal[0]}


# ---------------------------------------------------------------- by name


def test_settings_by_name():
    agent = load_agent(
        "fossil_canyon/search:sims=20:playout=random:c=0.5:depth=3:lead=0.25:trust=0.125:seed=7"
    )
    assert agent.settings == SearchSettings(20, 0, "random", "", 0.5, 0.125, 3, 0.25, 7)
    assert agent.game is CANYON
    assert load_agent("fossil_canyon_v0/search:200ms").settings.ms == 200
    assert load_agent("search:ms=30", env="cretaceous_creek_v0").settings.ms == 30
    assert load_agent("search", env="cretaceous_creek_v0", seed=3).settings.seed == 3
    first, second = (load_agent("search", "fossil_canyon_v0").settings.seed for _ in range(2))
    assert first != second, "without a seed it draws one"
    assert agent_for(CANYON, "20ms:threads=all").settings.threads == usable_cores()
    assert [
        agent_for(CANYON, text).settings.reuse for text in ("9ms", "9ms:root=gumbel", "sims=9")
    ] == [1, 0, 0]


def test_name_loads_the_same_agent():
    game, name = CANYON, "fossil_canyon_v0"
    for text in (
        "",
        "sims=77",
        "5ms",
        "5ms:reuse=0",
        "5ms:root=gumbel",
        "sims=9:reuse=1",
        "sims=9:c=0.25:playout=random:depth=1",
    ):
        agent = agent_for(game, text)
        assert agent.name.startswith("search:")
        assert load_agent(agent.name, name, seed=0).settings == agent.settings
    assert (
        SearchAgent(game, parse_settings("", game)).settings.sims
        == SearchSettings(**game.search).sims
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search:simulations=20", "no setting 'simulations'; settings are: sims, ms, playout"),
        ("search:sims=many", "sims must be a whole number from 1 to 1000000000, not 'many'"),
        ("search:sims=0", "sims must be"),
        (f"search:sims={10**9 + 1}", "sims must be"),
        (f"search:ms={10**23}", "ms must be a whole number of milliseconds from 1 to 86400000"),
        (
            f"search:depth={2**63 - 1}",
            "depth must be a whole number of turns, 0 for no limit, from 0 to 1000000",
        ),
        ("search:c=1e300", "c must be a number from 0 to 1000000"),
        ("search:sims", "no setting 'sims'"),
        ("search:ms=-3", "ms must be a whole number of milliseconds"),
        ("search:2s", "no setting '2s'.*200ms"),
        ("search:sims=3:ms=4", "either sims or ms"),
        ("search:sims=3:sims=4", "sims is given twice"),
        ("search:playout=clever", "one of heuristic, random, guide, none, not 'clever'"),
        ("search:c=nan", "c must be a number from 0 to 1000000, not 'nan'"),
        ("search:trust=1.5", "trust must be a number from 0 to 1"),
        ("search:depth=-1", "depth must be a whole number of turns"),
        ("search:lead=2", "lead must be"),
        ("search:seed=-1", "seed must be"),
        ("search:playout=none", "needs a guide"),
        ("search:playout=guide", "playout=guide needs a guide"),
        ("search:value=guide", "value=guide needs a guide"),
        ("search:value=me", "value must be one of scores, guide"),
        ("search:root=best", "root must be one of puct, gumbel"),
        (
            "search:others=random",
            (
                "others must be one of search, heuristic, guide, first, greedy, careful, blocking, "
                "not 'random'"
            ),
        ),
        ("search:others=guide", "others=guide needs a guide"),
        ("search:considered=1", "considered must be a whole number of actions from 2 to 1000000"),
        ("search:noise=-1", "noise must be a number from 0 to 1000000"),
        ("search:step=0", "step must be a number above 0, at most 1, not '0'"),
        ("search:reuse=2", "reuse must be 0 or 1"),
        ("search:reuse=1:root=gumbel", "reuse=1 does not go with root=gumbel"),
        ("search:threads=0", "threads must be all, or a whole number from 1 to 256"),
        ("search:guide=", "guide must be the name or the folder of a policy"),
        ("search:guide=nobody", "no agent 'nobody'"),
        ("search:20ms:trees=2", "a search with ms has one tree per thread"),
        ("search:sims=5:trees=3", "each of trees=3 needs 2 simulations: at least sims=6"),
        ("cretaceous_creek/search:sims=5", "is for cretaceous_creek, not for fossil_canyon_v0"),
        ("chess/search:sims=5", "no environment 'chess'"),
    ],
)
def test_bad_settings(spec, message):
    with pytest.raises(ValueError, match=message):
        load_agent(spec, env="fossil_canyon_v0")


@pytest.mark.parametrize(("setting", "most_seconds"), [("sims=8", 0.1), ("100ms", None)])
def test_no_time_of_a_search_goes_into_compiling(monkeypatch, setting, most_seconds):
    """Where the first call of the compiled simulations takes longer than the search may, the search
    has its time nevertheless."""
    agent, batch = load_agent(f"search:{setting}", "go_dig_v0", seed=0), BatchEnv("go_dig_v0", 1)
    seat, clock = int(batch.mover[0]), search_clock(monkeypatch)
    simulate, calls = agent._kernels.simulate, []

    def slow_at_first(*arguments):
        calls.append(arguments[-1])
        if len(calls) == 1:
            clock.now += 0.3
        return simulate(*arguments)

    monkeypatch.setattr(agent._kernels, "simulate", slow_at_first)
    found = agent.search(batch.states, seat, most_seconds=most_seconds)
    assert calls[0] == 0
    assert found.simulations >= 8
