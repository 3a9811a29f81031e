"""Cretaceous Creek: a cooperative race against a storm, for 1 to 4 players."""

from dig_envs.engine.game import Game, Rules
from dig_envs.games.cretaceous_creek.components import MAX_ACTIONS
from dig_envs.games.cretaceous_creek.drawing import draw
from dig_envs.games.cretaceous_creek.heuristic import heuristic
from dig_envs.games.cretaceous_creek.observation import observe
from dig_envs.games.cretaceous_creek.rules import apply_action, determinize, legal_actions, setup
from dig_envs.games.cretaceous_creek.snapshot import decode, encode, hide
from dig_envs.games.cretaceous_creek.state import ACTIONS, MAX_PLAYERS, MEANINGS, OPTIONS, PHASES, Observation, State

GAME = Game(
    name="cretaceous_creek",
    version=0,
    title="Cretaceous Creek",
    min_players=1,
    max_players=MAX_PLAYERS,
    cooperative=True,
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
    low=-1.0,
)
