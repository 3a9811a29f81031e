"""BD-1: the board and the box, against the tables of the rules."""

import re

from tests.rules.tables import table
from tests.rules.the_big_dig.positions import GAME
from tests.rules.the_big_dig.reference import SPACES, decks, fauna


def test_bd1_every_species_has_one_state_of_each_attribute():
    """BD-1 and the table of the board: 27 attributes, 74 states, and how many living species have
    each."""
    assert len(fauna()) == 120
    rows = [[int(count) for count in re.findall(r"\((\d+)\)",
        row["states: number, name (living species that have it)"])]
            for row in table(GAME, "no.")]  # fmt: skip
    assert (len(rows), sum(map(len, rows)), len(SPACES)) == (27, 74, 148)
    for number, counts in enumerate(rows, 1):
        assert [
            sum(species[number] == s for species in fauna()) for s in range(1, len(counts) + 1)
        ] == counts


def test_decks():
    for row in table(GAME, "deck"):
        requests = [f"request {region}" for region in row["special requests"].split(", ")]
        states = row["attribute state cards"].replace("*", "").split()
        assert sorted(decks()[row["deck"]]) == sorted(
            [*states, *requests, *["rock"] * int(row["rocks"])]
        )
    assert decks()["starter_discovery"] == ["2-3"]
