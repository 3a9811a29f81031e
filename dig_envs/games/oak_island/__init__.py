"""The Treasure of Oak Island: bring the right people together, dig cubes out of a bag, and pull out the yellow one, for 2 to 4 players."""

TITLE = "The Treasure of Oak Island"
VERSION = 0
COOPERATIVE = False
SEARCH = {"lead": 0.0}  # Bobby Dazzlers say little about who will find the treasure
