"""Tables of measurements say what the stored files say; what is stale or missing is marked, and
stops nothing."""

import json
import re
from hashlib import sha256

import pytest

from dig_envs.documentation import results, tables
from dig_envs.documentation.tables import STALE, is_stale, rows_of, table, with_tables
from dig_envs.engine.core.errors import OptionError
from dig_envs.registry import load_game

GAME = "go_dig_v0"


@pytest.fixture
def warnings(monkeypatch):
    """The lines that would be printed on standard error."""
    lines = []
    monkeypatch.setattr(tables, "warn", lines.append)
    return lines


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A folder in the place of the checkout; a function writes JSON into it."""
    monkeypatch.setattr(tables, "ROOT", tmp_path)

    def put(path, content):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))
        return file

    return put


def unmarked(text):
    """Return a page without what is said of stale rows, which depends on the games of today."""
    return text.replace(f"\n\n{STALE}", "").replace(f" {tables.MARK}", "")


def test_pages_and_charts_are_made_from_the_stored_files(warnings):
    files = results.renewed()
    assert {path.suffix for path in files} == {".md", ".svg"}
    different = [
        path.name
        for path, text in files.items()
        if unmarked(path.read_text(encoding="utf-8")) != unmarked(text)
    ]
    assert different == [], "run: python -m dig_envs.documentation"
    missing = re.compile("No such file|there is no |none were measured")
    told = [line for line in warnings if "stays as it is" in line]
    assert [line for line in told if not missing.search(line)] == [], "files that are broken"


def test_missing_measurements_change_no_page(warnings, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", "nowhere")
    monkeypatch.setattr(results, "BOARD", tables.ROOT / "nowhere")
    for path, text in results.renewed().items():
        if path.parent.name == "results" or path.suffix == ".svg":
            assert text == path.read_text(encoding="utf-8")
    told = {
        name
        for name in results.TABLES
        if f"the table {name!r} stays as it is" in "\n".join(warnings)
    }
    assert told == {*results.TABLES}


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '[{"environment": "go_dig_v0"}]', '[{"environment": 3, "options": {}}]'],
)
def test_a_damaged_file_changes_no_table(content, root, warnings):
    root(f"{results.RESULTS}/speed.json", {}).write_text(content)
    page = "<!-- speed -->\n\n| as it was |\n\n<!-- end of speed -->\n"
    assert with_tables(page, results.TABLES) == page
    assert (
        len([line for line in warnings if line.startswith("the table 'speed' stays as it is")]) == 1
    )


def test_other_blocks_and_halves_of_blocks_are_left_alone():
    page = "<!-- other -->\nx\n<!-- end of other -->\n<!-- mine -->\nwords\n"
    assert with_tables(page, {"mine": "new"}) == page


def row(**facts):
    return {
        "path": tables.ROOT / "policies" / "x.json",
        "environment": GAME,
        "options": {"num_players": 2, "max_turns": 200},
    } | facts


@pytest.mark.parametrize(
    ("facts", "stale"),
    [
        ({}, ""),
        ({"options": {"num_players": 3}}, ""),
        ({"options": {"num_players": 2, "wind": 1}}, "wind"),
        ({"options": {"num_players": 20}}, "num_players"),
        ({"environment": "no_game_v0"}, "no_game_v0"),
        ({"observation_layout": "0", "action_list": "0"}, "another observation or other actions"),
        (
            {
                "observation_layout": load_game(GAME).layout_hash,
                "action_list": load_game(GAME).actions_hash,
            },
            "",
        ),
    ],
)
def test_what_is_stale(facts, stale, warnings):
    assert is_stale(row(**facts)) == bool(stale)
    assert [
        stale in line and line.startswith("policies/x.json is stale: ") for line in warnings
    ] == [True] * bool(stale)


def test_an_option_that_went_marks_the_rows_and_stops_nothing(warnings, monkeypatch):
    game = load_game(GAME)
    before = {name: made() for name, made in results.TABLES.items()}
    monkeypatch.setattr(type(game), "complete_options", refuse)
    after = {name: made() for name, made in results.TABLES.items()}
    for name in ("speed", "jax", "cuda", "benchmark", "leaderboard"):
        assert after[name].count(STALE) == 1
        assert unmarked(after[name]) == unmarked(before[name])
    assert (
        "dig_envs/documentation/results/speed.json is stale: go_dig has no option 'max_turns'"
        in warnings
    )


COMPLETE = type(load_game(GAME)).complete_options


def refuse(game, options):
    if game.env_name == GAME and "max_turns" in options:
        raise OptionError("go_dig has no option 'max_turns'")
    return COMPLETE(game, options)


def test_a_table():
    rows = [{"a": "x", "b": 1}, {"a": "x", "b": None, "stale": True}, {"a": "y", "b": 3}]
    assert table({"A": "a:code", "B": "b"}, rows, grouped=1).split("\n") == [
        "| A | B |",
        "| --- | --- |",
        "| `x` | 1 |",
        "|  | – † |",
        "| `y` | 3 |",
        "",
        STALE,
    ]


def test_intervals():
    found = {"mean": 0.5, "low": 0.25, "high": 0.75}
    columns = {"share": "v:%", "number": "v:2", "list": "w:0"}
    assert (
        table(columns, [{"v": found, "w": [10, 9, 11]}]).splitlines()[2]
        == "| 50.0 % [25.0, 75.0] | 0.50 [0.25, 0.75] | 10 [9, 11] |"
    )


def test_rows_have_what_stands_above_them(root):
    options = {"num_players": 2, "max_turns": 200}
    report = {
        "settings": {"environment": GAME, "options": options, "games": 1},
        "standings": [{"agent": "a", "games": 2}],
    }
    root("x/1.json", report)
    (found,) = rows_of("x/*.json", "standings")
    assert (
        found["environment"],
        found["agent"],
        found["games"],
        found["file"],
        found["stale"],
    ) == (GAME, "a", 2, "1.json", False)
    with pytest.raises(FileNotFoundError, match=r"there is no y/\*\.json"):
        rows_of("y/*.json")


def card(name, **facts):
    def line(agent, line_up, share, team=False, **options):
        shares = {"mean": share, "low": share - 0.1, "high": share + 0.1}
        return {
            "options": options,
            "line_up": line_up,
            "team": team,
            "agent": agent,
            "games": 9,
            "win_rate": shares,
        }

    evaluation = [
        line(name, [name, "random"], 0.8, num_players=2),
        line(name, [name, "heuristic"], 0.5, num_players=2),
        line("heuristic", [name, "heuristic"], 0.55, num_players=2),
        line(name, [name, name], 0.3, team=True, num_players=3),
        line(name, [name, "heuristic"], 0.2, team=True, num_players=3),
    ]
    game = load_game(GAME)
    about = {
        "environment": GAME,
        "observation_layout": game.layout_hash,
        "action_list": game.actions_hash,
    }
    made = {
        "steps": 1_500_000,
        "num_players": [2, 3],
        "settings": {"games": [{"num_players": 2}, {"num_players": 3}]},
    }
    return {"name": name, **about, **made, "evaluation": evaluation} | facts


def test_policies(root, warnings):
    """Against the scripted player, and as a team of copies; not of somebody's drafts, and marked if
    it cannot play any more."""
    for name, facts in {"new": {}, "old": {"action_list": "0"}, "mine-draft": {}}.items():
        root(f"policies/go_dig/{name}/card.json", card(f"go_dig/{name}", **facts)).with_name(
            "policy.onnx"
        ).write_bytes(bytes(1_200_000))
    made = results.policies(load_game(GAME)).replace(results.SPACE, " ").splitlines()
    assert [*made[2:6], made[-1]] == [
        (
            "| `go_dig/new` | 2, 3 | the default options | 1.5 million | 1.2 MB | `num_players=2` "
            "| 50.0 % [40.0, 60.0] |"
        ),
        "|  |  |  |  |  | `num_players=3` | 30.0 % [20.0, 40.0] |",
        (
            "| `go_dig/old` | 2, 3 | the default options | 1.5 million | 1.2 MB | `num_players=2` "
            "† | 50.0 % [40.0, 60.0] |"
        ),
        "|  |  |  |  |  | `num_players=3` † | 30.0 % [20.0, 40.0] |",
        STALE,
    ]


def test_levels(root, monkeypatch):
    monkeypatch.setattr(results, "ROOT", tables.ROOT)
    players = {
        "easy": {"agent": "random", "elo": [-300, -310, -290]},
        "hard": {"agent": "heuristic", "elo": [0, 0, 0]},
    }
    players["hard"]["over_the_one_below"] = [0.7, 0.6, 0.8]
    about = {
        "options": {"num_players": 2, "max_turns": 50},
        "best": {"agent": "go_dig/ppo"},
        "games_per_pair": 9,
        "date": "2030-01-31",
    }
    root(
        "policies/go_dig/players.json",
        {"environments": {GAME: {"levels": {"players": players, **about}}}},
    )
    assert results.levels(load_game(GAME)).splitlines()[2:] == [
        "| `easy` | `random` | -300 [-310, -290] |",
        "| `hard` | `heuristic` | 0 [0, 0] |",
        "",
        "Rated with `max_turns=50`, 9 games of each pair, 2030-01-31. `best` was `go_dig/ppo`.",
    ]


def test_strength(root):
    """A column for each number of players, from the report with most agents; no report in which an
    agent had a time limit."""

    def put(name, players, **elo):
        rows = [
            {"agent": agent, "games": 9, "elo": {"mean": mean, "low": mean - 1, "high": mean + 1}}
            for agent, mean in elo.items()
        ]
        settings = {"environment": GAME, "options": {"num_players": players, "max_turns": 200}}
        report = {"settings": settings, "anchor": "random", "standings": rows}
        root(f"policies/go_dig/ratings{name}.json", report)

    put("", 2, heuristic=300, random=0)
    put("-more", 2, mine=400, heuristic=350, random=0)
    put("-ladder", 2, **{"search:200ms": 900, "mine": 1, "heuristic": 2, "random": 0})
    put("-3", 3, **{"search:sims=5": 500, "heuristic": 200, "random": 0})
    assert results.strength(load_game(GAME)).splitlines()[:6] == [
        "| agent | 2 players | 3 players |",
        "| --- | --- | --- |",
        "| `search:sims=5` | – | 500 [499, 501] |",
        "| `mine` | 400 [399, 401] | – |",
        "| `heuristic` | 350 [349, 351] | 200 [199, 201] |",
        "| `random` | 0 [-1, 1] | 0 [-1, 1] |",
    ]


def test_what_is_measured_with_every_game_stands_once_below_the_table(root, monkeypatch):
    def report(game, median):
        about = {"environment": game, "options": {}, "repeats": 3, "seconds": 1, "machine": {}}
        rows = {f"{game}, raw": median, "PettingZoo connect_four_v3, raw": median / 10}
        return about | {"aec": [{"what": what, "median": value} for what, value in rows.items()]}

    reports = [report(GAME, 20_000), report("dino_dig_v0", 3_000_000)]
    root(f"{results.RESULTS}/speed.json", reports)
    made = results.TABLES["speed"]().replace(results.SPACE, " ")
    assert made.startswith("|  | raw |\n| --- | --- |\n| `go_dig_v0` | 20 k |\n")
    assert made.count("PettingZoo") == 1
    assert "PettingZoo connect_four_v3, raw 2 k to 300 k." in made


def test_the_leaderboard_is_of_the_files_beside_it():
    rows = json.loads(results.BOARD.read_text(encoding="utf-8"))["rows"]
    files = results.BOARD.with_name("leaderboard").glob("*.json")
    assert {row["report"]: row["sha256"] for row in rows} == {
        file.name: sha256(file.read_bytes()).hexdigest() for file in files
    }


def test_bars_are_to_scale():
    bars = [("a", 100, 90, 200, "100", results.OWN), ("b", 50, 50, 50, "50", results.OTHER)]
    svg = results.chart("A < B", bars, mark=100)
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="17"', svg)]
    # the longest interval ends at the end of the scale
    assert widths == [results.BAR / 2, results.BAR / 4]
    assert "A &lt; B" in svg
    assert f"M{results.LABEL + results.BAR / 2:.1f} 32V" in svg
