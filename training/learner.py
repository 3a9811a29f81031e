"""The learner of a run, as its settings say: its network, its device, how many threads compute."""

import torch

from dig_envs.agents.search_settings import usable_cores
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Game

from .cells import make_cells
from .network import new_network
from .ppo import Learner
from .rows import lay_out_for_rows, reads_rows
from .settings import Settings


def new_learner(game: Game, settings: Settings, seed: int) -> Learner:
    """An untrained learner; the seed sets its first weights.

    PyTorch's own threads divide each multiplication. Then the last digits depend on their number,
    and where another program is at work on one of the cores, all threads wait for that one. So
    ``train.py`` sets their number to 1, and the learner has threads of its own.
    """
    network = new_network(game, settings.layers, make_cells(game, settings), seed)
    device = choose_device(settings.device)
    network.fast = settings.bfloat16 and computes_bfloat16(device)
    network.reads_rows = network.plain and reads_rows(game, device)
    if network.reads_rows:
        lay_out_for_rows(network.get_submodule("layer0"))  # type: ignore[arg-type]
    return Learner(network, settings, device, settings.threads or usable_cores())


def computes_bfloat16(device: torch.device) -> bool:
    """Whether a device computes in bfloat16: a CPU with AVX512-BF16 or AMX, a GPU of compute
    capability 8.0 or more."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    # not in every PyTorch
    checks = [
        getattr(torch.cpu, f"_is_{name}_supported", None) for name in ("avx512_bf16", "amx_tile")
    ]
    return device.type == "cpu" and any(check is not None and check() for check in checks)


def choose_device(name: str) -> torch.device:
    """The device of the setting ``device``; raises ValueError for an unknown one. A GPU is the
    current one from now on: games go there, too."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.empty(0, device=name).device
        if device.type == "cuda":
            torch.cuda.set_device(device)
        return device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device {shown_in_message(name)} cannot be used here: {str(error).splitlines()[0]}"
        ) from None
