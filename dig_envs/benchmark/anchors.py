"""Fingerprints of deals and players, which tell whether results can be compared.

The same seeds must deal the same games as when the suite was recorded, and the opponents must play
as they did. ``python -m tests.benchmark.record`` records what a new version needs.
"""

import json
from hashlib import sha256

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_seated
from dig_envs.agents.onnx import weights_hashes
from dig_envs.arena.entrants import card_of
from dig_envs.benchmark.suite import Task
from dig_envs.engine.core.errors import OptionError

DEALS = 4  # of a task, in the fingerprints
SEARCHED = 3  # positions in the fingerprint of a player that searches
NOT_DEALT = ("seed", "environment", "dig_envs", "options")  # of a snapshot


def deals_print(task: Task) -> str:
    """A fingerprint of the first deals of a task: their complete positions.

    Options at their default are left out, as are names of versions, so that a new option that by
    default changes nothing does not change the fingerprint.
    """
    env = RawAEC(task.environment, **task.options)
    defaults = task.game.complete_options({})
    found = sha256()
    for deal in range(DEALS):
        env.reset(seed=task.seed + deal)
        snapshot = env.snapshot()
        dealt = {key: value for key, value in snapshot.items() if key not in NOT_DEALT}
        options = snapshot["options"].items()
        dealt["options"] = {name: value for name, value in options if value != defaults[name]}
        found.update(json.dumps(dealt, sort_keys=True).encode())
    return found.hexdigest()[:16]


def player_print(task: Task, player: str) -> str:
    """A fingerprint of a player: the results of the first deals when it plays all seats."""
    agent = load_agent(player, task.environment, 0)
    seating = np.zeros((DEALS, task.num_seats), np.int64)
    seeds = [task.seed + deal for deal in range(DEALS)]
    results = play_seated(task.environment, [agent], seating, seeds, task.options, 1)
    ends = [results.scores.tolist(), results.winners.tolist(), results.lengths.tolist()]
    return sha256(json.dumps(ends).encode()).hexdigest()[:16]


def opponents_print(task: Task) -> str:
    """The fingerprint of a task's opponents; in a cooperative game that of the reference."""
    return player_print(task, task.reference_player or task.opponent or task.reference)


def member_print(task: Task, player: str) -> str:
    """A fingerprint of a member of the population.

    That of a policy is the hash of its weights, for its choices may differ between processors where
    two are almost as likely; that of a search are its first choices, since complete games would
    take long; a uniformly random player has none.
    """
    if player == "random":
        return ""
    agent = load_agent(player, task.environment, 0)
    if card_of(agent):
        return weights_hashes(card_of(agent))[-1][:16]  # as they were recorded: the oldest
    if not player.startswith("search"):
        return player_print(task, player)
    env = RawAEC(task.environment, **task.options)
    env.reset(seed=task.seed)
    chosen: list[int] = []
    while len(chosen) < SEARCHED:
        chosen.append(int(agent.act(env)))
        env.step(chosen[-1])
    return sha256(json.dumps(chosen).encode()).hexdigest()[:16]


def changes(task: Task) -> list[str]:
    """The changes since the suite was recorded, in words; empty if there are none."""
    suite = f"version {task.version} of the suite"
    try:
        task.game.complete_options(task.options)
    except OptionError as error:
        return [f"{task.name}: an option of {suite} is not there any more: {error}"]
    if deals_print(task) != task.anchor.deals:
        return [
            (
                f"{task.name}: the same seeds deal other games than in {suite}: the rules of "
                f"{task.environment} have changed"
            )
        ]
    if opponents_print(task) != task.anchor.opponents:
        who = task.opponent or task.reference
        return [f"{task.name}: {who} plays otherwise than in {suite}, or by other rules"]
    return [
        f"{task.name}: {member.agent} plays otherwise than in {suite}"
        for member in task.population
        if member_print(task, member.player) != member.fingerprint
    ]
