"""An entry that a view hides is hidden from a re-deal, too: it becomes another in some of them."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.registry import list_environments
from tests.games import option_cases, positions

DEALS = 4
ENOUGH = 12  # times that an entry was seen to be hidden, with something in it


def hidden_leaves(snapshot, view, at=()):
    """Places in a snapshot at which the view says less, as deep as both have the same form."""
    if isinstance(snapshot, dict) and isinstance(view, dict):
        for key in view:
            yield from hidden_leaves(snapshot[key], view[key], (*at, key))
    elif isinstance(snapshot, list) and isinstance(view, list) and len(snapshot) == len(view):
        for index in range(len(view)):
            yield from hidden_leaves(snapshot[index], view[index], (*at, index))
    elif snapshot != view:
        yield at


def value_at(snapshot, at):
    for step in at:
        snapshot = snapshot[step]
    return snapshot


@pytest.mark.parametrize("name", list_environments())
def test_every_hidden_entry_is_dealt_anew(name):
    """A list of hands in which one stays as it is would tell a search the truth."""
    seen, changed = Counter(), Counter()
    for options in option_cases(name)[:4]:
        for env in positions(name, options, games=2, every=14):
            snapshot = env.game.to_snapshot(env.states[0])
            for seat in range(env.num_seats):
                twins = []
                for seed in range(DEALS):
                    twin = env.states.copy()
                    env.game.kernels.determinize_one(twin, seat, np.uint64(seed))
                    twins.append(env.game.to_snapshot(twin[0]))
                for at in hidden_leaves(snapshot, env.game.to_view(snapshot, seat)):
                    value = value_at(snapshot, at)
                    if value not in (None, [], {}):
                        key = at[:2]
                        seen[key] += 1
                        changed[key] += any(value_at(twin, at) != value for twin in twins)
    stuck = [
        ".".join(map(str, key))
        for key, count in seen.items()
        if count >= ENOUGH and not changed[key]
    ]
    assert not stuck, f"hidden, but the same in every re-deal: {', '.join(stuck)}"
    assert changed, "nothing is hidden in this game"
