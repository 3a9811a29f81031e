"""Train a policy with JAX (``pip install -e ".[train,jax]"``), in one file to be read from top to
bottom, in PureJaxRL's form:

    python -m training.with_jax go_dig --steps 2000000 --name mine-jax

1. The games are inside ``jax.jit``: :func:`make_train` gives one function that plays, learns and
   repeats, all in ``jax.lax.scan``.
2. One network plays all seats and learns by masked PPO from the decisions of each; a seat is paid
   at its next decision for all that came in between (:func:`advantages_of`).
3. Its weights are written as a policy that everything here can play with
   (`dig_envs.save_policy`).
4. The policy is loaded as anybody would, and plays against random and scripted players.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dig_envs import load_agent, save_policy
from dig_envs.agents.matches import play_games
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.core.options import parse_options
from dig_envs.registry import load_game

from .files import check_new
from .interrupt import as_program

try:
    from dig_envs.adapters.jax import Environment, jax, jnp, make
except ImportError as error:
    sys.exit(
        f"error: {error.name} is missing: "
        f"{how_to_install('train,jax')} brings what this script needs"
    )

EVALUATION_SEED = 3 << 62  # of the first evaluation game; nothing is trained on these deals
PPO: dict[str, Any] = {
    "num_envs": 256, "n_steps": 128, "n_epochs": 2, "num_minibatches": 8, "learning_rate": 1e-3,
    "gamma": 0.998, "gae_lambda": 0.95, "clip_range": 0.2, "ent_coef": 0.01, "vf_coef": 0.5,
    "max_grad_norm": 0.5,
}  # fmt: skip
Array = Any  # of JAX
Params = dict[str, Array]


# ---------------------------------------------------------------- network and optimizer


def first_params(key: Array, layers: list[int], inputs: int, actions: int) -> Params:
    """First weights under the names of exported policies: orthogonal rows, biases zero."""
    shapes = {
        f"layer{k}": (outs, ins, 2**0.5)
        for k, (ins, outs) in enumerate(pairwise([inputs, *layers]))
    }
    shapes |= {"policy": (actions, layers[-1], 0.01), "value": (1, layers[-1], 1.0)}
    params = {}
    for own, (name, (outs, ins, gain)) in zip(
        jax.random.split(key, len(shapes)), shapes.items(), strict=True
    ):
        params[f"{name}.weight"] = jax.nn.initializers.orthogonal(gain)(own, (outs, ins))
        params[f"{name}.bias"] = jnp.zeros(outs)
    return params


def apply(params: Params, seen: Array) -> tuple[Array, Array]:
    """The logits (…, actions) without a mask and the values (…,) of observations."""
    for k in range(sum(name.startswith("layer") for name in params) // 2):
        seen = jax.nn.relu(seen @ params[f"layer{k}.weight"].T + params[f"layer{k}.bias"])
    logits = seen @ params["policy.weight"].T + params["policy.bias"]
    return logits, (seen @ params["value.weight"].T + params["value.bias"])[..., 0]


def log_probabilities(logits: Array, mask: Array) -> Array:
    """The log probabilities of all actions; those of illegal ones are -1e8."""
    return jax.nn.log_softmax(jnp.where(mask, logits, -1e8))


def adam(
    params: Params, moments: tuple[Params, Params, Array], grads: Params, rate: Array, most: float
) -> tuple[Params, Any]:
    """Weights and moments after a step of Adam with a gradient norm of at most ``most``."""
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in grads.values()))
    grads = {name: g * jnp.minimum(1.0, most / (norm + 1e-6)) for name, g in grads.items()}
    first, second, count = moments
    count = count + 1
    first = {name: 0.9 * first[name] + 0.1 * g for name, g in grads.items()}
    second = {name: 0.999 * second[name] + 0.001 * g**2 for name, g in grads.items()}
    scale = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    params = {
        name: p - scale * first[name] / (jnp.sqrt(second[name]) + 1e-5)
        for name, p in params.items()
    }
    return params, (first, second, count)


# ---------------------------------------------------------------- PPO


class Transition(NamedTuple):
    """One decision in each game: arrays (num_envs, …)."""

    seen: Array
    mask: Array
    seat: Array
    action: Array
    log_prob: Array
    value: Array
    rewards: Array
    done: Array


def advantages_of(steps: Transition, last_values: Array, gamma: float, gae_lambda: float) -> Array:
    """The generalized advantage (n_steps, num_envs) of each decision for the seat that made it.

    The next value of a decision is that of the same seat's next decision in the episode, and its
    reward all that the seat is paid until then. So values, advantages and rewards are kept for each
    seat on the way from the last step to the first.

    Args:
        steps: arrays (n_steps, num_envs, …).
        last_values: (num_envs, num_players), of what each seat sees after the last step.
        gamma, gae_lambda: discounts per decision of a seat.
    """

    def back(
        carried: tuple[Array, Array, Array], step: Transition
    ) -> tuple[tuple[Array, Array, Array], Array]:
        values, advantages, paid = (jnp.where(step.done[:, None], 0.0, one) for one in carried)
        paid = paid + step.rewards
        mine = jax.nn.one_hot(step.seat, values.shape[1], dtype=jnp.bool_)
        value, advantage, reward = (
            jnp.sum(jnp.where(mine, one, 0.0), 1) for one in (values, advantages, paid)
        )
        advantage = reward + gamma * value - step.value + gamma * gae_lambda * advantage
        kept = ((values, step.value), (advantages, advantage), (paid, jnp.zeros_like(reward)))
        values, advantages, paid = (jnp.where(mine, new[:, None], old) for old, new in kept)
        return (values, advantages, paid), advantage

    begin = (last_values, jnp.zeros_like(last_values), jnp.zeros_like(last_values))
    return jax.lax.scan(back, begin, steps, reverse=True)[1]


def make_train(env: Environment, settings: dict[str, Any], layers: list[int], updates: int) -> Any:
    """A function of (key, seed words of the first deals) that trains and returns (weights, metrics
    of each update).

    The metrics are arrays (updates,): ``loss``, ``entropy``, and ``episodes`` that ended.
    """
    s = settings
    size = s["num_envs"] * s["n_steps"] // s["num_minibatches"]

    def loss_of(params: Params, batch: tuple[Transition, Array, Array]) -> tuple[Array, Array]:
        steps, advantages, targets = batch
        logits, values = apply(params, steps.seen)
        log_probs = log_probabilities(logits, steps.mask)
        ratio = jnp.exp(
            jnp.take_along_axis(log_probs, steps.action[:, None], 1)[:, 0] - steps.log_prob
        )
        scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = jnp.clip(ratio, 1 - s["clip_range"], 1 + s["clip_range"])
        entropy = -jnp.sum(jnp.exp(log_probs) * jnp.where(steps.mask, log_probs, 0.0), 1).mean()
        loss = (
            -jnp.minimum(ratio * scaled, clipped * scaled).mean()
            + s["vf_coef"] * 0.5 * jnp.square(values - targets).mean()
        )
        return loss - s["ent_coef"] * entropy, entropy

    def train(key: Array, words: Array) -> tuple[Params, dict[str, Array]]:
        key, own = jax.random.split(key)
        params = first_params(own, layers, env.observation_size, env.num_actions)
        zeros = jax.tree.map(jnp.zeros_like, params)

        def play(carried: Any, key: Array) -> Any:
            params, state = carried
            logits, value = apply(params, state.observation)
            log_probs = log_probabilities(logits, state.legal_action_mask)
            action = jax.random.categorical(key, log_probs)
            log_prob = jnp.take_along_axis(log_probs, action[:, None], 1)[:, 0]
            after = env.step(state, action)
            seen = (state.observation, state.legal_action_mask, state.current_player)
            return (params, after), Transition(
                *seen, action, log_prob, value, after.rewards, after.terminated
            )

        def learn(carried: Any, batch: Any) -> Any:
            params, moments, rate = carried
            (loss, entropy), grads = jax.value_and_grad(loss_of, has_aux=True)(params, batch)
            params, moments = adam(params, moments, grads, rate, s["max_grad_norm"])
            return (params, moments, rate), (loss, entropy)

        def update(carried: Any, number: Array) -> Any:
            params, moments, state, key = carried
            key, own, *epochs = jax.random.split(key, 2 + s["n_epochs"])
            (_, state), steps = jax.lax.scan(
                play, (params, state), jax.random.split(own, s["n_steps"])
            )
            last_values = apply(params, env.look_all(state)[0])[1]
            advantages = advantages_of(steps, last_values, s["gamma"], s["gae_lambda"])
            flat = jax.tree.map(
                lambda x: x.reshape(-1, *x.shape[2:]), (steps, advantages, advantages + steps.value)
            )
            rate = s["learning_rate"] * (1 - number / updates)
            for one in epochs:
                order = jax.random.permutation(one, size * s["num_minibatches"]).reshape(-1, size)
                batches = jax.tree.map(lambda x, order=order: x[order], flat)
                (params, moments, _), (losses, entropies) = jax.lax.scan(
                    learn, (params, moments, rate), batches
                )
            metrics = {
                "loss": losses.mean(),
                "entropy": entropies.mean(),
                "episodes": steps.done.sum(),
            }
            return (params, moments, state, key), metrics

        begin = (params, (zeros, zeros, jnp.zeros(())), env.init(words), key)
        carried, metrics = jax.lax.scan(update, begin, jnp.arange(updates))
        return carried[0], metrics

    return train


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        "python -m training.with_jax", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("game", help="such as go_dig")
    parser.add_argument(
        "--steps",
        type=int,
        default=2_000_000,
        help="decisions of all seats, rounded up to complete updates",
    )
    parser.add_argument("--name", default="mine-jax", help="name of the policy")
    parser.add_argument(
        "--out", type=Path, help="folder of the policy, if not policies/<game>/<name>"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game (repeatable)",
    )
    parser.add_argument(
        "--layers", type=int, nargs="+", default=[128, 128], help="sizes of the hidden layers"
    )
    parser.add_argument("--num-envs", type=int, default=PPO["num_envs"], help="games side by side")
    parser.add_argument(
        "--n-steps",
        type=int,
        default=PPO["n_steps"],
        help="decisions in each of them before an update",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    parser.add_argument(
        "--games", type=int, default=500, help="games against each player at the end"
    )
    return parser


def main(words: Sequence[str] | None = None) -> None:
    """Train a policy by masked PPO in JAX, save it as an opponent (or teammate), and evaluate
    it."""
    parser = make_parser()
    given = parser.parse_args(words)
    try:
        if (
            min(given.steps, given.games, *given.layers) < 1
            or min(given.num_envs, given.n_steps) < 8
        ):
            raise ValueError("numbers must be at least 1, num_envs and n_steps at least 8")
        if not 0 <= given.seed < 2**31:
            raise ValueError("the seed must be from 0 to 2**31 - 1")
        game = load_game(given.game)
        options = {
            name: value for name, (value,) in parse_options(game.options, given.option).items()
        }
        seats = int(game.complete_options(options)["num_players"])
        out = given.out or Path("policies") / game.name / given.name
        check_new(out)
    except (ValueError, OSError) as error:
        parser.error(str(error))

    env = make(game, auto_reset=True, **options)
    settings = {**PPO, "num_envs": given.num_envs, "n_steps": given.n_steps}
    updates = -(-given.steps // (given.num_envs * given.n_steps))
    steps = updates * given.num_envs * given.n_steps
    # the words of each seed
    deals = np.array([[given.seed, k] for k in range(given.num_envs)], np.uint32)
    params, metrics = jax.jit(make_train(env, settings, given.layers, updates))(
        jax.random.key(given.seed), deals
    )
    print(f"{steps:,} decisions in {int(metrics['episodes'].sum()):,} games")

    command = shlex.join(
        ["python", "-m", "training.with_jax", *(sys.argv[1:] if words is None else words)]
    )
    facts: dict[str, Any] = {
        "name": f"{out.resolve().parent.name}/{out.name}",
        "algorithm": "masked PPO (JAX)",
        "training_command": command,
    }
    settings |= {"layers": given.layers}
    facts |= {
        "steps": steps,
        "seed": given.seed,
        "hyperparameters": settings,
        "pays": "return",
        "rewards": {"win_weight": 1.0},
    }
    trained = {**options, "num_players": seats}
    save_policy(out, game.env_name, params, options=trained, about=facts)
    policy = load_agent(str(out), game.env_name)
    for other in [None] if game.cooperative else ["random", "heuristic"]:
        others = [policy if other is None else load_agent(other, game.env_name, seed=1)] * (
            seats - 1
        )
        results = play_games(
            game.env_name, [policy, *others], given.games, EVALUATION_SEED, options, rotate=True
        )
        who = "the team" if other is None else f"against {other}"
        print(f"{who}: won {results.won_by(0).percent()}, score {results.score(0).rounded(2)}")
    print(f"saved: {out}   play with it: dig_envs.load_agent({str(out)!r})")


if __name__ == "__main__":
    as_program(main)
