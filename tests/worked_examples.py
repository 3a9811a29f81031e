"""Runs the worked examples of a game's RULES.md: JSON blocks with a base position, changes, actions
and what must hold afterwards.

An example has ``from`` (the name of a base position), ``set`` (changes, by dotted path), ``do``
(actions by their text), then ``then`` (values by path), ``legal`` (the complete set of legal
actions), ``includes`` and ``excludes`` (some of it), ``sizes`` (lengths by path) and ``view`` (by
path, one value per seat, in that seat's view, or one that is the same in all).
"""

import copy
import json
import re
from typing import Any

from dig_envs.documentation.games import readme_path
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.snapshot import ENVIRONMENT

EXAMPLES = "examples"  # the name of the block that holds them; every other block is a base position
BLOCK = re.compile(r"^```json (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def rules_text(game: Game) -> str:
    """Return the text of a game's RULES.md."""
    path = readme_path(game).with_name("RULES.md")
    assert path.exists(), (
        f"{game.name} has no RULES.md: {path} (begin with that of tests/model/bone_bids)"
    )
    return path.read_text(encoding="utf-8")


def json_blocks(text: str) -> dict[str, Any]:
    """Return the named JSON blocks of a text."""
    return {name: json.loads(block) for name, block in BLOCK.findall(text)}


def load_bases(game: Game) -> dict[str, dict[str, Any]]:
    """Return the base positions of a game by name, as positions of its version."""
    blocks = json_blocks(rules_text(game))
    return {
        name: {**block, ENVIRONMENT: game.env_name}
        for name, block in blocks.items()
        if name != EXAMPLES
    }


def load_examples(game: Game) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the examples of a game, each with its base position."""
    blocks = json_blocks(rules_text(game))
    assert EXAMPLES in blocks, (
        f"the RULES.md of {game.name} has no worked examples: a block that begins with ```json "
        f"{EXAMPLES}"
    )
    for example in blocks[EXAMPLES]:
        assert example["from"] in blocks, (
            f"the RULES.md of {game.name} has no base position: a block ```json {example['from']}"
        )
    bases = load_bases(game)
    return [(bases[example["from"]], example) for example in blocks[EXAMPLES]]


def get_path(data: Any, path: str) -> Any:
    """The value at a dotted path; a whole key that contains dots is not supported."""
    for step in path.split("."):
        data = data[int(step)] if isinstance(data, list) else data[step]
    return data


def set_path(data: Any, path: str, value: Any) -> None:
    """Change the value at a dotted path."""
    head, _, last = path.rpartition(".")
    parent = get_path(data, head) if head else data
    if isinstance(parent, list):
        parent[int(last)] = value
    else:
        parent[last] = value


def with_changes(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy of a position with changes by dotted path."""
    position = copy.deepcopy(base)
    for path, value in changes.items():
        set_path(position, path, value)
    return position


def legal_names(game: Game, states: Any) -> set[str]:
    """The texts of the mover's legal actions."""
    return {
        game.actions[action] for action in game.legal_actions(states, int(states["to_move"][0]))
    }


def play_actions(game: Game, states: Any, texts: list[str]) -> None:
    """Play actions by their text, each of which must be legal."""
    for text in texts:
        assert text in legal_names(game, states), (
            f"{text!r} is not legal: {sorted(legal_names(game, states))}"
        )
        game.kernels.apply_one(states, int(states["to_move"][0]), game.action_index[text])


def run_example(game: Game, base: dict[str, Any], example: dict[str, Any]) -> None:
    """Run one example and assert all that it says."""
    states = game.from_snapshot(with_changes(base, example.get("set", {})))
    play_actions(game, states, example.get("do", []))
    snapshot = game.to_snapshot(states[0])
    for path, value in example.get("then", {}).items():
        assert get_path(snapshot, path) == value, (
            f"{path}: {get_path(snapshot, path)} instead of {value}"
        )
    for path, size in example.get("sizes", {}).items():
        assert len(get_path(snapshot, path)) == size, path
    for path, values in example.get("view", {}).items():
        for seat in range(len(snapshot["scores"])):
            value = values[seat] if isinstance(values, list) else values
            assert get_path(game.to_view(snapshot, seat), path) == value, (
                f"{path} as seat {seat} sees it"
            )
    legal = legal_names(game, states) if snapshot["to_move"] >= 0 else set()
    if "legal" in example:
        assert legal == set(example["legal"])
    assert set(example.get("includes", [])) <= legal
    assert not set(example.get("excludes", [])) & legal
