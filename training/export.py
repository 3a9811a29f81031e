"""A trained network as a policy that anybody can load: ``policy.onnx`` (:mod:`training.graph`) and
``card.json``."""

from pathlib import Path
from typing import Any

import torch

from dig_envs.agents.onnx import MOST_BYTES, WEIGHTS, check_card, read_card, read_weights
from dig_envs.agents.onnx_file import read_graph
from dig_envs.agents.plain_file import read_plain_file
from dig_envs.agents.saving import check_free, write_folder
from dig_envs.agents.zoo import holds_policy
from dig_envs.engine.core.files import replaced, write_file
from dig_envs.engine.game import Game

from .files import check_can_write, check_link
from .graph import to_onnx
from .network import Network
from .parts import Part, new_network
from .window import Window

LICENCE = "MIT"
POLICY_SIZE = 50_000_000  # more than the bytes of a policy with its card


def read_network(folder: Path, game: Game, part: Part = None) -> Network:
    """The network of a policy that :func:`write_policy` wrote, to continue its training.

    Raises:
        PolicyMismatchError: if it was made for something else.
        ValueError: if it has not the window, the memory, the cells or the relations that are asked
            for.
    """
    card = read_card(folder)
    check_card(card, game, folder)
    _, tensors = read_graph(read_weights(folder, card))
    weights = {name: array for name, array in tensors.items() if "." in name}
    depth = sum(name.startswith("layer") for name in weights) // 2
    layers = [len(weights.get(f"layer{k}.weight", ())) for k in range(depth)]
    network = new_network(game, layers or [1], part, 0)
    shapes, wanted = (
        {name: array.shape for name, array in some.items()} for some in (weights, network.weights)
    )
    if shapes != wanted or ("lookup" in tensors) != isinstance(part, Window):
        raise ValueError(
            f"{folder} is not what these settings ask for ([window], [memory], [[cells]], "
            "[relations])"
        )
    network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
    return network


def check_new(folder: Path) -> None:
    """Raise ValueError if there is a policy already, or if one cannot be written there."""
    if holds_policy(folder):
        raise ValueError(
            f"{folder} is there already, the policy of another training. Choose another --name, "
            f"or remove {folder}"
        )
    check_out(folder)


def check_out(folder: Path) -> None:
    """Raise ValueError if a policy cannot be written there, which is better found before the
    training than after it."""
    check_link(folder)
    check_free(folder)
    check_can_write(folder.parent, POLICY_SIZE)


def write_policy(folder: Path, game: Game, network: Network, facts: dict[str, Any]) -> Path:
    """Write a policy's folder and return it: complete or not at all; a policy that was there before
    is replaced.

    Args:
        folder: such as ``policies/cretaceous_creek/ppo``.
        game: that it plays.
        network: its weights.
        facts: for the card besides what identifies the policy: training command, seed, steps, date,
            settings, evaluation.

    Raises:
        ValueError: if the folder holds something else.
    """
    return write_folder(folder, game, to_onnx(network), {"licence": LICENCE, **facts})


def copy_policy(folder: Path, to: Path) -> Path:
    """Copy a policy's folder with its files, and return the copy; as :func:`write_policy`
    otherwise.

    Raises:
        ValueError: also if something in it is not a file, leads out of it or is too large.
    """
    check_free(to)
    content = {}
    for file in folder.iterdir():
        try:
            content[file.name] = read_plain_file(file, MOST_BYTES[WEIGHTS], folder)
        except OSError as error:
            raise ValueError(f"{file} cannot be copied: {error}") from None
    with replaced(to.resolve()) as draft:
        for name, data in content.items():
            write_file(draft / name, data)
    return to.resolve()
