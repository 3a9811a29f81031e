"""Makes ONNX graphs of PyTorch modules, and of models of Stable-Baselines3 and sb3-contrib."""

import inspect
import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from dig_envs.agents.onnx import MEMORY, NEXT_MEMORY, first_line
from dig_envs.agents.onnx_graph import OPSET, load
from dig_envs.engine.core.errors import PolicyMismatchError
from dig_envs.engine.game import Array, Game

Tensors = tuple[torch.Tensor, ...]


def from_module(
    module: nn.Module, game: Game, memory_size: int
) -> tuple[bytes, Callable[..., Array]]:
    """The ONNX file of a module (:func:`dig_envs.save_policy`), and a function that computes
    its logits from arrays.

    Raises:
        TypeError: it takes other inputs than a policy has. ValueError: it cannot be converted.
        PolicyMismatchError: shapes do not fit.
    """
    name = type(module).__name__
    kinds = {str(one.dtype) for one in module.parameters() if one.dtype != torch.float32}
    if kinds:
        raise ValueError(f"{name} has weights of {', '.join(kinds)}; give it as float32: float()")
    names = ["observation", "action_mask", MEMORY][: _takes(module, game, memory_size)]
    widths = (game.observation_size, len(game.actions), memory_size)
    place = next((one.device for one in module.parameters()), torch.device("cpu"))
    given = tuple(torch.ones(2, width).to(place) for width, _ in zip(widths, names, strict=False))
    asked = _Asked(module)

    def logits(*arrays: Array) -> Array:
        tensors = (torch.tensor(array, dtype=torch.float32) for array in arrays[: len(names)])
        with _evaluated(module):
            computed: Array = asked(*(one.to(place) for one in tensors))[0].cpu().numpy()
        return computed

    try:
        with _evaluated(module):
            found = asked(*given)
    except Exception as error:  # of the user's code
        shapes = ", ".join(f"{one} {tuple(x.shape)}" for one, x in zip(names, given, strict=True))
        raise PolicyMismatchError(
            f"{name} does not take what {game.env_name} gives for 2 decisions, float32 {shapes}: "
            f"{first_line(error)}"
        ) from None
    outputs = _check_outputs(name, found, game, memory_size)
    file = io.BytesIO()
    try:
        with warnings.catch_warnings(), _evaluated(module):
            # of this exporter, which needs no other package, and of PyTorch's own layers; what it
            # says of the user's code is shown
            for kind in (DeprecationWarning, UserWarning):
                warnings.simplefilter("ignore", kind)
            warnings.filterwarnings("ignore", module=r"torch\.")
            torch.onnx.export(
                asked,
                given,
                file,  # type: ignore[arg-type]
                dynamo=False,
                input_names=names,
                output_names=outputs,
                dynamic_axes={one: {0: "n"} for one in (*names, *outputs)},
                opset_version=OPSET,
            )
    except Exception as error:  # PyTorch's are of many kinds
        raise ValueError(f"PyTorch cannot convert {name} to ONNX: {first_line(error)}") from None
    graph = file.getvalue()
    if "observation" not in [one.name for one in load(graph).graph.input]:
        raise PolicyMismatchError(
            f"{name} does not use its input as a tensor: the logits must be computed from the "
            "observation by PyTorch, not by NumPy"
        )
    return graph, logits


@contextmanager
def _evaluated(module: nn.Module) -> Iterator[None]:
    """Compute inside as in evaluation, and without gradients; then the module is as it was."""
    before = {one: one.training for one in module.modules()}
    try:
        module.eval()
        with torch.no_grad():
            yield
    finally:
        for one, training in before.items():
            one.training = training


class _Asked(nn.Module):
    """Gives what a module gives as a tuple, without what is None."""

    def __init__(self, own: nn.Module) -> None:
        super().__init__()
        self.own = own
        self.training = False  # of this module alone

    def forward(self, *given: torch.Tensor) -> Tensors:
        found = self.own(*given)
        several = found if isinstance(found, tuple | list) else (found,)
        return tuple(one for one in several if one is not None)


def _takes(module: nn.Module, game: Game, memory_size: int) -> int:
    """How many inputs a module takes; raises TypeError for others than a policy has."""
    kinds = inspect.Parameter
    parameters = [
        one
        for one in inspect.signature(module.forward).parameters.values()
        if one.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    ]
    needed = [one.name for one in parameters if one.default is kinds.empty]
    if memory_size and len(parameters) >= 3 >= len(needed):
        return 3
    if not memory_size and len(needed) in (1, 2):
        return len(needed)
    raise TypeError(
        f"{type(module).__name__}.forward takes ({', '.join(needed)}); a policy for "
        f"{game.env_name} needs forward(observation) or forward(observation, action_mask), with a "
        "memory_size forward(observation, action_mask, memory): write a module around it"
    )


def _check_outputs(name: str, found: Any, game: Game, memory_size: int) -> list[str]:
    """The names of what a module gives for two decisions; raises PolicyMismatchError if it
    does not fit the environment."""
    wanted: dict[str, list[tuple[int, ...]]] = {
        "logits": [(2, len(game.actions))],
        "value": [(2,), (2, 1)],
    }
    if memory_size:
        wanted[NEXT_MEMORY] = [(2, memory_size)]
    least = len(wanted) if memory_size else 1
    strange = next((one for one in found if not isinstance(one, torch.Tensor)), None)
    if strange is not None:
        right = f"({', '.join(wanted)})" if memory_size else "logits or (logits, value)"
        raise PolicyMismatchError(f"{name} gives a {type(strange).__name__}; return {right}")
    shapes = [tuple(getattr(one, "shape", ())) for one in found]
    fits = least <= len(found) <= len(wanted) and all(
        shape in right for shape, right in zip(shapes, wanted.values(), strict=False)
    )
    if not fits:
        right = ", ".join(f"{one} {shapes[0]}" for one, shapes in wanted.items())
        raise PolicyMismatchError(
            f"{name} gives {', '.join(map(str, shapes)) or 'nothing'} for 2 decisions; "
            f"{game.env_name} needs {right}" + ("" if memory_size else " (or logits alone)")
        )
    return list(wanted)[: len(found)]


# ---------------------------------------------------------------- Stable-Baselines3


def from_sb3(policy: Any) -> tuple[nn.Module, int]:
    """A module with the forward of :func:`from_module` around a policy of Stable-Baselines3
    or sb3-contrib, and its memory_size; raises TypeError for one without discrete actions."""
    spaces = getattr(policy.observation_space, "spaces", None)
    keys = None if spaces is None else tuple(spaces)
    if keys is not None and not set(keys) <= {"observation", "action_mask"}:
        raise TypeError(
            f"the model observes {', '.join(keys)}; save_policy knows observation and action_mask"
        )
    if not hasattr(policy.action_space, "n"):
        raise TypeError(f"the model acts in {policy.action_space}; a policy has discrete actions")
    if hasattr(policy, "lstm_actor"):
        recurrent = _Recurrent(policy, keys)
        return recurrent, recurrent.memory_size
    if hasattr(policy, "action_net") and hasattr(policy, "mlp_extractor"):
        return _ActorCritic(policy, keys), 0
    network = getattr(policy, "q_net", None) or getattr(policy, "quantile_net", None)
    if network is not None:
        return _Values(network, keys), 0
    raise TypeError(
        f"save_policy takes PPO, A2C, MaskablePPO, RecurrentPPO, DQN and QRDQN, no "
        f"{type(policy).__name__}; write a torch.nn.Module that gives its logits"
    )


def _seen(
    keys: tuple[str, ...] | None, observation: torch.Tensor, action_mask: torch.Tensor
) -> Any:
    """What a model observes: the vector, or a dict with it."""
    both = {"observation": observation, "action_mask": action_mask}
    return observation if keys is None else {key: both[key] for key in keys}


class _ActorCritic(nn.Module):
    """The logits and values of a policy with an actor and a critic."""

    def __init__(self, policy: Any, keys: tuple[str, ...] | None) -> None:
        super().__init__()
        self.policy, self.keys = policy, keys

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> Any:
        features = self.policy.extract_features(_seen(self.keys, observation, action_mask))
        if self.policy.share_features_extractor:
            actor, critic = self.policy.mlp_extractor(features)
        else:
            actor = self.policy.mlp_extractor.forward_actor(features[0])
            critic = self.policy.mlp_extractor.forward_critic(features[1])
        return self.policy.action_net(actor), self.policy.value_net(critic)


class _Recurrent(nn.Module):
    """The logits and values of a policy with an LSTM, whose states are its memory: those of the
    actor, then those of the critic, if that has an LSTM of its own."""

    def __init__(self, policy: Any, keys: tuple[str, ...] | None) -> None:
        super().__init__()
        self.policy, self.keys = policy, keys
        own = policy.lstm_critic is not None
        self.cells = [policy.lstm_actor, *([policy.lstm_critic] if own else [])]
        self.sizes = [cell.num_layers * cell.hidden_size for cell in self.cells for _ in range(2)]
        self.memory_size = sum(self.sizes)

    def forward(
        self, observation: torch.Tensor, action_mask: torch.Tensor, memory: torch.Tensor
    ) -> Any:
        policy, parts = self.policy, torch.split(memory, self.sizes, dim=1)
        features = policy.extract_features(_seen(self.keys, observation, action_mask))
        seen = features if isinstance(features, tuple) else (features, features)
        latent, then = [], []
        for k, cell in enumerate(self.cells):
            states = tuple(
                part.reshape(-1, cell.num_layers, cell.hidden_size).transpose(0, 1).contiguous()
                for part in parts[2 * k : 2 * k + 2]
            )
            found, states = cell(seen[k][None], states)
            latent.append(found[0])
            then += [state.transpose(0, 1).flatten(1) for state in states]
        if len(latent) == 1:
            latent.append(latent[0] if policy.shared_lstm else policy.critic(seen[1]))
        actor = policy.mlp_extractor.forward_actor(latent[0])
        critic = policy.mlp_extractor.forward_critic(latent[1])
        return policy.action_net(actor), policy.value_net(critic), torch.cat(then, dim=1)


class _Values(nn.Module):
    """The values of actions, or the means of their quantiles, as logits."""

    def __init__(self, network: Any, keys: tuple[str, ...] | None) -> None:
        super().__init__()
        self.network, self.keys = network, keys

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.network(_seen(self.keys, observation, action_mask))
        return found.mean(dim=1) if found.dim() == 3 else found
