"""What the methods answer, as types: from them come the JSON Schemas of the results."""

from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

Json = dict[str, Any]
Number = Annotated[int, Meta(description="its index among all that there are")]
Notation = Annotated[str, Meta(description="its text, as in `actions` of `describe`")]


class Hello(TypedDict):
    """Versions, limits and methods."""

    protocol: int
    dig_envs: str
    limits: dict[str, int]
    methods: list[str]


class MethodDescription(TypedDict):
    """A method with the JSON Schemas of its parameters and of its result."""

    name: str
    meaning: str
    params: Json
    result: Json


class Summary(TypedDict):
    """An environment in short."""

    environment: str
    title: str
    players: Annotated[list[int], Meta(description="least and greatest number")]
    cooperative: bool


class Range(TypedDict):
    """All integers from the least to the greatest, by steps."""

    least: int
    most: int
    step: int


class OptionDescription(TypedDict):
    """An option of a game."""

    name: str
    values: Annotated[list[Any] | Range, Meta(description="that it can have")]
    default: Any
    meaning: str


class ObservedField(TypedDict):
    """A field of the observation: numbers ``start`` to ``stop`` - 1 of the vector."""

    name: str
    shape: list[int]
    start: int
    stop: int
    meaning: str


class EventKind(TypedDict):
    """A kind of event; ``parts``: what else an event of this kind has."""

    kind: str
    parts: list[str]
    told_to: str
    meaning: str


class EnvironmentDescription(Summary):
    """An environment without its agents, which need more than the game."""

    phases: list[str]
    options: list[OptionDescription]
    observation: list[ObservedField]
    actions: list[str]
    events: list[EventKind]


class Described(EnvironmentDescription):
    """An environment, and who may be asked to play it."""

    agents: list[str]


class Schemas(TypedDict):
    """JSON Schemas."""

    snapshot: Json
    view: Json


class Guide(TypedDict):
    """A guide of a game."""

    title: str
    text: Annotated[str, Meta(description="Markdown, as far as it applies under these options")]


class Standing(TypedDict):
    """The scores, and how a game has ended."""

    over: bool
    scores: list[int]
    winners: NotRequired[Annotated[list[int], Meta(description="at the end")]]
    returns: NotRequired[Annotated[list[float], Meta(description="at the end, from -1 to 1")]]
    turn_limit: NotRequired[Annotated[bool, Meta(description="whether it has ended the game")]]


class Situation(Standing):
    """Where a game stands, as far as everybody sees it."""

    game: str
    environment: str
    phase: str
    turn: int
    owing: Annotated[
        list[int],
        Meta(description="seats that are to decide; several decide at once, in any order"),
    ]
    agents: Annotated[list[str | None], Meta(description="who plays each seat, as `play` says")]


class Event(TypedDict):
    """Something that has happened, as a seat is told of it; with the parts of its kind."""

    index: Annotated[int, Meta(description="among the events that the seat was told, from 0")]
    kind: str
    seat: int | None
    text: str


class Played(Situation):
    """Where a game stands after an action."""

    seat: Annotated[int, Meta(description="that has acted")]
    action: Number
    played: Notation
    events: Annotated[list[Event], Meta(description="that this seat is told of it")]


class LegalAction(TypedDict):
    """A legal action; ``label``: it in plain English."""

    action: Number
    text: Notation
    label: str


class Choice(LegalAction):
    """A legal action, and how a page offers it."""

    group: Annotated[int, Meta(description="the first action of its kind")]
    steps: Annotated[list[str], Meta(description="what is chosen one after the other")]
    cost: Annotated[str, Meta(description="in words; empty for none")]
    warning: Annotated[str, Meta(description="to be asked before it is done; empty for none")]
    things: Annotated[
        list[str], Meta(description="`data-thing` of what it belongs to in the picture")
    ]


class Seen(TypedDict):
    """What a seat, or everybody, may know of a game."""

    seat: int | None
    view: Json
    text: str
    headline: str
    events: list[Event]
    next: Annotated[int, Meta(description="the index that the next event will have")]
    legal: NotRequired[Annotated[list[LegalAction], Meta(description="of a seat")]]
    observation: NotRequired[Annotated[list[float], Meta(description="if it was asked for")]]


class PlayerNames(TypedDict):
    """The names of all seats."""

    names: list[str]


class Closed(TypedDict):
    """A game that was closed."""

    closed: str


class Searched(TypedDict):
    """What a search found of an action; ``value``: its mean result."""

    action: Number
    text: Notation
    visits: int
    value: float


class Statistics(TypedDict):
    """What a search found, the most visited action first."""

    simulations: int
    nodes: int
    moves: list[Searched]


class Chosen(TypedDict):
    """The choice of an agent."""

    seat: int
    action: Number
    text: Notation
    agent: Annotated[str, Meta(description="its full name, with the settings that it used")]
    statistics: Annotated[Statistics | None, Meta(description="of a search")]
    memory: Annotated[
        str | None, Meta(description="of an agent that has one, for its next decision")
    ]


class Followed(TypedDict):
    """What a seat sees after events."""

    view: Json
    text: str
    headline: str
    legal: list[LegalAction]


class Opening(TypedDict):
    """How a seat's first view is said."""

    keys: Annotated[list[str], Meta(description="of the view, that differ between deals")]
    view: Annotated[Json, Meta(description="that begins with the opening; without one: an example")]


class PossibleEvent(TypedDict):
    """What a seat may be told next; with the parts of its kind."""

    kind: str
    seat: int | None
    text: str
    line: Annotated[str, Meta(description="its short form, as `follow` reads it")]


class PossibleAction(Choice):
    """What a seat may do next: with `"kind": "action"`, `seat` and `action` it is an entry of
    `events`."""

    seat: int


class Possibilities(TypedDict):
    """What may come next; rare events may be missing."""

    events: list[PossibleEvent]
    actions: list[PossibleAction]
    ends: Annotated[bool, Meta(description="whether nothing more may be told of the action")]
    sure: Annotated[bool, Meta(description="false: this came in few deals, there may be others")]


class Advice(TypedDict):
    """An action that is advised."""

    action: Number
    text: Notation
    label: Annotated[str, Meta(description="in plain English")]
    chance: Annotated[float, Meta(description="of winning, in per cent")]
    score: Annotated[float, Meta(description="of the seat at the end, on average")]
    games: Annotated[int, Meta(description="from which chance and score come")]
    reason: str
    worth: Annotated[str, Meta(description="what it is ordered by, in words")]
    choice: Annotated[bool, Meta(description="whether it is what the agent plays")]


class Advised(TypedDict):
    """The best actions by an agent."""

    seat: int
    agent: Annotated[str, Meta(description="the full name of who was asked")]
    moves: list[Advice]
    memory: Annotated[str | None, Meta(description="of an agent that has one")]


class Mistake(TypedDict):
    """A decision that has cost chances of winning."""

    decision: Annotated[int, Meta(description="how many actions of the seat came before it")]
    turn: int
    played: Advice
    better: Annotated[Advice, Meta(description="what would have been better")]
    sure: Annotated[bool, Meta(description="whether the loss is too large for chance")]


class Picture(TypedDict):
    """A picture."""

    svg: str


class Text(TypedDict):
    """A position in words; ``headline``: who is to decide what."""

    text: str
    headline: str
