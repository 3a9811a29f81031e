"""Every field of the observation, computed once more from the view alone."""

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.fossil_memory.positions import GENERA, PARTS, PLACES, RECALLS, VALUES, games

FEW = 2 if JIT_DISABLED else 10
EVERY = 13 if JIT_DISABLED else 4


def expected(view, seat):
    """The observation from the rules' section "Observation", out of nothing but a view."""
    n = len(view["scores"])
    seats = [(seat + k) % n for k in range(n)]
    known = [card or None for card in view["grid"]]
    up_genus = None
    for card, place in zip(known, PLACES, strict=True):
        if place in view["up"]:
            up_genus = card[:3]
    on_grid = sum(card != "" for card in view["grid"])
    missing = {
        genus: PARTS[genus] - sum(card is not None and card[:3] == genus for card in known)
        for genus in GENERA
    }

    return {
        "taken": [card == "" for card in view["grid"]],
        "up": [place in view["up"] for place in PLACES],
        "shown": [place in view["shown"] for place in PLACES],
        "known": [card is not None for card in known],
        "genus": [[card is not None and card[:3] == genus for genus in GENERA] for card in known],
        "part": [[card is not None and card[3] == part for part in "1234"] for card in known],
        "in_play": [genus in view["genera"] for genus in GENERA],
        "value": [VALUES[genus] / 25 for genus in GENERA],
        "parts": [PARTS[genus] / 4 for genus in GENERA],
        "museum": [
            [k < n and genus in view["museums"][seats[k]] for k in range(4)] for genus in GENERA
        ],
        "flipping": [genus == up_genus for genus in GENERA],
        "parts_known": [
            sum(card is not None and card[:3] == genus for card in known) / 4 for genus in GENERA
        ],
        "plays": [1] * n,
        "score": [view["scores"][p] / 141 for p in seats],
        "skeletons": [len(view["museums"][p]) / 9 for p in seats],
        "cards": on_grid / 24,
        "unknown": (on_grid - sum(card is not None for card in known)) / 24,
        "flipped": len(view["up"]) / 4,
        "missing": (PARTS[up_genus] - len(view["up"])) / 4 if up_genus else 0,
        "turn": view["turn"] / view["options"]["max_turns"],
        "num_players": [n == k for k in (2, 3, 4)],
        "recall": [view["options"]["recall"] == recall for recall in RECALLS],
        "belongs": [
            card is not None and card[:3] == up_genus and place not in view["up"]
            for card, place in zip(known, PLACES, strict=True)
        ],
        "complete": [
            VALUES[card[:3]] / 25 if card and missing[card[:3]] == 0 else 0 for card in known
        ],
        "lacking": [missing[card[:3]] / 4 if card else 0 for card in known],
    }


@pytest.mark.parametrize("recall", RECALLS)
@pytest.mark.parametrize("carelessness", [0.1, 1])
def test_every_field_in_every_position(recall, carelessness):
    for position in games(FEW, EVERY, carelessness, 150, recall=recall):
        position.check_observations(expected)


def test_every_field_at_the_turn_limit_and_at_the_end():
    for position in games(3, 1, 0.5, max_turns=4):
        position.check_observations(expected)
