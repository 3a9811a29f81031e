"""The tables in the games' READMEs, made from the games themselves: ``python -m dig_envs.documentation`` renews them.

A table stands between ``<!-- options -->`` and ``<!-- end of options -->``, likewise ``actions``, ``observation`` and
``events``.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from dig_envs.engine.core.options import Option
from dig_envs.engine.game import Game
from dig_envs.registry import list_environments, load_game
from dig_envs.text.markdown import markdown_table, part, with_part

Row = tuple[str, ...]
FEW = 8  # values of an option that are listed one by one


def readme_path(game: Game) -> Path:
    """Where the game's README is."""
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
    """Name, parts, who is told how much, and meaning of each kind of event, as Markdown."""
    rows: list[Row] = [
        (f"`{kind.name}`", ", ".join(f"`{part.name}`" for part in kind.parts) or "–", kind.told_to, kind.meaning)
        for kind in game.events.kinds
    ]
    return markdown_table(("event", "parts", "told to", "meaning"), rows)


TABLES: dict[str, Callable[[Game], str]] = {
    "options": options_table,
    "actions": actions_table,
    "observation": observation_table,
    "events": events_table,
}


def with_tables(text: str, game: Game) -> str:
    """The text of a README with its tables renewed; a table that it lacks is added at the end under a heading of its own."""
    for name, table in TABLES.items():
        if not part(text, name):
            text = f"{text.rstrip()}\n\n## {name.capitalize()}\n\n<!-- {name} --><!-- end of {name} -->\n"
        text = with_part(text, name, f"\n\n{table(game)}\n\n")
    return text


def main() -> None:
    """Renew the tables in the README of every game."""
    for name in list_environments():
        game = load_game(name)
        path = readme_path(game)
        before = path.read_text(encoding="utf-8") if path.exists() else f"# {game.title}\n"
        after = with_tables(before, game)
        if after != before or not path.exists():
            path.write_text(after, encoding="utf-8")
            print(f"renewed {path}")
