"""The shape of an exported league, which export.py writes and importing.py reads. Pure."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.rosters.rules import BudgetMove, Franchise, Kind, Move, PickMove, Spot

FORMAT = "pressbox-league"
VERSION = 1


def time_text(moment: datetime | None) -> str | None:
    """A time as the document has it, in UTC."""
    return None if moment is None else moment.astimezone(UTC).isoformat()


class _Season(msgspec.Struct):
    competition: str
    season: int
    season_type: str
    name: str
    time_zone: str
    rules: str


class _Week(msgspec.Struct):
    week: int
    name: str
    deadline: datetime
    locked_at: datetime | None
    settled_at: datetime | None


class _League(msgspec.Struct):
    name: str
    slug: str
    is_public: bool
    is_overall: bool
    rules: str
    mode: str
    ties: str
    commissioner: str | None
    created_at: datetime
    first_week: int = 1


class _Deadline(msgspec.Struct):
    week: int
    locks_at: datetime


class _Scoring(msgspec.Struct):
    name: str
    title: str
    milli_points: dict[str, int]


class _Person(msgspec.Struct):
    username: str
    display_name: str
    country: str | None
    team_name: str | None
    joined_at: datetime | None
    total_points: int | None
    standing: list[int] | None
    is_banned: bool


class _Score(msgspec.Struct):
    week: int
    member: str
    team_name: str
    points: int
    held_points: int = msgspec.field(name="held")
    transfers: int
    match_points: int | None
    total: int | None
    rank: int | None


class _Match(msgspec.Struct):
    week: int
    home: str
    away: str | None


class _Adjustment(msgspec.Struct):
    week: int
    member: str
    points: int
    reason: str
    by: str
    created_at: datetime


class _Change(msgspec.Struct):
    old_rules: str
    new_rules: str
    reason: str
    by: str
    created_at: datetime


class _Sheet(msgspec.Struct):
    week: int
    member: str
    picks: list[str]
    captain: int
    vice_captain: int
    purchase_prices: list[int] = msgspec.field(name="paid")
    bank: int
    free_transfers: int | None
    transfers: int
    transfer_cost: int
    version: int = msgspec.field(name="edition")
    is_carried: bool
    saved_at: datetime
    points: int | None
    held_points: int | None = msgspec.field(name="held")
    multipliers: list[int] | None = msgspec.field(name="times")


class _Footballer(msgspec.Struct):
    id: str
    name: str
    position: str
    club: str | None


class _Franchise(msgspec.Struct):
    number: Franchise
    member: str | None
    name: str
    division: int
    waiver_priority: int
    is_locked: bool
    budget: int | None


class _RosterSpot(msgspec.Struct):
    franchise: Franchise
    footballer: str
    spot: Spot
    since: datetime
    transaction: int


class ExportedTransaction(msgspec.Struct):
    """An entry of a draft league's log. `by`: who made it; None for a rule."""

    number: int
    kind: Kind
    made_at: datetime
    by: str | None
    reason: str
    depends_on: int | None
    moves: list[Move]
    budgets: list[BudgetMove]
    picks: list[PickMove]


class Document(msgspec.Struct):
    """An exported league as a whole."""

    format: str
    version: int
    season: _Season
    gameweeks: list[_Week]
    league: _League
    team_rules: TeamRulesChoice
    deadlines: list[_Deadline]
    scoring: list[_Scoring]
    people: list[_Person]
    scores: list[_Score]
    matchups: list[_Match]
    adjustments: list[_Adjustment]
    rule_changes: list[_Change]
    sheets: list[_Sheet]
    footballers: list[_Footballer]
    # Of draft leagues; documents of older versions have none.
    franchises: list[_Franchise] = []
    rosters: list[_RosterSpot] = []
    transactions: list[ExportedTransaction] = []
