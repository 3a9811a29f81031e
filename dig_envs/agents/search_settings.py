"""The settings of a search, and their text form."""

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from dig_envs.agents.measured import read_players
from dig_envs.agents.names import MOST_THREADS
from dig_envs.agents.zoo import first_that_plays, policy_cards, tell_instead
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Game
from dig_envs.engine.search.tree import CHANCE_PLAYS, NOBODY_PLAYS, POLICY_PLAYS, SCRIPT_PLAYS

PLAYOUTS = {
    "heuristic": SCRIPT_PLAYS,
    "random": CHANCE_PLAYS,
    "guide": POLICY_PLAYS,
    "none": NOBODY_PLAYS,
}
MOST = {
    "sims": 10**9,
    "ms": 24 * 3600 * 1000,
    "depth": 10**6,
    "considered": 10**6,
    "trees": 64,
    "weight": 1e6,
}
ALL = "all"  # threads: as many as this process may use cores
# at most, of a search whose simulations are shared among threads, however many they are …
TREES = 8
SIMULATIONS_OF_TREE = 8  # … since a tree with fewer has hardly more than its root
NO_GUIDE = "none"  # in the place of a guide that a game's search usually has
GUIDE = "the guide of a search"
OTHERS = {"search": NOBODY_PLAYS, "heuristic": SCRIPT_PLAYS, "guide": POLICY_PLAYS}


def setting(default: Any, fits: Callable[[Any], bool], words: str) -> Any:
    """A dataclass field with its default, a test of given values, and words for what is right."""
    return field(default=default, metadata={"fits": fits, "words": words})


def number(default: Any, least: float, most: float, words: str) -> Any:
    """A dataclass field for a number in a closed range; ``words`` say which kind of number."""
    return setting(
        default, lambda value: least <= value <= most, f"{words} from {least:.0f} to {most:.0f}"
    )


def word(default: str, *words: str) -> Any:
    """A dataclass field for one of some words."""
    return setting(default, lambda value: value in words, f"one of {', '.join(words)}")


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a :class:`~dig_envs.agents.search.SearchAgent`.

    ``sims``: simulations for each decision; ``ms``: instead, milliseconds (0: ``sims`` counts).
    ``playout``: ``heuristic``, ``random``, ``guide`` (actions drawn from the policy), or ``none``:
    the guide judges the position at once. ``guide``: name or folder of a policy that gives the
    priors; empty: none. ``c``: constant of exploration. ``trust``: prior of the scripted player's
    choice; 0: UCB without priors. ``depth``: turns after which a simulation is cut off; 0: never.
    ``lead``: weight of the lead in a simulation's value, the return has the rest. ``seed``: of the
    search. ``value``: who judges what is cut off, ``scores`` or ``guide``. ``root``: how the root's
    actions are chosen, ``puct`` or ``gumbel`` (sequential halving among ``considered`` of them,
    with Gumbel noise times ``noise``), and ``step``: how far from the priors what a policy learns
    of it goes. ``others``: who decides in the tree for the other seats, ``search`` (each for
    itself), ``heuristic``, the name of one of its styles, or ``guide`` (its likeliest action): a
    search for the best response to that player. ``trees``: that are searched independently and
    share the simulations, 0: one; where ``threads`` are given, up to :data:`TREES`, each with
    :data:`SIMULATIONS_OF_TREE` at least; by the clock, as many as threads. ``threads``: that search
    them, 0: the calling one. ``widening``: at a node that was visited n times, an action is new
    only if fewer than ``widening``·√n others, the likelier ones, have been tried; 0: no limit.
    ``reuse``: 1 to go on with the tree of the last decision where this one is in it, 0 to begin
    anew.
    """

    sims: int = number(1000, 1, MOST["sims"], "a whole number")
    ms: int = number(0, 1, MOST["ms"], "a whole number of milliseconds")
    playout: str = word("heuristic", *PLAYOUTS)
    # looked up when it is loaded
    guide: str = setting("", bool, "the name or the folder of a policy")
    c: float = number(1.0, 0, MOST["weight"], "a number")
    trust: float = number(0.5, 0, 1, "a number")
    depth: int = number(0, 0, MOST["depth"], "a whole number of turns, 0 for no limit,")
    lead: float = number(0.5, 0, 1, "a number")
    seed: int = setting(0, lambda value: 0 <= value < 2**64, "a whole number from 0 to 2**64 - 1")
    value: str = word("scores", "scores", "guide")
    root: str = word("puct", "puct", "gumbel")
    considered: int = number(16, 2, MOST["considered"], "a whole number of actions")
    noise: float = number(0.0, 0, MOST["weight"], "a number")
    step: float = setting(1.0, lambda value: 0 < value <= 1, "a number above 0, at most 1")
    # a style of the game, too
    others: str = setting("search", bool, "who decides for the other seats")
    threads: int = number(0, 1, MOST_THREADS, f"{ALL}, or a whole number")
    trees: int = number(0, 1, MOST["trees"], "a whole number")
    widening: float = number(0.0, 0, MOST["weight"], "a number")
    reuse: int = setting(0, lambda value: value in (0, 1), "0 or 1")

    @property
    def valued(self) -> bool:
        """Whether the guide judges positions."""
        return self.playout == "none" or self.value == "guide"

    @property
    def num_trees(self) -> int:
        """The number of trees that are searched."""
        if self.trees or not self.threads:
            return self.trees or 1
        return self.threads if self.ms else min(TREES, max(1, self.sims // SIMULATIONS_OF_TREE))

    @property
    def has_styled_opponents(self) -> bool:
        """Whether the scripted player decides for the other seats in one of its styles."""
        return self.others not in OTHERS

    @property
    def plays_and_asks(self) -> bool:
        """Whether the guide is asked in the course of simulations, not only about where they leave
        the tree."""
        return "guide" in (self.playout, self.others) or (
            self.playout != "none" and self.value == "guide"
        )


FIELDS = {field.name: field for field in fields(SearchSettings)}


def parse_settings(text: str, game: Game, seed: int | None = 0, guide: str = "") -> SearchSettings:
    """Settings from ``key=value`` texts with colons between them, such as ``sims=2000:c=0.7``;
    ``200ms`` means ``ms=200``.

    What is not given has the game's own value (``Game.search``, with a guide ``Game.guided_search``
    before it) or the general one; ``seed`` is that of the search unless it is given, None for
    entropy; ``guide``, if it is not empty, may not be given again.

    Raises:
        ValueError: an unknown setting or a bad value; the message says what would be right.
    """
    return complete_settings(given_settings(text, guide), game, seed)


def given_settings(text: str, guide: str = "") -> dict[str, Any]:
    """The settings that a text gives, and the guide; raises ValueError as
    :func:`parse_settings`."""
    given: dict[str, Any] = {"guide": guide} if guide else {}
    for words in filter(None, text.split(":")):
        key, sign, value = words.partition("=")
        if not sign and words.endswith("ms") and words[:-2].isdecimal():
            key, sign, value = "ms", "=", words[:-2]
        if not sign or key not in FIELDS:
            raise ValueError(
                f"search: no setting {shown_in_message(key)}; settings are: {', '.join(FIELDS)} "
                "(as in sims=50:c=0.7), or a time such as 200ms"
            )
        if key in given:
            raise ValueError(f"search: {key} is given twice")
        given[key] = _value(key, value)
    if "sims" in given and "ms" in given:
        raise ValueError("search: give either sims or ms")
    if "ms" in given and "trees" in given:
        raise ValueError("search: trees goes with sims; a search with ms has one tree per thread")
    return given


def _value(key: str, text: str) -> Any:
    if key == "threads" and text == ALL:
        return min(MOST_THREADS, usable_cores())
    if key == "guide" and text == NO_GUIDE:
        return ""
    kind: Any = FIELDS[key].type
    rule = FIELDS[key].metadata
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not rule["fits"](value):
        raise ValueError(f"search: {key} must be {rule['words']}, not {shown_in_message(text)}")
    return value


def complete_settings(given: Mapping[str, Any], game: Game, seed: int | None) -> SearchSettings:
    """All settings, completed by the usual ones; raises ValueError if they do not go together."""
    settings = replace(
        usual_settings(game, given), seed=secrets.randbits(64) if seed is None else seed
    )
    settings = replace(settings, **given)
    if settings.has_styled_opponents and settings.others not in game.styles:
        known = ", ".join([*OTHERS, *game.styles])
        raise ValueError(
            f"search: others must be one of {known}, not {shown_in_message(settings.others)}"
        )
    # the first simulation of a tree makes its root
    if not settings.ms and settings.trees > max(1, settings.sims // 2):
        raise ValueError(
            f"search: each of trees={settings.trees} needs 2 simulations: at least "
            f"sims={2 * settings.trees}"
        )
    if settings.reuse and settings.root == "gumbel":
        raise ValueError(
            "search: reuse=1 does not go with root=gumbel, which compares actions by equal "
            "numbers of new simulations"
        )
    if not settings.guide:
        for key, value in (
            ("playout", "none"),
            ("playout", "guide"),
            ("value", "guide"),
            ("others", "guide"),
        ):
            if getattr(settings, key) == value:
                raise ValueError(
                    f"search: {key}={value} needs a guide, which plays or judges positions: "
                    "guide=<policy>"
                )
    return settings


def usual_settings(game: Game, given: Mapping[str, Any]) -> SearchSettings:
    """The usual settings of a game, completed by what is given. Trees are reused if the search goes
    by the clock, because its choices depend on the machine anyway."""
    guide = given["guide"] if "guide" in given else usual_guide(game)
    suits = {**game.search, **({**game.guided_search, "guide": guide} if guide else {})}
    if given.get("reuse"):  # a tree that goes on has no root of that kind
        suits.pop("root", None)
    by_the_clock = bool(given.get("ms")) and given.get("root", suits.get("root")) != "gumbel"
    return replace(SearchSettings(), **{"reuse": int(by_the_clock), **suits})


def usual_guide(game: Game, num_players: int | None = None) -> str:
    """The name of the policy that guides a game's search by default; empty without one.

    It is the first of the game's guides (:func:`dig_envs.agents.measured.read_players`) that fits
    and was trained for so many players (None: for any number). If it is not the one that was
    expected, a line on stderr says so.
    """
    players = read_players(game)
    if players is None or not players.guides:
        return ""
    cards = policy_cards(game)
    trained = [
        name
        for name in players.guides
        if name in cards
        and (
            num_players is None or num_players in (cards[name].get("num_players") or [num_players])
        )
    ]
    if not trained:
        for_whom = "" if num_players is None else f" with {num_players} players"
        tell_instead(
            GUIDE,
            game,
            " or ".join(players.guides),
            f"none of these is here that plays{for_whom}",
            "none",
        )
    return first_that_plays(GUIDE, trained, cards, game, otherwise="")


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def settings_name(settings: SearchSettings, game: Game, with_guide: bool = False) -> str:
    """A name that loads the agent again: the budget and what differs from the game's own settings,
    without the seed. ``with_guide`` names the guide also where it is the usual one."""
    given = {"ms": settings.ms, "root": settings.root}
    usual = usual_settings(game, given)
    if settings.guide != usual.guide:  # then it is named, and others suit it
        usual = replace(usual_settings(game, {**given, "guide": settings.guide}), guide=usual.guide)
    parts = [f"ms={settings.ms}" if settings.ms else f"sims={settings.sims}"]
    for key in FIELDS:
        value = getattr(settings, key)
        named = value != getattr(usual, key) or (key == "guide" and with_guide)
        if key not in ("sims", "ms", "seed") and named:
            shown = (
                f"{value:g}"
                if isinstance(value, float)
                else value
                if key != "guide"
                else value or NO_GUIDE
            )
            parts.append(f"{key}={shown}")
    return ":".join(["search", *parts])
