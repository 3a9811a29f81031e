"""Every game as a library in C and as WebAssembly: its options go in, and are refused, as in
Python, on the command line and in JSON; in C it keeps to the memory that it is given."""

import json
import subprocess
from collections import Counter
from importlib.util import find_spec

import jsonschema
import numpy as np
import pytest

from dig_envs.commands.main import options_of
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.engine.compiler.portable import load_for_export
from dig_envs.engine.core.errors import OptionError
from dig_envs.export.machines import host
from dig_envs.registry import load_game
from tests.export.node import needs_node, node
from tests.export.programs import SEARCHES, build, episodes_of, play_in_c
from tests.export.traces import Episode, play
from tests.games import SHIPPED
from tests.server.asking import Client

every_shipped = pytest.mark.parametrize("name", SHIPPED)
builds = pytest.mark.skipif(
    JIT_DISABLED or linker() is None or find_spec("ziglang") is None,
    reason="nothing is linked here",
)

UNKNOWN, BAD, DISAGREE = -5, -6, -7
ACTIONS = 3000
ALL = 12  # of an option with more values, so many are tried


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled here")
@every_shipped
def test_exports_play_out_as_here(name):
    """With the game's own player for playouts, if it has one, and not with the scripted player."""
    game = load_game(name)
    own = game.rules.playout or game.rules.heuristic
    assert load_for_export(game)[0].playout.py_func is own.py_func


def some_values(option):
    """All values, or the first, the last, the default and some between."""
    values = list(option.values)
    if len(values) <= ALL:
        return values
    return [*values[:: len(values) // (ALL - 2)], values[-1], option.default]


def good(game):
    """Options as Python takes them and as text, and the state that is dealt; or the error where a
    value does not go with the defaults of other options."""
    for option in game.options:
        texts = {value: text for text, value in option.by_text().items()}
        for value in some_values(option):
            right = dealt(game, {option.name: value})
            yield option, value, texts[value], right
            if option.any_order and isinstance(value, tuple):
                for other in (value[::-1], value[3:] + value[:3]):
                    yield option, other, "-".join(other), right


def bad(game):
    """Options with unknown values, with values of another type, and unknown options."""
    for option in game.options:
        values = list(option.values)
        wrong = [None, "", "nonsense", 1.5, True, False, [], {}, [1, "x"], [[0]], 0, 1, -1, 10**30]
        wrong += [2**31, 2**32 + 2, *map(str, values[:2]), [values[0]], [values[0]] * 8]
        if isinstance(option.values, range):
            wrong += [values[0] - 1, values[-1] + 1]
        if option.any_order:
            wrong += [[*values[1][1:], values[1][1]], values[1][1:], [*values[1], values[1][0]]]
        wrong = json.loads(json.dumps(wrong))
        yield from ({option.name: given} for given in wrong if not is_value(option, given))
    yield from ({"colour": "red"}, {"": 2}, {"num_players ": 2})


def bad_texts(game):
    """What is no text of a value, and texts with something before or behind."""
    for option in game.options:
        texts = list(option.by_text())
        wrong = ["", "nonsense", "-", "true", "1.0", "1e1", "4294967298", "-1", "+2", "-0"]
        for text in (texts[0], texts[-1]):
            wrong += [f" {text}", f"{text} ", f"0{text}", f"{text}-", f"-{text}", f"{text}-{text}"]
            wrong += [text[1:], f"{text[:-1]}_", text.replace("-", "_") + "_"]
        yield from ((option.name, text) for text in dict.fromkeys(wrong) if text not in texts)
    yield from (("colour", "red"), ("", "2"), ("num_players ", "2"))


def decided(game):
    """Another value of an option beside a variant that decides it; in The Big Dig also one that
    goes with no deck that would be dealt."""
    if game.name == "the_big_dig":
        yield {"variant": 0, "variants": 7, "deck": "second", "first_discovery": "starter"}
    for option in game.options:
        if option.settled and option.name not in ("variant", "variants"):
            other = next(value for value in option.values if value != option.default)
            for variant in ({"variant": 17}, {"variant": 1, "variants": 9}):
                yield {option.name: other, **variant}


def is_value(option, given):
    try:
        option.encode(given)
    except OptionError:
        return False
    return True


def dealt(game, options):
    """The state in hexadecimal; or the words of the error, which have spaces."""
    try:
        return game.deal(options, 7).tobytes().hex()
    except OptionError as error:
        return str(error)


@every_shipped
def test_texts_and_json_go_in_as_in_python(name):
    game, client = load_game(name), Client()
    schemas = {o.name: jsonschema.Draft202012Validator(o.json_schema()) for o in game.options}
    played: Counter[str] = Counter()
    for option, value, text, right in good(game):
        as_list = list(value) if isinstance(value, tuple) else value
        for same in (value, as_list, np.array(value)[()]):
            assert dealt(game, {option.name: same}) == right
        assert dealt(game, options_of(game, [f"{option.name}={text}"])) == right
        plain = json.loads(json.dumps({option.name: value}))
        assert schemas[option.name].is_valid(plain[option.name])
        if " " not in right and value != option.default and played[option.name] < 2:
            played[option.name] += 1
            new = client.call("new", environment=name, options=plain, seed=7)["game"]
            seen = client.call("view", game=new, seat=0)["view"]["options"]
            asked = game.complete_options({option.name: value})
            if asked.get("variant", 0) == asked.get("variants", 1) - 1 == 0:  # else some are drawn
                assert seen == asked
            client.call("close", game=new)
    for options in bad(game):
        with pytest.raises(OptionError) as refused:
            game.complete_options(options)
        assert client.refusal("new", environment=name, options=options).message == str(
            refused.value
        )
        ((option, given),) = options.items()
        # a schema does not say which numbers or words go together
        assert (
            option not in schemas or isinstance(given, list) or not schemas[option].is_valid(given)
        )
    for option, text in bad_texts(game):
        with pytest.raises(OptionError, match=f"^option '{option}"):
            options_of(game, [f"{option}={text}"])


# one game after the other, so that each is translated once
@pytest.fixture(scope="module", params=SHIPPED)
def game(request):
    return load_game(request.param)


@builds
def test_texts_go_in_as_here_in_c(game, exported):
    library = exported(game.env_name, "c")
    program = build(library, game, host(), "options.c")
    tried = [(option.name, text, right) for option, _, text, right in good(game)]
    wrong = [*bad_texts(game)]
    lines = [f"{option}\t{text}\n" for option, text in [*(one[:2] for one in tried), *wrong]]
    done = subprocess.run(
        [str(program)], input="".join(lines), capture_output=True, text=True, check=True
    )
    names = {option.name for option in game.options}
    assert done.stdout.splitlines() == [
        *(str(DISAGREE) if " " in right else right for *_, right in tried),
        *(str(BAD if option in names else UNKNOWN) for option, _ in wrong),
    ]


@builds
@needs_node
def test_values_go_in_as_here_in_javascript(game, exported, tmp_path):
    tried = [({option.name: value}, right) for option, value, _, right in good(game)]
    tried += [(options, dealt(game, options)) for options in bad(game)]
    tried += [(options, dealt(game, options)) for options in decided(game)]
    (tmp_path / "options.json").write_text(json.dumps([options for options, _ in tried]))
    found = node(
        "options.mjs", exported(game.env_name) / f"{game.name}.js", tmp_path / "options.json"
    )
    for (options, right), there in zip(tried, found, strict=True):
        if " " not in right:
            assert there == right, options
            continue
        code, words = there
        kinds = {"has no option": UNKNOWN, "is not one of": BAD}
        assert code == next((kinds[one] for one in kinds if one in right), DISAGREE)
        if "cannot be chosen together" in right:
            assert "the variant decides one of them" in words
            continue
        # how a value is shown differs
        assert words.split("is not one of")[-1] == right.split("is not one of")[-1]


@builds
def test_it_keeps_to_its_memory_in_c(game, exported):
    """Some thousand actions, the scripted player, searches, the policy and batches, with all memory
    that the library is given between two pages that nobody may touch; as here, bit by bit."""
    library = exported(game.env_name, "c")
    weights = [str(path) for path in library.glob(f"{game.name}-policy.weights")]
    policy = f"{game.name}/policy" if weights else ""  # none in every version
    episodes = episodes_of(game, len(SEARCHES), 100, policy, SEARCHES)
    expected = [play(game, episode) for episode in episodes]
    while sum(one["steps"] for one in expected) < ACTIONS:
        more = Episode({}, len(episodes), len(episodes), ACTIONS // 4)
        episodes.append(more)
        expected.append(play(game, more))
    program = build(library, game, host(), "replay.c", "-O2")
    assert play_in_c([str(program), *weights], game, episodes, library) == expected
