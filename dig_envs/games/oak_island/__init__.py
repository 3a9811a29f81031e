"""The Treasure of Oak Island: bring the right people together and pull the yellow cube out of a
bag, for 2 to 4 players."""

TITLE = "The Treasure of Oak Island"
VERSION = 1
MINUTES = 15
AGE = 8  # our estimate
WEIGHT = 2
COOPERATIVE = False
SCORE_DECIDES = False  # who finds the treasure wins (OI-17)
ZERO_SUM_v1 = False  # at the limit nobody does (OI-18)
# Bobby Dazzlers say little about who will find the treasure; a round of four players has 16 turns,
# and differences are small.
SEARCH = {"lead": 0.0, "depth": 16, "c": 0.1}
GUIDED_SEARCH = {"root": "gumbel", "considered": 4}
