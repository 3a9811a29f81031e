"""The rules of The Big Dig (BD-1 to BD-34), as compiled functions on a state record.

``course``: set-up, commitments carried out, turns. ``legal``: what may be chosen. ``commitments``:
who has to choose. ``models``, ``arguments``, ``discovery``, ``scoring``: what they are about.
``deck``: what was and what may be in it. ``redeal``: what a seat cannot know.
"""

from dig_envs.games.the_big_dig.rules.course import apply_action, derive, inspect, setup
from dig_envs.games.the_big_dig.rules.legal import legal_actions
from dig_envs.games.the_big_dig.rules.redeal import determinize

__all__ = ["apply_action", "derive", "determinize", "inspect", "legal_actions", "setup"]
