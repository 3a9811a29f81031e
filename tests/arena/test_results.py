"""The file of results: complete units survive, half lines are dropped, other settings are refused."""

import json

import numpy as np
import pytest

from dig_envs.arena.results import Played, ResultsFile, differences
from dig_envs.arena.schedule import Unit
from dig_envs.engine.errors import ArenaError

SETTINGS = {"environment": "game_v0", "options": {"num_players": 2, "events": (3, 12)}, "agents": [{"agent": "a"}], "seed": 1}
UNITS = [Unit(0, (0, 1), 2), Unit(0, (0, 2), 2), Unit(2, (0, 1), 3)]


def some_games(unit):
    """Two games per deal, two seats."""
    rng = np.random.default_rng(unit.start + 10 * unit.contestants[1])
    games = 2 * len(unit.deals)
    scores = rng.integers(-3, 90, (games, 2)).astype(float)
    winners = scores == scores.max(axis=1, keepdims=True)
    return Played(winners, scores, rng.integers(1, 99, games), rng.random(games) < 0.3)


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
    """A kill at any byte loses at most the line that was being written; afterwards the file can be written on."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    path = tmp_path / "results.jsonl"
    write_all(path)
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with open_file(path) as file:
            complete = max(0, sum(end <= cut for end in ends) - 1)
            assert list(file.done) == UNITS[:complete]
            for unit in UNITS[complete:]:
                file.append(unit, some_games(unit))
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2}, "seed is 1 there, 2 here"),
        ({"options": {"num_players": 3, "events": [3, 12]}}, "options.num_players is 2 there, 3 here"),
        ({"agents": [{"agent": "b"}]}, r'agents is \[{"agent": "a"}\] there, \[{"agent": "b"}\] here'),
        ({"block": 8}, "block is absent there, 8 here"),
    ],
)
def test_other_settings(tmp_path, changes, message):
    """Refused, by the name of what differs and nothing else; the file stays as it is."""
    path = tmp_path / "results.jsonl"
    write_all(path)
    before = path.read_bytes()
    with pytest.raises(ArenaError, match=message) as caught:
        open_file(path, **changes)
    assert str(caught.value).count(" there, ") == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"notes", b"notes\n", b"{}\n", b"[1]\nmore", b'{"kind":"something else"}\n', b"\xff\n"])
def test_other_files_are_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ArenaError, match="no file of arena results"):
        open_file(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: b"\0" * len(line),
        lambda line: line[: len(line) // 2],
        lambda line: b"{}",
        lambda line: line.replace(b'"deals":[0,2]', b'"deals":[0,3]'),
        lambda line: line.replace(b'"winners":[[', b'"winners":[[7,'),
        lambda line: b'{"deals":3}',
    ],
)
def test_damaged_lines(tmp_path, damage):
    """A complete line that says something else is not passed over."""
    path = tmp_path / "results.jsonl"
    write_all(path)
    lines = path.read_bytes().split(b"\n")
    lines[1] = damage(lines[1])
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ArenaError, match="line 2, is damaged"):
        open_file(path)
    assert path.read_bytes() == b"\n".join(lines)


def test_other_format(tmp_path):
    path = tmp_path / "results.jsonl"
    write_all(path)
    head, _, rest = path.read_text().partition("\n")
    path.write_text(json.dumps({**json.loads(head), "format": 9}) + "\n" + rest)
    with pytest.raises(ArenaError, match="has format 9"):
        open_file(path)


def test_two_writers(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "results.jsonl"
    with open_file(path), pytest.raises(ArenaError, match="in use"):
        open_file(path)
    open_file(path).close()


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        open_file(tmp_path / "nowhere" / "results.jsonl")
    with pytest.raises(OSError, match=str(tmp_path)):
        open_file(tmp_path)


def test_differences():
    assert differences({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 1, "b": {"c": 2, "d": 3}}) == []
    assert differences({"a": 1, "b": {"c": 2}}, {"b": {"c": 3}, "e": "x"}) == [
        "b.c is 2 there, 3 here",
        'e is absent there, "x" here',
        "a is 1 there, absent here",
    ]
