"""Why to act on a fossil: whether the museum needs it, and what erodes next."""

from collections.abc import Iterator
from itertools import chain

from dig_envs.engine.core.reasons import Sight
from dig_envs.engine.core.words import counted
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import state as s


def _target(sight: Sight, direction: str) -> str:
    """The space in a direction from where the seat stands."""
    here = box.SPACES.index(sight.view["pos"][sight.seat])
    return box.SPACES[int(box.REACH[here, s.REACH.index(direction)])]


def _top(sight: Sight, space: str) -> str | None:
    """The top fossil of a space, None where there is none, or nobody knows it."""
    pile: list[str | None] = sight.view["grid"][space]
    return pile[-1] if pile else None


def _name(fossil: str) -> str:
    return box.TYPE_NAMES[box.TYPES.index(fossil)]


def _parts(genus: str) -> int:
    return int(box.PARTS[box.GENERA.index(genus)])


def _stored(sight: Sight) -> set[str]:
    return set(chain(*sight.view["storage"]))


def _is_needed(sight: Sight, fossil: str | None) -> bool:
    """Whether the museum needs a fossil that nobody stores."""
    if fossil is None or fossil == box.TYPES[box.EDM] or fossil in _stored(sight):
        return False
    return fossil[:3] not in sight.view["museum"]


def _is_last(sight: Sight, fossil: str) -> bool:
    return int(sight.view["out"].count(fossil)) == box.fossils_of(sight.view).count(fossil) - 1


def _need(sight: Sight, fossil: str | None) -> str:
    """Whether the museum needs a fossil, in words; "" if not, or if nobody knows it."""
    if fossil is None or not _is_needed(sight, fossil):
        return ""
    if _is_last(sight, fossil):
        return f"{_name(fossil)} is the only one left, and the museum needs it"
    genus = fossil[:3]
    stored = sum(other.startswith(genus) for other in _stored(sight))
    are = "is" if stored == 1 else "are"
    words = f"{stored or 'none'} of the {_parts(genus)} parts {are} stored"
    return f"The museum needs {_name(fossil)}; {words}"


def _erosion(sight: Sight, space: str) -> str:
    """When a space erodes, as far as that is known."""
    view = sight.view
    if view["period"] == 2 and view["stacks"] and space in view["stacks"][0]:
        return f"{space} erodes next"
    if any(space in stack for stack in view["stacks"]):
        return f"{space} erodes once more in period 2"
    return ""


def _both(*sentences: str) -> str:
    return ". ".join(filter(None, sentences))


def protect(sight: Sight, direction: str) -> str:
    """When the space erodes, and what would be lost, if the museum needs that."""
    space = _target(sight, direction)
    need = _need(sight, _top(sight, space))
    return _both(_erosion(sight, space), need) if need else ""


def excavate(sight: Sight, direction: str) -> str:
    """Whether the museum needs the fossil."""
    return _need(sight, _top(sight, _target(sight, direction)))


def expose(sight: Sight, direction: str) -> str:
    """How much of what is needed nobody has seen."""
    view = sight.view
    lying = {_top(sight, space) for space in box.SPACES}
    needed = [fossil for fossil in box.TYPES if _is_needed(sight, fossil) and fossil not in lying]
    if not needed:
        return ""
    out = counted(len(needed), "fossil that is/fossils that are")
    buried = counted(sum(top == "buried" for top in view["top"].values()), "fossil is/fossils are")
    return f"The museum needs {out} not in sight, and {buried} buried"


def move(sight: Sight, direction: str) -> str:
    """What is needed there or beside it."""
    space = _target(sight, direction)
    for near in _around(space):
        fossil = _top(sight, near)
        if fossil is not None and sight.view["top"][near] != "buried" and _is_needed(sight, fossil):
            what = "endangered" if sight.view["top"][near] == "endangered" else "exposed"
            return f"{_name(fossil)}, which the museum needs, lies {what} in reach on {near}"
    return ""


def _around(space: str) -> Iterator[str]:
    for place in box.REACH[box.SPACES.index(space)]:
        if place >= 0:
            yield box.SPACES[int(place)]


def discard(sight: Sight, fossil: str) -> str:
    """Whether anybody needs it."""
    if fossil[:3] in sight.view["museum"]:
        return f"The museum has this skeleton already: nobody needs {_name(fossil)}"
    if list(chain(*sight.view["storage"])).count(fossil) > 1:
        return f"Another {_name(fossil)} is stored"
    return ""


def give(sight: Sight, fossil: str, step: int) -> str:
    """How much of the skeleton the other one then has."""
    return _then_has(sight, fossil, sight.after(step), sight.seat)


def get(sight: Sight, fossil: str, step: int) -> str:
    """How much of the skeleton you then have."""
    return _then_has(sight, fossil, sight.seat, sight.after(step))


def _then_has(sight: Sight, fossil: str, seat: int, giver: int) -> str:
    """How much of the skeleton a seat then has, if that is more than what the giver had."""
    if fossil == box.TYPES[box.EDM] or fossil[:3] in sight.view["museum"]:
        return ""
    genus = fossil[:3]
    parts, before = (
        {other for other in sight.view["storage"][one] if other.startswith(genus)}
        for one in (seat, giver)
    )
    parts = parts | {fossil}
    if len(parts) <= len(before):
        return ""
    who = "You then store" if seat == sight.seat else f"{sight.name(seat)} then stores"
    name = box.GENUS_NAMES[box.GENERA.index(genus)]
    return f"{who} {len(parts)} of the {_parts(genus)} parts of {name}"


def sandbag(sight: Sight) -> str:
    """What the revealed cards would destroy."""
    view = sight.view
    lost = [
        _name(top)
        for space in view["revealed"]
        if space in view["top"] and view["top"][space] == "endangered"
        if (top := _top(sight, space)) is not None and _is_needed(sight, top)
    ]
    return f"The revealed cards would destroy {lost[0]}, which the museum needs" if lost else ""


REASONS = {
    s.A_MOVE: move,
    s.A_PROTECT: protect,
    s.A_EXPOSE: expose,
    s.A_EXCAVATE: excavate,
    s.A_DISCARD: discard,
    s.A_GIVE: give,
    s.A_GET: get,
    s.A_SANDBAG: sandbag,
}
