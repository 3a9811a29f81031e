"""Methods of the protocol, declared once: the signature of a function says what its parameters are,
and from it come their checks, their JSON Schema and the table of the documentation."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from dig_envs.server.protocol.rpc import INVALID_PARAMS, RpcError

JsonSchema = dict[str, Any]


@dataclass(frozen=True)
class Method:
    """A method. ``run``: the function, called with the service that it belongs to and its
    parameters. ``params``: their type."""

    name: str
    meaning: str
    run: Callable[..., Any]
    params: type[msgspec.Struct]

    def call(self, service: Any, given: Any) -> Any:
        """Check the parameters, by name or in order, and run; raises RpcError for what does not
        fit."""
        if isinstance(given, list):
            names = self.params.__struct_fields__
            if len(given) > len(names):
                raise RpcError(
                    INVALID_PARAMS, f"{self.name} takes {len(names)} parameters, not {len(given)}"
                )
            given = dict(zip(names, given, strict=False))
        try:
            checked = msgspec.convert(given or {}, self.params)
        except msgspec.ValidationError as error:
            raise RpcError(INVALID_PARAMS, f"{self.name}: {in_our_words(str(error))}") from None
        return self.run(
            service, **{name: getattr(checked, name) for name in self.params.__struct_fields__}
        )

    def json_schema(self) -> JsonSchema:
        """The JSON Schema of the parameters."""
        (schema,), parts = msgspec.json.schema_components(
            [self.params], ref_template="#/$defs/{name}"
        )
        own = parts.pop(self.params.__name__, schema)
        own.pop("title", None)
        return {**own, "$defs": parts} if parts else own

    def description(self) -> dict[str, Any]:
        """The method for other programs."""
        return {"name": self.name, "meaning": self.meaning, "params": self.json_schema()}


def in_our_words(message: str) -> str:
    """A complaint about parameters, which calls their places ``params.seat`` instead of
    ``$.seat``."""
    return message.replace("`$.", "`params.").replace("`$", "`params").replace("Object ", "params ")


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a function of a class as a method of the protocol: name, parameters, and its
    docstring's first paragraph."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        given = () if parameter.default is inspect.Parameter.empty else (parameter.default,)
        fields.append((name, hints[name], *given))
    params = msgspec.defstruct(function.__name__.capitalize(), fields, forbid_unknown_fields=True)
    meaning = " ".join((function.__doc__ or "").split("\n\n")[0].split())
    function.__dict__["protocol"] = Method(function.__name__, meaning, function, params)
    return function


def methods_of(service: type) -> Mapping[str, Method]:
    """The methods that a class declares, by name, in the order in which they stand there."""
    found = (getattr(value, "protocol", None) for value in vars(service).values())
    return {entry.name: entry for entry in found if entry is not None}
