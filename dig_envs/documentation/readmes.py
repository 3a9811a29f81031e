"""The tables in the games' READMEs, made from the games themselves: ``python -m dig_envs.documentation`` renews them.

A table stands between ``<!-- options -->`` and ``<!-- end of options -->``, likewise ``at a glance``, ``actions``, ``observation``,
``events``, ``styles``, ``levels``, and ``strength``, which is made from the reports of arenas beside the game's policies.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from dig_envs.agents.matches import Interval
from dig_envs.agents.measured import REPORTS, read_file, read_players
from dig_envs.agents.names import searches
from dig_envs.agents.zoo import ZOOS
from dig_envs.arena.machine import made_on
from dig_envs.arena.report import Report
from dig_envs.arena.show import described_options, elo, number, of_tables
from dig_envs.documentation.cards import cards_of
from dig_envs.engine.core.options import Option
from dig_envs.engine.game import Game
from dig_envs.registry import list_environments, load_game
from dig_envs.text.markdown import markdown_table, with_part

Row = tuple[str, ...]
WITH_SEARCH = "with search"
SEARCHES = (
    f"Agents that search were measured apart, in fewer games: the lines `{WITH_SEARCH}`. With `sims=100` a search makes\n"
    "100 simulations for each decision; with `200ms` it has 200 ms, so that its strength depends on the machine. The commands\n"
    "that made these figures, and each pair of agents: [trained policies](../../../policies/README.md#ratings)."
)
STRENGTH = (
    "Each entry under *options* begins a group, in which every agent plays every other one; 95 % intervals in brackets. A\n"
    "difference of 400 Elo points is odds of ten to one; compare them only within a group. A tie counts as a game won for each of\n"
    f"those who tie. {SEARCHES}"
)
STRENGTH_OF_A_TEAM = (
    "Copies of one agent play all seats; 95 % intervals in brackets. Each entry under *options* begins a group, whose agents\n"
    f"played the same deals. {SEARCHES}"
)
FEW = 8  # values of an option that are listed one by one


def readme_path(game: Game) -> Path:
    """Return the path of the game's README."""
    return Path(str(import_module(game.package).__file__)).with_name("README.md")


def _values(option: Option) -> str:
    if option.description:
        return option.description
    values = [f"`{value}`" for value in option.values]
    return ", ".join(values) if len(values) <= FEW else f"{values[0]} … {values[-1]}"


def options_table(game: Game) -> str:
    """Name, values, default and meaning of each option, as Markdown."""
    rows: list[Row] = [
        (f"`{option.name}`", _values(option), f"`{option.decode(option.encode(option.default))}`", option.meaning)
        for option in game.options
    ]
    return markdown_table(("option", "values", "default", "meaning"), rows)


def actions_table(game: Game) -> str:
    """Indices and texts of the actions in groups that begin with the same word, as Markdown."""
    rows: list[Row] = []
    for first, last in game.action_groups:
        texts = f"`{game.actions[first]}`" if first == last else f"`{game.actions[first]}` … `{game.actions[last]}`"
        rows.append((str(first) if first == last else f"{first}–{last}", str(last - first + 1), texts))
    return markdown_table(("indices", "count", "actions"), rows)


def observation_table(game: Game) -> str:
    """Name, shape, slice of the flat vector and meaning of each observation field, as Markdown."""
    rows: list[Row] = []
    for name, entry in game.layout.items():
        shape = "×".join(str(size) for size in entry.shape) or "1"
        rows.append((f"`{name}`", shape, f"{entry.slice.start}:{entry.slice.stop}", entry.meaning))
    return markdown_table(("field", "shape", "slice", "meaning"), rows)


def events_table(game: Game) -> str:
    """Name, values, who is told how much, and meaning of each kind of event, as Markdown."""
    rows: list[Row] = [
        (f"`{kind.name}`", ", ".join(f"`{part.name}`" for part in kind.parts) or "–", kind.told_to, kind.meaning)
        for kind in game.events.kinds
    ]
    return markdown_table(("event", "values", "told to", "meaning"), rows)


def facts_table(game: Game) -> str:
    """Players, spaces, rewards and sizes, as Markdown: the head of a game's page."""
    low, high = game.fields.bounds()
    least, most = game.min_players, game.max_players
    players = game.options[0].decode(game.options[0].encode(game.options[0].default))
    rows: list[Row] = [
        ("environment", f'`dig_envs.make("{game.env_name}")`'),
        ("players", f"{most}" if least == most else f"{least} to {most}; {players} unless `num_players` says otherwise"),
        ("agents", f"`player_0` … `player_{most - 1}`"),
        ("kind", "cooperative: all win or lose together" if game.cooperative else "competitive"),
        ("action space", f"`Discrete({len(game.actions)})`, with a mask of the legal actions"),
        ("observation space", f"`Box({low.min():g}, {high.max():g}, ({game.observation_size},), float32)`"),
        ("rewards", '`"win"` (at the end, the default) or `"score"` (at every change of the score)'),
        ("longest episode", f"at most {game.max_actions:,} actions"),
        ("memory", f"a position takes {game.state.itemsize:,} bytes"),
    ]
    return markdown_table(("", ""), rows)


def reports_of(game: Game) -> dict[str, Report]:
    """The arenas of a game that are kept beside its policies: for each set of options the largest without search and with search.

    Returns:
        The options as Markdown, with `with search` where agents search, and the report; arenas without ``random`` are left out.
    """
    paths = [path for folder in ZOOS for path in sorted((folder / game.name).glob(REPORTS))]
    reports = [read_file(path, Report.from_json) for path in paths]
    found: dict[tuple[str, bool], Report] = {}
    for report in (one for one in reports if one.settings["environment"] == game.env_name):
        agents = [entry.agent for entry in report.standings]
        options = ", ".join(f"`{name}={value}`" for name, value in described_options(report).items())
        kind = options, any(map(searches, agents))
        if "random" in agents and (kind not in found or _worth(report) > _worth(found[kind])):
            found[kind] = report
    return {f"{kind[0]}, `{WITH_SEARCH}`" if kind[1] else kind[0]: found[kind] for kind in sorted(found)}


def _worth(report: Report) -> tuple[bool, int, int]:
    return not of_tables(report), report.deals, len(report.standings)


def strength_table(game: Game) -> str:
    """Ratings, or in a cooperative game scores, of the agents that were measured, as Markdown."""
    rows: list[Row] = []
    reports = reports_of(game)
    for options, report in reports.items():
        for entry in report.standings:
            rated = number(entry.score) if report.cooperative else elo(entry.elo)
            first = entry is report.standings[0]
            rows.append((options if first else "", f"`{entry.agent}`", rated, entry.wins.percent(), str(entry.games)))
    if not rows:
        return "Nothing has been measured yet."
    rated = "mean score" if game.cooperative else "Elo (`random` = 0)"
    table = markdown_table(("options", "agent", rated, "games won", "games"), rows)
    made = dict.fromkeys(made_on(report.machine) for report in reports.values() if report.machine)
    measured = [f"Measured on: {'; '.join(made)}."] if made else []
    return "\n\n".join([STRENGTH_OF_A_TEAM if game.cooperative else STRENGTH, table, *measured, *cards_of(game)])


def styles_table(game: Game) -> str:
    """The styles of the scripted player, as Markdown; the usual one first."""
    rows: list[Row] = [("`heuristic`", "the usual one")]
    rows += [(f"`heuristic:style={name}`", style.meaning) for name, style in game.styles.items()]
    return markdown_table(("name", "what it does"), rows) if game.styles else "The scripted player has one style only."


def levels_table(game: Game) -> str:
    """The levels for people, as Markdown: who plays, and how strong that is (``policies/<game>/players.json``)."""
    players = read_players(game)
    if players is None or not players.levels:
        return "No levels have been measured."
    measured = players.levels
    rows: list[Row] = []
    for level, found in measured["players"].items():
        over = found.get("over_the_one_below")
        if game.cooperative:
            rated, ahead = Interval(*found["score"]).rounded(2), Interval(*over).rounded(2) if over else ""
        else:
            rated, ahead = Interval(*found["elo"]).rounded(0), Interval(*over).percent() if over else ""
        rows.append((f"`{level}`", _who_plays(measured, level), rated, ahead))
    head = ("mean score", "more than the one above") if game.cooperative else ("Elo (`hard` = 0)", "points against the one above")
    usual = game.complete_options({})
    options = "".join(f" with `{name}={value}`" for name, value in measured["options"].items() if value != usual.get(name))
    made = f"`{measured['command']}`, {measured['machine']}, {measured['date']}"
    how = f"({measured['games_per_pair']} games of each pair{options}; {made}.)"
    return "\n\n".join([markdown_table(("name", "who plays", *head), rows), *_rated_lower(measured["players"]), how])


def _rated_lower(levels: Mapping[str, Any]) -> list[str]:
    """A sentence for a level that takes surely more than half of the points from the one below it, and is surely rated lower."""
    sentences = []
    for below, name in pairwise(levels):
        level = levels[name]
        if "elo" not in level:
            continue
        over, rated, rated_below = (Interval(*one) for one in (level["over_the_one_below"], level["elo"], levels[below]["elo"]))
        if over.low > 0.5 and rated.high < rated_below.mean:
            others = " and ".join(f"`{other}`" for other in levels if other not in (below, name))
            sentences.append(
                f"`{name}` takes more than half of the points from `{below}`, but fewer than `{below}` from {others}: "
                "so its rating, which counts all games, is lower."
            )
    return sentences


def _who_plays(measured: Mapping[str, Any], level: str) -> str:
    """Who plays at a level, as Markdown, with what the file of the levels says of the game."""
    if level != "best":
        return f"`{measured['players'][level]['agent']}`"
    name = measured["best"]["agent"]
    same = ", as `hard`" if name == measured["players"]["hard"]["agent"] else ""
    return f"the [strongest without search](../../agents/README.md#the-best): `{name}`{same}"


TABLES: dict[str, Callable[[Game], str]] = {
    "options": options_table,
    "actions": actions_table,
    "observation": observation_table,
    "events": events_table,
    "at a glance": facts_table,
    "styles": styles_table,
    "levels": levels_table,
    "strength": strength_table,
}


def with_tables(text: str, game: Game) -> str:
    """The text of a README with its tables renewed; a table that it lacks is added at the end under a heading of its own."""
    for name, table in TABLES.items():
        if f"<!-- {name} -->" not in text:
            text = f"{text.rstrip()}\n\n## {name.capitalize()}\n\n<!-- {name} --><!-- end of {name} -->\n"
        text = with_part(text, name, f"\n\n{table(game)}\n\n")
    return text


def renewed() -> dict[Path, str]:
    """Return the READMEs of the games as they should be."""
    files = {}
    for name in list_environments():
        game = load_game(name)
        path = readme_path(game)
        before = path.read_text(encoding="utf-8") if path.exists() else f"# {game.title}\n"
        files[path] = with_tables(before, game)
    return files
