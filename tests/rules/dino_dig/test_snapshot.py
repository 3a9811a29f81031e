"""Snapshots: every invariant refuses what breaks it, naming the key; what is accepted is restored
exactly."""

import copy

import pytest

from dig_envs import SnapshotError
from tests.rules.dino_dig.positions import GAME, base, card, changed, deal, lying
from tests.worked_examples import get_path, set_path

HELD = base("field").play("P1 dig").snapshot
CHAINED = base("field").play("P2 dig", "pass P1").snapshot
OVER = base("final").play("P1 move home").snapshot
CUT_OFF = base("final", {"options.max_turns": 41}).play("end turn").snapshot
CONTRACTS = base("start").play("base 1,3").snapshot
BASES_OF_FOUR = deal(1, num_players=4).play("base 1,1").snapshot
SUITS_OF_FOUR = deal(1, num_players=4).play("base 1,1", "base 1,5", "base 4,1", "suit C").snapshot
FREE = base("start", {"options.contract": "free_for_all"}).play("base 1,3").snapshot
LAID = base("horizon").play("lay 2,3").snapshot
NEW_BASES = base("horizon").play(*["lay 4,4"] * 36).snapshot
FIELD, FINAL, START = (base(name).snapshot for name in ("field", "final", "start"))


def moved(snapshot, source, target, index=-1):
    """A copy with a card of one stack or museum at the end of another."""
    twin = copy.deepcopy(snapshot)
    taken = get_path(twin, source).pop(index)
    get_path(twin, target).append(taken)
    return twin


def five_at_home(snapshot, codes):
    """A copy in which these cards, the tops of their stacks in turn, are in the museum of seat
    1."""
    twin = copy.deepcopy(snapshot)
    for text in codes:
        twin["museums"][1].append(card(twin["site"][text].pop()["card"], 1))
    return twin


def with_(snapshot, **changes):
    """A copy with changes; ``__`` stands for the dots of a path, ``_c_`` for the comma of a
    square."""
    twin = copy.deepcopy(snapshot)
    for path, value in changes.items():
        set_path(twin, path.replace("__", ".").replace("_c_", ","), value)
    return twin


def without(snapshot, text):
    """A copy without a square of the site."""
    twin = copy.deepcopy(snapshot)
    twin["site"]["3,3"] += twin["site"].pop(text)
    return twin


FIVE = five_at_home(HELD, ["1,1", "1,1", "1,4", "1,5", "1,5"])

REFUSED = {
    # cards
    "a card twice": ("site.1,4.0.card", with_(FIELD, **{"site__1,4__0__card": "6H"})),
    "a card that is missing": ("site", with_(FIELD, **{"site__1,4": []})),
    "no such card": ("site.1,4.0.card", with_(FIELD, **{"site__1,4__0__card": "1H"})),
    "an unknown key of a card": ("hand", with_(HELD, hand={**HELD["hand"], "up": False})),
    "a seat that there is not knows": (
        "museums.0.0.known",
        with_(FIELD, museums__0__0__known=[0, 2]),
    ),
    "knowers out of order": ("site.2,3.2.known", with_(FIELD, **{"site__2,3__2__known": [1, 0]})),
    "an owner who does not know": ("backpacks.0.1.known", with_(FIELD, backpacks__0__1__known=[])),
    "a player who does not know the card in hand": ("hand.known", with_(HELD, hand__known=[1])),
    "a museum unknown to its owner": ("museums.0.0.known", with_(FIELD, museums__0__0__known=[1])),
    "face up and not known": ("site.2,3.2.known", with_(FIELD, **{"site__2,3__2__known": [0]})),
    "a supply outside lay": (
        "supply",
        with_(START, supply=["2H"], **{"site__1,1": START["site"]["1,1"][1:]}),
    ),
    # the site
    "a square too many": ("site", with_(FIELD, site={**FIELD["site"], "5,1": []})),
    "a square too few": ("site", without(FIELD, "4,5")),
    "no such square": ("site", with_(FIELD, site={**FIELD["site"], "8,1": []})),
    "a hole in the centre": ("site", without(LAID, "5,5")),
    "a square apart": (
        "site",
        moved(with_(LAID, site={**LAID["site"], "7,7": []}), "site.4,4", "site.7,7"),
    ),
    # set-up
    "turn 1 in set-up": ("turn", with_(START, turn=1)),
    "a piece that is out already": ("pieces.0", with_(START, pieces__0=["1,3", "home", "home"])),
    "a card in a backpack already": (
        "backpacks.0",
        with_(moved(START, "site.1,1", "museums.0"), museums__0=[], backpacks__0__0=card("3H", 0)),
    ),
    "a museum already": (
        "museums.1",
        with_(moved(START, "site.1,1", "museums.1"), museums__1=[card("3H", 1)]),
    ),
    "known already": ("site.1,1.0.known", with_(START, **{"site__1,1__0__known": [0]})),
    "other stacks than dealt": ("site.1,1", moved(START, "site.1,1", "site.1,2")),
    "laying on the standard site": (
        "phase",
        with_(
            moved(START, "site.1,1", "site.1,2"),
            phase="lay",
            supply=["5D"],
            **{"site__2,2": START["site"]["2,2"][:3]},
        ),
    ),
    "the wrong one lays": ("player", with_(LAID, player=0, to_move=0)),
    "too few on a square of the centre": ("site.3,3", moved(LAID, "site.3,3", "site.3,4")),
    "another than the player is to move": ("to_move", with_(START, to_move=1)),
    "the last to lay chooses first": ("player", with_(NEW_BASES, player=0, to_move=0)),
    "one has chosen out of turn": ("bases.2", with_(BASES_OF_FOUR, bases__2="4,1")),
    "a base that is asked though it is the last": (
        "phase",
        with_(START, bases__0="1,3", player=1, to_move=1),
    ),
    "a base before all is laid": ("bases.0", with_(LAID, bases__0="2,3")),
    "a base in the middle": ("bases.0", with_(FIELD, bases__0="2,3")),
    "another's base": ("bases.1", with_(FIELD, bases__1="1,3")),
    "a base for three players": ("bases.0", with_(FIELD, bases__0="1,1")),
    "a base without room": ("bases.1", with_(NEW_BASES, bases__1="4,4", player=0, to_move=0)),
    "no base in a turn": ("bases.0", with_(FIELD, bases__0=None, pieces__0=["home"] * 3)),
    "suits before bases": ("suits.0", with_(START, suits__0="H")),
    "no suit in a turn": ("suits.1", with_(FIELD, suits__1=None)),
    "a suit with free_for_all": ("suits.0", with_(FREE, suits__0="H")),
    "contracts with free_for_all": ("phase", with_(CONTRACTS, options__contract="free_for_all")),
    "the same suit": ("suits.1", with_(FIELD, suits__1="H")),
    "spades with two players": ("suits.0", with_(FIELD, suits__0="S")),
    "the last suit asked": ("phase", with_(CONTRACTS, suits__0="H", player=1, to_move=1)),
    "a suit chosen out of turn": ("suits.2", with_(SUITS_OF_FOUR, suits__2="H")),
    "the wrong one chooses a suit": ("player", with_(SUITS_OF_FOUR, player=2, to_move=2)),
    # turns
    "turn 0": ("turn", with_(FIELD, turn=0)),
    "the player of another turn": ("player", with_(FIELD, turn=6)),
    "another to move": ("to_move", with_(FIELD, to_move=1)),
    "a piece outside of the site": ("pieces.0.1", with_(FIELD, pieces__0__1="5,3")),
    "all have acted": ("acted", with_(FIELD, acted=[True] * 3)),
    "acted at the end": ("acted", with_(OVER, acted=[True, False, False])),
    # the card in hand
    "a hand outside card": (
        "hand",
        with_(
            moved(FIELD, "site.1,4", "museums.0"),
            museums__0=FIELD["museums"][0],
            hand=card("8H", 0),
        ),
    ),
    "no hand in card": (
        "hand",
        with_(HELD, hand=None, museums__0=[*HELD["museums"][0], card("6H", 0)]),
    ),
    "a chain outside card": ("chain", with_(FIELD, chain=[1])),
    "no chain in card": ("chain", with_(HELD, chain=[])),
    "handler twice": ("chain", with_(CHAINED, chain=[2, 1, 2])),
    "one who has not acted began": ("chain", with_(HELD, chain=[2])),
    "a chain over a distance": ("chain", with_(CHAINED, chain=[2, 3])),
    "stowed outside card": ("stowed", with_(FIELD, stowed=True)),
    "dug at home": ("stowed", with_(HELD, pieces__0__0="home")),
    # the end
    "it should have ended": ("pieces.0", with_(FINAL, pieces__0=["home"] * 3)),
    "it should have ended in card": ("pieces.1", with_(FIVE, pieces__1=["home"] * 3)),
    "not at home": ("truncated", with_(OVER, pieces__0=["1,3", "home", "home"])),
    "truncated before the limit": ("turn", with_(OVER, truncated=True)),
    "not truncated at the limit": ("truncated", with_(CUT_OFF, truncated=False)),
    "secrets at the end": ("museums.0.0.known", with_(OVER, museums__0__0__known=[0])),
    "other scores": ("scores", with_(OVER, scores=[4, 2])),
    "a card that goes over": (
        "backpacks",
        with_(
            moved(OVER, "site.2,1", "site.2,2", 0),
            backpacks__1__0=card("QH", 0, 1),
            **{"site__2,2": [*OVER["site"]["2,2"], lying("KH")]},
        ),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_impossible_positions_are_refused_by_key(what):
    key, snapshot = REFUSED[what]
    with pytest.raises(SnapshotError) as refused:
        GAME.from_snapshot(snapshot)
    assert str(refused.value).startswith(f"snapshot key '{key}"), what


def test_positions_that_no_deal_begins_with_are_accepted():
    """All cards on one square; a joker known to one only; all cards of a stack face up."""
    snapshot = changed("final", {})
    rest = [entry for stack in snapshot["site"].values() for entry in stack]
    snapshot["site"] = {text: rest if text == "4,5" else [] for text in snapshot["site"]}
    for entry in rest:
        entry.update(up=True, known=[0, 1])
    assert GAME.to_snapshot(GAME.from_snapshot(snapshot)[0])["site"] == snapshot["site"]
