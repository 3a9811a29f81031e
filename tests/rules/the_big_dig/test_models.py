"""BD-5, BD-10: creating models."""

from tests.rules.the_big_dig.positions import arrange, deal
from tests.rules.the_big_dig.reference import SPACES, attribute


def test_bd5_the_first_input_is_any_space():
    """BD-5: marked or not, also spaces that are known to be false, also that of an own model."""
    position = arrange("model", models=[[["2-3-A"]], []])
    assert position.legal == {f"input {space}" for space in SPACES}


def test_bd5_the_second_input_is_of_another_attribute():
    """BD-5: any space of the 26 other attributes, or none."""
    position = arrange("model").play("input 9-4-N")
    assert position.legal == {"single"} | {f"input {space}" for space in SPACES if attribute(space) != 9}


def test_bd5_no_model_twice():
    """BD-5: a set of inputs, whichever was named first; the single one and the pair are different models."""
    models = [[["9-4-N"], ["2-3-A", "9-4-N"], ["9-4-N", "27-3-A"]], [["9-4-N", "10-1-A"]]]
    position = arrange("model", models=models)
    everything = {"single"} | {f"input {space}" for space in SPACES}
    own = {f"input {space}" for space in SPACES if attribute(space) == 9}
    assert position.copy().play("input 9-4-N").legal == everything - own - {"single", "input 2-3-A", "input 27-3-A"}
    assert "input 9-4-N" not in position.copy().play("input 2-3-A").legal
    assert "single" in position.copy().play("input 2-3-A").legal
    assert "input 9-4-N" not in position.copy().play("input 27-3-A").legal
    assert "input 9-4-N" in position.copy().play("input 10-1-A").legal, "the other player's models do not count"


def test_bd5_models_are_in_space_order_and_kept_in_order_of_creation():
    """BD-5: inputs in space order, models in order of creation."""
    position = arrange("model", models=[[["27-3-A"]], []]).play("input 13-2-A", "input 1-3-N", "input 1-1-A", "single")
    assert position["models"] == [[["27-3-A"], ["1-3-N", "13-2-A"]], [["1-1-A"]]]


def test_bd5_both_may_create_the_same():
    """BD-5, BD-10: models are private, so that the same one may be created by both."""
    position = arrange("model").play("input 2-3-A", "single", "input 2-3-A", "single")
    assert position["models"] == [[["2-3-A"]], [["2-3-A"]]]


def test_bd5_twelve_models():
    """BD-5: the eleventh one can be argued with in turn 6, the twelfth one is created in its research."""
    mine = [[f"{a}-1-N"] for a in range(4, 15)]
    position = arrange("research_model", models=[mine, []], turn=6, spent=[["pass", "act"], ["act", "pass"]])
    position.play("input 2-3-A", "single")
    assert len(position["models.0"]) == 12
    position = arrange("argument", models=[[*mine[1:], ["2-3-A"]], []], turn=6)
    assert position.legal == {"argue 11", "no argument"}
    position.play("argue 11", "output 18-1", "no argument")
    assert position["conjectured"] == ["18-1-A"]


def test_bd10_a_model_each():
    """BD-10: seat 0, then seat 1, then the decision cards; creating models changes nothing else."""
    position = deal(3)
    before = position.snapshot
    assert (before["phase"], before["to_move"]) == ("model", 0)
    position.play("input 5-2-A", "input 6-1-N")
    assert (position["phase"], position.mover, position["pending"]) == ("model", 1, [[], []])
    assert position.legal == {f"input {space}" for space in SPACES}
    position.play("input 5-2-A", "single")
    changed = {"phase": "argumentation", "models": [[["5-2-A", "6-1-N"]], [["5-2-A"]]]}
    assert position.snapshot == {**before, **changed}
