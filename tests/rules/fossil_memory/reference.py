"""Fossil Memory a second time, in plain Python on snapshots, from the rules alone: what the
compiled rules are compared with."""

from typing import Any

from tests.rules.fossil_memory.positions import PARTS, PLACES, VALUES

Snapshot = dict[str, Any]


def card_at(game: Snapshot, place: str) -> str:
    return game["grid"][PLACES.index(place)]


def legal(game: Snapshot) -> set[str]:
    """The flips that are legal: of cards not flipped in this turn (FM-3, FM-4)."""
    if game["phase"] == "over":
        return set()
    return {
        f"flip {place}"
        for place in PLACES
        if card_at(game, place) != "" and place not in game["up"]
    }


def flip(game: Snapshot, action: str) -> None:
    """Carry out a flip in place (FM-3 to FM-11)."""
    place = action.removeprefix("flip ")
    mover, players = game["to_move"], game["options"]["num_players"]
    game["shown"] = []  # FM-4: first the old cards are turned down
    game["up"].append(place)
    if game["seen"] is not None:
        game["seen"][PLACES.index(place)] = True
    if game["recent"] is not None:
        game["recent"][mover] = []
        for p in range(players):
            game["recent"][p] = [other for other in game["recent"][p] if other != place] + [place]
    cards = [card_at(game, other) for other in game["up"]]
    genera = {card[:3] for card in cards}
    if len(genera) > 1:  # FM-5
        game["shown"], game["up"] = game["up"], []
    elif len(cards) == PARTS[cards[0][:3]]:  # FM-7
        genus = cards[0][:3]
        game["museums"][mover].append(genus)
        game["scores"][mover] += VALUES[genus]
        for other in game["up"]:
            game["grid"][PLACES.index(other)] = ""
        if game["recent"] is not None:
            game["recent"] = [
                [other for other in places if other not in game["up"]] for places in game["recent"]
            ]
        game["up"] = []
    else:  # FM-6
        return
    end_turn(game)


def end_turn(game: Snapshot) -> None:
    """Begin the next turn, or end the game (FM-2, FM-8 to FM-10)."""
    cards_left = any(card != "" for card in game["grid"])
    if cards_left and game["turn"] < game["options"]["max_turns"]:
        game["to_move"] = game["turn"] % game["options"]["num_players"]
        game["turn"] += 1
        return
    game["truncated"] = cards_left
    game["phase"], game["to_move"] = "over", -1
    best = max(game["scores"])
    game["winners"] = [p for p, score in enumerate(game["scores"]) if score == best]


def view(game: Snapshot, seat: int) -> Snapshot:
    """The view of a seat (FM-11)."""
    face_up = set(game["up"]) | set(game["shown"])
    if game["options"]["recall"] == "perfect":
        face_up |= {place for place, seen in zip(PLACES, game["seen"], strict=True) if seen}
    if game["options"]["recall"] == "recent":
        face_up |= set(game["recent"][seat])
    grid = [
        card if card == "" or place in face_up else None
        for place, card in zip(PLACES, game["grid"], strict=True)
    ]
    return {key: grid if key == "grid" else value for key, value in game.items() if key != "rng"}
