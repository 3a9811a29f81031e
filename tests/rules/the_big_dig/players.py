"""Players for the tests, who look at everything: a random one, and one that makes happen what the
rules speak of."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.the_big_dig.positions import Position, deal
from tests.rules.the_big_dig.reference import (
    SPACES,
    Reference,
    attribute,
    in_order,
    predictions,
    state_of,
)

Player = Callable[[Reference, int, random.Random], str]
GAMES = 1 if JIT_DISABLED else 10
EVERY = 29 if JIT_DISABLED else 5


def at_random(game: Reference, p: int, chance: random.Random) -> str:
    """Any legal action."""
    return chance.choice(sorted(game.legal(p)))


def eagerly(game: Reference, p: int, chance: random.Random) -> str:
    """A player who argues, doubts and copies, so that everything that the rules speak of happens;
    sometimes at random."""
    legal = sorted(game.legal(p))
    wishes: list[str] = []
    if game["phase"] in ("model", "research_model"):
        wishes = wanted_inputs(game, p, chance)
    elif game["phase"] in ("argumentation", "research"):
        wishes = ["act"] if chance.random() < 0.8 else []
    elif game["phase"] == "argument":
        wishes = wanted_arguments(game, p, chance, legal)
    elif game["phase"] == "evaluation":
        wishes = [chance.choice(["add", "move", "remove"])]
    elif game["phase"] == "placement":
        wishes = wanted_placements(game, chance, legal)
    wishes = [text for text in wishes if text in legal]
    return chance.choice(wishes) if wishes and chance.random() < 0.9 else chance.choice(legal)


def wanted_inputs(game: Reference, p: int, chance: random.Random) -> list[str]:
    """Marked spaces: one, the inputs of the other's model, or two of which the app knows less than
    of one."""
    marked = [space for space in SPACES if game.is_marked(space)]
    others = [model for model in game["models"][1 - p] if all(map(game.is_marked, model))]
    if not game["pending"][p]:
        if others and chance.random() < 0.3:
            marked = chance.choice(others)
        return [f"input {space}" for space in marked]
    first = game["pending"][p][0].removeprefix("input ")
    copies = [space for model in others if first in model for space in model if space != first]
    if copies and chance.random() < 0.3:
        return [f"input {space}" for space in copies]
    said = {
        state_of(a["output"])
        for a in game["arguments"]
        if a["inputs"] == [first] and a["target"] is None
    }
    doubts = [
        s
        for s in marked
        if attribute(s) != attribute(first) and any(unknown([first, s], state) for state in said)
    ]
    return [f"input {space}" for space in doubts] if chance.random() < 0.7 else ["single"]


def unknown(inputs: list[str], state: str) -> bool:
    """Whether a model has support 0 for a state."""
    return predictions(tuple(in_order(inputs))).get(state, ("", 1))[1] == 0


def wanted_arguments(game: Reference, p: int, chance: random.Random, legal: list[str]) -> list[str]:
    """The other's argument, a nullification, a conjecture about what a single input says, any
    other; rarely none."""
    pending, other = game["pending"][p], game["pending"][1 - p]
    if not pending:
        doubting = [m for m, model in enumerate(game["models"][p], 1) if nullified(game, model)]
        same = [
            m
            for m, model in enumerate(game["models"][p], 1)
            if other[1:] and model == game.argued(1 - p, other)
        ]
        found = same or doubting
        return (
            [f"argue {m}" for m in found]
            if found and chance.random() < 0.7
            else [t for t in legal if t != "no argument"]
        )
    if len(pending) == 1:
        if other[1:] and other[1] in legal and game.argued(p, pending) == game.argued(1 - p, other):
            return [other[1]]
        doubts = nullified(game, game.argued(p, pending))
        said = {
            state_of(a["output"])
            for a in game["arguments"]
            if len(a["inputs"]) == 1 and a["target"] is None
        }
        again = [text for text in legal if text.removeprefix("output ") in said]
        physical = [text for text in legal if attribute(text.removeprefix("output ")) <= 14]
        return (
            [f"output {state}" for state in doubts]
            if doubts and chance.random() < 0.7
            else again or physical
        )
    return legal


def nullified(game: Reference, model: list[str]) -> list[str]:
    """The states for which a model allows a nullification."""
    return [state for state, options in game.possible(model).items() if options[0]["target"]]


def wanted_placements(game: Reference, chance: random.Random, legal: list[str]) -> list[str]:
    """Tokens on conjectured markers and their attributes; lift on."""
    near = {attribute(space) for space in game["conjectured"]}
    puts = [
        text
        for text in legal
        if text.startswith("put ") and attribute(text.removeprefix("put ")) in near
    ]
    lifts = [text for text in legal if text.startswith("lift ")]
    return puts or (lifts if chance.random() < 0.7 else [])


def eager_game(seed: int, **options: Any) -> Iterator[tuple[Position, str]]:
    """Each position of an eager game with the action that is played next, "" at the end."""
    chance = random.Random(seed)
    position = deal(seed, **options)
    game = Reference(position.snapshot)
    while game.mover >= 0:
        text = eagerly(game, game.mover, chance)
        yield position, text
        position.play(text)
        game.play(text)
    yield position, ""


def played(seeds: tuple[int, ...] = (207, 212)) -> Iterator[str]:
    """The actions of eager games: of two in which a target is chosen, as in one of fifty or so."""
    for seed in seeds:
        yield from (text for _, text in eager_game(seed) if text)


def some_positions(games: int = GAMES, every: int = EVERY, **options: Any) -> Iterator[Position]:
    """Positions of eager games, in the middle of commitments and at the end."""
    for seed in range(games):
        for step, (position, text) in enumerate(eager_game(seed, **options), seed):
            if step % every == 0 or not text:
                yield position
