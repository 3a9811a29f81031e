"""The file of results: complete units survive, half lines are dropped, other settings are
refused."""

import json

import numpy as np
import pytest

from dig_envs.arena.results import ResultsFile, UnitResult
from dig_envs.arena.schedule import Unit
from dig_envs.engine.core.errors import ArenaError

SETTINGS = {
    "environment": "game_v0",
    "options": {"num_players": 2, "events": (3, 12)},
    "agents": [{"agent": "a"}, {"agent": "b"}, {"agent": "c"}],
    "seed": 1,
    "block": 2,
}
UNITS = [Unit(0, (0, 1), 2), Unit(0, (0, 2), 2), Unit(2, (0, 1), 3)]


def some_games(unit):
    """Two games per deal, two seats."""
    rng = np.random.default_rng(unit.start + 10 * unit.contestants[1])
    games = 2 * len(unit.deals)
    scores = rng.integers(-3, 90, (games, 2)).astype(float)
    winners = scores == scores.max(axis=1, keepdims=True)
    return UnitResult(winners, scores, rng.integers(1, 99, games), rng.random(games) < 0.3)


def open_file(path, **changes):
    return ResultsFile(path, {**SETTINGS, **changes}, num_seats=2, games_per_deal=2)


def write_all(path):
    with open_file(path) as file:
        for unit in UNITS:
            file.append(unit, some_games(unit))


def assert_same(found, expected):
    for field in ("winners", "scores", "lengths", "truncated"):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
        assert getattr(found, field).dtype == getattr(expected, field).dtype


def test_what_is_kept_comes_back(tmp_path):
    write_all(tmp_path / "results.jsonl")
    with open_file(tmp_path / "results.jsonl") as file:
        assert list(file.done) == UNITS
        for unit in UNITS:
            assert_same(file.done[unit], some_games(unit))


def test_cut_off_anywhere(tmp_path, monkeypatch):
    """A kill at any byte loses at most the line that was being written; afterwards the file can be
    written on."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    path = tmp_path / "results.jsonl"
    write_all(path)
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for cut in sorted(
        {
            *range(0, len(whole), 13),
            *(end + k for end in ends for k in (-2, -1, 0, 1) if end + k < len(whole)),
        }
    ):
        path.write_bytes(whole[:cut])
        with open_file(path) as file:
            complete = max(0, sum(end <= cut for end in ends) - 1)
            assert list(file.done) == UNITS[:complete]
            for unit in UNITS[complete:]:
                file.append(unit, some_games(unit))
        assert path.read_bytes() == whole


def refused(path, number, line, message):
    """A file with another line in the place of one, the first being line 1, is refused and stays as
    it is."""
    write_all(path)
    lines = path.read_bytes().split(b"\n")
    lines[number - 1] = line(lines[number - 1]) if callable(line) else line
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ArenaError, match=message):
        open_file(path)
    assert path.read_bytes() == b"\n".join(lines)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2}, "seed is 1 there, 2 here"),
        (
            {"options": {"num_players": 3, "events": [3, 12]}},
            "options.num_players is 2 there, 3 here",
        ),
        (
            {"agents": [{"agent": "b", "weights": 1}]},
            r'agents is {"agent": "b"} there, {"agent": "b", "weights": 1} here',
        ),
        ({"block": 8}, "block is 2 there, 8 here"),
        ({"code": "0"}, 'code is absent there, "0" here'),
    ],
)
def test_other_settings(tmp_path, changes, message):
    """A results file with other settings is refused; the message names only what differs, and the
    file stays unchanged."""
    path = tmp_path / "results.jsonl"
    write_all(path)
    before = path.read_bytes()
    with pytest.raises(ArenaError, match=message) as caught:
        open_file(path, **changes)
    assert str(caught.value).count(" there, ") == 1
    assert path.read_bytes() == before


ODD_HEADS = [
    b"[" * 100_000 + b"\n",
    b'{"kind":"dig_envs arena results","format":1}\n',
    b'{"kind":"dig_envs arena results","format":1,"settings":[]}\n',
    b'{"kind":"dig_envs arena results","format":' + b"1" * 5000 + b"}\n",
]


@pytest.mark.parametrize(
    "content",
    [
        b"notes",
        b"notes\n",
        b"{}\n",
        b"[1]\nmore",
        b'{"kind":"something else"}\n',
        b"\xff\n",
        *ODD_HEADS,
    ],
)
def test_other_files_are_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ArenaError, match="not a file of arena results"):
        open_file(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "line",
    [
        lambda line: b"\0" * len(line),
        lambda line: line[: len(line) // 2],
        lambda line: line.replace(b'"deals":[0,2]', b'"deals":[0,3]'),
        *(
            b"{}",
            b"[" * 100_000,
            b'{"deals":[0,' + b"9" * 5000 + b"]}",
            b"[]",
            b"null",
            b"",
            b"\xff\xfe",
        ),
    ],
)
def test_damaged_lines(tmp_path, line):
    """A complete line that says something else is not passed over."""
    refused(tmp_path / "results.jsonl", 2, line, "line 2, is damaged")


def test_the_same_games_twice(tmp_path):
    first = json.dumps(
        {"contestants": [0, 1], "deals": [0, 2], **some_games(UNITS[0]).as_json()}
    ).encode()
    refused(tmp_path / "results.jsonl", 3, first, r"line 3, is damaged .*earlier line")


def test_other_format(tmp_path):
    refused(
        tmp_path / "results.jsonl",
        1,
        lambda line: line.replace(b'"format":1', b'"format":9'),
        "has format 9",
    )


GOOD = {
    "contestants": [0, 1],
    "deals": [0, 2],
    "winners": [[0]] * 4,
    "scores": [[1, 2]] * 4,
    "lengths": [9] * 4,
    "truncated": [],
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"winners": [[2], [0], [0], [0]]}, "winners must be 1 integers from 0 to 1"),
        ({"winners": [0, 0, 0, 0]}, "has no len"),
        ({"winners": [[0]] * 5}, "longer"),
        ({"scores": [[1, 2]] * 3}, "scores must be 4 × 2 integers"),
        ({"scores": [[1, 2.5]] * 4}, "scores must be"),
        ({"scores": [[1, float("nan")]] * 4}, "scores must be"),
        ({"scores": [[1, 10**30]] * 4}, "scores must be"),
        ({"scores": "many"}, "scores must be"),
        ({"lengths": [0] * 4}, "lengths must be 4 integers from 1"),
        ({"lengths": None}, "lengths must be"),
        ({"truncated": [4]}, "truncated must be 1 integers from 0 to 3"),
        ({"contestants": [0, 3]}, "contestants must be 2 integers from 0 to 2"),
        ({"contestants": [1, 0]}, "contestants must ascend"),
        ({"deals": [0, 3]}, "block of 2"),
        ({"deals": [1, 2]}, "block of 2"),
        ({"deals": [0, 0]}, "block of 2"),
        ({"deals": [0, 2, 4]}, "deals must be 2 integers"),
        ({"forfeits": [[4, 0, "late"]]}, "forfeits must be"),
        ({"usage": [{"requests": -1}, {}]}, "usage must have"),
        ({"more": 1}, "the keys contestants, deals"),
    ],
)
def test_forged_lines(tmp_path, changes, message):
    forged = json.dumps({**GOOD, "deals": [2, 4], **changes}).encode()
    refused(tmp_path / "results.jsonl", 4, forged, f"line 4, is damaged .*{message}")


def test_a_file_from_before_an_option_was_added(tmp_path):
    """What it does not say of a game's options has the default."""
    path = tmp_path / "results.jsonl"
    before = {**SETTINGS, "environment": "go_dig_v0", "options": {"num_players": 2}}
    ResultsFile(path, before, 2, 2).close()
    ResultsFile(path, {**before, "options": {"num_players": 2, "max_turns": 200}}, 2, 2).close()
    with pytest.raises(ArenaError, match="max_turns is 200 there, 10 here"):
        ResultsFile(path, {**before, "options": {"num_players": 2, "max_turns": 10}}, 2, 2)


def test_one_contestant_where_the_game_has_one(tmp_path):
    path = tmp_path / "results.jsonl"
    with ResultsFile(path, SETTINGS, 2, 1, contestants=1) as file:
        file.append(
            Unit(0, (2,), 2),
            UnitResult(np.ones((2, 2), bool), np.ones((2, 2)), np.ones(2, int), np.zeros(2, bool)),
        )
    with ResultsFile(path, SETTINGS, 2, 1, contestants=1) as file:
        assert list(file.done) == [Unit(0, (2,), 2)]
    with pytest.raises(ArenaError, match=r"line 2, is damaged .*contestants must be 2 integers"):
        ResultsFile(path, SETTINGS, 2, 1)


def test_two_writers(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "results.jsonl"
    with open_file(path), pytest.raises(ArenaError, match="in use"):
        open_file(path)
    open_file(path).close()
