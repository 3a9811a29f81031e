"""What was measured lies beside the policies; where it is missing, damaged, or of another version,
there are others to play."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from dig_envs import PolicyMismatchError, load_agent
from dig_envs.agents import measured, zoo
from dig_envs.agents.best import strongest
from dig_envs.agents.careless import CarelessAgent
from dig_envs.agents.measured import KIND, equal_levels, parse_players, read_file, read_players
from dig_envs.agents.names import LEVELS
from dig_envs.agents.onnx import read_card
from dig_envs.agents.search import load_search
from dig_envs.agents.search_settings import usual_guide
from dig_envs.agents.zoo import PACKAGE, is_measured, policies_of
from dig_envs.arena.levels import keep_levels, options_for_people
from dig_envs.arena.report import Report
from dig_envs.engine.compiler.sources import source_files
from dig_envs.engine.core.errors import ArenaError
from dig_envs.engine.core.installing import how_to_install
from dig_envs.registry import list_environments, load_game
from tests.policies import Zoo

GAME = load_game("oak_island_v0")
NEXT = load_game("oak_island_v1")
TWO = GAME.complete_options({})
PLAYERS = sorted((PACKAGE.parent / "policies").glob("*/players.json"))


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A zoo of its own with two policies of Oak Island, of which the first guides and is the
    best."""
    monkeypatch.setattr(zoo, "ZOOS", (tmp_path,))
    monkeypatch.setattr(zoo, "_told", set())
    made = Zoo(tmp_path, GAME)
    guides = [made.policy(name, seed) for seed, name in enumerate(("a", "b"))]
    made.players(guides, easy="random", medium="heuristic:careless=0.1", hard="oak_island/b")
    made.report(["a", "b", "heuristic"])
    return made


@pytest.fixture
def told(monkeypatch):
    """The lines that are written to stderr."""
    lines = []
    monkeypatch.setattr(zoo, "say", lines.append)
    return lines


def chosen(game=GAME):
    """Who guides, who is the best, and who are the levels."""
    levels = (
        {level: load_agent(level, game.env_name, seed=1).name for level in LEVELS}
        if game is GAME
        else {}
    )
    return {"guide": usual_guide(game), "best": strongest(game, TWO), **levels}


MEASURED = {
    "guide": "oak_island/a",
    "best": "oak_island/a",
    "easy": "random",
    "medium": "heuristic:careless=0.1",
    "hard": "oak_island/b",
}
FALLBACKS = {
    "guide": "",
    "best": "heuristic",
    "easy": "heuristic:careless=0.4",
    "medium": "heuristic:careless=0.2",
    "hard": "heuristic",
}


def test_what_was_measured(own, told):
    assert chosen() == MEASURED
    assert load_search("sims=4", GAME, 1).guide.name == "oak_island/a"
    assert policies_of(GAME) == ["oak_island/a", "oak_island/b"]
    assert told == []


@pytest.mark.parametrize(
    ("over", "is_equal"),
    [
        ([0.5, 0.497, 0.503], True),
        ([0.508, 0.47, 0.545], True),
        ([0.55, 0.501, 0.6], False),  # the stronger one is stronger
        ([0.45, 0.4, 0.499], False),
        ([0.52, 0.44, 0.6], False),  # too few games to say
    ],
)
def test_levels_that_play_equally_strong(own, told, over, is_equal):
    """Only neighbours, with the number of players of these games; none where a search, which was
    not measured, plays with people, or the file does not say it."""
    plain = json.loads((own.folder / "players.json").read_text())
    levels = plain["environments"][GAME.env_name]["levels"]
    assert equal_levels(GAME) == []
    assert len(told) == 1
    levels["options"] = {"num_players": 3}
    levels["players"]["best"] = {"agent": "best"}
    for level, share in (("medium", 0.8), ("hard", 0.7), ("best", None)):
        interval = over if share is None else [share, share - 0.05, share + 0.05]
        levels["players"][level]["over_the_one_below"] = interval
    (own.folder / "players.json").write_text(json.dumps(plain))
    assert equal_levels(GAME) == [("hard", "best", 3)] * is_equal
    assert equal_levels(replace(GAME, partner="best+search:200ms")) == []
    assert len(told) == 1


@pytest.mark.parametrize("key", ["observation_layout", "action_list"])
def test_a_game_that_has_changed(own, told, key):
    """Somebody else plays, one line for each role says who; a policy that is asked for by name is
    refused."""
    for name in ("a", "b"):
        own.policy(name, **{key: "0123"})
    for _ in range(2):
        assert chosen() == FALLBACKS | {level: MEASURED[level] for level in ("easy", "medium")}
        assert policies_of(GAME) == []
        assert load_search("sims=4", GAME, 1).guide is None
    reason = f"{key} is '0123', here "
    assert [line.partition(" in oak_island_v0 should be ")[0] for line in told[:3]] == [
        "hard",
        "the guide of a search",
        "best",
    ]
    assert all(reason in line for line in told)
    assert told[2].endswith("; instead it is heuristic")
    assert len(told) == 4
    assert told[3].startswith("oak_island/a, oak_island/b cannot play oak_island_v0")
    with pytest.raises(PolicyMismatchError, match=reason):
        load_agent("oak_island/a")


def test_another_version_of_the_game(own, told):
    """Policies, ratings and levels belong to an environment with its version."""
    assert (usual_guide(NEXT), strongest(NEXT, TWO), policies_of(NEXT), read_players(NEXT)) == (
        "",
        "heuristic",
        [],
        None,
    )
    assert len(told) == 2
    assert all("oak_island_v1" in line for line in told)
    Zoo(own.folder.parent, NEXT).policy("new")
    own.report(["new", "heuristic"], "ratings-new.json", env=NEXT.env_name)
    plain = json.loads((own.folder / "players.json").read_text())
    plain["environments"][NEXT.env_name] = {"guides": ["oak_island/new"]}
    (own.folder / "players.json").write_text(json.dumps(plain))
    assert (usual_guide(NEXT), strongest(NEXT, TWO), policies_of(NEXT)) == (
        "oak_island/new",
        "oak_island/new",
        ["oak_island/new"],
    )
    assert chosen() == MEASURED
    assert load_agent("oak_island/best").game is NEXT
    assert load_agent("oak_island/best", env="oak_island_v0").game is GAME
    assert load_agent("oak_island_v0/best").game is GAME
    assert (
        load_agent("oak_island_v1/heuristic").game
        is load_agent("heuristic", "oak_island_v1").game
        is NEXT
    )
    for name in ("oak_island_v1/a", "oak_island_v1/best"):
        with pytest.raises(
            PolicyMismatchError, match="is for oak_island_v1, not for oak_island_v0"
        ):
            load_agent(name, env="oak_island_v0")
    assert load_agent("oak_island_v0/new").game is GAME, "observation and actions are the same"
    own.policy("new", observation_layout="0123")
    with pytest.raises(PolicyMismatchError, match="observation_layout is '0123', here "):
        load_agent("oak_island_v0/new")


def test_no_policies_at_all(tmp_path, monkeypatch, told):
    monkeypatch.setattr(zoo, "ZOOS", (tmp_path / "missing",))
    monkeypatch.setattr(zoo, "_told", set())
    for _ in range(2):
        assert chosen() == FALLBACKS
    assert len(told) == 2
    assert told[0].endswith(
        "has no guide, and easy, medium, hard are heuristic, more or less careless"
    )
    assert told[1].endswith("instead it is heuristic")
    hard = load_agent("hard", "fossil_memory_v0")
    assert (hard.name, isinstance(hard, CarelessAgent)) == ("remembering", True)
    assert (
        strongest(load_game("fossil_memory"), load_game("fossil_memory").complete_options({}))
        == "fossil_memory/remembering"
    )


def test_no_onnxruntime(own, told, monkeypatch):
    monkeypatch.setattr(zoo, "find_spec", lambda name: None)
    assert (usual_guide(GAME), strongest(GAME, TWO)) == ("", "heuristic")
    assert how_to_install("agents") in told[0]


def test_lines_on_stderr():
    """Once in a process, and none where they are not wanted."""
    code = (
        "from dig_envs.agents import zoo\n"
        "for _ in range(3): zoo.tell('one'); zoo.tell('other', cause='one')"
    )
    for quiet, expected in (("", "dig_envs: one\n"), ("1", "")):
        done = subprocess.run([sys.executable, "-c", code],
                              env={"DIG_ENVS_QUIET": quiet, "PYTHONPATH": str(PACKAGE.parent)},
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert (done.stdout, done.stderr) == ("", expected)


# ---------------------------------------------------------------- damaged files


def cut(text):
    return text[: len(text) // 2]


JSON_DAMAGE = [
    lambda text: "",
    cut,
    lambda text: "[]",
    lambda text: "null",
    lambda text: "\0",
    lambda text: '"\\ud800"',
    lambda text: "[" * 200_000,
    lambda text: '{"format":' * 100_000,
    lambda text: f'{{"format":{"9" * 5000}}}',
    lambda text: text.replace('"format": 1', '"format": 2'),
    lambda text: text.replace('"format"', '"form"'),
]
DAMAGE = {
    "card.json": [*JSON_DAMAGE, lambda text: text.replace('"environment"', '"env"')],
    "players.json": [
        *JSON_DAMAGE,
        lambda text: text.replace('"environments"', '"games"'),
        lambda text: text.replace('["oak_island/a"', '[1, "oak_island/a"'),
        lambda text: text.replace('"medium"', '"middling"'),
        lambda text: text.replace('"agent": "random"', '"agent": null'),
        lambda text: '{"format": 1, "environments": {"oak_island_v0": []}}',
        lambda text: '{"format": 1, "environments": ["oak_island_v0"]}',
    ],
    "ratings.json": [  # which is read as players.json is
        cut,
        lambda text: text.replace('"standings"', '"stands"'),
        lambda text: text.replace('"deals": 10', '"deals": Infinity'),
        lambda text: text.replace('"max_rounds": 20', '"max_rounds": "many"'),
        lambda text: text.replace('"max_rounds": 20', '"no_such_option": 20'),
    ],
}


@pytest.mark.parametrize(
    ("file", "number"),
    [(file, number) for file, changes in DAMAGE.items() for number in range(len(changes))],
)
def test_damaged_files_are_left_out_and_named(own, told, file, number):
    """Each is told of once, by its path; the others count, and who is asked for by name is
    refused."""
    path = own.folder / ("a/card.json" if file == "card.json" else file)
    text = path.read_text()
    path.write_text(DAMAGE[file][number](text))
    assert path.read_text() != text
    for _ in range(2):
        found = chosen()
    lost = {
        "card.json": ("guide", "best"),
        "players.json": ("guide", *LEVELS),
        "ratings.json": ("best",),
    }[file]
    others = (
        {**FALLBACKS, "guide": "oak_island/b", "best": "oak_island/b"}
        if file == "card.json"
        else FALLBACKS
    )
    assert found == MEASURED | {role: others[role] for role in lost}
    assert sum(str(path) in line for line in told) == 1
    if file == "card.json":
        assert policies_of(GAME) == ["oak_island/b"]
        with pytest.raises(PolicyMismatchError, match=r"a/card\.json"):
            load_agent("oak_island/a")
    elif file == "players.json":
        with pytest.raises(ArenaError, match=r"players\.json is damaged"):
            keep_levels(path, GAME, {})


@pytest.mark.parametrize("left", [None, 0, -100])
def test_damaged_weights(own, told, left):
    """Missing or cut off."""
    path = own.folder / "a" / "policy.onnx"
    content = path.read_bytes()
    path.unlink() if left is None else path.write_bytes(content[:left])
    assert chosen() == MEASURED | {"guide": "oak_island/b", "best": "oak_island/b"}
    assert policies_of(GAME) == ["oak_island/b"]
    assert told
    assert all("policy.onnx" in line for line in told)
    with pytest.raises(PolicyMismatchError, match=r"policy\.onnx"):
        load_agent("oak_island/a")


@pytest.mark.parametrize(
    "rows", [5, [5], [{}], [{"agent": "oak_island/b", "line_up": ["oak_island/b", "heuristic"]}]]
)
def test_a_damaged_evaluation_on_a_card(own, told, rows):
    (own.folder / "ratings.json").unlink()
    own.policy("b", evaluation=rows)
    assert strongest(GAME, TWO) == "heuristic"
    assert "the evaluation on the card of policy oak_island/b is damaged" in told[0]


def test_a_level_plays_with_any_number_of_players(own, told):
    own.policy("b", num_players=[2])
    hard = load_agent("hard", GAME.env_name)
    assert hard.name == "heuristic"
    assert isinstance(hard, CarelessAgent)  # held back as any level is
    assert "was trained for 2 players, not for 3" in told[0]


@pytest.mark.parametrize(
    "name",
    [
        "exec:touch x",
        "python:os:getcwd",
        "llm:model",
        "hard",
        "best",
        "best+search",
        "nobody",
        "heuristic:style=none",
    ],
)
def test_who_cannot_be_a_level(own, told, name, tmp_path, monkeypatch):
    """A file may come from outside: nothing that it names is run."""
    monkeypatch.chdir(tmp_path)
    own.players(easy="random", medium="random", hard=name)
    assert load_agent("hard", GAME.env_name).name == "heuristic"
    assert f"hard in oak_island_v0 should be {name}, but" in told[0]
    assert not (tmp_path / "x").exists()


# ---------------------------------------------------------------- the files of this project


def test_who_plays_does_not_depend_on_the_arena():
    """The hash of the code that chooses actions is also that of results; it must not change with
    how reports are made."""
    assert not [
        name for name in source_files(["dig_envs.agents.best"]) if name.startswith("dig_envs.arena")
    ]
    assert (KIND, measured.FORMAT) == (Report.KIND, Report.FORMAT)


@pytest.mark.parametrize("path", PLAYERS, ids=lambda path: path.parent.name)
def test_shipped_players(path):
    """The file alone: guides have a folder, each level is clearly stronger than the one below it,
    and the best is not clearly weaker."""
    assert set(read_file(path, parse_players)) <= set(list_environments())
    for name, players in read_file(path, parse_players).items():
        assert all((path.parents[1] / guide / "card.json").exists() for guide in players.guides)
        game, found = load_game(name), players.levels["players"]
        equal = 0.0 if game.cooperative else 0.5
        for level in LEVELS[1:]:
            mean, low, high = found[level]["over_the_one_below"]
            assert equal < low < mean < high
        mean, low, high = found["best"]["over_the_one_below"]
        best = players.levels["best"]
        if "weights_sha256" in best:
            assert is_measured(
                read_card(path.parents[1] / best["agent"]), best["weights_sha256"]
            ), "measure the levels again"
        if best["agent"] == found["hard"]["agent"]:
            assert low <= equal <= high, "one player under two names"
        else:
            assert low < mean < high
            assert equal < high


def test_levels_are_kept_beside_what_is_there(tmp_path):
    path = tmp_path / "policies" / "oak_island" / "players.json"
    levels = {
        "players": {level: {"agent": "random"} for level in LEVELS},
        "options": options_for_people(GAME),
    }
    keep_levels(path, NEXT, levels)
    plain = json.loads(path.read_text())
    plain["environments"][GAME.env_name] = {"guides": ["oak_island/a"]}
    path.write_text(json.dumps(plain))
    keep_levels(path, GAME, levels)
    found = read_file(path, parse_players)
    assert list(found) == [GAME.env_name, NEXT.env_name]
    assert found[GAME.env_name].guides == ("oak_island/a",)
    assert (
        found[GAME.env_name].levels["players"]
        == found[NEXT.env_name].levels["players"]
        == levels["players"]
    )
