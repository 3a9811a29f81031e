"""The model of a game: small, but with everything that a game can need. Begin a new one by copying ``bone_bids``."""
