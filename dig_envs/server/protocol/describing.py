"""Descriptions of environments for other programs."""

from typing import cast

from dig_envs.engine.game import Game
from dig_envs.server.protocol.answers import EnvironmentDescription, OptionDescription, Summary


def summary(game: Game) -> Summary:
    """Name, title, least and greatest number of players, and whether everybody wins or loses
    together."""
    return {
        "environment": game.env_name,
        "title": game.title,
        "players": [game.min_players, game.max_players],
        "cooperative": game.cooperative,
    }


def description(game: Game) -> EnvironmentDescription:
    """Options, phases, the observation field by field, the actions and the kinds of events."""
    return {
        **summary(game),
        "phases": list(game.phases),
        "options": [cast("OptionDescription", option.to_json()) for option in game.options],
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
