"""The Big Dig: two paleontologists argue about a specimen from what living animals have in common."""

from dig_envs.engine.game import Game, Rules
from dig_envs.games.the_big_dig.app import consult
from dig_envs.games.the_big_dig.components import MAX_ACTIONS, SEATS
from dig_envs.games.the_big_dig.drawing import draw
from dig_envs.games.the_big_dig.heuristic import heuristic
from dig_envs.games.the_big_dig.observation import observe
from dig_envs.games.the_big_dig.rules import apply_action, determinize, legal_actions, setup
from dig_envs.games.the_big_dig.snapshot import check_options, decode, encode, hide
from dig_envs.games.the_big_dig.state import ACTIONS, MEANINGS, OPTIONS, PHASES, Observation, State

GAME = Game(
    name="the_big_dig",
    version=0,
    title="The Big Dig",
    min_players=SEATS,
    max_players=SEATS,
    cooperative=False,
    state=State,
    observation=Observation,
    actions=ACTIONS,
    phases=PHASES,
    options=OPTIONS,
    check_options=check_options,
    rules=Rules(setup, legal_actions, apply_action, observe, determinize, heuristic),
    decode=decode,
    encode=encode,
    hide=hide,
    draw=draw,
    consult=consult,
    search={"depth": 2},
    meanings=MEANINGS,
    max_actions=MAX_ACTIONS,
    low=-3.0,
    high=12.0,
)
