"""Known algorithms on the same games, with the same budgets and the same evaluation: what a new algorithm is compared with.

    python -m training.baselines dqn go_dig --seed 0 --decisions 300000 --out results
    python -m training.baselines queue results          # the runs of settings/plan.toml that are not there yet
    python -m training.baselines table results --out dig_envs/documentation/results/baselines.json

Each algorithm is one file that is read from top to bottom:

* ``ppo.py``: masked PPO, and with a memory (``recurrent``), by the functions of ``training/ppo.py`` that the shipped policies
  come from
* ``sb3.py``: MaskablePPO of sb3-contrib
* ``dqn.py``: double DQN with action masks
* ``nfsp.py``: neural fictitious self-play
* ``psro.py``: policy-space response oracles: PPO answers to the equilibrium of a table of payoffs that the arena plays
* ``expert.py``: expert iteration as in AlphaZero, by ``training/expert.py``
* ``with_benchmarl.py``: MAPPO and QMIX of BenchMARL (``mappo``, ``qmix``)
* ``with_openspiel.py``: NFSP of OpenSpiel (``nfsp_openspiel``)
* ``fixed.py``: players that do not learn: random, scripted, IS-MCTS (tree search over information sets)

``common.py`` has what they share: games and rewards, the evaluation, the result of a run. The hyper-parameters are in
``settings``.
"""
