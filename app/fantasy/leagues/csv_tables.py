"""An exported league as CSV tables. Pure, from the document of export.py."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from app.core.csv_writing import csv_text

Row = dict[str, Any]

# The columns of the CSV tables, also of tables without rows. A test compares them with documents.
_COLUMNS: Mapping[str, Sequence[str]] = {
    "gameweeks": ("week", "name", "deadline", "locked_at", "settled_at"),
    "people": (
        "username",
        "display_name",
        "country",
        "team_name",
        "joined_at",
        "total_points",
        "standing",
        "is_banned",
    ),
    "scores": (
        "week",
        "member",
        "team_name",
        "points",
        "held",
        "transfers",
        "match_points",
        "total",
        "rank",
    ),
    "matchups": ("week", "home", "away"),
    "adjustments": ("week", "member", "points", "reason", "by", "created_at"),
    "rule_changes": ("old_rules", "new_rules", "reason", "by", "created_at"),
    "sheets": (
        "week",
        "member",
        "picks",
        "captain",
        "vice_captain",
        "paid",
        "bank",
        "free_transfers",
        "transfers",
        "transfer_cost",
        "edition",
        "is_carried",
        "saved_at",
        "points",
        "held",
        "times",
    ),
    "franchises": (
        "number",
        "member",
        "name",
        "division",
        "waiver_priority",
        "is_locked",
        "budget",
    ),
    "rosters": ("franchise", "footballer", "spot", "since", "transaction"),
    "transactions": (
        "number",
        "kind",
        "made_at",
        "by",
        "reason",
        "depends_on",
        "moves",
        "budgets",
        "picks",
    ),
    "footballers": ("id", "name", "position", "club"),
}


def as_csv(document: Row, *, for_excel: bool = False) -> bytes:
    """A ZIP file with one CSV file per table.

    Lists within a cell are separated by spaces, and the fields of an object by slashes.
    """
    league = {
        **document["season"],
        **{f"league_{name}": value for name, value in document["league"].items()},
    }
    tables: dict[str, tuple[Sequence[str], Sequence[Row]]] = {"league": (list(league), [league])}
    tables |= {name: (columns, document[name]) for name, columns in _COLUMNS.items()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (columns, rows) in tables.items():
            cells = [[_cell(row[column]) for column in columns] for row in rows]
            # ZipInfo without a time makes the same bytes for the same league.
            archive.writestr(
                zipfile.ZipInfo(f"{name}.csv"), csv_text(columns, cells, for_excel=for_excel)
            )
    return packed.getvalue()


def _cell(value: Any) -> Any:
    return " ".join(map(_item, value)) if isinstance(value, list) else value


def _item(item: Any) -> str:
    """An item of a list; the fields of an object are separated by slashes.

    >>> _item(7), _item({"footballer_id": "kupp", "from_franchise": None, "to_franchise": 2})
    ('7', 'kupp//2')
    """
    if not isinstance(item, dict):
        return str(item)
    return "/".join("" if value is None else str(value) for value in item.values())
