"""Bone Bids: sealed bids for bones that a die digs up, for 2 to 4 players (rules BB-1 to BB-5,
RULES.md)."""

TITLE = "Bone Bids"
VERSION = 0
COOPERATIVE = False
