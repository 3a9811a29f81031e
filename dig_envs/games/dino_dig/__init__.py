"""Dino Dig: three paleontologists a player dig for the longest run of cards and carry it home, for
2 to 4 players."""

TITLE = "Dino Dig"
VERSION = 0
MINUTES = 15
AGE = 10  # our estimate
WEIGHT = 3
FAMILY = {"jokers": "With jokers", "new_horizons": "Players lay the site"}
COOPERATIVE = False
# with less trust it plays what a few lucky simulations favoured
SEARCH = {"lead": 0.0, "trust": 0.95}
GUIDED_SEARCH = {"root": "gumbel", "considered": 4}  # few candidates on the same deals
