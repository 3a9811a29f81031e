"""Cretaceous Creek: a cooperative race against a storm, for 1 to 4 players."""

TITLE = "Cretaceous Creek"
VERSION = 0
MINUTES = 30
AGE = 8  # as in the rulebook
WEIGHT = 2
FAMILY = {"level": "How hard"}
COOPERATIVE = True
PARTNER = "best+search:1000ms"  # a weak partner loses the game for everybody
# a value takes a thirtieth of the time of a playout, and more positions tell more
GUIDED_SEARCH = {"playout": "none"}
