"""The model game raised to version 1: what is edited, as a maintainer of a game would do it.

``raised(folder)`` writes the copy. Version 1 has another layout of the observation (``carried``
came, ``cards_left`` went), an action (``pass``), an option (``carry``), another default of an
option (``hand_size``), a rule (a bone that nobody wins goes to the next), another deal (card by
card) and a key of snapshots (``carried``).
"""

from pathlib import Path

MODEL = Path(__file__).parent / "bone_bids"
NAME = "raised_bids"

EDITS = {
    "__init__.py": {"VERSION = 0": "VERSION = 1"},
    "state.py": {
        (
            'MAX_HAND + 1), 4, "cards dealt to each player (BB-1)"),'
        ): """MAX_HAND + 1), 5, "cards dealt", former={0: 4}),
    Option("carry", (False, True), True, "a bone that nobody wins goes on", since=1, former={0: False}),""",  # noqa: E501
        '    ("hand_size", np.int8),\n': """    ("hand_size", np.int8),
    ("carry", np.int8),
    ("carried", np.int8, "points"),
""",
        'label="Bid {0}")\n': """label="Bid {0}")
A_PASS = ACTIONS.add("pass", label="Pass", since=1)
""",
    },
    "observation.py": {
        '/ 5"),\n    Field("hand_size"': '/ 5", until=1),\n    Field("hand_size"',
        '"hand_size / 5"),\n': """"hand_size / 5"),
    Field("carried", (), "points that go to the next winner / 24", since=1),
    Field("own_pass", (), "1 if the seat has passed in this round", since=1),
""",
        (
            '    """Write the observation of a seat; the record comes in zero."""\n'
        ): """    \"""Version 0.\"""
    observe_all_versions(state, seat, obs)
    obs.cards_left = state.num_cards[seat] / box.MAX_HAND


@compiled
def observe_v1(state, seat, obs):
    \"""Version 1.\"""
    observe_all_versions(state, seat, obs)
    obs.carried = state.carried / 24
    obs.own_pass = state.pending[seat] == box.PASS


@compiled
def observe_all_versions(state, seat, obs):
    \"""What both have.\"""
""",
        "    if state.pending[seat] > 0:\n": "    if 0 < state.pending[seat] < box.PASS:\n",
        "    obs.cards_left = state.num_cards[seat] / box.MAX_HAND\n    obs.hand": "    obs.hand",
    },
    "components.py": {"MAX_HAND = 5": "MAX_HAND = 5\nPASS = len(CARDS) + 1  # as a bid"},
    "rules.py": {
        """    for p in range(state.num_players):
        for _ in range(state.hand_size):
            deal(state, p)
    begin_round(state)
""": """    if state.version == 0:
        for p in range(state.num_players):
            for _ in range(state.hand_size):
                deal(state, p)
    else:
        for _ in range(state.hand_size):
            for p in range(state.num_players):
                deal(state, p)
    begin_round(state)
""",
        "            mask[s.A_BID + card] = 1\n": """            mask[s.A_BID + card] = 1
    if state.version >= 1:
        mask[s.A_PASS] = 1
""",
        "    tell(state, e.BID, seat, action - s.A_BID)\n": """    if action == s.A_PASS:
        tell(state, e.PASSES, seat)
    else:
        tell(state, e.BID, seat, action - s.A_BID)
""",
        """        card = state.pending[p] - 1
        tell(""": """        card = state.pending[p] - 1
        if card == s.A_PASS:
            card = lowest(state, p)
            tell(state, e.PASSED, p, card)
        else:
            tell(""",
        "        if card == best:\n            winner = p": (
            "            if card == best:\n                winner = p"
        ),
        "        tell(state, e.NOBODY_WON, NO_SEAT)\n": """        tell(state, e.NOBODY_WON, NO_SEAT)
        if state.carry:
            state.carried += state.worth
""",  # noqa: E501
        """        state.scores[winner] += state.worth
        tell(state, e.WON, winner, state.worth)
""": """        state.scores[winner] += state.worth + state.carried
        tell(state, e.WON, winner, state.worth + state.carried)
        state.carried = 0
""",
        """@compiled
def highest_single_bid""": '''@compiled
def lowest(state, p):
    """The lowest card of a hand, which a player who passes puts away."""
    for card in range(len(box.CARDS)):
        if state.hands[p, card] > 0:
            return card
    return NO_CARD


@compiled
def highest_single_bid''',
    },
    "events.py": {
        "REVEALED = EVENTS": """PASSES = EVENTS.add("passes", "A player passes.", "{seat} {pass|passes}.", private=True)
PASSED = EVENTS.add(
    "passed", "A player has passed.", "{seat} {have|has} passed: {card}.", [CARD],
    changes=[("cards", "seat", -1), ("out", "", 1)],
)
REVEALED = EVENTS"""  # noqa: E501
    },
    "picture.py": {
        'return (f"hand:{seat}:{words[1]}",)': (
            'return (f"hand:{seat}:{words[1]}",) if words[1:] else ()'
        )
    },
    "snapshot.py": {
        '    "pending": PerSeat(Name(box.CARDS,': """    "carried": Int(0, 24, since=1),
    "pending": PerSeat(Name((*box.CARDS, "pass"),""",
        "bid is None or bid in": (
            'bid is None or (bid == "pass" and state["version"] >= 1) or bid in'
        ),
        "<= 6 * (turn if candidate.is_over else turn - 1),": """+ state["carried"]
            <= 6 * (turn if candidate.is_over else turn - 1),""",
        "    left = 0 if": """    require(not state["carried"] or state["carry"], "carried", "is 0 without the option carry")
    left = 0 if""",  # noqa: E501
    },
}


def raised(folder: Path, name: str = NAME) -> Path:
    """Write the package of the raised game into a folder and return its own; each edit must fit at
    exactly one place."""
    package = folder / name
    package.mkdir(parents=True)
    for path in MODEL.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for old, new in EDITS.get(path.name, {}).items():
            assert text.count(old) == 1, f"{path.name}: {text.count(old)} places for {old!r}"
            text = text.replace(old, new)
        text = text.replace("tests.model.bone_bids", name)
        (package / path.name).write_text(text, encoding="utf-8")
    return package
