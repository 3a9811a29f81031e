"""Trained policies, run by onnxruntime (no PyTorch)."""

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame, check_seen
from dig_envs.agents.memory import check_memory
from dig_envs.agents.onnx_file import check_self_contained
from dig_envs.agents.plain_file import read_plain_file
from dig_envs.agents.program import program_for
from dig_envs.engine.compiler.notice import say
from dig_envs.engine.core.checks import check_seed, shown_in_message
from dig_envs.engine.core.errors import OptionError, PolicyMismatchError
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.game import Array, Game
from dig_envs.engine.search.program import Program
from dig_envs.registry import game_name, is_environment, list_environments, load_game

CARD, WEIGHTS = "card.json", "policy.onnx"  # of a policy
MOST_BYTES = {CARD: 1 << 24, WEIGHTS: 1 << 29}  # of these files
CARD_FORMAT = 1
CARD_KEYS = (
    "format",
    "environment",
    "observation_layout",
    "action_list",
    "weights_sha256",
    "licence",
)
NEEDS_RUNTIME = f"a trained policy needs onnxruntime: {how_to_install('agents')}"
FLOAT = "tensor(float)"
MEMORY, NEXT_MEMORY = "memory", "next_memory"
MOST_MEMORY = 1 << 20  # numbers per game and seat
MOST_BYTES_OF_GRAPHS = 1 << 32  # that all policies of a process may compute with
TRIAL_SECONDS = 20.0  # for the two decisions on which a policy is tried out
SILENT = 4  # onnxruntime's level of messages: only what is fatal; errors are raised all the same


def _read(folder: Path, name: str) -> bytes:
    """The content of a policy's file; raises PolicyMismatchError."""
    path = folder / name
    try:
        return read_plain_file(path, MOST_BYTES[name], folder)
    except FileNotFoundError:
        raise PolicyMismatchError(
            f"{folder} {'is not a policy: it ' if name == CARD else ''}has no {name}"
        ) from None
    except (OSError, ValueError) as error:
        raise PolicyMismatchError(f"{path} cannot be read: {error}") from None


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a policy's folder; raises PolicyMismatchError if it is missing, damaged or of
    another format."""
    return parse_card(folder, _read(folder, CARD))


def parse_card(folder: Path, content: bytes) -> dict[str, Any]:
    """A card from the content of its file; raises PolicyMismatchError as :func:`read_card`."""
    path = folder / CARD
    try:
        card = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise PolicyMismatchError(f"{path} is damaged: {error}") from None
    if not isinstance(card, dict):
        raise PolicyMismatchError(f"{path} is damaged: it must be a JSON object")
    missing = [key for key in CARD_KEYS if key not in card]
    if missing:
        raise PolicyMismatchError(f"{path} is damaged: {', '.join(missing)} missing")
    if card["format"] != CARD_FORMAT or isinstance(card["format"], bool):
        raise PolicyMismatchError(
            f"{path} has format {shown_in_message(card['format'])}; this version reads format "
            f"{CARD_FORMAT}"
        )
    earlier = card.get("earlier_sha256", [])
    if not isinstance(earlier, list) or not all(isinstance(one, str) for one in earlier):
        raise PolicyMismatchError(
            f"{path} is damaged: earlier_sha256 must be a list of texts, not "
            f"{shown_in_message(earlier)}"
        )
    players = card.get("num_players", [])
    if not isinstance(players, list) or not all(type(count) is int for count in players):
        raise PolicyMismatchError(
            f"{path} is damaged: num_players must be a list of integers, not "
            f"{shown_in_message(players)}"
        )
    return card


def weights_hashes(card: Mapping[str, Any]) -> tuple[str, ...]:
    """The hashes by which results may name a policy's weights (SHA-256, hexadecimal).

    The first is that of its file. Others are of earlier files, the oldest last, such as that of the
    float32 weights from which these were rounded: a policy that was measured before plays almost
    every move as it did.
    """
    return str(card["weights_sha256"]), *card.get("earlier_sha256", ())


def trained_for(card: Mapping[str, Any], game: Game) -> list[dict[str, Any]]:
    """The options that a policy was trained for, by its card, each time all of them. Empty if the
    card does not say it, or names options that the game does not have."""
    settings = card.get("settings")
    games = settings.get("games") if isinstance(settings, dict) else None
    found: list[dict[str, Any]] = []
    for case in games if isinstance(games, list) else ():
        if not isinstance(case, dict):
            continue
        with suppress(OptionError):
            complete = game.complete_options(case)
            if complete not in found:
                found.append(complete)
    return found


def read_weights(folder: Path, card: dict[str, Any]) -> bytes:
    """The weights of a policy's folder; raises PolicyMismatchError unless their hash is on the
    card."""
    weights = _read(folder, WEIGHTS)
    if sha256(weights).hexdigest() != card["weights_sha256"]:
        raise PolicyMismatchError(
            f"{folder / WEIGHTS} is damaged or not the one of its card: its SHA-256 differs from "
            "weights_sha256"
        )
    return weights


def differences(card: dict[str, Any], game: Game) -> str:
    """The reasons why a policy does not fit an environment, in words; empty if it fits. A policy
    for another version of the game fits if that version has the same observation and actions.

    A policy for another version of the game fits, too, if that has the same observation and the
    same actions.
    """
    made_for = card["environment"]
    if not is_environment(made_for) or game_name(made_for) != game.name:
        return f"it was made for {shown_in_message(made_for)}"
    kinds = ["raw" if one.usual is not None else "the usual" for one in (load_game(made_for), game)]
    if kinds[0] != kinds[1]:
        return (
            f"it was made for {kinds[0]} observations ({made_for}), and sees {kinds[1]} ones here"
        )
    if same_to_a_policy(card["environment"], game):
        game = load_game(card["environment"])
    expected = {
        "environment": game.env_name,
        "observation_layout": game.layout_hash,
        "action_list": game.actions_hash,
    }
    return "; ".join(
        f"{key} is {shown_in_message(card[key])}, here {value!r}"
        for key, value in expected.items()
        if card[key] != value
    )


def same_to_a_policy(environment: Any, game: Game) -> bool:
    """Whether this is another version of the game with the same observation and actions."""
    if environment == game.env_name:
        return False
    other = load_game(environment)
    return other.layout == game.layout and other.actions == game.actions


def check_card(card: dict[str, Any], game: Game, folder: Path) -> None:
    """Raise PolicyMismatchError, saying what differs, unless the policy fits the environment. A
    line on stderr says if it was trained for another version."""
    if different := differences(card, game):
        raise PolicyMismatchError(f"policy {folder} does not fit {game.env_name}: {different}")
    if card["environment"] != game.env_name:
        _say_once(
            f"policy {folder} was trained for {card['environment']}; {game.env_name} has the same "
            "observation and actions, and other rules"
        )


_say_once = cache(say)


class OnnxAgent(OneGame):
    """A trained policy: an ONNX graph from (observation, action_mask) to (masked logits, value).

    A policy with a memory also takes ``memory``, float32 (n, memory_size), and gives
    ``next_memory`` (:mod:`dig_envs.agents.memory`).

    A policy whose card names the numbers of players that it was trained for (``num_players``) plays
    no others: ``act`` and ``act_batch`` raise PolicyMismatchError. Without ``states`` the number is
    read from the observation, if that holds it.

    Copies and pickles name the folder and the hashes of its files, and load it again; they are
    refused if it has changed.

    Attributes: ``folder``: of its files. ``card``: what its ``card.json`` says.

    Args:
        folder: with ``policy.onnx`` and ``card.json``.
        env: the environment that it is to play; None for the one on its card.
        sample: draw actions from the policy's distribution; else the likeliest one is played.
        seed: for ``sample``; None for entropy.
        threads: of onnxruntime.

    Raises:
        PolicyMismatchError: damaged, with data in other files, or made for another environment,
            version, layout or action list.
        ImportError: onnxruntime is not installed.
    """

    needs_positions = False

    def __init__(
        self,
        folder: Path,
        env: str | None = None,
        sample: bool = False,
        seed: int | None = None,
        threads: int = 1,
    ) -> None:
        self._rng = np.random.default_rng(None if seed is None else check_seed(seed))
        self.sample = sample
        self._load(Path(folder).absolute(), env, threads)

    @property
    def choice(self) -> str:
        """The rule that makes an action of its probabilities, in words: ``"likeliest action"`` or
        ``"sampled"``."""
        return "sampled" if self.sample else "likeliest action"

    def _load(self, folder: Path, env: str | None, threads: int) -> None:
        content = _read(folder, CARD)
        card = parse_card(folder, content)
        if env is None and not is_environment(card["environment"]):
            versions = [
                one for one in list_environments() if one.startswith(f"{folder.parent.name}_v")
            ]
            raise PolicyMismatchError(
                f"policy {folder} is for {shown_in_message(card['environment'])}, which is not "
                f"here; there are {', '.join(versions or list_environments())}"
            )
        self.game: Game = load_game(env or card["environment"])
        check_card(card, self.game, folder)
        self.card = card
        self.num_players: tuple[int, ...] = tuple(card.get("num_players", ()))  # empty: any
        self.name = f"{folder.parent.name}/{folder.name}{':sample' if self.sample else ''}"
        self.folder, self._threads = folder, threads
        self._hashes = {CARD: sha256(content).hexdigest(), WEIGHTS: card["weights_sha256"]}
        self._session = _open_session(folder, card, threads)
        self.memory_size = _memory_size(self._session, folder)
        self._try_out()

    def _try_out(self) -> None:
        """Raise PolicyMismatchError unless the graph takes and gives what it should, for any number
        of decisions."""
        path, size, actions = (
            self.folder / WEIGHTS,
            self.game.observation_size,
            len(self.game.actions),
        )
        wanted = {"inputs": {"observation", "action_mask"}, "outputs": {"logits", "value"}}
        if self.memory_size:
            wanted["inputs"].add(MEMORY)
            wanted["outputs"].add(NEXT_MEMORY)
        for what, found in (
            ("inputs", self._session.get_inputs()),
            ("outputs", self._session.get_outputs()),
        ):
            if {one.name for one in found} != wanted[what]:
                raise PolicyMismatchError(
                    f"{path} has the {what} {sorted(one.name for one in found)}, not "
                    f"{sorted(wanted[what])}"
                )
            for one in found:
                if one.type != FLOAT:
                    raise PolicyMismatchError(f"{path}: {one.name} is a {one.type}, not a {FLOAT}")
        for n in (1, 2):
            try:
                memory = np.zeros((n, self.memory_size), np.float32)
                seen, mask = np.zeros((n, size), np.float32), np.ones((n, actions), np.int8)
                with _time_limit() as limit:
                    logits, value = self._compute(seen, mask, memory, limit)
            except Exception as error:  # onnxruntime has no common class for its own
                raise PolicyMismatchError(
                    f"{path} does not run on {n} decisions: {first_line(error)}"
                ) from None
            if logits.shape != (n, actions) or value.shape != (n,):
                raise PolicyMismatchError(
                    f"{path} gives logits {logits.shape} and value {value.shape} for {n} "
                    f"decisions, not {(n, actions)} and {(n,)}"
                )

    def __getstate__(self) -> dict[str, Any]:
        made_of = {
            "folder": str(self.folder),
            "env": self.game.env_name,
            "threads": self._threads,
            "hashes": self._hashes,
        }
        return {**made_of, "sample": self.sample, "rng": self._rng, "memory_key": self.memory_key}

    def __setstate__(self, plain: dict[str, Any]) -> None:
        self.sample, self._rng = plain["sample"], plain["rng"]
        self.memory_key = plain["memory_key"]
        self._load(Path(plain["folder"]), plain["env"], plain["threads"])
        changed = [name for name, digest in self._hashes.items() if plain["hashes"][name] != digest]
        if changed:
            raise PolicyMismatchError(
                f"{self.folder / changed[0]} has changed since this agent was copied"
            )

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision; ``seats`` are not used, ``states`` only give the number of
        players."""
        self._check_players(decisions.observation, decisions.states)
        logits, _ = self._run(decisions.observation, decisions.action_mask, decisions.memory)
        if self.sample:
            logits = logits + self._rng.gumbel(size=logits.shape)
        return np.asarray(np.where(decisions.action_mask, logits, -np.inf).argmax(axis=1))

    def check_num_players(self, counts: Iterable[int]) -> None:
        """Raise PolicyMismatchError if there are numbers of players for which the policy was not
        trained."""
        others = sorted(set(counts) - set(self.num_players)) if self.num_players else []
        if others:
            plays, asked = (", ".join(map(str, some)) for some in (self.num_players, others))
            raise PolicyMismatchError(
                f"policy {self.name} was trained for {plays} players, not for {asked}"
            )

    def _check_players(self, observation: Array, states: Array | None) -> None:
        """Check the numbers of players that the states say, or the observations, in a one-hot field
        ``num_players``."""
        if not self.num_players:
            return
        entry, game = self.game.layout.get("num_players"), self.game
        if states is not None:
            self.check_num_players(np.unique(states["num_players"]).tolist())
        elif entry is not None and entry.shape == (game.max_players - game.min_players + 1,):
            shown = observation[:, entry.slice]
            self.check_num_players(
                int(k) + game.min_players
                for k in np.unique(shown.argmax(axis=1)[shown.any(axis=1)])
            )

    @cached_property
    def program(self) -> Program | None:
        """The network for compiled code, read from the file and compared with onnxruntime; None if
        it has to be asked."""
        weights = _read(self.folder, WEIGHTS)
        if sha256(weights).hexdigest() != self._hashes[WEIGHTS]:
            raise PolicyMismatchError(
                f"{self.folder / WEIGHTS} has changed since this agent was loaded"
            )
        return program_for(weights, self.game, self.evaluate, self.memory_size)

    def evaluate(
        self, observation: Array, action_mask: Array, memory: Array | None = None
    ) -> tuple[Array, Array]:
        """Masked logits float32 (n, num_actions) and values float32 (n,); a policy with a memory
        rewrites ``memory``.

        Args:
            observation, action_mask: as for ``act_batch``; a mask may be all zero.
            memory: of a policy that has one.

        Raises:
            TypeError, ValueError: as ``act_batch``.
        """
        seen, mask = check_seen(self.game, self.name, observation, action_mask)
        if self.memory_size:
            memory = check_memory(memory, len(seen), self.memory_size, self.name)
        return self._run(seen, mask, memory)

    def _run(self, observation: Array, action_mask: Array, memory: Any) -> tuple[Array, Array]:
        """Logits and values; raises PolicyMismatchError unless those of legal actions and
        all others are finite numbers."""
        logits, value = self._compute(observation, action_mask, memory)
        whole = np.isfinite(np.where(action_mask, logits, 0)).all(axis=1) & np.isfinite(value)
        if self.memory_size:
            whole &= np.isfinite(memory).all(axis=1)
        if not whole.all():
            raise PolicyMismatchError(
                f"policy {self.name} gives NaN or infinite numbers for decision {whole.argmin()} "
                f"of {self.game.env_name}, whose observation is finite; its weights must be, too"
            )
        return logits, value

    def _compute(
        self, observation: Array, action_mask: Array, memory: Any, limit: Any = None
    ) -> tuple[Array, Array]:
        given = {"observation": observation, "action_mask": action_mask.astype(np.float32)}
        if not self.memory_size:
            logits, value = self._session.run(["logits", "value"], given, limit)
            return logits, value
        logits, value, memory[:] = self._session.run(
            ["logits", "value", NEXT_MEMORY], {**given, MEMORY: memory}, limit
        )
        return logits, value


@contextmanager
def _time_limit() -> Iterator[Any]:
    """Give onnxruntime's settings of a run, which ends with an error after some seconds."""
    import onnxruntime

    settings = onnxruntime.RunOptions()
    timer = threading.Timer(TRIAL_SECONDS, setattr, (settings, "terminate", True))
    timer.daemon = True
    timer.start()
    try:
        yield settings
    finally:
        timer.cancel()


@cache
def _limit_memory() -> None:
    """Limit the memory in which graphs compute, of all sessions that ask for it together: a small
    file can say that it needs any amount."""
    import onnxruntime

    memory = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    limit = onnxruntime.OrtArenaCfg({"max_mem": MOST_BYTES_OF_GRAPHS})
    try:
        onnxruntime.create_and_register_allocator(memory, limit)
    except Exception as error:  # onnxruntime's own kinds have no other base
        if "already" not in str(error):
            raise
        # the program has registered one itself, whose limit holds: there is one for a process


def _open_session(folder: Path, card: dict[str, Any], threads: int) -> Any:
    """The onnxruntime session of a policy; raises PolicyMismatchError unless the file's hash is on
    the card."""
    path = folder / WEIGHTS
    weights = read_weights(folder, card)
    try:
        check_self_contained(weights)
    except ValueError as error:
        raise PolicyMismatchError(f"{path} cannot be used: {error}") from None
    try:
        import onnxruntime
    except ImportError:
        raise ImportError(NEEDS_RUNTIME) from None
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = threads
    settings.log_severity_level = SILENT
    _limit_memory()
    settings.add_session_config_entry("session.use_env_allocators", "1")
    # what was checked is what is read
    settings.add_session_config_entry("session.load_model_format", "ONNX")
    try:
        # there is no other to fall back to, of which onnxruntime would print a message
        providers = ["CPUExecutionProvider"]
        return onnxruntime.InferenceSession(
            weights, settings, providers=providers, enable_fallback=0
        )
    except Exception as error:  # onnxruntime has no common class for its own
        raise PolicyMismatchError(
            f"{path} is not an ONNX model that can be run: {first_line(error)}"
        ) from None


def _memory_size(session: Any, folder: Path) -> int:
    """The width of the graph's input ``memory``; 0 if it has none."""
    shape = next((one.shape for one in session.get_inputs() if one.name == MEMORY), None)
    if shape is None:
        return 0
    if len(shape) != 2 or type(shape[1]) is not int or not 1 <= shape[1] <= MOST_MEMORY:
        raise PolicyMismatchError(
            f"{folder / WEIGHTS}: {MEMORY} must have the shape (n, 1 to {MOST_MEMORY}), not {shape}"
        )
    return int(shape[1])


def first_line(error: Exception) -> str:
    """The first line of what an error of another library says, or its name."""
    return (str(error) or type(error).__name__).splitlines()[0]
