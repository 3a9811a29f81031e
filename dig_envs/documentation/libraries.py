"""The other libraries that the package works with: one row for each.

``tests/adapters/environments.py`` tries them in virtual environments that are made from it. The
site can be built without any of them. ``tests/adapters/test_libraries.py`` says what is missing
elsewhere: an extra in ``pyproject.toml``, a row of the table in
``pages/libraries/00_libraries.md``, a page, and what its program prints.
"""

from dataclasses import dataclass

NO_DEPENDENCIES = "--no-deps"  # what follows is installed without what it asks for


@dataclass(frozen=True)
class Library:
    """A row.

    Attributes:
        name: of the library, as it writes it.
        tried: name of a virtual environment -> what is installed there for it, as pip takes it,
            with the versions tried.
        imports: packages of it, and of what it needs, that programs and the adapter import.
        module: the adapter, a module of ``dig_envs.adapters``; None: the library takes PettingZoo's
            or Gymnasium's environments.
        extra: of ``pyproject.toml``, which installs what the adapter needs.
    """

    name: str
    tried: dict[str, tuple[str, ...]]
    imports: tuple[str, ...]
    module: str | None = None
    extra: str | None = None


LIBRARIES = (
    Library(
        "Stable-Baselines3",
        tried={"farama": ("stable-baselines3==2.9.2", "sb3-contrib==2.9.2")},
        imports=("stable_baselines3", "sb3_contrib"),
        module="sb3",
        extra="sb3",
    ),
    Library("SuperSuit", tried={"farama": ("SuperSuit==3.11.0",)}, imports=("supersuit",)),
    Library(
        "TorchRL",
        tried={"torchrl": ("torchrl==0.14.1",), "benchmarl": ("torchrl==0.11.1",)},
        imports=("torchrl", "tensordict", "torch"),
        module="torchrl",
        extra="torchrl",
    ),
    Library(
        "BenchMARL",
        # it asks for torchvision, for pictures, which comes with CUDA
        tried={"benchmarl": (NO_DEPENDENCIES, "benchmarl==1.5.2")},
        imports=("benchmarl",),
        module="benchmarl",
        extra="benchmarl",
    ),
    Library("Tianshou", tried={"farama": ("tianshou==2.0.1",)}, imports=("tianshou", "torch")),
    Library("CleanRL", tried={"farama": ("torch==2.13.0",)}, imports=("torch",)),
    Library("PufferLib", tried={"farama": ("pufferlib-core==3.0.19",)}, imports=("pufferlib",)),
    Library(
        "AgileRL",
        tried={"agilerl": ("agilerl==2.58.0", "peft")},  # it cannot be imported without peft
        imports=("agilerl",),
    ),
    Library(
        "RLlib",
        tried={"ray": ("ray[rllib]==2.60.0", "gymnasium==1.2.2")},
        imports=("ray", "torch"),
        module="rllib",
        extra="rllib",
    ),
    Library(
        "OpenSpiel",
        tried={"farama": ("open_spiel==2.0.2", "dm-tree", "cvxpy")},
        imports=("pyspiel", "open_spiel"),
        module="openspiel",
        extra="openspiel",
    ),
    Library(
        "TextArena",
        tried={"textarena": ("textarena==0.7.4",)},
        imports=("textarena",),
        module="textarena",
        extra="textarena",
    ),
    Library(
        "verifiers",
        tried={"verifiers": ("verifiers==0.4.0",)},
        imports=("verifiers", "datasets", "httpx", "pydantic"),
        module="verifiers",
        extra="verifiers",
    ),
    Library(
        "OpenEnv",
        tried={"openenv": ("openenv==0.10.0",)},
        imports=("openenv", "pydantic", "uvicorn"),
        module="openenv",
        extra="openenv",
    ),
    Library(
        "JAX",
        tried={"jax": ("jax==0.10.2",), "torchrl": ("jax==0.10.2",)},
        imports=("jax", "jaxlib"),
        module="jax",
        extra="jax",
    ),
    Library("mctx", tried={"jax": ("mctx==0.0.71",)}, imports=("mctx",)),
    Library(
        "JaxMARL",
        tried={"jax": ("jaxmarl==0.2.0", "flax==0.12.8", "optax==0.2.8", "distrax==0.1.9")},
        imports=("jaxmarl", "jax", "flax", "optax", "distrax"),
        module="jaxmarl",
        extra="jax",
    ),
)


def imports() -> set[str]:
    return {name for library in LIBRARIES for name in library.imports}
