"""Recurrent policies for any options of Fossil Memory, of both kinds that training writes."""

import json
from functools import cache

from dig_envs.agents.onnx import CARD
from dig_envs.agents.zoo import policy_folder
from dig_envs.registry import load_game
from tests.policies import shipped

REMEMBERING = "fossil_memory_v0"


@cache
def recurrent_policies(place):
    """Return their folders, in a place for files: the weights of the shipped one, and random
    ones."""
    from tests.training.test_remembering import GRU as SETTINGS
    from tests.training.test_remembering import network_of
    from training.export import copy_policy, write_policy

    game, folder = load_game(REMEMBERING), place / "fossil_memory"
    copied = copy_policy(policy_folder(shipped("fossil_memory/memory"), game), folder / "grid")
    card = json.loads((copied / CARD).read_text())
    (copied / CARD).write_text(json.dumps({**card, "settings": {}}))
    return copied, write_policy(folder / "gru", game, network_of(SETTINGS), {})
