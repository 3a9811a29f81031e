"""Go Dig: ask the others for fossils of a genus and complete skeletons, for 2 to 4 players."""

TITLE = "Go Dig"
VERSION = 0
MINUTES = 10
COOPERATIVE = False
