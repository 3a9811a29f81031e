"""The observation against the view: every field computed once more, from what a seat may know and
nothing else."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.the_big_dig.players import some_positions
from tests.rules.the_big_dig.positions import GAME, argument, arrange
from tests.rules.the_big_dig.reference import (
    REGIONS,
    SPACES,
    STATES,
    Reference,
    attribute,
    decks,
    fauna,
    predictions,
    state_of,
)

PLACES = 12  # for models of a player, and for arguments
DECKS = ("random", "starter", "second", "third", "fourth", "wild")
PHASES = (
    "model",
    "argumentation",
    "argument",
    "research",
    "research_model",
    "evaluation",
    "placement",
)


def code(space):
    """The space code: 27 for the attribute, 4 for the state, 1 for an assertion; zero for an absent
    space."""
    vector = np.zeros(32)
    if space is not None:
        parts = space.split("-")
        vector[int(parts[0]) - 1] = 1
        vector[27 + int(parts[1]) - 1] = 1
        vector[31] = parts[2:] == ["A"]
    return vector


def one_hot(values, value):
    """1 at the place of a value, or nowhere."""
    return [float(value == each) for each in values]


def per_space(spaces):
    """Return how often each space occurs."""
    counts = Counter(spaces)
    return np.array([counts[space] for space in SPACES], float)


def padded(rows, width):
    """Twelve rows, zero where there is nothing."""
    table = np.zeros((PLACES, width))
    for place, row in enumerate(rows):
        table[place] = (
            np.concatenate([np.ravel(part) for part in row])
            if isinstance(row, tuple)
            else np.ravel(row)
        )
    return table


def codes(inputs):
    return np.concatenate([code(space) for space in [*inputs, None][:2]])


def expected(view, seat):
    """The fields as their meanings say, from a seat's view."""
    order = (seat, 1 - seat)
    return {
        **board(view, order),
        **arguments(view, seat),
        **models(view, seat),
        **pending(view, seat),
        **clock(view, order),
    }


def board(view, order):
    scores = [view["scores"][p] for p in order]
    return {
        "discovered": per_space(view["discovered"]),
        "conjectured": per_space(view["conjectured"]),
        "tokens": [[view["tokens"][p].get(space, 0) / 12 for space in SPACES] for p in order],
        "bank": [1 - sum(view["tokens"][p].values()) / 12 for p in order],
        "score": [score / 100 for score in scores],
        "lead": (scores[0] - scores[1]) / 100,
    }


def is_targeted(stands, conjecture):
    """Whether a valid nullification is aimed at an argument."""
    return any(
        a["valid"]
        and a["target"]
        and conjecture["target"] is None
        and conjecture["inputs"] == [a["target"]]
        and state_of(conjecture["output"]) == a["output"]
        for a in stands
    )


def arguments(view, seat):
    stands = view["arguments"]
    valid = [a for a in stands if a["valid"] and a["target"] is None]
    backing = Counter()
    for a in valid:
        if not is_targeted(stands, a):
            backing[a["output"]] += a["support"]
    own = [a["by"] == seat for a in stands]
    return {
        "conjectures": [
            per_space(a["output"] for a in valid if a["by"] == p) / 6 for p in (seat, 1 - seat)
        ],
        "backing": [backing[space] / 100 for space in SPACES],
        "arguments": padded(
            [
                [
                    1,
                    mine,
                    a["turn"] / 6,
                    a["valid"],
                    a["target"] is not None,
                    a["valid"] and is_targeted(stands, a),
                ]
                + [
                    a["target"] == a["inputs"][0],
                    len(a["inputs"]) == 2 and a["target"] == a["inputs"][1],
                ]
                for mine, a in zip(own, stands, strict=True)
            ],
            8,
        ),
        "argument_inputs": padded([codes(a["inputs"]) for a in stands], 64),
        "argument_output": padded([code(a["output"]) for a in stands], 32),
        "argument_support": padded([[a["support"] / 100] for a in stands], 1),
    }


def signed(model):
    """Return a model's predictions: the support of each state, negative for its negation."""
    said = predictions(tuple(model))
    return [
        said[s][1] / 100 * (1 if said[s][0][-1] == "A" else -1) if s in said else 0 for s in STATES
    ]


def on_the_table(view):
    """The position of a view, for what may be argued."""
    return Reference({**view, "to_move": 0, "pending": [[], []]})


def promised(now, model):
    """Per state the points of an argument with a model, as a share of the most, 0 where there is
    none."""
    possible = now.possible(model)
    return [now.points(possible[s][0]) / 6 if s in possible else 0 for s in STATES]


def company(now, model):
    """Per state 1 if the output of a conjecture is conjectured, -1 if others of its attribute are
    instead."""
    found = dict.fromkeys(STATES, 0)
    for state, [first, *_] in now.possible(model).items():
        beside = [space for space in now["conjectured"] if attribute(space) == attribute(state)]
        if beside and first["target"] is None:
            found[state] = 1 if first["output"] in beside else -1
    return list(found.values())


def models(view, seat):
    marked = {*view["discovered"], *view["conjectured"]}
    now = on_the_table(view)
    used = [a["inputs"] for a in view["arguments"] if a["by"] == seat]
    own, other = view["models"][seat], view["models"][1 - seat]
    return {
        "own_models": padded([[1, set(model) <= marked, model in used] for model in own], 3),
        "own_inputs": padded([codes(model) for model in own], 64),
        "own_predictions": padded([signed(model) for model in own], 74),
        "own_arguments": padded([promised(now, model) for model in own], 74),
        "own_company": padded([company(now, model) for model in own], 74),
        "other_models": padded([[1, model is not None] for model in other], 2),
        "other_inputs": padded(
            [codes(model or []) if model else np.zeros(64) for model in other], 64
        ),
    }


def pending(view, seat):
    chosen = [text.partition(" ")[::2] for text in view["pending"][seat]]
    said = dict(chosen)
    last = chosen[-1] if chosen else ("", "")
    moving = view["evaluation"][seat] == "move" and last[0] == "lift"
    argued = view["models"][seat][int(said["argue"]) - 1] if "argue" in said else None
    model = [said["input"]] if "input" in said else argued
    return {
        "pending_input": code(said.get("input")),
        "pending_model": one_hot(map(str, range(1, 13)), said.get("argue")),
        "pending_output": one_hot(STATES, said.get("output")),
        "pending_predictions": signed(model) if model else np.zeros(74),
        "pending_arguments": promised(on_the_table(view), argued) if argued else np.zeros(74),
        "pending_company": company(on_the_table(view), argued) if argued else np.zeros(74),
        "pending_lifted": per_space(space for verb, space in chosen if verb == "lift") / 12,
        "pending_put": per_space(space for verb, space in chosen if verb == "put") / 12,
        "pending_from": code(last[1] if moving else None),
    }


def in_deck(view):
    """Per state the chance that its card is still to come, by the decks, or the species, that have
    all that was drawn."""
    drawn, known = view["drawn"], {attribute(space) for space in view["discovered"]}
    states = {card for card in drawn if card[0].isdigit()}
    if view["options"]["deck"] == "wild":
        fitting = [{f"{a}-{animal[a]}" for a in range(1, 15)} for animal in fauna()]
        fitting = [animal for animal in fitting if states <= animal]
        each = (8 - len(states)) / (14 - len(states))
    else:
        named = [view["options"]["deck"]] if view["options"]["deck"] != "random" else DECKS[1:5]
        fitting = [set(decks()[name]) for name in named if set(drawn) <= set(decks()[name])]
        each = 1
    to_come = Counter(
        state
        for one in fitting
        for state in one
        if state in STATES and attribute(state) not in known
    )
    return [to_come[state] / len(fitting) * each if view["deck"] else 0 for state in STATES]


def clock(view, order):
    seat, options, drawn = order[0], view["options"], view["drawn"]
    states = [card for card in drawn if card[0].isdigit()]
    requests = [card.removeprefix("request ") for card in drawn if card.startswith("request")]
    spent = [
        [
            [float(view["spent"][p][k : k + 1] == [card]) for card in ("act", "pass")]
            for k in range(3)
        ]
        for p in order
    ]
    before = (
        seat == 1
        and view["to_move"] == 1
        and 0 in Reference({**view, "to_move": 0, "pending": [[], []]}).asked()
    )
    return {
        "turn": view["turn"] / 6,
        "turns_left": (options["turns"] - view["turn"]) / 6,
        "turns": options["turns"] / 6,
        "phase": one_hot(PHASES, view["phase"]),
        "deck": one_hot(DECKS, options["deck"]),
        "first_discovery": options["first_discovery"] == "starter",
        "request": one_hot([*REGIONS, None], view["request"]),
        "requests_drawn": [region in requests for region in REGIONS],
        "cards_left": [
            view["deck"] / 24,
            (8 - len(states)) / 7,
            (2 - len(requests)) / 2,
            (15 - drawn.count("rock")) / 15,
        ],
        "in_deck": in_deck(view),
        "states_drawn": [state in states for state in STATES],
        "spent": spent,
        "decision_cards": [
            [1 - view["spent"][p].count("act") / 2, 1 - view["spent"][p].count("pass")]
            for p in order
        ],
        "evaluation": [one_hot(["add", "move", "remove"], view["evaluation"][p]) for p in order],
        "other_committed": before,
    }


def check(position):
    position.check_observations(expected)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"deck": "starter", "first_discovery": "starter"},
        {"deck": "third"},
        {"deck": "wild"},
        {"turns": 2},
    ],
    ids=str,
)
def test_every_field_in_whole_games(options):
    """At the positions of eager games, for both seats, in the middle of commitments and when the
    game is over."""
    for position in some_positions(
        games=1 if JIT_DISABLED else 5, every=23 if JIT_DISABLED else 3, **options
    ):
        check(position)


def test_a_full_board():
    """Nullifications with either target, invalid arguments, shown and hidden models, tokens of
    both."""
    both = ["2-3-A", "3-3-A"]
    stands = [
        argument(0, 1, ["2-3-A"], "18-1-A"),
        argument(1, 1, ["3-3-A"], "18-1-N"),
        argument(0, 2, ["2-3-A"], "6-2-N", valid=False),
        argument(1, 3, both, "18-1", "2-3-A"),
        argument(0, 4, both, "18-1", "3-3-A"),
    ]
    table = {
        "drawn": ["2-3", "3-3", "6-2", "request skull", "request diet"],
        "arguments": stands,
        "models": [[["5-1-A"]], [["6-1-A"]]],
    }
    tokens = [{"5-1-A": 2, "18-1-A": 10}, {"5-1-A": 1}]
    for phase, changes, texts in (
        ("placement", {}, []),
        ("placement", {}, ["lift 5-1-A", "put 5-2-N", "done"]),
        ("placement", {"evaluation": ["remove", "add"]}, ["lift 5-1-A"]),
        ("argument", {}, ["argue 2", "output 1-3", "argue 2"]),
        ("model", {}, ["input 3-3-A", "single", "input 14-4-N"]),
        ("evaluation", {}, ["add"]),
        ("placement", {"turn": 6}, ["done", "done"]),
    ):
        position = arrange(phase, tokens=tokens, **table, **changes)
        check(position)
        for text in texts:
            check(position.play(text))


def test_twins_and_what_is_aimed_at():
    """Of equal conjectures both count; of a targeted one nothing, as long as the nullification is
    valid."""
    stands = [
        argument(0, 1, ["2-3-A"], "18-1-A"),
        argument(1, 1, ["2-3-A"], "18-1-A"),
        argument(0, 2, ["2-1-N"], "18-1-A"),
    ]
    place = GAME.layout["backing"].slice.start + SPACES.index("18-1-A")
    twins = arrange("model", arguments=stands)
    assert twins.observation(1)[place] == pytest.approx((56 + 56 + 16) / 100)
    doubt = argument(1, 2, ["2-3-A", "3-3-A"], "18-1", "2-3-A")
    doubted = arrange("model", drawn=["2-3", "3-3"], arguments=[*stands, doubt])
    assert doubted.observation(1)[place] == pytest.approx(16 / 100)
    wrong = [argument(0, 1, ["2-3-A"], "10-3-N"), argument(1, 1, ["2-3-A"], "1-2-N", valid=False)]
    wrong.append(argument(0, 2, ["1-2-N", "2-3-A"], "10-3", "2-3-A", valid=False))
    for position in (twins, doubted, arrange("model", drawn=["2-3", "1-2"], arguments=wrong)):
        check(position)
