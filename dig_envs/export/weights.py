"""The weights of a trained policy as a file that exported games read; ``templates/game.c`` has the
same layout and checks it."""

import struct

import numpy as np

from dig_envs.agents.onnx import OnnxAgent, read_weights, trained_for
from dig_envs.agents.program import first_unknown
from dig_envs.agents.search import reward_weights
from dig_envs.agents.zoo import policy_folder
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Game
from dig_envs.export.machines import ExportError

MAGIC, FORMAT = b"dig_envs", 4
HEAD = struct.Struct("<8sII3Q12q2d2i")
FNV_START, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


def policy_weights(game: Game, name: str) -> bytes:
    """The file of a policy, which is named as ``load_agent`` takes it.

    Raises:
        ExportError: compiled code cannot evaluate it, or the game has no number of players that it
            was trained for. ValueError: there is none of that name.
    """
    folder = policy_folder(name, game)
    agent = OnnxAgent(folder, env=game.env_name)
    network = agent.program
    if network is None:
        operation = first_unknown(read_weights(folder, agent.card), game, agent.memory_size)
        raise ExportError(
            f"{agent.name} cannot be exported: compiled code does not know "
            + (f"its operation {shown_in_message(operation)}" if operation else "its network")
        )
    try:
        win_weight, score_weight = reward_weights(agent)
        judges = True
    except ValueError:  # its values are of no use to a search
        win_weight, score_weight, judges = 0.0, 0.0, False
    cases = trained_for(agent.card, game)
    games = [[option.encode(case[option.name]) for option in game.options] for case in cases]
    parts = (
        *(network.steps.astype("<i8").tobytes(), network.heads.astype("<i8").tobytes()),
        *(
            _padded(network.table.astype("<i4").tobytes()),
            _padded(network.weights.astype("<f4").tobytes()),
            _padded(np.array(games, "<i4").tobytes()),
        ),
    )
    body = b"".join(parts)
    head = HEAD.pack(
        *(MAGIC, FORMAT, _players(agent)),
        *(int(game.layout_hash, 16), int(game.actions_hash, 16), checksum(body)),
        *(
            HEAD.size + len(body),
            len(network.steps),
            len(network.table),
            len(network.weights),
            len(games),
            *network.sizes.tolist(),
        ),
        *(win_weight, score_weight, agent.card.get("pays") != "return", judges),
    )
    return head + body


def _players(agent: OnnxAgent) -> int:
    """The numbers of players that a policy was trained for, as bits; 0: any."""
    here = {n for n in agent.num_players if agent.game.min_players <= n <= agent.game.max_players}
    if agent.num_players and not here:
        raise ExportError(
            f"{agent.name} was trained for {shown_in_message(agent.num_players)} players; "
            f"{agent.game.env_name} has {agent.game.min_players} to {agent.game.max_players}"
        )
    return sum(1 << count for count in here)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 8)


def checksum(content: bytes) -> int:
    """FNV-1a over words of 8 bytes."""
    found = FNV_START
    for word in np.frombuffer(content, "<u8").tolist():
        found = (found ^ word) * FNV_PRIME & 0xFFFFFFFFFFFFFFFF
    return found
