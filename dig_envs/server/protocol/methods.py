"""Methods of the protocol, declared once: the signature of a function says what its parameters are,
and from it come their checks, their JSON Schema and the table of the documentation."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

import msgspec

from dig_envs.engine.core.texts import clean_text
from dig_envs.server.protocol.answers import MethodDescription
from dig_envs.server.protocol.rpc import INVALID_PARAMS, RpcError

JsonSchema = dict[str, Any]
Params = TypeVar("Params")
MOST_WORDS = 300  # characters of a complaint, which may repeat a name that came from outside


@dataclass(frozen=True)
class Method:
    """A method. ``run``: the function, called with the service that it belongs to and its
    parameters. ``params``: their type. ``result``: that of what it returns."""

    name: str
    meaning: str
    run: Callable[..., Any]
    params: type[msgspec.Struct]
    result: Any

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
            checked = converted(given or {}, self.params, "params")
        except ValueError as error:
            raise RpcError(INVALID_PARAMS, f"{self.name}: {error}") from None
        return self.run(service, **msgspec.structs.asdict(checked))

    def json_schema(self) -> JsonSchema:
        return schema_of(self.params)

    def description(self) -> MethodDescription:
        return {
            "name": self.name,
            "meaning": self.meaning,
            "params": self.json_schema(),
            "result": schema_of(self.result),
        }


def schema_of(declared: Any) -> JsonSchema:
    (schema,), parts = msgspec.json.schema_components([declared], ref_template="#/$defs/{name}")
    own = parts.pop(getattr(declared, "__name__", ""), schema)
    own.pop("title", None)
    return {**own, "$defs": parts} if parts else own


def converted(given: Any, params: type[Params], name: str) -> Params:
    """A value from outside as a type; raises ValueError that names the wrong place, such as
    ``name.seat``."""
    try:
        return msgspec.convert(given, params)
    except msgspec.ValidationError as error:
        words = str(error).replace("`$.", f"`{name}.").replace("`$", f"`{name}")
        words = words.replace("Object ", f"{name} ")
        raise ValueError(clean_text(words, MOST_WORDS)) from None


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a function of a class as a method of the protocol: name, parameters, and its
    docstring's first paragraph."""
    params = params_of(function, 1)
    meaning = " ".join((function.__doc__ or "").split("\n\n")[0].split())
    result = get_type_hints(function, include_extras=True)["return"]
    function.__dict__["protocol"] = Method(function.__name__, meaning, function, params, result)
    return function


def params_of(function: Callable[..., Any], skipped: int) -> type[msgspec.Struct]:
    """The parameters of a function after the first ones, as a type that takes no others."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    for name, parameter in list(inspect.signature(function).parameters.items())[skipped:]:
        given = () if parameter.default is inspect.Parameter.empty else (parameter.default,)
        fields.append((name, hints[name], *given))
    return msgspec.defstruct(function.__name__.capitalize(), fields, forbid_unknown_fields=True)


def methods_of(service: type) -> Mapping[str, Method]:
    """The methods that a class declares, by name, in the order in which they stand there."""
    found = (getattr(value, "protocol", None) for value in vars(service).values())
    return {entry.name: entry for entry in found if entry is not None}
