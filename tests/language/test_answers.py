"""The meaning of answers in words: every legal action in every form, nothing from anything else,
and no guesses."""

import time
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.language.answers import LONGEST, Answer, parse_answer
from tests.games import every_case, every_game, positions, random_choice

LOOKS = 2
PER_LOOK = 4  # actions of a position in the default run

FORMS = (  # of an answer, around an index, a notation or words
    "{}",
    "  {}.  ",
    '"{}"',
    "**{}**",
    "`{}`",
    "<answer>{}</answer>",
    "<ANSWER> {}.\n</Answer>",
    "I have thought about it. I do not want to wait.\n\n<answer>{}</answer>",
    "<think>Perhaps 3, or 5? Or pass, or act.</think>\n{}",
    "Answer: {}",
    "**Final answer:** {}",
    "\\boxed{{{}}}",
    'After some thought I choose "{}".',
)
SENTENCES = (
    "I choose: {}.",
    "My hand is weak, so I will now {}.",
    "I think that I {}, because it is best for me.",
    "{}, since I can.",
)
GARBAGE = (
    "",
    " ",
    "\n",
    "I do not know.",
    "?",
    "<answer></answer>",
    "<answer>…</answer>",
    "<answer>INDEX</answer>",
    "I have 3 cards and 2 tokens.",
    "3.5",
    "one",
    "{'action': None}",
    "\x00\x01\x02",
    "٣",
    "١٢",
    "DROP TABLE actions; --",
    "<answer><answer><answer>",
    "</answer></answer>",
    "As a language model I cannot play games.",
    "It is a nice day. The others may have something.",
    "<think>12</think>",
    "<think>I choose 0",
    "\U0001f996" * 200,
    "a" * 16000,
    "(((" * 5000,
    "9" * 5000,
)


PIECES = (
    "ask", "+1", "+2", "TYR", "TRI", "Ask Player 2 for a", "Triceratops",
    "Ask Player 3 for a Triceratops", "ask +1 TRI", "0", "1", "2", "13", "#2", "12:", "action",
    "answer:", "<answer>", "</answer>", "<think>", "</think>", "not", "or", "because", ".", ",",
    "\n", "?", '"',
)  # fmt: skip


def some_of(legal: list[int], seed: int) -> list[int]:
    """Some of the legal actions, the first and the last among them."""
    rng = np.random.default_rng(seed)
    few = legal if len(legal) <= PER_LOOK else rng.choice(legal, PER_LOOK, replace=False).tolist()
    return sorted({int(action) for action in [*few, legal[0], legal[-1]]})


def check_forms(env: RawAEC, actions: list[int]) -> None:
    seat = env.seat_of(env.agent_selection)
    for entry in env.game.legal_texts(env.states, seat):
        if entry["action"] not in actions:
            continue
        expected = Answer("legal", entry["action"], "", (entry["action"],))
        forms = (str(entry["action"]), entry["text"], entry["label"])
        for said in forms:
            for form in FORMS:
                for text in (form.format(said), form.format(f" {said.upper()} ")):
                    assert parse_answer(env.game, env.states, seat, text) == expected, (text, said)
        assert (
            parse_answer(env.game, env.states, seat, f"{entry['action']}: {entry['label']}")
            == expected
        )
        for said in forms[1:]:
            if " " in said:
                for sentence in SENTENCES:
                    assert (
                        parse_answer(env.game, env.states, seat, sentence.format(said)) == expected
                    ), sentence.format(said)


@every_case
def test_every_legal_action_is_understood_in_every_form(name: str, options: dict[str, Any]) -> None:
    for count, env in enumerate(islice(positions(name, options, 2, 31), LOOKS)):
        check_forms(
            env,
            some_of(env.game.legal_actions(env.states, env.seat_of(env.agent_selection)), count),
        )


@pytest.mark.slow
@every_case
def test_every_legal_action_of_many_positions_is_understood(
    name: str, options: dict[str, Any]
) -> None:
    for env in islice(positions(name, options, 4, 11, seed=50), 60):
        check_forms(env, env.game.legal_actions(env.states, env.seat_of(env.agent_selection)))


@every_game
def test_no_two_legal_actions_have_the_same_words(name: str) -> None:
    for env in islice(positions(name, {}, 2, 5), 40):
        texts = env.game.legal_texts(env.states, env.seat_of(env.agent_selection))
        assert len({entry["label"].casefold() for entry in texts}) == len(texts)


@every_game
def test_garbage_is_no_action(name: str) -> None:
    env = next(positions(name, {}, 1, 1))
    for garbage in GARBAGE:
        answer = env.parse(env.agent_selection, garbage)
        assert answer.outcome == "unreadable", garbage
        assert answer.action is None
        assert answer.message.startswith("Your answer names no action; ")


@every_game
def test_what_is_not_legal_is_told(name: str) -> None:
    for env in islice(positions(name, {}, 1, 7), 6):
        seat = env.seat_of(env.agent_selection)
        legal = env.game.legal_actions(env.states, seat)
        words = {entry["label"] for entry in env.game.legal_texts(env.states, seat)}
        for action in range(0, len(env.game.actions), 7):
            label = env.game.action_list.label(action, seat, env.num_seats, seat)
            if action in legal or label in words:  # in a game of two, +1 and +3 are the same player
                continue
            for text in (str(action), env.game.actions[action], label, f"<answer>{label}</answer>"):
                answer = env.parse(env.agent_selection, text)
                assert (answer.outcome, answer.action) == ("illegal", None), text
                assert "is not legal now" in answer.message
        for number in (-1, len(env.game.actions), 999_999_999):
            assert env.parse(env.agent_selection, str(number)).outcome == "illegal"


@pytest.fixture(scope="module")
def table() -> RawAEC:
    """Go Dig with four players; Player 1 asks."""
    env = dig_envs.make("go_dig_v0", num_players=4).unwrapped
    env.reset(seed=1)
    return env


def words_of(env: RawAEC, place: int) -> str:
    entry: str = env.game.legal_texts(env.states, 0)[place]["label"]
    return entry


@pytest.mark.parametrize(
    "text",
    [
        "{0} or {1}",
        "<answer>{0} or {1}</answer>",
        "<answer>{0}</answer> <answer>{1}</answer>",
        "{0}\n{1}",
        "Between {0} and {1}.",
        "<answer>{i}: {1}</answer>",
        "Answer: {0}\nAnswer: {1}",
    ],
)
def test_several_actions_are_ambiguous(table: RawAEC, text: str) -> None:
    first = table.game.legal_actions(table.states, 0)[0]
    answer = table.parse("player_0", text.format(words_of(table, 0), words_of(table, 1), i=first))
    assert answer.outcome in ("ambiguous", "unreadable")
    assert answer.action is None
    assert answer.outcome == "ambiguous" or " or " in text


@pytest.mark.parametrize(
    "text",
    [
        "I will not {0}.",
        "I don't {0}.",
        "Should I {0}?",
        "Maybe {0}.",
        "If I {0}, they will ask me.",
        "I could {0}.",
        "{0} is not a good idea.",
        "Rather than {0}, I wait.",
        "action 0 or action 1",
    ],
)
def test_what_is_only_mentioned_is_not_chosen(table: RawAEC, text: str) -> None:
    assert table.parse("player_0", text.format(words_of(table, 0))).action is None


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("I will not {0}. {1}.", 1),
        ("I choose action {i}.", 0),
        ("I choose {i}", 0),
        ("My choice is index {i}, because they have it.", 0),
        ("#{i}", 0),
        ("I pick number {i}.", 0),
        ("{0} (because everybody knows of it)", 0),
        ("<answer>{0}</answer> or so, the format being <answer>…</answer>", 0),
        ("<answer>{0}</answer>\nAgain: <answer>{i}</answer>", 0),
        ("<answer>{0}", 0),
        ("Some thoughts about {1}.\n<answer>{0}</answer>", 0),
        ("<think>{1}</think><answer>{0}</answer>", 0),
    ],
)
def test_what_is_chosen(table: RawAEC, text: str, chosen: int) -> None:
    legal = table.game.legal_actions(table.states, 0)
    said = text.format(words_of(table, 0), words_of(table, 1), i=legal[0])
    assert table.parse("player_0", said) == Answer("legal", legal[chosen], "", (legal[chosen],))


@pytest.mark.parametrize(
    "text",
    [
        "We pass by.",
        "Let us act on it now",
        "They pass me",
        "I have 12",
        "12 cards",
        "take 0 of them",
    ],
)
def test_single_words_and_numbers_in_sentences_are_no_answers(text: str) -> None:
    env = dig_envs.make("the_big_dig_v0").unwrapped
    env.reset(seed=1)
    while env.game.phases[env.states["phase"][0]] != "argumentation":
        env.step(random_choice(env, np.random.default_rng(0)))
    assert env.parse(env.agent_selection, text).outcome == "unreadable"
    assert env.parse(env.agent_selection, "I pass.").outcome == "legal"
    assert env.parse(env.agent_selection, "I have thought long.\nAct\n").outcome == "legal"
    assert env.parse(env.agent_selection, "I will act.").outcome == "legal"


def test_who_is_not_to_decide_and_what_is_no_text(table: RawAEC) -> None:
    answer = table.parse("player_1", "0")
    assert answer.outcome == "illegal"
    assert answer.message == "You are not to decide now; wait until you are asked."
    with pytest.raises(TypeError, match="an answer is a text, not int"):
        table.parse("player_0", 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no agent"):
        table.parse("player_9", "0")


def test_long_answers(table: RawAEC) -> None:
    legal = table.game.legal_actions(table.states, 0)[0]
    tag = f"<answer>{legal}</answer>"
    assert table.parse("player_0", "x " * ((LONGEST - len(tag)) // 2) + tag).legal
    long = table.parse("player_0", "x" * LONGEST + tag)
    assert (long.outcome, long.action) == ("unreadable", None)
    assert "longer than 16384 characters" in long.message


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        '"',
        "'a ",
        "action ",
        "answer:\n",
        ";\n",
        "<answer>",
        "<answer></answer>",
        "put 1-1-A; ",
        "pass ",
        "&lt;",
        "\ufdfa",
        "\\boxed{",
    ],
)
def test_no_answer_takes_long_to_read(piece: str) -> None:
    env = dig_envs.make("the_big_dig_v0").unwrapped  # the one with the most actions
    env.reset(seed=1)
    start = time.process_time()
    assert env.parse(env.agent_selection, (piece * LONGEST)[:LONGEST]).action is None
    assert time.process_time() - start < 2


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=("L", "N")), max_size=300))
def test_texts_without_letters_and_digits_are_no_answers(table: RawAEC, text: str) -> None:
    assert table.parse("player_0", text).outcome == "unreadable"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))
def test_what_is_understood_is_legal_and_was_said(table: RawAEC, text: str) -> None:
    answer = table.parse("player_0", text)
    legal = table.game.legal_actions(table.states, 0)
    if answer.action is not None:
        label = table.game.action_list.label(answer.action, 0, 4, 0)
        assert answer.action in legal
        assert any(
            said.casefold() in text.casefold()
            for said in (str(answer.action), table.game.actions[answer.action], label)
        )
    else:
        assert answer.message.endswith(".")


def test_an_answer_as_json(table: RawAEC) -> None:
    legal = table.game.legal_actions(table.states, 0)[0]
    assert table.parse("player_0", str(legal)).to_json() == {
        "outcome": "legal",
        "action": legal,
        "message": "",
        "named": [legal],
    }
