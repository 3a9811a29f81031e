"""The parts of the documentation that are made from the games."""
