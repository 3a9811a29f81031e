"""Checks that what a game declares fits together, when it is built: a mistake is named before
anything runs."""

from collections.abc import Collection, Iterator

from dig_envs.engine.core.errors import RulesError
from dig_envs.engine.core.events import Events
from dig_envs.engine.core.fields import TURN_LIMITS
from dig_envs.engine.core.styles import OTHER_OPPONENTS
from dig_envs.engine.snapshots.codecs import (
    Codec,
    Counts,
    Each,
    Group,
    InPhases,
    Items,
    PerName,
    PerSeat,
)
from dig_envs.engine.snapshots.snapshot import SnapshotGame


def check_declared(game: SnapshotGame, events: Events, reasons: Collection[int] = ()) -> None:
    """Raise RulesError for the first thing that does not fit, naming module and name."""
    for module, message in _mistakes(game, events, reasons):
        raise RulesError(f"{game.package}.{module}: {message}")


def _mistakes(
    game: SnapshotGame, events: Events, reasons: Collection[int]
) -> Iterator[tuple[str, str]]:
    fields = game.state.names or ()
    if "over" not in game.phases:
        yield "state", "PHASES needs the phase 'over'"
    if not game.options or game.options[0].name != "num_players":
        yield "state", "the first of OPTIONS must be 'num_players'"
    for option in game.options:
        if option.name not in fields:
            yield (
                "state",
                (
                    f"the option {option.name!r} needs a field of that name in State (a text is "
                    "stored as its place in the values)"
                ),
            )
    for name in {"told", "told_len"} & {*fields}:
        yield (
            "state",
            (
                f"State has a field {name!r}, which is the name of the room for events "
                "(dig_envs.engine.core.tell)"
            ),
        )
    seats = game.state["owes"].shape[0]
    if seats < game.max_players:
        yield (
            "state",
            f"State is made for {seats} seats, but there are up to {game.max_players} players",
        )
    if game.facts_type is not None and game.rules.inspect is None:
        yield (
            "rules",
            "there are Facts in the state module, but no function inspect that writes them",
        )
    if game.facts_type is None and game.rules.inspect is not None:
        yield "state", "there is a function inspect in the rules, but no record type Facts"
    if game.styles and game.rules.styled is None:
        yield (
            "heuristic",
            (
                "there are STYLES in the module styles, but no function styled that takes their "
                "weights"
            ),
        )
    for name, style in game.styles.items():
        if name in OTHER_OPPONENTS or not name.isidentifier():
            yield (
                "styles",
                (
                    f"a style cannot have the name {name!r}: it is a word, and not one of "
                    f"{', '.join(OTHER_OPPONENTS)}"
                ),
            )
        if not all(type(weight) is float for weight in style.weights):
            yield (
                "styles",
                f"the weights of the style {name!r} are to be of type float, all of them",
            )
    firsts = [group.first for group in game.action_list.declared]
    for action in reasons:
        if action not in firsts:
            yield "reasons", f"REASONS has the key {action}, which is not the first of a group"
    for key in ("turn", "scores"):
        if key not in game.snapshot_table:
            yield "snapshot", f"SNAPSHOT needs the key {key!r}"
    for option in game.options:
        if (limited := TURN_LIMITS.get(option.name, "turn")) not in game.snapshot_table:
            yield (
                "snapshot",
                f"SNAPSHOT needs the key {limited!r}, which the option {option.name!r} limits",
            )
        if option.name in TURN_LIMITS and events.limit != limited:
            yield (
                "events",
                f"Events(…) needs limit={limited!r}, since the option {option.name!r} limits that",
            )
    for key, codec in game.snapshot_table.items():
        for field, why in _fields_of(codec, codec.field or key):
            if field not in fields:
                yield (
                    "snapshot",
                    (
                        f"the key {key!r} {why} the field {field!r}, which State has not (say "
                        "another with field= or length=)"
                    ),
                )


def _fields_of(codec: Codec, name: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of the state that one of the engine's codecs uses, and what for."""
    if isinstance(codec, Group):
        for key, entry in codec.entries.items():
            yield from _fields_of(entry, entry.field or f"{name}_{key}")
    elif isinstance(codec, PerSeat | PerName | InPhases):
        yield from _fields_of(codec.codec, name)
    elif isinstance(codec, Each):
        yield codec.length, "keeps its length in"
        yield from _fields_of(codec.codec, name)
    elif type(codec).__module__ == Codec.__module__:
        # a codec of the game's own may use what it likes
        yield name, "is stored in"
        if isinstance(codec, Items) and not codec.fixed:
            yield codec.length or f"{name}_len", "keeps its length in"
        if isinstance(codec, Counts) and codec.total:
            yield codec.total, "keeps its total in"
