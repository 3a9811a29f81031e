"""Tables about trained policies, made from their cards and from the reports of ladders that are kept beside them."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from dig_envs.agents.best import SCRIPTED
from dig_envs.agents.matches import Interval
from dig_envs.agents.names import searches
from dig_envs.agents.onnx import CARD
from dig_envs.arena.machine import made_on
from dig_envs.arena.report import Report, Standing
from dig_envs.arena.show import described_options, elo, number
from dig_envs.engine.game import Game
from dig_envs.registry import list_environments, load_game
from dig_envs.text.markdown import markdown_table

POLICIES = Path(__file__).parent.parent.parent / "policies"
DRAFT = "mine"  # how the names of policies begin that training makes unless it is told another name
Row = tuple[str, ...]
COLUMNS: dict[str, Callable[[str], bool]] = {  # of a table of ladders: which agent stands there
    "random": lambda name: name == "random",
    "scripted": lambda name: name == SCRIPTED,
    "policy": lambda name: "/" in name and not searches(name),
    "search": lambda name: name.startswith("search"),
    "policy + search": lambda name: "+search" in name,
}


def games() -> Iterator[Game]:
    """Yield the games of this package."""
    yield from (game for game in map(load_game, list_environments()) if game.package.startswith("dig_envs."))


def read(paths: Iterable[Path]) -> list[Any]:
    """Return the JSON of files, in the order of their paths."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(paths)]


def shipped_cards(game: Game) -> list[dict[str, Any]]:
    """Return the cards of a game's policies, in the order of their names; not of somebody's drafts, which may be anything."""
    found = (POLICIES / game.name).glob(f"*/{CARD}")
    cards = read(path for path in found if not path.parent.name.startswith(DRAFT))
    return [card for card in cards if card["environment"] == game.env_name]


def interval(value: dict[str, float]) -> Interval:
    """Return an interval of a card."""
    return Interval(value["mean"], value["low"], value["high"])


def options_of(row: dict[str, Any]) -> str:
    """Return the options of an evaluation, as in a command."""
    return ", ".join(f"`{name}={value}`" for name, value in row["options"].items())


def opponent(row: dict[str, Any]) -> str:
    """Return the agent that has the other seats; empty in a team of copies."""
    others = [name for name in row["line_up"] if name != row["agent"]]
    return "" if row["team"] or not others else f"`{others[0]}`"


def card_table(card: dict[str, Any]) -> str:
    """Return how a policy played when its training ended, and how it was made, as Markdown."""
    evaluation = card["evaluation"]
    rows: list[Row] = []
    options = ""
    for row in evaluation:
        if row["team"] or row["agent"] == card["name"]:
            shown = "" if options_of(row) == options else options_of(row)
            options = options_of(row)
            won, score = interval(row["win_rate"]).percent(), number(interval(row["score"]))
            agent = " and ".join(f"`{name}`" for name in dict.fromkeys(row["line_up"])) if row["team"] else opponent(row)
            rows.append((shown, agent, won, score))
    counts = sorted({row["games"] for row in evaluation})
    who = "players" if evaluation[0]["team"] else "against"
    made = f"`{card['training_command']}`, {card['steps']:,} decisions, {made_on(card.get('machine', {})) or card['date']}"
    head = f"`{card['name']}` when its training ended, {' or '.join(map(str, counts))} games a line with 95 % intervals ({made}):"
    table = markdown_table(("options", who, "games won", "mean score"), rows)
    return "\n\n".join([head, table, *([seeds_words(card["seeds"])] if "seeds" in card else [])])


def seeds_words(seeds: dict[str, Any]) -> str:
    """Return in a sentence how trainings that differ in their seeds alone compare with each other and with the policy."""
    runs = seeds["runs"]
    each = ", ".join(f"{100 * run['win_rate']:.1f}" for run in runs)
    mean = interval(seeds["win_rate"]).percent()
    own = f"{100 * seeds['this_policy']['win_rate']:.1f} %"
    whose = "is one of them" if seeds["one_of_the_runs"] else f"comes from {other_run(seeds)}"
    rank = "none of them is better" if seeds["best"] else f"the best wins {points_ahead(seeds)} points more, {chance(seeds)}"
    return (
        f"{len(runs)} trainings of {runs[0]['steps_of_the_run']:,} decisions that differ in their seeds alone won {each} % of the "
        f"same games{against(seeds)}, {mean} on average. The policy {whose} and wins {own} of these games: {rank}."
    )


def against(seeds: dict[str, Any]) -> str:
    """Return in words against whom the trainings were compared; nothing for the scripted player, and for a team."""
    return "" if seeds.get("against", SCRIPTED) == SCRIPTED else f" against `{seeds['against']}`"


def other_run(seeds: dict[str, Any]) -> str:
    """Return in words that a policy is from none of the runs, and in what its training differs from them besides the seed."""
    differing = seeds.get("differs_in")
    return "another run" + (f" with another {' and '.join(differing)}" if differing else "")


def points_ahead(seeds: dict[str, Any]) -> str:
    """Return by how many percentage points the best training is ahead of the policy, with its 95 % interval."""
    ahead = interval(seeds["ahead_of_best_run"])
    return Interval(-100 * ahead.mean, -100 * ahead.high, -100 * ahead.low).rounded(1)


def chance(seeds: dict[str, Any]) -> str:
    """Return in words whether the games tell a policy apart from a better training."""
    return "more than chance explains" if seeds["ahead_of_best_run"]["high"] < 0 else "which could be chance"


def cards_of(game: Game) -> list[str]:
    """Return the tables of all policies of a game."""
    return [card_table(card) for card in shipped_cards(game)]


def policies_table() -> str:
    """Return a line for each policy and each set of options that it was judged with, as Markdown."""
    rows: list[Row] = []
    for game in games():
        for card in shipped_cards(game):
            gate = "–" if "gate" not in card else "passed" if card["gate"]["passed"] else "not passed"
            facts = (f"`{card['name']}`", f"{card['steps'] / 1e6:.1f} million", card["date"], gate)
            for options in dict.fromkeys(options_of(row) for row in card["evaluation"]):
                found = {}
                for row in card["evaluation"]:
                    if options_of(row) != options:
                        continue
                    if row["agent"] == card["name"]:
                        found[opponent(row) or "alone"] = interval(row["win_rate"]).percent()
                    elif row["agent"] == SCRIPTED:
                        found["its"] = interval(row["win_rate"]).percent()
                won = [found.get(name, "–") for name in ("`random`", "`heuristic`", "its", "alone")]
                rows.append((*facts[:3], options, *won, facts[3]))
                facts = ("", "", "", "")
    shares = ("against `random`", "against `heuristic`", "`heuristic` then", "as a team")
    return markdown_table(("policy", "decisions", "date", "options", *shares, "gate"), rows)


def seeds_table() -> str:
    """Return a line for each policy of which several trainings were compared, as Markdown."""
    rows: list[Row] = []
    for game in games():
        for card in shipped_cards(game):
            if (seeds := card.get("seeds")) is None:
                continue
            runs, own = seeds["runs"], seeds["this_policy"]
            shipped = f"seed {card['seed']}" if seeds["one_of_the_runs"] else other_run(seeds)
            rows.append(
                (
                    f"`{card['name']}`",
                    f"{runs[0]['steps_of_the_run'] / 1e6:.1f} million",
                    str(seeds["games"]),
                    ", ".join(f"{100 * run['win_rate']:.1f} % (seed {run['seed']})" for run in runs) + against(seeds),
                    interval(seeds["win_rate"]).percent(),
                    f"{shipped}: {100 * own['win_rate']:.1f} %",
                    "yes" if seeds["best"] else f"no: {points_ahead(seeds)} points behind, {chance(seeds)}",
                )
            )
    return markdown_table(("policy", "decisions of each run", "games", "games won", "mean", "shipped", "the best"), rows)


def ladders_table() -> str:
    """Return a line for each ladder of the games, as Markdown."""
    rows: list[Row] = []
    for game in games():
        reports = map(Report.from_json, read((POLICIES / game.name).glob("ratings-ladder-*.json")))
        for report in (one for one in reports if one.settings["environment"] == game.env_name):
            options = ", ".join(f"`{name}={value}`" for name, value in described_options(report).items())
            cells = [cell(report, next((s for s in report.standings if wanted(s.agent)), None)) for wanted in COLUMNS.values()]
            found = sorted((s.agent for s in report.standings if searches(s.agent)), key=lambda name: "+" in name)
            search = found[0].partition("search:")[2]  # that of the search alone, if it is there
            rows.append((game.title, options, f"`{search}`", *cells, f"{report.deals * report.games_per_deal} ({report.deals})"))
    return markdown_table(("game", "options", "searches", *COLUMNS, "games of each (deals)"), rows)


def cell(report: Report, standing: Standing | None) -> str:
    """Return the rating of an agent, in a cooperative game its score and the games that it won, after the name of its policy."""
    if standing is None:
        return "–"
    policy = f"`{standing.agent.partition('/')[2].partition('+')[0]}` " if "/" in standing.agent else ""
    if report.cooperative:
        return f"{policy}{number(standing.score)}; wins {standing.wins.percent()}"
    return policy + elo(standing.elo)
