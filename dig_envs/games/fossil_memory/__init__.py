"""Fossil Memory: turn up the fossils of one skeleton after the other out of a grid that lies face
down, for 2 to 4 players."""

TITLE = "Fossil Memory"
VERSION = 0
MINUTES = 10
AGE = 5  # our estimate
WEIGHT = 1
FAMILY = {"recall": "Reminder of cards seen"}
COOPERATIVE = False
