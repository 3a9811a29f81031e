"""Playing the units of a schedule on the machines of a Ray cluster.

Every machine needs ``dig_envs`` in the same version and the policies that play. A worker or a
machine that dies takes nothing with it: its units are played again elsewhere, and as a unit depends
on nothing but itself, the games are the same.
"""

import json
import socket
from collections.abc import Generator, Mapping, Sequence
from functools import cache
from typing import Any

from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import for_options
from dig_envs.arena.entrants import code_hash, describe_agent
from dig_envs.arena.play import ArenaSetup, play_unit
from dig_envs.arena.results import UnitResult
from dig_envs.arena.schedule import Unit
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import ArenaError
from dig_envs.engine.core.installing import how_to_install
from dig_envs.registry import load_game

try:
    import ray
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"playing on a cluster needs Ray: {how_to_install('ray')}", name="ray"
    ) from error

QUEUED = 2  # units for each core, so that none is idle while results are on their way
LISTENER_SECONDS = 10.0  # to wait for an answer of the cluster's head
RETRIES = 20  # of one unit; more than that, and it is the unit that kills workers


def connect(address: str) -> bool:
    """Join the cluster at an address, unless this process has joined one; returns whether it was
    joined now.

    Args:
        address: ``"auto"``, ``"192.168.0.1:6379"`` (the head, from a machine of the cluster) or
            ``"ray://192.168.0.1:10001"``.

    Raises:
        ConnectionError: there is no cluster.
    """
    if ray.is_initialized():
        return False
    require_listener(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ConnectionError(
            f"no Ray cluster at {shown_in_message(address)}: {str(error).splitlines()[0]}"
        ) from None
    return True


def require_listener(address: str) -> None:
    """Raise ConnectionError unless somebody listens at ``[ray://]HOST:PORT``: Ray itself would try
    for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # "auto", which Ray answers at once
    try:
        socket.create_connection((host.strip("[]"), int(port)), LISTENER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(
            f"no Ray cluster at {shown_in_message(address)}: {error}; give the address and port of "
            "its head"
        ) from None


def num_cores() -> int:
    """The number of cores that the cluster has now, at least 1."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def play_units_on_cluster(
    setup: ArenaSetup, units: Sequence[Unit], address: str, settings: Mapping[str, Any]
) -> Generator[tuple[Unit, UnitResult], None, None]:
    """Play units, yielding each when it has ended, on a core each.

    Args:
        setup, units: as for :func:`~dig_envs.arena.play.play_units`.
        address: of the cluster (:func:`connect`).
        settings: of the arena, which say what sources and policies the machines must have.

    Raises:
        ConnectionError: there is no cluster. ArenaError: a machine has other sources or policies,
            or a unit could not be played.
    """
    joined = connect(address)
    expected = json.dumps({"code": settings["code"], "agents": settings["agents"]})
    play = ray.remote(num_cpus=1, max_retries=RETRIES)(play_there)
    waiting, running = list(reversed(units)), dict[Any, Unit]()
    try:
        while waiting or running:
            while waiting and len(running) < QUEUED * num_cores():
                unit = waiting.pop()
                running[play.remote(setup, unit, expected)] = unit
            for ended in ray.wait(list(running))[0]:
                yield running.pop(ended), ray.get(ended)
    except ray.exceptions.RayTaskError as error:
        # what went wrong in the game, without the cluster's words around it
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise ArenaError(
            f"deals could not be played on the cluster: {str(error).splitlines()[0]}"
        ) from None
    finally:
        for one in running:  # the workers do not finish what they are playing
            ray.cancel(one, force=True)
        if joined:
            ray.shutdown()


def play_there(setup: ArenaSetup, unit: Unit, expected: str) -> UnitResult:
    """Play a unit on the machine that runs this, if it is played there as it would be here."""
    check_same(setup, expected)
    return play_unit(setup, unit)


@cache
def _facts(environment: str, agents: tuple[str, ...], options: str) -> dict[str, Any]:
    """The facts about this machine that games depend on, as an arena's settings have them."""
    return {
        "code": code_hash(load_game(environment)),
        "agents": [
            describe_agent(name, for_options(load_agent(name, environment), json.loads(options)))
            for name in agents
        ],
    }


def check_same(setup: ArenaSetup, expected: str) -> None:
    """Raise ArenaError unless this machine has the sources and policies of the one that asks."""
    here, there = (
        _facts(setup.environment, setup.agents, json.dumps(dict(setup.options))),
        json.loads(expected),
    )
    different = [name for name in there if here[name] != there[name]]
    if different:
        raise ArenaError(
            f"{ray.util.get_node_ip_address()} has other {' and '.join(different)} than the "
            "machine that holds the arena: install the same dig_envs and the same policies "
            "everywhere"
        )
