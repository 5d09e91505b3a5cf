"""Tables of seasons, their gameweeks and team rules, and of the players on a season's market.

Truth: Season, Gameweek, TeamRules, FootballerSeason, PlayerNote, InjuryReport, FootballerWeek.
Derived: status and news of FootballerSeason (from roster, injury report and note, by fitness.py),
SheetDeadline (from deadlines and kickoffs), FootballerTotals (from points) and FootballerStatistics
(from stat lines), both by scoring/season_totals.py.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, db
from app.fantasy.market.choice import LOCKS, POSTPONED_GAMES
from app.fantasy.market.statuses import STATUSES

Model: Any = db.Model


class Season(Model):
    """A season of a competition ('nfl', 'premier-league', ...).

    A simulated season has its own clock, so rows of it may have any time.

    `rules`: the scoring rules unless a league has its own.
    """

    __tablename__ = "seasons"

    id: Mapped[BigId]
    competition: Mapped[str]
    season: Mapped[int]
    season_type: Mapped[str]
    name: Mapped[str]
    time_zone: Mapped[str]
    rules: Mapped[str]
    is_simulated: Mapped[bool] = mapped_column(server_default="false")

    __table_args__ = (
        UniqueConstraint("competition", "season", "season_type", name="uq_seasons_season"),
        CheckConstraint("season_type in ('PRE', 'REG', 'POST')", name="season_type"),
    )


class Gameweek(Model):
    """The games of one week of a season that count together.

    Attributes:
        deadline: When team sheets lock unless the team rules say otherwise; before the first
            kickoff.
        locked_at: When the work after the deadline was done (sheets carried over, prices,
            pairings).
        settled_at: When the results were first final.
    """

    __tablename__ = "gameweeks"

    id: Mapped[BigId]
    season_id: Mapped[int] = mapped_column(ForeignKey("seasons.id"))
    competition: Mapped[str]
    season: Mapped[int]
    season_type: Mapped[str]
    week: Mapped[int]
    name: Mapped[str]
    deadline: Mapped[datetime]
    locked_at: Mapped[datetime | None]
    settled_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("competition", "season", "season_type", "week", name="uq_gameweeks_week"),
        UniqueConstraint("season_id", "week", name="uq_gameweeks_season_id"),
    )


class TeamRules(Model):
    """The rules of team sheets. Leagues with equal team rules share their members' sheets.

    Only those of a draft league are its own (`is_own`), because its rosters are.

    Attributes:
        format: The name of a roster format (formats.py).
        lock: `gameweek` if sheets lock as a whole, `game` if each footballer locks at the kickoff
            of their game.
        deadline: The last time like `THU 18:00` in `time_zone` before the gameweek's own deadline;
            None for that deadline itself.
        budget: In tenths of a million.
        free_transfers: Free transfers per gameweek; None for no limit.
        bank_limit: How many free transfers may be saved up.
        transfer_cost: Thousandths of a point for each further transfer.
        postponed_games: Whether a game that was moved out of its gameweek counts where it is
            `played`, or `never`.
    """

    __tablename__ = "team_rules"

    id: Mapped[BigId]
    season_id: Mapped[int] = mapped_column(ForeignKey("seasons.id"))
    format: Mapped[str]
    lock: Mapped[str]
    time_zone: Mapped[str]
    deadline: Mapped[str | None]
    budget: Mapped[int]
    club_limit: Mapped[int]
    free_transfers: Mapped[int | None]
    bank_limit: Mapped[int]
    transfer_cost: Mapped[int]
    postponed_games: Mapped[str] = mapped_column(server_default="played")
    is_own: Mapped[bool] = mapped_column(server_default="false")

    __table_args__ = (
        # No deadline equals no deadline, as with NULLS NOT DISTINCT, which PostgreSQL 14 lacks.
        Index(
            "uq_team_rules_all",
            "season_id",
            "format",
            "lock",
            "time_zone",
            text("coalesce(deadline, '')"),
            "budget",
            "club_limit",
            text("coalesce(free_transfers, -1)"),
            "bank_limit",
            "transfer_cost",
            "postponed_games",
            unique=True,
            postgresql_where=text("NOT is_own"),
        ),
        CheckConstraint(f"lock in {LOCKS}", name="lock"),
        CheckConstraint(f"postponed_games in {POSTPONED_GAMES}", name="postponed_games"),
        CheckConstraint(
            "budget > 0 AND club_limit > 0 AND bank_limit >= 0 AND transfer_cost >= 0",
            name="amounts",
        ),
        CheckConstraint("free_transfers >= 0", name="free_transfers"),
    )


class SheetDeadline(Model):
    """When sheets of these rules lock for the gameweek; with lock 'game' at the last kickoff."""

    __tablename__ = "sheet_deadlines"

    team_rules_id: Mapped[int] = mapped_column(
        ForeignKey("team_rules.id", ondelete="CASCADE"), primary_key=True
    )
    gameweek_id: Mapped[int] = mapped_column(
        ForeignKey("gameweeks.id", ondelete="CASCADE"), primary_key=True
    )
    locks_at: Mapped[datetime]


class FootballerSeason(Model):
    """A footballer on a season's market.

    `price` and `start_price` are in tenths of a million, `selected` in thousandths of the season's
    team sheets. `status` and `news` say whether the footballer is fit to play. `roster_status` and
    `roster_news` are what the roster says about it.
    """

    __tablename__ = "footballer_seasons"

    season_id: Mapped[int] = mapped_column(
        ForeignKey("seasons.id", ondelete="CASCADE"), primary_key=True
    )
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    position: Mapped[str]
    price: Mapped[int]
    start_price: Mapped[int]
    selected: Mapped[int] = mapped_column(server_default="0")
    status: Mapped[str] = mapped_column(server_default="available")
    news: Mapped[str] = mapped_column(server_default="")
    roster_status: Mapped[str] = mapped_column(server_default="available")
    roster_news: Mapped[str] = mapped_column(server_default="")

    __table_args__ = (
        Index(
            "ix_footballer_seasons_price",
            "season_id",
            "position",
            text("price DESC"),
            "footballer_id",
        ),
        Index(
            "ix_footballer_seasons_selected",
            "season_id",
            "position",
            text("selected DESC"),
            "footballer_id",
        ),
        CheckConstraint(f"status in {STATUSES}", name="status"),
        CheckConstraint(f"roster_status in {STATUSES}", name="roster_status"),
        CheckConstraint("price > 0 AND start_price > 0", name="price"),
    )


class PlayerNote(Model):
    """News about a player, written by a moderator.

    The newest note is also the status and news on the market, until a roster says something new.

    Attributes:
        source_url: The page where the news was read.
        status: The player's status from this note on.
        status_before: The roster's status when the note was written, which returns if the note is
            erased.
        news_before: The roster's news, likewise.
    """

    __tablename__ = "player_notes"

    id: Mapped[BigId]
    season_id: Mapped[int] = mapped_column(BigInteger)
    footballer_id: Mapped[str]
    text: Mapped[str]
    source_url: Mapped[str | None]
    status: Mapped[str]
    status_before: Mapped[str]
    news_before: Mapped[str]
    written_by: Mapped[int] = mapped_column(ForeignKey("members.id"))
    written_at: Mapped[datetime]

    __table_args__ = (
        ForeignKeyConstraint(
            ["season_id", "footballer_id"],
            ["footballer_seasons.season_id", "footballer_seasons.footballer_id"],
            name="fk_player_notes_footballer_seasons",
            ondelete="CASCADE",
        ),
        Index("ix_player_notes_footballer_id", "footballer_id", "season_id"),
        CheckConstraint(f"status in {STATUSES}", name="status"),
        CheckConstraint("length(text) BETWEEN 1 AND 500", name="text"),
        CheckConstraint("source_url LIKE 'http%'", name="source_url"),
    )


class InjuryReport(Model):
    """A row of the league's official injury report: a footballer in a week of a season.

    The report of the season's play-offs belongs to the season too, as weeks after its last.

    Attributes:
        club_id: The club that reported it.
        report_status: Out, Doubtful, Questionable or Note, in the report's words; None: none given.
        injury: What keeps them from playing, as reported; empty for nothing.
        practice_status: How they practiced, in the report's words; empty if they had none.
        practice_injury: What limits them in practice; empty for nothing.
        reported_at: When the row was changed last; None: not said.
    """

    __tablename__ = "injury_reports"

    season_id: Mapped[int] = mapped_column(
        ForeignKey("seasons.id", ondelete="CASCADE"), primary_key=True
    )
    week: Mapped[int] = mapped_column(primary_key=True)
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"))
    report_status: Mapped[str | None]
    injury: Mapped[str]
    practice_status: Mapped[str]
    practice_injury: Mapped[str]
    reported_at: Mapped[datetime | None]

    __table_args__ = (CheckConstraint("week > 0", name="week"),)


class FootballerWeek(Model):
    """A footballer's price and selection after a gameweek's deadline.

    It is recorded once, when the gameweek locks, for everybody on the season's market.
    """

    __tablename__ = "footballer_weeks"

    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    gameweek_id: Mapped[int] = mapped_column(
        ForeignKey("gameweeks.id", ondelete="CASCADE"), primary_key=True
    )
    price: Mapped[int]
    selected: Mapped[int]


class FootballerTotals(Model):
    """A footballer's points of a season under some scoring rules, in thousandths.

    `gameweeks`: points by week, of weeks with a stat line. `form`: the mean of the last
    FORM_GAMEWEEKS.
    """

    __tablename__ = "footballer_totals"

    season_id: Mapped[int] = mapped_column(
        ForeignKey("seasons.id", ondelete="CASCADE"), primary_key=True
    )
    rules: Mapped[str] = mapped_column(primary_key=True)
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    position: Mapped[str]
    total_points: Mapped[int] = mapped_column(BigInteger)
    form: Mapped[int] = mapped_column(server_default="0")
    gameweeks: Mapped[dict[str, Any]]

    __table_args__ = (
        Index(
            "ix_footballer_totals_points",
            "season_id",
            "rules",
            "position",
            text("total_points DESC"),
            "footballer_id",
        ),
    )


class FootballerStatistics(Model):
    """What a footballer did in a season: the sums of their stat lines.

    `games`: how many games have a stat line. `stats`: by the names in record/rules/statistics.py.
    """

    __tablename__ = "footballer_statistics"

    season_id: Mapped[int] = mapped_column(
        ForeignKey("seasons.id", ondelete="CASCADE"), primary_key=True
    )
    footballer_id: Mapped[str] = mapped_column(ForeignKey("footballers.id"), primary_key=True)
    games: Mapped[int]
    stats: Mapped[dict[str, Any]]
