"""The suite with real games: ratings against populations, partners, splits, and tasks
that need a memory."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dig_envs.arena.play import ArenaSetup, agent_seed
from dig_envs.arena.schedule import Form, Unit, number_of_deals
from dig_envs.benchmark import Report, measure, measuring
from dig_envs.benchmark.report import split_result
from dig_envs.benchmark.show import as_markdown
from dig_envs.benchmark.suite import SUITES, Split
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.training.random_network import random_network
from training.export import write_policy

pytestmark = pytest.mark.skipif(
    JIT_DISABLED, reason="whole games of scripted players are slow uncompiled"
)


@pytest.fixture
def few(monkeypatch):
    """Tasks of few games, without searches and styles, which need compiling; returns a function
    that takes their names."""

    def choose(*names, games=40, members=None):
        tasks = [
            replace(
                task,
                deals=number_of_deals(games, task.num_seats, task.form),
                population=tuple(
                    replace(
                        one,
                        deals=number_of_deals(
                            members or games, task.num_seats, task.form_with_members
                        ),
                    )
                    for one in task.population
                    if ":" not in one.agent
                ),
            )
            for task in SUITES["full"].tasks
            if task.name in names
        ]
        about = replace(SUITES["full"], tasks=tuple(tasks))
        monkeypatch.setattr(measuring, "check_suite", lambda suite, patterns: (about, tasks))

    return choose


@pytest.mark.parametrize("agent", ["heuristic", "random"])
def test_a_member_has_about_its_recorded_rating(few, agent):
    """Found on other deals than those that it is measured on."""
    few("fossil_memory-4", games=120)
    (task,) = measure(agent).tasks
    members = next(
        task for task in SUITES["full"].tasks if task.name == "fossil_memory-4"
    ).population[:2]
    recorded = {member.agent: member.elo for member in members}
    assert task.elo.low - 60 <= recorded[agent] <= task.elo.high + 60
    assert {one.agent: one.elo for one in task.population} == recorded
    assert [one.games for one in task.population] == [120, 120]
    against_itself = next(one for one in task.population if one.agent == agent)
    assert against_itself.points.low <= 0.5 <= against_itself.points.high


def test_games_of_two_with_the_opponent_are_not_played_again(few, monkeypatch):
    few("go_dig-2")
    played = []
    blocks = measuring.play_blocks
    monkeypatch.setattr(
        measuring,
        "play_blocks",
        lambda agents, *more, **named: played.append(agents) or blocks(agents, *more, **named),
    )
    (task,) = measure("heuristic").tasks
    assert sorted(played) == [("heuristic", "heuristic"), ("heuristic", "random")]
    assert task.definition["opponent"] == "random"
    # ties apart, a game won is a point
    assert task.population[0].points.mean == pytest.approx(task.value.mean, abs=0.02)


def test_two_of_one_name_draw_apart():
    """Two random players draw differently; seeds follow from the names that are given for them."""
    setup, unit = (
        ArenaSetup("go_dig_v0", {"num_players": 2}, ("random", "random"), 0, Form.ALONE),
        Unit(0, (0, 1), 1),
    )
    assert agent_seed(setup, unit, 0) != agent_seed(setup, unit, 1)
    longer = ArenaSetup(
        "go_dig_v0",
        {"num_players": 2},
        ("random", "random:x"),
        0,
        Form.ALONE,
        seeded_as=("random", "random"),
    )
    assert agent_seed(longer, unit, 1) == agent_seed(setup, unit, 1)


def test_twenty_questions_counts_cards_against_the_optimum(few):
    """100 is what the best policy takes of an endless deck; the scripted player is near it, whoever
    else plays."""
    few("twenty_questions-2", games=80)
    (task,) = measure("heuristic").tasks
    assert task.definition["metric"] == "score"
    assert (task.reference, task.value.mean) == (
        pytest.approx(4.678209),
        pytest.approx(task.score.mean),
    )
    assert 88 < task.normalised.mean < 112
    assert task.elo is not None


def test_partners_in_a_cooperative_game(few):
    """The scripted player with itself as a partner does what it does in all seats."""
    # on the same deals: here every seat of each is the partner's once
    few("cretaceous_creek-4", games=10, members=40)
    (task,) = measure("heuristic").tasks
    (partner,) = task.population
    assert (task.elo, partner.elo) == (None, None)
    assert partner.points.mean == pytest.approx(task.score.mean)
    assert partner.games == 40


def test_memory(few):
    """A player that does not remember scores nothing, one that does scores as much as the
    reference."""
    few("fossil_memory-2-recent", "fossil_memory-2-none", games=20)
    report = measure("heuristic")
    assert report.memory.mean < 20
    assert all(task.elo.mean < 500 for task in report.tasks)
    assert measure("fossil_memory/remembering").memory.mean == pytest.approx(100, abs=0.01)
    few("fossil_memory-2-recent")
    assert measure("heuristic").memory is None


def test_splits(few, tmp_path):
    """The reference has 100 on both sides; a card says on which side a policy was trained; halves
    of splits say nothing."""
    few("fossil_memory-2-genera-a", "fossil_memory-2-genera-b", "oak_island-2-bag")
    report = measure("heuristic")
    (split,) = report.splits
    assert (split.split, split.trained) == ("fossil_memory-genera", None)
    assert split.train.mean == pytest.approx(100, abs=0.01)
    assert split.gap.mean == pytest.approx(0, abs=0.01)
    game = load_game("fossil_memory")
    genera = next(task for task in SUITES["full"].tasks if task.name.endswith("genera-a")).options[
        "genera"
    ]
    card = {"num_players": [2], "settings": {"games": [{"num_players": 2, "genera": genera}]}}
    policy = write_policy(tmp_path / "fossil_memory" / "small", game, random_network(game), card)
    report = measure(str(policy))
    assert report.splits[0].trained == ["fossil_memory-2-genera-a"]
    assert "oak_island-2-bag" in report.refused
    plain = json.loads(json.dumps(report.as_json()))
    assert Report.from_json(plain).as_json() == plain
    assert "| fossil_memory-genera | genera |" in as_markdown([report])


def test_a_gap_is_train_less_test():
    """Known values; the interval of the gap holds it."""
    split = Split("x", "y", ("a", "b"), ("c",))
    values = {name: 10.0 * k + load_noise(k) for k, name in enumerate("abc", start=1)}
    found = split_result(split, values, ["a"])
    assert found.train.mean == pytest.approx(15, abs=1e-9)
    assert found.gap.mean == pytest.approx(-15, abs=1e-9)
    assert found.gap.low < found.gap.mean < found.gap.high


def load_noise(seed):
    """Numbers whose mean is 0."""
    noise = np.random.default_rng(seed).normal(size=50)
    return noise - noise.mean()
