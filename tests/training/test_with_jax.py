"""A policy that was trained inside JAX plays here as it did there."""

import json
from pathlib import Path

import numpy as np
import pytest

from dig_envs import BatchEnv, load_agent
from dig_envs.agents.matches import play_games
from tests.games import needs_compiling
from training.network import ILLEGAL, Network

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install 'dig_envs[jax]'")
import jax.numpy as jnp  # noqa: E402 (there where JAX is)

from training.with_jax import Transition, advantages_of, apply, first_params, main  # noqa: E402

pytestmark = needs_compiling
SHIPPED = Path(__file__).parents[2] / "policies" / "twenty_questions" / "policy"
TINY = [
    "twenty_questions",
    "--layers",
    "16",
    "--num-envs",
    "8",
    "--n-steps",
    "16",
    "--steps",
    "200",
    "--games",
    "6",
    "--option",
    "num_players=2",
    "--seed",
    "4",
]


def test_advantages_are_those_of_each_seat():
    """Seat by seat, as generalized advantage estimation is defined: rewards and values from
    decision to decision of the seat."""
    rng, gamma, lam, steps, seats = np.random.default_rng(0), 0.9, 0.8, 40, 3
    seat, done = rng.integers(seats, size=steps), rng.random(steps) < 0.1
    value, rewards, last = (
        rng.normal(size=steps),
        rng.normal(size=(steps, seats)),
        rng.normal(size=seats),
    )
    expected = np.zeros(steps)
    for p in range(seats):
        times = [t for t in range(steps) if seat[t] == p]
        following, advantage = last[p], 0.0
        for t, until in reversed([*zip(times, [*times[1:], steps], strict=True)]):
            ends = [k for k in range(t, until) if done[k]]
            if ends:
                following, advantage = 0.0, 0.0
            paid = rewards[t : (ends[0] + 1 if ends else until), p].sum()
            advantage = paid + gamma * following - value[t] + gamma * lam * advantage
            expected[t], following = advantage, value[t]
    column = {"seat": seat, "value": value, "rewards": rewards, "done": done}
    given = [
        jnp.asarray(column[name])[:, None] if name in column else jnp.zeros((steps, 1))
        for name in Transition._fields
    ]
    transition = Transition(*given)
    found = advantages_of(transition, jnp.asarray(last)[None], gamma, lam)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_the_policy_and_its_card(tmp_path, capsys):
    """The policy trained in JAX loads and plays, and its card says how it was made."""
    folder = tmp_path / "zoo" / "tiny"
    main([*TINY, "--out", str(folder)])
    card, output = json.loads((folder / "card.json").read_text()), capsys.readouterr().out
    assert (card["algorithm"], card["steps"], card["seed"], card["num_players"]) == (
        "masked PPO (JAX)",
        256,
        4,
        [2],
    )
    assert card["settings"]["games"][0]["num_players"] == 2
    assert card["training_command"].startswith("python -m training.with_jax twenty_questions")
    assert "256 decisions in" in output
    assert "against heuristic: won" in output
    agents = [load_agent(str(folder)), load_agent("random", seed=0)]
    results = play_games("twenty_questions_v0", agents, 4, 1, {"num_players": 2}, rotate=True)
    assert len(results.lengths) == 4


@pytest.mark.slow
def test_the_exported_network_is_that_of_jax(tmp_path):
    """The same masked logits and values for the same weights."""
    batch = BatchEnv("twenty_questions_v0", 32, seed=3)
    params = first_params(
        jax.random.key(1), [24, 16], batch.game.observation_size, len(batch.game.actions)
    )
    params = {name: array + 0.01 for name, array in params.items()}
    logits, values = apply(params, jnp.asarray(batch.observation))
    import torch

    legal = torch.from_numpy(batch.action_mask.astype(bool))
    network = Network(batch.game.observation_size, len(batch.game.actions), [24, 16])
    network.load_weights({name: np.array(array) for name, array in params.items()})
    theirs, their_values = network(torch.from_numpy(batch.observation.copy()), legal)
    np.testing.assert_allclose(
        theirs.detach().numpy(), np.where(batch.action_mask, logits, ILLEGAL), rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(their_values.detach().numpy(), values, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--option", "num_players=9"], "9 is not one of"),
        (["--out", str(SHIPPED)], f"{SHIPPED} is there already"),
    ],
)
def test_plain_errors(words, message, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["twenty_questions", *words])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
