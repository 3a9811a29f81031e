"""Players that do not learn, measured as the others are: ``random``, ``scripted``, ``ismcts``, ``ismcts_plain``.

    python -m training.baselines ismcts go_dig --seed 0 --out results

``ismcts`` is the search of this package, single-observer information-set Monte Carlo tree search (dig_envs/agents/README.md)
with as many simulations for each decision as ``settings/fixed.toml`` says. It knows the scripted
player, by whose choices it weighs actions and plays to the end. ``ismcts_plain`` knows no player: it uses UCB1 and plays on
at random to the end (Cowling, Powley and Whitehouse 2012). A seed is that of the player's own draws.
"""

from dig_envs.agents.loading import load_agent

from .common import Study, values_of


def train(study: Study) -> None:
    """Load the player and report it, without a single decision."""
    name = values_of("fixed", study.task.name, study.changes)[study.algorithm]
    if study.algorithm == "scripted":
        name = study.task.scripted
    study.settings = {"agent": name}
    study.decisions = 0
    player = load_agent(name, study.task.game.env_name, study.seed)
    mode = "sampled" if study.algorithm == "random" else "greedy"
    study.report(0, lambda: {mode: player}, {})
