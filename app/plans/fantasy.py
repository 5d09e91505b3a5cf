"""Query plans of the five access patterns and of pages, on made-up seasons.

As in app/plans/record.py, temporary tables hide the real ones and vanish with the transaction.
`pressbox query-plans` writes them to docs/fantasy-queries.md; tests check them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import MetaData, text
from sqlalchemy.schema import CreateIndex, CreateTable

from app.accounts.models import Member, Player
from app.core.db import db
from app.fantasy.api_queries import statements
from app.fantasy.market.history_models import PlayerWeek, PreseasonProjection
from app.fantasy.market.models import (
    FootballerSeason,
    FootballerTotals,
    FootballerWeek,
    Gameweek,
    Season,
    SheetDeadline,
    TeamRules,
)
from app.fantasy.scoring import footballers
from app.fantasy.scoring.models import ImportedLine, PlayerPoints, SheetPoints
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, LeagueMember, LeagueScore
from app.plans.record import index_names
from app.record.models import Club, Footballer, Game, GameState, StatLine

MODELS = (
    *(
        Member,
        Player,
        Club,
        Footballer,
        Season,
        Gameweek,
        TeamRules,
        SheetDeadline,
        TeamSheet,
        SheetPoints,
    ),
    *(FootballerSeason, FootballerTotals, FootballerWeek, League, LeagueMember, LeagueScore),
    *(Game, GameState, StatLine, ImportedLine, PlayerPoints),
    *(PlayerWeek, PreseasonProjection),
)
LOOKUPS: Mapping[str, tuple[str, str]] = {**statements.LOOKUPS, **footballers.LOOKUPS}
VALUES: Mapping[str, Any] = {
    "gamer": 77,
    "viewer": 78,
    "viewer_player": None,
    "week": 5,
    "now": "2026-10-01T00:00:00Z",
    "footballer": "f-77",
    "position": "P3",
    "league": "league-7",
    "limit": 26,
    "season": 1497,
    "competition": "k-7",
    "year": 1149,
    "season_type": "REG",
    "club": "c-77",
    "rules": "r",
    "named": ["r"],
    "left": "left",
    "offset": 0,
    "live": '{"gameweeks": [], "scores": []}',
}

# Tables have at most 30,000 rows, all of which ANALYZE reads, so that the plans are always the
# same.
_FILL = {
    "members": """(id, username, display_name, password_hash, country)
        SELECT n, 'm' || n, 'M', '', 'GH' FROM generate_series(1, 5000) n""",
    "players": (
        "(id, display_name, member_id) SELECT gen_random_uuid(), 'M', n FROM generate_series(1, "
        "5000) n"
    ),
    "clubs": (
        "(id, name, nickname, colour) SELECT 'c-' || n, 'C', '', '#000000' FROM generate_series(0, "
        "399) n"
    ),
    "footballers": """(id, name, club_id, position, number)
        SELECT 'f-' || n, 'F', 'c-' || n % 400, 'P' || n % 10, 9 FROM generate_series(1, 9000) n""",
    "seasons": """(id, competition, season, season_type, name, time_zone, rules, is_simulated)
        SELECT n, 'k-' || n % 10, 1000 + n / 10, 'REG', 'S', 'UTC', 'r', false
          FROM generate_series(1, 1500) n""",
    "gameweeks": """(id, season_id, competition, season, season_type, week, name, deadline)
        SELECT n, n / 18 + 1, 'k-' || (n / 18 + 1) % 10, 1000 + (n / 18 + 1) / 10, 'REG',
          n % 18 + 1, 'G', now()
        FROM generate_series(0, 1500 * 18 - 1) n""",
    "team_rules": """(id, season_id, format, lock, time_zone, budget, club_limit, bank_limit,
      transfer_cost)
        SELECT n, n, 'soccer-five', 'gameweek', 'UTC', 600, 3, 0, 0 FROM generate_series(1,
          1500) n""",
    "sheet_deadlines": """(team_rules_id, gameweek_id, locks_at)
        SELECT n / 18 + 1, n, now() FROM generate_series(0, 1500 * 18 - 1) n""",
    "leagues": """(id, season_id, team_rules_id, slug, name, invite_code, is_overall, rules,
      commissioner_id)
        SELECT n, n % 1500 + 1, n % 1500 + 1, 'league-' || n, 'L', 'code-' || n, n <= 1500, 'r', 1
        FROM generate_series(1, 3000) n""",
    "league_members": """(league_id, member_id, team_name, total_points)
        SELECT n % 15000 + 1, n / 6 + 1, 'T', n % 977 FROM generate_series(0, 29999) n""",
    "league_scores": """(league_id, member_id, gameweek_id, team_name, points)
        SELECT n / 10 % 60 + 1, n / 60 + 1, n % 10 * 2700 + 7, 'T', n FROM generate_series(0,
          29999) n""",
    "team_sheets": """(id, member_id, team_rules_id, gameweek_id, picks, captain, vice_captain,
      purchase_prices, bank,
          saved_at)
        SELECT n, n / 6 + 1, n % 1500 + 1, n % 1500 * 18 + 4, '{f-1,f-2,f-3,f-4,f-5,f-6,f-7}', 1, 2,
          '{1,1,1,1,1,1,1}', 0, now() FROM generate_series(0, 29999) n""",
    "sheet_points": """(team_sheet_id, rules, points, multipliers)
        SELECT n, 'r', n, '{2,1,1,1,1,0,0}' FROM generate_series(0, 29999) n""",
    "footballer_seasons": """(season_id, footballer_id, position, price, start_price, selected)
        SELECT n % 10 + 1491, 'f-' || n / 10 + 1, 'P' || (n / 10 + 1) % 10, n % 90 + 1, 1, n % 977
        FROM generate_series(0, 29999) n""",
    "footballer_weeks": """(footballer_id, gameweek_id, price, selected)
        SELECT 'f-' || n % 1000 + 1, 26400 + n / 1000, 50, 9 FROM generate_series(0, 29999) n""",
    "games": """(id, season, season_type, week, kickoff, home_id, away_id, competition)
        SELECT 'g-' || n, 1000 + (n / 100 + 1201) / 10, 'REG', n % 18 + 1, now(), 'c-' || n % 400,
          'c-' || (n + 200) % 400, 'k-' || (n / 100 + 1201) % 10
        FROM generate_series(0, 29999) n""",
    "game_states": """(game_id, status, home_score, away_score, state, version, updated_at)
        SELECT 'g-' || n, 'final', 7, 3, '{}', 1, now() FROM generate_series(0, 29999) n""",
    "stat_lines": """(game_id, player_id, team, stats)
        SELECT 'g-' || n, 'f-' || n % 9000 + 1, 'c-1', '{}' FROM generate_series(0, 29999) n""",
    "imported_lines": """(game_id, player_id, team, stats, imported_at)
        SELECT 'g-' || n, 'f-' || n % 9000 + 1, 'c-1', '{}', now() FROM generate_series(0,
          29999) n""",
    "player_points": """(game_id, player_id, rules, points)
        SELECT 'g-' || n, 'f-' || n % 9000 + 1, 'r', 500 FROM generate_series(0, 29999) n""",
    "footballer_totals": """(season_id, rules, footballer_id, position, total_points, gameweeks)
        SELECT n % 10 + 1491, 'r', 'f-' || n / 10 + 1, 'P' || (n / 10 + 1) % 10, n % 977, '{"1": 5}'
        FROM generate_series(0, 29999) n""",
    "player_weeks": """(competition, season, footballer_id, week, club_id, position, stats)
        SELECT 'k-1', 2000 + n % 10, 'f-' || n / 10 + 1, 1, 'c-1', 'P1', '{}'
        FROM generate_series(0, 29999) n""",
    "preseason_projections": """(season_id, rules, footballer_id, per_game, share, deviation)
        SELECT n % 10 + 1491, 'r', 'f-' || n / 10 + 1, n % 977, 900, 500
        FROM generate_series(0, 29999) n""",
}


@dataclass(frozen=True)
class Plan:
    """The plan of a query: its indexes by table, and EXPLAIN's lines without costs.

    A table that is read sequentially has `no index`.
    """

    indexes: Mapping[str, list[str]]
    lines: tuple[str, ...]


def plans() -> dict[str, Plan]:
    """Return the plans by lookup. The transaction is rolled back."""
    try:
        _fill()
        return {name: _plan(statement) for name, (_, statement) in LOOKUPS.items()}
    finally:
        db.session.rollback()


def _fill() -> None:
    tables = MetaData(schema="pg_temp")
    for model in MODELS:
        table = model.__table__.to_metadata(tables)
        db.session.execute(CreateTable(table, include_foreign_key_constraints=[]))
        # By name, because PostgreSQL prefers the older of two equal indexes.
        for index in sorted(table.indexes, key=lambda index: index.name):
            db.session.execute(CreateIndex(index))
        db.session.execute(text(f"INSERT INTO {table.name} {_FILL[table.name]}"))
        db.session.execute(text(f"ANALYZE {table.name}"))


def _plan(statement: str) -> Plan:
    values = {name: value for name, value in VALUES.items() if f":{name}" in statement}
    explained = db.session.scalar(text(f"EXPLAIN (FORMAT JSON) {statement}"), values)
    lines = db.session.scalars(text(f"EXPLAIN (COSTS OFF) {statement}"), values)
    return Plan(index_names(explained[0]["Plan"]), tuple(lines))


def document() -> str:
    """Return the text of docs/fantasy-queries.md: each lookup with statement, indexes and plan."""
    lines = [
        "# The five access patterns, and what pages of footballers ask",
        "",
        "Made by `pressbox query-plans`. Each call of the API is answered by one statement",
        "(`app/fantasy/api_queries/statements.py`); these are the ones where no season, league or "
        "filter is",
        "named. Those from `footballer-page` on are of pages "
        "(`app/fantasy/scoring/footballers.py`). The plans",
        "are those that PostgreSQL chooses on made-up seasons of up to 30,000 rows a table, "
        "analysed, with no",
        "planner setting changed.",
    ]
    plan_by_name = plans()
    for name, (promise, statement) in LOOKUPS.items():
        lines += ["", f"## {name}", "", promise, "", "| table | index |", "|---|---|"]
        lines += [
            f"| {table} | {', '.join(f'`{index}`' for index in indexes)} |"
            for table, indexes in plan_by_name[name].indexes.items()
        ]
        lines += [
            "",
            "```sql",
            statement.strip(),
            "```",
            "",
            "```",
            *plan_by_name[name].lines,
            "```",
        ]
    return "\n".join(lines) + "\n"
