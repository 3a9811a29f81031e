"""Policies for tests: those of this project where they fit, and a zoo of a test's own."""

import json

import pytest

from dig_envs.agents.onnx import differences, read_card
from dig_envs.agents.zoo import zoo_policies
from dig_envs.registry import list_environments, load_game


def shipped(name):
    """The name of a policy of this project, with settings. Where its environment has changed since,
    the test is skipped."""
    pytest.importorskip("onnxruntime")
    card = read_card(zoo_policies()[name.partition(":")[0].removesuffix("+search")])
    if card["environment"] not in list_environments():
        pytest.skip(f"{name} was trained for {card['environment']}")
    if different := differences(card, load_game(card["environment"])):
        pytest.skip(f"{name} has to be trained again: {different}")
    return name


class Zoo:
    """A folder with policies of one game, random ones, and with what was measured of them."""

    def __init__(self, folder, game):
        self.game, self.folder = game, folder / game.name
        self.folder.mkdir(parents=True, exist_ok=True)

    def policy(self, name, seed=0, **card):
        """Write a policy, or change the card of one that is there."""
        # they need PyTorch, which `shipped` does not
        from tests.training.random_network import random_policy

        if not (self.folder / name).exists():
            random_policy(self.folder / name, self.game, seed)
        path = self.folder / name / "card.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **card}))
        return f"{self.game.name}/{name}"

    def weights(self, name):
        return json.loads((self.folder / name / "card.json").read_text())["weights_sha256"]

    def players(self, guides=(), env=None, **levels):
        """Write who guides a search, and the names of the players at the levels."""
        levels = (
            {"players": {level: {"agent": name} for level, name in levels.items()}}
            if levels
            else {}
        )
        entry = {"guides": list(guides), "levels": levels}
        plain = {"format": 1, "environments": {env or self.game.env_name: entry}}
        (self.folder / "players.json").write_text(json.dumps(plain))

    def report(
        self, order, file="ratings.json", deals=10, hashes=None, left_out=(), env=None, **options
    ):
        """Write a report of an arena that has only the order of the agents, the options and the
        number of deals."""
        names = [
            f"{self.game.name}/{name}" if (self.folder / name).exists() or name == "gone" else name
            for name in order
        ]
        agents = [{"agent": name} for name in names]
        for agent, short in zip(agents, order, strict=True):
            if (self.folder / short).exists():
                agent["weights_sha256"] = (hashes or {}).get(short) or self.weights(short)
        given = self.game.complete_options(options)
        settings = {
            "environment": env or self.game.env_name,
            "options": {name: value for name, value in given.items() if name not in left_out},
            "agents": agents,
        }
        plain = {
            "kind": "dig_envs arena",
            "format": 1,
            "settings": settings,
            "deals": deals,
            "games_per_deal": 2,
        }
        (self.folder / file).write_text(
            json.dumps({**plain, "standings": [{"agent": name} for name in names]})
        )
