"""Tables about trained policies, made from their cards."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dig_envs.agents.best import SCRIPTED
from dig_envs.agents.matches import Interval
from dig_envs.agents.zoo import CARD
from dig_envs.engine.game import Game
from dig_envs.registry import list_environments, load_game
from dig_envs.text.markdown import markdown_table

POLICIES = Path(__file__).parent.parent.parent / "policies"
DRAFT = "mine"  # how the names of policies begin that training makes unless it is told another name
Row = tuple[str, ...]


def games() -> Iterator[Game]:
    """Yield the games of this package."""
    yield from (game for game in map(load_game, list_environments()) if game.package.startswith("dig_envs."))


def read(paths: Iterable[Path]) -> list[Any]:
    """Return the JSON of files, in the order of their paths."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(paths)]


def shipped_cards(game: Game) -> list[dict[str, Any]]:
    """Return the cards of a game's policies, in the order of their names; not of somebody's drafts, which may be anything."""
    found = (POLICIES / game.name).glob(f"*/{CARD}")
    return read(path for path in found if not path.parent.name.startswith(DRAFT))


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


def policies_table(game: Game) -> str:
    """Return a line for each policy of a game and each set of options that it was judged with, as Markdown."""
    rows: list[Row] = []
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
