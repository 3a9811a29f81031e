"""Cretaceous Creek: a cooperative race against a storm, for 1 to 4 players."""

TITLE = "Cretaceous Creek"
VERSION = 0
MINUTES = 10
COOPERATIVE = True
GUIDED_SEARCH = {"playout": "guide"}  # stronger than the scripted player, and faster: that one tries out hundreds of plans
