"""The results that an exported game must give, computed by this package: a SHA-256 of all that
comes out of an episode.

An episode of a plan is dealt from ``seed``; a generator seeded with ``generator`` draws random
legal actions, and every ``scripted_every``-th decision the scripted player is asked, too, and
carried out every other time. In the hash go, for each decision, mask, observation and state, what
the players chose, now and then what each seat sees and what is dealt anew for it, and at the end
the position, the scores and the returns.
"""

from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from dig_envs.batch.common import GENERATOR
from dig_envs.engine.core.state import new_records


@dataclass
class Episode:
    options: dict[str, Any]
    seed: int
    generator: int
    most: int
    scripted_every: int = 4
    with_state: bool = True
    search: str = ""
    search_every: int = 8
    policy: str = ""
    agents: dict[str, Any] = field(default_factory=dict)  # by name, those that Python asks

    def plan(self) -> dict[str, Any]:
        """Return it for a program in another language."""
        return {key: value for key, value in asdict(self).items() if key != "agents"} | {
            "seed": str(self.seed)
        }


def play(game, episode: Episode) -> dict[str, Any]:
    """Return steps, whether the game is over, and the hash."""
    kernels, add = game.kernels, (digest := sha256()).update
    states = new_records(1, game.state)
    generators = new_records(1, GENERATOR)
    generators["rng"] = episode.generator
    masks = np.zeros((1, len(game.actions)), np.int8)
    observations, flat = game.new_observations(1)
    template = game.template(game.complete_options(episode.options))
    seat = int(
        kernels.deal_one(states, np.uint64(episode.seed), template, masks, observations, flat)
    )
    chosen = np.zeros(1, np.int64)
    steps = 0

    def number(value):
        add(np.int32(value).tobytes())

    while steps < episode.most and not states["over"][0]:
        add(masks)
        add(flat)
        if episode.with_state:
            add(states.tobytes())
        kernels.sample_legal(0, 1, masks, generators, chosen)
        action = int(chosen[0])
        number(action)
        if steps % episode.scripted_every == 0:
            kernels.heuristic_actions(states, 0, 1, np.array([seat]), chosen)
            number(chosen[0])
            if steps // episode.scripted_every % 2 == 0:
                action = int(chosen[0])
        if steps % 32 == 0:
            for p in range(int(states["num_players"][0])):
                other = states.copy()
                kernels.determinize_one(other, p, np.uint64(steps))
                add(other.tobytes())
                kernels.look_one(states, p, masks, observations, flat)
                add(flat)
                add(masks)
        if episode.search and steps % episode.search_every == 0:
            found = episode.agents[episode.search].search(states, seat).action
            number(found)
            if steps % (2 * episode.search_every) == 0:
                action = found
        if episode.policy:
            kernels.look_one(states, seat, masks, observations, flat)
            number(episode.agents[episode.policy].act_batch(flat, masks, states)[0])
        kernels.apply_one(states, seat, action)
        seat = int(states["to_move"][0])
        kernels.look_one(states, seat, masks, observations, flat)
        steps += 1
    seats = int(states["num_players"][0])
    add(states.tobytes())
    add(states["scores"][0, :seats].tobytes())
    if states["over"][0]:
        add(game.returns_of(states)[0, :seats].tobytes())
    return {"steps": steps, "over": bool(states["over"][0]), "sha256": digest.hexdigest()}


def text_plan(game, episodes: list[Episode]) -> str:
    """Return the episodes as lines for ``replay.c``."""
    lines = []
    for one in episodes:
        by_value = {
            option.name: {option.encode(value): text for text, value in option.by_text().items()}
            for option in game.options
        }
        stored = {option.name: option.encode for option in game.options}
        options = [
            f"{name}={by_value[name][stored[name](value)]}" for name, value in one.options.items()
        ]
        numbers = (
            one.seed,
            one.generator,
            one.most,
            one.scripted_every,
            one.search_every,
            int(one.with_state),
            int(bool(one.policy)),
        )
        lines.append(" ".join([*map(str, numbers), one.search or "-", ",".join(options) or "-"]))
    return "\n".join([*lines, ""])


def read_stream(stream) -> list[dict[str, Any]]:
    """Return what :func:`play` does, from what ``replay.c`` writes."""
    results, digest = [], sha256()
    while head := stream.read(4):
        size = int.from_bytes(head, "little", signed=True)
        if size >= 0:
            digest.update(stream.read(size))
            continue
        steps, over = np.frombuffer(stream.read(8), "<i4")
        results.append({"steps": int(steps), "over": bool(over), "sha256": digest.hexdigest()})
        digest = sha256()
    return results
