"""Networks that remember: their memory, their sequences, their files."""

import numpy as np
import pytest
import torch

from dig_envs.agents.loading import load_agent
from dig_envs.registry import load_game
from training.export import read_network, write_policy
from training.games import TrainingGames
from training.imitation import Lesson, learn_from, take_lesson
from training.network import NetworkAgent
from training.parts import Parts, begin_network
from training.ppo import Learner, collect, set_learning_rate, update
from training.remembering import make_memory
from training.settings import Settings

NAME = "fossil_memory_v0"
GAME = load_game(NAME)
KINDS = [
    {"kind": "gru", "units": 6},
    {"kind": "history", "frames": 2},
    {"kind": "grid", "units": 3, "fields": ["known", "genus", "up", "belongs"]},
]
SMALL = {"num_envs": 8, "rollout_steps": 12, "layers": [16], "batch_size": 24, "games": [{"recall": "recent", "max_turns": 6}]}
kinds = pytest.mark.parametrize("memory", KINDS, ids=lambda memory: memory["kind"])


def network_of(memory, seed=0):
    """A network whose weights are all drawn at random, so that nothing is zero that should matter."""
    network = begin_network(GAME, [16], Parts(memory=make_memory(GAME, memory)), seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed)) * 0.3)
    return network


def learning(memory, **changes):
    settings = Settings.of(**{**SMALL, **changes}, memory=memory)
    learner = Learner(GAME, settings, 0)
    games = TrainingGames(NAME, settings, 1)
    games.reset()
    return learner, games


def test_a_history_is_the_last_observations_latest_first():
    network = network_of(KINDS[1])
    size = GAME.observation_size
    seen = torch.arange(4.0)[:, None].expand(4, size) + 1
    memory = torch.zeros(1, network.memory_size)
    mask = torch.ones(1, 24)
    for observation in seen:
        _, _, memory = network.step(observation[None], mask, memory)
    assert memory.view(2, size)[:, 0].tolist() == [4, 3]


@kinds
def test_what_was_seen_before_matters_and_what_was_not_does_not(memory):
    network = network_of(memory)
    mask = torch.ones(1, 24)
    now, before, other = torch.rand(3, 1, GAME.observation_size)
    nothing = torch.zeros(1, network.memory_size)
    after_one, after_other = (network.step(seen, mask, nothing)[2] for seen in (before, other))
    assert not torch.allclose(network.step(now, mask, after_one)[0], network.step(now, mask, after_other)[0], atol=1e-3)
    assert torch.equal(network.step(now, mask, nothing)[0], network.step(now, mask, nothing.clone())[0])


@kinds
def test_a_rollout_can_be_replayed(memory):
    """What the network said step by step, with games ending in between, it says again of the whole sequences."""
    learner, games = learning(memory)
    collect(learner, games)  # so that the memory is not zero at the beginning
    rollout = collect(learner, games)
    assert rollout.dones.any(), "the test is about episodes that end"
    assert (rollout.memory != 0).any()
    for rows in learner.minibatches(*rollout.dones.shape):
        logits, values = learner.replay(rollout, rows)
        chances = torch.log_softmax(logits, dim=1).gather(1, rollout.actions.flatten()[rows][:, None])[:, 0]
        np.testing.assert_allclose(chances.detach(), rollout.log_probs.flatten()[rows], atol=1e-5)
        np.testing.assert_allclose(values.detach(), rollout.values.flatten()[rows], atol=1e-5)
    games.close()


@kinds
def test_minibatches_are_whole_sequences_and_every_decision_once(memory):
    learner, games = learning(memory)
    pieces = learner.minibatches(12, 8)
    assert [len(piece) for piece in pieces] == [24] * 4
    assert sorted(torch.cat(pieces).tolist()) == list(range(96))
    for piece in pieces:
        steps, game = piece // 8, piece % 8
        assert steps.view(12, 2).tolist() == [[k, k] for k in range(12)]
        assert (game.view(12, 2) == game[:2]).all()
    games.close()


@kinds
def test_the_student_remembers_whoever_plays(memory):
    """In a lesson, too, the network is replayed with what it was shown, and the teacher has a memory of its own."""
    learner, games = learning(memory, warm_start_student_share=0.5)
    teacher = load_agent("remembering", NAME)
    rng = np.random.default_rng(0)
    take_lesson(learner, games, teacher, rng)
    lesson = take_lesson(learner, games, teacher, rng)
    network, now, masks = learner.network, lesson.memory, lesson.masks
    for k in range(len(lesson.dones)):
        _, _, now = network.step(lesson.observations[k], masks[k], now)
        now = now * (1 - lesson.dones[k])[:, None]
    np.testing.assert_allclose(games.memory_of(network), now.detach(), atol=1e-5)
    assert games.memory_of(teacher).shape == (8, 24)
    games.close()


@pytest.mark.parametrize("memory", [{}, *KINDS], ids=lambda memory: memory.get("kind", "none"))
def test_only_with_a_memory_it_learns_what_was_seen_before(memory):
    """The right choice is what stood at a place of the observation one decision ago; a new game begins with choice 0."""
    learner, games = learning(memory, epochs=40, batch_size=96)
    set_learning_rate(learner, 0.01)
    generator = torch.Generator().manual_seed(0)
    seen = torch.zeros(12, 32, GAME.observation_size)
    place = GAME.layout["known"].slice.start
    seen[..., place] = torch.randint(2, (12, 32), generator=generator).float()
    dones = (torch.rand(12, 32, generator=generator) < 0.2).float()
    choices = torch.zeros(12, 32, dtype=torch.int64)
    choices[1:] = (seen[:-1, :, place] * (1 - dones[:-1])).long()
    masks = torch.ones(12, 32, 24, dtype=torch.bool)
    lesson = Lesson(seen, masks, dones, torch.zeros(32, learner.network.memory_size), choices, torch.zeros(12, 32))
    agreement = [learn_from(learner, lesson)["agreement"] for _ in range(3)][-1]
    assert agreement > 0.97 if memory else agreement < 0.8
    games.close()


@kinds
def test_ppo_changes_every_weight(memory):
    learner, games = learning(memory)
    before = learner.network.weights
    update(learner, collect(learner, games))
    for name, weights in learner.network.weights.items():
        assert (weights != before[name]).any(), name
    games.close()


@kinds
def test_as_a_policy_it_says_the_same(memory, tmp_path):
    """Step by step through games, by PyTorch and by onnxruntime."""
    network = network_of(memory)
    folder = write_policy(tmp_path / "fossil_memory" / "small", GAME, network, {"num_players": [2]})
    agent, here = load_agent(str(folder)), NetworkAgent(network)
    assert agent.memory_size == network.memory_size == here.memory_size
    games = TrainingGames(NAME, Settings.of(**SMALL), 3)
    games.reset()
    remembered, ours = np.zeros((2, 8, network.memory_size), np.float32)
    for _ in range(20):
        logits, values = agent.evaluate(games.observation, games.action_mask, remembered)
        our_logits, our_values = network.evaluate(games.observation, games.action_mask, ours)
        np.testing.assert_allclose(logits, our_logits, atol=1e-4)
        np.testing.assert_allclose(values, our_values, atol=1e-4)
        np.testing.assert_allclose(remembered, ours, atol=1e-5)
        done = games.step(games.action_mask.argmax(axis=1)).done
        remembered[done] = ours[done] = 0
    games.close()
    again = read_network(folder, GAME, Parts(memory=make_memory(GAME, memory)))
    assert all((again.weights[name] == weights).all() for name, weights in network.weights.items())
    for other in ({}, {"kind": "gru", "units": 7}, {"kind": "history", "frames": 3}):
        with pytest.raises(ValueError, match="these settings ask for"):
            read_network(folder, GAME, Parts(memory=make_memory(GAME, other)))


def test_a_search_cannot_be_guided_by_what_remembers(tmp_path):
    folder = write_policy(tmp_path / "fossil_memory" / "small", GAME, network_of(KINDS[0]), {})
    with pytest.raises(ValueError, match="has a memory"):
        load_agent(f"search:guide={folder}", NAME)


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ({"kind": "lstm", "units": 3}, "needs a kind, 'history' or 'gru' or 'grid', not 'lstm'"),
        ({"kind": "grid", "units": 3}, "needs units, at least 1, a list of fields"),
        ({"kind": "grid", "units": 3, "fields": []}, "a list of fields"),
        ({"kind": "grid", "units": 3, "fields": [1]}, "a list of fields"),
        ({"units": 3}, "needs a kind"),
        ({"kind": "gru"}, "needs units, at least 1"),
        ({"kind": "gru", "units": 0}, "needs units, at least 1"),
        ({"kind": "gru", "units": True}, "needs units, at least 1"),
        ({"kind": "gru", "frames": 3}, "needs units"),
        ({"kind": "history", "frames": 3, "units": 3}, "needs frames, at least 1, and nothing else"),
    ],
)
def test_bad_settings(memory, message):
    with pytest.raises(ValueError, match=message):
        Settings.of(memory=memory)


def test_a_window_and_a_memory_do_not_go_together():
    with pytest.raises(ValueError, match="either a"):
        Settings.of(memory=KINDS[0], window={"position": "position"})


@pytest.mark.parametrize("field", ["turn", "in_play", "nothing"])
def test_a_grid_needs_fields_with_a_cell_for_each_action(field):
    with pytest.raises(
        ValueError, match=f"{field!r} is no field of fossil_memory with a cell for each action; there are taken, up"
    ):
        make_memory(GAME, {"kind": "grid", "units": 3, "fields": ["known", field]})


def test_the_cells_of_a_grid_are_alike():
    """Cells that change places, with what is remembered and learned of them, change the logits' places and nothing else."""
    fields = [name for name, entry in GAME.layout.items() if entry.shape and entry.shape[0] == 24]
    memory = {"kind": "grid", "units": 3, "fields": fields}
    network = network_of(memory)
    order = torch.randperm(24, generator=torch.Generator().manual_seed(1))
    seen = torch.rand(1, GAME.observation_size)
    moved = seen.clone()
    for name in fields:
        place = GAME.layout[name].slice
        moved[:, place] = seen[:, place].view(1, 24, -1)[:, order].flatten(1)
    with torch.no_grad():
        for name in ("layer0.weight",):  # the layers see the observation as a whole: let them see only what is not of the cells
            for field in fields:
                network.get_parameter(name)[:, GAME.layout[field].slice] = 0
        elsewhere = network.copy()
        elsewhere.place.weight.copy_(network.place.weight[order])
    remembered = torch.rand(1, 24, 3)
    mask = torch.ones(1, 24)
    logits, value, after = network.step(seen, mask, remembered.flatten(1))
    other_logits, other_value, other_after = elsewhere.step(moved, mask, remembered[:, order].flatten(1))
    torch.testing.assert_close(other_logits, logits[:, order])
    torch.testing.assert_close(other_value, value)
    torch.testing.assert_close(other_after.view(24, 3), after.view(24, 3)[order])


@pytest.mark.parametrize("memory", KINDS[:2])
def test_one_seat_does_not_remember_for_another(memory):
    with pytest.raises(ValueError, match="cretaceous_creek is cooperative"):
        make_memory(load_game("cretaceous_creek_v0"), memory)
