"""What a view of The Big Dig hides: the deck, and the other player's models and choices."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dig_envs.engine.snapshots.codecs import require
from dig_envs.engine.snapshots.completing import Unseen
from dig_envs.engine.snapshots.snapshot import COMMITTED, Candidate, Snapshot, read_entries
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig.data import DECK_NAMES, DECK_REQUESTS, DECK_STATES, ROCKS

# a complete model is one of `models`
DECIDED_IN_PENDING = ("argumentation", "argument", "research", "evaluation", "placement")


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Leave a possible deck, and give the other player any models and a commitment of its own."""
    filled = {
        "deck": _deck(view, draw),
        "models": [_models(models, draw) for models in view.snapshot["models"]],
    }
    return {**filled, "pending": _pending(view, seat, filled, draw)}


def fill_told(
    view: Candidate, seat: int, events: Sequence[Mapping[str, Any]], draw: random.Random
) -> tuple[Snapshot, dict[int, list[str]]]:
    """The same, with the models of the other player that events are going to show, and what it must
    have chosen."""
    own = [event for event in events if event["seat"] == 1 - seat and event["kind"] != "chose"]
    require(bool(own), "models", "nothing of it is going to be shown")
    other, models = 1 - seat, [list(own) for own in view.snapshot["models"]]
    for event in own:
        place = event.get("model", 0) - 1
        if event["kind"] in ("conjectured", "attacked") and 0 <= place < len(models[other]):
            inputs = [event.get("first"), event.get("second")]
            models[other][place] = [space for space in inputs if space is not None]
    filled = fill(Candidate(view.game, {**view.snapshot, "models": models}), seat, draw)
    return filled, {other: _choices(view.snapshot["phase"], own)}


def _choices(phase: str, events: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a seat has chosen in a phase, from the events about it."""
    for event in events:
        kind = event["kind"]
        if kind == "decided" and event.get("part") == phase:
            return [str(event.get("card"))]
        if kind == "evaluated":
            return [str(event.get("card"))]
        if kind == "no_argument":
            return ["no argument"]
        if kind in ("conjectured", "attacked"):
            state = str(event.get("output"))
            state = state.rpartition("-")[0] if kind == "conjectured" else state
            aim = 1 if event.get("target") == event.get("first") else 2
            return [f"argue {event.get('model')}", f"output {state}", f"target {aim}"]
    if phase != "placement":
        return []
    chosen = []
    for event in events:
        lift, put = f"lift {event.get('space')}", f"put {event.get('to', event.get('space'))}"
        chosen += {"put": [put], "moved": [lift, put], "took_back": [lift]}.get(event["kind"], [])
    return [*chosen, "done"]


def _deck(view: Candidate, draw: random.Random) -> list[str]:
    """The cards of a deck that the options allow, without those drawn (BD-8)."""
    drawn, named = view.snapshot["drawn"], view.snapshot["options"]["deck"]
    decks = list(_wild_decks(drawn, draw) if named == "wild" else _four_decks(named))
    draw.shuffle(decks)
    for cards in decks:
        if all(cards.count(card) >= drawn.count(card) for card in drawn):
            return Unseen(cards, drawn, "deck", draw).take(view.snapshot["deck"])
    require(False, "drawn", f"these cards are in no deck of {named!r}")
    raise AssertionError


def _four_decks(named: str) -> Iterator[list[str]]:
    for name, deck in zip(DECK_NAMES, box.DECKS, strict=True):
        if named in ("random", name):
            requests = [f"request {board.REGIONS[region]}" for region in deck.requests]
            yield [board.STATES[state] for state in deck.states] + requests + ["rock"] * ROCKS


def _wild_decks(drawn: Sequence[str], draw: random.Random) -> Iterator[list[str]]:
    """For each living species that has all states drawn, a deck of its states."""
    states = {board.STATES.index(card) for card in drawn if card in board.STATES}
    requests = {card for card in drawn if card.startswith("request ")}
    others = [f"request {region}" for region in board.REGIONS]
    for species in box.FAUNA:
        own = {int(state) for state in species[: board.PHYSICAL]}
        if states <= own:
            cards = _filled_up(states, sorted(own), DECK_STATES, draw)
            asked = _filled_up(requests, others, DECK_REQUESTS, draw)
            yield [board.STATES[state] for state in cards] + asked + ["rock"] * ROCKS


def _filled_up(some: set[Any], all_: Sequence[Any], number: int, draw: random.Random) -> list[Any]:
    rest = [one for one in all_ if one not in some]
    return [*some, *draw.sample(rest, max(0, number - len(some)))]


def _models(models: Sequence[list[str] | None], draw: random.Random) -> list[list[str]]:
    """Models, each of them once (BD-5)."""
    found = [model for model in models if model is not None]
    filled = []
    for model in models:
        while model is None:
            low, high = sorted((draw.randrange(board.NUM_SPACES), draw.randrange(board.NUM_SPACES)))
            apart = board.attribute_of(low) != board.attribute_of(high)
            some = [board.SPACES[low], board.SPACES[high]] if apart else [board.SPACES[low]]
            if some not in found:
                model = some
                found.append(some)
        filled.append(model)
    return filled


def _pending(view: Candidate, seat: int, filled: Snapshot, draw: random.Random) -> list[list[str]]:
    """The choices of the other player: none, or a complete commitment if it has made one."""
    position, other = view.snapshot, 1 - seat
    pending = [choices or [] for choices in position["pending"]]
    done = position.get(COMMITTED, range(position["to_move"]))
    if other not in done or position["phase"] not in DECIDED_IN_PENDING:
        return pending
    undecided = {key: value for key, value in position.items() if key != COMMITTED}
    undecided |= {**filled, "pending": [[], []]}
    asked = read_entries(view.game, undecided).facts["asked"]
    if asked[other]:
        states = view.game.from_snapshot({**undecided, "to_move": int(asked.argmax())})
        pending[other] = _commitment(view.game, states, other, draw)
    return pending


def _commitment(game: Any, states: Any, p: int, draw: random.Random) -> list[str]:
    """Uniformly random legal choices of a seat until its commitment is complete; nothing is carried
    out, since the other seat has not decided either."""
    state = states[0]
    state["owes"] = 1
    while state["owes"][p]:
        game.kernels.apply_one(states, p, draw.choice(game.legal_actions(states, p)))
    made = state["pending"][p][: int(state["pending_len"][p])]
    return [game.actions[int(action)] for action in made]
