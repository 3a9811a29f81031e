"""Go Dig: ask the others for fossils of a genus and complete skeletons, for 2 to 4 players."""

TITLE = "Go Dig"
VERSION = 0
MINUTES = 15
AGE = 5  # as in the rulebook
WEIGHT = 1
COOPERATIVE = False
