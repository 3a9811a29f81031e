"""The agents of an arena, loaded and checked, and all that their games depend on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import dig_envs
from dig_envs.agents.loading import check_num_players
from dig_envs.agents.names import LEVELS
from dig_envs.agents.onnx import trained_for
from dig_envs.agents.own import OwnAgent, check_agent, name_of
from dig_envs.agents.protocol import Agent, for_options
from dig_envs.agents.sealed import SealedAgent, load_player, source_hash
from dig_envs.engine.compiler.loading import cache_key
from dig_envs.engine.core.errors import ArenaError
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game

OTHER_OPTIONS = "trained_for"  # of an agent in a report's settings
CHOOSING_CODE = ("dig_envs.agents.loading", "dig_envs.agents.matches")  # with all that they import


def load_entrants(
    game: Game, given: Sequence[str | Agent], options: Mapping[str, Any], allow_unfamiliar: bool
) -> dict[str, Agent]:
    """The agents by name, of names or objects; raises as :func:`dig_envs.arena.run` does."""
    objects = {
        id(one): check_agent(AskedWithEnv.of(one, game, options), game)
        for one in given
        if not isinstance(one, str)
    }
    names = [one if isinstance(one, str) else objects[id(one)].name for one in given]
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise ArenaError(f"agents named twice: {', '.join(twice)}; name each once")
    if len(names) < 2:
        raise ArenaError(f"an arena needs at least two agents, not {len(names)}")
    agents = {
        name: for_options(
            load_player(one, game.env_name) if isinstance(one, str) else objects[id(one)], options
        )
        for name, one in zip(names, given, strict=True)
    }
    for name, agent in agents.items():
        check_num_players([agent], options["num_players"])
        if not allow_unfamiliar:
            check_familiar(game, name, agent, options)
    return agents


class AskedWithEnv:
    """An object that has only the method ``act(env)``, asked for one decision after the other."""

    def __init__(self, own: Any, game: Game, options: Mapping[str, Any]) -> None:
        self.name = name_of(own)
        self._own, self._game, self._options = own, game, options

    @staticmethod
    def of(own: Any, game: Game, options: Mapping[str, Any]) -> Any:
        """Who is asked for an object: itself, unless it has only ``act``."""
        if isinstance(own, type) or hasattr(own, "act_batch") or not hasattr(own, "act"):
            return own
        return AskedWithEnv(own, game, options)

    def act_batch(
        self, observation: Array, action_mask: Array, states: Array, seats: Array
    ) -> list[Any]:
        """What the object chooses in each position; ``env.agent_selection`` is who
        decides, or else ``agent`` names it."""
        env, actions = dig_envs.make(self._game.env_name, **self._options), []
        env.reset(seed=0)
        for record, seat in zip(states, seats.tolist(), strict=True):
            env.unwrapped.restore(self._game.to_snapshot(record))
            who = env.possible_agents[seat]
            named = () if env.agent_selection == who else (who,)
            actions.append(self._own.act(env, *named))
        return actions


def check_familiar(game: Game, name: str, agent: Agent, options: Mapping[str, Any]) -> None:
    """Raise ArenaError if a policy's card says that it was trained for other options (the number of
    players is one)."""
    if different := other_options(game, agent, options):
        raise ArenaError(
            f"policy {name} was trained for other options: {different}; allow it with "
            "allow_unfamiliar (--allow-unfamiliar)"
        )


def other_options(game: Game, agent: Agent, options: Mapping[str, Any]) -> str:
    """The other options that a policy was trained for, such as ``level=expert (here beginner)``;
    empty if there are none."""
    options = with_defaults(game.env_name, options)
    different = []
    for complete in trained_for(card_of(agent), game):
        if complete == options:
            return ""
        different.append(
            ", ".join(
                f"{key}={complete[key]} (here {options[key]})"
                for key in options
                if complete[key] != options[key]
            )
        )
    return " or ".join(dict.fromkeys(different))


def with_defaults(environment: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a report, completed by the defaults of the game, to compare them.

    So a report from before an option was added equals one that has the option at its default.
    Options that the game does not know stay as they are.
    """
    try:
        defaults = load_game(environment).complete_options({})
    except ValueError:
        return dict(options)
    return {**defaults, **options}


def card_of(agent: Agent) -> dict[str, Any]:
    """The card of a policy, or of the policy that guides a search; empty for other agents."""
    card: dict[str, Any] = getattr(getattr(agent, "guide", None) or agent, "card", {})
    return card


# ---------------------------------------------------------------- what results depend on


def describe(
    game: Game, agents: Mapping[str, Agent], options: Mapping[str, Any], seed: int, block: int
) -> dict[str, Any]:
    """All that the games depend on, as JSON. Results are put together only if all of it is the
    same."""
    return {
        "environment": game.env_name,
        "options": dict(options),
        "agents": [_describe_entrant(game, name, agent, options) for name, agent in agents.items()],
        "seed": seed,
        "block": block,
        **describe_code(game),
    }


def _describe_entrant(
    game: Game, name: str, agent: Agent, options: Mapping[str, Any]
) -> dict[str, str]:
    """As :func:`describe_agent`, and with the options for which a policy was trained, if they are
    others."""
    other = other_options(game, agent, options)
    return describe_agent(name, agent) | ({OTHER_OPTIONS: other} if other else {})


def describe_agent(name: str, agent: Agent) -> dict[str, str]:
    """An agent's name; for a policy also the hash of its weights, for a user's code that of
    its file, for an object its class, for the best and for levels also the name of who it is.

    (All other players are part of the package's code.)
    """
    found = {"agent": name}
    if name.rpartition("/")[2].startswith(("best", *LEVELS)):
        found["plays"] = agent.name
    if isinstance(agent, SealedAgent):
        found["source_sha256"] = str(source_hash(agent.file))
    if isinstance(agent, OwnAgent):
        found["class"] = f"{type(agent.own).__module__}.{type(agent.own).__qualname__}"
    card = card_of(agent)
    return {**found, "weights_sha256": card["weights_sha256"]} if card else found


def describe_code(game: Game) -> dict[str, str | None]:
    """The version of the package and the hash of the game's code."""
    return {"dig_envs": dig_envs.__version__, "code": code_hash(game)}


def code_hash(game: Game) -> str | None:
    """The hash (16 hex digits) of the sources that decide how a game goes, rules and players; None
    without files."""
    key = cache_key(game)
    own = [
        f"{game.package}.{part}"
        for part, there in (("players", game.players), ("styles", game.styles))
        if there
    ]
    return replace(key, modules=(*key.modules, *CHOOSING_CODE, *own)).sources
