"""Bone Bids: sealed bids for bones that a die digs up, for 2 to 4 players.

- BB-1 Each of 24 cards has a number from 1 to 6, four of each. Each player is dealt `hand_size` cards, unseen by the others.
- BB-2 A round begins with a die: it says what the bone is worth.
- BB-3 All players bid at the same time, each with a card of the hand.
- BB-4 The bids are revealed. The highest bid that nobody else made wins the bone; if there is none, nobody does. The cards are out.
- BB-5 When the hands are empty the game is over, and the most points win, ties shared.
"""

TITLE = "Bone Bids"
VERSION = 0
COOPERATIVE = False
SECRETS = ()  # bids are revealed
