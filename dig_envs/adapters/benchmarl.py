"""Every game as a task of BenchMARL: ``Experiment(task=DigTask("cretaceous_creek_v0", level="beginner"), …)``."""

from collections.abc import Callable
from typing import Any

try:
    from benchmarl.environments.common import TaskClass
    from torchrl.data import Composite
    from torchrl.envs import EnvBase, PettingZooWrapper
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.benchmarl needs BenchMARL ({error.name} is missing): pip install 'dig_envs[benchmarl]'",
        name=error.name,
    ) from error

from dig_envs.adapters.make import make_parallel


class DigTask(TaskClass):
    """A game in which all seats are one group of agents with one network for all, ``player`` in results and metrics.

    The masks of legal actions go where BenchMARL looks for them; agents that are not to act have an action that is ignored. The
    state of an environment, for a central critic, is the observations of all seats together.

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        settings: those of :func:`dig_envs.make_parallel`: ``reward``, ``num_players`` and the game's other options.

    Raises:
        ValueError: unknown game. OptionError: unknown option or bad value. ModuleNotFoundError (at import): BenchMARL is missing.
    """

    def __init__(self, name: str, **settings: Any) -> None:
        self.most_steps = make_parallel(name, **settings).game.max_actions  # refuses what is wrong here, not in the experiment
        super().__init__(name, settings)

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any) -> Callable[[], EnvBase]:
        """Return what makes an environment, a single one: BenchMARL puts several together itself."""

        def make() -> EnvBase:
            game = make_parallel(self.name, mask="info", idle="one", **self.config)
            return PettingZooWrapper(
                game, return_state=True, use_mask=False, done_on_any=False, categorical_actions=True, device=device, seed=seed
            )

        return make

    def supports_continuous_actions(self) -> bool:
        """No: actions are chosen from a list."""
        return False

    def supports_discrete_actions(self) -> bool:
        """Yes."""
        return True

    def max_steps(self, env: EnvBase) -> int:
        """The greatest number of actions in a game; no game is cut short."""
        return self.most_steps

    def has_render(self, env: EnvBase) -> bool:
        """No pictures in evaluations."""
        return False

    def group_map(self, env: EnvBase) -> dict[str, list[str]]:
        """All agents in one group, ``player``."""
        return dict(env.group_map)

    def observation_spec(self, env: EnvBase) -> Composite:
        """The vectors that the agents see."""
        return _only(env, "observation")

    def action_mask_spec(self, env: EnvBase) -> Composite:
        """The masks of legal actions."""
        return _only(env, "action_mask")

    def info_spec(self, env: EnvBase) -> None:
        """None: what infos say is for people."""

    def state_spec(self, env: EnvBase) -> Composite:
        """The observations of all seats together."""
        return Composite(state=env.observation_spec["state"].clone())

    def action_spec(self, env: EnvBase) -> Composite:
        """An action of each agent, as an integer."""
        return env.full_action_spec

    @staticmethod
    def env_name() -> str:
        """The name in results."""
        return "dig_envs"


def _only(env: EnvBase, key: str) -> Composite:
    """Return the spec of what agents are given under a key, without the rest."""
    spec = env.observation_spec.clone()
    return Composite({group: Composite({key: spec[group, key]}, shape=spec[group].shape) for group in env.group_map})
