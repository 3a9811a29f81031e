"""The picture of The Big Dig: neither seat sees the other's choice, a target belongs to one of the
inputs, and the animal looks as is known."""

from dig_envs.engine.event_log import EventLog
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig.picture import BEHIND, SHAPES, touched
from dig_envs.pictures import joy, picture
from tests.rules.the_big_dig.positions import GAME, arrange, arranged

MODELS = ((["2-3-A"], ["3-3-A"]), (["2-3-A"],))


def test_a_choice_is_in_the_picture_of_the_one_who_made_it_only():
    before, after = (
        arrange("argument", models=MODELS),
        arrange("argument", models=MODELS).play("argue 1"),
    )
    shown = {
        seat: [picture(GAME, position.view(seat), seat) for position in (before, after)]
        for seat in (0, 1)
    }
    assert shown[0][0] != shown[0][1]
    assert shown[1][0] == shown[1][1]
    assert picture(GAME, GAME.to_public(before.snapshot), None) == picture(
        GAME, GAME.to_public(after.snapshot), None
    )


def test_the_target_of_a_nullification_is_one_of_the_inputs():
    view = GAME.to_view(arranged("model"), 0)
    view["models"], view["pending"] = [[["2-3-A", "3-3-A"]], []], [["argue 1", "output 18-1"], None]
    assert touched(view, 0, ["target", "1"]) == ("region:skull", "space:2-3-A")
    assert touched(view, 0, ["target", "2"]) == ("region:skull", "space:3-3-A")


def shapes(discovered, claimed=()):
    """The shapes with straight edges in the picture: those of the animal."""
    view = GAME.to_view(arranged("model"), 0)
    view |= {"discovered": list(discovered), "conjectured": list(claimed)}
    drawn = picture(GAME, view, 0)
    return [line for line in drawn.splitlines() if "<path" in line and " L" in line]


def test_the_animal_looks_as_is_discovered_and_claimed():
    assert shapes([]) == shapes(["2-1-A", "2-2-N"]) == []  # no canines; what it is not
    assert len(shapes(["2-3-A", "3-3-A", "14-2-A"])) == 4  # two molars
    [found], [claimed] = shapes(["7-1-A"]), shapes([], ["7-1-A"])
    assert found != claimed
    assert shapes(["7-1-A"]) != shapes(["7-2-A"]) != shapes(["12-2-A"])
    for a in range(board.PHYSICAL):
        like, _ = BEHIND.get(a + 1, (a + 1, 0))
        assert len(SHAPES[like]) == board.STATES_OF[a]


def joys(position):
    """What people see and hear when both lift no more bets, by kind of event and seat."""
    log = EventLog(GAME, position.states)
    for seat in (0, 1):
        log.play(seat, GAME.action_index["done"])
    return {(event.kind.name, event.seat): joy(GAME, event) for event in log.told(None)}


def test_a_rock_is_no_find_and_a_lost_bet_is_none():
    tokens = [{"6-2-A": 1}, {"6-1-A": 1}]
    state = joys(arrange("placement", on_top=["6-2"], tokens=tokens, turn=3, scores=[9, 9]))
    assert (state["excavated", None], state["settled", 0]) == ("find", "find")
    assert state["settled", 1] == "loss"
    rock = joys(arrange("placement", on_top=["rock"], tokens=tokens, turn=3))
    assert rock["excavated", None] == ""
    assert ("settled", 0) not in rock


def test_each_space_is_said_in_its_own_words():
    assert len(set(board.SPACES_SAID)) == len(board.SPACES)
    said = dict(zip(board.SPACES, board.SPACES_SAID, strict=True))
    assert [said[space] for space in ("2-1-A", "2-1-N", "9-2-N", "15-1-N", "15-2-A", "26-1-A")] == [
        "no canines", "some canines", "no sharp hands", "eats no grass", "never eats grass",
        "hands on soles",
    ]  # fmt: skip
