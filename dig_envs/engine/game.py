"""The Game object: all that the adapters, the agents and the command line need to know of a game,
gathered from its modules."""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from dig_envs.engine.core.checks import check_seed
from dig_envs.engine.core.declared import Array, LayoutEntry, Rules
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.core.events import Events, Words
from dig_envs.engine.core.full_state import FullState
from dig_envs.engine.core.raw import ROOM, Columns, raw_fields, raw_rules, with_room
from dig_envs.engine.core.reasons import Reason
from dig_envs.engine.core.state import meanings_of
from dig_envs.engine.core.words import NO_NAMES, Names, Viewer
from dig_envs.engine.declarations import check_declared
from dig_envs.engine.snapshots.completing import Fill, complete
from dig_envs.engine.snapshots.snapshot import Snapshot, SnapshotGame

__all__ = ["Array", "Game", "LayoutEntry", "Rules", "Snapshot", "build_game", "deciding"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Game(SnapshotGame):
    """A game: what it declares, its compiled functions, and how to show and save a position.

    There is one object for each version of a game's environment
    (:func:`dig_envs.registry.load_game`), made from the modules of its folder by
    :func:`build_game`; the README of ``dig_envs.engine`` says which module gives what.

    Attributes:
        draw: the public part of a position as text, from a snapshot or a view.
        brief: the same in fewer words, for prompts; None: ``draw`` is short enough.
        consult: what the game's companion app says to a question: the rows of a table, the first
            its head. None without an app.
        search: settings of the search agent that suit the game better than the general ones
            (:mod:`dig_envs.agents.search`).
        guided_search: the same for a search that a policy guides, before those of ``search``.
        events: the kinds of events (``EVENTS`` in ``events.py``).
        headlines: for each phase, what is to be decided in it, as words about a view (``HEADLINES``
            there).
        sentence: what it is about, and for how many. minutes: how long people take for a game,
            roughly; 0: unknown. age: from which age on; 0: unknown. weight: 1 for a game that is
            learnt in a few minutes, 2 for one with more rules, 3 for one with many. family: the
            options that families may want to choose -> plain words for each.
        partner: who plays with people where nobody has said who (``PARTNER``).
        reason: why a finished game ended, or who has won it, from a view (``reason`` there); None:
            without a reason.
        reasons: the first action of a group -> why to do it, from what its seat may know
            (``REASONS`` in ``reasons.py``, :mod:`dig_envs.engine.core.reasons`).
        log_words: the sentences of kinds of events that the log of a table with people has in the
            place of theirs, since people are to remember the rest (``LOG_WORDS`` there).
        score_decides: whether the best score wins (``SCORE_DECIDES``); if not, it does so at the
            limit of a game's length at most.
        zero_sum: whether the returns of a game always add up to 0: a competitive game, but for one
            that may end without a winner (``ZERO_SUM`` there).
        sets: fields of the state that are sets, stored as bits -> how many bits count (``SETS`` in
            ``state.py``). scratch: fields that are zero between actions (``SCRATCH`` there).
        packed: numbers of a few bits that follow from other fields (``PACKED`` there). meanings:
            what each field says.
    """

    draw: Callable[[Mapping[str, Any]], str]
    brief: Callable[[Mapping[str, Any]], str] | None = None
    consult: Callable[[str], list[tuple[str, ...]]] | None = None
    search: Mapping[str, Any] = field(default_factory=dict)
    guided_search: Mapping[str, Any] = field(default_factory=dict)
    events: Events = field(default_factory=Events)
    headlines: Mapping[str, Words] = field(default_factory=dict)
    log_words: Mapping[str, Words] = field(default_factory=dict)
    reason: Callable[[Mapping[str, Any]], str] | None = None
    reasons: Mapping[int, Reason] = field(default_factory=dict)
    sentence: str = ""
    minutes: int = 0
    age: int = 0
    weight: int = 2
    family: Mapping[str, str] = field(default_factory=dict)
    partner: str = "best"
    score_decides: bool = True
    zero_sum: bool = True
    sets: Mapping[str, int] = field(default_factory=dict)
    scratch: tuple[str, ...] = ()
    packed: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)

    def label(
        self,
        view: Mapping[str, Any],
        action: int,
        seat: int,
        viewer: Viewer = None,
        names: Names = NO_NAMES,
    ) -> str:
        """An action of a seat in plain English, in the words of somebody who sees what the seat
        sees (a view, or a snapshot).

        It names what the seat alone may know: *Pick a circle with a passage east*. Other arguments:
        as for :meth:`dig_envs.engine.core.actions.Actions.label`, which says the same to everybody:
        *Pick card 2 of the hand*.
        """
        group = self.action_list.group(action)
        if group.seen is None:
            return self.action_list.label(action, seat, len(view["scores"]), viewer, names)
        template = group.seen(view, seat, *group.values(action))
        return self.action_list.label(action, seat, len(view["scores"]), viewer, names, template)

    def legal_texts(
        self, states: Array, seat: int, names: Names = NO_NAMES
    ) -> list[dict[str, Any]]:
        """The legal actions of a seat in the first state: ``action``, ``text`` and ``label`` of
        each (:meth:`label` in the seat's words, with these names of the seats; no two are the
        same)."""
        legal, seats = self.legal_actions(states, seat), int(states["num_players"][0])
        view: Mapping[str, Any] | None = None
        if any(self.action_list.group(action).seen for action in legal):  # others need none
            view = self.to_view(self.to_snapshot(states[0]), seat)
        labels = [
            self.action_list.label(action, seat, seats, seat, names)
            if view is None
            else self.label(view, action, seat, seat, names)
            for action in legal
        ]
        number_of = Counter(labels)
        return [
            {
                "action": action,
                "text": self.actions[action],
                "label": f"{said} ({self.actions[action]})" if number_of[said] > 1 else said,
            }
            for action, said in zip(legal, labels, strict=True)
        ]

    def deal(self, options: Mapping[str, Any], seed: int | None) -> Array:
        """A position at the beginning of a game, a record array of length 1.

        Args:
            options: those left out have their defaults.
            seed: from -2^63 to 2^64 - 1; None for a new one each time.

        Raises:
            OptionError: an unknown option, or a value that it does not allow. TypeError,
                ValueError: a wrong seed.
        """
        word = secrets.randbits(64) if seed is None else check_seed(seed)
        return self._deal(self.options_to_deal(options), word)

    def _deal(self, options: Mapping[str, Any], seed: int) -> Array:
        template = self.template(options)
        states, mask = template.copy(), np.zeros((1, len(self.actions)), np.int8)
        self.kernels.deal_one(states, np.uint64(seed), template, mask, *self.new_observations(1))
        return states

    def options_to_deal(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options with their values, as ``complete_options``; raises OptionError, too, if one
        is given that the variant decides otherwise (:mod:`dig_envs.engine.core.variants`)."""
        options = self.complete_options(given)
        first, number = options.get("variant", 0), options.get("variants", 1)
        own = [
            option.name
            for option in self.options
            if option.settled
            and option.name not in ("variant", "variants")
            and options[option.name] != option.default
        ]
        if own and (first, number) != (0, 1):
            settled = self.options_of(self._deal(options, 0)) if number == 1 else {}
            for name in own:
                if settled.get(name) != options[name]:
                    raise OptionError(
                        f"option {name!r}: {options[name]!r} cannot be chosen together with "
                        "'variant' or 'variants', which decide it; leave it out"
                    )
        return options

    def look(self, states: Array, seat: int) -> tuple[Array, Array]:
        """Observation float32 (observation_size,) and mask int8 (num_actions,) of a seat in the
        first state; the mask is all zero if it has no decision to make."""
        records, flat = self.new_observations(1)
        mask = np.zeros((1, len(self.actions)), np.int8)
        self.kernels.look_one(states, seat, mask, records, flat)
        return flat[0], mask[0]

    @cached_property
    def full_state(self) -> FullState:
        """The full state as numbers: ``layout``, ``size``, ``of(states)``
        (:mod:`dig_envs.engine.core.full_state`)."""
        return FullState(self.state, self.sets, self.scratch + self.packed, self.meanings)

    def complete(self, view: Any, seat: int, seed: int) -> Array:
        """A position that agrees with a seat's view, drawn as a re-deal draws it.

        Agents choose in it for that seat as in the true position, since they use nothing else.

        Args:
            view: as :meth:`to_view` gives it. seat: whose it is.
            seed: positions with other seeds differ in what the view hides.

        Returns:
            record array of length 1.

        Raises:
            SnapshotError: the view is malformed, or no position agrees with it; the message names
                the key. TypeError, ValueError: the seat or the seed is invalid.
        """
        return complete(self, self.fill, view, seat, seed)

    @cached_property
    def fill(self) -> Fill:
        """What the entries that a view hides may hold (``fill`` in ``completion.py``)."""
        found: Fill = import_module(f"{self.package}.completion").fill
        return found

    @cached_property
    def fill_told(self) -> Callable[..., tuple[Snapshot, dict[int, list[str]]]] | None:
        """The same with what events are going to show, and the actions that seats must have chosen
        for it (``fill_told`` there); None: events show no more than one entry at a time."""
        return getattr(import_module(f"{self.package}.completion"), "fill_told", None)

    @cached_property
    def derived(self) -> Callable[[Snapshot], Snapshot]:
        """The entries of a seat's first view that follow from its others, in which they may be
        wrong (``derived`` there); default: none."""
        found: Callable[[Snapshot], Snapshot] = getattr(
            import_module(f"{self.package}.completion"), "derived", lambda first: {}
        )
        return found

    @cached_property
    def players(self) -> Mapping[str, Callable[["Game"], Any]]:
        """Players of its own beside the scripted one: name -> what makes it (``PLAYERS`` in
        ``players.py``, loaded when asked)."""
        found: Mapping[str, Callable[[Game], Any]] = (
            _if_there(self.package, "players", "PLAYERS") or {}
        )
        return found

    @cached_property
    def player_for_people(self) -> str:
        """The name of the player that is the level ``hard`` for people, ``FOR_PEOPLE`` in
        ``players.py``; else ``heuristic``."""
        name = getattr(_module_if_there(self.package, "players"), "FOR_PEOPLE", None)
        return "heuristic" if name is None else f"{self.name}/{name}"

    @cached_property
    def painter(self) -> ModuleType | None:
        """The module ``picture`` of the game, which draws its views (:mod:`dig_envs.pictures`);
        None where it has none."""
        return _module_if_there(self.package, "picture")

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles name the game and the version: there is one object for each."""
        return build_game, (self.package, self.version, self.usual is not None)


def deciding(states: Array) -> list[int]:
    """The seats that have a decision to make in the first state."""
    return [int(seat) for seat in np.flatnonzero(states["owes"][0])]


# ---------------------------------------------------------------- from modules


@cache
def build_game(package: str, version: int, raw: bool) -> Game:
    """A version of the game in a package such as ``dig_envs.games.fossil_canyon``, from what its
    modules define.

    ``raw``: with raw observations; the same object as without where these are the usual ones.

    ``setup``, ``legal_actions``, ``apply_action`` and ``determinize`` are taken from the module
    that bears the function's name, if there is one, else from ``rules``, and ``check`` from
    ``invariants``, if there is such a module, else from ``snapshot``.

    Raises:
        AttributeError, ModuleNotFoundError: naming what is lacking. RulesError: naming what does
            not fit together.
    """

    if raw:
        return _with_raw_observations(build_game(package, version, False))

    def module(part: str) -> Any:
        return import_module(f"{package}.{part}")

    def rule(function: str) -> Any:
        return getattr(_module_if_there(package, function) or module("rules"), function)

    about, state, rules, snapshot = (
        import_module(package),
        module("state"),
        module("rules"),
        module("snapshot"),
    )
    components, observation, foresight = (
        module("components"),
        module("observation"),
        _module_if_there(package, "foresight"),
    )
    options = [option.in_version(version) for option in state.OPTIONS]
    game = Game(
        package=package,
        version=version,
        title=about.TITLE,
        cooperative=about.COOPERATIVE,
        search=getattr(about, "SEARCH", {}),
        guided_search=getattr(about, "GUIDED_SEARCH", {}),
        events=_if_there(package, "events", "EVENTS") or Events(),
        headlines=_if_there(package, "events", "HEADLINES") or {},
        log_words=getattr(_module_if_there(package, "events"), "LOG_WORDS", {}),
        reason=_if_there(package, "events", "reason"),
        reasons=_if_there(package, "reasons", "REASONS") or {},
        sentence=" ".join((about.__doc__ or "").split("\n\n")[0].split()).partition(": ")[2],
        minutes=getattr(about, "MINUTES", 0),
        age=getattr(about, "AGE", 0),
        weight=getattr(about, "WEIGHT", 2),
        family=getattr(about, "FAMILY", {}),
        partner=getattr(about, "PARTNER", "best"),
        score_decides=getattr(about, "SCORE_DECIDES", True),
        zero_sum=not about.COOPERATIVE and _of_version(about, "ZERO_SUM", version, True),
        state=state.State,
        sets=getattr(state, "SETS", {}),
        scratch=getattr(state, "SCRATCH", ()),
        packed=getattr(state, "PACKED", ()),
        meanings=meanings_of(state.FIELDS),
        facts_type=getattr(state, "Facts", None),
        action_list=state.ACTIONS.in_version(version),
        phases=state.PHASES,
        options=tuple(option for option in options if option.since <= version),
        fixed_options=tuple(option for option in options if option.since > version),
        check_options=getattr(state, "check_options", None),
        max_actions=components.MAX_ACTIONS,
        data_hash=_of_version(components, "DATA_HASH", version, ""),
        fields=observation.FIELDS.in_version(version),
        rules=Rules(
            setup=rule("setup"),
            legal_actions=rule("legal_actions"),
            apply_action=rule("apply_action"),
            determinize=rule("determinize"),
            observe=_of_version(observation, "observe", version),
            heuristic=module("heuristic").heuristic,
            derive=getattr(rules, "derive", None),
            inspect=getattr(rules, "inspect", None),
            estimate=_if_there(package, "estimate", "estimate"),
            expected_returns=getattr(foresight, "expected_returns", None),
            put_off=getattr(foresight, "put_off", None),
            styled=getattr(module("heuristic"), "styled", None),
            playout=getattr(module("heuristic"), "playout", None),
            grave=_if_there(package, "grave", "grave"),
            suppose=_if_there(package, "suppose", "suppose"),
        ),
        styles=_if_there(package, "styles", "STYLES") or {},
        snapshot_table={
            key: codec for key, codec in snapshot.SNAPSHOT.items() if codec.since <= version
        },
        check_position=(_module_if_there(package, "invariants") or snapshot).check,
        adjust_view=getattr(snapshot, "adjust_view", None),
        draw=module("drawing").draw,
        brief=getattr(module("drawing"), "brief", None),
        consult=_if_there(package, "app", "consult"),
    )
    check_declared(game, game.events, game.reasons)
    return game


def _with_raw_observations(game: Game) -> Game:
    """The same game with raw observations (:mod:`dig_envs.engine.core.raw`)."""
    observation = import_module(f"{game.package}.observation")
    news = getattr(observation, "NEWS", None)
    if news is None and not any(one.derived for one in game.fields.fields):
        return game
    columns = None if news is None else Columns(news, game.events, game.max_players)
    return replace(
        game,
        usual=game,
        fields=raw_fields(game.fields, columns),
        rules=raw_rules(
            game.rules, game.fields, columns, getattr(observation, "observe_raw", None)
        ),
        state=game.state if news is None else with_room(game.state, news),
        packed=game.packed if news is None else (*game.packed, *ROOM),
        news_kinds=0 if news is None else news.kinds_in_bits,
    )


def _of_version(module: Any, name: str, version: int, *otherwise: Any) -> Any:
    """The object of this name for a version: ``observe_v2`` from version 2 on, ``observe`` before;
    ``otherwise`` if there is neither."""
    for number in range(version, 0, -1):
        if (found := getattr(module, f"{name}_v{number}", None)) is not None:
            return found
    return getattr(module, name, *otherwise)


def _module_if_there(package: str, part: str) -> ModuleType | None:
    name = f"{package}.{part}"
    return import_module(name) if find_spec(name) is not None else None


def _if_there(package: str, part: str, name: str) -> Any:
    """The object of this name in a module of a package; None if there is no such module."""
    module = _module_if_there(package, part)
    return None if module is None else getattr(module, name)
