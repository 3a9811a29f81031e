"""Raw observations: they lack what a player remembers and works out, and with their news a player
that remembers can make up for it."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

import dig_envs
from dig_envs.adapters.gymnasium import SingleLearnerEnv
from dig_envs.adapters.sb3 import DigVecEnv
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.agents.matches import play_games
from dig_envs.engine.core.errors import OptionError, PolicyMismatchError, RulesError
from dig_envs.engine.core.events import Events, Number, Thing
from dig_envs.engine.core.raw import Columns, News
from dig_envs.games import fossil_deck as deck
from dig_envs.registry import is_environment, load_game, with_observation
from tests.games import SHIPPED

GO_DIG, RAW = "go_dig_v0", "go_dig_v0_raw"
MODEL = "bone_bids_v0"  # has nothing to remember
# of a game the fields in which raw observations show less of what is there
CUT = {
    "fossil_memory": {"genus", "part"},
    "dino_dig": {"card_place", "card_face_up", "card_held", "card_piece"},
}


@pytest.mark.parametrize("name", [*SHIPPED, MODEL])
def test_derived_fields_are_absent(name):
    """Every game accepts raw observations, which have the fields that are not derived, in their
    order, and the news; where there is nothing to leave out they are the usual ones."""
    usual, raw = load_game(name), load_game(f"{name}_raw")
    derived = {field.name for field in usual.fields.fields if field.derived}
    kept = [field for field in usual.layout if field not in derived]
    assert [field for field in raw.layout if not field.startswith("news")] == kept
    assert raw.actions == usual.actions
    assert (raw is usual) == (name == MODEL) == (not derived)
    assert is_environment(f"{name}_raw")
    if raw is not usual:
        assert raw.env_name == f"{name}_raw"
        assert raw.layout_hash != usual.layout_hash
        assert raw.full_state.layout.keys() == usual.full_state.layout.keys()
    for env in (
        dig_envs.make(name, observation="raw"),
        dig_envs.make_parallel(name, observation="raw"),
    ):
        assert env.observation_space("player_0")["observation"].shape == (raw.observation_size,)
    single = SingleLearnerEnv(name, observation="raw")
    assert single.observation_space.shape == (raw.observation_size,)


def check_play(name, games, steps, **options):
    """Random games of all movers: raw observations agree with the usual ones, keep to their bounds,
    and tell nothing that a seat cannot know. Returns the games."""
    usual, raw = load_game(name), load_game(f"{name}_raw")
    few = {"num_threads": 1, **options}
    batch = dig_envs.BatchEnv(name, games, 3, observation="raw", **few)
    plain = dig_envs.BatchEnv(name, games, 3, **few)
    rows = dig_envs.BatchEnv(f"{name}_raw", games, 3, observation="sparse", **few)
    low, high = raw.fields.bounds()
    for step in range(steps):
        seen, before = raw.named(batch.observation), usual.named(plain.observation)
        assert (batch.observation >= low).all()
        assert (batch.observation <= high).all()
        assert np.array_equal(rows.observation.values, batch.observation[batch.observation != 0])
        for field in seen.keys() & before.keys() - CUT.get(raw.name, set()):
            assert np.array_equal(seen[field], before[field]), field
        for field in CUT.get(raw.name, ()):
            assert ((seen[field] == 0) | (seen[field] == before[field])).all()
        states = batch.states[step % games : step % games + 1].copy()
        seat = int(states["to_move"][0])
        looked = raw.look(states, seat)[0]
        raw.kernels.determinize_one(states, seat, np.uint64(step))
        assert np.array_equal(raw.look(states, seat)[0], looked), "a re-deal is not seen"
        actions = batch.sample_actions()
        for one in (batch, plain, rows):
            one.step(actions)
            assert np.array_equal(one.terminated, batch.terminated)
    return batch


def test_go_dig_in_play():
    batch = check_play(GO_DIG, 4, 150, num_players=3)
    assert batch.observation.shape == (4, load_game(RAW).observation_size)


@pytest.mark.slow  # a minute: compiles every game once more
@pytest.mark.parametrize("name", [one for one in SHIPPED if one != GO_DIG])
def test_every_game_in_play(name):
    check_play(name, 4, 300)


class Rememberer:
    """Computes what everybody knows of the hands (GD-15 to GD-20) from raw observations alone."""

    def __init__(self, game):
        self.game = game
        self.known = np.zeros((4, len(deck.TYPES) - deck.NUM_TRACES), int)  # self, +1, +2, +3

    def see(self, vector):
        """Take the news of one own decision into account."""
        seen = self.game.named(vector)
        assert seen["news_lost"] == 0
        for row in seen["news"][seen["news"].any(axis=1)]:
            kind = ["asked", "gave", "has_none", "drew", "showed", "built"][row[:6].argmax()]
            seat, other = row[6:10].argmax(), row[10:14].argmax()
            genus, part = row[14:27].argmax(), row[27:31].argmax()
            card, parts = deck.FIRST_TYPE[genus] + part, slice(*deck.FIRST_TYPE[genus : genus + 2])
            if kind == "gave":
                self.known[other, card] += 1
                self.known[seat, parts] = 0
            elif kind == "showed":
                self.known[seat, card] += 1
            elif kind == "built":
                self.known[seat, parts] -= self.known[seat, parts] > 0


@pytest.mark.parametrize("players", [2, 4])
def test_news_are_all_that_go_dig_needs(players):
    """Whoever replays the news of all own decisions knows exactly what the usual observation
    shows as `known`."""
    game, count, compared = load_game(RAW), 6, 0
    batch = dig_envs.BatchEnv(RAW, count, 5, num_threads=1, num_players=players)
    players_of = {}
    for _ in range(250):
        for i, seat in enumerate(batch.mover):
            one = players_of.setdefault((i, seat), Rememberer(game))
            one.see(batch.observation[i])
            order = (seat + np.arange(players)) % players
            assert np.array_equal(one.known[:players], batch.states["known"][i][order])
            compared += one.known[1:].any()
        batch.step(batch.sample_actions())
        for i in np.flatnonzero(batch.terminated):
            players_of = {key: one for key, one in players_of.items() if key[0] != i}
    assert compared > 100


def test_drawn_cards_are_told_to_who_drew_them_only():
    """Others are told that a card was drawn. A re-deal takes the card out of the news that it does
    not leave to the seat."""
    env = dig_envs.make(RAW, num_players=2).unwrapped
    env.reset(seed=4)
    while not any(event.kind.name == "drew" for event in env.events(env.agent_selection)):
        env.step(int(env.last()[0]["action_mask"].argmax()))

    def drawn(agent):
        news = env.named(env.look(agent)["observation"])["news"]
        return news[news[:, 3] == 1]

    mine, other = env.agent_selection, env.possible_agents[1 - env.states["to_move"][0]]
    for agent in (mine, other):
        own = drawn(agent)[:, 6] == 1
        assert (drawn(agent)[:, 14:].sum(axis=1) == np.where(own, 2, 0)).all()
    assert (drawn(other)[:, 6] == 1).any()
    env.determinize(mine, 0)
    assert not drawn(other)[:, 14:].any()


def test_positions_are_saved_without_news():
    """Snapshots and views are those of the usual environment, and the news begin anew after one is
    restored. Copies have the news."""
    raw, usual = dig_envs.make(RAW), dig_envs.make(GO_DIG)
    for env in (raw, usual):
        env.reset(seed=1)
        for _ in range(7):
            env.step(int(env.last()[0]["action_mask"].argmax()))
    one = raw.unwrapped
    assert one.snapshot() == usual.unwrapped.snapshot()
    seen = one.look("player_0")["observation"]
    assert one.named(seen)["news"].any()
    for copied in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert np.array_equal(copied.look("player_0")["observation"], seen)
    one.restore(usual.unwrapped.snapshot())
    restored = one.named(one.look("player_0")["observation"])
    assert not restored["news"].any()
    assert np.array_equal(restored["own_hand"], one.named(seen)["own_hand"])


def test_adapters_agree():
    """The spaces of the adapters, and the API tests of PettingZoo and Gymnasium."""
    size = load_game(RAW).observation_size
    few = {"observation": "raw", "max_turns": 5}
    api_test(dig_envs.make(GO_DIG, **few), num_cycles=30)
    parallel_api_test(dig_envs.make_parallel(GO_DIG, illegal="terminate", **few), num_cycles=30)
    check_env(SingleLearnerEnv(GO_DIG, **few), skip_render_check=True)
    learner = dig_envs.LearnerBatch(GO_DIG, 2, num_threads=1, **few)
    learner.reset()
    vector = DigVectorEnv(GO_DIG, 2, num_threads=1, **few)
    assert vector.single_observation_space.shape == (size,)
    assert learner.observation.shape == vector.reset(seed=0)[0].shape == (2, size)
    assert vector.observation_space.contains(vector.reset(seed=0)[0])


def test_policies_are_for_one_kind_of_observation(tmp_path):
    """A policy's card says for which; elsewhere it is refused in words, whoever asks."""
    folders = {}
    for name in (GO_DIG, RAW):
        size, actions = load_game(name).observation_size, len(load_game(name).actions)
        shapes = {"layer0": (4, size), "policy": (actions, 4), "value": (1, 4)}
        weights = {f"{key}.weight": np.ones(one, np.float32) for key, one in shapes.items()}
        weights |= {f"{key}.bias": np.ones(one[0], np.float32) for key, one in shapes.items()}
        folders[name] = str(dig_envs.save_policy(tmp_path / name, name, weights))
    for name, other, kind in ((RAW, GO_DIG, "raw"), (GO_DIG, RAW, "the usual")):
        agent, words = dig_envs.load_agent(folders[name]), f"made for {kind} observations"
        env, batch = dig_envs.make(other), dig_envs.BatchEnv(other, 2, num_threads=1)
        env.reset(seed=0)
        with pytest.raises(PolicyMismatchError, match=words):
            dig_envs.load_agent(folders[name], env=other)
        with pytest.raises(PolicyMismatchError, match=words):
            dig_envs.LearnerBatch(other, 2, opponents=folders[name])
        for ask in (
            lambda agent, env, other: agent.act(env),
            lambda agent, env, other: play_games(other, [agent, agent], 1),
        ):
            with pytest.raises(PolicyMismatchError, match=f"plays {name}, not {other}"):
                ask(agent, env, other)
        with pytest.raises(ValueError, match="observation of"):
            agent.act_batch(batch.observation, batch.action_mask)
    raw = dig_envs.load_agent(folders[RAW])
    results = play_games(RAW, [raw, dig_envs.load_agent("heuristic", RAW)], 4)
    assert results.won.sum() == 4
    view = dig_envs.make(RAW)
    view.reset(seed=0)
    with pytest.raises(PolicyMismatchError, match=f"plays {RAW}, not {GO_DIG}"):
        raw.act_view(view.unwrapped.view("player_0"))


def test_what_is_refused():
    """Unknown kinds, and news that cannot be told."""
    doors = dig_envs.make, dig_envs.make_parallel, SingleLearnerEnv, DigVectorEnv, DigVecEnv
    for door in doors:
        with pytest.raises(OptionError, match=f"'{RAW}' says raw observations: leave"):
            door(RAW, **{"num_envs": 1} if door in doors[3:] else {}, observation="float32")
    with pytest.raises(OptionError, match="'float32', 'raw'"):
        dig_envs.make(GO_DIG, observation="sparse")
    with pytest.raises(OptionError, match="'raw'"):
        dig_envs.BatchEnv(GO_DIG, 2, observation="bare")
    with pytest.raises(OptionError):
        with_observation(GO_DIG, 1)
    with pytest.raises(ValueError, match="no environment"):
        load_game("go_dig_v7_raw")
    events = Events()
    number = events.add("counted", "…", "…", [Number("count"), Thing("thing", names="abc")])
    secret = events.add("hid", "…", "…", [Number("count")], private=True)
    good = News(4, (number,), ("count", "thing"))
    assert Columns(good, events, 2).width == 1 + 2 + 1 + 3
    for bad in (
        replace(good, rows=3),
        replace(good, kinds=(secret,), parts=("count",)),
        replace(good, parts=("colour",)),
        replace(good, split={"thing": {"count": [0, 1, 2]}}),
    ):
        with pytest.raises(RulesError, match="NEWS"):
            Columns(bad, events, 2)
