"""Every field of the observation, computed once more from the view alone, and worked through by hand."""

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.fossil_memory.positions import GAME, GENERA, PARTS, PLACES, RECALLS, VALUES, games, start

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
    missing = {genus: PARTS[genus] - sum(card is not None and card[:3] == genus for card in known) for genus in GENERA}

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
        "museum": [[k < n and genus in view["museums"][seats[k]] for k in range(4)] for genus in GENERA],
        "flipping": [genus == up_genus for genus in GENERA],
        "parts_known": [sum(card is not None and card[:3] == genus for card in known) / 4 for genus in GENERA],
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
            card is not None and card[:3] == up_genus and place not in view["up"] for card, place in zip(known, PLACES, strict=True)
        ],
        "complete": [VALUES[card[:3]] / 25 if card and missing[card[:3]] == 0 else 0 for card in known],
        "lacking": [missing[card[:3]] / 4 if card else 0 for card in known],
    }


@pytest.mark.parametrize("recall", RECALLS)
@pytest.mark.parametrize("carelessness", [0.1, 1])
def test_every_field_in_every_position(recall, carelessness):
    for position in games(FEW, EVERY, carelessness, recall=recall):
        position.check_observations(expected)


def test_every_field_at_the_turn_limit_and_at_the_end():
    for position in games(3, 1, max_turns=4):
        position.check_observations(expected)


def test_by_hand():
    """Three players, seat 1 to flip its second card."""
    position = start("perfect", 3, max_turns=10).flip("4,5", "4,6", "1,1")
    own = GAME.named(position.observation(1))
    assert [PLACES[place] for place in np.flatnonzero(own["taken"])] == ["4,5", "4,6"]
    assert [PLACES[place] for place in np.flatnonzero(own["up"])] == ["1,1"]
    assert not own["shown"].any()
    assert [PLACES[place] for place in np.flatnonzero(own["known"])] == ["1,1"]
    assert own["genus"][0].tolist() == [1] + [0] * 12
    assert own["part"][0].tolist() == [1, 0, 0, 0]
    assert own["genus"].sum() == own["part"].sum() == 1
    assert own["museum"][GENERA.index("MOS")].tolist() == [0, 0, 1, 0], "seat 0 is two places on"
    assert own["museum"].sum() == 1
    assert [GENERA[g] for g in np.flatnonzero(own["flipping"])] == ["TYR"]
    assert own["parts_known"].tolist() == [0.25] + [0] * 12
    assert own["plays"].tolist() == [1, 1, 1, 0]
    assert own["score"].tolist() == pytest.approx([0, 0, 7 / 141, 0])
    assert own["skeletons"].tolist() == pytest.approx([0, 0, 1 / 9, 0])
    assert own["cards"] == np.float32(22 / 24)
    assert own["unknown"] == np.float32(21 / 24)
    assert own["flipped"] == 0.25
    assert own["missing"] == 0.75
    assert own["turn"] == np.float32(0.2)
    assert own["num_players"].tolist() == [0, 1, 0]
    assert own["recall"].tolist() == [1, 0, 0]
    assert not own["belongs"].any()
    assert not own["complete"].any()
    assert own["lacking"].tolist() == [0.75] + [0] * 23


def test_what_follows_by_hand():
    """TYR1, TRI1 and all of BRA have been seen; BRA3 has just been flipped."""
    own = GAME.named(start("perfect").flip("1,1", "1,5", "1,6", "2,2", "2,1").observation(0))
    assert [PLACES[place] for place in np.flatnonzero(own["belongs"])] == ["1,5", "1,6"]
    assert [PLACES[place] for place in np.flatnonzero(own["complete"])] == ["1,5", "1,6", "2,1"]
    assert own["complete"].max() == np.float32(0.8)
    assert {PLACES[place]: own["lacking"][place] for place in np.flatnonzero(own["lacking"])} == {"1,1": 0.75, "2,2": 0.5}


def test_known_cards_by_recall():
    """The same flips, seen with each recall by the seat that is to move."""
    for recall, known in (("perfect", ["1,1", "1,5", "2,2", "2,5"]), ("recent", ["1,5", "2,2", "2,5"]), ("none", ["2,2", "2,5"])):
        seen = GAME.named(start(recall).flip("1,1", "1,5", "2,2", "2,5").observation(0))
        assert [PLACES[place] for place in np.flatnonzero(seen["known"])] == known
        assert [PLACES[place] for place in np.flatnonzero(seen["shown"])] == ["2,2", "2,5"]
        assert seen["unknown"] == np.float32((24 - len(known)) / 24)
