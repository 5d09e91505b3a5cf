"""Query plans of the named queries, on a season of made-up rows.

The rows go into temporary tables that hide the real ones and vanish with the transaction, so this
runs anywhere and changes nothing. `pressbox query-plans` writes them to docs/queries.md; tests
check them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import MetaData, text
from sqlalchemy.schema import CreateIndex, CreateTable

from app.core.db import db
from app.record.named_queries import NAMED_QUERIES
from app.record.play_tables import PLAY_TABLES

# Tables have at most 30,000 rows, all of which ANALYZE reads, so that the plans are always the
# same.
GAMES = 180
GAME, PLAYER = "game-90", "player-7"

# Rows per game, columns and values by table, about as in real games.
_FILL = {
    "plays": (
        160,
        "start_timestamp, game_seconds_played, possession, field_position, situation, period, "
        "clock",
        "1789000000000 + n, n, 'HRB', n % 100, 'scrimmage', 1, n",
    ),
    "passes": (
        70,
        "team, passer_id, receiver_id, result, throw_yard, reception_yard, is_touchdown",
        "'HRB', 'player-' || n % 2 * 7, 'player-' || n % 22, 'complete', 20, 30, n % 20 = 0",
    ),
    "runs": (
        120,
        "team, player_id, kind, start_yard, end_yard, is_rush, is_touchdown",
        "'HRB', 'player-' || n % 22, 'rush', 20, 24, true, n % 30 = 0",
    ),
    "sacks": (
        5,
        "team, player_id, start_yard, end_yard, is_shared",
        "'HRB', 'player-' || n % 22, 20, 14, false",
    ),
    "tackles": (110, "team, tackler_id, kind", "'SUM', 'player-' || n % 22, 'solo'"),
    "turnovers": (
        8,
        "kind, team, player_id, out_of_bounds, is_touchdown",
        "'recovery', 'SUM', 'player-' || n % 22, false, n % 4 = 0",
    ),
    "kicks": (30, "team, kicker_id, kind, result", "'HRB', 'player-' || n % 22, 'punt', 'downed'"),
}


def index_use() -> dict[str, dict[str, list[str]]]:
    """Return the indexes that serve each table, by query and table.

    A table that is read sequentially has `no index`. The transaction is rolled back.
    """
    try:
        _fill()
        return {name: _indexes(statement) for name, (_, statement) in NAMED_QUERIES.items()}
    finally:
        db.session.rollback()


def _fill() -> None:
    tables = MetaData(schema="pg_temp")
    for model in PLAY_TABLES:
        table = model.__table__.to_metadata(tables)
        db.session.execute(CreateTable(table))
        # By name, because PostgreSQL prefers the older of two equal indexes.
        for index in sorted(table.indexes, key=lambda index: index.name):
            db.session.execute(CreateIndex(index))
    for name, (rows, columns, values) in _FILL.items():
        db.session.execute(
            text(
                f"INSERT INTO {name} "  # noqa: S608
                f"(game_id, event_number, revision, play_number, valid, {columns})"
                f" SELECT 'game-' || game, n * 4, 0, n, true, {values}"
                " FROM generate_series(1, :games) AS game, generate_series(1, :rows) AS n"
            ),
            {"games": GAMES, "rows": rows},
        )
        db.session.execute(text(f"ANALYZE {name}"))


def _indexes(statement: str) -> dict[str, list[str]]:
    values = {"game": GAME, "player": PLAYER} if ":player" in statement else {"game": GAME}
    plan = db.session.scalar(text(f"EXPLAIN (FORMAT JSON) {statement}"), values)
    return index_names(plan[0]["Plan"])


def index_names(plan: dict[str, Any]) -> dict[str, list[str]]:
    """Return the indexes of a plan by table, sorted; `no index` for a sequential scan."""
    indexes_by_table: dict[str, set[str]] = {}
    for table, index in _scans(plan, None):
        indexes_by_table.setdefault(table, set()).add(index)
    return {table: sorted(indexes) for table, indexes in sorted(indexes_by_table.items())}


def _scans(node: dict[str, Any], table: str | None) -> Iterator[tuple[str, str]]:
    """Yield table and index of each scan.

    The index of a bitmap scan is below the node with the table's name.
    """
    table = node.get("Relation Name", table)
    if node["Node Type"] == "Seq Scan":
        yield node["Relation Name"], "no index"
    if "Index Name" in node:
        assert table is not None  # an index scan has a table's node, its own or one above it
        yield table, node["Index Name"]
    for child in node.get("Plans", ()):
        yield from _scans(child, table)


def document() -> str:
    """Return the text of docs/queries.md: each query with its statement and its indexes."""
    use = index_use()
    lines = [
        "# Named queries",
        "",
        "Made by `pressbox query-plans`. `pressbox query NAME GAME [PLAYER]` answers them; the "
        "functions are in",
        f"`app/record/named_queries.py`. The indexes are those that PostgreSQL chooses on {GAMES} "
        "made-up games,",
        "analysed, with no planner setting changed.",
    ]
    for name, (promise, statement) in NAMED_QUERIES.items():
        lines += ["", f"## {name}", "", promise, "", "| table | index |", "|---|---|"]
        lines += [
            f"| {table} | {', '.join(f'`{index}`' for index in indexes)} |"
            for table, indexes in use[name].items()
        ]
        lines += ["", "```sql", statement.strip(), "```"]
    return "\n".join(lines) + "\n"
