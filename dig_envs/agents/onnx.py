"""Trained policies, run by onnxruntime (no PyTorch)."""

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.engine.errors import PolicyMismatchError
from dig_envs.engine.game import Array, Game
from dig_envs.registry import list_environments, load_game

CARD_FORMAT = 1
CARD_KEYS = ("format", "environment", "observation_layout", "action_list", "weights_sha256", "licence")


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a policy's folder; raises PolicyMismatchError if it is missing, damaged or of another format."""
    path = folder / "card.json"
    try:
        card = json.loads(path.read_text())
    except FileNotFoundError:
        raise PolicyMismatchError(f"{folder} is no policy: it has no card.json") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise PolicyMismatchError(f"{path} is damaged: {error}") from None
    if not isinstance(card, dict):
        raise PolicyMismatchError(f"{path} is damaged: it must be a JSON object")
    missing = [key for key in CARD_KEYS if key not in card]
    if missing:
        raise PolicyMismatchError(f"{path} is damaged: {', '.join(missing)} missing")
    if card["format"] != CARD_FORMAT:
        raise PolicyMismatchError(f"{path} has format {card['format']!r}; this version reads format {CARD_FORMAT}")
    return card


def check_card(card: dict[str, Any], game: Game, folder: Path) -> None:
    """Raise PolicyMismatchError, saying what differs, unless the policy fits the environment."""
    expected = {
        "environment": game.env_name,
        "observation_layout": game.layout_hash,
        "action_list": game.actions_hash,
    }
    players = card.get("num_players", [])
    if not isinstance(players, list) or not all(type(count) is int for count in players):
        raise PolicyMismatchError(f"{folder / 'card.json'} is damaged: num_players must be a list of integers, not {players!r}")
    different = [f"{key} is {card[key]!r}, here {value!r}" for key, value in expected.items() if card[key] != value]
    if different:
        raise PolicyMismatchError(f"policy {folder} does not fit {game.env_name}: {'; '.join(different)}")


class OnnxAgent:
    """A trained policy: an ONNX graph from (observation, action_mask) to (masked logits, value).

    A policy whose card names the numbers of players that it was trained for (``num_players``) plays no others: ``act`` and
    ``act_batch`` raise PolicyMismatchError. Without ``states`` the number is read from the observation, if that holds it.

    Args:
        folder: with ``policy.onnx`` and ``card.json``.
        env: the environment that it is to play; None for the one on its card.
        sample: draw actions from the policy's distribution; else the likeliest one is played.
        seed: for ``sample``.
        threads: of onnxruntime.

    Raises:
        PolicyMismatchError: damaged, or made for another environment, version, layout or action list.
        ImportError: onnxruntime is not installed.
    """

    def __init__(self, folder: Path, env: str | None = None, sample: bool = False, seed: int | None = 0, threads: int = 1) -> None:
        card = read_card(folder)
        if env is None and card["environment"] not in list_environments():
            raise PolicyMismatchError(
                f"policy {folder} is for {card['environment']!r}, which is not here; there are {', '.join(list_environments())}"
            )
        self.game = load_game(env or card["environment"])
        check_card(card, self.game, folder)
        self.card = card
        self.num_players: tuple[int, ...] = tuple(card.get("num_players", ()))  # empty: any
        self.name = f"{folder.parent.name}/{folder.name}"
        self.sample = sample
        self._rng = np.random.default_rng(seed)
        self._session = _open_session(folder, card, threads)

    def act(self, env: Any) -> int:
        """The action for ``env.agent_selection``."""
        seen = env.observe(env.agent_selection)
        states = env.unwrapped.states
        return int(self.act_batch(seen["observation"][None], seen["action_mask"][None], states)[0])

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """One action for each decision; ``seats`` are not used, ``states`` only for their number of players."""
        self._check_players(observation, states)
        logits, _ = self.evaluate(observation, action_mask)
        if self.sample:
            logits = logits + self._rng.gumbel(size=logits.shape)
        return np.asarray(np.where(action_mask, logits, -np.inf).argmax(axis=1))

    def check_num_players(self, counts: Iterable[int]) -> None:
        """Raise PolicyMismatchError if there are numbers of players for which the policy was not trained."""
        others = sorted(set(counts) - set(self.num_players)) if self.num_players else []
        if others:
            plays, asked = (", ".join(map(str, some)) for some in (self.num_players, others))
            raise PolicyMismatchError(f"policy {self.name} was trained for {plays} players, not for {asked}")

    def _check_players(self, observation: Array, states: Array | None) -> None:
        if not self.num_players:
            return
        if states is not None:
            self.check_num_players(np.unique(states["num_players"]).tolist())
        elif self._one_hot_players is not None:
            shown = observation[:, self._one_hot_players]
            self.check_num_players(int(k) + self.game.min_players for k in np.unique(shown.argmax(axis=1)[shown.any(axis=1)]))

    @property
    def _one_hot_players(self) -> slice | None:
        """Where the observation says for how many the game is, if it does: the field ``num_players``, one-hot."""
        entry = self.game.layout.get("num_players")
        return entry.slice if entry is not None and entry.shape == (self.game.max_players - self.game.min_players + 1,) else None

    def evaluate(self, observation: Array, action_mask: Array) -> tuple[Array, Array]:
        """Masked logits float32 (n, num_actions) and values float32 (n,)."""
        logits, value = self._session.run(
            ["logits", "value"],
            {"observation": np.asarray(observation, np.float32), "action_mask": np.asarray(action_mask, np.float32)},
        )
        return logits, value


def _open_session(folder: Path, card: dict[str, Any], threads: int) -> Any:
    path = folder / "policy.onnx"
    try:
        weights = path.read_bytes()
    except FileNotFoundError:
        raise PolicyMismatchError(f"{folder} has no policy.onnx") from None
    if sha256(weights).hexdigest() != card["weights_sha256"]:
        raise PolicyMismatchError(f"{path} is damaged or not the one of its card: its SHA-256 differs from weights_sha256")
    try:
        import onnxruntime
    except ImportError:
        raise ImportError('a trained policy needs onnxruntime: pip install "dig_envs[agents]"') from None
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = threads
    return onnxruntime.InferenceSession(weights, settings, providers=["CPUExecutionProvider"])
