"""What all games share, in four folders, and the Game object made from them (the README of this
folder)."""
