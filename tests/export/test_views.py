"""What one seat sees is enough for an exported game, too: it says and chooses the same as from the
true position, and refuses what is no view as Python does."""

import json
import re
from itertools import islice

import numpy as np
import pytest

from dig_envs import SnapshotError
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.engine.snapshots.snapshot import ORIGIN
from dig_envs.registry import list_environments, load_game
from dig_envs.text.sentences import headline
from tests.engine.mutations import mutations
from tests.export.node import SMALL, needs_node, node
from tests.games import option_cases, positions

pytestmark = [
    pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here"),
    needs_node,
]
BY_DEFAULT = {"fossil_memory_v0", "the_big_dig_v0"}  # besides the small game


def said_in_node(folder, game, asked):
    """Return what is said of each view, given with the seat that sees it."""
    path = folder / "views.jsonl"
    path.write_text("\n".join(json.dumps({"view": view, "seat": seat}) for view, seat in asked))
    return node("views.mjs", folder / f"{game.name}.js", path)


def true_ones(game, cases, every):
    """Views in the middle of games, with all that is said and chosen there."""
    for options in cases:
        for env in positions(game.env_name, options, games=2, every=every):
            for seat in range(env.num_seats):
                yield *seen(game, env.states, seat), game.to_snapshot(env.states[0])


def seen(game, states, seat):
    """Return a view and its seat, and what is said of it and chosen in it."""
    view = game.to_view(game.to_snapshot(states[0]), seat)
    seats, owes = int(states["num_players"][0]), states["owes"][0]
    legal = game.legal_actions(states, seat)
    chosen = np.zeros(1, np.int64)
    if owes[seat]:
        game.kernels.heuristic_actions(states.copy(), 0, 1, np.array([seat]), chosen)
    expected = {
        "view": view,
        "text": game.draw(view),
        "picture": True,
        "headline": headline(game, view, seat, deciding=[p for p in range(seats) if owes[p]]),
        "legal": list(legal),
        "labels": [game.label(view, a, seat, seat) for a in legal],
        "chosen": int(chosen[0]) if owes[seat] else None,
        "again": True,
        "differs": [],
    }
    return view, seat, json.loads(json.dumps(expected, default=int))


def check_true_views(folder, game, cases, every, say=said_in_node):
    """Check what is said of true views; a complete position is no view."""
    tried = [*true_ones(game, cases, every)]
    found = say(folder, game, [(view, seat) for view, seat, *_ in tried])
    dealt_otherwise = 0
    for (view, seat, expected, snapshot), there in zip(tried, found, strict=True):
        assert "refused" not in there, (there, view)
        states = game.from_snapshot(complete := there.pop("snapshot"))
        assert (
            json.loads(json.dumps(game.to_view(game.to_snapshot(states[0]), seat)))
            == expected["view"]
        )
        assert there == expected
        dealt_otherwise += any(complete[key] != snapshot[key] for key in view if key not in ORIGIN)
    assert dealt_otherwise > 0
    whole = [(s, p) for v, p, _, s in tried if s != {**s, **v}]
    for there in say(folder, game, whole[:20]):
        assert there["code"] == -20
        assert there["refused"] == "snapshot key 'rng': this is a complete position, not a view"


def plain(said):
    """The words of a refusal with JavaScript's name for nothing."""
    return re.sub(r"(?<!['\w])None(Type)?(?!['\w])", "null", said or "")


def check_changed_views(folder, game, count, say=said_in_node):
    """Changed views are taken here and there, or are refused here and there, in the same words but
    for the cards of a deal that failed."""
    rng, tried = np.random.default_rng(1), []
    for env in islice(positions(game.env_name, option_cases(game.env_name)[-1], 2, 25), 6):
        view = json.loads(json.dumps(game.to_view(game.to_snapshot(env.states[0]), 0)))
        tried += [view, *mutations(view, game.view_schema, rng, count)]
    expected = []
    for k, view in enumerate(tried):
        try:
            states = game.complete(view, 0, k)
        except SnapshotError as error:
            expected.append({"refused": str(error), "code": -20})
        else:
            expected.append({"view": game.to_view(game.to_snapshot(states[0]), 0)})
    found = say(folder, game, [(view, 0) for view in tried])
    words = 0
    for view, here, there in zip(tried, json.loads(json.dumps(expected)), found, strict=True):
        assert here.get("code") == there.get("code"), (here, there, view)
        assert there.get("crash", "") == ""
        assert here.get("view") == there.get("view")
        words += plain(here.get("refused")) == plain(there.get("refused"))
    assert words > 0.9 * len(tried)
    assert 0 < sum("refused" in one for one in expected) < len(tried)


def test_a_seat_has_enough_with_its_view(package):
    check_true_views(package, load_game(SMALL), option_cases(SMALL)[:3], 31)


def test_what_is_no_view_is_refused_as_here(package):
    check_changed_views(package, load_game(SMALL), 10)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in BY_DEFAULT else pytest.mark.slow)
        for name in list_environments()
        if name != SMALL
    ],
)
def test_other_games_too(name, exported):
    game = load_game(name)
    check_true_views(exported(name), game, option_cases(name), 31)
    check_changed_views(exported(name), game, 30)
