"""The other libraries that the package works with: one row for each, from which the rest is made or
checked.

The table of ``pages/libraries/00_libraries.md`` is made from it, and so are the virtual
environments in which ``tests/adapters/environments.py`` tries the libraries. The site can be built
without any of them. ``tests/adapters/test_libraries.py`` says what is missing elsewhere: an extra
in ``pyproject.toml``, the page that a row links to, and what its program prints.
"""

from dataclasses import dataclass

from dig_envs.text.markdown import markdown_table

NO_DEPENDENCIES = "--no-deps"  # what follows is installed without what it asks for


@dataclass(frozen=True)
class Library:
    """A row.

    Attributes:
        name: of the library, as it writes it.
        uses: how it is used: the words of the table, with a link to the page of the library; the
            environment; where the masks of legal actions are.
        tried: name of a virtual environment -> what is installed there for it, as pip takes it,
            with the versions tried.
        imports: packages of it, and of what it needs, that programs and the adapter import.
        module: the adapter, a module of ``dig_envs.adapters``; None: the library takes PettingZoo's
            or Gymnasium's environments.
        extra: of ``pyproject.toml``, which installs what the adapter needs.
    """

    name: str
    uses: tuple[tuple[str, str, str], ...]
    tried: dict[str, tuple[str, ...]]
    imports: tuple[str, ...]
    module: str | None = None
    extra: str | None = None


LIBRARIES = (
    Library(
        "Stable-Baselines3",
        uses=(
            (
                "[Stable-Baselines3, sb3-contrib](sb3.md)",
                (
                    "`dig_envs.adapters.sb3.DigVecEnv`, or `gymnasium.make(…)`, or `make(…)` as in "
                    "PettingZoo's tutorial"
                ),
                "MaskablePPO finds `action_masks()`",
            ),
        ),
        tried={"farama": ("stable-baselines3==2.9.2", "sb3-contrib==2.9.2")},
        imports=("stable_baselines3", "sb3_contrib"),
        module="sb3",
        extra="sb3",
    ),
    Library(
        "SuperSuit",
        uses=(
            (
                "[SuperSuit](supersuit.md) (vectors, SB3 for several agents)",
                (
                    '`make_parallel(…, mask="info", illegal="terminate")`: its vectors draw '
                    "without masks"
                ),
                '`info["action_mask"]`',
            ),
        ),
        tried={"farama": ("SuperSuit==3.11.0",)},
        imports=("supersuit",),
    ),
    Library(
        "TorchRL",
        uses=(
            (
                "[TorchRL](torchrl.md#torchrl-in-batches), many games at once",
                '`dig_envs.adapters.torchrl.DigEnv("go_dig_v0", num_envs=64, …)`',
                "`action_mask` beside the observation",
            ),
            (
                "[TorchRL](torchrl.md), one game",
                '`PettingZooWrapper(make_parallel(…, idle="one"), use_mask=False, '
                "done_on_any=False)`, `PettingZooWrapper(make(…), use_mask=True)`, "
                '`GymEnv("dig/go_dig-v0")`',
                "`action_mask` beside the observation; of `GymEnv` with a reader of infos",
            ),
        ),
        tried={"torchrl": ("torchrl==0.14.1",), "benchmarl": ("torchrl==0.11.1",)},
        imports=("torchrl", "tensordict", "torch"),
        module="torchrl",
        extra="torchrl",
    ),
    Library(
        "BenchMARL",
        uses=(
            (
                "[BenchMARL](benchmarl.md)",
                '`dig_envs.adapters.benchmarl.DigTask("go_dig_v0", …)`',
                "found by its algorithms",
            ),
        ),
        # it asks for torchvision, for pictures, which comes with CUDA
        tried={"benchmarl": (NO_DEPENDENCIES, "benchmarl==1.5.2")},
        imports=("benchmarl",),
        module="benchmarl",
        extra="benchmarl",
    ),
    Library(
        "Tianshou",
        uses=(("[Tianshou](tianshou.md)", "`PettingZooEnv(make(…))`", "found by its algorithms"),),
        tried={"farama": ("tianshou==2.0.1",)},
        imports=("tianshou", "torch"),
    ),
    Library(
        "CleanRL",
        uses=(
            (
                "[CleanRL](../../../../training/ppo.py)'s way: PPO in one file",
                '`dig_envs.BatchEnv`, or `make_parallel(…, idle="one")`',
                "in the observation",
            ),
        ),
        tried={"farama": ("torch==2.13.0",)},
        imports=("torch",),
    ),
    Library(
        "PufferLib",
        uses=(
            (
                "[PufferLib](pufferlib.md)",
                "`PettingZooPufferEnv(make_parallel(…))`",
                "`action_mask` in the bytes of the observation, by `obs_dtype`",
            ),
        ),
        tried={"farama": ("pufferlib-core==3.0.19",)},
        imports=("pufferlib",),
    ),
    Library(
        "AgileRL",
        uses=(
            (
                "[AgileRL](agilerl.md)",
                '`AsyncPettingZooVecEnv` of `make_parallel(…, mask="info", idle="one")`',
                '`info["action_mask"]`; its IPPO fails on masks, MADDPG takes them',
            ),
        ),
        tried={"agilerl": ("agilerl==2.58.0", "peft")},  # it cannot be imported without peft
        imports=("agilerl",),
    ),
    Library(
        "RLlib",
        uses=(
            (
                "[RLlib](rllib.md) (new API stack)",
                (
                    '`dig_envs.adapters.rllib.DigMultiAgentEnv` with `env_config={"name": '
                    '"go_dig_v0", …}`'
                ),
                (
                    "`MaskedPPOModule` takes them from the observation, RLlib's own module with "
                    '`"vector_key": "observations"`'
                ),
            ),
        ),
        tried={"ray": ("ray[rllib]==2.60.0", "gymnasium==1.2.2")},
        imports=("ray", "torch"),
        module="rllib",
        extra="rllib",
    ),
    Library(
        "OpenSpiel",
        uses=(
            (
                "[OpenSpiel](openspiel.md)",
                '`pyspiel.load_game("dig_go_dig")`',
                "legal actions of the state",
            ),
        ),
        tried={"farama": ("open_spiel==2.0.2", "dm-tree", "cvxpy")},
        imports=("pyspiel", "open_spiel"),
        module="openspiel",
        extra="openspiel",
    ),
    Library(
        "TextArena",
        uses=(
            (
                "[TextArena](textarena.md)",
                '`textarena.make("go_dig_v0")` after `import dig_envs.adapters.textarena`',
                "legal actions in words",
            ),
        ),
        tried={"textarena": ("textarena==0.7.4",)},
        imports=("textarena",),
        module="textarena",
        extra="textarena",
    ),
    Library(
        "verifiers",
        uses=(
            (
                "[verifiers](verifiers.md)",
                "a taskset and an environment, `dig_envs.adapters.verifiers`",
                "legal actions in words",
            ),
        ),
        tried={"verifiers": ("verifiers==0.4.0",)},
        imports=("verifiers", "datasets", "httpx", "pydantic"),
        module="verifiers",
        extra="verifiers",
    ),
    Library(
        "OpenEnv",
        uses=(
            (
                "[OpenEnv](openenv.md)",
                "`python -m dig_envs.adapters.openenv go_dig_v0`, and `DigClient`",
                "legal actions in words",
            ),
        ),
        tried={"openenv": ("openenv==0.10.0",)},
        imports=("openenv", "pydantic", "uvicorn"),
        module="openenv",
        extra="openenv",
    ),
    Library(
        "JAX",
        uses=(
            (
                "[JAX](jax.md), as Pgx",
                (
                    '`dig_envs.adapters.jax.make("go_dig_v0")`: `init` and `step` inside `jit`, '
                    "`vmap` and `scan`"
                ),
                "`state.legal_action_mask`",
            ),
        ),
        tried={"jax": ("jax==0.10.2",), "torchrl": ("jax==0.10.2",)},
        imports=("jax", "jaxlib"),
        module="jax",
        extra="jax",
    ),
    Library(
        "mctx",
        uses=(("[mctx](mctx.md)", "`dig_envs.adapters.jax`", "`invalid_actions`"),),
        tried={"jax": ("mctx==0.0.71",)},
        imports=("mctx",),
    ),
    Library(
        "JaxMARL",
        uses=(
            (
                "[JaxMARL](jaxmarl.md)",
                '`dig_envs.adapters.jaxmarl.make("cretaceous_creek_v0")`',
                "`get_avail_actions(state)`",
            ),
        ),
        tried={"jax": ("jaxmarl==0.2.0", "flax==0.12.8", "optax==0.2.8", "distrax==0.1.9")},
        imports=("jaxmarl", "jax", "flax", "optax", "distrax"),
        module="jaxmarl",
        extra="jax",
    ),
)


def libraries_table() -> str:
    rows = []
    for library in LIBRARIES:
        wanted = dict.fromkeys(
            one for some in library.tried.values() for one in some if one != NO_DEPENDENCIES
        )
        tried = ", ".join(wanted).replace("==", " ")
        rows += [[*use, tried] for use in library.uses]
    return markdown_table(["library", "environment", "masks", "versions tried"], rows)


def imports() -> set[str]:
    return {name for library in LIBRARIES for name in library.imports}
