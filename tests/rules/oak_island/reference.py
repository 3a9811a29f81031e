"""The Treasure of Oak Island a second time, in plain Python on snapshots, from the rules alone, to
compare the compiled rules with.

Where the bag is shuffled (OI-12) the new order is taken from outside, after a look at what is in
it.
"""

import copy
from typing import Any

Snapshot = dict[str, Any]

CHARACTERS = ["Billy", "Marty", "Rick", "Gary", "Alex", "Jack", "Terry", "Charles"]
TEAM = ["Marty", "Rick", "Alex", "Jack"]
# location: rows of (how many, of whom), cost, cubes, the number after the +
TABLE = {
    "lots": ([(1, ["Billy", *TEAM, "Gary"])], 0, 1, 0),
    "swamp": ([(1, ["Billy"]), (2, [*TEAM, "Gary"])], 100, 1, 1),
    "bore_hole": ([(1, ["Terry", "Charles"]), (1, TEAM)], 200, 2, 2),
    "caisson": ([(1, ["Billy"]), (1, ["Terry", "Charles"]), (2, TEAM)], 400, 4, 4),
    "interpretive_centre": ([(1, ["Alex", "Jack", "Charles"])], 0, 0, 0),
}
DIGS = [name for name in TABLE if name != "interpretive_centre"]


def there(game: Snapshot, location: str) -> list[str]:
    return [name for name in CHARACTERS if game["where"][name] == location]


def missing(game: Snapshot, location: str) -> list[int]:
    """Per row, how many it lacks."""
    here = there(game, location)
    return [
        max(0, need - len([name for name in row if name in here]))
        for need, row in TABLE[location][0]
    ]


def is_active(game: Snapshot, location: str) -> bool:
    """Whether all rows of a location are filled (OI-7)."""
    return not any(missing(game, location))


def legal(game: Snapshot) -> set[str]:
    """The texts of the legal actions (OI-4, OI-8 to OI-10, OI-13 to OI-16, OI-19)."""
    p = game["to_move"]
    if game["phase"] == "over":
        return set()
    if game["phase"] == "war":
        return {
            f"move {name} {location}"
            for name in CHARACTERS
            for location in TABLE
            if game["where"][name] == "compass"
            or (game["money"][p] >= 100 and game["where"][name] != location)
        }
    if game["phase"] == "extra":
        location, pulled = game["dig"]["place"], extra_pulled(game)
        return {f"dig {location} +{pulled}", f"dig {location} +{pulled + 1}"}
    actions = set()
    for location in DIGS:
        _, cost, _, most = TABLE[location]
        kept_away = game["laird"] == p and location in ("lots", "swamp")
        if is_active(game, location) and game["money"][p] >= cost and not kept_away:
            one_by_one = game["options"]["extra"] == "after"
            most = 0 if one_by_one else min(most, game["clues"][p])
            actions |= {f"dig {location} +{extra}" for extra in range(most + 1)}
    if is_active(game, "interpretive_centre"):
        for clues in range(game["ifso"][p] + 1):
            for cash in range(game["ifso"][p] + 1 - clues):
                if clues + cash >= 1:
                    actions.add(f"trade {clues} clues {cash} cash")
        if game["dazzlers"][p]:
            actions.add("convert dazzler")
        if game["laird"] == p:
            actions.add("visit")
    return actions or {"skip"}


def extra_pulled(game: Snapshot) -> int:
    """Of a dig that goes on, how many extra cubes it has pulled (OI-19)."""
    return sum(game["dig"]["cubes"].values()) - TABLE[game["dig"]["place"]][2]


def play(before: Snapshot, text: str, shuffled: list[str]) -> Snapshot:
    """The position after an action; ``shuffled`` is the order of the bag, should it be shuffled."""
    game = copy.deepcopy({key: value for key, value in before.items() if key != "rng"})
    p = game["to_move"]
    verb, *words = text.split()
    if verb == "move":
        move(game, p, *words)
        return game
    if verb == "dig":
        if not dig(game, p, words[0], int(words[1]), shuffled):
            game["scores"] = list(game["dazzlers"])
            return game
    elif verb != "skip":
        if verb == "trade":
            trade(game, p, int(words[0]), int(words[2]))
        elif verb == "convert":
            convert(game, p)
        if game["laird"] == p:  # OI-16
            game["laird"] = -1
    game["scores"] = list(game["dazzlers"])
    end_turn(game, p)
    return game


def move(game: Snapshot, p: int, name: str, location: str) -> None:
    """Move a character; the last one from the compass begins Episode 1 (OI-4, OI-5)."""
    if game["where"][name] != "compass":
        game["money"][p] -= 100
    game["where"][name] = location
    if "compass" in game["where"].values():
        game["turn"] += 1
        game["to_move"] = (p + 1) % game["options"]["num_players"]
    else:
        begin(game, "episode", 1)


def begin(game: Snapshot, phase: str, episode: int) -> None:
    """Begin a phase with its first player (OI-5, OI-6)."""
    game["phase"], game["episode"] = phase, episode
    game["first"] = game["to_move"] = ranking(game)[0]
    game["turn"] += 1


def ranking(game: Snapshot) -> list[int]:
    """The seats in the order in which they would be first player (OI-6)."""
    return sorted(
        range(game["options"]["num_players"]),
        key=lambda p: (-game["dazzlers"][p], -game["money"][p], p),
    )


def dig(game: Snapshot, p: int, location: str, extra: int, shuffled: list[str]) -> bool:
    """Pay, pull the cubes, and put back what is too much (OI-9 to OI-12, OI-15); whether the dig
    has ended (OI-19)."""
    _, cost, cubes, most = TABLE[location]
    if game["phase"] == "extra":
        wanted = extra - extra_pulled(game)
        stops = wanted == 0
    else:
        wanted, stops = cubes + extra, game["options"]["extra"] == "before"
        game["money"][p] -= cost
        game["dig"] = {"place": location, "cubes": dict.fromkeys(game["dirt"], 0)}
    pulled: list[str] = []
    while len(pulled) < wanted and "yellow" not in pulled:
        pulled.append(game["bag"].pop())
    for cube in pulled:
        if cube == "yellow":
            game["found"] = p
        elif cube == "red":
            game["dazzlers"][p] += 1
        elif cube == "blue":
            game["ifso"][p] += 1
        else:
            game["dirt"][cube] += 1
            game["money"][p] += 100 if cube == "green" else 0
    if "red" in pulled and location in ("lots", "swamp"):
        game["laird"] = p
    for cube in pulled:
        if cube != "yellow":
            game["dig"]["cubes"][cube] += 1
    if not stops and "yellow" not in pulled and extra_pulled(game) < min(most, game["clues"][p]):
        game["phase"] = "extra"
        return False
    game["phase"] = "episode"
    del game["dig"]
    surplus = game["ifso"][p] + game["clues"][p] - 6
    if surplus > 0:
        game["ifso"][p] -= surplus
        game["bag"] += ["blue"] * surplus
        assert sorted(game["bag"]) == sorted(shuffled)
        game["bag"] = list(shuffled)
    return True


def trade(game: Snapshot, p: int, clues: int, cash: int) -> None:
    """Give If so cubes for clue tokens and cash (OI-13)."""
    game["ifso"][p] -= clues + cash
    game["dirt"]["blue"] += clues + cash
    game["clues"][p] += clues
    game["money"][p] += 100 * cash


def convert(game: Snapshot, p: int) -> None:
    """Give a Bobby Dazzler for money and a clue token (OI-14)."""
    game["dazzlers"][p] -= 1
    game["dirt"]["red"] += 1
    game["money"][p] += 200
    if game["ifso"][p] + game["clues"][p] < 6:
        game["clues"][p] += 1


def end_turn(game: Snapshot, p: int) -> None:
    """End the turn of an Episode, and with it perhaps Episode, round or game (OI-2, OI-3, OI-5,
    OI-17, OI-18)."""
    players = game["options"]["num_players"]
    if game["found"] >= 0:
        game["winners"] = [game["found"]]
        game["phase"], game["to_move"] = "over", -1
    elif (p + 1) % players != game["first"]:
        game["to_move"] = (p + 1) % players
        game["turn"] += 1
    elif game["episode"] == 1:
        begin(game, "episode", 2)
    elif game["round"] == game["options"]["max_rounds"]:
        game["truncated"], game["phase"], game["to_move"] = True, "over", -1
    else:
        game["round"] += 1
        game["money"] = [money + 100 for money in game["money"]]
        game["where"] = dict.fromkeys(CHARACTERS, "compass")
        begin(game, "war", 0)


def view(game: Snapshot) -> Snapshot:
    """Of every seat the same."""
    return {
        key: len(value) if key == "bag" else value
        for key, value in game.items()
        if key not in ("rng", "seed")
    }


# ---------------------------------------------------------------- the observation, from the view


def observation(view: Snapshot, seat: int) -> dict[str, Any]:
    """Every field of the observation, as lists of numbers."""
    players, options = view["options"]["num_players"], view["options"]
    order = [(seat + k) % players for k in range(players)]
    absent = [0] * (4 - players)

    def per_seat(of: Any) -> list[Any]:
        return [of(p) for p in order] + absent

    in_bag = cubes_in_bag(view)
    most = {"brown": 100, "green": 40, "blue": 40, "red": 20, "yellow": 1}
    size = view["bag"]
    return {
        "where": [
            [int(view["where"][name] == place) for place in ("compass", *TABLE)]
            for name in CHARACTERS
        ],
        "active": [int(is_active(view, location)) for location in TABLE],
        "characters": [len(there(view, location)) / 8 for location in TABLE],
        "missing": [
            ([lacking / 2 for lacking in missing(view, location)] + [0, 0, 0])[:3]
            for location in TABLE
        ],
        "plays": per_seat(lambda p: 1),
        "is_first": per_seat(lambda p: int(p == view["first"])),
        "had_turn": per_seat(lambda p: int(p in through(view))),
        "money": per_seat(lambda p: min(4, view["money"][p] / 1000)),
        "dazzlers": per_seat(lambda p: min(1, view["dazzlers"][p] / 20)),
        "ifso": per_seat(lambda p: min(1, view["ifso"][p] / 6)),
        "clues": per_seat(lambda p: view["clues"][p] / 6),
        "room": per_seat(lambda p: max(0, 6 - view["ifso"][p] - view["clues"][p]) / 6),
        "has_laird": per_seat(lambda p: int(view["laird"] == p)),
        "can_pay": [
            [int(view["money"][p] >= TABLE[location][1]) for location in DIGS] for p in order
        ]
        + [[0] * 4] * len(absent),
        "laird_free": int(view["laird"] == -1),
        "on_compass": len(there(view, "compass")) / 8,
        "bag_size": size / 201,
        "in_bag": [count / most[colour] for colour, count in in_bag.items()],
        "share": [count / max(size, 1) for count in in_bag.values()],
        "dirt": [count / most[colour] for colour, count in view["dirt"].items()],
        "phase": [int(view["phase"] == phase) for phase in ("war", "episode", "over")],
        "episode": [int(view["episode"] == k) for k in range(3)],
        "round_number": view["round"] / options["max_rounds"],
        "rounds_left": min(1, (options["max_rounds"] - view["round"]) / 20),
        "num_players": [int(players == n) for n in (2, 3, 4)],
    }


def cubes_in_bag(view: Snapshot) -> dict[str, int]:
    """Return the cubes in the bag, which follow from the options and the rest of the view."""
    options, dirt = view["options"], view["dirt"]
    left = {
        colour: options[f"bag_{colour}"] - dirt[colour]
        for colour in ("brown", "green", "blue", "red")
    }
    left["blue"] -= sum(view["ifso"])
    left["red"] -= sum(view["dazzlers"])
    return {**left, "yellow": int(view["found"] == -1)}


def through(view: Snapshot) -> set[int]:
    """The seats that have had their turn in the Episode."""
    players, first = view["options"]["num_players"], view["first"]
    if view["episode"] == 0:
        return set()
    if view["truncated"]:
        return set(range(players))
    last = view["found"] if view["phase"] == "over" else view["to_move"]
    count = (last - first) % players + (view["phase"] == "over")
    return {(first + k) % players for k in range(count)}
