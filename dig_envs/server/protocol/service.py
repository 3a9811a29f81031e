"""The methods of the protocol."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

import dig_envs
from dig_envs.agents.names import searches
from dig_envs.engine.core.checks import check_integer, check_seed
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.following import follow
from dig_envs.engine.game import Array, Game
from dig_envs.engine.snapshots.codecs import NOBODY
from dig_envs.engine.snapshots.completing import seat_to_move
from dig_envs.registry import list_environments, load_game
from dig_envs.server.protocol import choosing
from dig_envs.server.protocol.allowance import Allowance
from dig_envs.server.protocol.choosing import Budget
from dig_envs.server.protocol.describing import description, summary
from dig_envs.server.protocol.limits import MEANINGS, Limits
from dig_envs.server.protocol.methods import method, methods_of
from dig_envs.server.protocol.positions import check_seat, deal, deciding, look, result
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
Action = Annotated[int | str, Meta(description="index or text")]
View = Annotated[
    dict[str, Any] | None,
    Meta(description="instead of a snapshot: what the seat sees, by default who is to move in it"),
]
Memory = Annotated[
    str | None,
    Meta(description="of an agent that has one: from the last answer; empty at its first decision"),
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
    def hello(self) -> Json:
        """Versions of the protocol and of the package, the limits, and the names of the methods."""
        limits = {name: getattr(self.limits, name) for name in MEANINGS}
        return {
            "protocol": PROTOCOL,
            "dig_envs": dig_envs.__version__,
            "limits": limits,
            "methods": list(METHODS),
        }

    @method
    def methods(self) -> list[Json]:
        """The methods with their parameters as JSON Schema."""
        return [entry.description() for entry in METHODS.values()]

    @method
    def environments(self) -> list[Json]:
        """All environments: name, title, least and greatest number of players, whether it is
        cooperative."""
        return [summary(load_game(name)) for name in list_environments()]

    @method
    def describe(self, environment: Environment) -> Json:
        """An environment: options, phases, observation field by field, actions, agents that may be
        asked."""
        game = load_game(environment)
        return {**description(game), "agents": choosing.agents_of(game)}

    @method
    def schema(self, environment: Environment) -> Json:
        """The JSON Schemas of an environment's snapshots and views."""
        game = load_game(environment)
        return {"snapshot": game.json_schema, "view": game.view_schema}

    # ------------------------------------------------------------ games that the server keeps

    @method
    def new(self, environment: Environment, options: Options = None, seed: Seed = None) -> Json:
        """Deal a game. The answer says where it stands, as those of the three below do."""
        game = load_game(environment)
        return self.sessions.add(game, deal(game, options or {}, seed)).situation()

    @method
    def load(self, environment: Environment, snapshot: Snapshot) -> Json:
        """Open a game that goes on from a position."""
        return self.sessions.add(*position_of(environment, snapshot)).situation()

    @method
    def act(self, game: GameId, action: Action, seat: Mover = None) -> Json:
        """Play an action of a seat that is to decide. The answer has what that seat is told of it
        (`events`), too."""
        with self.sessions.get(game) as session:
            played, events = session.act(seat, action)
            told = [event.to_json() for event in events]
            return {**session.situation(), "played": session.game.actions[played], "events": told}

    @method
    def undo(
        self, game: GameId, actions: Annotated[int, Meta(ge=1, description="how many")] = 1
    ) -> Json:
        """Take back the last actions."""
        with self.sessions.get(game) as session:
            session.undo(actions)
            return session.situation()

    @method
    def view(
        self,
        game: GameId,
        seat: Onlooker = None,
        observation: Annotated[bool, Meta(description="the vector of the seat, too")] = False,
    ) -> Json:
        """Tell what a seat may know, and nothing else: its view, the position in words, what it was
        told, its legal actions.

        `events`: since its last decision; for everybody, since the last of anybody. `headline`: who
        is to decide what.
        """
        with self.sessions.get(game) as session:
            who = NOBODY if seat is None else check_seat(session.states, seat)
            view = session.game.to_view(session.snapshot(), who)
            seen: Json = {
                "seat": seat,
                "view": view,
                "text": session.game.draw(view),
                "headline": headline(session.game, view, seat, deciding=deciding(session.states)),
                "events": [event.to_json() for event in session.log.since(seat)],
            }
            if seat is not None:
                seen["legal"] = session.game.legal_texts(session.states, who)
                if observation:
                    seen["observation"] = look(session.game, session.states, who)[0].tolist()
            return seen

    @method
    def legal(self, game: GameId, seat: Mover = None) -> list[Json]:
        """The legal actions of a seat, each with index, text and label in plain English; none if it
        is not to decide."""
        with self.sessions.get(game) as session:
            who = (
                next(iter(deciding(session.states)), None)
                if seat is None
                else check_seat(session.states, seat)
            )
            return [] if who is None else session.game.legal_texts(session.states, who)

    @method
    def save(self, game: GameId) -> Json:
        """The complete position, with all that is hidden: for the referee, never for a player."""
        with self.sessions.get(game) as session:
            return session.snapshot()

    @method
    def close(self, game: GameId) -> Json:
        """Forget a game."""
        self.sessions.close(game)
        return {"closed": game}

    # ------------------------------------------------------ positions that the program keeps itself

    @method
    def choose(
        self,
        environment: Environment,
        snapshot: Position = None,
        agent: Annotated[
            str, Meta(description="a name of `describe`, with settings such as `search:c=0.7`")
        ] = "best",
        seat: Mover = None,
        budget: Allowed = None,
        seed: Seed = None,
        view: View = None,
        memory: Memory = None,
    ) -> Json:
        """Ask what an agent would play in a position, or for a seat from its view, and what its
        search found; nothing is kept.

        An agent with a memory needs `memory`, and the answer has what it remembers then.
        """
        own_seed = None if seed is None else check_seed(seed)
        if view is not None and seat is None:
            seat = seat_to_move(view)
        game, states = one_position_of(environment, snapshot, view, seat, own_seed or 0)
        with self.allowance.thinking():
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
    ) -> Json:
        """Ask an agent for the best actions, each with the chance of winning in per cent and a
        reason, from what the seat may know alone; nothing is kept.

        `moves`: what the agent plays first, then by its own ranking. `chance`: if the scripted
        player goes on for everybody, on `games` deals of what the seat cannot know.
        """
        own_seed = None if seed is None else check_seed(seed)
        if game is not None:
            if any(given is not None for given in (environment, snapshot, view)):
                raise SnapshotError("give a game, or an environment with a snapshot or a view")
            with self.sessions.get(game) as session:
                played, states = session.game, session.states.copy()
        elif environment is None:
            raise SnapshotError("give a game, or an environment with a snapshot or a view")
        else:
            if view is not None and seat is None:
                seat = seat_to_move(view)
            played, states = one_position_of(environment, snapshot, view, seat, own_seed or 0)
        with self.allowance.thinking():
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
            )

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
    ) -> Json:
        """Draw what a seat, or everybody, may know of a position, or a view of the seat, as SVG."""
        from dig_envs.pictures import picture

        game, seen = seen_by(environment, snapshot, view, seat)
        return {"svg": picture(game, seen, seat, theme, fonts, layout)}

    @method
    def text(
        self,
        environment: Environment,
        snapshot: Position = None,
        seat: Onlooker = None,
        view: View = None,
    ) -> Json:
        """Tell in words what a seat, or everybody, may know of a position, or a view of the seat:
        `text`, and `headline`: who is to decide what."""
        game, seen = seen_by(environment, snapshot, view, seat)
        return {"text": game.draw(seen), "headline": headline(game, seen, seat)}

    @method
    def follow(
        self,
        environment: Environment,
        view: Annotated[dict[str, Any], Meta(description="what the seat saw before the events")],
        seat: Annotated[int, Meta(description="whose view it is")],
        events: Annotated[
            list[Any],
            Meta(
                description="what it was told since, in order: as `view` and `act` give them, or "
                "lines such as `asked 2 3 TRI`",
                max_length=MOST_EVENTS,
            ),
        ],
        seed: Seed = None,
    ) -> Json:
        """Tell what a seat sees after some events, at a table that gives no views: `view`, `text`,
        `headline` and its legal actions."""
        game, own_seed = load_game(environment), 0 if seed is None else check_seed(seed)
        states = game.complete(view, check_integer(seat, "seat", 0), own_seed)
        states, _, _ = follow(game, states, seat, events, own_seed)
        seen = game.to_view(game.to_snapshot(states[0]), seat)
        return {
            "view": seen,
            "text": game.draw(seen),
            "headline": headline(game, seen, seat),
            "legal": game.legal_texts(states, seat),
        }

    @method
    def score(self, environment: Environment, snapshot: Snapshot) -> Json:
        """The scores of a position; when it is over the winners, the returns, and whether the turn
        limit ended it, too."""
        return result(*position_of(environment, snapshot))


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
LONG = ("choose", "advise", "picture", "follow")


def is_long(message: Any) -> bool:
    """Whether the answer to a message takes long: a picture is drawn, events are followed, or an
    agent is asked that may search."""
    if not isinstance(message, dict) or message.get("method") not in LONG:
        return False
    params = message.get("params")
    agent = params.get("agent") if isinstance(params, dict) else None  # in order: whoever it is
    return message["method"] != "choose" or not isinstance(agent, str) or searches(agent)
