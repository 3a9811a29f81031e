"""The network that is trained: one multi-layer perceptron for the policy and the value."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from training.settings import Settings

Array = np.ndarray[Any, Any]


class Trunk(BaseFeaturesExtractor):
    """The hidden layers, shared by policy and value: it halves the work of two separate networks."""

    def __init__(self, observation_space: spaces.Space[Any], layers: list[int]) -> None:
        super().__init__(observation_space, layers[-1])
        sizes = [int(np.prod(observation_space.shape or ())), *layers]
        parts: list[nn.Module] = []
        for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
            linear = nn.Linear(inputs, outputs)
            parts += [linear, nn.ReLU()]
        self.network = nn.Sequential(*parts)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Features float32 (n, layers[-1])."""
        features: torch.Tensor = self.network(observation)
        return features


def make_model(env: Any, settings: Settings, seed: int, learning_rate: float) -> MaskablePPO:
    """A fresh learner."""
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
            "features_extractor_kwargs": {"layers": settings.layers},
            "normalize_images": False,
        },
        seed=seed,
        device="cpu",
    )


def parameters(model: MaskablePPO) -> dict[str, Array]:
    """The weights by name as NumPy arrays: ``layer0.weight`` (out, in), ``layer0.bias`` …, ``policy.*``, ``value.*``."""
    policy = model.policy
    linears = [part for part in policy.features_extractor.network if isinstance(part, nn.Linear)]
    named = {f"layer{k}": linear for k, linear in enumerate(linears)}
    named |= {"policy": policy.action_net, "value": policy.value_net}
    return {
        f"{name}.{kind}": getattr(linear, kind).detach().cpu().numpy().copy()
        for name, linear in named.items()
        for kind in ("weight", "bias")
    }


def evaluate(model: MaskablePPO, observation: torch.Tensor, action_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Masked logits (n, num_actions) and values (n,), with gradients."""
    features = model.policy.extract_features(observation)
    logits = model.policy.action_net(features).masked_fill(~action_mask, -1e8)
    return logits, model.policy.value_net(features)[:, 0]


class NetworkAgent:
    """The network as a player, without PyTorch: for the games that judge a run, and as its own opponent.

    Args:
        weights: from :func:`parameters`.
        sample: draw actions instead of playing the likeliest.
        seed: for ``sample``.
    """

    def __init__(self, weights: dict[str, Array], sample: bool = False, seed: int = 0, name: str = "network") -> None:
        self.name = name
        self.weights = weights
        self.sample = sample
        self._rng = np.random.default_rng(seed)
        self._depth = sum(key.startswith("layer") for key in weights) // 2

    def act(self, env: Any) -> int:
        """The action for ``env.agent_selection``."""
        seen = env.observe(env.agent_selection)
        return int(self.act_batch(seen["observation"][None], seen["action_mask"][None])[0])

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """One action for each decision."""
        logits, _ = self.evaluate(observation, action_mask)
        if self.sample:
            logits = logits + self._rng.gumbel(size=logits.shape)
        return np.asarray(np.where(action_mask, logits, -np.inf).argmax(axis=1))

    def evaluate(self, observation: Array, action_mask: Array) -> tuple[Array, Array]:
        """Masked logits (n, num_actions) and values (n,), float32."""
        features = observation
        for k in range(self._depth):
            features = np.maximum(features @ self.weights[f"layer{k}.weight"].T + self.weights[f"layer{k}.bias"], 0.0)
        logits = features @ self.weights["policy.weight"].T + self.weights["policy.bias"]
        value = features @ self.weights["value.weight"].T + self.weights["value.bias"]
        return np.where(action_mask, logits, np.float32(-1e8)), value[:, 0]
