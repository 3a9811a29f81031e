"""The players of an exported game by the names that they have in Python."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dig_envs.agents.best import ranking, strongest
from dig_envs.agents.loading import load_agent
from dig_envs.agents.names import LEVELS
from dig_envs.agents.onnx import read_card, trained_for
from dig_envs.agents.search_settings import usual_guide, usual_settings
from dig_envs.agents.zoo import policies_of, policy_cards, policy_folder, zoo_name
from dig_envs.engine.game import Game
from dig_envs.export.entries import remembering
from dig_envs.export.weights import HEAD, policy_weights


@dataclass(frozen=True)
class Weights:
    """The weights of a policy beside an exported game: its full name, its file and what is in
    that, and its card."""

    name: str
    file: str
    content: bytes
    card: Mapping[str, Any]

    @property
    def remembers(self) -> int:
        """How many numbers the policy remembers of a game."""
        return int(HEAD.unpack_from(self.content)[16])


def needed_by(game: Game, name: str) -> list[str]:
    """The policies that a player needs: itself, or those that are the best for some number of
    players or measured options."""
    if name not in ("best", f"{game.name}/best", f"{game.env_name}/best"):
        return [name]
    measured = ranking(game, policy_cards(game))
    seats = range(game.min_players, game.max_players + 1)
    cases: list[Mapping[str, Any]] = [
        game.complete_options({"num_players": count}) for count in seats
    ]
    cases += [case for case, *_ in (*measured.reports, *measured.evaluations)]
    names = dict.fromkeys(strongest(game, case) for case in cases)
    return [one for one in names if one in policies_of(game)]


def weights_of(game: Game, name: str) -> Weights:
    """The weights of a policy, named as for ``load_agent``; raises as
    :func:`~dig_envs.export.weights.policy_weights`."""
    folder = policy_folder(name, game).absolute()
    full = zoo_name(name, game) or f"{folder.parent.name}/{folder.name}"
    content = policy_weights(game, name)
    return Weights(full, f"{full.replace('/', '-')}.weights", content, read_card(folder))


def players_table(game: Game, weights: Sequence[Weights]) -> dict[str, Any]:
    """For JSON what ``templates/players.js`` has to know: who the levels are, weights of
    styles, the game's own players, policies beside the game with the options that they were
    trained for (empty: all), all that play it, the usual settings of a search without and with a
    guide, and who guides it by the number of players."""
    seats = range(game.min_players, game.max_players + 1)
    return {
        "levels": {level: load_agent(level, game.env_name).name for level in LEVELS},
        "otherwise": game.player_for_people,
        "styles": {name: list(style.weights) for name, style in game.styles.items()},
        "players": list(game.players),
        "memories": {name: own.memory_size for name, own in remembering(game).items()},
        "policies": [_policy(game, one) for one in weights],
        "known": policies_of(game),
        "settings": [asdict(usual_settings(game, {"guide": guide})) for guide in ("", "policy")],
        "guides": {str(count): usual_guide(game, count) for count in seats},
    }


def _policy(game: Game, weights: Weights) -> dict[str, Any]:
    return {
        "name": weights.name,
        "file": weights.file,
        "checksum": str(HEAD.unpack_from(weights.content)[5]),
        "remembers": weights.remembers,
        "num_players": weights.card.get("num_players", []),
        "games": trained_for(weights.card, game),
    }
