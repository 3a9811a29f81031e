"""Metadata of the published reports in the Croissant format of MLCommons, version 1.0: ``results/croissant.json``.

It lists the JSON files of the folder with their hashes, and says what the rows of the leaderboard and of the baselines mean.
https://docs.mlcommons.org/croissant/docs/croissant-spec.html
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import dig_envs

FILE = "croissant.json"
CITATION = Path(__file__).parents[2] / "CITATION.cff"
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
TEXT, NUMBER, WHOLE, DATE = "sc:Text", "sc:Float", "sc:Integer", "sc:Date"
Fields = Mapping[str, tuple[str, str, str]]  # name -> path in a row, type, meaning
LEADERBOARD: Fields = {
    "name": ("name", TEXT, "name of the player"),
    "authors": ("authors", TEXT, "who made it"),
    "date": ("date", DATE, "when it was submitted"),
    "version": ("version", WHOLE, "version of the suite of tasks"),
    "suite": ("suite", TEXT, "small or full"),
    "iqm": ("aggregates.iqm.mean", NUMBER, "interquartile mean of the tasks' normalised values: random player 0, reference 100"),
    "iqm_low": ("aggregates.iqm.low", NUMBER, "lower end of its 95 % interval"),
    "iqm_high": ("aggregates.iqm.high", NUMBER, "upper end of its 95 % interval"),
    "mean": ("aggregates.mean.mean", NUMBER, "mean of the normalised values"),
    "report": ("report", TEXT, "file in the folder leaderboard with the results of every deal"),
}
BASELINES: Fields = {
    "algorithm": ("algorithm", TEXT, "name of the algorithm"),
    "game": ("game", TEXT, "name of the game"),
    "decisions": ("decisions", WHOLE, "actions of the learner in training"),
    "processor_seconds": ("processor_seconds", NUMBER, "processor time of a run, mean over seeds"),
}


def metadata(files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the metadata of files, as JSON-LD.

    Args:
        files: by their path in the folder of results; ``leaderboard.json`` and ``baselines.json`` are among them.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": "dig_envs-results",
        "description": "Published measurements of the reinforcement-learning environments dig_envs: reports of the benchmark with "
        "the results of every deal, learning curves of baselines, speed. They contain no recorded games and no data of people.",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": "https://opensource.org/license/mit",
        "version": dig_envs.__version__,
        "creator": {"@type": "sc:Organization", "name": "dig_envs contributors"},
        "datePublished": released(),
        "citeAs": "dig_envs contributors: dig_envs, reinforcement-learning environments made from tabletop digging games, 2026",
        "isLiveDataset": True,
        "distribution": [file_object(path, content) for path, content in sorted(files.items())],
        "recordSet": [
            record_set("leaderboard", "a checked report of the benchmark", "leaderboard.json", "$.rows[*]", LEADERBOARD),
            record_set("baselines", "an algorithm in a game, mean over its seeds", "baselines.json", "$.runs[*]", BASELINES),
        ],
    }


def released() -> str:
    """Return the date of the release, YYYY-MM-DD, as in ``CITATION.cff``."""
    lines = CITATION.read_text(encoding="utf-8").splitlines()
    return next(line.partition(": ")[2] for line in lines if line.startswith("date-released"))


def file_object(path: str, content: bytes) -> dict[str, Any]:
    """Return the entry of a file."""
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{len(content)} B",
        "encodingFormat": "application/json",
        "sha256": sha256(content).hexdigest(),
    }


def record_set(name: str, meaning: str, file: str, rows: str, fields: Fields) -> dict[str, Any]:
    """Return the entry of a table: its fields, and where in the file they are."""
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"Each record is {meaning}.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{field}",
                "name": field,
                "description": words,
                "dataType": kind,
                "source": {"fileObject": {"@id": file}, "extract": {"jsonPath": f"{rows}.{path}"}},
            }
            for field, (path, kind, words) in fields.items()
        ],
    }


def croissant_text(folder: Path, made: Mapping[Path, str]) -> str:
    """Return the metadata of a folder of results as the text of a file.

    Args:
        folder: of results. made: files of it as they should be, which may differ from those that are there.
    """
    found = {path: path.read_bytes() for path in folder.rglob("*.json") if path.name != FILE}
    found |= {path: text.encode() for path, text in made.items() if path.is_relative_to(folder)}
    files = {path.relative_to(folder).as_posix(): content for path, content in found.items()}
    return json.dumps(metadata(files), indent=1, ensure_ascii=False) + "\n"
