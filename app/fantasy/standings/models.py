"""Tables of leagues: their members and standings.

Truth: League, LeagueMember, Matchup. Derived: LeagueScore, LeagueVersion, and `total_points` and
`standing` of LeagueMember. A commissioner's acts are in leagues/models.py.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import BigId, CreatedAt, db
from app.fantasy.standings.ranking import MODES, TIES

Model: Any = db.Model

SALARY_CAP, DRAFT = GAMES = ("salary_cap", "draft")


class League(Model):
    """A league of a season.

    `rules`: the name of its scoring rules, a preset (scoring/rules.py) or custom ones.
    `is_overall`: everybody with a team sheet of the season's own team rules is in it. `first_week`:
    the gameweek from which the league counts; it has no scores or matchups of earlier ones. `game`:
    `salary_cap`, in which everybody may have everybody, or `draft`, with exclusive rosters.
    `continues_id`: the league of the season before that it continues.
    """

    __tablename__ = "leagues"

    id: Mapped[BigId]
    season_id: Mapped[int] = mapped_column(ForeignKey("seasons.id"))
    team_rules_id: Mapped[int] = mapped_column(ForeignKey("team_rules.id"))
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    invite_code: Mapped[str] = mapped_column(unique=True)
    is_public: Mapped[bool] = mapped_column(server_default="false")
    is_overall: Mapped[bool] = mapped_column(server_default="false")
    rules: Mapped[str]
    game: Mapped[str] = mapped_column(server_default=SALARY_CAP)
    mode: Mapped[str] = mapped_column(server_default="total")
    ties: Mapped[str] = mapped_column(server_default="shared")
    first_week: Mapped[int] = mapped_column(server_default="1")
    commissioner_id: Mapped[int | None] = mapped_column(ForeignKey("members.id"))
    continues_id: Mapped[int | None] = mapped_column(
        ForeignKey("leagues.id", ondelete="SET NULL"), unique=True
    )
    created_at: Mapped[CreatedAt]

    __table_args__ = (
        CheckConstraint(f"game in {GAMES}", name="game"),
        CheckConstraint(f"mode in {MODES}", name="mode"),
        CheckConstraint(f"ties in {TIES}", name="ties"),
        CheckConstraint("ties <> 'result_between' OR mode = 'head_to_head'", name="result_between"),
        CheckConstraint("first_week > 0", name="first_week"),
        CheckConstraint("is_overall OR commissioner_id IS NOT NULL", name="commissioner"),
        Index("uq_leagues_overall", "season_id", unique=True, postgresql_where=text("is_overall")),
        Index("ix_leagues_commissioner_id", "commissioner_id"),
        Index("ix_leagues_season_id", "season_id", "is_public"),
        Index("ix_leagues_team_rules_id", "team_rules_id", "rules"),
    )


class LeagueMember(Model):
    """A member's team in a league.

    `total_points`: of the settled gameweeks, in thousandths. `standing`: what the league ranks by
    after them, the most important first, more is better (ranking.py); equal ones share a rank.
    `is_co_commissioner`: may do what the commissioner may; only in draft leagues. `lost_office_at`:
    when an heir became commissioner in the member's place because they were kept out; they get the
    league back.
    """

    __tablename__ = "league_members"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    team_name: Mapped[str]
    joined_at: Mapped[CreatedAt]
    total_points: Mapped[int] = mapped_column(BigInteger, server_default="0")
    standing: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default="{0}")
    is_co_commissioner: Mapped[bool] = mapped_column(server_default="false")
    lost_office_at: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_league_members_member_id", "member_id"),
        Index("ix_league_members_total", "league_id", text("total_points DESC"), "member_id"),
        Index("ix_league_members_standing", "league_id", text("standing DESC"), "member_id"),
    )


class LeagueScore(Model):
    """A member's settled gameweek in a league.

    It stays when the member leaves, under the team's name of that time, because it is the league's
    history. Of a gameweek under way only members who leave have a score; the others' are worked out
    when they are shown (live_scores.py).

    `points`: the sheet's, less the cost of transfers, with adjustments, in thousandths.
    `match_points`: of the head-to-head game, 3, 1 or 0. `total`: of all gameweeks up to this one;
    `rank`: after it; all three are None until the gameweek is settled.
    """

    __tablename__ = "league_scores"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    member_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    gameweek_id: Mapped[int] = mapped_column(ForeignKey("gameweeks.id"), primary_key=True)
    team_name: Mapped[str]
    points: Mapped[int]
    held: Mapped[int] = mapped_column(server_default="0")
    transfers: Mapped[int] = mapped_column(server_default="0")
    match_points: Mapped[int | None]
    total: Mapped[int | None] = mapped_column(BigInteger)
    rank: Mapped[int | None]

    __table_args__ = (Index("ix_league_scores_gameweek_id", "league_id", "gameweek_id"),)


class Matchup(Model):
    """A head-to-head game of a gameweek. `away_id`: None against the average of the league."""

    __tablename__ = "matchups"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    gameweek_id: Mapped[int] = mapped_column(ForeignKey("gameweeks.id"), primary_key=True)
    home_id: Mapped[int] = mapped_column(
        ForeignKey("members.id", ondelete="CASCADE"), primary_key=True
    )
    away_id: Mapped[int | None] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"))


class LeagueVersion(Model):
    """The version of a league's table of a gameweek; fragments use it as their ETag.

    `game_statuses`: the statuses of the gameweek's games at that version, by the games' ids.
    """

    __tablename__ = "league_versions"

    league_id: Mapped[int] = mapped_column(
        ForeignKey("leagues.id", ondelete="CASCADE"), primary_key=True
    )
    gameweek_id: Mapped[int] = mapped_column(ForeignKey("gameweeks.id"), primary_key=True)
    version: Mapped[int]
    game_statuses: Mapped[str]
    updated_at: Mapped[datetime]
