"""``best`` is the player that was measured to be the strongest for the options, and plays exactly as that one does."""

import json

import numpy as np
import pytest

from dig_envs import BatchEnv, PolicyMismatchError, load_agent, make
from dig_envs.agents.best import FORMAT, KIND, BestAgent, same_options, strongest
from dig_envs.agents.matches import play_games
from dig_envs.agents.search import SearchAgent
from dig_envs.arena import Report, run
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.compiler.sources import source_files
from dig_envs.engine.core.errors import ArenaError
from dig_envs.registry import load_game
from tests.agents.test_loading import change_card
from tests.training.random_network import random_network
from training.export import write_policy

GAME = load_game("oak_island")
TWO = GAME.complete_options({})
needs_games = pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")


@pytest.fixture
def zoo(tmp_path, monkeypatch):
    """A zoo of its own with two policies of Oak Island."""
    monkeypatch.setattr("dig_envs.agents.zoo.ZOOS", (tmp_path,))
    for seed, name in enumerate(("a", "b")):
        write_policy(tmp_path / GAME.name / name, GAME, random_network(GAME, seed), {})
    return tmp_path


def test_a_policy_is_still_the_one_that_was_measured_before_its_weights_were_rounded(zoo):
    keep_report(zoo, ["b", "heuristic", "a"], hashes={"b": "0" * 64})
    assert strongest(GAME, TWO) == "heuristic"
    change_card(zoo / GAME.name / "b", rounded_from_sha256="0" * 64)
    assert strongest(GAME, TWO) == "oak_island/b"


def weights(zoo, name):
    return json.loads((zoo / GAME.name / name / "card.json").read_text())["weights_sha256"]


def keep_report(zoo, order, file="ratings.json", deals=10, hashes=None, **options):
    """Return a report of an arena that has only the order of the agents, the options and the number of deals."""
    names = [name if name in ("random", "heuristic") or ":" in name else f"oak_island/{name}" for name in order]
    agents = [{"agent": name} for name in names]
    for agent, short in zip(agents, order, strict=True):
        if short in ("a", "b"):
            agent["weights_sha256"] = (hashes or {}).get(short) or weights(zoo, short)
    interval = {"mean": 0.0, "low": 0.0, "high": 0.0}
    standings = [
        {"agent": name, "rank": rank, "games": 1, "elo": interval, "group": 1, "points": 0.5, "wins": interval, "score": interval}
        for rank, name in enumerate(names, 1)
    ]
    settings = {
        "environment": "oak_island_v0",
        "options": {**TWO, **options},
        "agents": agents,
        "seed": 0,
        "block": 16,
        "dig_envs": "0",
    }
    plain = {"kind": "dig_envs arena", "format": 1, "settings": settings, "cooperative": False, "deals": deals, "games_per_deal": 2}
    path = zoo / GAME.name / file
    path.write_text(json.dumps({**plain, "anchor": "random", "standings": standings, "comparisons": []}))


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
    keep_report(zoo, order, hashes=hashes)
    assert strongest(GAME, TWO) == best
    assert strongest(GAME, TWO, policies_only=True) == (best if best != "heuristic" else "oak_island/a")


def test_number_of_players_options_and_games(zoo):
    """The report for the same number of players whose options differ least, and of those the one with the most games."""
    keep_report(zoo, ["a", "heuristic"], "ratings-1.json", deals=10)
    keep_report(zoo, ["b", "heuristic"], "ratings-2.json", deals=20)
    keep_report(zoo, ["heuristic", "a"], "ratings-3.json", deals=5, max_rounds=3)
    keep_report(zoo, ["a", "heuristic"], "ratings-4.json", deals=99, num_players=4)
    assert strongest(GAME, TWO) == "oak_island/b"
    assert strongest(GAME, GAME.complete_options({"max_rounds": 3})) == "heuristic"
    assert strongest(GAME, GAME.complete_options({"max_rounds": 3, "bag_red": 1})) == "heuristic"
    assert strongest(GAME, GAME.complete_options({"num_players": 4})) == "oak_island/a"
    assert strongest(GAME, GAME.complete_options({"num_players": 3})) == "heuristic"


@pytest.mark.parametrize(("share", "found"), [(0.4, "oak_island/b"), (0.3, "heuristic")])
def test_cards_where_there_is_no_report(zoo, share, found):
    """The share of games that a policy wins against scripted players, beside an equal share; other line-ups say nothing."""
    path = zoo / GAME.name / "b" / "card.json"
    row = {"options": {"num_players": 3}, "agent": "oak_island/b", "games": 9, "win_rate": {"mean": share}}
    rows = [
        {**row, "line_up": ["oak_island/b", "heuristic", "heuristic"]},
        {**row, "line_up": ["oak_island/b", "random", "random"], "win_rate": {"mean": 1.0}},
        {**row, "line_up": ["oak_island/b", "heuristic", "heuristic"], "agent": "heuristic", "win_rate": {"mean": 0.9}},
    ]
    path.write_text(json.dumps({**json.loads(path.read_text()), "evaluation": rows}))
    assert strongest(GAME, GAME.complete_options({"num_players": 3})) == found
    assert strongest(GAME, GAME.complete_options({"num_players": 4})) == "heuristic"


def test_no_zoo(tmp_path, monkeypatch):
    monkeypatch.setattr("dig_envs.agents.zoo.ZOOS", (tmp_path,))
    assert strongest(GAME, TWO) == "heuristic"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"kind": "dig_envs arena", "format": 1}', "the report is damaged"),
        ('{"kind": "dig_envs arena", "format": 2}', "no report of an arena of format 1"),
        ("[]", "the report is damaged"),
        ("{", "Expecting"),
    ],
)
def test_damaged_reports_are_named(zoo, text, words):
    (zoo / GAME.name / "ratings.json").write_text(text)
    with pytest.raises(ArenaError, match=rf"ratings\.json: .*{words}"):
        load_agent("oak_island/best")


def test_who_plays_does_not_depend_on_the_arena():
    """The hash of the code that chooses actions is also that of results; it must not change with how reports are made."""
    assert not [name for name in source_files(["dig_envs.agents.best"]) if name.startswith("dig_envs.arena")]
    assert (KIND, FORMAT) == (Report.KIND, Report.FORMAT)


@needs_games
def test_plays_as_the_one_that_it_is(zoo):
    """``best`` chooses as the policy or player that is best for the number of players, in mixed batches and in a single game."""
    keep_report(zoo, ["a", "heuristic"], "ratings-2.json")
    keep_report(zoo, ["b", "heuristic"], "ratings-3.json", num_players=3)
    agent = load_agent("oak_island/best")
    assert agent.name == "oak_island/best"
    batch = BatchEnv("oak_island_v0", 40, seed=3, num_players=[2, 3, 4, 2] * 10)
    for _ in range(30):
        batch.step(batch.sample_actions())
    given = (batch.observation, batch.action_mask, batch.states, batch.mover)
    actions = agent.act_batch(*given)
    for players, name in ((2, "oak_island/a"), (3, "oak_island/b"), (4, "heuristic")):
        rows = np.flatnonzero(batch.states["num_players"] == players)
        single = load_agent(name, "oak_island_v0").act_batch(*(part[rows] for part in given))
        assert actions[rows].tolist() == single.tolist()
    env = make("oak_island_v0", num_players=3)
    env.reset(seed=1)
    assert agent.act(env) == load_agent("oak_island/b").act(env)
    with pytest.raises(ValueError, match="pass states and seats"):
        agent.act_batch(batch.observation, batch.action_mask)


@needs_games
def test_the_arena_says_who_it_is(zoo):
    keep_report(zoo, ["b", "heuristic"])
    found = run("oak_island_v0", ["random", "oak_island/best"], 4)
    assert found.settings["agents"][1] == {
        "agent": "oak_island/best",
        "plays": "oak_island/b",
        "weights_sha256": weights(zoo, "b"),
    }
    by_name, itself = (run("oak_island_v0", ["heuristic", name], 20) for name in ("oak_island/best", "oak_island/b"))
    assert [entry.score for entry in by_name.standings] == [entry.score for entry in itself.standings]


def test_with_search(zoo):
    """A policy guides the search; where none is the best, the search is the usual one. Settings are those of a search."""
    keep_report(zoo, ["a", "heuristic"], "ratings-2.json")
    keep_report(zoo, ["heuristic", "a"], "ratings-3.json", num_players=3)
    agent = load_agent("oak_island/best+search:sims=7:c=0.3", seed=5)
    guided, alone = agent.for_options(TWO), agent.for_options(GAME.complete_options({"num_players": 3}))
    assert isinstance(guided, SearchAgent)
    assert (guided.settings.sims, guided.settings.c, guided.settings.guide, guided.settings.seed) == (7, 0.3, "oak_island/a", 5)
    assert guided.guide.name == "oak_island/a"
    assert isinstance(alone, SearchAgent)
    assert (alone.settings.guide, alone.guide) == ("", None)
    assert load_agent("oak_island/best+search:200ms").for_options(TWO).settings.ms == 200
    assert agent.name == "oak_island/best+search:sims=7:c=0.3"


def test_a_policy_guides(zoo):
    one, other = load_agent("oak_island/a+search:sims=7", seed=1), load_agent("oak_island/search:sims=7:guide=oak_island/a", seed=1)
    assert one.settings == other.settings
    assert load_agent("a+search:sims=7", "oak_island_v0").guide.name == "oak_island/a"


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("oak_island/best:sample", ValueError, "'best' has no settings"),
        ("oak_island/best+search:speed=3", ValueError, "no setting 'speed=3'"),
        ("oak_island/best+search:guide=oak_island/b", ValueError, "guide is given twice"),
        ("oak_island/a+search:guide=oak_island/b", ValueError, "guide is given twice"),
        ("oak_island/c+search:sims=2", ValueError, "no agent 'oak_island/c'"),
        ("go_dig/best", PolicyMismatchError, "is for go_dig, not for oak_island_v0"),
    ],
)
def test_bad_names(zoo, spec, error, words):
    keep_report(zoo, ["a", "heuristic"])
    with pytest.raises(error, match=words):
        load_agent(spec, "oak_island_v0").for_options(TWO)


def test_best_needs_the_game():
    with pytest.raises(ValueError, match="needs the environment"):
        load_agent("best")


def test_positions_with_the_same_options():
    batch = BatchEnv("fossil_canyon_v0", 6, seed=0, num_players=[2, 3, 2, 2, 3, 4])
    groups = same_options(batch.game, batch.states)
    assert sorted(map(list, groups)) == [[0, 2, 3], [1, 4], [5]]
    assert list(map(list, same_options(batch.game, batch.states[:1]))) == [[0]]
    assert same_options(batch.game, batch.states[:0]) == []


@needs_games
def test_the_best_may_remember():
    """In Fossil Memory with ``recall=recent`` the game's own player with a memory is the best, and it remembers here, too."""
    game = load_game("fossil_memory")
    options = game.complete_options({"recall": "recent"})
    assert strongest(game, options) == "fossil_memory/remembering"
    agent = BestAgent(game, load_agent)
    assert agent.memory_size >= load_agent("fossil_memory/remembering").memory_size
    found = [
        play_games("fossil_memory_v0", [player, load_agent("random", seed=1)], 6, 5, {"recall": "recent"})
        for player in (agent, load_agent("fossil_memory/remembering"))
    ]
    assert found[0].scores.tolist() == found[1].scores.tolist()
