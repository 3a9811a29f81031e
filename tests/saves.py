"""Saved files that pages must refuse, or play: changed positions, and what is no position at all;
and giving them to a page."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from dig_envs.adapters.aec import RawAEC
from tests.engine.mutations import moves, mutations

HTML = '<img id="injected" src="x" onerror="window.injected = 1">'
FORM = """() => [...document.querySelectorAll("form select, form input:not([type=file])")]
  .map((one) => [one.id, one.value]).sort()"""  # what is chosen in a form
INJECTED = "() => document.getElementById('injected') !== null || window.injected !== undefined"


def damaged(game: Any, saved: dict[str, Any]) -> dict[str, bytes]:
    """Files of every kind of fault but changed entries; none of them is a position."""
    options, last = saved["options"], game.options[-1].name
    deep = "[" * 90_000 + "]" * 90_000
    other = "diggity" if game.name != "diggity" else "go_dig"
    parts: dict[str, Any] = {
        **{
            f"{count!r} players": {"options": {**options, "num_players": count}}
            for count in (100_000, 0, -1, 1.5, 2**53, "2", None, True, [2], {})
        },
        "no players": {"options": {}},
        "options are a list": {"options": [options]},
        "options are nothing": {"options": None},
        "unknown option": {"options": {**options, HTML: 1}},
        "option of no texts": {"options": {**options, last: [{"toString": 1}] * 2}},
        "option of objects": {"options": {**options, "__proto__": {"num_players": 2}}},
        "HTML as an option": {"options": {**options, last: HTML}},
        "HTML as a key": {HTML: 1},
        "HTML as the phase": {"phase": HTML},
        "key of objects": {"__proto__": {"options": options}, "constructor": 1},
        "names": {"names": ["Ann", HTML], "players": ["exec:sh", "human"]},
        "another game": {"game": other, "environment": f"{other}_v0"},
        "another version": {"environment": f"{game.name}_v99"},
        "HTML as the game": {"game": HTML, "environment": HTML},
        "the game is an object": {"game": {}, "environment": {}},
        "the game is no text": {"game": {"toString": 1}, "environment": None},
        "the game is inherited": {"game": "__proto__", "environment": "__proto__"},
        "of a newer package": {"dig_envs": "99.0"},
        "HTML as the package": {"dig_envs": HTML},
        "a million entries": {"scores": [0] * 1_000_000},
        "90,000 entries": {"scores": [0] * 90_000},
        "10 MB of text": {"rng": "9" * 10_000_000},
        "100 KB of text": {"phase": "x" * 100_000},
        "2**63": {"turn": 2**63},
    }
    files = {name: json.dumps({**saved, **part}).encode() for name, part in parts.items()}
    text = json.dumps(saved)
    start = text.replace("{", '{"extra": %s, ', 1)
    files |= {
        "deep": (start % deep).encode(),
        "deeper": (start % ("[" * 200_000 + "]" * 200_000)).encode(),
        "deep objects": (start % ('{"a":' * 30_000 + "1" + "}" * 30_000)).encode(),
        "without an end": ("[" * 100_000).encode(),
        "infinite": text.replace('"turn": ', '"turn": 1e999, "was": ').encode(),
        "a key twice": text.replace("{", '{"turn": -1, ', 1).encode()[:-1] + b', "turn": -1}',
    }
    return files | {
        "nothing": b"",
        "no JSON": b"{]",
        "no text": bytes(range(256)),
        "UTF-16 without a mark": text.encode("utf-16-le"),
        "NaN": b"NaN",
        **{kind: kind.encode() for kind in ("7", "null", "true", '"text"', "[]", "{}", "[{}]")},
    }


def changed_saves(name: str, count: int) -> Iterator[tuple[str, bytes]]:
    """``count`` changed positions of a game, each once in the middle of a game."""
    env, rng = RawAEC(name), np.random.default_rng(7)
    env.reset(seed=7)
    while count > 0:
        for _ in range(5):
            if not env.states["over"][0]:
                legal = env.game.legal_actions(env.states, int(env.states["to_move"][0]))
                env.step(int(rng.choice(legal)))
        saved, schema = env.snapshot(), env.game.json_schema
        for one in (*mutations(saved, schema, rng, 6), *moves(saved, schema, rng, 2)):
            if count > 0:
                yield f"changed position, {count} are left", json.dumps(one).encode()
                count -= 1


def choose_file(page: Any, content: bytes) -> None:
    """Choose a file in the form of a page."""
    file = {"name": "save.json", "mimeType": "application/json", "buffer": content}
    page.set_input_files("#file", file)


def answered(page: Any, selector: str) -> None:
    """Wait for what a page answers to a file; nothing of the file is a part of the page."""
    page.wait_for_selector(selector)
    assert not page.evaluate(INJECTED)
