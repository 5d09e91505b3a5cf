"""Seasons, their gameweeks, and the team rules and deadlines that leagues share.

Only whoever calls commits.

Lives here: finding and making them. Not here: importing schedules (season_setup/), what happens
after a deadline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import case, func, select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, upsert
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.deadlines import locks_at
from app.fantasy.market.models import Gameweek, Season, SheetDeadline, TeamRules


def ensure_season(
    competition: str,
    season: int,
    season_type: str,
    *,
    name: str,
    time_zone: str,
    rules: str = "half_ppr_idp",
    is_simulated: bool = False,
) -> Season:
    """The season, made if it is not there; one that is there stays as it is."""
    db.session.execute(
        insert(Season)
        .values(
            competition=competition,
            season=season,
            season_type=season_type,
            name=name,
            time_zone=time_zone,
            rules=rules,
            is_simulated=is_simulated,
        )
        .on_conflict_do_nothing()
    )
    return db.session.scalars(
        select(Season).where(
            Season.competition == competition,
            Season.season == season,
            Season.season_type == season_type,
        )
    ).one()


def ensure_gameweek(season: Season, week: int, deadline: datetime, name: str = "") -> Gameweek:
    """The gameweek with this deadline; `set_deadlines` afterwards.

    One that was locked keeps its deadline.
    """
    statement = insert(Gameweek).values(
        season_id=season.id,
        competition=season.competition,
        season=season.season,
        season_type=season.season_type,
        week=week,
        name=name or f"Gameweek {week}",
        deadline=deadline,
    )
    db.session.execute(
        statement.on_conflict_do_update(
            constraint="uq_gameweeks_season_id",
            set_={"deadline": statement.excluded.deadline},
            where=Gameweek.locked_at.is_(None),
        )
    )
    return db.session.scalars(
        select(Gameweek).where(Gameweek.season_id == season.id, Gameweek.week == week),
        execution_options={"populate_existing": True},
    ).one()


def ensure_team_rules(season_id: int, choice: TeamRulesChoice) -> TeamRules:
    """Return the team rules of this choice, made with all their deadlines if they are new."""
    values = asdict(choice) | {"season_id": season_id}
    made = db.session.execute(
        insert(TeamRules).values(values).on_conflict_do_nothing().returning(TeamRules.id)
    )
    if made.scalar() is not None:
        set_deadlines(season_id)
    found = team_rules_of(season_id, choice)
    assert found is not None  # made just now, if not before
    return found


def team_rules_of(season_id: int, choice: TeamRulesChoice) -> TeamRules | None:
    """The team rules of exactly this choice; None: nobody has played by them yet."""
    values = asdict(choice) | {"season_id": season_id}
    return db.session.scalars(
        select(TeamRules).where(
            *(getattr(TeamRules, name).is_not_distinct_from(v) for name, v in values.items())
        )
    ).one_or_none()


def first_open_week(team_rules_id: int, now: datetime) -> int:
    """Return the first gameweek whose deadline under these team rules has not passed.

    After the last deadline it is the last gameweek, before there are gameweeks 1. Where footballers
    lock one by one, the deadline is the first kickoff.
    """
    locks = case((TeamRules.lock == "game", Gameweek.deadline), else_=SheetDeadline.locks_at)
    query = (
        select(
            func.coalesce(func.min(Gameweek.week).filter(locks > now), func.max(Gameweek.week), 1)
        )
        .select_from(SheetDeadline)
        .join(TeamRules, TeamRules.id == SheetDeadline.team_rules_id)
        .join(Gameweek, Gameweek.id == SheetDeadline.gameweek_id)
        .where(SheetDeadline.team_rules_id == team_rules_id)
    )
    return db.session.scalar(query) or 1


def set_deadlines(season_id: int) -> None:
    """Update the sheet deadlines of the season's team rules to its gameweeks and kickoffs.

    With lock 'game' a sheet is open until the last kickoff: footballers lock one by one, and a game
    that is moved moves it, until the gameweek is settled. Else gameweeks whose work after the
    deadline was done are left alone.
    """
    rules = db.session.scalars(select(TeamRules).where(TeamRules.season_id == season_id)).all()
    gameweeks = db.session.execute(
        select(Gameweek.id, Gameweek.deadline, _LAST_KICKOFF, Gameweek.locked_at.is_(None)).where(
            Gameweek.season_id == season_id, Gameweek.settled_at.is_(None)
        )
    ).all()
    rows = [
        {
            "team_rules_id": one.id,
            "gameweek_id": gameweek,
            "locks_at": (last or deadline)
            if one.lock == "game"
            else locks_at(one.deadline, one.time_zone, deadline),
        }
        for one in rules
        for gameweek, deadline, last, is_open in gameweeks
        if is_open or one.lock == "game"
    ]
    upsert(SheetDeadline, ("team_rules_id", "gameweek_id"), rows)


_LAST_KICKOFF = (
    select(func.max(text("g.kickoff")))
    .select_from(text("games g"))
    .where(
        text(
            "(g.competition, g.season, g.season_type, g.week)"
            " = (gameweeks.competition, gameweeks.season, gameweeks.season_type, gameweeks.week)"
        )
    )
    .scalar_subquery()
)


def first_kickoff(gameweek: Gameweek, *, without: str = "") -> datetime | None:
    """Of the gameweek's games, leaving one out; None without any."""
    first: datetime | None = db.session.scalar(
        _FIRST_KICKOFF, {"gameweek": gameweek.id, "without": without}
    )
    return first


_FIRST_KICKOFF = text("""
    SELECT min(g.kickoff) FROM games g JOIN gameweeks w USING (competition, season, season_type,
      week)
    WHERE w.id = :gameweek AND g.id <> :without
""")


def gameweeks_of(season_id: int) -> Sequence[Gameweek]:
    """In order of week."""
    return db.session.scalars(
        select(Gameweek).where(Gameweek.season_id == season_id).order_by(Gameweek.week)
    ).all()


def begun(season_id: int, now: datetime, first_week: int = 1) -> Sequence[Gameweek]:
    """Those from this one on whose deadline has passed, in order of week."""
    query = select(Gameweek).where(
        Gameweek.season_id == season_id, Gameweek.deadline <= now, Gameweek.week >= first_week
    )
    return db.session.scalars(query.order_by(Gameweek.week)).all()


def current_gameweek(season_id: int, now: datetime) -> Gameweek | None:
    """The one that is played now or was played last.

    The latest whose deadline has passed, else the first.
    """
    gameweeks = gameweeks_of(season_id)
    passed = [gameweek for gameweek in gameweeks if gameweek.deadline <= now]
    return passed[-1] if passed else next(iter(gameweeks), None)
