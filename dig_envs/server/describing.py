"""What an environment is, for other programs."""

from typing import Any

from dig_envs.registry import list_environments, load_game


def summary(env: str) -> dict[str, Any]:
    """One line of the list of environments."""
    game = load_game(env)
    return {
        "environment": game.env_name,
        "title": game.title,
        "players": [game.min_players, game.max_players],
        "cooperative": game.cooperative,
    }


def summaries() -> list[dict[str, Any]]:
    """All environments."""
    return [summary(name) for name in list_environments()]


def description(env: str) -> dict[str, Any]:
    """Options, phases, the observation field by field, and the actions."""
    game = load_game(env)
    return {
        **summary(env),
        "phases": list(game.phases),
        "options": [{"name": o.name, "values": list(o.values), "default": o.default, "meaning": o.meaning} for o in game.options],
        "observation": [
            {"name": name, "shape": list(e.shape), "start": e.slice.start, "stop": e.slice.stop, "meaning": e.meaning}
            for name, e in game.layout.items()
        ],
        "actions": list(game.actions),
    }


def schemas(env: str) -> dict[str, Any]:
    """The JSON Schemas of snapshots and views."""
    game = load_game(env)
    return {"snapshot": game.json_schema, "view": game.view_schema}
