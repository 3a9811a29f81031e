"""Descriptions of environments for other programs."""

from typing import Any

from dig_envs.engine.game import Game


def summary(game: Game) -> dict[str, Any]:
    """Name, title, least and greatest number of players, and whether everybody wins or loses
    together."""
    return {
        "environment": game.env_name,
        "title": game.title,
        "players": [game.min_players, game.max_players],
        "cooperative": game.cooperative,
    }


def description(game: Game) -> dict[str, Any]:
    """Options, phases, the observation field by field, the actions and the kinds of events."""
    return {
        **summary(game),
        "phases": list(game.phases),
        "options": [
            {"name": o.name, "values": list(o.values), "default": o.default, "meaning": o.meaning}
            for o in game.options
        ],
        "observation": [
            {
                "name": name,
                "shape": list(e.shape),
                "start": e.slice.start,
                "stop": e.slice.stop,
                "meaning": e.meaning,
            }
            for name, e in game.layout.items()
        ],
        "actions": list(game.actions),
        "events": [
            {
                "kind": kind.name,
                "parts": [part.name for part in kind.parts],
                "told_to": kind.told_to,
                "meaning": kind.meaning,
            }
            for kind in game.events.kinds
        ],
    }
