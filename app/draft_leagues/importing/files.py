"""Uploaded files of a league: JSON and CSV files, also packed in a ZIP file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from app.core.input_limits import JSON_VALUES
from app.core.json_decoding import InvalidJsonError, count_values, plain_json
from app.core.refusals import Refusal
from app.draft_leagues.importing.csv_league import read_csv_league
from app.draft_leagues.importing.sleeper import read_sleeper
from app.draft_leagues.importing.unpacking import unpacked_files
from app.draft_leagues.importing.values import ImportedLeague
from app.draft_leagues.settings import DraftLeagueSettings

LONGEST_NAME = 200
_JSON = re.compile(rb"\s*[\[{]")


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
    files = unpacked_files(uploads, field)
    if isinstance(files, Refusal):
        return files
    documents = _documents(files, field)
    if isinstance(documents, Refusal):
        return documents
    tables = {
        file: data
        for file, data in files.items()
        if file not in documents and file.lower().endswith((".csv", ".txt"))
    }
    if documents and tables:
        text = "Choose either Sleeper JSON files or CSV files, not both."
        return Refusal("files", field, text)
    if documents:
        league = read_sleeper(documents, field)
    elif tables:
        league = read_csv_league(tables, name, settings, field)
    else:
        return Refusal("files", field, "Choose CSV files or Sleeper JSON files.")
    others = [file for file in files if file not in documents and file not in tables]
    return league if isinstance(league, Refusal) else _checked(league, others, field)


def _checked(league: ImportedLeague, others: Sequence[str], field: str) -> ImportedLeague | Refusal:
    """The league if it keeps to the limits of its values. `others`: files that were not read."""
    notes = (f"Files we ignored: {', '.join(others)}.",) if others else ()
    league = replace(league, name=league.name[:LONGEST_NAME], notes=(*league.notes, *notes))
    try:
        return msgspec.convert(msgspec.to_builtins(league), ImportedLeague)
    except msgspec.ValidationError:
        text = (
            "The files are too large for one league. The limits are 100 players per team "
            "and 1,000 games or picks."
        )
        return Refusal("values", field, text)


def _documents(files: Mapping[str, bytes], field: str) -> dict[str, object] | Refusal:
    """The JSON files, parsed, or which of them is incomplete."""
    documents: dict[str, object] = {}
    values_left = JSON_VALUES
    for name, data in files.items():
        if not _JSON.match(data) and not name.lower().endswith(".json"):
            continue
        values_left -= count_values(data)
        if values_left < 0:
            return Refusal("size", field, f"{name} is too large. Is it your league's file?")
        try:
            documents[name] = plain_json(data)
        except InvalidJsonError:
            text = f"{name} is not a complete JSON file. Save the page again, unchanged."
            return Refusal("json", field, text)
    return documents
