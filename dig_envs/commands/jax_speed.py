"""Random play inside JAX, of our games and of Pgx's: what ``dig-envs bench --jax`` measures.

Each call plays ``STEPS`` actions in each game of a batch in one compiled ``lax.scan``, and finished games are followed by new
ones. All draw their actions uniformly from the legal ones: ours by ``Environment.sample``, Pgx's by ``jax.random.categorical``.
"""

from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from dig_envs.adapters.jax import jax, jnp, make
from dig_envs.engine.game import Game

STEPS = 100
PGX_GAMES = ("tic_tac_toe", "connect_four", "kuhn_poker", "othello")


def _repeated(play: Any, state: Any, batch_size: int) -> Callable[[], int]:
    """A function that goes on playing, in the memory of the state before, and returns the number of actions."""
    kept = [state, jax.random.key(0)]
    compiled = jax.jit(play, donate_argnums=0)

    def run() -> int:
        kept[0], kept[1] = compiled(*kept)
        kept[0].current_player.block_until_ready()
        return STEPS * batch_size

    return run


def rollout(game: Game, options: dict[str, Any], batch_size: int) -> Callable[[], int]:
    """A function that plays on in our game and returns the number of actions."""
    env = make(game, auto_reset=True, **options)

    def step(state: Any, key: Any) -> Any:
        return env.step(state, env.sample(state, jax.random.split(key, batch_size))), None

    def play(state: Any, key: Any) -> Any:
        key, own = jax.random.split(key)
        return jax.lax.scan(step, state, jax.random.split(own, STEPS))[0], key

    return _repeated(play, env.init(jax.random.split(jax.random.key(1), batch_size)), batch_size)


def pgx_rollouts(batch_size: int) -> dict[str, Callable[[], int]]:
    """Return functions that play some games of Pgx, by the names for the report; {} where Pgx is not installed."""
    if find_spec("pgx") is None:
        return {}
    return {f"Pgx {name} ({version('pgx')})": _pgx_rollout(name, batch_size) for name in PGX_GAMES}


def _pgx_rollout(name: str, batch_size: int) -> Callable[[], int]:
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    stepped = auto_reset(env.step, env.init)

    def step(state: Any, key: Any) -> Any:
        drawing, dealing = jax.random.split(key)
        actions = jax.random.categorical(drawing, jnp.where(state.legal_action_mask, 0.0, -1e9))
        return jax.vmap(stepped)(state, actions, jax.random.split(dealing, batch_size)), None

    def play(state: Any, key: Any) -> Any:
        key, own = jax.random.split(key)
        return jax.lax.scan(step, state, jax.random.split(own, STEPS))[0], key

    return _repeated(play, jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(1), batch_size)), batch_size)
