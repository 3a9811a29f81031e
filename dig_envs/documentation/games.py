"""The tables in the games' READMEs that are made from the code of the games."""

from importlib import import_module
from pathlib import Path

from dig_envs.documentation.tables import Column, table
from dig_envs.engine.core.options import Option
from dig_envs.engine.game import Game


def readme_path(game: Game) -> Path:
    return Path(str(import_module(game.package).__file__)).with_name("README.md")


def _at_a_glance(game: Game) -> str:
    low, high = game.fields.bounds()
    least, most = game.min_players, game.max_players
    players = f"{least} to {most} (default {game.complete_options({})['num_players']})"
    has_limit = any(option.name in ("max_turns", "max_rounds") for option in game.options)
    rows = {
        "environment": f'`dig_envs.make("{game.env_name}")`',
        "players": str(most) if least == most else players,
        "agents": f"`player_0` … `player_{most - 1}`",
        "kind": "cooperative: all win or lose together" if game.cooperative else "competitive",
        "action space": f"`Discrete({len(game.actions)})`, with a mask",
        "observation space": (
            f"`Box({low.min():g}, {high.max():g}, ({game.observation_size},), float32)`"
        ),
        "longest episode": f"at most {game.max_actions:,} actions"
        + (", with the largest turn limit" if has_limit else ""),
        "size of a position": f"{game.state.itemsize:,} bytes",
    }
    return table({"": lambda row: row[0], " ": lambda row: row[1]}, rows.items())


def _options(game: Game) -> str:
    def default(option: Option) -> str:
        return f"`{option.decode(option.encode(option.default))}`"

    def meaning(option: Option) -> str:
        return (
            option.meaning
            if option.shown
            else f"{option.meaning}; the observation does not show it"
        )

    columns: dict[str, Column] = {
        "option": "name:code",
        "values": _values,
        "default": default,
        "meaning ([rule](RULES.md))": meaning,
    }
    return table(columns, game.options)


def _values(option: Option) -> str:
    if option.description:
        return option.description
    values = [f"`{value}`" for value in option.values]
    return ", ".join(values) if len(values) <= 8 else f"{values[0]} … {values[-1]}"


def _actions(game: Game) -> str:  # in groups that begin with the same word
    def ends(between: str, first: object, last: object) -> str:
        return str(first) if first == last else f"{first}{between}{last}"

    columns = {
        "indices": lambda row: ends("–", *row),
        "actions": lambda row: ends(" … ", *(f"`{game.actions[index]}`" for index in row)),
    }
    return table(columns, game.action_groups)


def _observation(game: Game) -> str:
    derived = {field.name for field in game.fields.fields if field.derived}
    columns = {
        "field": lambda row: f"`{row[0]}`{'†' * (row[0] in derived)}",
        "shape": lambda row: "×".join(map(str, row[1].shape)) or "1",
        "slice": lambda row: f"{row[1].slice.start}:{row[1].slice.stop}",
        "meaning": lambda row: row[1].meaning,
    }
    return table(columns, game.layout.items())


def _events(game: Game) -> str:  # each with its values
    kinds = [(kind.name, [part.name for part in kind.parts]) for kind in game.events.kinds]
    return ", ".join(
        f"`{name}({', '.join(values)})`" if values else f"`{name}`" for name, values in kinds
    )


def _styles(game: Game) -> str:
    if not game.styles:
        return "The scripted player has one style only."
    rows = [("heuristic", "the usual one")]
    rows += [(f"heuristic:style={name}", style.meaning) for name, style in game.styles.items()]
    return table({"name": lambda row: f"`{row[0]}`", "what it does": lambda row: row[1]}, rows)


def tables_of(game: Game) -> dict[str, str]:
    made = (_at_a_glance, _options, _actions, _observation, _events, _styles)
    return {one.__name__.strip("_").replace("_", " "): one(game) for one in made}
