"""Uploaded files of a league: JSON and CSV files, also packed in a ZIP file. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.core.input_limits import JSON_VALUES
from app.core.json_decoding import InvalidJsonError, count_values, plain_json
from app.core.refusals import Refusal
from app.draft_leagues.importing.csv_league import read_csv_league
from app.draft_leagues.importing.sleeper import is_sleeper, read_sleeper
from app.draft_leagues.importing.unpacking import unpacked_files
from app.draft_leagues.importing.values import ImportedLeague
from app.draft_leagues.settings import DraftLeagueSettings

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
    if is_sleeper(documents):
        return read_sleeper(documents, field)
    if documents:
        text = "These JSON files hold no league of Sleeper's. Add the file of league/ID."
        return Refusal("sleeper", field, text)
    tables = {file: data for file, data in files.items() if file.lower().endswith((".csv", ".txt"))}
    if not tables:
        return Refusal("files", field, "Choose CSV files, or the JSON files of Sleeper.")
    return read_csv_league(tables, name, settings, field)


def _documents(files: Mapping[str, bytes], field: str) -> dict[str, object] | Refusal:
    """The JSON files, parsed, or which of them is not whole."""
    documents: dict[str, object] = {}
    values_left = JSON_VALUES
    for name, data in files.items():
        if not _JSON.match(data):
            continue
        values_left -= count_values(data)
        if values_left < 0:
            return Refusal("size", field, f"{name} holds too much. Is it a file of your league?")
        try:
            documents[name] = plain_json(data)
        except InvalidJsonError:
            text = f"{name} is not a whole JSON file. Save the page again, as it is."
            return Refusal("json", field, text)
    return documents
