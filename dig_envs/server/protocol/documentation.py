"""The parts of PROTOCOL.md that are made from the code: ``python -m dig_envs.server.protocol.documentation`` renews them.

These are the tables of methods, errors and limits, and the answers of the transcript, which the server gives to its questions.
A part stands between ``<!-- methods -->`` and ``<!-- end of methods -->``, and so on.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dig_envs.server.protocol import rpc
from dig_envs.server.protocol.dispatcher import ERRORS, Dispatcher
from dig_envs.server.protocol.limits import MEANINGS, Limits
from dig_envs.server.protocol.methods import Method
from dig_envs.server.protocol.service import METHODS
from dig_envs.text.markdown import markdown_table, part, with_part

PAGE = Path(__file__).parent.parent / "PROTOCOL.md"
ASKED, ANSWERED = "→ ", "← "  # at the beginning of a line of the transcript
STANDARD = {
    rpc.PARSE_ERROR: "no JSON, or nested too deeply",
    rpc.INVALID_REQUEST: "no request, too large, or too many in a list",
    rpc.UNKNOWN_METHOD: "no such method",
    rpc.INVALID_PARAMS: "a parameter is missing, unknown or of another kind, or its value is wrong",
    rpc.INTERNAL_ERROR: "a mistake of the server, told in its log",
}


def methods_table() -> str:
    """Name, parameters and meaning of each method, as Markdown."""
    rows = [(f"`{entry.name}`", "<br>".join(parameters(entry)), entry.meaning) for entry in METHODS.values()]
    return markdown_table(("method", "parameters", "what it does"), rows)


def parameters(entry: Method) -> Iterator[str]:
    """Name, kind, default and meaning of each parameter of a method."""
    schema = entry.json_schema()
    for name, param in schema.get("properties", {}).items():
        default = f" = {rpc.encode(param['default'])}" if "default" in param else ""
        meaning = f": {param['description']}" if "description" in param else ""
        yield f"`{name}` {kind_of(param, schema.get('$defs', {}))}{default}{meaning}"


def kind_of(param: dict[str, Any], definitions: dict[str, Any]) -> str:
    """The kind of a parameter in words."""
    if "anyOf" in param:
        return " or ".join(kind_of(each, definitions) for each in param["anyOf"])
    if "$ref" in param:
        entries = definitions[param["$ref"].rpartition("/")[2]]["properties"]
        return "object with " + ", ".join(f"`{name}`" for name in entries)
    if "enum" in param:
        return " or ".join(f"`{rpc.encode(value)}`" for value in param["enum"])
    return {"string": "text"}.get(param["type"], str(param["type"]))


def errors_table() -> str:
    """Code, name in Python and meaning of each error, as Markdown."""
    rows = [(f"`{code}`", "", meaning) for code, meaning in STANDARD.items()]
    rows += [(f"`{code}`", f"`{kind.__name__}`", meaning) for kind, (code, meaning) in ERRORS.items()]
    return markdown_table(("code", "`data.type`", "meaning"), rows)


def limits_table() -> str:
    """The usual limits, as Markdown."""
    usual = Limits()
    rows = [(f"`{name}`", f"{getattr(usual, name)}", meaning) for name, meaning in MEANINGS.items()]
    return markdown_table(("limit", "usually", "of what"), rows)


def transcript(text: str) -> str:
    """A transcript with the answers that its questions get, in one conversation."""
    dispatcher, lines = Dispatcher(), []
    for line in text.splitlines():
        if line.startswith(ANSWERED):
            continue
        lines.append(line)
        if line.startswith(ASKED):
            said = dispatcher.answer(line.removeprefix(ASKED))
            lines += [] if said is None else [f"{ANSWERED}{said}"]
    return "\n".join(lines)


def renewed(page: str) -> str:
    """The page with all of its parts renewed."""
    for name, table in (("methods", methods_table), ("errors", errors_table), ("limits", limits_table)):
        page = with_part(page, name, f"\n\n{table()}\n\n")
    return with_part(page, "transcript", f"{transcript(part(page, 'transcript'))}\n")


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
