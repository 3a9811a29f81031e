"""The styles of the scripted player."""

from dig_envs.engine.core.styles import Style
from dig_envs.games.cretaceous_creek.heuristic import FIRST

STYLES = {
    "first": Style(
        "Looks no further than to the end of its turn, and is several times as fast.", FIRST
    )
}
