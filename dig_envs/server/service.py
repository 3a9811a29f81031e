"""The methods of the protocol."""

import secrets
from typing import Annotated, Any, Literal

from msgspec import Meta

import dig_envs
from dig_envs.engine.checks import check_seed
from dig_envs.engine.schema import NOBODY
from dig_envs.registry import load_game
from dig_envs.server import choosing
from dig_envs.server.choosing import Budget
from dig_envs.server.describing import description, schemas, summaries
from dig_envs.server.held import HeldGames, check_seat, deal, legal_texts, look, prepare, result
from dig_envs.server.limits import Limits
from dig_envs.server.methods import method, methods_of

PROTOCOL = 1  # raised when a method, a parameter or an error changes its meaning; what is only added does not raise it
LIMITS_TOLD = ("message_bytes", "batch", "depth", "games", "undo", "sims", "ms")
WORD = 64  # bits of a seed

Environment = Annotated[str, Meta(description="such as `fossil_canyon_v0`")]
GameId = Annotated[str, Meta(description="as `new` or `load` named it")]
Snapshot = Annotated[dict[str, Any], Meta(description="a complete position")]
Options = Annotated[dict[str, Any] | None, Meta(description="of the game; those left out have their defaults")]
Seed = Annotated[int | None, Meta(description="from -2^63 to 2^64 - 1; default: a new one each time")]
Mover = Annotated[int | None, Meta(description="default: the first that owes a decision")]
Onlooker = Annotated[int | None, Meta(description="whose view; null: what everybody may know")]
Action = Annotated[int | str, Meta(description="index or text")]
Allowed = Annotated[Budget | None, Meta(description="for thinking")]
Json = dict[str, Any]


class Service:
    """What the methods work on: the games held for those who ask, within the limits."""

    def __init__(self, limits: Limits, games: HeldGames) -> None:
        self.limits = limits
        self.games = games

    # ------------------------------------------------------------ what there is

    @method
    def hello(self) -> Json:
        """Versions of the protocol and of the package, the limits, and the names of the methods."""
        limits = {name: getattr(self.limits, name) for name in LIMITS_TOLD}
        return {"protocol": PROTOCOL, "dig_envs": dig_envs.__version__, "limits": limits, "methods": list(METHODS)}

    @method
    def methods(self) -> list[Json]:
        """The methods with their parameters as JSON Schema."""
        return [entry.description() for entry in METHODS.values()]

    @method
    def environments(self) -> list[Json]:
        """All environments: name, title, least and greatest number of players, whether it is cooperative."""
        return summaries()

    @method
    def describe(self, environment: Environment) -> Json:
        """An environment: options, phases, observation field by field, actions, agents that may be asked."""
        game = load_game(environment)
        return {**description(environment), "agents": choosing.agents_of(game, self.limits)}

    @method
    def schema(self, environment: Environment) -> Json:
        """The JSON Schemas of an environment's snapshots and views."""
        return schemas(environment)

    # ------------------------------------------------------------ games that the server holds

    @method
    def new(self, environment: Environment, options: Options = None, seed: Seed = None) -> Json:
        """Deal a game. The answer says where it stands, as those of the three below do."""
        game = load_game(environment)
        states = deal(game, options or {}, secrets.randbits(WORD) if seed is None else check_seed(seed))
        return self.games.add(game, states).situation()

    @method
    def load(self, environment: Environment, snapshot: Snapshot) -> Json:
        """Hold a game that goes on from a position."""
        game = prepare(load_game(environment))
        return self.games.add(game, game.from_snapshot(snapshot)).situation()

    @method
    def act(self, game: GameId, action: Action, seat: Mover = None) -> Json:
        """Play an action of a seat that owes a decision."""
        with self.games.get(game) as held:
            played = held.act(seat, action)
            return {**held.situation(), "played": held.game.actions[played]}

    @method
    def undo(self, game: GameId, actions: Annotated[int, Meta(ge=1, description="how many")] = 1) -> Json:
        """Take back the last actions."""
        with self.games.get(game) as held:
            held.undo(actions)
            return held.situation()

    @method
    def view(
        self,
        game: GameId,
        seat: Onlooker = None,
        observation: Annotated[bool, Meta(description="the vector of the seat, too")] = False,
    ) -> Json:
        """What a seat may know, and nothing else: its view, the position in words, its legal actions if it owes a decision."""
        with self.games.get(game) as held:
            who = NOBODY if seat is None else check_seat(held.states, seat)
            view = held.game.to_view(held.snapshot(), who)
            seen: Json = {"seat": seat, "view": view, "text": held.game.draw(view)}
            if seat is not None:
                seen["legal"] = legal_texts(held.game, held.states, who)
                if observation:
                    seen["observation"] = look(held.game, held.states, who)[0].tolist()
            return seen

    @method
    def legal(self, game: GameId, seat: Mover = None) -> list[Json]:
        """The legal actions of a seat, each with index and text; none if it owes no decision."""
        with self.games.get(game) as held:
            who = held.mover() if seat is None else check_seat(held.states, seat)
            return [] if who is None else legal_texts(held.game, held.states, who)

    @method
    def save(self, game: GameId) -> Json:
        """The complete position, with all that is hidden: for who holds the game, never for a player."""
        with self.games.get(game) as held:
            return held.snapshot()

    @method
    def close(self, game: GameId) -> Json:
        """Forget a game."""
        self.games.close(game)
        return {"closed": game}

    # ------------------------------------------------------------ positions that the program keeps itself

    @method
    def choose(
        self,
        environment: Environment,
        snapshot: Snapshot,
        agent: Annotated[str, Meta(description="a name of `describe`, with settings such as `search:c=0.7`")],
        seat: Mover = None,
        budget: Allowed = None,
        seed: Seed = None,
    ) -> Json:
        """What an agent would play in a position, and what its search found; nothing is kept."""
        game = prepare(load_game(environment))
        states = game.from_snapshot(snapshot)
        return choosing.choose(game, states, seat, agent, budget, None if seed is None else check_seed(seed), self.limits)

    @method
    def picture(
        self,
        environment: Environment,
        snapshot: Snapshot,
        seat: Onlooker = None,
        theme: Annotated[Literal["light", "dark"], Meta(description="of the page it stands on")] = "light",
        fonts: Annotated[bool, Meta(description="whether it carries its fonts, 40 KB")] = True,
    ) -> Json:
        """What a seat, or everybody, may know of a position as SVG."""
        from dig_envs.pictures import picture

        game = prepare(load_game(environment))
        states = game.from_snapshot(snapshot)
        view = game.to_view(snapshot, NOBODY if seat is None else check_seat(states, seat))
        return {"svg": picture(game, view, seat, theme, fonts)}

    @method
    def score(self, environment: Environment, snapshot: Snapshot) -> Json:
        """The scores of a position; when it is over the winners, the returns, and whether the turn limit ended it, too."""
        game = prepare(load_game(environment))
        return result(game, game.from_snapshot(snapshot))


METHODS = methods_of(Service)
