"""``best`` is the player that was measured to be the strongest for the options, and plays exactly
as that one does."""

import numpy as np
import pytest

from dig_envs import BatchEnv, PolicyMismatchError, load_agent, make
from dig_envs.agents.best import BestAgent, strongest
from dig_envs.agents.matches import play_games
from dig_envs.agents.search import SearchAgent
from dig_envs.arena import run
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.policies import Zoo

GAME = load_game("oak_island_v1")
TWO = GAME.complete_options({})
needs_games = pytest.mark.skipif(
    JIT_DISABLED, reason="whole games of scripted players are slow uncompiled"
)


@pytest.fixture
def zoo(tmp_path, monkeypatch):
    """A zoo of its own with two policies of Oak Island."""
    monkeypatch.setattr("dig_envs.agents.zoo.ZOOS", (tmp_path,))
    made = Zoo(tmp_path, GAME)
    for seed, name in enumerate(("a", "b")):
        made.policy(name, seed)
    return made


@pytest.mark.parametrize(
    ("order", "hashes", "best"),
    [
        (["search:sims=9", "b", "heuristic", "a", "random"], {}, "oak_island/b"),
        (["heuristic", "a", "b"], {}, "heuristic"),
        (["a", "b", "heuristic"], {"a": "0" * 64}, "oak_island/b"),
        (["gone", "a", "heuristic"], {}, "oak_island/a"),
    ],
    ids=["no search", "no policy beats the scripted player", "other weights than measured", "gone"],
)
def test_the_first_in_the_report_that_is_there(zoo, order, hashes, best):
    zoo.report(order, hashes=hashes)
    assert strongest(GAME, TWO) == best
    assert strongest(GAME, TWO, policies_only=True) == (
        best if best != "heuristic" else "oak_island/a"
    )


def test_number_of_players_options_and_games(zoo):
    """The report for the same number of players whose options differ least, and of those the one
    with the most games."""
    zoo.report(["a", "heuristic"], "ratings-1.json", deals=10)
    zoo.report(["b", "heuristic"], "ratings-2.json", deals=20)
    zoo.report(["heuristic", "a"], "ratings-3.json", deals=5, max_rounds=3)
    zoo.report(["a", "heuristic"], "ratings-4.json", deals=99, num_players=4)
    assert strongest(GAME, TWO) == "oak_island/b"
    assert strongest(GAME, GAME.complete_options({"max_rounds": 3})) == "heuristic"
    assert strongest(GAME, GAME.complete_options({"max_rounds": 3, "bag_red": 1})) == "heuristic"
    assert strongest(GAME, GAME.complete_options({"num_players": 4})) == "oak_island/a"
    assert strongest(GAME, GAME.complete_options({"num_players": 3})) == "heuristic"


def test_an_option_that_a_report_does_not_have_is_the_default(zoo):
    """The report is older than the option; its games were played as is usual now."""
    zoo.report(["a", "heuristic"], "ratings-1.json", left_out=["max_rounds"])
    zoo.report(["b", "heuristic"], "ratings-2.json", deals=99, max_rounds=3)
    assert strongest(GAME, TWO) == "oak_island/a"
    assert strongest(GAME, GAME.complete_options({"max_rounds": 3})) == "oak_island/b"


@pytest.mark.parametrize(("share", "found"), [(0.4, "oak_island/b"), (0.3, "heuristic")])
def test_cards_where_there_is_no_report(zoo, share, found):
    """The share of games that a policy wins against scripted players, beside an equal share; other
    line-ups say nothing."""
    row = {
        "options": {"num_players": 3},
        "agent": "oak_island/b",
        "games": 9,
        "won": {"mean": share},
    }
    rows = [
        {**row, "line_up": ["oak_island/b", "heuristic", "heuristic"]},
        {**row, "line_up": ["oak_island/b", "random", "random"], "won": {"mean": 1.0}},
        {
            **row,
            "line_up": ["oak_island/b", "heuristic", "heuristic"],
            "agent": "heuristic",
            "won": {"mean": 0.9},
        },
    ]
    zoo.policy("b", evaluation=rows)
    assert strongest(GAME, GAME.complete_options({"num_players": 3})) == found
    assert strongest(GAME, GAME.complete_options({"num_players": 4})) == "heuristic"


@needs_games
def test_plays_as_the_one_that_it_is(zoo):
    """``best`` chooses as the policy or player that is best for the number of players, in mixed
    batches and in a single game."""
    zoo.report(["a", "heuristic"], "ratings-2.json")
    zoo.report(["b", "heuristic"], "ratings-3.json", num_players=3)
    agent = load_agent("oak_island/best")
    assert agent.name == "oak_island/best"
    batch = BatchEnv("oak_island_v1", 40, seed=3, num_players=[2, 3, 4, 2] * 10)
    for _ in range(30):
        batch.step(batch.sample_actions())
    given = (batch.observation, batch.action_mask, batch.states, batch.mover)
    actions = agent.act_batch(*given)
    for players, name in ((2, "oak_island/a"), (3, "oak_island/b"), (4, "heuristic")):
        rows = np.flatnonzero(batch.states["num_players"] == players)
        single = load_agent(name, "oak_island_v1").act_batch(*(part[rows] for part in given))
        assert actions[rows].tolist() == single.tolist()
    env = make("oak_island_v1", num_players=3)
    env.reset(seed=1)
    assert agent.act(env) == load_agent("oak_island/b").act(env)
    with pytest.raises(ValueError, match="pass states and seats"):
        agent.act_batch(batch.observation, batch.action_mask)


@needs_games
def test_the_arena_says_who_it_is(zoo):
    zoo.report(["b", "heuristic"])
    found = run("oak_island_v1", ["random", "oak_island/best"], 4)
    assert found.settings["agents"][1] == {
        "agent": "oak_island/best",
        "plays": "oak_island/b",
        "weights_sha256": zoo.weights("b"),
    }
    by_name, itself = (
        run("oak_island_v1", ["heuristic", name], 20)
        for name in ("oak_island/best", "oak_island/b")
    )
    assert [entry.score for entry in by_name.standings] == [
        entry.score for entry in itself.standings
    ]


def test_with_search(zoo):
    """A policy guides the search; where none is the best, the search is the usual one. Settings are
    those of a search."""
    zoo.report(["a", "heuristic"], "ratings-2.json")
    zoo.report(["heuristic", "a"], "ratings-3.json", num_players=3)
    agent = load_agent("oak_island/best+search:sims=7:c=0.3", seed=5)
    guided, alone = (
        agent.for_options(TWO),
        agent.for_options(GAME.complete_options({"num_players": 3})),
    )
    assert isinstance(guided, SearchAgent)
    assert (
        guided.settings.sims,
        guided.settings.c,
        guided.settings.guide,
        guided.settings.seed,
    ) == (7, 0.3, "oak_island/a", 5)
    assert guided.guide.name == "oak_island/a"
    assert isinstance(alone, SearchAgent)
    assert (alone.settings.guide, alone.guide) == ("", None)
    assert load_agent("oak_island/best+search:200ms").for_options(TWO).settings.ms == 200
    assert agent.name == "oak_island/best+search:sims=7:c=0.3"


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("oak_island/best:sample", ValueError, "'best' has no settings"),
        ("oak_island/best+search:speed=3", ValueError, "no setting 'speed'"),
        ("oak_island/best+search:guide=oak_island/b", ValueError, "guide is given twice"),
        ("oak_island/a+search:guide=oak_island/b", ValueError, "guide is given twice"),
        ("oak_island/c+search:sims=2", ValueError, "no agent 'oak_island/c'"),
        ("go_dig/best", PolicyMismatchError, "is for go_dig, not for oak_island_v1"),
    ],
)
def test_bad_names(zoo, spec, error, words):
    zoo.report(["a", "heuristic"])
    with pytest.raises(error, match=words):
        load_agent(spec, "oak_island_v1").for_options(TWO)


@needs_games
def test_the_best_may_remember(tmp_path, monkeypatch):
    """A player that only one game has may be the best, and remembers here, too."""
    monkeypatch.setattr("dig_envs.agents.zoo.ZOOS", (tmp_path,))
    game = load_game("fossil_memory")
    Zoo(tmp_path, game).report(["fossil_memory/remembering", "heuristic"], recall="recent")
    assert (
        strongest(game, game.complete_options({"recall": "recent"})) == "fossil_memory/remembering"
    )
    agent = BestAgent(game, load_agent)
    assert agent.memory_size >= load_agent("fossil_memory/remembering").memory_size
    found = [
        play_games(
            "fossil_memory_v0", [player, load_agent("random", seed=1)], 6, 5, {"recall": "recent"}
        )
        for player in (agent, load_agent("fossil_memory/remembering"))
    ]
    assert found[0].scores.tolist() == found[1].scores.tolist()


def test_a_policy_is_still_the_one_that_was_measured_before_its_weights_were_rounded(zoo):
    zoo.report(["b", "heuristic", "a"], hashes={"b": "0" * 64})
    assert strongest(GAME, TWO) == "heuristic"
    zoo.policy("b", earlier_sha256=["0" * 64])
    assert strongest(GAME, TWO) == "oak_island/b"
