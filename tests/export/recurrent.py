"""Recurrent policies for any options of Fossil Memory: the shipped one, and one as training writes
them."""

import json
from functools import cache

from dig_envs.agents.onnx import CARD
from dig_envs.agents.zoo import policy_folder
from dig_envs.registry import load_game
from tests.policies import shipped

REMEMBERING = "fossil_memory_v0"


@cache
def recurrent_policies(place):
    """Their folders, in a place for files: the shipped one, and one with random weights."""
    from tests.training.test_remembering import network_of
    from training.export import copy_policy, write_policy

    game, folder = load_game(REMEMBERING), place / "fossil_memory"
    copied = copy_policy(policy_folder(shipped("fossil_memory/memory"), game), folder / "shipped")
    card = json.loads((copied / CARD).read_text())
    (copied / CARD).write_text(json.dumps({**card, "settings": {}}))
    return copied, write_policy(folder / "cells", game, network_of(), {})
