"""Diggity: a mine of cards grows over the table; connected symbols give tools and miners, tools win gold, for 2 to 4 players."""

TITLE = "Diggity"
VERSION = 0
MINUTES = 20
COOPERATIVE = False
SEARCH = {"depth": 4}
GUIDES = ("diggity/ppo", "diggity/many")  # alone, the search loses to the scripted player: there are hundreds of places for a card
GUIDED_SEARCH = {"root": "gumbel", "considered": 4}
