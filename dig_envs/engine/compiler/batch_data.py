"""All the arrays of a batch of games, as one argument of compiled functions: on a CPU arrays of
NumPy, on a GPU arrays there."""

from typing import Any, NamedTuple

Array = Any  # of NumPy or on a device


class BatchData(NamedTuple):
    """The contents of a batch of n games with s seats and a actions whose observations have o
    numbers.

    It is a plain tuple for Numba: a field is as fast as an argument.
    """

    states: Array
    """Records of the game's state (n,): the positions."""
    templates: Array
    """Records of the game's state (t,), zero but for options: one for each set of options that
    occurs."""
    template_of: Array
    """int64 (n,): which of the templates a game is dealt from."""
    generators: Array
    """Records (n,) with the field ``rng``, uint64: random generators of the players, not of the
    deals."""
    masks: Array
    """int8 (n, a): 1 for each legal action of the mover."""
    observations: Array
    """Records of the game's observation (n,) in the memory of ``flat``; (1,) in a batch without
    observations."""
    flat: Array
    """float32 (n, o): what the mover sees; (1, o) in a batch without observations."""
    movers: Array
    """int64 (n,): the seat that is asked next."""
    rewards: Array
    """float32 (n, s): each seat's reward in the last step."""
    terminated: Array
    """bool (n,): whether the last step ended the game."""
    turn_limit: Array
    """bool (n,): whether it was the turn limit that ended it."""
    returns: Array
    """float32 (n, s): sums of the rewards of the episodes that go on."""
    lengths: Array
    """int64 (n,): numbers of actions in the episodes that go on."""
    final_states: Array
    """Records of the game's state (n,): the last position of the episode that ended last."""
    final_returns: Array
    """float32 (n, s): its returns."""
    final_lengths: Array
    """int64 (n,): its number of actions."""
    reward_kind: int
    """Index into :data:`~dig_envs.engine.core.state.REWARD_KINDS`."""
    with_observations: bool
    """Whether a step writes observations."""
