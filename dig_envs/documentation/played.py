"""``python -m dig_envs.documentation.played ENV FOLDER`` writes the page on which a game is played on the site."""

import sys
from pathlib import Path

from dig_envs.agents.zoo import policies_of
from dig_envs.export.build import export_game
from dig_envs.export.machines import ExportError
from dig_envs.export.weights import policy_weights
from dig_envs.registry import load_game


def write_page(env: str, folder: Path) -> None:
    """Export a game with its trained policies, as far as they are of the kind that can be exported."""
    game, policies = load_game(env), []
    for policy in policies_of(game):
        try:
            policy_weights(game, policy)
        except ExportError:  # of another kind
            continue
        policies.append(policy)
    export_game(game, "wasm", folder, policies=policies)
    print(folder / "index.html")


if __name__ == "__main__":
    write_page(sys.argv[1], Path(sys.argv[2]))
