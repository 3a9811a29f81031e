"""The parts of PROTOCOL.md that are made from the code: ``python -m dig_envs.server.documentation`` renews them.

These are the tables of methods, errors and limits, and the answers of the transcript, which the server gives to its questions.
A part stands between ``<!-- methods -->`` and ``<!-- end of methods -->``, and so on.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dig_envs.server import rpc
from dig_envs.server.dispatcher import ERRORS, Dispatcher
from dig_envs.server.limits import Limits
from dig_envs.server.methods import Method
from dig_envs.server.service import METHODS
from dig_envs.tables import markdown_table

PAGE = Path(__file__).with_name("PROTOCOL.md")
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
    """Each parameter of a method: name, kind, default, meaning."""
    schema = entry.json_schema()
    for name, param in schema.get("properties", {}).items():
        default = f" = {rpc.encode(param['default'])}" if "default" in param else ""
        meaning = f": {param['description']}" if "description" in param else ""
        yield f"`{name}` {kind_of(param, schema.get('$defs', {}))}{default}{meaning}"


def kind_of(param: dict[str, Any], parts: dict[str, Any]) -> str:
    """The kind of a parameter in words."""
    if "anyOf" in param:
        return " or ".join(kind_of(each, parts) for each in param["anyOf"])
    if "$ref" in param:
        entries = parts[param["$ref"].rpartition("/")[2]]["properties"]
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
    meanings = {
        "message_bytes": "bytes of a message",
        "batch": "messages in a list",
        "depth": "lists and objects within each other",
        "games": "games held at a time",
        "undo": "positions kept of each game, to take actions back",
        "sims": "simulations of a search",
        "ms": "milliseconds of a search",
    }
    return markdown_table(("limit", "usually", "of what"), [(f"`{k}`", f"{getattr(usual, k)}", v) for k, v in meanings.items()])


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
        page = _replace(page, name, f"\n\n{table()}\n\n")
    return _replace(page, "transcript", f"{transcript(part(page, 'transcript'))}\n")


def part(page: str, name: str) -> str:
    """What stands in a part of the page."""
    return page.partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]


def _replace(page: str, name: str, new: str) -> str:
    found = re.compile(f"(<!-- {name} -->).*?(<!-- end of {name} -->)", re.DOTALL)
    return found.sub(lambda match: match[1] + new + match[2], page)


def main() -> None:
    """Renew the page."""
    before = PAGE.read_text(encoding="utf-8")
    after = renewed(before)
    if after != before:
        PAGE.write_text(after, encoding="utf-8")
        print(f"renewed {PAGE}")


if __name__ == "__main__":
    main()
