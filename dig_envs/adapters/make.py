"""``dig_envs.make`` and ``dig_envs.make_parallel``."""

from typing import Any

from pettingzoo import AECEnv

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from dig_envs.adapters.wrappers import protect


def make(
    name: str,
    *,
    reward: str = "win",
    render_mode: str | None = None,
    mask: str = "observation",
    render_view: str = "public",
    with_events: bool = False,
    **options: Any,
) -> AECEnv:
    """Return a PettingZoo AEC environment by name, with the checks of PettingZoo's usual wrappers.

    Args:
        name: such as ``"cretaceous_creek_v0"`` (:func:`dig_envs.list_environments`).
        reward: ``"win"`` (returns on the last step) or ``"score"`` (each seat's change of score at every step; points
            that a seat already has after the deal are not part of the rewards).
        render_mode: None, ``"ansi"`` (text), ``"svg"``, ``"rgb_array"`` or ``"human"`` (a window)
            (:meth:`dig_envs.adapters.rendering.Rendering.render`).
        mask: where action masks are: ``"observation"`` (``{"observation": …, "action_mask": …}``), ``"info"`` (the observation is
            the vector alone, the mask is ``infos[agent]["action_mask"]``) or ``"both"``.
        render_view: what is rendered: ``"public"`` (what everybody may know), ``"all"``, or an agent's name (what it may know).
        with_events: whether ``infos[agent]["events"]`` has what happened since the agent's last decision, as far as it may know:
            a list of :class:`~dig_envs.engine.core.events.Event`, in the infos of the agent to move, and of all agents at the end.
            ``env.unwrapped.events(agent)`` returns the same list at any time, also without this setting.
        options: the game's options, such as ``num_players``.

    Raises:
        ValueError: unknown environment. OptionError: unknown option or bad value.
    """
    return protect(RawAEC(name, reward, render_mode, mask, render_view, with_events, **options))


def make_parallel(name: str, **settings: Any) -> Parallel:
    """Return a PettingZoo parallel environment by name: all agents that have a decision act in the same step.

    ``settings`` are the keyword arguments of :class:`~dig_envs.adapters.parallel.Parallel`: those of :func:`make`, ``illegal`` and
    ``idle``. It raises the same errors as :func:`make`.
    """
    return Parallel(name, **settings)
