"""The box of Bone Bids."""

import numpy as np

MAX_PLAYERS = 4
CARDS = ("1", "2", "3", "4", "5", "6")
COPIES = np.array([4, 4, 4, 4, 4, 4], np.int8)
MAX_HAND = 5
MAX_ACTIONS = MAX_PLAYERS * MAX_HAND
