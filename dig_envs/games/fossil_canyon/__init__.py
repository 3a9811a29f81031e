"""Fossil Canyon: rival museums dig for fossils and swap them unasked, for 2 to 6 players."""

TITLE = "Fossil Canyon"
VERSION = 0
MINUTES = 30
AGE = 6  # as in the rulebook
WEIGHT = 2
FAMILY = {"research": "With research fossils", "hidden_limit": "Fossils that you may hide"}
COOPERATIVE = False
SEARCH = {"depth": 8}
