"""The Big Dig: two paleontologists argue about a specimen from what living animals have in
common."""

TITLE = "The Big Dig"
VERSION = 0
MINUTES = 20
COOPERATIVE = False
SEARCH = {"depth": 2}
