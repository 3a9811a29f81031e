"""Fossil Canyon: rival museums dig for fossils and swap them unasked, for 2 to 6 players."""

TITLE = "Fossil Canyon"
VERSION = 0
MINUTES = 20
COOPERATIVE = False
SEARCH = {"depth": 8}
