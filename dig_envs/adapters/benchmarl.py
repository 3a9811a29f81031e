"""Every game as a task of BenchMARL: ``Experiment(task=DigTask("cretaceous_creek_v0",
level="beginner"), …)``."""

from collections.abc import Callable
from functools import partial
from typing import Any

from dig_envs.engine.core.installing import how_to_install

try:
    from benchmarl.environments.common import TaskClass
    from torchrl.data import Composite
    from torchrl.envs import EnvBase
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.benchmarl needs BenchMARL ({error.name} is missing): "
        f"{how_to_install('benchmarl')}",
        name=error.name,
    ) from error

from dig_envs.adapters.torchrl import GROUP, DigEnv
from dig_envs.engine.core.checks import check_integer

# of an evaluation: random games end within 800, but the rules of some allow many thousands
MOST_STEPS = 1000


class DigTask(TaskClass):
    """A game in which all seats are one group of agents with one network for all, ``player`` in
    results and metrics.

    Its environments are batches (:class:`~dig_envs.adapters.torchrl.DigEnv`):
    ``on_policy_n_envs_per_worker`` and ``off_policy_n_envs_per_worker`` are numbers of games that
    are stepped together. The masks of legal actions go where BenchMARL looks for them; agents that
    are not to act have an action that is ignored. The state, for a central critic, is the
    observations of all seats together.

    An evaluation plays ``evaluation_episodes`` games side by side, always for ``max_steps`` actions
    each, and counts the first episode of each. One that is longer is counted as far as it got.

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        max_steps: the actions of an evaluation; the greatest possible number of a game where that
            is smaller.
        settings: ``reward``, ``num_threads``, ``num_players`` and the game's other options, as for
            ``DigEnv``.

    Raises:
        ValueError: unknown game. OptionError: unknown option or bad value. ModuleNotFoundError (at
            import): BenchMARL is missing.
    """

    def __init__(self, name: str, max_steps: int = MOST_STEPS, **settings: Any) -> None:
        # refuses what is wrong here, not in the experiment
        game = DigEnv(name, 1, 0, device="cpu", **settings).game
        self.most_steps = min(check_integer(max_steps, "max_steps", 1), game.max_actions)
        super().__init__(name, settings)

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], EnvBase]:
        """A function that creates a batch of ``num_envs`` games."""
        return partial(DigEnv, self.name, num_envs, seed or 0, device=device, **self.config)

    def supports_continuous_actions(self) -> bool:
        """No: actions are chosen from a list."""
        return False

    def supports_discrete_actions(self) -> bool:
        """Yes."""
        return True

    def max_steps(self, env: EnvBase) -> int:
        """The number of actions in an evaluation."""
        return self.most_steps

    def has_render(self, env: EnvBase) -> bool:
        """No pictures in evaluations."""
        return False

    def group_map(self, env: EnvBase) -> dict[str, list[str]]:
        """All agents in one group, ``player``."""
        return dict(env.group_map)

    def observation_spec(self, env: EnvBase) -> Composite:
        """The vectors that the agents of one game see."""
        return _only(env, "observation")

    def action_mask_spec(self, env: EnvBase) -> Composite:
        """The masks of legal actions in one game."""
        return _only(env, "action_mask")

    def info_spec(self, env: EnvBase) -> None:
        """None: what infos say is for people."""

    def state_spec(self, env: EnvBase) -> Composite:
        """Everything that is decided in one game, hidden or not."""
        return Composite(state=env.full_observation_spec_unbatched["state"])

    def action_spec(self, env: EnvBase) -> Composite:
        """An action of each agent of one game, as an integer."""
        return env.full_action_spec_unbatched

    @staticmethod
    def env_name() -> str:
        """The name in results."""
        return "dig_envs"


def _only(env: EnvBase, key: str) -> Composite:
    """The part of the spec under one key, for the agents of one game."""
    group = env.full_observation_spec_unbatched[GROUP]
    return Composite({GROUP: Composite({key: group[key]}, shape=group.shape)})
