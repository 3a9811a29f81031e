"""Every game for RLlib (its new API stack): a multi-agent environment, and a module for PPO that
takes legal actions only.

``dig_envs/documentation/pages/libraries/rllib.md`` has a program that trains with them.

* **Who is asked.** A step returns the observations of the agents that are to act, and at the end of
  the game those of all. So only decisions are learned from. Rewards of an agent while others play
  are added to its last decision by RLlib.
* **Masks** are in the observations: ``{"observation": float32 (observation_size,), "action_mask":
  int8 (num_actions,)}``, at the end all zero. A module that does not look at them chooses illegal
  actions sooner or later: ``illegal`` says what these do.
* **Complete games.** Returns come at the end (``reward="win"``), so take
  ``batch_mode="complete_episodes"``, or each batch begins and ends in the middle of games.
* **Other policies.** Map seats to modules with ``policy_mapping_fn``; modules of other algorithms
  need a mask of their own.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium

from dig_envs.adapters.parallel import Observations, Outcome, Parallel
from dig_envs.adapters.position import Infos
from dig_envs.engine.core.checks import check_choice
from dig_envs.engine.core.installing import how_to_install

try:
    import torch
    from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
    from ray.rllib.core.columns import Columns
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.utils.torch_utils import FLOAT_MIN
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.rllib needs RLlib and PyTorch: {how_to_install('rllib')}", name="ray"
    ) from error

VECTOR, MASK = "observation", "action_mask"  # the parts of an observation …
# … of which the first may be called as RLlib's own example of a masking module wants it
VECTOR_KEYS = (VECTOR, "observations")


class _Asking(Parallel):
    """The parallel environment with the observations and infos of the agents that are to act alone;
    at the end of all."""

    def _observations(self) -> Observations:
        return {
            agent: self.observe(agent)
            for agent in (self.agents_to_act() if self.agents else self.possible_agents)
        }

    def _with_masks(self, infos: Infos) -> Infos:
        return super()._with_masks(
            {agent: infos[agent] for agent in (self.agents_to_act() if self.agents else infos)}
        )


class DigMultiAgentEnv(MultiAgentEnv):
    """A game as an environment of RLlib, in which only the agents that are to act are asked.

    A step returns observations and infos of the agents that are to act next, at the end of all;
    rewards and ends of all.

    Attributes: ``parallel`` (:class:`~dig_envs.adapters.parallel.Parallel`), the environment behind
    it, with the position and all that can be asked of it.

    Args:
        config: RLlib's ``env_config``: ``name``, the environment's, and by their names the game's
            options and the settings of the parallel environment. ``illegal`` is ``"terminate"``
            unless set, as RLlib's own check plays without masks. ``vector_key``: how the vector in
            an observation is called, ``"observation"`` or, as RLlib's own
            ``ActionMaskingTorchRLModule`` wants it, ``"observations"``.

    Raises:
        ValueError: no name, or an unknown one. OptionError: unknown option or bad value.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        if "name" not in config:
            raise ValueError(
                "env_config needs the name of an environment, such as {'name': 'go_dig_v0'}"
            )
        super().__init__()
        settings = {"illegal": "terminate", **config}
        self._vector_key = check_choice(
            "vector_key", settings.pop("vector_key", VECTOR), VECTOR_KEYS
        )
        if self._vector_key != VECTOR and settings.get("mask") == "info":
            raise ValueError(
                "vector_key says how the vector is called beside the mask: mask='info' leaves no "
                "mask there"
            )
        self.parallel = _Asking(**settings)
        # all are there to the end
        self.possible_agents = self.agents = self.parallel.possible_agents
        spaces = self.parallel.observation_spaces
        self.observation_spaces = {agent: self._called(space) for agent, space in spaces.items()}
        self.action_spaces = self.parallel.action_spaces
        self.metadata, self.render_mode = self.parallel.metadata, self.parallel.render_mode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Deal a new game (:meth:`Parallel.reset`)."""
        observations, infos = self.parallel.reset(seed, options)
        return self._all_called(observations), infos

    def step(self, action_dict: Mapping[str, Any]) -> Outcome:
        """Play the actions of all agents that are to act (:meth:`Parallel.step`)."""
        observations, rewards, terminations, truncations, infos = self.parallel.step(action_dict)
        terminations["__all__"], truncations["__all__"] = not self.parallel.agents, False
        return self._all_called(observations), rewards, terminations, truncations, infos

    def _all_called(self, observations: Observations) -> Observations:
        return {agent: self._called(seen) for agent, seen in observations.items()}

    def _called(self, seen: Any) -> Any:
        """An observation, or its space, whose vector has the name that was asked for."""
        if self._vector_key == VECTOR:
            return seen
        return type(seen)({MASK: seen[MASK], self._vector_key: seen[VECTOR]})

    def render(self) -> Any:
        """As the parallel environment does."""
        return self.parallel.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.parallel.close()


class MaskedPPOModule(DefaultPPOTorchRLModule):
    """RLlib's own network for PPO, which sees the vector, and with whose logits no illegal action
    can be drawn.

    Its settings are those of the default module (``model_config``). Raises ValueError for other
    observations than those of :class:`DigMultiAgentEnv`.
    """

    def __init__(self, *, observation_space: gymnasium.Space[Any], **settings: Any) -> None:
        if not isinstance(observation_space, gymnasium.spaces.Dict) or not {VECTOR, MASK} <= set(
            observation_space
        ):
            raise ValueError(
                f"the module needs observations with {VECTOR!r} and {MASK!r}, not "
                f"{observation_space}"
            )
        super().__init__(observation_space=observation_space[VECTOR], **settings)
        # what it is given, and what a checkpoint makes it from again
        self.observation_space = observation_space

    def _forward(self, batch: dict[str, Any], **more: Any) -> dict[str, Any]:
        return _masked(super()._forward(_seen(batch), **more), batch)

    def _forward_train(self, batch: dict[str, Any], **more: Any) -> dict[str, Any]:
        return _masked(super()._forward_train(_seen(batch), **more), batch)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """The values of positions, float32 (n,)."""
        values: torch.Tensor = super().compute_values(_seen(batch), embeddings)
        return values


def _seen(batch: dict[str, Any]) -> dict[str, Any]:
    """The batch with the vectors as observations, without the masks."""
    return {**batch, Columns.OBS: batch[Columns.OBS][VECTOR]}


def _masked(outputs: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    """The outputs with logits that leave illegal actions a probability of 0."""
    logits, masks = outputs[Columns.ACTION_DIST_INPUTS], batch[Columns.OBS][MASK]
    outputs[Columns.ACTION_DIST_INPUTS] = logits.masked_fill(masks == 0, FLOAT_MIN)
    return outputs
