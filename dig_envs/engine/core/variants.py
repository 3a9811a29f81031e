"""Variants: the content of a game's box from a number, so that policies can be tested on content
that they were not trained with.

A game that has them begins its ``OPTIONS`` and ``FIELDS`` with those of this module, and its
``setup`` with :func:`draw_variant`. Variant 0 is the content of the box. ``variant=17`` is always
the same other content; ``variant=1, variants=1000`` gives each game one of the variants 1 to 1000,
by its seed (as ``start_level`` and ``num_levels`` of Procgen, Cobbe et al. 2020). In the position
that set-up makes, ``variant`` is the one that was drawn, and ``variants`` is 1.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.random import GAMMA, mix
from dig_envs.engine.core.state import Fields

MOST_VARIANT = 200_000
# The convention for all games: learn on the first N of TRAIN, and test on TEST.
TRAIN = {"variant": 1, "variants": 1000}
TEST = {"variant": 100_001, "variants": 1000}

VARIANT_FIELDS: Fields = [("variant", np.int32), ("variants", np.int32)]
_DRAW, _CONTENT = np.uint64(0x5DEECE66D), np.uint64(0xD1B54A32D192ED03)


def variant_options(content: str) -> tuple[Option, Option]:
    """The options ``variant`` and ``variants`` of a game; ``content``: what differs, and the rule,
    such as "a bag (OI-1)"."""
    return (
        Option(
            "variant",
            range(MOST_VARIANT + 1),
            0,
            f"0: as in the box; other numbers: {content} made from the number",
            f"0 … {MOST_VARIANT}",
            settled=True,
        ),
        Option(
            "variants",
            range(1, MOST_VARIANT + 1),
            1,
            "each game plays one of so many variants, from `variant` on, by its seed",
            f"1 … {MOST_VARIANT}",
            settled=True,
        ),
    )


@compiled
def draw_variant(state, seed):  # type: ignore[no-untyped-def]
    """Settle which variant the game plays; return whether its content is made from the number.

    After the last variant comes the first. The same seed deals the same game of a variant, however
    it was drawn: nothing is taken from the generator that :func:`seed_generator` starts.
    """
    number = np.uint64(state.variant)
    number += mix(seed ^ _DRAW) % np.uint64(state.variants)  # type: ignore[no-untyped-call]
    if number > np.uint64(MOST_VARIANT):
        number -= np.uint64(MOST_VARIANT)
    state.variant = np.int32(number)
    state.variants = 1
    return state.variant > 0


@compiled
def begin_content(state):  # type: ignore[no-untyped-def]
    """Start the state's generator for the content of its variant; return what it was before."""
    before = state.rng
    word = np.uint64(state.variant) * GAMMA ^ _CONTENT
    state.rng = mix(word)  # type: ignore[no-untyped-call]
    return before


def as_settled(
    options: tuple[Option, ...], given: Mapping[str, Any], found: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Options with which a game was dealt, as they are in a position of it: those that set-up
    settles by the variant are the position's, if the position's variant is one of those given."""
    first, number = given.get("variant", 0), given.get("variants", 1)
    if (first, number) == (0, 1):
        return given
    ahead = found["variant"] - first
    if first > 0 and found["variant"] > 0:  # 1 comes after the last one, and 0 does not
        ahead %= MOST_VARIANT
    if not 0 <= ahead < number:
        return given
    by_number = found["variant"] > 0
    names = [option.name for option in options if option.settled]
    return {
        **given,
        **{name: found[name] for name in names if by_number or name in ("variant", "variants")},
    }
