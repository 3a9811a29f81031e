"""Diggity: a mine of cards grows over the table; connected symbols give tools and miners, tools win
gold, for 2 to 4 players."""

TITLE = "Diggity"
VERSION = 0
MINUTES = 20
AGE = 10  # our estimate
WEIGHT = 3
FAMILY = {"gold_cards": "Gold cards (8: short)", "hidden_tools": "Hidden tools"}
COOPERATIVE = False
SEARCH = {"depth": 4}
GUIDED_SEARCH = {"root": "gumbel", "considered": 4}
