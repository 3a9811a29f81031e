"""Fossil Canyon: rival museums dig for fossils and swap them unasked, for 2 to 6 players."""

from dig_envs.engine.game import Game, Rules
from dig_envs.games.fossil_canyon.components import MAX_ACTIONS, MAX_PLAYERS
from dig_envs.games.fossil_canyon.drawing import draw
from dig_envs.games.fossil_canyon.heuristic import heuristic
from dig_envs.games.fossil_canyon.observation import observe
from dig_envs.games.fossil_canyon.rules import apply_action, determinize, legal_actions, setup
from dig_envs.games.fossil_canyon.snapshot import decode, encode, hide
from dig_envs.games.fossil_canyon.state import ACTIONS, MEANINGS, OPTIONS, PHASES, Observation, State

GAME = Game(
    name="fossil_canyon",
    version=0,
    title="Fossil Canyon",
    min_players=2,
    max_players=MAX_PLAYERS,
    cooperative=False,
    state=State,
    observation=Observation,
    actions=ACTIONS,
    phases=PHASES,
    options=OPTIONS,
    rules=Rules(setup, legal_actions, apply_action, observe, determinize, heuristic),
    decode=decode,
    encode=encode,
    hide=hide,
    draw=draw,
    meanings=MEANINGS,
    max_actions=MAX_ACTIONS,
    search={"depth": 8},
)
