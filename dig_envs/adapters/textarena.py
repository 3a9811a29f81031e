"""Every game as an environment of TextArena: importing this module registers them,
``textarena.make("go_dig_v0")``.

* **Players** are the seats; ``reset(num_players=3)`` says how many, and options of the game are
  given to ``make``. With ``seats`` and ``opponents`` agents play the other seats, which are never
  asked.
* **Observations**: at the beginning each player gets the rules and how to answer (``PROMPT``); at
  each decision what happened since the last one (``GAME_MESSAGE``), and the position with the legal
  actions (``GAME_BOARD``); at the end how the game ended.
* **Actions** are answers in words (:mod:`dig_envs.language.answers`). In a simultaneous decision
  players are asked one after the other, and none is told what others have chosen before all have.
* What is no legal action is an **invalid move**: the player is told why (``GAME_ADMIN``) and asked
  again, ``error_allowance`` times in a row; then the game ends, and the player has lost it.
* **Rewards** are the returns, from -1 to 1: zero-sum in a competitive game that has a
  winner, identical in a cooperative one.

There are three of each: ``go_dig_v0`` with all messages in one text, as models take it,
``go_dig_v0-train`` with the rules, the messages of the game and the last position only, and
``go_dig_v0-raw`` without wrappers.
"""

from collections.abc import Sequence
from typing import Any

from dig_envs.adapters.text_game import MISTAKES, TextGame
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.core.words import NO_NAMES
from dig_envs.registry import list_environments

try:
    import textarena as ta
    from textarena.envs.registration import ENV_REGISTRY, register_with_versions
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"dig_envs.adapters.textarena needs TextArena: "
        f"{how_to_install('textarena')} (or textarena)",
        name="textarena",
    ) from error

KINDS = ta.ObservationType


class DigTextEnv(ta.Env):
    """A game as an environment of TextArena.

    Args:
        name: the environment, such as ``go_dig_v0``.
        error_allowance: invalid moves in a row without losing the game.
        seats: that TextArena's players have; None: all. opponents: agents of the other seats; one
            name serves all.
        options: of the game; ``num_players`` is that of ``reset``.
    """

    def __init__(
        self,
        name: str,
        error_allowance: int = MISTAKES,
        seats: Sequence[int] | None = None,
        opponents: str | Sequence[str] = "heuristic",
        **options: Any,
    ) -> None:
        self.name, self.error_allowance, self.seats = name, error_allowance, seats
        self.opponents, self.options = opponents, options

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal a game for so many seats; the same seed gives the same deal.

        Raises:
            OptionError: the game is not for so many. The others as for
                :class:`~dig_envs.adapters.text_game.TextGame`.
        """
        options = self.options | {"num_players": num_players}
        self.text_game = TextGame(
            self.name, options, self.seats, self.opponents, self.error_allowance
        )
        self.text_game.reset(seed)
        self.state = ta.FFAMultiPlayerState(num_players, seed, error_allowance=self.error_allowance)
        names = {seat: NO_NAMES.of(seat) for seat in range(num_players)}
        self.state.reset(
            game_state={"environment": self.name, "options": dict(self.text_game.env.options)},
            player_prompt_function=lambda player_id, game_state: self.text_game.system,
            role_mapping=names,
        )
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the answer of the current player.

        Returns:
            Whether the game is over, and a dictionary: ``outcome`` (``legal``, ``ambiguous``,
            ``illegal`` or ``unreadable``) and ``action`` (its index or None).
        """
        state, player = self.state, self.state.current_player_id
        state.add_observation(action, KINDS.PLAYER_ACTION, from_id=player, to_id=player)
        answer = self.text_game.answer(action)
        if answer.action is None:
            state.made_invalid_move = True
            state.error_count += 1
        else:
            state.error_count = 0
        over = self.text_game.over
        if answer.action is None and not over:
            state.add_observation(answer.message, KINDS.GAME_ADMIN, to_id=player)
        elif over:
            self._end()
        else:
            self._ask()
        state.step_info.update(outcome=answer.outcome, action=answer.action)
        done, info = state.step(rotate_player=False)
        return done, info

    def get_board_str(self) -> str:
        """The public view of the position as text, for renderers."""
        game, states = self.text_game.game, self.text_game.env.states
        return game.draw(game.to_public(game.to_snapshot(states[0])))

    def _ask(self) -> None:
        """Tell the player who is to decide what there is to know; with opponents, the game may be
        over before."""
        seat = self.text_game.seat
        if seat is None:
            self._end()
            return
        self.state.manually_set_current_player_id(seat, force=True)
        prompt = self.text_game.env.prompt(self.text_game.env.possible_agents[seat])
        if prompt.news:
            self.state.add_observation(prompt.news, KINDS.GAME_MESSAGE, to_id=seat)
        self.state.add_observation(prompt.text("position", "actions"), KINDS.GAME_BOARD, to_id=seat)

    def _end(self) -> None:
        game = self.text_game
        for seat in range(game.num_seats):
            self.state.add_observation(game.ending(seat), KINDS.GAME_MESSAGE, to_id=seat)
        if game.forfeited is not None:
            self.state.game_info[game.forfeited]["invalid_move"] = True
        self.state.set_game_outcome(dict(enumerate(game.returns)), game.ending(None))


def register_all() -> None:
    """Make all games known to TextArena; those that are known already stay."""
    wrappers = {
        "default": [ta.wrappers.LLMObservationWrapper],
        "-train": [ta.wrappers.GameMessagesAndCurrentBoardObservationWrapper],
    }
    for name in list_environments():
        if name not in ENV_REGISTRY:
            register_with_versions(
                name, "dig_envs.adapters.textarena:DigTextEnv", wrappers, name=name
            )


register_all()
