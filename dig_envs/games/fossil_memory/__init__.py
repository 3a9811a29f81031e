"""Fossil Memory: turn up the fossils of one skeleton after the other out of a grid that lies face
down, for 2 to 4 players."""

TITLE = "Fossil Memory"
VERSION = 0
MINUTES = 5
COOPERATIVE = False
