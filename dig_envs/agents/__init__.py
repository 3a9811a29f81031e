"""Players: random, scripted and trained, all with the same interface, loaded by name."""
