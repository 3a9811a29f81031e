"""Twenty Questions: who finds out most fossils with twenty yes/no questions, for 2 to 4 players."""

TITLE = "Twenty Questions"
VERSION = 0
MINUTES = 15
AGE = 6  # as in the rulebook
WEIGHT = 1
FAMILY = {"questions": "Questions for each player"}
COOPERATIVE = False
