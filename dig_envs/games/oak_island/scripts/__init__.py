"""Programs about The Treasure of Oak Island: other data, odds, events, and comparisons of players."""
