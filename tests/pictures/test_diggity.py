"""The picture of Diggity: open passages numbered as in the rules, and cards where they would
lie."""

import re

import numpy as np
import pytest

from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import picture
from dig_envs.games.diggity.passages import open_passages, passages_of
from dig_envs.pictures.drawing import sheet_of
from tests.pictures.looking import things, touched_by
from tests.rules.diggity.positions import GAME, Position, base


@pytest.mark.parametrize("seed", range(4))
def test_the_numbers_of_the_open_passages_are_those_of_the_rules(seed: int) -> None:
    position, rng = Position.deal(seed, num_players=2 + seed % 3), np.random.default_rng(seed)
    seen = 0
    for _ in range(250):
        if position.mover < 0:
            break
        mine, state = position.snapshot["mine"], position.states[0]
        found = open_passages(passages_of(mine)) if mine else []
        here = [(p.card, p.side, p.x, p.y, p.fits) for p in found]
        fields = ("open_card", "open_side", "open_x", "open_y", "open_fits")
        count = int(state["open_len"])
        assert here == [tuple(int(state[field][e]) for field in fields) for e in range(count)]
        seen = max(seen, count)
        position.play(str(rng.choice(sorted(position.legal))))
    assert seen > 4


def test_a_card_is_placed_by_a_passage_of_the_mine() -> None:
    position = base("ring").play("card 0")
    there = things(position, 1)
    assert position.legal == {"place 0 N", "place 0 W", "place 1 N"}
    assert touched_by(position, "place 1 N") == ("place:1",)
    assert {"place:0", "place:1"} <= set(there)
    assert "place:2" not in there
    assert there["chosen"] == "You lay this card: a circle with passages north and west"
    east, south = "east of mine card 1", "south of mine card 3"
    assert there["place:0"] == f"Passage 1, {east}: open for a card by its short or long side"
    assert there["place:1"] == f"Passage 2, {south}: open for a card by its short side"


AREA = (picture.MARGIN, picture.HEADER, *picture.MINE)


def test_a_mine_of_any_extent_stays_inside_its_panel() -> None:
    row = [{"card": "C-EW", "x": 10 * i, "y": 0, "r": 0} for i in range(box.MAX_MINE)]
    column = [{"card": "C-NS", "x": 0, "y": 14 * i, "r": 0} for i in range(box.MAX_MINE)]
    for mine in (row, column):
        unit, x, y = picture._scale(mine, AREA)
        for card in mine:
            at_x, at_y = x + card["x"] * unit, y + card["y"] * unit
            assert (
                picture.MARGIN
                < at_x - 5 * unit
                < at_x + 5 * unit
                < picture.MARGIN + picture.MINE[0]
            )
            assert (
                picture.HEADER + 20
                < at_y - 7 * unit
                < at_y + 7 * unit
                < picture.HEADER + picture.MINE[1]
            )


def test_a_card_is_shown_as_it_would_lie() -> None:
    """DG-12: for each legal way to place a card, and for no other, there is how it would lie then,
    which is not visible yet."""
    position, checked = Position.deal(5, num_players=3), 0
    for _ in range(60):
        view = position.view(position.mover)
        if view["phase"] == "place":
            svg = sheet_of(GAME, view, position.mover).svg(fonts=False)
            ghosts = dict(
                re.findall(r'<g data-ghost="([^"]*)" display="none"[^>]*>\s*<rect ([^>]*)>', svg)
            )
            assert sorted(ghosts) == sorted(position.legal)
            unit, left, top = picture._scale(
                view["mine"], AREA, open_passages(passages_of(view["mine"]))
            )
            for text, rect in ghosts.items():
                x, y, wide, high = (
                    float(re.search(rf'\b{name}="([-\d.]+)"', rect)[1])
                    for name in ("x", "y", "width", "height")
                )  # type: ignore[index]
                laid = position.copy().play(text).snapshot["mine"][len(view["mine"]) :]
                for card in laid[:1]:  # none where the mine is finished by it
                    assert (x + wide / 2 - left) / unit == pytest.approx(card["x"], abs=0.1)
                    assert (y + high / 2 - top) / unit == pytest.approx(card["y"], abs=0.1)
                    assert (wide > high) == card["r"] % 2
                    checked += 1
        position.play(position.scripted)
    assert checked > 10
