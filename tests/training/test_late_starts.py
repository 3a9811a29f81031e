"""Episodes that begin in the middle of games that were won."""

import json
from pathlib import Path

import numpy as np
import pytest

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_seated
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.registry import load_game
from tests.training.tiny import changed, done, invoke, said, train
from training.games import TrainingGames
from training.late_starts import LateStarts, app, as_text, read_games, replay
from training.settings import LateStartKeys, Settings

TEAM, RIVALS = "cretaceous_creek_v0", "go_dig_v0"
BEGINNER = ["-o", "num_players=2", "-o", "level=beginner"]


def written(folder: Path, name: str, *more: str) -> Path:
    """A file with games of the scripted player."""
    file = folder / f"{name}.jsonl"
    done(invoke(app, [name, "--agent", "heuristic", "--games", "60", "--out", str(file), *more]))
    return file


@pytest.fixture(scope="module")
def won(tmp_path_factory):
    """Games that the scripted team won."""
    return written(tmp_path_factory.mktemp("won"), TEAM, *BEGINNER)


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """Games of scripted rivals."""
    return written(tmp_path_factory.mktemp("decided"), RIVALS, "-o", "num_players=3")


def started(file, **changes):
    """The games of a training in which every episode begins late; the first decision is 5 before the end at most."""
    keys = {"file": str(file), "share": 1.0, "first": 5, "until": 0.5}
    name = TEAM if "cretaceous" in file.name else RIVALS
    settings = {"num_envs": 8, "games": [{"num_players": 2, "level": "beginner"} if name == TEAM else {"num_players": 3}]}
    return TrainingGames(name, Settings.of(**{**settings, "late_starts": keys, **changes}), 1, "heuristic")


def test_only_games_that_were_won_are_written_and_go_as_they_went(won):
    game = load_game(TEAM)
    options, games = read_games(won, game)
    assert (options["num_players"], options["level"]) == (2, "beginner")
    assert 0 < len(games) < 60
    for seed, actions in games:
        batch = BatchEnv(TEAM, 1, seed, **options)
        for action in actions:
            assert not batch.terminated[0]
            batch.step([action])
        assert batch.terminated[0]
        assert batch.final_states["winners"][0].any()


def test_all_positions_of_the_games_are_there_those_of_the_ends_first(won):
    game = load_game(TEAM)
    options, games = read_games(won, game)
    states, left, who = replay(game, options, games)
    assert len(states) == len(left) == len(who) == sum(len(actions) for _, actions in games)
    assert (np.diff(left) >= 0).all()
    assert left[0] == 1
    assert (left == 1).sum() == len(games)
    assert left[-1] == max(len(actions) for _, actions in games)
    assert not states["over"].any()
    assert who[:, :2].all(), "a team wins together"


def test_the_number_of_decisions_that_are_left_grows(won):
    starts = LateStarts(load_game(TEAM), LateStartKeys(str(won), first=5, until=0.5))
    assert starts.most_left(0.0) == 5
    assert starts.most_left(0.25) == round((5 + starts.left[-1]) / 2)
    assert starts.most_left(0.5) == starts.most_left(1.0) == starts.left[-1]
    rng, record = np.random.default_rng(0), {state.tobytes(): left for state, left in zip(starts.states, starts.left, strict=True)}
    drawn = {record[starts.draw(0.0, rng)[0].tobytes()] for _ in range(200)}
    assert drawn == {1, 2, 3, 4, 5}


def test_episodes_of_a_team_begin_late_and_then_anywhere(won):
    games = started(won)
    known = {state.tobytes(): left for state, left in zip(games._late.states, games._late.left, strict=True)}
    games.reset(3)
    assert all(known[state.tobytes()] <= 5 for state in games.batch.states)
    ended = [one for _ in range(12) for one in games.step(games.batch.heuristic_actions()).ended.values()]
    assert max(one.decisions for one in ended) <= 6, "the scripted player may play on in another way than the one who won"
    games.share = 1.0
    games.reset(3)
    assert max(known[state.tobytes()] for state in games.batch.states) > 20
    games.close()


def test_the_learner_is_in_the_place_of_a_winner(decided):
    games = started(decided)
    who = {state.tobytes(): won for state, won in zip(games._late.states, games._late.won, strict=True)}
    seen = []
    set_states = games.batch.set_states

    def noted(indices, position, check=True):
        set_states(indices, position, check)
        seen.append(position)

    games.batch.set_states = noted
    games.share = 1.0
    for index in range(8):
        games._begin_episode(index)
        assert who[seen[-1].tobytes()][games.learner_seats[index]]
    games.close()


def test_games_with_other_options_begin_at_the_deal(won):
    both = [{"num_players": 2, "level": "beginner"}, {"num_players": 3, "level": "beginner"}]
    games = started(won, games=both)
    games.reset(3)
    known = {state.tobytes() for state in games._late.states}
    assert [state.tobytes() in known for state in games.batch.states] == [True] * 4 + [False] * 4
    games.close()
    with pytest.raises(ValueError, match=r"beginner.* as none of \[\[games\]\]"):
        started(won, games=both[1:])


def lost_game():
    """The text of a file with a game that a team lost."""
    options = {"num_players": 2, "level": "beginner"}
    results = play_seated(TEAM, [load_agent("random", TEAM, seed=1)], np.zeros((1, 2), np.int64), [7], options, with_actions=True)
    assert not results.winners.any()
    return as_text(load_game(TEAM), options, [(7, list(results.actions[0]))])


def spoiled(text, lines):
    """Another text in a file of games, and the words with which it is refused."""
    header, first, *others = lines
    one = json.loads(first)
    return {
        "nothing": ("", "was not written by"),
        "no JSON": ("{", "was not written by"),
        "no header": ("\n".join([first, *others]), "was not written by"),
        "deep": ("[" * 100_000, "was not written by"),
        "only a header": (header, "has no games"),
        "another environment": (text.replace(TEAM, RIVALS, 1), f"not of {TEAM}"),
        "unknown level": (text.replace("beginner", "easy", 1), "level"),
        "a seed that is none": ("\n".join([header, json.dumps({**one, "seed": -1})]), "line 2: seed must be"),
        "an action that is none": ("\n".join([header, first, json.dumps({**one, "actions": [True]})]), "line 3: actions must be"),
        "no action": ("\n".join([header, json.dumps({**one, "actions": []})]), "line 2: actions must be"),
        "an illegal action": ("\n".join([header, json.dumps({**one, "actions": [*one["actions"][:3], 10**6]})]), "action 3"),
        "cut off": ("\n".join([header, first, json.dumps({**one, "actions": one["actions"][:-1]})]), "line 3 does not end"),
        "nobody won": (lost_game(), "nobody won the game in line 2"),
        "too long": ("\n".join([header, json.dumps({**one, "actions": [*one["actions"], 0]})]), "line 2 does not end"),
    }


def test_files_that_are_wrong_are_refused_with_words(won, tmp_path):
    text = won.read_text()
    for case, (other, words) in spoiled(text, text.splitlines()).items():
        file = tmp_path / "other.jsonl"
        file.write_text(other)
        with pytest.raises(ValueError, match=words) as refused:
            LateStarts(load_game(TEAM), LateStartKeys(str(file)))
        assert str(file) in str(refused.value), case
    with pytest.raises(FileNotFoundError):
        LateStarts(load_game(TEAM), LateStartKeys(str(tmp_path / "none.jsonl")))


def test_the_command_says_what_is_wrong(tmp_path):
    out = str(tmp_path / "won.jsonl")
    lost = invoke(app, [TEAM, "--agent", "random", "--games", "3", "--out", out, *BEGINNER])
    assert lost.exit_code == 2
    assert "random won none of 3 games" in said(lost)
    wrong = invoke(app, [TEAM, "--agent", "heuristic", "--games", "3", "--out", out, "-o", "level=easy"])
    assert wrong.exit_code == 2
    assert "beginner" in said(wrong)
    assert not list(tmp_path.iterdir())


def test_a_training_with_late_starts_comes_to_its_end(won, tmp_path):
    """The card says that episodes began so."""
    keys = json.dumps({"file": str(won), "share": 0.5, "first": 3})
    settings = changed(late_starts=keys, games='[{"num_players": 2, "level": "beginner"}]')
    done(train(tmp_path / "run", tmp_path / "tiny", "--steps", "768", *settings))
    card = json.loads((tmp_path / "tiny" / "card.json").read_text())
    assert card["settings"]["late_starts"] == json.loads(keys)
