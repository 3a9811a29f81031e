"""The fossil cards of the box of Fossil Canyon, with which several games are played.

A skeletal type is written genus + part number (``TYR1``). A skeleton needs one fossil of each part
of its genus. A trace fossil is a single card. *Type order* is the order of ``TYPES``, *table order*
that of ``GENERA``.
"""

from collections.abc import Iterable
from itertools import groupby

import numpy as np

GENERA = ("TYR", "BRA", "TRI", "ALL", "ANK", "QUE", "PAR", "DEI", "STE", "PAC", "COE", "DIL", "MOS")
GENUS_NAMES = (
    *(
        "Tyrannosaurus",
        "Brachiosaurus",
        "Triceratops",
        "Allosaurus",
        "Ankylosaurus",
        "Quetzalcoatlus",
        "Parasaurolophus",
    ),
    *(
        "Deinonychus",
        "Stegosaurus",
        "Pachycephalosaurus",
        "Coelophysis",
        "Dilophosaurus",
        "Mosasaurus",
    ),
)
NUM_GENERA = len(GENERA)
# fossils of a complete skeleton, per genus
PARTS = np.array([4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2], np.int8)
# per genus: copies of each part
SKELETONS = np.array([1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 2, 4], np.int8)
# visitors of a complete skeleton, in thousands
VALUE = np.array([25, 20, 19, 18, 17, 16, 15, 12, 11, 10, 9, 8, 7], np.int8)

# House: the period icons of the rulebook's table are lost; these are the animals' real periods.
PERIODS = ("T", "J", "K")
PERIOD_NAMES = {"T": "Triassic", "J": "Jurassic", "K": "Cretaceous"}
PERIOD = ("K", "J", "K", "J", "K", "K", "K", "K", "J", "K", "T", "J", "K")
JURASSIC = np.array([period == "J" for period in PERIOD])
CARNIVORE = np.isin(GENERA, ("TYR", "ALL", "QUE", "DEI", "COE", "DIL", "MOS"))
CRETACEOUS_HERBIVORES = np.array(
    [GENERA.index(genus) for genus in ("TRI", "ANK", "PAR", "PAC")], np.int8
)

TRACES = ("CAM", "UTA", "ALA", "EDM", "ORN", "SAU")
TRACE_NAMES = (
    *(
        "Camptosaurus nest",
        "Utahraptor feather impression",
        "Alamosaurus gastroliths",
        "Edmontosaurus skin impression",
    ),
    *("Ornitholestes coprolite", "Saurophaganax footprint"),
)
NUM_TRACES = len(TRACES)
RESEARCH = np.array([3, 3, 2, 2, 1, 1], np.int8)  # research value, per trace fossil

TYPES = (
    *(
        f"{genus}{part + 1}"
        for genus, parts in zip(GENERA, PARTS, strict=True)
        for part in range(parts)
    ),
    *TRACES,
)
TYPE_NAMES = (
    *(
        f"{name} part {part + 1}"
        for name, parts in zip(GENUS_NAMES, PARTS, strict=True)
        for part in range(parts)
    ),
    *TRACE_NAMES,
)
NUM_TYPES = len(TYPES)
FIRST_TRACE = NUM_TYPES - NUM_TRACES
NO_GENUS = NUM_GENERA

# per type
GENUS_OF = np.array(
    [g for g in range(NUM_GENERA) for _ in range(PARTS[g])] + [NO_GENUS] * NUM_TRACES, np.int8
)
# of each genus; the last entry is the first trace
FIRST_TYPE = np.concatenate([[0], np.cumsum(PARTS)]).astype(np.int8)
# per type
COPIES = np.array([SKELETONS[g] for g in GENUS_OF[:FIRST_TRACE]] + [1] * NUM_TRACES, np.int8)
# the cards, in type order: the trace fossils are the last
FOSSILS = np.repeat(np.arange(NUM_TYPES, dtype=np.int8), COPIES)
NUM_FOSSILS = len(FOSSILS)


def grouped(cards: Iterable[str]) -> str:
    """Cards in words; neighbours of the same genus form one stack: ``TYR1+TYR2 MOS1+MOS1 CAM``."""
    return (
        " ".join("+".join(stack) for _, stack in groupby(cards, key=lambda card: card[:3])) or "-"
    )


def values_of(museums: Iterable[Iterable[str]]) -> list[int]:
    return [sum(int(VALUE[GENERA.index(genus)]) for genus in museum) for museum in museums]


def parts_of(genus: str) -> tuple[str, ...]:
    """The types of a genus, such as ``TYR1`` to ``TYR4``."""
    place = GENERA.index(genus)
    return TYPES[FIRST_TYPE[place] : FIRST_TYPE[place + 1]]
