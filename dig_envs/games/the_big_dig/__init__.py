"""The Big Dig: two paleontologists argue about a specimen from what living animals have in
common."""

TITLE = "The Big Dig"
VERSION = 0
MINUTES = 20
AGE = 12  # our estimate
WEIGHT = 3
FAMILY = {"deck": "Deck (starter: easy)", "turns": "Turns"}
COOPERATIVE = False
SEARCH = {"depth": 2}
