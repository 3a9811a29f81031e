"""The rules of Diggity (DG-1 to DG-33), as compiled functions on a state record.

``course``: set-up, turns, actions. ``mine``: cards on a plane. ``tools``: thefts and auctions.
``redeal``: what a seat cannot know.
"""

from dig_envs.games.diggity.rules.course import apply_action, inspect, legal_actions, setup
from dig_envs.games.diggity.rules.mine import derive
from dig_envs.games.diggity.rules.redeal import determinize

__all__ = ["apply_action", "derive", "determinize", "inspect", "legal_actions", "setup"]
