"""How much trained and searching opponents win against a player, and how agents cooperate with
partners that are new to them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import memory_size
from dig_envs.arena.machine import machine_now
from dig_envs.benchmark import exploiting
from dig_envs.benchmark.cooperation import CrossPlay, cross_play
from dig_envs.benchmark.exploiting import ExploitReport, exploit, search_against
from dig_envs.benchmark.show import exploitation, matrix
from dig_envs.benchmark.suite import SUITES
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.registry import load_game
from tests.training.random_network import random_network
from training.export import write_policy

runner = CliRunner()
pytestmark = pytest.mark.skipif(
    JIT_DISABLED, reason="whole games of scripted players are slow uncompiled"
)


def words_of(settings, name):
    """The value of a setting in the words of a training."""
    return json.loads(
        next(word.partition("=")[2] for word in settings if word.startswith(f"{name}="))
    )


@pytest.fixture
def trainings(monkeypatch):
    """A training that draws a network at random; ``words`` has the commands."""

    def train(words):
        train.words.append(words)
        game = load_game(words[4])
        write_policy(
            Path(words[words.index("--out") + 1]), game, random_network(game), {"num_players": [2]}
        )

    train.words = []
    monkeypatch.setattr(exploiting, "run", train)
    return train


def test_two_answers_to_the_scripted_player(tmp_path, trainings):
    """The better one is chosen on the first half of the deals and counts on the second; what was
    trained is not trained again."""
    asked = {
        "tasks": "fossil_memory-2",
        "sims": 2,
        "decisions": 5000,
        "games": 24,
        "folder": tmp_path,
    }
    report = exploit("heuristic", **asked)
    (task,) = report.tasks
    (words,) = trainings.words
    assert words[words.index("--steps") + 1] == "5000"
    assert words_of(words, "opponents") == {"heuristic": 1.0}
    assert words_of(words, "start_from") == "fossil_memory/policy"
    assert [answer.kind for answer in task.answers] == ["search", "ppo"]
    assert task.answers[0].agent == "search:sims=2:others=heuristic"
    best = max(task.answers, key=lambda answer: answer.chosen_by.mean)
    assert task.best == best.kind
    assert task.gain.mean == pytest.approx(best.share.mean - 0.5)
    assert task.gain.low <= task.gain.mean <= task.gain.high
    assert task.games == 12
    assert exploit("heuristic", **asked).tasks == report.tasks
    assert len(trainings.words) == 1
    plain = json.loads(json.dumps(report.as_json()))
    assert ExploitReport.from_json(plain).as_json() == plain
    assert plain["machine"] == machine_now()
    assert len(exploitation(report)[2]) == 2


def test_an_answer_to_a_policy_begins_with_it(tmp_path, trainings):
    """And the search knows its choices; ``best`` is the policy that plays for it."""
    task, policy = "fossil_memory-2", "fossil_memory/policy"
    report = exploit("best", tasks=task, sims=2, decisions=5000, games=4, folder=tmp_path)
    (words,) = trainings.words
    assert words_of(words, "start_from") == policy
    assert words_of(words, "opponents") == {policy: 1.0}
    assert report.tasks[0].answers[0].agent == f"search:sims=2:others=guide:guide={policy}"


def test_an_answer_does_not_begin_with_a_policy_that_remembers(tmp_path, trainings):
    """Its network is of another kind: the exploiter begins with the imitation of the scripted
    player."""
    assert memory_size(load_agent("fossil_memory/memory", "fossil_memory_v0")) > 0
    exploit(
        "fossil_memory/memory",
        tasks="fossil_memory-2-recent",
        decisions=5000,
        games=4,
        folder=tmp_path,
    )
    (words,) = trainings.words
    assert words_of(words, "opponents") == {"fossil_memory/memory": 1.0}
    assert (words_of(words, "warm_start"), words_of(words, "warm_start_steps")) == (
        "heuristic",
        2500,
    )
    assert not any(word.startswith("start_from=") for word in words)


def test_who_cannot_be_known(tmp_path, trainings):
    """No search knows what a random player draws; no training has opponents that are code."""
    report = exploit("random", tasks="go_dig-2", sims=2, decisions=5000, games=4, folder=tmp_path)
    assert [answer.kind for answer in report.tasks[0].answers] == ["ppo"]
    assert "knows only" in report.tasks[0].left_out["search"]
    with pytest.raises(BenchmarkError, match="no exploiter can be made: the search knows only"):
        exploit("random", tasks="go_dig-2", decisions=0, games=4, folder=tmp_path)
    with pytest.raises(BenchmarkError, match="exploiters of python: players cannot be made"):
        exploit("python:a:b", folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "others"), [("heuristic", "heuristic"), ("heuristic:style=greedy", "greedy")]
)
def test_a_search_knows_the_styles_of_the_scripted_player(name, others):
    task = next(task for task in SUITES["full"].tasks if task.name == "go_dig-2")
    assert (
        search_against(load_agent(name, task.environment), name, task, 7)
        == f"search:sims=7:others={others}"
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"tasks": "chess-*"}, "no task"),
        ({"suite": "large"}, "no suite"),
        ({"sims": 0, "decisions": 0}, "needs a budget"),
        ({"games": 3}, "games must be from 4"),
        ({"decisions": -1}, "decisions must be from 0"),
        ({"tasks": "cretaceous_creek-2"}, "cooperative"),
    ],
)
def test_what_cannot_be_exploited(asked, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        exploit("heuristic", folder=tmp_path, **asked)
    assert not list(tmp_path.iterdir())


def test_a_training_that_fails_says_why(tmp_path):
    with pytest.raises(BenchmarkError, match=r"the training failed: .*sys\.exit.*: broken"):
        exploiting.run([exploiting.sys.executable, "-c", "import sys; sys.exit('broken')"])


@pytest.mark.slow
def test_ppo_answers(tmp_path):
    """A real training of few decisions."""
    report = exploit(
        "heuristic", tasks="go_dig-2", sims=0, decisions=20_000, games=20, folder=tmp_path
    )
    (answer,) = report.tasks[0].answers
    assert answer.command.startswith("dig-envs train go_dig_v0 --steps 20000")
    assert json.loads((Path(answer.agent) / "card.json").read_text())["steps"] >= 20_000


# ---------------------------------------------------------------- cooperation


def test_cross_play(tmp_path):
    """Symmetric; the diagonal is self-play; the scripted player has its own place, even if it is
    named as an agent."""
    report = cross_play(["random", "cretaceous_creek/policy"], results=tmp_path)
    assert [agent["agent"] for agent in report.agents] == [
        "random",
        "cretaceous_creek/policy",
        "heuristic",
    ]
    means = [[one.mean for one in row] for row in report.scores]
    assert all(means[i][j] == means[j][i] for i in range(3) for j in range(3))
    assert means[0][0] < means[0][1] < means[1][1]
    assert report.self_play.mean == pytest.approx((means[0][0] + means[1][1]) / 2)
    assert report.cross_play.mean == pytest.approx(means[0][1])
    assert report.gap.mean == pytest.approx(report.self_play.mean - report.cross_play.mean)
    assert report.with_scripted.mean == pytest.approx((means[0][2] + means[1][2]) / 2)
    plain = json.loads(json.dumps(report.as_json()))
    assert CrossPlay.from_json(plain).as_json() == plain
    assert plain["machine"] == machine_now()
    assert matrix(report)[0] == ["", "random", "cretaceous_creek/policy", "heuristic"]
    one = cross_play(["heuristic", "cretaceous_creek/policy"], results=tmp_path)
    assert (one.cross_play, one.gap) == (None, None)
    assert [[cell.mean for cell in row] for row in one.scores] == [row[1:] for row in means[1:]]


@pytest.mark.parametrize(
    ("agents", "task", "words"),
    [
        (["random"], "go_dig-2", "not one cooperative task"),
        (["random"], "*", "not one cooperative task"),
        (["random"], "creek", "no task"),
        (["random", "random"], "cretaceous_creek-2", "each once"),
        (["heuristic"], "cretaceous_creek-2", "one or more agents"),
        (["go_dig/policy"], "cretaceous_creek-2", "cannot play"),
        (["nobody"], "cretaceous_creek-2", "no agent"),
    ],
)
def test_who_cannot_cooperate(agents, task, words):
    with pytest.raises(ValueError, match=words):
        cross_play(agents, task=task)


# ---------------------------------------------------------------- commands


def test_commands(tmp_path, monkeypatch):
    """``benchmark AGENT`` measures, whatever options come first; the other commands have names."""
    monkeypatch.chdir(tmp_path)
    for words, error in (
        (["--suite", "large", "random"], "no suite 'large'"),
        (["random", "--tasks", "chess"], "no task 'chess'"),
    ):
        result = runner.invoke(app, ["benchmark", *words])
        assert (result.exit_code, error in " ".join(result.output.split())) == (2, True), (
            result.output
        )
    done = runner.invoke(
        app, ["benchmark", "cooperation", "random", "--workers", "1", "--json", "matrix.json"]
    )
    assert done.exit_code == 0, done.output
    assert CrossPlay.from_json(json.loads(Path("matrix.json").read_text())).deals == 100
    words = [
        "benchmark",
        "exploit",
        "heuristic",
        "--tasks",
        "go_dig-2",
        "--decisions",
        "0",
        "--sims",
        "2",
        "--games",
        "4",
    ]
    done = runner.invoke(app, [*words, "--workers", "1", "--json", "exploit.json"])
    assert done.exit_code == 0, done.output
    assert (
        ExploitReport.from_json(json.loads(Path("exploit.json").read_text())).tasks[0].best
        == "search"
    )
