"""The guide of a game: ``GUIDE.md`` in its folder, one page for people and models, and what of it
applies under given options.

A guide is Markdown. A paragraph or an item of a list that applies only under some options begins
with a condition, and a heading may end with one, which is then that of the whole section::

    *If `passing` is `free`:* You may pass at any time.
    *If `num_players` is 3 or 4 and `hidden_tools` is `true`:* …
    *Unless `contract` is `standard`:* …
    ## Hidden tools (if `hidden_tools` is `true`)

A page describes the newest version of the environment; `version` is that of the environment.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from dig_envs.engine.game import Game
from dig_envs.language.translations import ENGLISH

GUIDE = "GUIDE.md"
FIRST, LAST = "## Components", "## Phases"  # headings of RULES.md, of which the last is left out
VERSION = "version"  # in a condition, in the place of an option
_CONDITION = re.compile(r"(?P<item>- |\d+\. )?\*(?P<how>If|Unless) (?P<terms>`.+?):\* ")
_HEADING = re.compile(r"(?P<level>#+) (?P<title>.*?)(?: \((?P<how>if|unless) (?P<terms>`.+)\))?")
_ONE = re.compile(r"`(\w+)` is (.+)")
# how a line begins that does not go on with the one before
_STARTS = re.compile(r"#|- |\d+\. |\||$")


def guide_path(game: Game, name: str = GUIDE) -> Path:
    """The path of a game's guide, or of another page of its folder, which may not exist."""
    folder = import_module(game.package).__file__
    assert folder is not None
    return Path(folder).parent / name


@cache
def guide_page(game: Game, name: str = GUIDE) -> str:
    """The whole guide of a game as Markdown, or another page of its folder; empty for a game
    without it."""
    path = guide_path(game, name)
    return path.read_text(encoding="utf-8") if path.exists() else ""


def rules_in_short(game: Game) -> str:
    """A few sentences about a game: the first paragraph of its README."""
    return next((one for one in blocks(guide_page(game, "README.md")) if one[0] != "#"), "")


def all_rules(game: Game) -> list[str]:
    """The complete rules of a game, block by block: its ``RULES.md`` as far as it is about
    playing."""
    found = blocks(guide_page(game, "RULES.md"))
    if not {FIRST, LAST} <= set(found):
        return []
    return found[found.index(FIRST) : found.index(LAST)]


def guide_text(game: Game, options: Mapping[str, Any], language: str = ENGLISH) -> str:
    """The parts of a game's guide that apply under these options, without the conditions; empty if
    there is no guide.

    Each paragraph, item of a list or row of a table is one line.

    Args:
        options: all of the game's, with their values (``game.complete_options``).
        language: a folder of the game; the guide is English where there is none.

    Raises:
        ValueError: a condition is malformed, or names an unknown option or value.
    """
    values = tuple(said(options[option.name]) for option in game.options)
    return _guide_text(game, values, language)


@lru_cache(maxsize=256)
def _guide_text(game: Game, values: tuple[str, ...], language: str) -> str:
    return applied(
        guide_page(game, f"{language}/{GUIDE}") or guide_page(game),
        game,
        dict(zip((option.name for option in game.options), values, strict=True)),
    )


def applied(page: str, game: Game, options: Mapping[str, str]) -> str:
    """The parts of a page that apply, as :func:`guide_text`; ``options``: with their values in the
    form of :func:`said`."""
    lines: list[str] = []
    left_out = 0  # the level of the heading whose section does not apply; 0: none
    for block in blocks(page):
        heading = _HEADING.fullmatch(block)
        if heading:
            level = len(heading["level"])
            if left_out and level > left_out:
                continue
            left_out = 0 if _applies(game, heading, options) else level
            text = f"{heading['level']} {heading['title']}"
        else:
            found = _CONDITION.match(block)
            text = (found["item"] or "") + block[found.end() :] if found else block
            if found and not _applies(game, found, options):
                continue
        if not left_out:
            lines.append(text)
    return "\n".join(lines)


def blocks(page: str) -> list[str]:
    """The headings, paragraphs, items and rows of a Markdown page, each as one line."""
    found: list[str] = []
    goes_on = False
    for line in page.splitlines():
        if goes_on and not _STARTS.match(line.strip()):
            found[-1] += f" {line.strip()}"
        elif line.strip():
            found.append(line.strip())
        goes_on = bool(line.strip()) and not line.startswith(("#", "|"))
    return found


def _applies(game: Game, found: re.Match[str], options: Mapping[str, str]) -> bool:
    """Whether a condition is met; a heading without a condition always applies."""
    if not found["how"]:
        return True
    fulfilled = all(_is(game, term, options) for term in re.split(r" and (?=`)", found["terms"]))
    return fulfilled == (found["how"].lower() == "if")


def _is(game: Game, term: str, options: Mapping[str, str]) -> bool:
    match = _ONE.fullmatch(term)
    if match is None:
        raise ValueError(
            f"the guide of {game.name}: {term!r} is not a condition such as '`option` is `value`'"
        )
    name, wanted = match[1], {value.strip("`") for value in re.split(r", | or ", match[2])}
    if name == VERSION:
        return str(game.version) in wanted
    # a page describes the newest version: older ones play with the default of a later option
    known = {option.name: option for option in (*game.options, *game.fixed_options)}
    if name not in known or not all(_is_value(known[name].values, one) for one in wanted):
        raise ValueError(f"the guide of {game.name}: there is no option and value {term!r}")
    return options.get(name, said(known[name].default)) in wanted


def _is_value(values: Sequence[Any], text: str) -> bool:
    """Whether one of these values is said so; a range may be long."""
    if isinstance(values, range):
        return text.isdecimal() and str(int(text)) == text and int(text) in values
    return text in map(said, values)


def said(value: Any) -> str:
    """The value of an option in the form of guides and prompts."""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
