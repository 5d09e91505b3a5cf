"""Finds Sleeper's documents among uploaded files. Pure.

Each document is known by its shape, whatever its file is called. Only the week of matchups is in no
document: it is in the name of the file, to which browsers add numbers of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.draft_leagues.importing.sleeper_values import UnreadableDocumentError
from app.draft_leagues.importing.values import MOST_WEEKS

ORIGIN = "https://api.sleeper.app"
ADDRESS = f"{ORIGIN}/v1"
PARTS = ("league", "users", "rosters", "players", "traded_picks", "matchups")
_WEEK = re.compile(r"(?:matchups?|weeks?|leg|gameweek)[ _/.-]*(\d{1,2})(?!\d)", re.IGNORECASE)
_COPY = re.compile(r"\s*\(\d+\)$")  # what browsers add to the name of a second download


@dataclass
class Documents:
    """Sleeper's documents of one league.

    Attributes:
        matchups: By week.
        files: The name of the file of each document.
        others: Files of JSON that are none of these documents.
    """

    league: dict[str, Any] | None = None
    users: list[dict[str, Any]] = field(default_factory=list)
    rosters: list[dict[str, Any]] = field(default_factory=list)
    matchups: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    players: dict[str, dict[str, Any]] = field(default_factory=dict)
    traded_picks: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)


def sort_documents(documents: Mapping[str, object]) -> Documents:
    """The documents by what they are. `documents`: parsed JSON by the name of its file.

    Raises:
        UnreadableDocumentError: Two files hold the same document in two versions, or the name of
            one of matchups does not say their week.
    """
    loaded = Documents()
    for name, document in _parts(documents):
        kind = _kind(document)
        if kind == "matchups":
            _add_week(loaded, name, document)
        elif kind:
            _add(loaded, kind, name, document)
        elif document:  # Sleeper's lists are empty where there is nothing
            loaded.others.append(name)
    return loaded


def _parts(documents: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    """Each document with its name; one file may hold several by the names of their parts."""
    for name, document in documents.items():
        is_whole = isinstance(document, dict) and any(
            isinstance(document.get(part), (dict, list)) for part in PARTS
        )
        if not is_whole or not isinstance(document, dict):
            yield name, document
            continue
        for part, inner in document.items():
            if part == "matchups" and isinstance(inner, dict):
                yield from ((f"{name}: matchups/{week}", games) for week, games in inner.items())
            else:
                yield f"{name}: {part}", inner


def _kind(document: object) -> str:
    """Which document it is; '' for none of them."""
    if isinstance(document, dict):
        if "roster_positions" in document:
            return "league"
        first = next(iter(document.values()), None)
        return "players" if isinstance(first, dict) and "position" in first else ""
    if not document or not isinstance(document, list):
        return ""
    if not all(isinstance(each, dict) for each in document):
        return ""
    marks = {
        "matchups": {"matchup_id"},
        "traded_picks": {"previous_owner_id"},
        "rosters": {"owner_id", "roster_id"},
        "users": {"display_name"},
    }
    return next((kind for kind, names in marks.items() if names <= set(document[0])), "")


def _add(loaded: Documents, kind: str, name: str, document: Any) -> None:
    if kind in loaded.files and getattr(loaded, kind) != document:
        raise UnreadableDocumentError(
            f"{loaded.files[kind]} and {name} both hold {kind.replace('_', ' ')} but differ. "
            "Remove one of them."
        )
    loaded.files[kind] = name
    setattr(loaded, kind, document)


def _add_week(loaded: Documents, name: str, games: list[dict[str, Any]]) -> None:
    week = _week_of(name)
    if week is None:
        raise UnreadableDocumentError(
            f"The file name {name} does not say which week it is. Name it matchups-3.json for "
            "week 3, and so on."
        )
    key = f"matchups of week {week}"
    if key in loaded.files and loaded.matchups[week] != games:
        raise UnreadableDocumentError(
            f"{loaded.files[key]} and {name} are both named as the {key} but differ. Remove one of "
            "them or rename it."
        )
    loaded.files[key] = name
    loaded.matchups[week] = games


def _week_of(name: str) -> int | None:
    """The week that the name of a file gives; None if it gives none.

    >>> [_week_of(name) for name in ("matchups_3.json", "matchups_3 (1).json", "week-3-2026.json")]
    [3, 3, 3]
    >>> [_week_of(name) for name in ("all.json: matchups/3", "3.json", "650025991288205312.json")]
    [3, 3, None]
    """
    stem = _COPY.sub("", re.sub(r"\.(json|txt)$", "", name, flags=re.IGNORECASE))
    last = stem.rpartition("/")[2]
    named = _WEEK.findall(stem)
    digits = named[-1] if named else last if re.fullmatch(r"\d{1,2}", last) else ""
    week = int(digits) if digits else 0
    return week if 1 <= week <= MOST_WEEKS else None
