"""The board of The Big Dig: attributes, states, spaces, regions and which spaces are compatible
(BD-1, BD-2).

An attribute is numbered from 1 in texts and from 0 in arrays. A state is written ``25-3``, a space
``25-3-A`` (assertion) or ``25-3-N`` (negation). *State order* is the order of ``STATES``; space
``2 * state`` is its assertion, ``2 * state + 1`` its negation, so that ``SPACES`` is in *space
order*.
"""

import numpy as np

from dig_envs.engine.compiler.jit import compiled

# House: all numbers but those of 2, 3, 18 and 25, and most states (see the README).
BOARD = (
    ("Front Teeth", ("pegs", "nippers", "chisels")),
    ("Canines", ("none", "small", "large")),
    ("Back Teeth", ("cones", "blades", "molars")),
    ("Nasal Cavity", ("small", "medium", "large")),
    ("Eye Position", ("front", "side", "top")),
    ("Snout Shape", ("short", "broad", "narrow")),
    ("Proximal Forelimb", ("slender", "stout")),
    ("Distal Forelimb", ("short", "medium", "long")),
    ("Manus", ("blunt", "sharp", "grasping", "paddle")),
    ("Hip Socket Angle", ("outward", "slanted", "downward")),
    ("Hip Bone Head", ("ball", "roller")),
    ("Proximal Hindlimb", ("slender", "stout")),
    ("Distal Hindlimb", ("short", "medium", "long")),
    ("Pes", ("blunt", "sharp", "grasping", "paddle")),
    ("Grazing", ("yes", "no")),
    ("Browsing", ("yes", "no")),
    ("Scavenging", ("yes", "no")),
    ("Predation", ("yes", "no")),
    ("Vision", ("poor", "fair", "keen")),
    ("Sense of Smell", ("poor", "fair", "keen")),
    ("Hindlimb Stance", ("sprawling", "crouched", "upright")),
    ("Hindlimb Power", ("weak", "medium", "strong")),
    ("Swimming", ("yes", "no")),
    ("Climbing", ("yes", "no")),
    ("Ground Movement", ("slow", "versatile", "fast")),
    ("Manus Posture", ("flat", "toes", "tips")),
    ("Pes Posture", ("flat", "toes", "tips")),
)
ATTRIBUTE_NAMES = tuple(name for name, _ in BOARD)
NUM_ATTRIBUTES = len(BOARD)
PHYSICAL = 14  # the attributes at the top of the board, on which discoveries are made, come first
STATES_OF = np.array([len(states) for _, states in BOARD], np.int8)  # per attribute
MOST_STATES = int(STATES_OF.max())
# of each attribute; the last entry is NUM_STATES
FIRST_STATE = np.concatenate([[0], np.cumsum(STATES_OF)]).astype(np.int16)
NUM_STATES = int(FIRST_STATE[-1])
ATTRIBUTE_OF = np.repeat(np.arange(NUM_ATTRIBUTES, dtype=np.int8), STATES_OF)  # per state

STATES = tuple(f"{a + 1}-{s + 1}" for a in range(NUM_ATTRIBUTES) for s in range(STATES_OF[a]))
STATE_NAMES = tuple(f"{attribute}: {state}" for attribute, states in BOARD for state in states)
SPACES = tuple(f"{state}-{sign}" for state in STATES for sign in "AN")
SPACE_NAMES = tuple(
    name.replace(": ", f": {sign}") for name in STATE_NAMES for sign in ("", "not ")
)
NUM_SPACES = len(SPACES)
DENIED = (  # per attribute, how one says that a state is not so; of a verb what it does
    *("no front {}", "no {} canines", "no back {}", "no {} nose", "no eyes at {}", "no {} snout"),
    *("no {} arms", "no {} forearms", "no {} hands", "no {} hips", "no {} hip joints"),
    *("no {} thighs", "no {} shins", "no {} feet", "eat grass", "eat leaves", "eat carrion"),
    *("hunt", "no {} sight", "no {} smell", "no {} stance", "no {} legs", "swim", "climb"),
    *("no {} gait", "no hands on {}", "no feet on {}"),
)


def _said(attribute: int, state: str, denied: bool) -> str:
    """A space as one says it: ``large canines``, ``no short shins``, ``eats no grass``."""
    words = DENIED[attribute]
    if state in ("yes", "no"):
        verb, _, what = words.partition(" ")
        if denied and state == "no":
            return f"does {words}"
        if denied:
            return f"{verb}s no {what}" if what else f"does not {verb}"
        return f"{'never ' * (state == 'no')}{verb}s {what}".rstrip()
    if state == "none":
        return "some canines" if denied else "no canines"
    words = words.format("soles" if state == "flat" else state)
    return words if denied else words.removeprefix("no ")


# spaces and states as one says them
SPACES_SAID = tuple(
    _said(a, state, denied)
    for a, (_, states) in enumerate(BOARD)
    for state in states
    for denied in (False, True)
)
STATES_SAID = SPACES_SAID[::2]

REGIONS = ("skull", "forelimb", "hindlimb", "diet", "senses", "movement")  # [added]
NUM_REGIONS = len(REGIONS)
REGION_OF = np.repeat(np.arange(NUM_REGIONS, dtype=np.int8), [6, 3, 5, 4, 2, 7])  # per attribute


@compiled
def assertion(state: int) -> int:
    """The space "has the state"."""
    return 2 * state


@compiled
def negation(state: int) -> int:
    """The space "does not have the state"."""
    return 2 * state + 1


@compiled
def state_of(space: int) -> int:
    return space // 2


@compiled
def is_negation(space: int) -> bool:
    """Whether a space says that the specimen does not have the state."""
    return space % 2 == 1


@compiled
def attribute_of(space: int) -> int:
    return int(ATTRIBUTE_OF[space // 2])


@compiled
def first_space(attribute: int) -> int:
    """The first space of an attribute; the spaces of an attribute follow one another."""
    return 2 * int(FIRST_STATE[attribute])


@compiled
def end_space(attribute: int) -> int:
    """The space after the last one of an attribute."""
    return 2 * int(FIRST_STATE[attribute + 1])


@compiled
def compatible(space: int, other: int) -> bool:
    """BD-2: whether both can be true of the specimen."""
    if space == other or attribute_of(space) != attribute_of(other):
        return True
    if is_negation(space) and is_negation(other):
        return True
    if is_negation(space) != is_negation(other):
        return state_of(space) != state_of(other)
    return False
