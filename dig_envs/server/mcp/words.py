"""The results of the tools in words: the same facts as JSON for programs and as text for models."""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.agents.protocol import Agent
from dig_envs.engine.core.errors import IllegalActionError
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.words import NO_NAMES, enumeration
from dig_envs.engine.game import Array, Game, deciding
from dig_envs.language.answers import parse_answer
from dig_envs.language.prompts import make_prompt, rules_text
from dig_envs.server.protocol.sessions import Session

FEW = 20  # values of an option that are listed one by one
# the parts of a prompt that change from decision to decision
TOLD = ("position", "news", "actions")


def values_of(option: Option) -> list[Any] | str:
    """The values of an option; in words where there are many."""
    return list(option.values) if len(option.values) <= FEW else option.describe_values()


def described(environment: Mapping[str, Any]) -> str:
    least, most = environment["players"]
    kind = "cooperative" if environment["cooperative"] else "competitive"
    players = f"{least} to {most} players" if least < most else f"{least} players"
    return "\n".join(
        [
            f"## {environment['environment']}: {environment['title']}",
            f"{players}, {kind}. Agents: {', '.join(environment['agents'])}",
            *(
                f"- {option['name']} = {option['default']!r} ({option['meaning']}): {said(option)}"
                for option in environment["options"]
            ),
        ]
    )


def said(option: Mapping[str, Any]) -> str:
    """The values of a described option, as text."""
    values = option["values"]
    return values if isinstance(values, str) else ", ".join(map(repr, values))


def rules(game: Game, options: Mapping[str, Any]) -> str:
    return rules_text(game, options)


def player(agent: Agent | None) -> str | None:
    """The name of the agent that plays a seat; None for somebody with a key."""
    return None if agent is None else agent.name


# ---------------------------------------------------------------- positions


def seen(game: Game, session: Session, seat: int) -> dict[str, Any]:
    """The seat's view of the position, and the events since its last decision."""
    events = session.log.since(seat)
    prompt = make_prompt(game, session.states, seat, events, TOLD).to_json()
    owing = deciding(session.states)
    return {
        "environment": game.env_name,
        "seat": seat,
        "player": NO_NAMES.of(seat),
        "your_decision": seat in owing,
        "deciding": owing,
        **{part: prompt[part] for part in TOLD},
        "events": [event.to_json() for event in events],
    }


def standing(told: Mapping[str, Any]) -> str:
    return "\n\n".join(told[part] for part in (*TOLD, "waiting") if told.get(part))


def understood(game: Game, states: Array, seat: int, action: int | str) -> int:
    """The index of a legal action that was given by index, notation or words; raises
    IllegalActionError."""
    answer = parse_answer(game, states, seat, str(action))
    if answer.action is None:
        raise IllegalActionError(answer.message)
    return answer.action


def advised(agent: str, moves: Sequence[Mapping[str, Any]]) -> str:
    """What an agent advises, as text."""
    return "\n".join(
        [
            f"{agent} advises (per cent: the chance of winning):",
            *(
                f"{each['action']}: {each['text']} ({each['label']}), {each['worth']}"
                f"{', its choice' if each['choice'] else ''}. {each['reason']}".rstrip()
                for each in moves
            ),
        ]
    )


def listed(page: Sequence[Mapping[str, Any]], start: int, found: int, legal: int) -> str:
    if not legal:
        return "You have no decision to make now."
    if not page:
        return f"Nothing there: {found} of {legal} legal actions were found."
    head = f"{start + 1} to {start + len(page)} of {found} actions" + (
        f" ({legal} are legal in all)" if found < legal else ""
    )
    return "\n".join(
        [f"{head}:", *(f"{each['action']}: {each['text']} ({each['label']})" for each in page)]
    )


# ---------------------------------------------------------------- games in progress


def public(told: Mapping[str, Any]) -> str:
    """A game in progress, as everybody may know it, as text."""
    seats = [
        f"{NO_NAMES.of(seat)}: {name or 'played with a key'}"
        for seat, name in enumerate(told["players"])
    ]
    decides = (
        "over"
        if told["over"]
        else f"{enumeration([NO_NAMES.of(seat) for seat in told['deciding']])} to decide"
    )
    keys = [f"{each['player']} has the key {each['key']}" for each in told.get("keys", ())]
    scores = ", ".join(map(str, told["scores"]))
    return "\n".join([f"{told['environment']}: {decides}, scores {scores}", *seats, *keys])


def about(
    game: Game, options: Mapping[str, Any], players: Sequence[Agent | None], seat: int, seeded: bool
) -> list[str]:
    """The first lines of a transcript: which game, and who plays."""
    values = ", ".join(f"{name} {value}" for name, value in options.items())
    seats = ", ".join(
        f"{NO_NAMES.of(one)}: {player(agent) or 'played with a key'}"
        for one, agent in enumerate(players)
    )
    given = ["The seed of the deal was given."] if seeded else []
    return [
        f"{game.title} ({game.env_name}); {values}",
        f"You are {NO_NAMES.of(seat)}. {seats}",
        *given,
        "",
    ]
