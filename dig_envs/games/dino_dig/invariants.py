"""The invariants of snapshots of Dino Dig, which hold between the keys.

No array can be outgrown: every stack, museum and backpack holds cards of which there is one each
(the codecs see to that), and the handlers of a chain are different pieces.
"""

from itertools import pairwise
from typing import Any

from dig_envs.engine.snapshots.codecs import require, require_multiset
from dig_envs.engine.snapshots.snapshot import Candidate, check_winners
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s

SET_UP = ("lay", "base", "contract")


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    _check_site(candidate)
    _check_cards(candidate)
    _check_knowledge(candidate)
    if candidate.phase in SET_UP:
        _check_set_up(candidate)
    else:
        _check_player_and_turn(candidate)
    _check_bases(candidate)
    _check_suits(candidate)
    _check_pieces(candidate)
    _check_chain(candidate)
    _check_end(candidate)


# ---------------------------------------------------------------- site and cards


def _check_site(candidate: Candidate) -> None:
    squares = int(candidate.state["squares"])
    if candidate.state["new_horizons"]:
        require(
            squares & box.CENTRE_SITE == box.CENTRE_SITE,
            "site",
            "has the nine squares from 3,3 to 5,5 (DD-5)",
        )
        require(bool(candidate.facts["whole"]), "site", "must hang together (DD-5)")
    else:
        require(squares == box.STANDARD_SITE, "site", "has the squares 1,1 to 4,5 (DD-1)")


def all_cards(snapshot: Any) -> list[tuple[str, Any]]:
    """Every card that is an object, with its key."""
    found = [
        (f"site.{text}.{i}", card)
        for text, stack in snapshot["site"].items()
        for i, card in enumerate(stack)
    ]
    for key in ("backpacks", "museums"):
        found += [
            (f"{key}.{p}.{i}", card)
            for p, some in enumerate(snapshot[key])
            for i, card in enumerate(some)
            if card
        ]
    return found + ([("hand", snapshot["hand"])] if snapshot["hand"] else [])


def cards_in_play(candidate: Candidate) -> tuple[str, ...]:
    """All cards of the game (DD-1)."""
    return box.CARDS if candidate.state["jokers"] else box.CARDS[: box.FIRST_JOKER - 1]


def _check_cards(candidate: Candidate) -> None:
    snapshot = candidate.snapshot
    deck = cards_in_play(candidate)
    found = [*snapshot["supply"], *(card["card"] for _, card in all_cards(snapshot))]
    require_multiset(found, deck, "site", "the cards of site, supply, backpacks, museums and hand")
    require(
        bool(snapshot["supply"]) == (candidate.phase == "lay"),
        "supply",
        "is empty exactly outside `lay`",
    )


def _check_knowledge(candidate: Candidate) -> None:
    """Owners know their cards, everybody what lies face up, and at the end all that is not on the
    site."""
    snapshot, everybody = candidate.snapshot, [*candidate.seats]
    for key, card in all_cards(snapshot):
        kind, *where = key.split(".")
        if kind == "site":
            require(
                not card["up"] or card["known"] == everybody,
                f"{key}.known",
                "a card that lies face up is known to all (DD-20)",
            )
        elif candidate.is_over:
            require(
                card["known"] == everybody,
                f"{key}.known",
                "is known to all when the game is over (DD-23)",
            )
        else:
            owner = int(where[0]) if where else snapshot["player"]
            require(
                owner in card["known"],
                f"{key}.known",
                f"seat {owner}, who has the card, knows it (DD-20)",
            )


# ---------------------------------------------------------------- set-up


def _check_set_up(candidate: Candidate) -> None:
    """Nothing has been dug or moved yet, and who chooses next follows from what has been chosen."""
    snapshot = candidate.snapshot
    require(snapshot["turn"] == 0, "turn", "is 0 before the first turn")
    for p in candidate.seats:
        require(
            snapshot["pieces"][p] == ["home"] * box.PIECES,
            f"pieces.{p}",
            "are all at home before the first turn",
        )
        require(
            snapshot["backpacks"][p] == [None] * box.PIECES,
            f"backpacks.{p}",
            "are empty before the first turn",
        )
        require(snapshot["museums"][p] == [], f"museums.{p}", "is empty before the first turn")
    for key, card in all_cards(snapshot):
        require(card.get("known") == [], f"{key}.known", "is empty before the first turn")
    require(
        candidate.phase != "lay" or bool(candidate.state["new_horizons"]),
        "phase",
        "cards are laid with New Horizons only (DD-5)",
    )
    _check_stacks(candidate)
    order = _order_of_choice(candidate)
    require(snapshot["player"] == order[0], "player", f"must be {order[0]}, who is next")
    require(snapshot["player"] == snapshot["to_move"], "to_move", "is the player who chooses")


def _check_stacks(candidate: Candidate) -> None:
    state = candidate.state
    for square in range(1, box.NUM_SQUARES + 1):
        height, key = int(state["height"][square]), f"site.{box.PLACES[square]}"
        if not state["new_horizons"]:
            size = int(box.STACKS[int(state["jokers"]), square])
            require(height == size, key, f"has {size} cards before the first turn")
        elif int(state["squares"]) >> square & 1:
            least = box.CENTRE_CARDS if box.CENTRE_SITE >> square & 1 else 1
            require(height >= least, key, f"has at least {least} cards before the first turn")


def _order_of_choice(candidate: Candidate) -> list[int]:
    """The seats that still have to choose, in order. Refuses a snapshot in which one of them has
    chosen."""
    snapshot, n = candidate.snapshot, len(candidate.seats)
    laid = box.MAX_SUPPLY - (0 if candidate.state["jokers"] else 2)
    if candidate.phase == "lay":
        order = [(laid - len(snapshot["supply"])) % n]
        chosen: list[Any] = []
    elif candidate.phase == "base":
        first, step = ((laid - 1) % n, -1) if candidate.state["new_horizons"] else (0, 1)
        order, chosen = [(first + step * k) % n for k in range(n)], snapshot["bases"]
    else:
        order, chosen = [*candidate.seats], snapshot["suits"]
    key = "bases" if candidate.phase == "base" else "suits"
    while len(order) > 1 and chosen[order[0]] is not None:
        order.pop(0)
    for p in order if chosen else ():
        require(chosen[p] is None, f"{key}.{p}", "the seat has not chosen yet")
    return order


def _check_player_and_turn(candidate: Candidate) -> None:
    snapshot, n = candidate.snapshot, len(candidate.seats)
    turn = snapshot["turn"]
    require(turn >= 1, "turn", "is at least 1 after the set-up")
    player = (turn - 1) % n
    require(snapshot["player"] == player, "player", f"must be {player} in turn {turn}")
    require(
        candidate.is_over or snapshot["to_move"] == player,
        "to_move",
        f"must be {player}, the player whose turn it is",
    )


def _check_bases(candidate: Candidate) -> None:
    bases, allowed = candidate.snapshot["bases"], int(candidate.facts["allowed_bases"])
    for p, base in enumerate(bases):
        if candidate.phase == "lay":
            require(base is None, f"bases.{p}", "is null until all cards are laid")
        elif candidate.phase != "base":
            require(base is not None, f"bases.{p}", "has been chosen by now")
        if base is not None:
            require(
                bool(allowed >> box.PLACES.index(base) & 1),
                f"bases.{p}",
                f"{base} cannot be a base square (DD-3 to DD-5)",
            )
            require(base not in bases[:p], f"bases.{p}", f"{base} is another's base square")
    left = sum(base is None for base in bases)
    if candidate.phase == "base":
        free = allowed.bit_count() - (len(bases) - left)
        require(free > 1, "phase", "there is one base left, which nobody is asked about (DD-8)")


def _check_suits(candidate: Candidate) -> None:
    suits, contract = candidate.snapshot["suits"], int(candidate.state["contract"])
    if candidate.phase == "contract":
        require(contract != s.FREE_FOR_ALL, "phase", "there are no contracts with `free_for_all`")
        last_of_all = (
            contract == s.STANDARD and len(suits) != 3 and sum(suit is None for suit in suits) == 1
        )
        require(
            not last_of_all, "phase", "there is one suit left, which nobody is asked about (DD-8)"
        )
    for p, suit in enumerate(suits):
        if contract == s.FREE_FOR_ALL or candidate.phase in ("lay", "base"):
            require(
                suit is None,
                f"suits.{p}",
                "there are no contracts with `free_for_all`, nor before all have bases",
            )
        elif candidate.phase != "contract":
            require(suit is not None, f"suits.{p}", "has been chosen by now")
        if suit is not None and contract == s.STANDARD:
            require(suit not in suits[:p], f"suits.{p}", f"{suit} is another's suit")
            require(
                len(suits) > 2 or suit in "HD", f"suits.{p}", "is H or D with two players (DD-6)"
            )


# ---------------------------------------------------------------- turns


def _check_pieces(candidate: Candidate) -> None:
    snapshot = candidate.snapshot
    for p, pieces in enumerate(snapshot["pieces"]):
        for k, place in enumerate(pieces):
            require(
                place == "home" or place in snapshot["site"],
                f"pieces.{p}.{k}",
                f"{place} is not a square of the site",
            )
    if candidate.phase not in ("act", "card"):
        require(
            snapshot["acted"] == [False] * box.PIECES,
            "acted",
            "is all false in set-up and when the game is over",
        )
    if candidate.phase == "act":
        require(
            not all(snapshot["acted"]), "acted", "is not all true: the turn would have ended (DD-9)"
        )


def _check_chain(candidate: Candidate) -> None:
    snapshot, state = candidate.snapshot, candidate.state
    in_hand, chain = candidate.phase == "card", snapshot["chain"]
    require((snapshot["hand"] is not None) == in_hand, "hand", "is null exactly outside `card`")
    require(bool(chain) == in_hand, "chain", "is empty exactly outside `card`")
    require(not snapshot["stowed"] or in_hand, "stowed", "is false outside `card`")
    if not in_hand:
        return
    player = snapshot["player"]
    require(len(set(chain)) == len(chain), "chain", "no piece is handler twice (DD-18)")
    require(snapshot["acted"][chain[0] - 1], "chain", "the first piece of it has acted")
    places = [int(state["pieces"][player, k - 1]) for k in chain]
    near = all(_are_close(a, b, int(state["bases"][player])) for a, b in pairwise(places))
    require(
        near,
        "chain",
        "each piece is on the same space as the one before or on an adjacent one (DD-18)",
    )
    dug = len(chain) == 1 and not snapshot["stowed"]
    require(
        not dug or places[0] != box.HOME, "stowed", "is true: a piece at home has not dug the card"
    )


def _are_close(a: int, b: int, base: int) -> bool:
    if box.HOME in (a, b):
        return a == b or a + b == base
    return a == b or bool(box.BESIDE[a] >> b & 1)


# ---------------------------------------------------------------- the end


def _check_end(candidate: Candidate) -> None:
    snapshot, facts = candidate.snapshot, candidate.facts
    if not candidate.is_over:
        for p in candidate.seats:
            require(
                not facts["is_home"][p],
                f"pieces.{p}",
                "all at home with five cards in the museum: the game is over (DD-21)",
            )
        return
    if not snapshot["truncated"]:
        home = bool(facts["is_home"][snapshot["player"]])
        require(
            home,
            "truncated",
            "is true: the last player is not at home with five cards (DD-21, DD-31)",
        )
    require(
        not facts["giver"],
        "backpacks",
        "a card of them would have gone to another's museum (DD-22)",
    )
    runs = [16 * len(run["cards"]) + run["high"] for run in snapshot["runs"]]
    check_winners(candidate, [p for p, run in enumerate(runs) if run == max(runs)])  # DD-30
