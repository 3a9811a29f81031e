"""The mine of Diggity as a graph and as an image, made from flat observations alone, for learners that are made for these.

Both take vectors with any leading axes, such as those of a batch, and add nothing to what the vector says.
"""

from typing import Any, NamedTuple

import numpy as np

from dig_envs.games.diggity import components as box
from dig_envs.games.diggity.observation import FAR, FIELDS, PLACES

Array = np.ndarray[Any, Any]

NODE = ("mine_exists", "mine_symbol", "mine_at", "mine_lying", "mine_sides")
PASSAGE = ("open_exists", "open_card", "open_side", "open_at", "open_symbol", "open_fits", "open_makes")
CONNECTED, OPEN, BLOCKED = 1, 2, 3  # in the last axis of `mine_sides`
CELL = 2  # of the table, for each cell of an image: centres lie in the middle of cells, cards are 5 by 7 of them
WINDOW = 64
PLANES = 30


class Graph(NamedTuple):
    """The mine as a graph; all arrays float32, with the leading axes of the observations.

    ``nodes`` (…, 64, 24): the cards, fields ``mine_exists`` to ``mine_sides``. ``passages`` (…, 48, 34): the open passages, fields
    ``open_exists`` to ``open_makes``. ``connected`` (…, 64, 64): 1 for two cards that are connected. ``of_card`` (…, 48, 64): 1 for
    an open passage and the card that it belongs to.
    """

    nodes: Array
    passages: Array
    connected: Array
    of_card: Array


def as_graph(observation: Array) -> Graph:
    """The mine as a graph.

    Args:
        observation: float32 (…, size of the observation).
    """
    fields = _fields(observation)
    exits = np.round(fields["mine_at"] * FAR)[..., None, :] + _reach(fields["mine_lying"])  # (…, 64, 4, 2)
    joined = fields["mine_sides"][..., CONNECTED] > 0
    connected = np.zeros((*observation.shape[:-1], PLACES, PLACES), bool)
    for side in range(box.NUM_SIDES):
        back = (side + 2) % box.NUM_SIDES
        meet = (exits[..., :, None, side, :] == exits[..., None, :, back, :]).all(axis=-1)
        connected |= meet & joined[..., :, None, side] & joined[..., None, :, back]
    place = np.round(fields["open_card"] * PLACES)[..., None]
    of_card = (place == np.arange(PLACES)) & (fields["open_exists"][..., None] > 0)
    return Graph(_together(fields, NODE), _together(fields, PASSAGE), connected.astype(np.float32), of_card.astype(np.float32))


def as_image(observation: Array, window: int = WINDOW) -> Array:
    """The mine as an image: float32 (…, 30, window, window), rows from north to south.

    Planes: 0 a card; 1 to 4 its symbol; 5 to 7 on the edge of a card a passage that is connected, open, blocked; at the open ones
    8 whether an upright card fits, 9 a lying one, and 10 to 29 what a card of each symbol makes there (as ``open_makes``).
    The middle of the mine is in the middle; what lies outside the window is cut off.
    """
    flat = observation.reshape(-1, FIELDS.size)
    fields = _fields(flat)
    there = fields["mine_exists"] > 0
    cells = np.round(fields["mine_at"] * FAR / CELL).astype(int)
    origin = _middle(cells, there)[:, None] - window // 2
    image = np.zeros((len(flat), PLANES, window, window), np.float32)
    lying = fields["mine_lying"] > 0
    for dx in range(-3, 4):
        for dy in range(-3, 4):
            inside = there & np.where(lying, abs(dy) <= 2, abs(dx) <= 2)
            at = cells - origin + (dx, dy)
            _paint(image, at, inside, 0, np.ones(inside.shape))
            for symbol in range(box.NUM_SYMBOLS):
                _paint(image, at, inside & (fields["mine_symbol"][..., symbol] > 0), 1 + symbol, np.ones(inside.shape))
    edges = cells[:, :, None] - origin[:, :, None] + ((_reach(fields["mine_lying"]) - _DIRECTIONS) / CELL).astype(int)
    for kind in (CONNECTED, OPEN, BLOCKED):
        sides = fields["mine_sides"][..., kind] > 0
        _paint(image, edges.reshape(len(flat), -1, 2), sides.reshape(len(flat), -1), 4 + kind, np.ones((len(flat), sides[0].size)))
    _paint_open(image, fields, origin)
    return image.reshape(*observation.shape[:-1], PLANES, window, window)


_DIRECTIONS = np.stack([box.DX, box.DY], axis=-1).astype(float)  # (4, 2)


def _fields(observation: Array) -> Array:
    """The observation as records: its fields by name, each with its own shape."""
    return np.ascontiguousarray(observation, np.float32).view(FIELDS.dtype)[..., 0]


def _reach(lying: Array) -> Array:
    """From the centre of each card to the midpoints of its sides: (…, 64, 4, 2)."""
    half = np.where(lying[..., None] > 0, np.array([7, 5]), np.array([5, 7]))
    return np.asarray(half[..., None, :] * _DIRECTIONS)


def _together(fields: Array, names: tuple[str, ...]) -> Array:
    """Some fields side by side, one row for each place."""
    first = fields[names[0]]
    return np.concatenate([fields[name].reshape(*first.shape, -1) for name in names], axis=-1)


def _middle(cells: Array, there: Array) -> Array:
    """The middle cell of each mine, (n, 2); zero where there is none."""
    least = np.where(there[..., None], cells, 10_000).min(axis=1)
    most = np.where(there[..., None], cells, -10_000).max(axis=1)
    some: Array = np.asarray(there.any(axis=1))
    return np.where(some[:, None], (least + most) // 2, 0)


def _paint(image: Array, at: Array, which: Array, plane: int, values: Array) -> None:
    """Write values into a plane: ``at`` (n, k, 2) cells, ``which`` (n, k) of them, ``values`` (n, k)."""
    window = image.shape[-1]
    inside = which & (at >= 0).all(axis=-1) & (at < window).all(axis=-1)
    game, place = np.nonzero(inside)
    image[game, plane, at[game, place, 1], at[game, place, 0]] = values[game, place]


def _paint_open(image: Array, fields: Array, origin: Array) -> None:
    """Paint what the open passages offer, on the edge of their cards."""
    exits = np.round(fields["open_at"] * FAR)
    outwards = fields["open_side"] @ _DIRECTIONS
    at = np.round((exits - outwards) / CELL).astype(int) - origin
    there = fields["open_exists"] > 0
    offers = np.concatenate([fields["open_fits"], fields["open_makes"].reshape(*there.shape, -1)], axis=-1)
    for plane in range(offers.shape[-1]):
        _paint(image, at, there, 8 + plane, offers[..., plane])
