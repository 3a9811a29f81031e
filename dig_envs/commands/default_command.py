"""A group of commands of which one needs no name."""

from typer.core import TyperGroup


def with_default(name: str) -> type[TyperGroup]:
    """A class of groups that sends everything but the names of its commands to the command
    ``name``."""

    class WithDefault(TyperGroup):
        def parse_args(self, ctx, args):  # type: ignore[no-untyped-def]  # as the class above
            if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
                args = [name, *args]
            return super().parse_args(ctx, args)

    return WithDefault
