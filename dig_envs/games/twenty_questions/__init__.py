"""Twenty Questions: who finds out most fossils with twenty yes/no questions, for 2 to 4 players."""

TITLE = "Twenty Questions"
VERSION = 0
MINUTES = 10
COOPERATIVE = False
