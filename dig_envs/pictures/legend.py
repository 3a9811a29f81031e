"""The legend of a game's picture: each sign as the picture draws it, and what it says."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dig_envs.engine.game import Game
from dig_envs.pictures.fonts import REGULAR
from dig_envs.pictures.parts import back
from dig_envs.pictures.seats import token
from dig_envs.pictures.sheet import Sheet, broken

WIDTH = 340  # of a legend, in pixels
SAMPLE = (76.0, 30.0)  # width and height of a sign, at least
SIZE, LINE = 12.5, 17.0  # of the words
NOTHING: Mapping[str, str] = {}


class Sign(NamedTuple):
    """A sign of a picture: what it says, how it is drawn around a point, and how high it is."""

    words: str
    draw: Callable[[Sheet, float, float], Any]
    height: float = SAMPLE[1]


def letters(word: str, colour: str = "ink") -> Callable[[Sheet, float, float], Any]:
    """A function that draws a word as a sign."""
    return lambda sheet, x, y: sheet.text(x, y + 4.5, word, 13, colour, anchor="middle", bold=True)


def plate(word: str, hue: str | None, wide: float = 40) -> Callable[[Sheet, float, float], Any]:
    """A function that draws a small plate with a word on a hue."""

    def draw(sheet: Sheet, x: float, y: float) -> None:
        sheet.box(x - wide / 2, y - 9, wide, 18, hue, "line", 3)
        sheet.text(
            x,
            y + 4.3,
            word,
            11.5,
            "on_hue" if hue not in (None, "card", "surface", "page") else "ink",
            anchor="middle",
        )

    return draw


# What pictures of all games have.
PLAYERS = Sign(
    "player 1: each player has a number, a hue and a shape",
    lambda sheet, x, y: token(sheet, x, y, 0, "1"),
)
TO_MOVE = Sign("is to move; a frame around a player says so, too", letters("▶"))
HAS_WON = Sign("has won", letters("★"))
FACE_DOWN = Sign(
    "a card that lies face down", lambda sheet, x, y: back(sheet, x - 14, y - 19, (28, 38)), 46
)


def signs_of(game: Game, options: Mapping[str, Any]) -> tuple[Sign, ...]:
    """The signs of a game's picture with these options; none for a game without a legend."""
    signs = getattr(game.painter, "legend", None)
    if signs is None:
        return ()
    return (PLAYERS, TO_MOVE, HAS_WON, *signs(options))


def legend_of(
    game: Game,
    options: Mapping[str, Any],
    theme: str = "light",
    translation: Mapping[str, str] = NOTHING,
) -> Sheet | None:
    """The legend as a sheet, a line for each sign; None for a game without one.
    ``translation``: English words -> those to be written.

    Raises:
        OptionError: no such theme.
    """
    signs = signs_of(game, options)
    if not signs:
        return None
    sheet, y, left = Sheet(100, theme, WIDTH), 4.0, SAMPLE[0] + 10
    for number, sign in enumerate(signs):
        words = translation.get(sign.words, sign.words)
        lines = broken(words, SIZE, REGULAR, WIDTH - left - 4)
        high = max(sign.height, LINE * len(lines) + 6)
        with sheet.thing(f"sign:{number}", words):
            sign.draw(sheet, SAMPLE[0] / 2 + 2, y + high / 2)
            sheet.lines(
                left,
                y + high / 2 - LINE * (len(lines) - 1) / 2 + 4.5,
                words,
                WIDTH - left - 4,
                SIZE,
                leading=LINE / SIZE,
            )
        y += high
    sheet.cut(y + 4)
    return sheet
