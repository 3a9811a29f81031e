"""The legend of each game's picture: each sign as the picture draws it, and what it says."""

from xml.etree import ElementTree

import pytest

from dig_envs.pictures.fonts import width_of
from dig_envs.pictures.legend import legend_of, signs_of
from dig_envs.pictures.sheet import Sheet
from dig_envs.registry import load_game
from tests.games import SHIPPED

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", SHIPPED)
def test_each_sign_is_drawn_and_explained(name, theme):
    """Something is drawn for each, in its place; its words are not cut off, and no two signs say
    the same."""
    game = load_game(name)
    options = game.complete_options({})
    signs, sheet = signs_of(game, options), legend_of(game, options, theme)
    assert sheet is not None
    assert len(signs) >= 8
    assert len({sign.words for sign in signs}) == len(signs) == len(sheet.things)
    for group, sign in zip(
        ElementTree.fromstring(sheet.svg(fonts=False)).iter(f"{SVG}g"), signs, strict=True
    ):
        texts = [text for text in group.iter(f"{SVG}text") if float(text.attrib["x"]) >= 80]
        assert " ".join(text.text or "" for text in texts) == sign.words
        drawn = [
            shape
            for shape in group.iter()
            if shape.tag in (f"{SVG}rect", f"{SVG}circle", f"{SVG}path", f"{SVG}text")
        ]
        assert len(drawn) > len(texts), "no sign"
        for text in group.iter(f"{SVG}text"):
            end = float(text.attrib["x"]) + width_of(
                text.text or "", float(text.attrib["font-size"]), text.attrib["font-family"]
            )
            assert end <= sheet.width
            assert end <= 86 or text in texts, "the sign is wider than its place"


@pytest.mark.parametrize("name", SHIPPED)
def test_a_sign_is_no_thing_of_a_picture(name):
    """The functions that draw signs name no things: a legend has its own."""
    game = load_game(name)
    for sign in signs_of(game, game.complete_options({})):
        sheet = Sheet(100)
        sign.draw(sheet, 50, 50)
        assert sheet.things == {}, "a sign is not a thing of a picture"


def test_a_legend_depends_on_the_options():
    """Without research there are no trace fossils, without jokers no joker."""
    for name, option, word in (
        ("fossil_canyon_v0", "research", "trace fossil"),
        ("dino_dig_v0", "jokers", "joker"),
    ):
        game = load_game(name)
        for value in (True, False):
            said = [sign.words for sign in signs_of(game, game.complete_options({option: value}))]
            assert any(word in words for words in said) == value


def test_a_game_without_a_legend_has_none():
    game = load_game("bone_bids_v0")
    assert legend_of(game, game.complete_options({})) is None
