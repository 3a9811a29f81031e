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
    observation: str | None = None,
    **options: Any,
) -> AECEnv:
    """Create a PettingZoo AEC environment by name, with the checks of PettingZoo's usual wrappers.

    Agents are called ``player_0``, ``player_1`` … in the order of the seats. Observations are
    dictionaries: ``observation``, float32 (observation_size,), and ``action_mask``, int8
    (num_actions,), 1 for each legal action. Actions are integers from 0 to ``num_actions - 1``; an
    illegal one ends the game, with reward -1 for its agent (``raw_env`` raises IllegalActionError).

    Example::

        env = dig_envs.make("go_dig_v0", num_players=3)
        env.reset(seed=7)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            first = int(observation["action_mask"].argmax())  # legal action
            env.step(None if terminated else first)

    Args:
        name: such as ``"cretaceous_creek_v0"`` (:func:`dig_envs.list_environments`).
        reward: ``"win"`` (paid when the game ends: the return of each seat, from -1 to 1) or
            ``"score"`` (each seat's change of score at every step; points that a seat already has
            after the deal are not part of the rewards).
        render_mode: None, ``"ansi"`` (text), ``"svg"``, ``"rgb_array"`` or ``"human"`` (a window)
            (:meth:`dig_envs.adapters.rendering.Rendering.render`).
        mask: where action masks are: ``"observation"`` (``{"observation": …, "action_mask": …}``),
            ``"info"`` (the observation is the vector alone, the mask is
            ``infos[agent]["action_mask"]``) or ``"both"``.
        render_view: what is rendered: ``"public"`` (what everybody may know), ``"all"``, or an
            agent's name (what it may know).
        with_events: whether ``infos[agent]["events"]`` has what happened since the agent's last
            decision, as far as it may know: a list of :class:`~dig_envs.engine.core.events.Event`,
            in the infos of the agent to move, and of all agents at the end.
            ``env.unwrapped.events(agent)`` returns the same list at any time, also without this
            setting.
        observation: ``"float32"``, or ``"raw"`` for what lies on the table and the news since the
            seat's last decision alone (:mod:`dig_envs.engine.core.raw`): the environment whose name
            ends in ``_raw``. None: what the name says.
        options: the game's options, such as ``num_players``.

    Raises:
        ValueError: unknown environment. OptionError: unknown option or bad value.
    """
    settings = (reward, render_mode, mask, render_view, with_events, observation)
    return protect(RawAEC(name, *settings, **options))


def make_parallel(name: str, **settings: Any) -> Parallel:
    """Create a PettingZoo parallel environment by name. All agents that have a decision to make act
    in the same step.

    Example::

        env = dig_envs.make_parallel("the_big_dig_v0")
        observations, infos = env.reset(seed=7)
        while env.agents:
            masks = {agent: observations[agent]["action_mask"] for agent in env.agents_to_act()}
            actions = {agent: int(mask.argmax()) for agent, mask in masks.items()}
            observations, rewards, terminations, truncations, infos = env.step(actions)

    Args:
        name: such as ``"cretaceous_creek_v0"`` (:func:`dig_envs.list_environments`).
        settings: the keyword arguments of :class:`~dig_envs.adapters.parallel.Parallel`: those of
            :func:`make`, ``illegal`` and ``idle``.

    Raises:
        ValueError: unknown environment. OptionError: unknown option or bad value.
    """
    return Parallel(name, **settings)
