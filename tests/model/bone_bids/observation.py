"""The observation of a seat in Bone Bids, as numbers."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.seats import seat_after
from dig_envs.engine.core.standard import standard_filler
from tests.model.bone_bids import components as box
from tests.model.bone_bids import state as s

MOST = 6 * box.MAX_HAND  # points
CARDS = len(box.CARDS)

FIELDS = Fields(
    fields.plays(box.MAX_PLAYERS),
    fields.score(box.MAX_PLAYERS, MOST),
    fields.phase(s.PHASES),
    fields.turn(box.MAX_HAND),
    fields.num_players(2, box.MAX_PLAYERS),
    Field("hand", (CARDS,), "per card: own cards / 4"),
    Field("out", (CARDS,), "per card: cards that are out / 4"),
    Field("own_bid", (CARDS,), "one-hot: the own bid of this round, if it is made"),
    Field(
        "has_bid",
        (box.MAX_PLAYERS,),
        "per seat (self, +1, +2, +3): 1 if its bid of this round is made",
    ),
    Field("worth", (), "worth of the bone / 6"),
    Field("cards_left", (), "cards in each hand / 5"),
    Field("hand_size", (), "hand_size / 5"),
)
standard = standard_filler(FIELDS)


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    for card in range(CARDS):
        obs.hand[card] = state.hands[seat, card] / 4
        obs.out[card] = state.out[card] / 4
    if state.pending[seat] > 0:
        obs.own_bid[state.pending[seat] - 1] = 1
    for k in range(state.num_players):
        obs.has_bid[k] = state.phase == s.BID and not state.owes[seat_after(state, seat, k)]
    obs.worth = state.worth / 6
    obs.cards_left = state.num_cards[seat] / box.MAX_HAND
    obs.hand_size = state.hand_size / box.MAX_HAND
