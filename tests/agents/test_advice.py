"""Advice: the best actions with chances and reasons, from what the seat may know alone."""

import re

import numpy as np
import pytest

import dig_envs
from dig_envs.adapters.warmup import warm_up_steps
from dig_envs.agents.advice import advisable, advise, advise_on, in_order, stands_out
from dig_envs.agents.best import adviser
from dig_envs.agents.deciding import decision_of
from dig_envs.agents.memory import remembered
from dig_envs.agents.reasons import _weight, declared_reason, grounds
from dig_envs.engine.core.events import Event
from dig_envs.engine.event_log import EventLog
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.twenty_questions import components as questions
from dig_envs.games.twenty_questions import state as twenty
from dig_envs.registry import load_game
from tests.games import NEWEST, mostly_heuristic, needs_compiling, play

pytestmark = needs_compiling
LONGEST_REASON = 200  # characters, about
AGAINST = (  # what would speak against the move that it is told of
    r"already\.|does nothing|fills no row|\bnone (are|is) (sure|of)|farther|shows nothing|"
    r"scores nothing|face (up|down) \(|have none\b|yes for 0|right for 0|score at the end|"
    r"neither|% of the deals|\b0 (of|kinds)|\b1 of the \d+ parts are|\b1 spaces"
)


@pytest.fixture(autouse=True)
def few_games(monkeypatch):
    for name, value in (("ACTIONS", 1500), ("FIRST_ACTIONS", 500), ("DEALS_OF_REASONS", 6)):
        monkeypatch.setattr(f"dig_envs.agents.advice.{name}", value)


def every(number, name, most=4, **options):
    """Some positions of a game in which somebody decides, one in so many."""
    env = dig_envs.make(name, **options).unwrapped
    env.reset(seed=1)
    for count, _ in enumerate(play(env, np.random.default_rng(1), mostly_heuristic)):
        if count % number == 0:
            yield env
        if count > number * (most - 1):
            return


@pytest.mark.parametrize("name", NEWEST)
def test_entries_are_what_they_say(name):
    agent, reasons = dig_envs.load_agent("heuristic", env=name), set()
    for env in every(29, name):
        seat = env.seat_of(env.agent_selection)
        legal = {one["action"]: one for one in env.game.legal_texts(env.states, seat)}
        before = env.states.tobytes()
        found = advise(env, agent)
        assert env.states.tobytes() == before
        allowed = advisable(env.game, env.states, seat)
        plays = agent.act(env)
        assert [one.action for one in found if one.choice] == [plays] * (plays in allowed)
        shown = [one.score if env.game.cooperative else one.chance for one in found]
        others = [worth for worth, one in zip(shown, found, strict=True) if not one.choice]
        assert others == sorted(others, reverse=True)
        assert found[0].choice or shown[0] == max(shown)
        assert len({one.action for one in found} & {*allowed}) == len(found) == min(3, len(allowed))
        for one in found:
            assert one.text == legal[one.action]["text"]
            assert 0.0 <= one.chance <= 100.0
            assert one.games > 0
            assert f"{one.chance:.0f} %" in one.worth
            assert (f"score {one.score:.1f}" in one.worth) == env.game.cooperative
            assert ("its choice" in str(one)) == one.choice
            if one.reason:
                assert one.reason.endswith(".")
                assert 10 < len(one.reason) <= LONGEST_REASON, one.reason
                assert not re.search(AGAINST, one.reason), str(one)
            reasons.add(one.reason)
    assert len(reasons) > 2


@pytest.mark.parametrize("name", NEWEST)
def test_games_give_reasons_from_what_a_seat_sees(name):
    """For all legal actions; and the same in all deals that the seat cannot tell apart."""
    given, texts = set(), set()
    env = dig_envs.make(name).unwrapped
    game = env.game
    env.reset(seed=3)
    for count, _ in enumerate(play(env, np.random.default_rng(3), mostly_heuristic, most=150)):
        if count % 3:
            continue
        twin = dig_envs.make(name, **env.options).unwrapped
        twin.restore(env.snapshot())
        twin.determinize(env.agent_selection, 5)
        views = [one.view(env.agent_selection) for one in (env, twin)]
        seat = env.seat_of(env.agent_selection)
        for action in game.legal_actions(env.states, seat):
            first = game.action_list.group(action).first
            one, other = (declared_reason(game, game.reasons, view, seat, action) for view in views)
            assert one == other
            assert len(one) < LONGEST_REASON
            if one:
                given.add(first)
                texts.add(one)
                assert one[0].isupper() or one[0].isdigit()
                assert one.endswith(".")
    assert len(texts) > 3
    assert given <= game.reasons.keys()


def test_a_card_of_diggity_makes_what_its_reason_says():
    """Placing it tells of a tool or gold if, and only if, the reason says so."""
    gains, said = {"took", "stole", "pile_empty", "may_choose", "found_gold"}, set()
    for env in every(5, "diggity_v0", most=20):
        seat = env.seat_of(env.agent_selection)
        view = env.view(env.agent_selection)
        for action in env.game.legal_actions(env.states, seat):
            if env.game.actions[action].startswith("place"):
                log = EventLog(env.game, env.states)
                log.play(seat, action)
                makes = gains & {event.kind.name for event in log.told(seat)}
                reason = declared_reason(env.game, env.game.reasons, view, seat, action)
                assert (" it makes " in reason) == bool(makes), reason
                said.add(bool(makes))
    assert said == {True, False}


@pytest.mark.parametrize("name", NEWEST)
def test_advice_is_the_same_for_all_deals_that_look_alike(name):
    """And for a seat that has its view only, whatever that was completed to."""
    agent, different = dig_envs.load_agent("heuristic", env=name), 0
    for env in every(41, name):
        seat = env.seat_of(env.agent_selection)
        found = advise(env, agent)
        twin = dig_envs.make(name, **env.options).unwrapped
        twin.restore(env.snapshot())
        twin.determinize(env.agent_selection, 7)
        different += twin.states.tobytes() != env.states.tobytes()
        assert advise(twin, agent) == found
        for seed in (1, 2):
            assert dig_envs.Seat(env.view(env.agent_selection), seat, seed).advise(agent) == found
    assert different


@pytest.mark.parametrize(
    "agent",
    [
        "go_dig/policy",
        "go_dig/policy:sample",
        "best",
        "easy",
        "search:sims=60",
        "best+search:sims=30",
    ],
)
def test_an_agent_advises_what_it_plays(agent):
    first, second = (dig_envs.load_agent(agent, env="go_dig_v0", seed=3) for _ in range(2))
    for env in every(9, "go_dig_v0", num_players=2):
        assert choice_of(advise(env, first)) == second.act(env)


def choice_of(found):
    """What the agent plays that gave the advice."""
    return next(one.action for one in found if one.choice)


def test_what_is_better_by_more_than_chance_comes_before_the_choice():
    """And only that; all others are in the order of what they are worth."""
    worths = [0.4, 0.6, 0.5]
    steady = [[worth + 0.01 * part for worth in worths] for part in range(10)]
    assert in_order(worths, steady, True) == in_order(worths, steady, False) == [1, 2, 0]
    noisy = [[0.4, 0.6 + (-1) ** part, 0.5 - (-1) ** part] for part in range(10)]
    assert in_order(worths, noisy, True) == [0, 1, 2]
    assert in_order(worths, noisy, False) == [1, 2, 0]
    alike = [[0.5] * 3] * 10
    assert in_order([0.5] * 3, alike, True) == in_order([0.5] * 3, alike, False) == [0, 1, 2]
    assert stands_out([1.0] * 9 + [0.9], 2.0)
    assert not stands_out([-1.0] * 9 + [-0.9], 2.0)
    assert not stands_out([1.0, -1.0] * 5, 1.0)


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        (["best+search:1000ms"], "cretaceous_creek/two-players"),
        (["human", "cretaceous_creek/two-players+search:sims=9"], "cretaceous_creek/two-players"),
        (["easy"], "heuristic"),
        (["search:200ms"], "heuristic"),
        (["human", "python:mine:Agent"], "heuristic"),
        ([], "heuristic"),
    ],
)
def test_in_a_cooperative_game_the_policy_of_a_partner_advises(players, expected):
    game = load_game("cretaceous_creek_v0")
    assert adviser(game, game.complete_options({"num_players": 2}), players) == expected
    other = load_game("go_dig_v0")
    assert adviser(other, other.complete_options({}), players) == other.player_for_people


@pytest.mark.parametrize("name", ["cretaceous_creek_v0", "dino_dig_v0"])
def test_warming_up_calls_what_positions_with_many_actions_ask_for(name, monkeypatch):
    """Where advice would wait for the compiler else."""
    kernels, called = load_game(name).kernels, []
    styled = kernels.styled_actions
    monkeypatch.setattr(kernels, "styled_actions", lambda *given: called.append(styled(*given)))
    for step, run in warm_up_steps(load_game(name)):
        if step in ("environment", "events", "advice"):
            run()
    assert called


def test_hidden_choices_are_those_of_the_scripted_player():
    """What a player has chosen out of sight is dealt as the scripted player chooses: a deal at even
    odds makes it weak, and the chance of the others jumps to nearly 100 %."""
    env = dig_envs.make("the_big_dig_v0").unwrapped
    agent = dig_envs.load_agent("heuristic", env="the_big_dig_v0")
    env.reset(seed=5)
    chances = []
    while len(chances) < 6:
        if env.game.mask_of(env.states, env.seat_of(env.agent_selection)).sum() > 1:
            chances.append(advise(env, agent, 1)[0].chance)
        env.step(agent.act(env))
    assert all(20 < chance < 80 for chance in chances), chances
    seat, models = env.seat_of(env.agent_selection), set()
    for seed in range(20):
        dealt = env.states.copy()
        env.game.playouts.imagine_one(dealt, seat, np.uint64(seed))
        models.add(dealt["models"][0, 1 - seat].tobytes())
    assert len(models) > 1, "deals differ in them"


def test_a_policy_ranks_by_its_probabilities_and_a_search_by_its_visits():
    policy = dig_envs.load_agent("go_dig/policy", env="go_dig_v0")
    search = dig_envs.load_agent("search:sims=200:guide=none", env="go_dig_v0")
    for env in every(11, "go_dig_v0", num_players=2):
        seen = env.look(env.agent_selection)
        logits = policy.evaluate(seen["observation"][None], seen["action_mask"][None])[0][0]
        legal = advisable(env.game, env.states, env.seat_of(env.agent_selection))
        by_policy = sorted(legal, key=lambda action: -logits[action])[:4]
        assert {one.action for one in advise(env, policy, top=4)} == {*by_policy}
        visits = search.search(env.states, env.seat_of(env.agent_selection)).visits
        by_visits = {visits[one.action] for one in advise(env, search, top=4)}
        assert min(by_visits) >= sorted(visits[legal], reverse=True)[:4][-1]


def test_an_agent_with_a_memory_advises_from_it():
    env = dig_envs.make("fossil_memory_v0", recall="none").unwrapped
    env.reset(seed=2)
    asked, plays = (
        dig_envs.load_agent("fossil_memory/remembering", env="fossil_memory_v0") for _ in range(2)
    )
    for _ in play(env, np.random.default_rng(0), lambda env, _: plays.act(env), most=40):
        assert advise(env, asked, top=1)[0].action == plays.act(env)


def test_an_agent_with_a_memory_gives_reasons_and_chances_from_it():
    """What the seat has seen is said to be so, is dealt to nobody else, and what it has not seen is
    not told of: a seat with its view only, which has hidden cards as they may be, says the same."""
    env = dig_envs.make("fossil_memory_v0", recall="none").unwrapped
    env.reset(seed=2)
    game, said = env.game, set()
    agent = dig_envs.load_agent("fossil_memory/remembering", env="fossil_memory_v0")
    for count, _ in enumerate(
        play(env, np.random.default_rng(0), lambda env, _: agent.act(env), most=40)
    ):
        seat, log = env.seat_of(env.agent_selection), env.event_log
        if count % 3 or not log.played:
            continue
        memory = remembered(agent, game, log.first, log.played, seat)
        asked = decision_of(env, agent, None)
        found = advise_on(game, agent, asked._replace(memory=memory.copy()), top=8)
        twin = env.states.copy()
        game.kernels.determinize_one(twin, seat, np.uint64(9))
        again = asked._replace(states=twin, memory=memory.copy())
        assert advise_on(game, agent, again, top=8) == found
        grid, up = env.snapshot()["grid"], env.snapshot()["up"]
        for one in found:
            place = one.action
            name = deck.TYPE_NAMES[deck.TYPES.index(grid[place])]
            assert one.reason.startswith(f"You saw {name} here") == bool(memory[0, place])
            fits = not up or grid[place][:3] == grid[box.PLACES.index(up[0])][:3]
            assert ("does not fit" in one.reason) == (bool(memory[0, place]) and not fits)
            if "whole skeleton" in one.reason:
                game.kernels.apply_one(twin := env.states.copy(), seat, place)
                gained = int(twin["scores"][0][seat] - env.states["scores"][0][seat])
                assert f"{gained} points" in one.reason
                assert gained > 0
            said.add(re.sub(r"saw \S+|\d+", "", one.reason))
    assert len(said) > 5


def test_what_is_seen_may_not_be_what_is_known():
    """An agent that remembers nothing speaks of what is in sight, not of what a person knows."""
    env = dig_envs.make("fossil_memory_v0", recall="none").unwrapped
    env.reset(seed=2)
    agent, said = dig_envs.load_agent("heuristic", env="fossil_memory_v0"), set()
    for _ in play(env, np.random.default_rng(0), mostly_heuristic, most=12):
        said.update(one.reason for one in advise(env, agent))
    assert any("cannot see now" in reason for reason in said)
    assert not any("do not know" in reason or "as good" in reason for reason in said)


def test_questions_that_tell_nothing_are_not_advised():
    """Nor guesses that cannot be right; and the shares that are told are those of the deals."""
    env = dig_envs.make("twenty_questions_v0").unwrapped
    env.reset(seed=4)
    game, useless, shares = env.game, 0, []
    for count, _ in enumerate(play(env, np.random.default_rng(4), mostly_heuristic, most=60)):
        if count % 4:
            continue
        seat, view = env.seat_of(env.agent_selection), env.view(env.agent_selection)
        allowed, dealt = advisable(game, env.states, seat), env.states.copy()
        hidden = []
        for seed in range(60):
            dealt[0] = env.states[0]
            game.kernels.determinize_one(dealt, seat, np.uint64(seed))
            hidden.append(int(dealt["card"][0]) - 1)
        for action in game.legal_actions(env.states, seat):
            if game.actions[action].startswith("pass"):
                continue
            guess = action - twenty.A_GUESS
            yes = [
                card == guess if guess >= 0 else bool(questions.YES[action] >> card & 1)
                for card in hidden
            ]
            if action not in allowed:
                useless += 1
                assert len(set(yes)) == 1
                continue
            reason = declared_reason(game, game.reasons, view, seat, action)
            number, cards = map(int, re.findall(r"(\d+) of the (\d+) cards", reason)[0])
            assert guess >= 0 or 0 < number < cards
            shares.append((number / cards, sum(yes) / len(yes)))
    assert useless > 20
    assert max(abs(one - other) for one, other in shares) < 0.3  # four standard errors
    assert np.mean(np.subtract(*zip(*shares, strict=True))) == pytest.approx(0, abs=0.02)


def test_nobody_breaks_up_what_a_partner_has():
    """A fossil of Cretaceous Creek changes hands for a reason only if more is then together."""
    words = {True: 0, False: 0}
    env = dig_envs.make("cretaceous_creek_v0").unwrapped
    env.reset(seed=0)
    for _ in play(env, np.random.default_rng(0), mostly_heuristic):
        seat, view = env.seat_of(env.agent_selection), env.view(env.agent_selection)
        for action in env.game.legal_actions(env.states, seat):
            kind, fossil, *_ = [*env.game.actions[action].split(), ""]
            if kind not in ("give", "get"):
                continue
            reason = declared_reason(env.game, env.game.reasons, view, seat, action)
            words[bool(reason)] += 1
            if not reason:
                continue
            most = []
            twin = env.states.copy()
            for states in (env.states, twin):
                if states is twin:
                    env.game.kernels.apply_one(twin, seat, action)
                stored = env.game.to_snapshot(states[0])["storage"]
                most.append(max(sum(one[:3] == fossil[:3] for one in {*own}) for own in stored))
            together, of_all = map(int, re.findall(r"(\d) of the (\d)", reason)[0])
            assert together == most[1] or (together, most[1]) == (of_all, 0)  # to the museum
            assert together > most[0]
    assert words[True]
    assert words[False]


def test_what_is_lost_is_no_gain():
    """A fossil that leaves the hidden hand as it is turned up is nothing that a seat gets."""
    game = load_game("fossil_canyon_v0")
    kind = next(kind for kind in game.events.kinds if kind.name == "turned_up")
    event = Event(kind, 0, {"fossil": "TYR1"}, 0, True)
    assert _weight(grounds(game), event, 0, stage=0) <= 0
    down = next(kind for kind in game.events.kinds if kind.name == "turned_down")
    assert _weight(grounds(game), Event(down, 0, event.values, 0, True), 0, stage=0) <= 0


def test_nothing_is_advised_of_which_people_are_warned():
    """Not even by an agent that would do it; and there is always some advice."""
    env = dig_envs.make("cretaceous_creek_v0").unwrapped
    game, warned = env.game, 0

    class Grave:
        """Does what people are warned of, where it can."""

        name = "grave"

        def act_batch(self, observations, masks, states, seats):
            marked = game.grave_of(states, seats, masks) != 0
            return np.where(marked.any(1), marked.argmax(1), masks.argmax(1))

    env.reset(seed=1)
    for count, _ in enumerate(play(env, np.random.default_rng(1), mostly_heuristic)):
        warnings = game.warnings_of(env.states, env.seat_of(env.agent_selection))
        if count % 5 or not any(warnings):
            continue
        warned += 1
        found = advise(env, Grave(), top=20)
        assert found
        assert not any(warnings[one.action] for one in found)
        if warned == 6:
            return


def test_chances_are_shares_of_the_victory():
    """A certain victory is 100 %, and a game that cannot be won any more 0 %."""
    agent = dig_envs.load_agent("heuristic", env="go_dig_v0")
    env = next(every(1, "go_dig_v0", num_players=2))
    for _ in play(env, np.random.default_rng(1), mostly_heuristic):
        if sum(map(len, env.snapshot()["hands"])) < 6 and not env.snapshot()["pile"]:
            found, seat = advise(env, agent)[0], env.seat_of(env.agent_selection)
    assert found.chance == 100.0 * bool(env.states["winners"][0][seat])


@pytest.mark.parametrize("num_players", [2, 3])
def test_chances_of_a_seat_are_those_of_its_games(num_players):
    """What is told for an action is how often the seat wins when it is played on from re-deals."""
    game = load_game("go_dig_v0")
    agent = dig_envs.load_agent("heuristic", env="go_dig_v0")
    env = next(every(5, "go_dig_v0", num_players=num_players))
    seat = env.seat_of(env.agent_selection)
    for one in advise(env, agent):
        won = 0.0
        for seed in range(1, one.games + 1):
            twin = dig_envs.make("go_dig_v0", **env.options).unwrapped
            twin.restore(env.snapshot())
            twin.states[:] = env.states
            game.playouts.imagine_one(twin.states, seat, np.uint64(seed))
            game.kernels.apply_one(twin.states, seat, one.action)
            while not twin.states["over"][0]:
                mover, chosen = np.array([int(twin.states["to_move"][0])]), np.zeros(1, np.int64)
                game.kernels.heuristic_actions(twin.states, 0, 1, mover, chosen)
                game.kernels.apply_one(twin.states, int(mover[0]), int(chosen[0]))
            winners = twin.states["winners"][0]
            won += bool(winners[seat]) / winners.sum()
        assert one.chance == pytest.approx(100 * won / one.games, abs=0.051)


def test_what_is_certain_is_said_to_be():
    """The last card of a genus that another seat is known to have."""
    agent, certain = dig_envs.load_agent("heuristic", env="go_dig_v0"), 0
    for env in every(1, "go_dig_v0", most=60, num_players=2):
        found = advise(env, agent, top=1)[0]
        if found.reason.startswith("You build") and found.reason.endswith("(certain)."):
            certain += 1
            scores = env.states["scores"][0].copy()
            seat = env.seat_of(env.agent_selection)
            twin = dig_envs.make("go_dig_v0", **env.options).unwrapped
            twin.restore(env.snapshot())
            twin.step(found.action)
            assert twin.states["scores"][0][seat] > scores[seat]
    assert certain


def test_what_is_wrong_is_refused():
    env = dig_envs.make("go_dig_v0").unwrapped
    env.reset(seed=1)
    agent = dig_envs.load_agent("heuristic", env="go_dig_v0")
    for top in (0, 21, -1):
        with pytest.raises(ValueError, match="top"):
            advise(env, agent, top)
    for top in ("3", 2.5, True):
        with pytest.raises(TypeError, match="top"):
            advise(env, agent, top)
    with pytest.raises(TypeError, match="an agent is what load_agent returns"):
        advise(env, "heuristic")
    with pytest.raises(ValueError, match="no decision"):
        advise(env, agent, who=next(a for a in env.possible_agents if a != env.agent_selection))
    other = dig_envs.load_agent("heuristic", env="diggity_v0")
    with pytest.raises(dig_envs.PolicyMismatchError):
        advise(env, other)
