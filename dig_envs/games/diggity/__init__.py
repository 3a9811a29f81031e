"""Diggity: a mine of cards grows over the table; connected symbols give tools and miners, tools win
gold, for 2 to 4 players."""

TITLE = "Diggity"
VERSION = 0
MINUTES = 20
COOPERATIVE = False
SEARCH = {"depth": 4}
GUIDED_SEARCH = {"root": "gumbel", "considered": 4}
