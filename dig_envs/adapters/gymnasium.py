"""A game as a Gymnasium environment for one learner, the other seats played inside."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.learner import (
    DEFAULT_OPPONENT,
    Opponents,
    check_learner,
    draw_learner,
    draw_opponents,
    load_opponents,
    nothing_to_decide,
)
from dig_envs.adapters.position import ILLEGAL_POLICIES, ILLEGAL_REWARD, check_reset, vector_space
from dig_envs.adapters.rendering import RENDER_FPS, available_modes
from dig_envs.agents.protocol import Agent
from dig_envs.engine.compiler.learner_data import MOST_DEALS
from dig_envs.engine.core.checks import action_text, check_action_type, check_choice, check_seed
from dig_envs.engine.core.declared import LayoutEntry
from dig_envs.engine.core.errors import IllegalActionError
from dig_envs.engine.game import Array


class SingleLearnerEnv(gymnasium.Env[Array, np.int64]):
    """A game in which one learner decides, and agents of any kind play the other seats between its
    decisions.

    Observations are the flat float32 vector (observation_size,) of the deciding seat. The mask of
    its legal actions is in ``info["action_mask"]`` (int8) and comes from ``action_masks()`` (bool),
    as MaskablePPO expects it. ``info["seat"]`` is the seat that decides; at an episode's end
    ``info["won"]`` is the learner's share of the victory (1/k for each of k winners; in a
    cooperative game 1 or 0), ``info["scores"]`` has the scores of all seats, int64 (max_players,),
    zero for seats that are not there, and ``info["turn_limit"]`` says whether the turn limit ended
    the game, which is terminated then, too: the limit is a rule.

    The reward of a step is all that the learner's seat is paid from its action up to its next
    decision or the end of the game, also when another seat ends it. What it is paid before its
    first decision is added to its first reward.

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        learner: a seat; ``"random"`` for a seat drawn anew every episode; ``"all"`` (cooperative
            games) when the learner plays every seat, one after the other. None: ``"all"`` in a
            cooperative game, else ``"random"``.
        opponents: who plays the other seats: an agent or a name for :func:`dig_envs.load_agent`, or
            a list of them, from which one is drawn for each seat and episode. Default: the scripted
            player; ``"random"`` is weaker, and where two random players seldom bring a game to its
            end (Fossil Memory) a learner sees little but the turn limit. Agents given by name start
            anew, with a seed drawn from the environment's, whenever ``reset`` gets a seed.
        reward, render_mode, render_view: as for :func:`dig_envs.make`; the rewards are those of the
            learner.
        with_events: whether ``info["events"]`` has what the deciding seat was told since its last
            decision, as for :func:`dig_envs.make`. observation: as there.
        illegal: what an illegal action does: ``"terminate"`` ends the episode with reward -1, the
            position unchanged and the action's text in ``info["illegal_action"]``; ``"raise"``
            raises IllegalActionError and changes nothing.
        options: the game's options.

    Raises:
        OptionError: unknown option or bad value. ValueError: unknown game or agent.
    """

    metadata = {"render_modes": available_modes(), "render_fps": RENDER_FPS}  # noqa: RUF012 (Gymnasium's convention)

    def __init__(
        self,
        name: str,
        learner: int | str | None = None,
        opponents: Opponents = DEFAULT_OPPONENT,
        reward: str = "win",
        render_mode: str | None = None,
        illegal: str = "terminate",
        render_view: str = "public",
        with_events: bool = False,
        observation: str | None = None,
        **options: Any,
    ) -> None:
        self.aec = RawAEC(
            name,
            reward,
            render_mode,
            render_view=render_view,
            with_events=with_events,
            observation=observation,
            **options,
        )
        self.game = self.aec.game
        self.render_mode = render_mode
        self.learner = check_learner(learner, self.game, self.aec.num_seats)
        self.illegal = check_choice("illegal", illegal, ILLEGAL_POLICIES)
        self.observation_space = vector_space(self.game)
        self.action_space = gymnasium.spaces.Discrete(len(self.game.actions))
        self._opponents = opponents
        self._agents: list[Agent] | None = None
        self._players: list[Agent] = []
        self._seat = -1  # the learner's in this episode, -1 for all
        self._mover = 0  # the seat that decides, or that decided last
        self._earned = 0.0
        self._playing = False

    # ------------------------------------------------------------ playing

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal a new game and play up to the learner's first decision.

        Raises:
            TypeError, ValueError: the seed is not an integer from -2**63 to 2**64 - 1, or
                ``options`` has an option of the game.
            RuntimeError: the learner has nothing to decide in game after game, as seat 1 with a
                limit of one turn.
        """
        check_reset(self.game, options)
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        if self._agents is None or seed is not None:
            self._agents = load_opponents(self._opponents, self.game, self.np_random)
        self._begin_episode(seed)
        deals = 1
        while not self._playing:  # others ended the game before the learner had anything to decide
            if deals == MOST_DEALS:
                raise RuntimeError(nothing_to_decide(self._seat))
            self._begin_episode(None)
            deals += 1
        return self._look()

    def _begin_episode(self, seed: int | None) -> None:
        assert self._agents is not None
        self.aec.reset(seed=seed)
        self._seat = draw_learner(self.learner, self.aec.num_seats, self.np_random)
        drawn = draw_opponents(
            self._opponents, len(self._agents), self.aec.num_seats, self.np_random
        )
        self._players = [self._agents[i] for i in drawn]
        self._earned = 0.0
        self._playing = True
        self._play_others()

    def step(self, action: np.int64 | int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the other seats up to its next decision.

        Raises:
            ResetNeeded: the episode is over. TypeError: the action is not an integer or an
                array of one. IllegalActionError: with ``illegal="raise"``.
        """
        if not self._playing:
            raise ResetNeeded("the episode is over: call reset()")
        index = check_action_type(action)
        if not self.aec.is_legal(index):
            return self._refuse(index)
        self._play(index)
        self._play_others()
        reward, self._earned = self._earned, 0.0
        observation, info = self._look()
        return observation, reward, not self._playing, False, info

    def _refuse(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        text = action_text(action, self.game.actions)
        if self.illegal == "raise":
            raise IllegalActionError(
                f"{text} is not legal for {self._agent(self._mover)} now; see action_masks()"
            )
        self._playing = False
        observation, info = self._look()
        return observation, ILLEGAL_REWARD, True, False, {**info, "illegal_action": text}

    def _play(self, action: int) -> None:
        """Play one action of the seat that is asked; the learner's seat may be paid for it."""
        self.aec.step(action)
        self._earned += self.aec.rewards[self._agent(self._seat)]
        self._playing = not self.aec.states["over"][0]

    def _agent(self, seat: int) -> str:
        """The agent whose reward is reported. A team (-1) shares one reward, which seat 0 stands
        for."""
        return self.aec.possible_agents[max(seat, 0)]

    def _play_others(self) -> None:
        """Play the seats that are not the learner's until it has to decide or the game is over."""
        while self._playing:
            mover = self.aec.seat_of(self.aec.agent_selection)
            if self._seat in (-1, mover):
                self._mover = mover
                return
            self._play(self._players[mover].act(self.aec))

    # ------------------------------------------------------------ looking

    def action_masks(self) -> Array:
        """The legal actions of the deciding seat, bool (num_actions,); all False when the episode
        is over."""
        if not self._playing:
            return np.zeros(len(self.game.actions), np.bool_)
        return self.aec.look(self._agent(self._mover))["action_mask"].astype(np.bool_)

    def _look(self) -> tuple[Array, dict[str, Any]]:
        """Observation and info of the deciding seat."""
        seen = self.aec.look(self._agent(self._mover))
        if not self._playing:
            seen["action_mask"][:] = 0
        # a number of NumPy: libraries ask what an info holds for its dtype
        info: dict[str, Any] = {"action_mask": seen["action_mask"], "seat": np.int64(self._mover)}
        if self.aec.with_events:
            info["events"] = self.aec.events(self._agent(self._mover))
        if not self._playing:
            info |= self.aec._final_infos()[self._agent(self._seat)]
            info["scores"] = self.aec.states["scores"][0].astype(np.int64)
        return seen["observation"], info

    @property
    def full_state_layout(self) -> dict[str, LayoutEntry]:
        """As :attr:`~dig_envs.adapters.position.GamePosition.full_state_layout`."""
        return self.aec.full_state_layout

    def full_state(self) -> Array:
        """The complete state, hidden information included, float32 (full_state_size,)."""
        return self.aec.full_state()

    def render(self) -> Any:
        """Render the position as ``render_mode`` says
        (:meth:`dig_envs.adapters.rendering.Rendering.render`)."""
        return self.aec.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.aec.close()

    def _repr_html_(self) -> str:
        return self.aec._repr_html_()
