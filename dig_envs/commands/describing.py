"""Environments and their companion apps in tables: ``dig-envs list`` and ``dig-envs describe``."""

import json
from collections.abc import Iterable
from typing import Any

from rich.table import Table

from dig_envs.adapters.seat import opening_of
from dig_envs.commands.output import console, say
from dig_envs.engine.core.lines import form_of
from dig_envs.engine.game import Game


def print_environments(games: Iterable[Game]) -> None:
    table = Table("environment", "game", "players", "kind", show_edge=False)
    for game in games:
        players = (
            str(game.min_players)
            if game.min_players == game.max_players
            else f"{game.min_players}-{game.max_players}"
        )
        table.add_row(
            game.env_name, game.title, players, "cooperative" if game.cooperative else "competitive"
        )
    console.print(table)


def print_description(game: Game) -> None:
    """Print the spaces, options, phases, the observation field by field, the actions, the events,
    and what a seat sees at the beginning that is not the same in all deals."""
    low, high = game.fields.bounds()
    for line in (
        f"{game.env_name}: {game.title}",
        f"observation: Box({low.min():g}, {high.max():g}, ({game.observation_size},), float32)",
        f"action: Discrete({len(game.actions)}), with a mask int8 ({len(game.actions)},)",
        f"phases: {', '.join(game.phases)}",
    ):
        console.print(line)
    options = titled("options", "option", "values", "default", "meaning")
    for option in game.options:
        options.add_row(
            option.name,
            option.description or some(list(option.by_text()), 8, 3),
            str(option.default),
            option.meaning,
        )
    fields = titled("observation", "field", "shape", "slice", "meaning")
    for name, entry in game.layout.items():
        fields.add_row(
            name, str(entry.shape), f"{entry.slice.start}:{entry.slice.stop}", entry.meaning
        )
    actions = titled("actions", "actions", "indices")
    for first, last in game.action_groups:
        actions.add_row(
            some(game.actions[first : last + 1], 4, 2),
            str(first) if first == last else f"{first}-{last}",
        )
    events = titled("events, as typed", "event and its parts", "told to", "meaning")
    for kind in game.events.kinds:
        events.add_row(form_of(kind), kind.told_to.replace("`", ""), kind.meaning)
    for table in (options, fields, actions, events):
        console.print()
        console.print(table)
    say(f"\n{TYPED}")
    needed, [view, *_] = opening_of(game.env_name, 0)
    say(f"\nopening of a seat, such as: {json.dumps({key: view[key] for key in needed})}")


TYPED = (
    "An event is typed as its kind, the seat from 1, and the values: commas join several, quotes "
    "enclose a value with blanks, a flag is yes or no, ? is not known, - is nothing."
)


def titled(title: str, *headings: str) -> Table:
    return Table(*headings, title=title, title_justify="left", show_edge=False)


def some(texts: Any, most: int, first: int) -> str:
    """The texts in a line; of more than ``most`` the first few and the last."""
    return ", ".join(texts if len(texts) <= most else [*texts[:first], "…", texts[-1]])


def print_answer(game: Game, question: str, as_json: bool) -> None:
    """Print what the game's companion app says; raises ValueError for a game without one."""
    if game.consult is None:
        raise ValueError(f"{game.env_name} has no companion app to ask")
    head, *rows = game.consult(question)
    if as_json:
        print(json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=1))
        return
    answer = Table(*head, show_edge=False)
    for row in rows:
        answer.add_row(*row)
    console.print(answer)
