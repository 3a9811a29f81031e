"""The compiled kernels of a game, and for which types each has been compiled."""

from dig_envs.engine.compiler.jit import Kernel
from dig_envs.engine.search import program, tree


def signatures(game):
    """Return name -> the signatures for which a kernel was compiled or loaded in this process: a
    good caller needs one."""
    modules = {
        "": game.kernels,
        "learning.": game.learning,
        "search.": game.search_kernels,
        "tree.": tree,
        "program.": program,
    }
    idle = {"derive_one": game.rules.derive is None, "inspect_one": game.rules.inspect is None}
    return {
        f"{prefix}{name}": kernel.signatures
        for prefix, module in modules.items()
        for name, kernel in vars(module).items()
        if is_kernel(kernel, module) and not idle.get(name, False)
    }


def is_kernel(thing, module):
    """Return whether something is a kernel of that module; nothing is where nothing is compiled."""
    return isinstance(thing, Kernel) and thing.__module__ == module.__name__
