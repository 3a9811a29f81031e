"""The tools and resources of the server. What they tell is made from the view and the events of one
seat, or is public."""

import functools
from collections.abc import Callable, Mapping
from copy import copy
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

import dig_envs
from dig_envs.agents.best import adviser
from dig_envs.agents.mistakes import MOST_MISTAKES, mistakes, mistakes_text
from dig_envs.agents.names import searches
from dig_envs.engine.core.errors import DigEnvsError, ForfeitError
from dig_envs.engine.core.texts import message_text
from dig_envs.engine.core.words import NO_NAMES, capitalised
from dig_envs.engine.game import Game
from dig_envs.registry import list_environments, load_game
from dig_envs.server.mcp import words
from dig_envs.server.mcp.calls import Calls
from dig_envs.server.mcp.tables import NoSeatError, Table, Tables
from dig_envs.server.protocol import choosing
from dig_envs.server.protocol.allowance import Allowance
from dig_envs.server.protocol.choosing import agents_of
from dig_envs.server.protocol.describing import summary
from dig_envs.server.protocol.positions import result

INSTRUCTIONS = """\
Tabletop games against agents. list_environments says which there are, read_rules explains one, \
start_game deals it and names a key for each seat that you play. Then, until the game is over: \
read where it stands (start_game, play and look tell it), and call play with the key and one of \
the legal actions. Agents play the other seats in between. You are told what your seat may know, \
nothing else."""
# errors that say in words what was wrong
EXPECTED = (DigEnvsError, ValueError, TypeError, ImportError)
LONGEST = 1000  # characters of an action in words
MOST_LISTED = 200  # legal actions in one answer
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
ENDS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)

Key = Annotated[str, Field(max_length=200, description="of your seat, as start_game named it")]
Environment = Annotated[str, Field(max_length=200, description="such as go_dig_v0")]
Options = Annotated[
    dict[str, Any] | None,
    Field(
        description=(
            "of the game, as list_environments names them; those left out have their defaults"
        )
    ),
]
Seed = Annotated[
    int | None,
    Field(
        strict=True,  # True, "7" and 7.0 are refused, as everywhere
        description=(
            "of the deal and of agents that draw at random; leave it out for a new game each time"
        ),
    ),
]


def answer(text: str, told: Mapping[str, Any]) -> CallToolResult:
    """An answer as text for a model and the same as JSON for a program."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=dict(told)
    )


def make_server(tables: Tables, calls: Calls) -> MCPServer[Any]:
    """The server with all tools and resources for these games; ``calls`` carries the tool calls
    out."""
    server: MCPServer[Any] = MCPServer(
        "dig_envs",
        title="Digging games",
        instructions=INSTRUCTIONS,
        version=dig_envs.__version__,
        log_level="WARNING",
    )
    for name, hints in (
        ("list_environments", READS),
        ("read_rules", READS),
        ("start_game", CHANGES),
        ("list_games", READS),
        ("look", CHANGES),  # agents may go on with their decisions
        ("legal_actions", READS),
        ("play", CHANGES),
        ("hint", READS),
        ("mistakes", READS),
        ("end_game", ENDS),
    ):
        server.add_tool(as_tool(name, tables, calls), annotations=hints, structured_output=False)
    add_resources(server, tables, calls)
    return server


def as_tool(name: str, tables: Tables, calls: Calls) -> Callable[..., Any]:
    """A tool that runs at its client's turn and reports errors in a form that the model can
    read."""
    function = getattr(Tools(tables, Allowance(tables.limits)), name)

    @functools.wraps(function)
    async def called(**arguments: Any) -> Any:
        def work(allowance: Allowance) -> Any:
            return getattr(Tools(tables, allowance), name)(**arguments)

        try:
            return await calls.carry_out(work, *weight(name, tables, arguments))
        except EXPECTED as error:
            raise ToolError(message_text(str(error))) from None

    return called


def weight(name: str, tables: Tables, arguments: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether a call may take long (a search or a compilation), and its game ("" for none); raises
    NoSeatError."""
    if name == "start_game":
        opponents = arguments["opponents"]
        names = [opponents] if isinstance(opponents, str) else opponents
        return any(map(searches, names)) or not tables.knows(arguments["environment"]), ""
    if "key" not in arguments or name == "end_game":
        return False, ""
    table, _ = tables.seat(arguments["key"])
    long = searches(arguments["agent"] or "") if name == "hint" else table.searching
    long = name == "mistakes" or (long and name in ("hint", "look", "play"))
    return long, table.session.name


class Tools:
    """The tools; each answers with a text and the same as JSON.

    Args:
        tables: the games in progress.
        allowance: for how long agents may think.
    """

    def __init__(self, tables: Tables, allowance: Allowance) -> None:
        self.tables, self.allowance = tables, allowance

    # ------------------------------------------------------------ before a game

    def list_environments(self) -> CallToolResult:
        """List the games that can be played, with their options and the agents that can be
        opponents or teammates."""
        found = [self._described(load_game(name)) for name in list_environments()]
        return answer("\n\n".join(map(words.described, found)), {"environments": found})

    def _described(self, game: Game) -> dict[str, Any]:
        options = [
            {
                "name": o.name,
                "values": words.values_of(o),
                "default": o.default,
                "meaning": o.meaning,
            }
            for o in game.options
        ]
        return {**summary(game), "options": options, "agents": agents_of(game)}

    def read_rules(self, environment: Environment, options: Options = None) -> CallToolResult:
        """Read the rules of a game."""
        game = load_game(environment)
        text = words.rules(game, game.complete_options(options or {}))
        return answer(text, {"environment": game.env_name, "rules": text})

    # ------------------------------------------------------------ a game

    def start_game(
        self,
        environment: Environment,
        options: Options = None,
        seats: Annotated[
            list[int] | None, Field(description="that you play, the first is 0; default: the first")
        ] = None,
        opponents: Annotated[
            str | list[str],
            Field(
                description=(
                    "agents that play the other seats: one for all of them, or one for each in the "
                    "order of the seats"
                )
            ),
        ] = "heuristic",
        seed: Seed = None,
    ) -> CallToolResult:
        """Deal a game. The answer names the key of each of your seats, and says where the game
        stands for the first of them."""
        names = [opponents] if isinstance(opponents, str) else opponents
        table = self.tables.start(
            environment,
            options or {},
            [0] if seats is None else seats,
            names,
            seed,
            self.allowance.address,
        )
        keys = [
            {"seat": seat, "player": NO_NAMES.of(seat), "key": key}
            for seat, key in table.keys.items()
        ]
        try:
            with table.session:
                stand = self._later(table, min(table.keys))
        except Exception:  # nobody learns the keys
            self.tables.end(next(iter(table.keys.values())))
            raise
        said = "\n".join(f"You play {each['player']} with the key {each['key']}" for each in keys)
        return answer(f"{said}\n\n{words.standing(stand)}", {"keys": keys, **stand})

    def list_games(self) -> CallToolResult:
        """List the games in progress, as far as everybody may know them."""
        found = [self._public(table) for table in self.tables.all()]
        return answer(
            "\n\n".join(map(words.public, found)) or "No game is in progress.", {"games": found}
        )

    def _public(self, table: Table) -> dict[str, Any]:
        """The public facts of a game; keys only if nobody else asks."""
        told: dict[str, Any] = {
            "environment": table.game.env_name,
            "options": dict(table.options),
            "players": [words.player(agent) for agent in table.players],
            "seed_given": table.seeded,
            **table.public,
        }
        if not self.tables.shared:
            told["keys"] = [
                {"seat": seat, "player": NO_NAMES.of(seat), "key": key}
                for seat, key in table.keys.items()
            ]
        return told

    def look(self, key: Key) -> CallToolResult:
        """See where a game stands for your seat: the position, what happened since your last
        decision, your legal actions."""
        table, seat = self.tables.seat(key)
        with table.session:
            stand = self._later(table, seat)
        return answer(words.standing(stand), stand)

    def legal_actions(
        self,
        key: Key,
        start: Annotated[int, Field(ge=0, description="how many to skip")] = 0,
        count: Annotated[int, Field(ge=1, le=MOST_LISTED, description="how many to list")] = 50,
        containing: Annotated[
            str,
            Field(max_length=200, description="only those whose words or notation contain this"),
        ] = "",
    ) -> CallToolResult:
        """List the legal actions of your seat, each with its index, its notation and its words; a
        page at a time."""
        table, seat = self.tables.seat(key)
        with table.session:
            legal = table.game.legal_texts(table.session.states, seat)
        sought = containing.casefold()
        found = [
            each
            for each in legal
            if sought in each["label"].casefold() or sought in each["text"].casefold()
        ]
        page = found[start : start + count]
        return answer(
            words.listed(page, start, len(found), len(legal)),
            {"legal": page, "found": len(found), "legal_in_all": len(legal)},
        )

    def play(
        self,
        key: Key,
        action: Annotated[
            int | Annotated[str, Field(max_length=LONGEST)],
            Field(description="a legal action: its index, its notation or its words"),
        ],
    ) -> CallToolResult:
        """Play an action of your seat. Then agents play, and the answer says where the game stands,
        as look does.

        In a list of actions, "…" stands for the word that differs: "Ask Player 2 for a …: 0 =
        Tyrannosaurus; 2 = Triceratops" means that 2 is "Ask Player 2 for a Triceratops". In "put …:
        243 = 1-1-A to 248 = 1-3-N" all from 243 to 248 are legal. legal_actions lists all of them
        in full.
        """
        table, seat = self.tables.seat(key)
        with table.session as session:
            played = table.act(seat, words.understood(table.game, session.states, seat, action))
            stand = {"played": table.game.actions[played], **self._later(table, seat)}
        return answer(words.standing(stand), stand)

    def hint(
        self,
        key: Key,
        agent: Annotated[
            str | None,
            Field(
                max_length=200,
                description="as list_environments names them; by default who suits your partners",
            ),
        ] = None,
    ) -> CallToolResult:
        """Ask an agent for the best actions in your place, each with your chance of winning in per
        cent and a reason; it knows what your seat may know, and nothing of what was before."""
        table, seat = self.tables.seat(key)
        if agent is None:
            others = (player.name for player in table.players if player is not None)
            agent = adviser(table.game, table.options, others)
        with table.session as session, self.allowance.thinking():
            advice = choosing.advise(
                table.game,
                session.states,
                seat,
                agent,
                None,
                None,
                self.tables.limits,
                self.allowance.check,
                memory="",
            )
        told = {"agent": advice["agent"], "moves": advice["moves"]}
        return answer(words.advised(advice["agent"], advice["moves"]), told)

    def mistakes(
        self,
        key: Key,
        most: Annotated[int, Field(ge=1, le=MOST_MISTAKES, description="that are told")] = 3,
    ) -> CallToolResult:
        """Learn the largest mistakes of your seat so far, by the chances and scores of hint, and
        what would have been better; if all may be chance, the largest of these."""
        table, seat = self.tables.seat(key)
        with table.session as session:
            log = copy(session.log)
        with self.allowance.thinking():
            found = mistakes(log, seat, most, progress=self.allowance.check)
        told = {"mistakes": [one.to_json() for one in found]}
        return answer(mistakes_text(found, "Your"), told)

    def end_game(self, key: Key) -> CallToolResult:
        """End a game for all of its seats, whether it is over or not. Its keys are forgotten, and
        its transcript, too."""
        table = self.tables.end(key)
        return answer(
            f"The game of {table.game.env_name} is closed.",
            {"environment": table.game.env_name, "closed": True},
        )

    # ------------------------------------------------------------ what a seat is told

    def _later(self, table: Table, seat: int) -> dict[str, Any]:
        """Let the agents play, and return where the game then stands for a seat."""
        try:
            why = table.let_agents_play(self.tables.think_seconds, self.allowance)
        except ForfeitError as error:
            why = f"the game does not go on, since an agent gave it up ({error})"
        game, session = table.game, table.session
        stand = {**words.seen(game, session, seat), **result(game, session.states)}
        if why:
            stand["waiting"] = f"{capitalised(why)}. Call look again."
        return stand

    def transcript(self, key: str) -> str:
        """All that a seat was told since the beginning of a game."""
        table, seat = self.tables.seat(key)
        with table.session as session:
            head = words.about(table.game, table.options, table.players, seat, table.seeded)
            return "\n".join([*head, *(str(event) for event in session.log.told(seat))]) + "\n"


# ---------------------------------------------------------------- resources


def add_resources(server: MCPServer[Any], tables: Tables, calls: Calls) -> None:
    """Add the rules of each environment and the transcripts of games."""
    for name in list_environments():
        game = load_game(name)
        server.resource(
            f"dig://rules/{name}", name=f"rules of {game.title}", mime_type="text/markdown"
        )(functools.partial(words.rules, game, game.complete_options({})))

    @server.resource("dig://transcripts/{key}", name="transcript of a game", mime_type="text/plain")
    async def transcript(key: str) -> str:
        """What a seat was told from the beginning of its game on; the key is that of the seat."""
        try:
            return await calls.carry_out(
                lambda allowance: Tools(tables, allowance).transcript(key),
                *weight("transcript", tables, {"key": key}),
            )
        except NoSeatError as error:
            raise ResourceNotFoundError(message_text(str(error))) from None
        except EXPECTED as error:
            raise ResourceError(message_text(str(error))) from None
