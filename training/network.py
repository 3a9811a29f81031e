"""The network that is trained: one multi-layer perceptron for the policy and the value."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from dig_envs.agents.deciding import OneGame
from training.settings import Settings
from training.window import Window

Array = np.ndarray[Any, Any]


class Trunk(BaseFeaturesExtractor):
    """The hidden layers, shared by policy and value: it halves the work of two separate networks."""

    lookup: torch.Tensor
    fast = False  # compute the layers in bfloat16: about three times as fast on processors that have it, slower on others

    def __init__(self, observation_space: spaces.Space[Any], layers: list[int], window: Window | None) -> None:
        super().__init__(observation_space, layers[-1])
        self.window = window
        if window is not None:
            self.register_buffer("lookup", torch.from_numpy(window.lookup))
        sizes = [int(np.prod(observation_space.shape or ())) + (window.size if window else 0), *layers]
        parts: list[nn.Module] = []
        for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
            linear = nn.Linear(inputs, outputs)
            parts += [linear, nn.ReLU()]
        self.network = nn.Sequential(*parts)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Features float32 (n, layers[-1])."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.fast):
            features: torch.Tensor = self.network(self.extend(observation))
        return features.float()

    def extend(self, observation: torch.Tensor) -> torch.Tensor:
        """As :meth:`Window.extend`."""
        window = self.window
        if window is None:
            return observation
        n = len(observation)
        grid = torch.cat([observation[:, place].reshape(n, window.cells, depth) for place, depth in window.fields], dim=2)
        around = (observation[:, window.position] @ self.lookup).reshape(n, -1, window.cells) @ grid
        return torch.cat([observation, around.reshape(n, -1)], dim=1)


@dataclass(frozen=True)
class Network:
    """A network outside PyTorch: ``weights`` by name: ``layer0.weight`` (out, in), ``layer0.bias`` …, ``policy.*``, ``value.*``."""

    weights: dict[str, Array]
    window: Window | None

    @property
    def depth(self) -> int:
        """Number of hidden layers."""
        return sum(key.startswith("layer") for key in self.weights) // 2

    def evaluate(self, observation: Array, action_mask: Array) -> tuple[Array, Array]:
        """Masked logits (n, num_actions) and values (n,), float32."""
        weights = self.weights
        features = observation if self.window is None else self.window.extend(observation)
        for k in range(self.depth):
            features = np.maximum(features @ weights[f"layer{k}.weight"].T + weights[f"layer{k}.bias"], 0.0)
        logits = features @ weights["policy.weight"].T + weights["policy.bias"]
        value = features @ weights["value.weight"].T + weights["value.bias"]
        return np.where(action_mask, logits, np.float32(-1e8)), value[:, 0]


def make_model(env: Any, settings: Settings, window: Window | None, seed: int, learning_rate: float) -> MaskablePPO:
    """A fresh learner."""
    torch.distributions.Distribution.set_default_validate_args(False)  # a tenth of the time
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=learning_rate,
        n_steps=settings.rollout_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy_weight,
        vf_coef=settings.value_weight,
        target_kl=settings.target_kl or None,
        policy_kwargs={
            "net_arch": [],
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"layers": settings.layers, "window": window},
            "normalize_images": False,
        },
        seed=seed,
        device="cpu",
    )


def _parameters(model: MaskablePPO) -> dict[str, torch.Tensor]:
    """The learner's parameters under the names that :class:`Network` gives them."""
    policy: Any = model.policy
    linears = [part for part in policy.features_extractor.network if isinstance(part, nn.Linear)]
    named: dict[str, Any] = {f"layer{k}": linear for k, linear in enumerate(linears)}
    named |= {"policy": policy.action_net, "value": policy.value_net}
    return {f"{name}.{kind}": getattr(linear, kind) for name, linear in named.items() for kind in ("weight", "bias")}


def network_of(model: MaskablePPO) -> Network:
    """A copy of the learner's weights."""
    trunk: Any = model.policy.features_extractor
    return Network({name: tensor.detach().cpu().numpy().copy() for name, tensor in _parameters(model).items()}, trunk.window)


def set_network(model: MaskablePPO, network: Network) -> None:
    """Give the learner the weights of a network; raises ValueError if its layers are others."""
    parameters = _parameters(model)
    ours = {name: tuple(tensor.shape) for name, tensor in parameters.items()}
    theirs = {name: array.shape for name, array in network.weights.items()}
    if ours != theirs:
        raise ValueError(f"the network has other layers: {theirs}, wanted {ours}")
    with torch.no_grad():
        for name, tensor in parameters.items():
            tensor.copy_(torch.from_numpy(network.weights[name]))


def evaluate(model: MaskablePPO, observation: torch.Tensor, action_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Masked logits (n, num_actions) and values (n,), with gradients."""
    features = model.policy.extract_features(observation)
    logits = model.policy.action_net(features).masked_fill(~action_mask, -1e8)
    return logits, model.policy.value_net(features)[:, 0]


class NetworkAgent(OneGame):
    """The network as a player, without PyTorch: for the games that judge a run, and as its own opponent.

    Args:
        network: from :func:`network_of`.
        sample: draw actions instead of playing the likeliest.
        seed: for ``sample``.
    """

    def __init__(self, network: Network, sample: bool = False, seed: int = 0, name: str = "network") -> None:
        self.name = name
        self.network = network
        self.sample = sample
        self._rng = np.random.default_rng(seed)

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """One action for each decision."""
        logits, _ = self.network.evaluate(observation, action_mask)
        if self.sample:
            logits = logits + self._rng.gumbel(size=logits.shape)
        return np.asarray(np.where(action_mask, logits, -np.inf).argmax(axis=1))
