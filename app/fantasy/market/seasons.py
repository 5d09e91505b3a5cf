"""Finds and makes seasons, their gameweeks, and the team rules and deadlines that leagues share.

Only the caller commits. season_setup/ imports schedules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import case, delete, func, select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, upsert
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.deadlines import locks_at
from app.fantasy.market.models import Gameweek, Season, SheetDeadline, TeamRules


@dataclass(frozen=True)
class NewSeason:
    """A season to be made; see models.Season."""

    competition: str
    season: int
    season_type: str
    name: str
    time_zone: str
    rules: str = "half_ppr_idp"
    is_simulated: bool = False


def ensure_season(new: NewSeason) -> Season:
    """Return the season, which is made if there is none; an existing one stays as it is."""
    db.session.execute(insert(Season).values(asdict(new)).on_conflict_do_nothing())
    return db.session.scalars(
        select(Season).where(
            Season.competition == new.competition,
            Season.season == new.season,
            Season.season_type == new.season_type,
        )
    ).one()


def ensure_gameweek(season: Season, week: int, deadline: datetime, name: str = "") -> Gameweek:
    """Return the gameweek, made or changed to this deadline; call `set_deadlines` afterwards.

    A gameweek that was locked keeps its deadline.
    """
    statement = insert(Gameweek).values(
        season_id=season.id,
        competition=season.competition,
        season=season.season,
        season_type=season.season_type,
        week=week,
        name=name or f"Week {week}",
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
    inserted = db.session.execute(
        insert(TeamRules).values(values).on_conflict_do_nothing().returning(TeamRules.id)
    )
    is_new = inserted.scalar() is not None
    team_rules = team_rules_of(season_id, choice)
    assert team_rules is not None  # because of the insert
    if is_new:
        _write_deadlines(season_id, [team_rules])
    return team_rules


def add_own_team_rules(season_id: int, choice: TeamRulesChoice) -> TeamRules:
    """Write team rules that belong to one league alone, with all their deadlines."""
    team_rules = TeamRules(**asdict(choice), season_id=season_id, is_own=True)
    db.session.add(team_rules)
    db.session.flush()
    _write_deadlines(season_id, [team_rules])
    return team_rules


def team_rules_of(season_id: int, choice: TeamRulesChoice) -> TeamRules | None:
    """The team rules of exactly this choice; None if nobody has played by them yet."""
    values = asdict(choice) | {"season_id": season_id}
    return db.session.scalars(
        select(TeamRules).where(
            TeamRules.is_own.is_(False),
            *(getattr(TeamRules, name).is_not_distinct_from(v) for name, v in values.items()),
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


def has_deadline(team_rules_id: int, gameweek_id: int) -> bool:
    """Whether the gameweek exists for these team rules."""
    return db.session.get(SheetDeadline, (team_rules_id, gameweek_id)) is not None


def begin_with(team_rules_id: int, first_week: int) -> None:
    """Forget the sheet deadlines before the first gameweek of team rules that are a league's own.

    A gameweek before it does not exist for these rules, so no reader asks for the first week.
    """
    team_rules = db.session.get_one(TeamRules, team_rules_id)
    earlier = select(Gameweek.id).where(
        Gameweek.season_id == team_rules.season_id, Gameweek.week < first_week
    )
    db.session.flush()
    _write_deadlines(team_rules.season_id, [team_rules])
    db.session.execute(
        delete(SheetDeadline).where(
            SheetDeadline.team_rules_id == team_rules_id, SheetDeadline.gameweek_id.in_(earlier)
        )
    )


def set_deadlines(season_id: int) -> None:
    """Update the sheet deadlines of the season's team rules to its gameweeks and kickoffs.

    With lock 'game' footballers lock one by one, so a sheet is open until the last kickoff. That
    follows games that are moved, until the gameweek is settled. With any other lock, gameweeks
    whose work after the deadline was done do not change.
    """
    rules = db.session.scalars(select(TeamRules).where(TeamRules.season_id == season_id)).all()
    _write_deadlines(season_id, rules)


def _write_deadlines(season_id: int, rules: Sequence[TeamRules]) -> None:
    """Write the deadlines of these team rules of the season, as `set_deadlines` describes."""
    gameweeks = db.session.execute(
        select(
            Gameweek.id,
            Gameweek.week,
            Gameweek.deadline,
            _LAST_KICKOFF,
            Gameweek.locked_at.is_(None),
        ).where(Gameweek.season_id == season_id, Gameweek.settled_at.is_(None))
    ).all()
    own_ids = [team_rules.id for team_rules in rules if team_rules.is_own]
    first_weeks = {
        row.team_rules_id: row.first_week for row in db.session.execute(_FIRST, {"own": own_ids})
    }
    rows = [
        {
            "team_rules_id": team_rules.id,
            "gameweek_id": gameweek,
            "locks_at": (last or deadline)
            if team_rules.lock == "game"
            else locks_at(team_rules.deadline, team_rules.time_zone, deadline),
        }
        for team_rules in rules
        for gameweek, week, deadline, last, is_open in gameweeks
        if (is_open or team_rules.lock == "game") and week >= first_weeks.get(team_rules.id, 1)
    ]
    upsert(SheetDeadline, ("team_rules_id", "gameweek_id"), rows)


_FIRST = text("""
    SELECT team_rules_id, min(first_week) AS first_week FROM leagues
    WHERE team_rules_id = ANY(:own) GROUP BY team_rules_id
""")

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
    """The first kickoff of the gameweek, `without` one game; None if there is no game."""
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
    """The gameweeks of the season, in order."""
    return db.session.scalars(
        select(Gameweek).where(Gameweek.season_id == season_id).order_by(Gameweek.week)
    ).all()


def begun(season_id: int, now: datetime, first_week: int = 1) -> Sequence[Gameweek]:
    """The gameweeks from `first_week` on whose deadline has passed, in order."""
    query = select(Gameweek).where(
        Gameweek.season_id == season_id, Gameweek.deadline <= now, Gameweek.week >= first_week
    )
    return db.session.scalars(query.order_by(Gameweek.week)).all()


def current_gameweek(season_id: int, now: datetime) -> Gameweek | None:
    """The latest gameweek whose deadline has passed, else the first."""
    gameweeks = gameweeks_of(season_id)
    passed = [gameweek for gameweek in gameweeks if gameweek.deadline <= now]
    return passed[-1] if passed else next(iter(gameweeks), None)
