"""Games in JaxMARL's form: dictionaries by agent, inside ``jax.jit``, ``jax.vmap`` and
``jax.lax.scan``.

    env = dig_envs.adapters.jaxmarl.make("cretaceous_creek_v0", num_players=2)
    observations, state = env.reset(jax.random.key(0))
    observations, state, rewards, dones, infos = env.step(key, state, actions)

It has what JaxMARL's wrappers and algorithms ask of a ``MultiAgentEnv``, and needs JAX but not
JaxMARL. All that :mod:`dig_envs.adapters.jax` says of keys, devices and the bytes of a game holds
here, too.
"""

from dataclasses import dataclass
from typing import Any

from dig_envs.adapters.jax import Array, Environment, State, jax, jnp
from dig_envs.adapters.jax import make as make_environment
from dig_envs.adapters.position import agent_names
from dig_envs.engine.game import Game

Arrays = dict[str, Array]


@dataclass(frozen=True)
class Box:
    """The space of an agent's observations, float32 (n,): numbers from ``low`` to ``high``, arrays
    of this shape."""

    low: Array
    high: Array
    dtype: Any = jnp.float32

    @property
    def shape(self) -> tuple[int, ...]:
        """(n,)."""
        return tuple(self.low.shape)

    def sample(self, rng: Array) -> Array:
        """A random member of the space."""
        return jax.random.uniform(rng, self.shape, self.dtype, self.low, self.high)

    def contains(self, x: Array) -> Array:
        """Whether all numbers are within the bounds."""
        return jnp.all((x >= self.low) & (x <= self.high))


@dataclass(frozen=True)
class Discrete:
    """The space of an agent's actions: integers from 0 to n - 1."""

    n: int
    dtype: Any = jnp.int32
    shape: tuple[int, ...] = ()

    def sample(self, rng: Array) -> Array:
        """A random member of the space."""
        return jax.random.randint(rng, self.shape, 0, self.n, self.dtype)

    def contains(self, x: Array) -> Array:
        """Whether ``x`` is from 0 to n - 1."""
        return (x >= 0) & (x < self.n)


class JaxMarl:
    """A game for JaxMARL: all agents act in each step, those that have nothing to decide with the
    one action that their mask allows.

    Observations are float32 (observation_size,), rewards float32 (), dones bool (); with ``step``'s
    end of a game the next one is dealt in the same step, from the seed that follows. An illegal
    action of an agent that is to decide ends the game with reward -1 for it.

    Attributes: ``agents``, ``num_agents``, ``name``, ``environment``
    (:class:`~dig_envs.adapters.jax.Environment`).
    """

    def __init__(self, name: Game | str, reward: str, auto_reset: bool, **options: Any) -> None:
        self.environment: Environment = make_environment(
            name, reward=reward, auto_reset=auto_reset, **options
        )
        self.num_agents = self.environment.num_players
        self.agents = agent_names(self.num_agents)
        low, high = self.environment.game.fields.bounds()
        box = Box(jnp.asarray(low, jnp.float32), jnp.asarray(high, jnp.float32))
        self.observation_spaces = dict.fromkeys(self.agents, box)
        self.action_spaces = dict.fromkeys(self.agents, Discrete(self.environment.num_actions))

    name = property(lambda self: self.environment.id, doc="The name of the environment.")

    def reset(self, key: Array) -> tuple[Arrays, State]:
        """Deal a game from a key; returns (observations, state)."""
        state = self.environment.init(key)
        return self.get_obs(state), state

    def step(
        self, key: Array, state: State, actions: Arrays, reset_state: State | None = None
    ) -> tuple[Arrays, State, Arrays, Arrays, dict[str, Any]]:
        """Play the actions of all agents that are to decide; with ``auto_reset`` a game that ends
        is followed by the next one.

        Args:
            key: not used: all chance is in the state.
            state: one game.
            actions: integers () by agent.
            reset_state: what a game that ends is followed by, if not by the next deal.

        Returns:
            (observations, state, rewards, dones with ``"__all__"``, infos); infos has
            ``turn_limit`` and by agent ``returned``, the episode's returns, ``won``, the share of
            the victory, and ``score``: 0 before the end.
        """
        lead = state.game.shape[:-1]
        chosen = [self.environment.actions(actions[agent], lead, agent) for agent in self.agents]
        state = self.environment.step_all(state, jnp.stack(chosen, -1))
        rewards, returned = (
            self._by_agent(state.rewards),
            self._by_agent(jnp.where(state.terminated[..., None], state.returns, 0.0)),
        )
        dones = {**dict.fromkeys(self.agents, state.terminated), "__all__": state.terminated}
        infos = {
            "turn_limit": state.turn_limit,
            "returned": returned,
            "won": self._by_agent(state.won),
            "score": self._by_agent(state.scores),
        }
        if reset_state is not None:
            state = jax.tree.map(
                lambda new, old: jnp.where(dones["__all__"], new, old), reset_state, state
            )
        return self.get_obs(state), state, rewards, dones, infos

    def step_env(
        self, key: Array, state: State, actions: Arrays
    ) -> tuple[Arrays, State, Arrays, Arrays, dict[str, Any]]:
        """Do the same as :meth:`step`."""
        return self.step(key, state, actions)

    def get_obs(self, state: State) -> Arrays:
        """Observations by agent, each float32 (observation_size,)."""
        return self._by_agent(self.environment.look_all(state)[0], axis=-2)

    def get_avail_actions(self, state: State) -> Arrays:
        """Action masks by agent, each bool (num_actions,). An agent with nothing to decide has
        action 0 alone, which is ignored."""
        masks = self.environment.look_all(state)[1]
        idle = ~masks.any(-1, keepdims=True)
        first = jnp.arange(self.environment.num_actions) == 0
        return self._by_agent(masks | (idle & first), axis=-2)

    def get_world_state(self, state: State) -> Array:
        """The complete state for a central critic, hidden information included, float32
        (full_state_size,)."""
        return self.environment.full_state(state)

    def observation_space(self, agent: str) -> Box:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        """Agents by kind: there is one kind."""
        return {"agents": self.agents}

    def _by_agent(self, values: Array, axis: int = -1) -> Arrays:
        return {agent: jnp.take(values, seat, axis) for seat, agent in enumerate(self.agents)}


def make(
    name: Game | str, *, reward: str = "win", auto_reset: bool = True, **options: Any
) -> JaxMarl:
    """Create a game in JaxMARL's form.

    Args:
        name: such as ``cretaceous_creek_v0``.
        reward: ``"win"`` (returns on the last step) or ``"score"`` (each seat's change of score at
            every step).
        auto_reset: whether the next game is dealt in the step that ends one.
        options: of the game.

    Raises:
        OptionError: unknown option or bad value. ValueError: unknown game.
    """
    return JaxMarl(name, reward, auto_reset, **options)
