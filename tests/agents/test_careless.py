"""Players at the levels for people make plausible mistakes and do nothing grave, and people are
warned by the same rule."""

import json

import numpy as np
import pytest

from dig_envs import BatchEnv
from dig_envs.agents.careless import CarelessAgent
from dig_envs.agents.loading import load_agent, load_opponent
from dig_envs.agents.matches import play_games
from dig_envs.agents.memory import memory_size
from dig_envs.agents.names import LEVELS
from dig_envs.agents.protocol import for_options
from dig_envs.commands.terminal import Match
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.grave import ENDS_IN_DEFEAT, ENDS_WITHOUT_VICTORY, OWN, THROWS_AWAY
from dig_envs.engine.core.state import as_records, new_records
from dig_envs.registry import list_environments, load_game
from tests.games import positions
from tests.rules.dino_dig import positions as dino_dig
from tests.rules.dino_dig.reference import DECK
from tests.server.asking import Client

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="whole games take too long without compiling")
TEAM = "cretaceous_creek_v0"
SMOKE, MANY = 6, 2000  # games
FIRST_OTHER_DEAL = 1000  # the seed of the first deal that the players do not use
OTHER_DEALS = 100
MANY_DEALS = 10_000  # for what these find: a player may have seen a chance of one in 1000
NEARLY = 0.95  # what holds in more of the deals may seem sure to a player, who looks at fewer


class OtherDeals:
    """What the actions of a seat do at once in other deals than the players look at.

    Args:
        game: that is played.
        states: the position, a record array of length 1.
        seat: that decides.
        count: of the deals that are looked at.
    """

    def __init__(self, game, states, seat, count=OTHER_DEALS):
        self.game, self.seat, self.count = game, seat, count
        self._position, self._dealt = states.view(np.uint8), []
        self._world = new_records(1, game.state)
        self._bytes = self._world.view(np.uint8)
        self._over = self._world["over"]
        self._winners = self._world["winners"][0, : int(states["num_players"][0])]

    def _deal(self, number):
        """Put a deal of what the seat cannot know into the world; each is dealt once."""
        if number < len(self._dealt):
            self._bytes[:] = self._dealt[number]
            return
        self._bytes[:] = self._position
        self.game.kernels.determinize_one(
            self._world, self.seat, np.uint64(FIRST_OTHER_DEAL + number)
        )
        self._dealt.append(self._bytes.copy())

    def does(self, action, number):
        """True, the action wins; False, it ends the game in defeat; None: neither."""
        self._deal(number)
        self.game.kernels.apply_one(self._world, self.seat, action)
        if not self._over[0]:
            return None
        alone = bool(
            self._winners[self.seat] and (self.game.cooperative or self._winners.sum() == 1)
        )
        return alone if alone or not self._winners[self.seat] else None

    def always(self, action, wanted):
        """Whether the action does what is wanted in all deals."""
        return all(self.does(action, number) is wanted for number in range(self.count))

    def share(self, action, wanted):
        """In how many of the deals, 0 to 1, the action does what is wanted."""
        return np.mean([self.does(action, number) is wanted for number in range(self.count)])


def is_grave(game, states, seat, action, count=OTHER_DEALS):
    """Found in another way than the players find it: with other deals, and by the texts. What it
    costs must be more than what a player cannot see."""
    others = [one for one in game.legal_actions(states, seat) if one != action]
    deals = OtherDeals(game, states, seat, count)
    if any(deals.always(one, True) for one in others):
        return deals.share(action, True) < NEARLY
    return deals.always(action, False) and any(deals.share(one, False) < NEARLY for one in others)


def puts_out(game, states, seat, action):
    """Whether an act in Cretaceous Creek ends a player's part, or puts out of the game what the
    museum needs and nobody else stores."""
    name = game.actions[action]
    if not name.startswith(("evacuate", "discard", "clear")):
        return False
    before = game.to_snapshot(states[0])
    if len(before["museum"]) == 6 or before["phase"] != "act":
        return False
    if name == "evacuate":
        return True
    world = states.copy()
    game.kernels.apply_one(world, seat, action)
    after = game.to_snapshot(world[0])
    # the turn may end with it, and the storm puts out more
    put = name.split()[1:] if name.startswith("discard") else after["out"]
    lost = next(one for one in put if after["out"].count(one) > before["out"].count(one))
    stored = [one for storage in after["storage"] for one in storage]
    return lost != "EDM" and lost[:3] not in before["museum"] and lost not in stored


def grave_acts(game, player, games, **options):
    """Play games, and return the grave actions that were taken where there was another choice:
    those that put something out, and those among the last three of a game."""
    batch = BatchEnv(game.env_name, batch_size=games, seed=5, **options)
    size = player.memory_size
    memory = np.zeros((games, game.max_players, size), np.float32)
    running, recent, found = np.ones(games, bool), [[] for _ in range(games)], []
    while running.any():
        playing, mask = np.flatnonzero(running), batch.action_mask[running]
        # as bytes: NumPy copies records field by field, which takes longer
        states = batch.states.view((np.void, game.state.itemsize))[playing].view(game.state)
        movers = batch.mover[playing]
        kept = memory[playing, movers]
        seen = (batch.dense_observation(playing), mask, as_records(states), movers)
        chosen = np.zeros(games, np.int64)
        chosen[playing] = player.act_batch(*seen, *((kept,) if size else ()))
        memory[playing, movers] = kept
        ended = batch.step(chosen, running)[2].copy()
        for place in np.flatnonzero(mask.sum(axis=1) > 1):
            one = playing[place]
            decision = states[place : place + 1], int(movers[place]), int(chosen[one])
            recent[one] = [*recent[one][-2:], decision]
            if game.env_name == TEAM and puts_out(game, *decision):
                found.append(decision)
        for one in np.flatnonzero(ended):
            found += [
                decision
                for decision in recent[one]
                if is_grave(game, *decision) and is_grave(game, *decision, MANY_DEALS)
            ]
            recent[one] = []
        running &= ~ended
    return [game.actions[one[2]] for one in found if not only_grave(game, *one)]


def only_grave(game, states, seat, action):
    """Whether all else that is legal is as grave."""
    legal, team = game.legal_actions(states, seat), game.env_name == TEAM
    out = [team and puts_out(game, states, seat, one) for one in legal]
    if out[legal.index(action)]:
        return all(out)
    return all(o or is_grave(game, states, seat, one) for o, one in zip(out, legal, strict=True))


@pytest.mark.parametrize("games", [SMOKE, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", list_environments())
def test_levels_do_nothing_grave(name, level, games):
    game = load_game(name)
    counts = {game.min_players, game.max_players}
    for count in counts:
        player = load_agent(level, name, seed=3)
        assert not grave_acts(game, player, games // len(counts), num_players=count)


@pytest.mark.parametrize(
    "name", ["diggity_v0", "dino_dig_v0", "fossil_canyon_v0", "twenty_questions_v0"]
)
def test_random_players_are_found_out(name):
    """What the test above would find. In the other games they rarely do what is surely grave."""
    game = load_game(name)
    assert grave_acts(game, load_agent("random", name, seed=1), 4, num_players=game.min_players)


def test_a_chance_of_one_in_1000_is_one():
    """Who goes home in Dino Dig with five cards that make no run loses against 13 unknown cards,
    and in 0.06 % of the deals does not against nine: that is not surely a defeat."""
    mine, theirs = (
        ["2H", "5S", "8C", "JC", "2C"],
        ["6D", "TD", "8S", "AS", "3D", "QD", "9H", "7S", "4C", "5H", "TH", "KD", "6C"],
    )
    for unknown, sure in [(9, False), (len(theirs), True)]:
        snapshot = dino_dig.base("final").snapshot
        hidden = theirs[:unknown]
        snapshot["museums"] = [
            [dino_dig.card(code, 0) for code in mine],
            [dino_dig.card(code, 1) for code in hidden],
        ]
        snapshot["site"] = {text: [] for text in snapshot["site"]}
        snapshot["site"]["2,2"] = [
            dino_dig.lying(code) for code in DECK if code not in mine + hidden
        ]
        snapshot["backpacks"] = [[None] * 3] * 2
        snapshot["pieces"][1] = ["2,2", "home", "home"]
        game, states = dino_dig.GAME, dino_dig.Position(snapshot).states
        home = game.action_index["P1 move home"]
        assert is_grave(game, states, 0, home, MANY_DEALS) == sure
        if sure:
            mask = game.mask_of(states, 0)[None]
            assert game.grave_of(states, np.zeros(1, np.int64), mask)[0, home] == ENDS_IN_DEFEAT


@pytest.mark.parametrize("name", ["heuristic", "cretaceous_creek/two-players"])
def test_a_policy_and_the_scripted_player_are_held_back_too(name):
    """The policy takes what it finds the best of the others; alone both put out what is needed."""
    game, player = load_game(TEAM), load_agent(name, TEAM)
    assert grave_acts(game, player, 8, level="beginner")
    held_back = CarelessAgent(player, game, None, seed=1)
    assert held_back.name == player.name
    assert not grave_acts(game, held_back, 8, level="beginner")


@pytest.mark.parametrize("level", [*LEVELS, "best"])
def test_opponents_of_people_do_nothing_grave(level):
    game = load_game(TEAM)
    assert isinstance(Match(game, level, {}, 1).players[0], CarelessAgent)
    player = load_opponent(level, game)
    assert isinstance(player, CarelessAgent)
    assert not grave_acts(game, player, 8, level="beginner")


def test_best_is_held_back_against_people_only():
    """Also where its player remembers."""
    assert not isinstance(load_agent("best", TEAM), CarelessAgent)
    for name in list_environments():
        game = load_game(name)
        for options in ({"num_players": game.min_players}, {"num_players": game.max_players}):
            options = game.complete_options(options)
            player = for_options(load_opponent("best", game), options)
            assert isinstance(player, CarelessAgent)
            assert player.memory_size == memory_size(for_options(load_agent("best", name), options))
            if name in (TEAM, "fossil_memory_v0"):
                assert not grave_acts(game, player, 1, **options)


def test_the_stronger_warning():
    """The warning of an act that ends the game says so, also where the game finds it grave."""
    game, both = load_game(TEAM), 0
    for env in positions(TEAM, {"level": "expert"}, games=20, every=2):
        states, seat = env.states, int(env.states["to_move"][0])
        mask = game.mask_of(states, seat)
        kinds = game.grave_of(states, np.array([seat], np.int64), mask[None])[0]
        asked = game.warnings_of(states, seat)
        if not mask.any() or (kinds == THROWS_AWAY).any():
            continue
        for action in np.flatnonzero(mask):
            if puts_out(game, states, seat, action) and (
                OtherDeals(game, states, seat).always(action, False)
            ):
                both += 1
                assert kinds[action] == ENDS_IN_DEFEAT
                assert asked[action] == ENDS_WITHOUT_VICTORY
    assert both


def test_a_careless_player_needs_another_choice():
    """Where all that is legal is grave, nothing counts as grave."""
    for name in list_environments():
        game = load_game(name)
        for env in positions(name, {}, games=2, every=7):
            states = env.states
            seats = states["to_move"].astype(np.int64)
            mask = game.mask_of(states, int(seats[0]))
            grave = game.grave_of(states, seats, mask[None])[0]
            assert not grave[mask == 0].any()
            assert (mask.astype(bool) & (grave == 0)).any()
            other = states.copy()  # nothing is read but what the seat may know
            game.kernels.determinize_one(other, int(seats[0]), np.uint64(77))
            assert (game.grave_of(other, seats, mask[None])[0] == grave).all()
            check_mistakes(game, states, other, mask, grave)


def check_mistakes(game, states, other, mask, grave):
    """They are other actions, none of them grave, the same in a position that the seat sees alike;
    without one only what is grave is replaced."""
    calm, seats = np.flatnonzero(mask & (grave == 0)), states["to_move"].astype(np.int64)
    meant = int((mask + grave).argmax())  # what is grave, if there is any
    for mistaken, draw in [(True, 0.0), (True, 0.9), (False, 0.0)]:
        asked = np.array([meant], np.int64), np.array([mistaken]), np.array([draw])
        (found,) = game.settle(states, seats, mask[None], *asked)
        assert game.settle(other, seats, mask[None], *asked) == [found]
        assert found in calm
        assert (found == meant) == (not grave[meant] and not (mistaken and len(calm) > 1))


@pytest.mark.parametrize("games", [10, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_easy_games_end(num_players, games):
    """On Oak Island random players mostly play on to the limit, where nobody wins."""
    player = load_agent("easy", "oak_island_v1", seed=1)
    played = play_games(
        "oak_island_v1", [player] * num_players, games, options={"num_players": num_players}
    )
    assert (~played.winners.any(axis=1)).mean() < 0.01


def test_people_are_warned_of_what_is_grave():
    game, client, words = load_game(TEAM), Client(), set()
    for env in positions(TEAM, {}, games=4, every=3):
        seat = int(env.states["to_move"][0])
        snapshot = json.loads(json.dumps(game.to_snapshot(env.states[0])))
        made = client.call("load", environment=TEAM, snapshot=snapshot)["game"]
        grave = game.grave_of(
            env.states, np.array([seat], np.int64), game.mask_of(env.states, seat)[None]
        )[0]
        for choice in client.call("choices", game=made, seat=seat):
            assert (choice["warning"] != "") == (grave[choice["action"]] in (ENDS_IN_DEFEAT, OWN))
            words.add(choice["warning"])
        client.call("close", game=made)
    assert any("leave the dig site" in one.lower() for one in words)
    assert any("Discard it?" in one for one in words)
    assert "" in words
