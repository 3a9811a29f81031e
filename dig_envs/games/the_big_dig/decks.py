"""The decks that a game can be played with (BD-8), for the checks of snapshots."""

from collections import Counter
from typing import Any

from dig_envs.engine.schema import require, require_multiset
from dig_envs.games.the_big_dig import board, data
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s

Record = Any

CARD_NAMES = (*board.STATES, *(f"request {region}" for region in board.REGIONS), "rock")


def check_deck(state: Record) -> None:
    """Raise SnapshotError unless `deck` and `drawn` together are a deck that the options allow, begun as they say."""
    drawn = [int(card) for card in state["drawn"][: state["drawn_len"]]]
    require(bool(drawn) and drawn[0] < box.REQUEST_CARD, "drawn", "begins with the initial discovery, an attribute state")
    if state["first_discovery"] == s.STARTER_FIRST:
        starter = box.STARTER_DISCOVERY
        require(drawn[0] == starter, "drawn", f"begins with the starter discovery, {board.STATES[starter]}")
    cards = drawn + [int(card) for card in state["cards"][: state["cards_len"]]]
    decks = [_deck_cards(deck) for deck in range(len(box.DECK_STATE_CARDS))]
    if state["deck"] == s.WILD_DECK:
        _check_wild(cards)
    elif state["deck"] == s.RANDOM_DECK:
        fitting = any(Counter(cards) == Counter(deck) for deck in decks)
        require(fitting, "deck", "together with `drawn` is none of the four decks")
    else:
        names, wanted = ([CARD_NAMES[card] for card in some] for some in (cards, decks[int(state["deck"]) - 1]))
        require_multiset(names, wanted, "deck", f"the cards of {s.DECK_OPTION[state['deck']]}")


def _deck_cards(deck: int) -> list[int]:
    requests = [box.REQUEST_CARD + int(region) for region in box.DECK_REQUEST_CARDS[deck]]
    return [*map(int, box.DECK_STATE_CARDS[deck]), *requests, *[box.ROCK_CARD] * data.ROCKS]


def _check_wild(cards: list[int]) -> None:
    """BD-8."""
    states = [card for card in cards if card < box.REQUEST_CARD]
    requests = [card for card in cards if box.REQUEST_CARD <= card < box.ROCK_CARD]
    attributes = {int(board.ATTRIBUTE_OF[state]) for state in states}
    different = len(states) == len(attributes) == data.DECK_STATES
    require(different, "deck", f"has {data.DECK_STATES} different attributes, with `drawn`")
    require(max(attributes) < board.PHYSICAL, "deck", "has states of physical attributes only")
    different = len(requests) == len(set(requests)) == data.DECK_REQUESTS
    require(different, "deck", f"has {data.DECK_REQUESTS} different requests, with `drawn`")
    require(len(cards) == box.DECK_SIZE, "deck", f"has {data.ROCKS} rocks, with `drawn`")
    living = (box.FAUNA[:, board.ATTRIBUTE_OF[states]] == states).all(axis=1)
    require(bool(living.any()), "deck", "no living species has all its states (BD-8)")
