"""Uploaded files of a league: JSON and CSV files, also packed in a ZIP file. Pure."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping

import msgspec

from app.core.refusals import Refusal
from app.draft_leagues.importing.csv_league import read_csv_league
from app.draft_leagues.importing.sleeper import is_sleeper, read_sleeper
from app.draft_leagues.importing.values import ImportedLeague
from app.draft_leagues.settings import DraftLeagueSettings

MOST_FILES = 100
# Sleeper's map of all players has about 15 million bytes, and is the largest of the files.
MOST_BYTES = 40 * 1024 * 1024
# Of everything unpacked: a ZIP file can be small and hold very much.
MOST_UNPACKED = 100 * 1024 * 1024


def read_league(
    uploads: Iterable[tuple[str, bytes]], name: str, settings: DraftLeagueSettings, field: str
) -> ImportedLeague | Refusal:
    """The league of the uploaded files, or what is wrong with them.

    Args:
        uploads: Names and contents.
        name: The name of the league, for files that have none.
        settings: Those of a preset, for files that have none.
        field: The field of the form, for a refusal.
    """
    files = _unpacked(uploads, field)
    if isinstance(files, Refusal):
        return files
    documents = _documents(files)
    if is_sleeper(documents):
        return read_sleeper(documents, field)
    if documents:
        text = "These JSON files hold no league of Sleeper's. Add the file of league/ID."
        return Refusal("sleeper", field, text)
    tables = {file: data for file, data in files.items() if file.lower().endswith((".csv", ".txt"))}
    if not tables:
        return Refusal("files", field, "Choose CSV files, or the JSON files of Sleeper.")
    return read_csv_league(tables, name, settings, field)


def _documents(files: Mapping[str, bytes]) -> dict[str, object]:
    """The JSON files, parsed; files that are none are left out."""
    documents = {}
    for name, data in files.items():
        if data.lstrip()[:1] in {b"{", b"["}:
            try:
                documents[name] = msgspec.json.decode(data)
            except msgspec.DecodeError:
                continue
    return documents


def _unpacked(uploads: Iterable[tuple[str, bytes]], field: str) -> dict[str, bytes] | Refusal:
    files: dict[str, bytes] = {}
    for name, data in uploads:
        if not data.startswith(b"PK"):
            files[name] = data
            continue
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                packed = [entry for entry in archive.infolist() if not entry.is_dir()]
                if sum(entry.file_size for entry in packed) > MOST_UNPACKED:
                    return Refusal("size", field, "The ZIP file holds too much. Leave files out.")
                files |= {entry.filename: archive.read(entry) for entry in packed[:MOST_FILES]}
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError):
            return Refusal("zip", field, f"{name} is no ZIP file that can be read. Pack it again.")
    return files or Refusal("files", field, "Choose a file.")
