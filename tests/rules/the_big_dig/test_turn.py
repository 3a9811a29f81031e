"""BD-9, BD-11, BD-12, BD-19 to BD-23: the phases of a turn, the cards spent, evaluation and placement."""

import pytest

from tests.rules.the_big_dig.positions import CANINES, argument, arrange
from tests.rules.the_big_dig.reference import SPACES, spaces_on

MODEL = ("input 27-1-A", "single")  # made in research, where no player has it yet

# ---------------------------------------------------------------- excavation


def test_bd9_rock():
    """BD-9: a rock is drawn and shown, nothing else happens."""
    position = arrange("placement", on_top=["rock"], tokens=[{"6-2-A": 1}, {}], turn=2)
    position.play("done")
    assert position["drawn"] == ["2-3", "rock", "rock"]
    assert (position["turn"], position["phase"], position.mover) == (3, "model", 0)
    assert (position["request"], position["scores"], position["tokens"]) == (None, [20, 20], [{"6-2-A": 1}, {}])


def test_bd9_special_requests_replace_each_other():
    """BD-9: the new request becomes the active one and the earlier one is discarded; it stays through rocks and discoveries."""
    tokens = {"tokens": [{"27-1-A": 1}, {}], "turn": 2}
    position = arrange("placement", on_top=["request diet", "request skull"], **tokens).play("done")
    assert (position["request"], position["drawn"][-1]) == ("diet", "request diet")
    again = {"drawn": ["2-3", "request diet", "rock"], **tokens}
    assert arrange("placement", on_top=["rock"], **again).play("done")["request"] == "diet"
    assert arrange("placement", on_top=["6-2"], **again).play("done")["request"] == "diet"
    assert arrange("placement", on_top=["request skull"], **again).play("done")["request"] == "skull"


def test_bd9_an_empty_deck():
    """BD-9, BD-20: nothing is drawn from an empty deck, and the game goes on."""
    position = arrange("placement", tokens=[{"27-1-A": 1}, {}], turn=2)
    drawn = position["drawn"]
    position.states["cards_len"] = 0  # six turns draw at most 19 of the 25 cards, so that no snapshot has an empty deck
    position.play("done")
    assert (position["turn"], position["phase"], position["deck"], position["drawn"]) == (3, "model", [], drawn)
    position.play("input 2-3-A", "single", "input 2-3-A", "single", "pass", "act", "no argument", "act", *MODEL, *MODEL)
    assert (position["phase"], position["spent"]) == ("evaluation", [["pass", "act", "act"], ["act", "act", "pass"]])


# ---------------------------------------------------------------- decision cards


def test_bd12_both_choose_between_act_and_pass():
    """BD-12: also a player who can argue nothing may act."""
    position = arrange("argumentation", models=[[["27-1-A"]], []])
    assert position.legal == {"act", "pass"}
    position.play("act")
    assert position.legal == {"act", "pass"}
    position.play("pass")
    assert (position["phase"], position.mover, position["spent"]) == ("argument", 0, [["act"], ["pass"]])
    assert position.legal == {"no argument"}


@pytest.mark.parametrize("first", ["act", "pass"])
@pytest.mark.parametrize("second", ["act", "pass"])
def test_bd12_only_those_who_act_argue(first, second):
    """BD-12, BD-16, BD-19: the actors argue, lower seat first; then exactly they choose a card for research."""
    actors = [p for p, card in enumerate((first, second)) if card == "act"]
    position = arrange("argumentation").play(first, second)
    asked = []
    while position["phase"] == "argument":
        asked.append(position.mover)
        position.play("no argument")
    assert asked == actors
    asked = []
    while position["phase"] == "research":
        asked.append(position.mover)
        assert position.legal == {"act", "pass"}
        position.play("act")
    assert asked == actors
    assert position["phase"] == "research_model"
    assert position["spent"] == [[first, "act"], [second, "act"]]


def test_bd11_bd19_both_pass_argumentation():
    """BD-11, BD-19: nobody is asked in `argument` and `research`; both act in research and exploration."""
    position = arrange("argumentation", on_top=["request diet", "rock", "request skull"]).play("pass", "pass")
    assert (position["phase"], position.mover, position["spent"]) == ("research_model", 0, [["pass", "act"]] * 2)
    position.play(*MODEL, *MODEL)
    assert (position["phase"], position["spent"]) == ("evaluation", [["pass", "act", "act"]] * 2)
    assert position["drawn"] == ["2-3", "rock", "request diet", "rock"], "both explore"
    assert position["request"] == "diet"


def test_bd19_both_pass_research():
    """BD-11, BD-19, BD-20: nobody creates a model; the last card of both is act."""
    position = arrange("research").play("pass", "pass")
    assert (position["phase"], position["spent"]) == ("evaluation", [["act", "pass", "act"]] * 2)
    assert position["models"] == [[], []]
    assert len(position["drawn"]) == 4


def test_bd20_both_pass_exploration():
    """BD-11, BD-20: who acts twice passes in exploration, without being asked; nobody draws."""
    position = arrange("research_model").play(*MODEL, *MODEL)
    assert (position["phase"], position["spent"]) == ("evaluation", [["act", "act", "pass"]] * 2)
    assert position["drawn"] == ["2-3", "rock"]


@pytest.mark.parametrize("explorer", [0, 1])
def test_bd20_one_explores(explorer):
    """BD-20: only who passed before."""
    spent = [["act"], ["act"]]
    texts = ["pass", "act", *MODEL] if explorer == 0 else ["act", "pass", *MODEL]
    position = arrange("research", on_top=["6-2", "3-3"], spent=spent).play(*texts)
    assert position["drawn"] == ["2-3", "rock", "6-2"]
    assert position[f"spent.{explorer}"] == ["act", "pass", "act"]
    assert len(position[f"models.{1 - explorer}"]) == 1
    assert position[f"models.{explorer}"] == []


def test_bd20_exploration_in_seat_order():
    """BD-20, BD-24: seat 0's card is resolved before seat 1's, each as in an excavation."""
    tokens = [{"6-2-A": 1}, {"6-2-A": 1, "3-1-N": 1}]
    position = arrange("research", on_top=["6-2", "3-3"], tokens=tokens, scores=[0, 0]).play("pass", "pass")
    assert position["drawn"] == ["2-3", "rock", "6-2", "3-3"]
    assert position["scores"] == [5, 7]
    again = arrange("research", on_top=["request diet", "request skull"]).play("pass", "pass")
    assert again["request"] == "skull", "the second request replaces the first"


def test_bd20_discoveries_by_exploration_come_before_the_evaluation():
    """BD-20, BD-22: what was just discovered cannot be chosen for a token any more."""
    position = arrange("research", on_top=["6-2", "rock"]).play("pass", "pass", "add", "move")
    assert "put 6-2-A" not in position.legal
    assert "put 6-3-A" in position.legal


# ---------------------------------------------------------------- evaluation


def test_bd21_all_cards_every_turn():
    """BD-21: all three may be chosen, also without effect and also if the other player chose the same."""
    position = arrange("evaluation")
    assert position.legal == {"add", "move", "remove"}
    position.play("remove")
    assert position.legal == {"add", "move", "remove"}
    position.play("remove")
    assert (position["turn"], position["phase"], position["evaluation"]) == (6, "model", [None, None])


def test_bd21_who_is_asked():
    """BD-22: an empty bank (add) or no token on the board (move, remove) is not asked."""
    position = arrange("evaluation", tokens=[{"5-1-A": 12}, {}]).play("add", "add")
    assert (position["phase"], position.mover, position["evaluation"]) == ("placement", 1, ["add", "add"])
    position = arrange("evaluation", tokens=[{}, {"5-1-A": 1}]).play("move", "remove")
    assert (position["phase"], position.mover) == ("placement", 1)
    position = arrange("evaluation", tokens=[{"5-1-A": 12}, {}]).play("add", "remove")
    assert (position["phase"], position["turn"]) == ("model", 6), "nobody is asked"


def test_bd22_add():
    """BD-22: exactly the spaces without a D marker, known to be false or not, C marker or not; one token."""
    arguments = [argument(0, 1, ["2-3-A"], "18-1-A")]
    position = arrange("placement", arguments=arguments, evaluation=["add", "remove"])
    assert position.legal == {f"put {space}" for space in SPACES if space not in CANINES}
    twin = position.copy().play("put 18-1-A")
    assert (twin["tokens"], twin["phase"]) == ([{"18-1-A": 1}, {}], "model"), "complete with one token"
    assert position.play("put 2-3-N")["tokens"] == [{"2-3-N": 1}, {}]


def test_bd22_remove():
    """BD-22: any number of own tokens of one attribute, once each; the others' tokens stay."""
    tokens = [{"5-1-A": 2, "5-2-N": 1, "18-1-A": 1}, {"5-1-A": 3}]
    position = arrange("placement", tokens=tokens, evaluation=["remove", "remove"])
    assert position.legal == {"lift 5-1-A", "lift 5-2-N", "lift 18-1-A", "done"}
    position.play("lift 5-1-A")
    assert position.legal == {"lift 5-1-A", "lift 5-2-N", "done"}, "the first one fixes the attribute"
    assert position["tokens"] == tokens, "carried out together with the other player's"
    position.play("lift 5-1-A")
    assert position.legal == {"lift 5-2-N", "done"}
    assert position.copy().play("done").mover == 1
    position.play("lift 5-2-N")
    assert position.mover == 1, "complete: no token is left to lift"
    assert position["pending.0"] == ["lift 5-1-A", "lift 5-1-A", "lift 5-2-N"]
    position.play("done")
    assert position["tokens"] == [{"18-1-A": 1}, {"5-1-A": 3}]


def test_bd22_move():
    """BD-22: to other spaces of the same attribute; a token that was put is not lifted again."""
    position = arrange("placement", tokens=[{"5-1-A": 2, "5-2-N": 1, "18-1-A": 1}, {}])
    assert position.legal == {"lift 5-1-A", "lift 5-2-N", "lift 18-1-A", "done"}
    position.play("lift 5-1-A")
    assert position.legal == {f"put {space}" for space in spaces_on(5) if space != "5-1-A"}, "no `done` with a token in hand"
    position.play("put 5-2-N")
    assert position.legal == {"lift 5-1-A", "lift 5-2-N", "done"}
    position.play("lift 5-2-N", "put 5-1-A")
    assert position.legal == {"lift 5-1-A", "done"}, "the token put on 5-2-N and the one put on 5-1-A stay"
    position.play("lift 5-1-A", "put 5-3-A")
    assert position["tokens"] == [{"5-1-A": 1, "5-2-N": 1, "5-3-A": 1, "18-1-A": 1}, {}]
    assert position["phase"] == "model", "complete: every token of the attribute was moved"


def test_bd22_move_two_tokens_crosswise():
    """BD-22: the exchange of two tokens leaves the board as it was, and still needs no `done`."""
    tokens = [{"5-1-A": 1, "5-1-N": 1}, {"5-1-A": 1}]
    position = arrange("placement", tokens=tokens, evaluation=["move", "move"])
    position.play("lift 5-1-A", "put 5-1-N", "lift 5-1-N", "put 5-1-A")
    assert position.mover == 1
    assert position.play("done")["tokens"] == tokens


def test_bd22_move_on_a_discovered_attribute():
    """BD-22: between the spaces that are known to be false, never to a D marker."""
    position = arrange("placement", tokens=[{"2-1-A": 1}, {}]).play("lift 2-1-A")
    assert position.legal == {"put 2-2-A", "put 2-3-N"}
    assert position.play("put 2-3-N")["tokens"] == [{"2-3-N": 1}, {}]
    two_states = arrange("placement", deck="second", drawn=["7-2"], tokens=[{"7-1-A": 1}, {}]).play("lift 7-1-A")
    assert two_states.legal == {"put 7-2-N"}


def test_bd22_both_place_together():
    """BD-21, BD-22: neither's details change what the other may do, nor the board, before both are complete."""
    tokens = [{"5-1-A": 1}, {"5-1-A": 1}]
    position = arrange("placement", tokens=tokens, evaluation=["remove", "move"]).play("lift 5-1-A")
    assert (position["tokens"], position.mover) == (tokens, 1)
    assert position.legal == {"lift 5-1-A", "done"}
    position.play("lift 5-1-A", "put 5-2-A")
    assert position["tokens"] == [{}, {"5-2-A": 1}]


def test_bd22_tokens_return_to_the_bank():
    """BD-4, BD-22: with eleven others on the board a removed token can be placed again."""
    position = arrange("placement", tokens=[{"5-1-A": 1, "18-1-A": 11}, {}], evaluation=["remove", "move"], turn=2)
    position.play("lift 5-1-A", "input 1-1-A", "single", *MODEL, "pass", "pass", *MODEL, "input 3-3-A", "single", "add", "remove")
    position.play("put 18-1-A")
    assert position["tokens"] == [{"18-1-A": 12}, {}]


def test_bd23_end_of_a_turn():
    """BD-23: all cards return, then the next excavation."""
    position = arrange("placement", on_top=["6-2"], tokens=[{}, {"6-1-N": 1}], evaluation=["add", "move"], turn=2)
    position.play("put 6-2-A", "done")
    assert (position["turn"], position["phase"], position.mover) == (3, "model", 0)
    assert (position["spent"], position["evaluation"], position["pending"]) == ([[], []], [None, None], [[], []])
    assert position["scores"] == [25, 22], "placed before the discovery"


@pytest.mark.parametrize("turns", [1, 3, 6])
def test_bd23_after_the_last_turn(turns):
    """BD-23, option `turns`: no card is drawn any more."""
    position = arrange("placement", turn=turns, options__turns=turns, tokens=[{"27-1-A": 1}, {}], on_top=["6-2"], scores=[9, 9])
    position.play("done")
    assert (position["phase"], position.mover, position["turn"]) == ("over", -1, turns)
    assert position["drawn"] == ["2-3", "rock"]
    assert position.legal == set()
    assert (position["truncated"], position["spent"], position["evaluation"]) == (False, [[], []], [None, None])
