"""Files that were made to break or to stop the import: each is refused with a sentence."""

from __future__ import annotations

import base64
import io
import json
import random
import zipfile
import zlib
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from app.core import input_limits
from app.core.input_limits import JSON_VALUES, LEAGUE_FILES
from app.core.refusals import Refusal
from app.draft_leagues.importing import unpacking
from app.draft_leagues.importing.carrying import packed, unpacked
from app.draft_leagues.importing.files import read_league
from app.draft_leagues.importing.values import ImportedLeague, ImportedTeam
from app.draft_leagues.settings import PRESETS
from tests.draft_leagues.importing.test_pages import HERE, ann, sleeper_files
from tests.draft_leagues.importing.test_sleeper import NAMES
from tests.worlds.sleeper_league import sleeper_league

__all__ = ["ann"]

REDRAFT = PRESETS["redraft"]
TEAMS = (ImportedTeam("1", "Ann FC"), ImportedTeam("2", "Bob FC"))
DEEP = "[" * 100_000
MATCHUP = '[{"matchup_id": 1, "roster_id": 1, "points": %s}]'


def read(*uploads: tuple[str, bytes]) -> ImportedLeague | Refusal:
    return read_league(uploads, "", REDRAFT, "files")


def zip_of(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return written.getvalue()


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.json", DEEP, "a.json is not a complete JSON file. Save the page again, unchanged."),
        ("matchups_1.json", MATCHUP % "1e999", "is not a complete JSON file"),
        ("matchups_1.json", MATCHUP % "NaN", "is not a complete JSON file"),
        ("matchups_1.json", MATCHUP % ("9" * 5_000), "is not a complete JSON file"),
        (
            "matchups_1.json",
            MATCHUP % f"-{10**30}",
            "for points instead of a number up to 1,000.",
        ),
        (
            "matchups_1.json",
            MATCHUP % '{"a": []}',
            "for points instead of a number up to 1,000.",
        ),
    ],
)
def test_both_doors_refuse_what_no_league_holds(
    ann: FlaskClient, name: str, text: str, sentence: str
) -> None:
    """RFC 8259, 6 and 9: there is no NaN, and readers limit the range of numbers and the depth."""
    texts = {file: json.dumps(document) for file, document in sleeper_files().items()}
    texts[name] = text
    uploads = [(io.BytesIO(each.encode()), file) for file, each in texts.items()]
    page = ann.post(HERE, data={"files": uploads})
    assert (page.status_code, sentence in page.text) == (422, True), page.text[:2000]
    answer = ann.post("/api/v1/draft-leagues/import/preview", json={"files": texts})
    assert answer.status_code == 422
    assert answer.json is not None
    assert sentence in answer.json["errors"][0]["detail"]
    assert answer.json["errors"][0]["field"] == "files"


def test_a_week_of_5000_digits_is_no_week() -> None:
    documents = sleeper_league(NAMES)
    documents[f"matchups_{'9' * 5_000}.json"] = documents["matchups_1.json"]
    uploads = [(name, msgspec.json.encode(document)) for name, document in documents.items()]
    refused = read(*uploads)
    assert isinstance(refused, Refusal)
    assert "say which week it is" in refused.text


def test_all_files_of_an_upload_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four ZIP files below the limit were unpacked to four times the limit."""
    monkeypatch.setattr(unpacking, "LEAGUE_FILES_UNPACKED_BYTES", 1024 * 1024)
    read_bytes = 0
    read_file = zipfile.ZipExtFile.read

    def count(file: zipfile.ZipExtFile, size: int = -1) -> bytes:
        nonlocal read_bytes
        data = read_file(file, size)
        read_bytes += len(data)
        return data

    monkeypatch.setattr(zipfile.ZipExtFile, "read", count)
    half = zip_of({"a.csv": bytes(600 * 1024)})
    refusal = read(("1.zip", half), ("2.zip", half), ("3.zip", half), ("4.zip", half))
    assert isinstance(refusal, Refusal)
    assert refusal.text == f"Send at most {LEAGUE_FILES} files and 1 MiB in total. Remove some."
    assert read_bytes == 1024 * 1024 + 1, "it reads no further than the limit"
    assert isinstance(read(("1.csv", bytes(600 * 1024)), ("2.csv", bytes(600 * 1024))), Refusal)


def test_a_size_that_a_zip_file_declares_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "LEAGUE_FILES_UNPACKED_BYTES", 1000)
    archive = zip_of({"a.csv": bytes(5_000)})
    forged = archive.replace((5_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert forged != archive
    assert isinstance(read(("a.zip", forged)), Refusal)


def test_the_number_of_files_is_counted_over_all_zip_files() -> None:
    sixty = zip_of({f"{number}.csv": b"x" for number in range(LEAGUE_FILES * 6 // 10)})
    refusal = read(("1.zip", sixty), ("2.zip", sixty))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "size"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_rare_kinds_of_packing_are_refused(method: int) -> None:
    """LZMA takes as much memory as its header asks for."""
    refusal = read(("a.zip", zip_of({"a.csv": b"team,player\n"}, method)))
    assert isinstance(refusal, Refusal)
    assert refusal.text == "We can't read the ZIP file a.zip. Zip it again."


def test_json_of_millions_of_tiny_values_is_not_read() -> None:
    """Each takes 64 bytes: 48 MiB of them took a gigabyte."""
    tiny = b"[" + b"{}," * (JSON_VALUES // 2 + 1) + b"{}]"
    refusal = read(("a.json", tiny))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "size"


def test_an_api_call_of_millions_of_tiny_values_is_not_read(ann: FlaskClient) -> None:
    tiny = b'{"files": [' + b"{}," * (JSON_VALUES // 2 + 1) + b"{}]}"
    answer = ann.post(
        "/api/v1/draft-leagues/import/preview", data=tiny, content_type="application/json"
    )
    assert (answer.status_code, "too many values" in answer.text) == (413, True)


@pytest.mark.breadth("the limits: test_the_server_takes_what_each_view_and_operation_takes")
def test_the_map_of_all_players_fits(ann: FlaskClient) -> None:
    """About 15 million bytes and 11,500 players (docs.sleeper.com, "Players")."""
    documents = sleeper_files()
    nobody = {f"field_{number}": f"value {number}" * 2 for number in range(45)}
    players = documents["players.json"]
    players |= {str(10**6 + number): nobody | {"position": "WR"} for number in range(11_500)}
    text = {name: json.dumps(document) for name, document in documents.items()}
    assert 15_000_000 < len(text["players.json"]) < input_limits.LEAGUE_FILES_BYTES
    uploads = [(io.BytesIO(each.encode()), name) for name, each in text.items()]
    assert "24 of 24 players found" in ann.post(HERE, data={"files": uploads}).text
    answer = ann.post("/api/v1/draft-leagues/import/preview", json={"files": text})
    assert answer.status_code == 200, answer.text[:500]


def changed(data: bytes, rng: random.Random) -> bytes:
    """The data with a few bytes replaced, left out or repeated."""
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(damaged))
        length = rng.choice((1, 1, 2, 40))
        part = damaged[place : place + length]
        damaged[place : place + length] = rng.choice((b"", part * 2, rng.randbytes(len(part))))
    return bytes(damaged)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_read_or_refused_with_a_sentence(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 (a seed repeats the test)
    documents = sleeper_league(NAMES)
    encoded = {name: msgspec.json.encode(document) for name, document in documents.items()}
    archive = zip_of(encoded)
    for _ in range(60):
        name = rng.choice(list(encoded))
        damaged = encoded | {name: changed(encoded[name], rng)}
        for uploads in (list(damaged.items()), [("a.zip", changed(archive, rng))]):
            league = read(*uploads)
            assert isinstance(league, ImportedLeague) or league.text.endswith(".")


def field_of(document: bytes) -> str:
    return base64.b64encode(zlib.compress(document)).decode()


def carried(**changes: Any) -> bytes:
    league = ImportedLeague("The Yard", None, REDRAFT, TEAMS)
    return msgspec.json.encode(msgspec.to_builtins(league) | changes)


@pytest.mark.parametrize(
    "field",
    [
        "",
        "é",
        base64.b64encode(b"no zlib").decode(),
        field_of(b"no JSON"),
        field_of(carried(more=[])[:-2] + DEEP.encode()),
        field_of(carried(year=1e300)),
        field_of(
            carried(settings=msgspec.to_builtins(PRESETS["redraft"]) | {"scoring": "nonsense"})
        ),
        field_of(b" " * 5_000_000),
    ],
)
def test_a_forged_league_between_the_pages_got_lost(ann: FlaskClient, field: str) -> None:
    assert unpacked(field) is None
    page = ann.post(f"{HERE}/confirm", data={"league": field, "act": "check"})
    assert (page.status_code, "Upload the files again." in page.text) == (422, True)


def test_a_league_that_fits_in_no_form_is_refused_when_it_is_read() -> None:
    teams = [ImportedTeam(str(number), "Ann FC") for number in range(2)]
    league = ImportedLeague(
        "The Yard", None, PRESETS["redraft"], tuple(teams), notes=("x" * 5_000_000,)
    )
    assert isinstance(packed(league), Refusal)
