"""The methods of the protocol."""

from collections.abc import Mapping
from copy import copy
from typing import Annotated, Any, Literal, cast

from msgspec import Meta

import dig_envs
from dig_envs.adapters.seat import Seat, opening_of
from dig_envs.agents.mistakes import mistakes
from dig_envs.agents.names import searches
from dig_envs.engine.core.checks import check_integer, check_seed
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.lines import event_line
from dig_envs.engine.core.words import NO_NAMES, Names, named
from dig_envs.engine.following import follow, possible
from dig_envs.engine.game import Array, Game, deciding
from dig_envs.engine.snapshots.codecs import NOBODY
from dig_envs.engine.snapshots.completing import seat_to_move
from dig_envs.language.guides import guide_text
from dig_envs.registry import list_environments, load_game
from dig_envs.server.protocol import answers, choosing
from dig_envs.server.protocol.allowance import Allowance
from dig_envs.server.protocol.choosing import Budget
from dig_envs.server.protocol.describing import description, summary
from dig_envs.server.protocol.limits import MEANINGS, Limits
from dig_envs.server.protocol.methods import method, methods_of
from dig_envs.server.protocol.positions import check_seat, choice, names_of_seats, result
from dig_envs.server.protocol.sessions import Sessions
from dig_envs.text.sentences import headline

# raised when a method, a parameter or an error changes its meaning; what is only added does not
# raise it
PROTOCOL = 1
MOST_EVENTS = 256  # that are followed at once

Environment = Annotated[str, Meta(description="such as `fossil_canyon_v0`")]
GameId = Annotated[str, Meta(description="as `new` or `load` named it")]
Snapshot = Annotated[dict[str, Any], Meta(description="a complete position")]
Position = Annotated[dict[str, Any] | None, Meta(description="a complete position, or give `view`")]
Options = Annotated[
    dict[str, Any] | None, Meta(description="of the game; those left out have their defaults")
]
Seed = Annotated[
    int | None, Meta(description="from -2^63 to 2^64 - 1; default: a new one each time")
]
Mover = Annotated[int | None, Meta(description="default: the first that is to decide")]
Onlooker = Annotated[int | None, Meta(description="whose view; null: what everybody may know")]
Action = Annotated[
    int | str | None, Meta(description="index or text; default: what the agent of the seat plays")
]
Agent = Annotated[
    str, Meta(description="a name of `describe`, with settings such as `search:c=0.7`")
]
Called = Annotated[
    list[str] | None, Meta(description="of all players, for the texts; empty for the usual name")
]
View = Annotated[
    dict[str, Any] | None,
    Meta(description="instead of a snapshot: what the seat sees, by default who is to move in it"),
]
SeatView = Annotated[dict[str, Any], Meta(description="what the seat saw before the events")]
Whose = Annotated[int, Meta(description="whose view it is")]
Memory = Annotated[
    str | None,
    Meta(description="of an agent that has one: from the last answer; empty at its first decision"),
]
Told = Annotated[
    list[Any],
    Meta(
        description="what the seat was told since the view, in order: as `view` and `act` give "
        "them, or lines such as `asked 2 3 TRI`",
        max_length=MOST_EVENTS,
    ),
]
Allowed = Annotated[Budget | None, Meta(description="for thinking")]
Json = dict[str, Any]


class Service:
    """The methods, and what they work on: the games of those who ask, within the limits, and what
    agents may think for them."""

    def __init__(self, limits: Limits, sessions: Sessions, allowance: Allowance) -> None:
        self.limits = limits
        self.sessions = sessions
        self.allowance = allowance

    # ------------------------------------------------------------ what there is

    @method
    def hello(self) -> answers.Hello:
        """Versions of the protocol and of the package, the limits, and the names of the methods."""
        limits = {name: getattr(self.limits, name) for name in MEANINGS}
        return {
            "protocol": PROTOCOL,
            "dig_envs": dig_envs.__version__,
            "limits": limits,
            "methods": list(METHODS),
        }

    @method
    def methods(self) -> list[answers.MethodDescription]:
        """The methods, with JSON Schemas of their parameters and their results."""
        return [entry.description() for entry in METHODS.values()]

    @method
    def environments(self) -> list[answers.Summary]:
        """All environments: name, title, least and greatest number of players, whether it is
        cooperative."""
        return [summary(load_game(name)) for name in list_environments()]

    @method
    def describe(self, environment: Environment) -> answers.Described:
        """An environment: options, phases, observation field by field, actions, agents that may be
        asked."""
        game = load_game(environment)
        return {**description(game), "agents": choosing.agents_of(game)}

    @method
    def schema(self, environment: Environment) -> answers.Schemas:
        """The JSON Schemas of an environment's snapshots and views."""
        game = load_game(environment)
        return {"snapshot": game.json_schema, "view": game.view_schema}

    @method
    def guide(self, environment: Environment, options: Options = None) -> answers.Guide:
        """The guide of a game for people and models, as far as it applies under these options."""
        game = load_game(environment)
        return {"title": game.title, "text": guide_text(game, game.complete_options(options or {}))}

    # ------------------------------------------------------------ games that the server keeps

    @method
    def new(
        self, environment: Environment, options: Options = None, seed: Seed = None
    ) -> answers.Situation:
        """Deal a game. As `load`, `play`, `act` and `undo`, it answers where the game stands."""
        game = load_game(environment)
        return self.sessions.add(game, game.deal(options or {}, seed)).situation()

    @method
    def load(self, environment: Environment, snapshot: Snapshot) -> answers.Situation:
        """Open a game that goes on from a position."""
        return self.sessions.add(*position_of(environment, snapshot)).situation()

    @method
    def play(
        self,
        game: GameId,
        seat: Annotated[int, Meta(description="that it plays")],
        agent: Annotated[str | None, Meta(description="as for `choose`; null: none any more")],
        budget: Allowed = None,
    ) -> answers.Situation:
        """Seat an agent. `act` without an action plays its decisions; the server keeps what it
        remembers, and its search tree."""
        session = self.sessions.get(game)
        spec = (
            None
            if agent is None
            else choosing.permitted_agent(
                choosing.with_budget(agent, budget, session.game, self.limits),
                session.game,
                self.limits,
            )
        )
        with session:
            session.seat(check_seat(session.states, seat), spec)
            return session.situation()

    @method
    def act(self, game: GameId, action: Action = None, seat: Mover = None) -> answers.Played:
        """Play an action of a seat that is to decide, or what its agent chooses. The answer has
        what that seat is told of it (`events`), too."""
        session = self.sessions.get(game)
        if action is not None:
            with session:
                return session.played(*session.act(seat, action))
        with self.allowance.thinking():
            return session.let_agent_act(
                seat, self.sessions.searches, self.limits.ms, self.allowance.check
            )

    @method
    def undo(
        self, game: GameId, actions: Annotated[int, Meta(ge=1, description="how many")] = 1
    ) -> answers.Situation:
        """Take back the last actions, whoever has played them; what was told of them is forgotten,
        and so is what agents remember of them."""
        with self.sessions.get(game) as session:
            session.undo(actions)
            return session.situation()

    @method
    def names(self, game: GameId, names: Called = None) -> answers.PlayerNames:
        """Name the players in all texts about a game. The answer has the names of all seats."""
        with self.sessions.get(game) as session:
            if names is not None:
                session.names = names_of_seats(names, session.num_seats)
            return {"names": [session.names.of(seat) for seat in range(session.num_seats)]}

    @method
    def view(
        self,
        game: GameId,
        seat: Onlooker = None,
        observation: Annotated[bool, Meta(description="the vector of the seat, too")] = False,
        since: Annotated[
            Annotated[int, Meta(ge=0)] | None,
            Meta(description="`next` of an earlier answer: tell the events from there on"),
        ] = None,
    ) -> answers.Seen:
        """Tell what a seat may know, and nothing else: its view, the position in words, what it was
        told, its legal actions.

        `events`: by default since its last decision; for everybody, since the last of anybody.
        `headline`: who is to decide what.
        """
        with self.sessions.get(game) as session:
            who = NOBODY if seat is None else check_seat(session.states, seat)
            view, names = session.game.to_view(session.snapshot(), who), session.names
            words = words_of(session.game, view, seat, names, deciding(session.states))
            first, told = session.events(seat, since)
            seen: answers.Seen = {
                "seat": seat,
                "view": view,
                "text": words["text"],
                "headline": words["headline"],
                "events": told,
                "next": first + len(told),
            }
            if seat is not None:
                seen["legal"] = session.legal(who)
                if observation:
                    seen["observation"] = session.game.look(session.states, who)[0].tolist()
            return seen

    @method
    def legal(self, game: GameId, seat: Mover = None) -> list[answers.LegalAction]:
        """The legal actions of a seat, each with index, text and label in plain English; none if it
        is not to decide."""
        with self.sessions.get(game) as session:
            who = session.seat_or_mover(seat)
            return [] if who is None else session.legal(who)

    @method
    def choices(self, game: GameId, seat: Mover = None) -> list[answers.Choice]:
        """The legal actions with what a page needs: what kind of action each is, how it is
        chosen in small steps, its cost, and what it belongs to in the picture."""
        from dig_envs.pictures import touched

        with self.sessions.get(game) as session:
            who, own, names = session.seat_or_mover(seat), session.game, session.names
            if who is None:
                return []
            view = own.to_view(session.snapshot(), who)
            warnings = own.warnings_of(session.states, who)
            return [
                choice(
                    own,
                    who,
                    session.num_seats,
                    action,
                    own.label(view, action, who, who, names),
                    touched(own, view, who, action),
                    names,
                    warnings[action],
                )
                for action in own.legal_actions(session.states, who)
            ]

    @method
    def save(self, game: GameId) -> Json:
        """The complete position, with all that is hidden: for the referee, never for a player."""
        with self.sessions.get(game) as session:
            return session.snapshot()

    @method
    def close(self, game: GameId) -> answers.Closed:
        """Forget a game."""
        self.sessions.close(game)
        return {"closed": game}

    # ------------------------------------------------------ positions that the program keeps itself

    @method
    def choose(
        self,
        environment: Environment,
        snapshot: Position = None,
        agent: Agent = "best",
        seat: Mover = None,
        budget: Allowed = None,
        seed: Seed = None,
        view: View = None,
        memory: Memory = None,
        events: Told | None = None,
    ) -> answers.Chosen:
        """Ask what an agent would play in a position, or for a seat from its view and what it was
        told since, and what its search found; nothing is kept.

        An agent with a memory needs `memory`, and the answer has what it remembers then.
        """
        own_seed = None if seed is None else check_seed(seed)
        if view is not None and seat is None:
            seat = seat_to_move(view)
        with self.allowance.thinking():
            game, states = one_position_of(environment, snapshot, view, seat, own_seed or 0)
            if events is not None:
                if view is None or seat is None:
                    raise SnapshotError("events go on from a view: give it instead of a snapshot")
                check = self.allowance.clock("following these events")
                states = follow(game, states, seat, events, own_seed or 0, check)[0]
            return choosing.choose(
                game,
                states,
                seat,
                agent,
                budget,
                own_seed,
                self.limits,
                self.allowance.check,
                memory,
            )

    @method
    def advise(
        self,
        environment: Annotated[str | None, Meta(description="of the position")] = None,
        snapshot: Position = None,
        agent: Annotated[str, Meta(description="as for `choose`")] = "best",
        seat: Mover = None,
        budget: Allowed = None,
        seed: Seed = None,
        view: View = None,
        memory: Memory = None,
        game: Annotated[
            str | None, Meta(description="instead of a position: an open game, as it is now")
        ] = None,
        top: Annotated[int, Meta(ge=1, le=20, description="most actions that are told")] = 3,
    ) -> answers.Advised:
        """Ask an agent for the best actions, each with the chance of winning in per cent and a
        reason, from what the seat may know alone; nothing is kept.

        `moves`: the best first; the agent's `choice` leads unless another is better by more than
        chance. In an open game an agent that plays the seat has what the server keeps of its
        memory. `chance`: if the scripted player goes on for everybody, on `games` deals of what the
        seat cannot know.
        """
        own_seed, kept = None if seed is None else check_seed(seed), dict[str, bytes]()
        names = NO_NAMES
        if game is not None:
            if any(given is not None for given in (environment, snapshot, view)):
                raise SnapshotError("give a game, or an environment with a snapshot or a view")
            with self.sessions.get(game) as session:
                played, states, names = session.game, session.states.copy(), session.names
                who = session.seat_or_mover(seat)
                player = None if who is None else session.players.get(who)
                kept = {player.spec: player.memory} if player else {}
        elif environment is None:
            raise SnapshotError("give a game, or an environment with a snapshot or a view")
        with self.allowance.thinking():
            if environment is not None:
                if view is not None and seat is None:
                    seat = seat_to_move(view)
                played, states = one_position_of(environment, snapshot, view, seat, own_seed or 0)
            return choosing.advise(
                played,
                states,
                seat,
                agent,
                budget,
                own_seed,
                self.limits,
                self.allowance.check,
                memory,
                top,
                kept,
                names,
            )

    @method
    def mistakes(
        self,
        game: GameId,
        seat: Annotated[int, Meta(description="whose")],
        most: Annotated[int, Meta(ge=1, le=10, description="that are told")] = 3,
    ) -> list[answers.Mistake]:
        """Tell the largest mistakes of a seat in an open game, by chances and scores as those
        of `advise`; `sure` is false if all may be chance."""
        with self.sessions.get(game) as session:
            check_seat(session.states, seat)
            log, names = copy(session.log), session.names
        with self.allowance.thinking():
            found = mistakes(log, seat, most, names, self.allowance.check)
        return [cast("answers.Mistake", one.to_json()) for one in found]

    @method
    def picture(
        self,
        environment: Environment,
        snapshot: Position = None,
        seat: Onlooker = None,
        theme: Annotated[
            Literal["light", "dark"], Meta(description="of the page it stands on")
        ] = "light",
        fonts: Annotated[bool, Meta(description="whether it carries its fonts, 40 KB")] = True,
        layout: Annotated[
            Literal["wide", "column"],
            Meta(description="960 pixels wide, or 360 for narrow screens"),
        ] = "wide",
        view: View = None,
        names: Called = None,
    ) -> answers.Picture:
        """Draw what a seat, or everybody, may know of a position, or a view of the seat, as SVG."""
        from dig_envs.pictures import picture

        game, seen = seen_by(environment, snapshot, view, seat)
        with named(names_in(seen, names)):
            return {"svg": picture(game, seen, seat, theme, fonts, layout)}

    @method
    def text(
        self,
        environment: Environment,
        snapshot: Position = None,
        seat: Onlooker = None,
        view: View = None,
        names: Called = None,
    ) -> answers.Text:
        """Tell in words what a seat, or everybody, may know of a position, or a view of the seat:
        `text`, and `headline`: who is to decide what."""
        game, seen = seen_by(environment, snapshot, view, seat)
        return words_of(game, seen, seat, names_in(seen, names))

    @method
    def follow(
        self, environment: Environment, view: SeatView, seat: Whose, events: Told, seed: Seed = None
    ) -> answers.Followed:
        """Tell what a seat sees after some events, at a table that gives no views: `view`, `text`,
        `headline` and its legal actions."""
        game, own_seed = load_game(environment), 0 if seed is None else check_seed(seed)
        with self.allowance.thinking():
            check = self.allowance.clock("following these events")
            states = game.complete(view, check_integer(seat, "seat", 0), own_seed)
            states = follow(game, states, seat, events, own_seed, check)[0]
        seen = game.to_view(game.to_snapshot(states[0]), seat)
        return {
            "view": seen,
            **words_of(game, seen, seat, NO_NAMES),
            "legal": cast("list[answers.LegalAction]", game.legal_texts(states, seat)),
        }

    @method
    def opening(
        self,
        environment: Environment,
        seat: Whose,
        options: Options = None,
        opening: Annotated[
            dict[str, Any] | None, Meta(description="the keys of `keys`, as the seat sees them")
        ] = None,
    ) -> answers.Opening:
        """Begin a game of which only a seat's own deal is known, such as its hand: which keys of
        its first view must be said, and the view that begins with them."""
        with self.allowance.thinking():
            if opening is None:
                keys, [view, *_] = opening_of(environment, seat, options)
            else:
                view = Seat.begin(environment, seat, opening, options).view()
                keys = [key for key in view if key in opening]
        return {"keys": keys, "view": view}

    @method
    def possible(
        self,
        environment: Environment,
        view: SeatView,
        seat: Whose,
        events: Annotated[
            Annotated[list[Any], Meta(max_length=MOST_EVENTS)] | None,
            Meta(description="the first of an action that is not complete yet, as for `follow`"),
        ] = None,
        seed: Seed = None,
    ) -> answers.Possibilities:
        """Tell what may come next: the events that the seat may be told, the likely ones first, and
        the actions of all who may act, as `choices` has them."""
        from dig_envs.pictures import touched

        game, own_seed = load_game(environment), 0 if seed is None else check_seed(seed)
        with self.allowance.thinking():
            check = self.allowance.clock("finding what may come")
            states = game.complete(view, check_integer(seat, "seat", 0), own_seed)
            may = possible(game, states, seat, events or [], own_seed, check)
        seats = len(view["scores"])

        def label(who: int, action: int) -> str:
            if who == seat:
                return game.label(view, action, who, seat)
            return game.action_list.label(action, who, seats, seat)

        return {
            "events": [
                cast("answers.PossibleEvent", {**one, "line": event_line(one, game.events)})
                for one in map(Event.to_json, may.events)
            ],
            "actions": [
                {
                    "seat": who,
                    **choice(
                        game,
                        who,
                        seats,
                        action,
                        label(who, action),
                        touched(game, view, who, action),
                    ),
                }
                for who, action in may.actions
            ],
            "ends": may.ends,
            "sure": may.sure,
        }

    @method
    def score(self, environment: Environment, snapshot: Snapshot) -> answers.Standing:
        """The scores of a position; when it is over the winners, the returns, and whether the turn
        limit ended it, too."""
        return result(*position_of(environment, snapshot))


def words_of(
    game: Game,
    view: Mapping[str, Any],
    seat: int | None,
    names: Names,
    deciding: list[int] | None = None,
) -> answers.Text:
    """A view in words, with these names of the seats; ``deciding``: as for
    :func:`~dig_envs.text.sentences.headline`."""
    with named(names):
        text = game.draw(view)
    return {"text": text, "headline": headline(game, view, seat, names, deciding)}


def names_in(view: Mapping[str, Any], given: list[str] | None) -> Names:
    """The names of the seats in a view; raises TypeError or ValueError for impossible ones."""
    return NO_NAMES if given is None else names_of_seats(given, len(view["scores"]))


def position_of(environment: str, snapshot: Any) -> tuple[Game, Array]:
    """The game of an environment, and the position of a snapshot (record array of length 1); raises
    SnapshotError."""
    game = load_game(environment)
    return game, game.from_snapshot(snapshot)


def seen_by(
    environment: str, snapshot: Any, view: Any, seat: int | None
) -> tuple[Game, Mapping[str, Any]]:
    """The game of an environment, and what a seat, or everybody (None), may know of the position of
    a snapshot; or the view itself, which must be one of the seat; raises SnapshotError."""
    if view is not None and seat is None:
        raise SnapshotError("a view is that of a seat: say `seat`, too")
    game, states = one_position_of(environment, snapshot, view, seat, 0)
    who = NOBODY if seat is None else check_seat(states, seat)
    return game, game.to_view(game.to_snapshot(states[0]), who)


def one_position_of(
    environment: str, snapshot: Any, view: Any, seat: int | None, seed: int
) -> tuple[Game, Array]:
    """The game of an environment, and the position of a snapshot, or one that agrees with the view
    of a seat; raises SnapshotError, also unless exactly one of both is given."""
    if (snapshot is None) == (view is None):
        raise SnapshotError("give a snapshot or a view, one of them")
    if view is None:
        return position_of(environment, snapshot)
    game = load_game(environment)
    return game, game.complete(view, check_integer(seat, "seat", 0), seed)


METHODS = methods_of(Service)


def given_in(message: Any) -> Mapping[str, Any]:
    """The parameters of a message by name, not checked yet; none of a message that has none."""
    params = message.get("params") if isinstance(message, dict) else None
    if isinstance(params, list):
        called = METHODS.get(str(message.get("method")))
        return dict(zip(called.params.__struct_fields__, params, strict=False)) if called else {}
    return params if isinstance(params, dict) else {}


def is_long(message: Any) -> bool:
    """Whether the answer to a message takes long: a picture is drawn, deals or events are tried, an
    agent is loaded, advises, or may search, a game is judged."""
    name, given = message.get("method") if isinstance(message, dict) else None, given_in(message)
    agent = given.get("agent", "best")
    return (
        name in ("picture", "follow", "opening", "possible", "advise", "mistakes", "play")
        or (name == "act" and given.get("action") is None)
        or (name == "choose" and given.get("events") is not None)
        or (name == "choose" and (not isinstance(agent, str) or searches(agent)))
    )
