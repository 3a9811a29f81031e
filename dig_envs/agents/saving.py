"""Writes one's own network as a policy: a folder with ``policy.onnx`` and ``card.json``, which
:func:`dig_envs.load_agent` takes like any other."""

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.loading import parse_spec
from dig_envs.agents.onnx import CARD, CARD_FORMAT, CARD_KEYS, WEIGHTS, OnnxAgent
from dig_envs.agents.zoo import OWN_ZOOS, ZOOS, holds_policy, zoo_policies
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.checks import check_choice, check_integer, is_sequence, shown_in_message
from dig_envs.engine.core.errors import PolicyMismatchError
from dig_envs.engine.core.files import replaced, write_file
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game

TRIAL_GAMES, TRIAL_DECISIONS = 4, 8  # games side by side, and decisions in each
TOLERANCE = 1e-3  # share of the largest logit by which onnxruntime may differ from PyTorch

# what a card says of a policy that is checked or matched, besides the keys that all cards have
OWN_KEYS = (*CARD_KEYS, "num_players", "settings", "earlier_sha256")

Options = Mapping[str, Any]


def save_policy(
    folder: str | PathLike[str],
    env: str,
    network: Any,
    *,
    options: Options | Sequence[Options] = (),
    memory_size: int = 0,
    activation: str = "relu",
    licence: str = "not stated",
    about: Mapping[str, Any] | None = None,
) -> Path:
    """Write a network as a policy's folder, which ``load_agent``, the arena and all commands take.

    ``network`` is one of:

    * a ``torch.nn.Module`` with ``forward(observation)`` or ``forward(observation, action_mask)``,
      both float32, (n, observation_size) and (n, num_actions). It returns logits float32
      (n, num_actions), or logits and values, (n,) or (n, 1);
    * a model of Stable-Baselines3 or sb3-contrib, or its ``policy``: PPO, A2C, MaskablePPO,
      RecurrentPPO, DQN, QRDQN. It observes the vector of the environment, or a dict of
      ``observation`` and ``action_mask``;
    * weights by name, such as those of a network in JAX, floats: ``layer0.weight`` (outputs,
      inputs), ``layer0.bias`` (outputs,), ``layer1.weight`` …, ``policy.weight``, ``policy.bias``
      and, for a value, ``value.weight`` (1, inputs), ``value.bias`` (1,). Biases may be missing;
    * an ONNX model: a path, its bytes or an ``onnx.ModelProto``. Its inputs are ``observation`` and
      ``action_mask``, its outputs ``logits`` and ``value``, by these names or in this order; mask
      and value may be missing.

    Logits need no mask: those of illegal actions become -1e8. A missing value is 0.

    With a memory, a module or an ONNX model has a third input, ``memory`` float32
    (n, memory_size), zero at the start of a game, and a third output, ``next_memory``.

    Before anything is written, the policy plays some decisions. Its numbers must be finite, and
    agree with those of PyTorch.

    Args:
        folder: such as ``policies/go_dig/mine``, a policy that is also found as ``go_dig/mine``.
            A policy that was there is replaced.
        env: the environment's name, such as ``"go_dig_v0"``.
        network: as above.
        options: of the games for which it was trained, or a list of such; it then refuses other
            numbers of players. Empty: it plays all.
        memory_size: how many numbers it remembers of a game; 0: none.
        activation: after each hidden layer of weights by name: ``"relu"``, ``"tanh"``, ``"elu"`` or
            ``"sigmoid"``. ``"elu"`` cannot be exported to C or Rust.
        licence: of the weights, for the card.
        about: more for the card, as JSON, such as ``{"algorithm": "PPO", "steps": 1_000_000}``.
            Keys that are checked, such as ``settings``, are refused.

    Returns:
        The folder, an absolute path.

    Raises:
        TypeError: the network or another argument is of a wrong type.
        ValueError: there is no such environment, PyTorch cannot convert the module, the folder
            holds something else than a policy, ``load_agent`` would find another player under its
            name, or ``about`` has a key of the card's own.
        PolicyMismatchError: the shapes do not fit the environment, or numbers are not finite.
        OptionError: a bad option or activation.
        ImportError: ``onnx`` or ``onnxruntime`` is not installed.
        OSError: a file cannot be read, or the folder cannot be written.
    """
    try:
        folder = Path(folder)
    except TypeError:
        raise TypeError(f"folder must be a path, not {shown_in_message(folder)}") from None
    if not isinstance(env, str):
        raise TypeError(
            f"env must be an environment's name, such as 'go_dig_v0', not {shown_in_message(env)}"
        )
    game = load_game(env)
    games = _check_options(options, game)
    check_integer(memory_size, "memory_size", 0)
    if not isinstance(licence, str):
        raise TypeError(f"licence must be a text such as 'MIT', not {shown_in_message(licence)}")
    facts: dict[str, Any] = {"licence": licence}
    if games:
        facts["num_players"] = sorted({case["num_players"] for case in games})
        facts["settings"] = {"games": games}
    facts |= _check_about({} if about is None else about)
    check_free(folder)
    _check_name(folder, game)
    graph, reference = _convert(network, game, memory_size, activation)
    with tempfile.TemporaryDirectory() as scratch:
        draft = write_folder(Path(scratch) / game.name / folder.name, game, graph, facts)
        _try_out(OnnxAgent(draft, game.env_name), games[0] if games else {}, reference)
    return write_folder(folder, game, graph, facts)


def write_folder(folder: Path, game: Game, graph: bytes, facts: Mapping[str, Any]) -> Path:
    """Write a policy's folder and return it: complete or not at all; a policy that was there before
    is replaced.

    Args:
        folder: such as ``policies/cretaceous_creek/policy``.
        game: that it plays.
        graph: the ONNX file.
        facts: for the card besides what identifies the policy, ``licence`` among them.

    Raises:
        ValueError: if the folder holds something else. TypeError: if the facts are no JSON.
    """
    card = {
        "format": CARD_FORMAT,
        "environment": game.env_name,
        "observation_layout": game.layout_hash,
        "action_list": game.actions_hash,
        "weights_sha256": sha256(graph).hexdigest(),
        **facts,
    }
    content = json.dumps(card, indent=1) + "\n"
    check_free(folder)
    with replaced(folder.resolve()) as draft:
        write_file(draft / WEIGHTS, graph)
        write_file(draft / CARD, content)
    return folder.resolve()


def check_free(folder: Path) -> None:
    """Raise ValueError if writing a policy there would replace something that is not a policy."""
    if (
        folder.exists()
        and not holds_policy(folder)
        and not (folder.is_dir() and not any(folder.iterdir()))
    ):
        raise ValueError(f"{folder} exists and holds no policy: choose another folder for it")


def _check_options(options: Any, game: Game) -> list[dict[str, Any]]:
    """All options of each case; none if a case is empty, since it stands for all games."""
    cases = [options] if isinstance(options, Mapping) else options
    if not is_sequence(cases) or not all(isinstance(case, Mapping) for case in cases):
        raise TypeError(
            "options must be those of a game, such as {'num_players': 2}, or a list of such, not "
            f"{shown_in_message(options)}"
        )
    games = [game.complete_options(case) for case in cases]
    return games if all(cases) else []


def _check_about(about: Any) -> Mapping[str, Any]:
    """More facts for a card; raises TypeError or ValueError that names the key."""
    if not isinstance(about, Mapping) or not all(isinstance(key, str) for key in about):
        raise TypeError(
            f"about must be a dict whose keys are texts, such as {{'steps': 5}}, not "
            f"{shown_in_message(about)}"
        )
    if own := [key for key in OWN_KEYS if key in about]:
        raise ValueError(
            f"about has {', '.join(map(repr, own))}, which save_policy writes to the card itself; "
            "use another name, such as 'hyperparameters'"
            + ("" if "licence" not in own else "; a licence is an argument")
        )
    for key, value in about.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(
                f"about[{shown_in_message(key)}] must be JSON: texts, finite numbers of Python, "
                f"lists and dicts, not {shown_in_message(value)}"
            ) from None
    return about


def _check_name(folder: Path, game: Game) -> None:
    """Raise ValueError if ``load_agent`` finds another player, or none, under the name that a
    policy has in a zoo."""
    place = folder.resolve()
    if place.parent.parent not in [zoo.resolve() for zoo in ZOOS]:
        return
    name = f"{place.parent.name}/{place.name}"
    if place.parent.name != game.name:
        raise ValueError(
            f"{name} would be a policy of {place.parent.name}, and this one is of {game.env_name}: "
            f"write it to policies/{game.name}/{place.name}"
        )
    for spec in (parse_spec(name), parse_spec(place.name, game.env_name)):
        if spec.kind != "policy" or spec.name != spec.text:
            raise ValueError(
                f"load_agent({shown_in_message(spec.text)}) is another player: choose another name "
                f"than {shown_in_message(place.name)}"
            )
    shipped = zoo_policies(OWN_ZOOS).get(name)
    if shipped is not None and shipped.resolve() != place:
        raise ValueError(
            f"{name} is a policy of this package, which load_agent finds first: choose another name"
        )


def _convert(
    network: Any, game: Game, memory_size: int, activation: str
) -> tuple[bytes, Callable[..., Array] | None]:
    """The ONNX file of a network, and a function from arrays to the logits that it must
    give; None where the file is all there is."""
    # imported here: they need onnx, and PyTorch, which nothing else here does
    from dig_envs.agents import onnx_graph

    if isinstance(network, Mapping):
        check_choice("activation", activation, tuple(onnx_graph.ACTIVATIONS))
        if memory_size:
            raise ValueError(
                "weights by name have no memory: memory_size must be 0, or the network a "
                "torch.nn.Module or an ONNX model"
            )
        return onnx_graph.from_weights(network, game, activation), None
    if hasattr(network, "get_parameters") and hasattr(network, "policy"):
        network = network.policy  # a model of Stable-Baselines3
    torch, reference = sys.modules.get("torch"), None
    if torch is not None and isinstance(network, torch.nn.Module):
        from dig_envs.agents import torch_graph

        if hasattr(network, "observation_space") and hasattr(network, "predict"):
            given = memory_size
            network, memory_size = torch_graph.from_sb3(network)
            if given not in (0, memory_size):
                raise ValueError(
                    f"memory_size is {memory_size} for this model of Stable-Baselines3, not {given}"
                )
        network, reference = torch_graph.from_module(network, game, memory_size)
    elif not isinstance(network, bytes | str | PathLike | onnx_graph.ModelProto):
        raise TypeError(
            "a network is a torch.nn.Module, a model of Stable-Baselines3, weights by name or an "
            f"ONNX model, not {shown_in_message(network)}{_ADVICE if callable(network) else ''}"
        )
    return onnx_graph.completed(onnx_graph.load(network), game, memory_size), reference


_ADVICE = (
    "; of a function give the weights by name, or the ONNX model that jax2onnx makes of it, or let "
    "it play as it is (python:MODULE:NAME)"
)


def _try_out(agent: OnnxAgent, options: Options, reference: Callable[..., Array] | None) -> None:
    """Raise PolicyMismatchError unless a policy plays some decisions of the environment with finite
    numbers, and its logits are those of a function."""
    batch = BatchEnv(agent.game.env_name, TRIAL_GAMES, seed=0, **options)
    remembered = np.zeros((TRIAL_GAMES, agent.game.max_players, agent.memory_size), np.float32)
    games = np.arange(TRIAL_GAMES)
    for _ in range(TRIAL_DECISIONS):
        seen, mask, movers = batch.observation.copy(), batch.action_mask.copy(), batch.mover.copy()
        memory = remembered[games, movers]
        before = memory.copy()
        logits, _ = agent.evaluate(seen, mask, memory if agent.memory_size else None)
        if reference is not None:
            legal = mask == 1
            found, wanted = logits[legal], reference(seen, mask, before)[legal]
            difference = np.abs(found - wanted).max()
            if not difference <= TOLERANCE * max(1.0, np.abs(wanted).max()):
                raise PolicyMismatchError(
                    f"the ONNX graph gives logits that differ by {difference:g} from PyTorch's; a "
                    "forward that branches on what it sees, or draws at random, cannot be converted"
                )
        remembered[games, movers] = memory
        batch.step(np.where(mask, logits, -np.inf).argmax(axis=1))
    batch.close()
