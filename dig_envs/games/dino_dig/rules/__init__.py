"""The rules of Dino Dig (DD-1 to DD-31), as compiled functions on a state record.

``course``: set-up, turns, actions. ``cards``, ``site``: places of cards, ways of pieces.
``skeletons``: runs, the end of the game. ``redeal``: what a seat cannot know. ``kinds``: what a
card would do for a seat's run.
"""

from dig_envs.games.dino_dig.rules.course import apply_action, derive, inspect, legal_actions, setup
from dig_envs.games.dino_dig.rules.redeal import determinize

__all__ = ["apply_action", "derive", "determinize", "inspect", "legal_actions", "setup"]
