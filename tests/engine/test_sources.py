"""Which edits make compiled code another, and which do not."""

import shutil
from functools import cache

import pytest

from dig_envs.engine.compiler import sources
from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.loading import cache_key
from dig_envs.engine.compiler.sources import source_files, source_hash
from dig_envs.registry import load_game
from tests.games import SHIPPED

GAMES = [load_game(name) for name in SHIPPED]
every_shipped_game = pytest.mark.parametrize("name", SHIPPED)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the sources, for which hashes are taken; each test takes back what it edits."""
    folder = tmp_path_factory.mktemp("sources") / "dig_envs"
    shutil.copytree(
        sources.PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__", "policies")
    )
    return folder


def hashes(package):
    """Hash of each game, by name."""
    return {
        game.name: source_hash(cache_key(game).modules, folders={"dig_envs": package})
        for game in GAMES
    }


def changed_by(package, path, text="\n# changed\n"):
    """The games whose hash an edit of a file changes; it is taken back."""
    file = package / path
    before = file.read_bytes()
    file.write_bytes(before + text.encode())
    found = hashes(package)
    file.write_bytes(before)
    return {name for name, unedited in unedited_hashes().items() if found[name] != unedited}


@cache
def unedited_hashes():
    """Hash of each game, by name, of the sources as they are."""
    return hashes(sources.PACKAGE)


def test_hashes_depend_on_the_sources_alone(package):
    found = hashes(package)
    assert found == hashes(package) == unedited_hashes()
    assert len(set(found.values())) == len({game.name for game in GAMES})


@pytest.mark.parametrize(
    "path",
    [
        f"engine/{file}.py"
        for file in (
            "core/random",
            "core/lists",
            "compiler/kernels",
            "search/simulation",
            "compiler/jit",
        )
    ],
)
def test_the_engines_compiled_files_belong_to_every_game(package, path):
    assert changed_by(package, path) == {game.name for game in GAMES}


@every_shipped_game
def test_an_edit_in_a_games_folder_concerns_that_game_alone(name, package):
    """A part of a game is a module, or a folder of modules with an __init__."""
    game = load_game(name)
    folder = package / "games" / game.name
    for part in ("rules", "observation", "heuristic", "components", "state"):
        for path in (
            [folder / f"{part}.py"]
            if (folder / f"{part}.py").exists()
            else (folder / part).glob("*.py")
        ):
            assert changed_by(package, path.relative_to(package)) == {game.name}, path


@every_shipped_game
def test_what_is_not_compiled_concerns_no_game(name, package):
    folder = f"games/{load_game(name).name}"
    for path in (
        f"{folder}/drawing.py",
        f"{folder}/README.md",
        f"{folder}/__init__.py",
        "adapters/aec.py",
        "batch/batch_env.py",
    ):
        assert changed_by(package, path) == set(), path


def test_a_shared_module_concerns_those_that_use_it(package):
    folders = {game.name: package / "games" / game.name for game in GAMES}
    users = {
        name
        for name, folder in folders.items()
        if any("fossil_deck" in path.read_text() for path in folder.glob("*.py"))
    }
    assert {"cretaceous_creek", "fossil_canyon"} <= users < set(folders)
    assert changed_by(package, "games/fossil_deck.py") == users


def test_data_beside_the_rules_concerns_its_game(package):
    assert changed_by(package, "games/the_big_dig/fauna.csv", "\n") == {"the_big_dig"}
    fauna = package / "games" / "the_big_dig" / "fauna.csv"
    renamed = fauna.rename(fauna.with_name("renamed.csv"))
    assert hashes(package)["the_big_dig"] != unedited_hashes()["the_big_dig"]
    renamed.rename(fauna)


@every_shipped_game
def test_a_games_own_hash(name):
    """Constants that the loops get from the ``Game`` count, too, and its environment says so."""
    game = load_game(name)
    key = cache_key(game)
    assert game.source_hash == key.sources
    assert (
        key.sources
        != CacheKey(key.name, key.modules, (*key.facts[:-1], game.max_actions + 1)).sources
    )
    assert key.folder.startswith(f"{game.env_name}-")


# ---------------------------------------------------------------- following imports

MODULES = {
    "__init__.py": "from little import everything\n",
    "everything.py": "import little.unseen\n",
    "unseen.py": "",
    "rules.py": """
        import os, numpy
        import little.plain
        from little import module, NAME
        from .beside import thing
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from little.for_types import Kind
        else:
            from little.otherwise import Kind
        def f():
            try:
                from .deep import inner
            except ImportError:
                import little.after_an_error
    """,
    "plain.py": "from little.circle import a",
    "circle.py": "import little.plain",
    "module.py": "",
    "beside.py": "from . import sibling",
    "sibling.py": "",
    "for_types.py": "",
    "otherwise.py": "",
    "after_an_error.py": "",
    "deep/__init__.py": "",
    "deep/inner.py": "from ..far import away\nfrom ... import nothing",
    "far.py": "",
    "table.csv": "1,2",
    "notes.md": "",
    "deep/numbers.npy": "",
}


@pytest.fixture
def little(tmp_path):
    """A package whose modules import each other in every way."""
    for name, text in MODULES.items():
        path = tmp_path / "little" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.splitlines()
        path.write_text("\n".join(line.removeprefix(" " * 8) for line in lines))
    return {"little": tmp_path / "little"}


def test_every_kind_of_import_is_followed(little):
    """A name that is no module is one of the package itself, whose imports then count as well."""
    names = (
        "__init__ after_an_error beside circle deep.inner everything far module otherwise plain "
        "rules sibling unseen"
    )
    wanted = {f"little.{name}".removesuffix(".__init__") for name in names.split()}
    assert set(source_files(["little.rules"], little)) == {
        *wanted,
        "little/table.csv",
        "little.deep/numbers.npy",
    }


def test_other_packages_are_not_followed(little):
    assert set(source_files(["little.sibling", "numpy"], little)) == {
        "little.sibling",
        "little/table.csv",
    }


def test_no_hash_of_what_is_in_no_file(little):
    with pytest.raises(LookupError, match=r"no file of little\.typed_in"):
        source_hash(["little.rules", "little.typed_in"], folders=little)
    assert CacheKey("interactive", ("__main__",)).sources is None


def test_facts_count(little):
    assert (
        len(
            {
                source_hash(["little.rules"], *facts, folders=little)
                for facts in ((), (1,), (1, 2), ("1",))
            }
        )
        == 4
    )
