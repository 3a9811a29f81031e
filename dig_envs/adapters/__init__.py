"""The ways to use a game: PettingZoo AEC and parallel, Gymnasium, Stable-Baselines3."""
