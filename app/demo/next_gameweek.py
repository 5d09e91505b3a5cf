"""Keeps the demo going by the clock: the steps that are due, the next gameweeks, a new season.

Every game is played from its kickoff on, at the demo's speed. workers/demo_player.py asks this
module what is due and enters it; seed.py makes the first season.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from sqlalchemy import String, Table, and_, delete, func, select, text, update

from app.accounts.models import Member
from app.core import clock
from app.core.db import db, transaction
from app.demo.season import COMPETITION, LEAD, DemoTeam, demo_season, later_week
from app.demo.seed import DEMO_PREFIX, Play, seed_demo
from app.demo.seed_teams import pick_teams_for
from app.demo.seed_tournament import VISITOR, guess_for, poll_tournaments, remove_tournaments
from app.draft_leagues.drafts.models import DraftRow
from app.fantasy.market.models import Gameweek, Season, SheetDeadline, TeamRules
from app.fantasy.market.seasons import ensure_gameweek, gameweeks_of, set_deadlines
from app.fantasy.notices.models import Notice
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League
from app.fantasy.standings.schedules import plan_season
from app.record.models import Game, GameState, ScriptStep
from app.record.rules.state import Status
from app.record.services import store_script
from app.stream.models import DeadLetter, OutboxMessage

# After it the season and its leagues are removed and a new one begins, so that history does not
# grow forever.
LAST_WEEK = 17
# How long a season that is over stays, so that its champions are seen.
LOOK_BACK = timedelta(minutes=5)
# A game that has not begun so long after its kickoff was missed: nothing ran then.
MISSED = timedelta(minutes=2)

_DONE: tuple[Status, ...] = ("final", "forfeited", "cancelled", "postponed")
_ENTERED = select(func.count()).where(OutboxMessage.game_id == Game.id).scalar_subquery()
_HAS_BEGUN = select(OutboxMessage.id).where(OutboxMessage.game_id == Game.id).exists()
# The demo's games that are neither final nor called off.
_IS_AWAITED = and_(
    Game.competition == COMPETITION,
    Game.id.startswith(DEMO_PREFIX),
    ~select(GameState.game_id)
    .where(GameState.game_id == Game.id, GameState.status.in_(_DONE))
    .exists(),
)
_LAST_STEP_MS = (
    select(func.max(ScriptStep.at_ms))
    .where(ScriptStep.game_id == Game.id, ScriptStep.variant == "final")
    .scalar_subquery()
)


@dataclass(frozen=True)
class DueSteps:
    """A game that is behind the clock, and the last of its steps whose time has come."""

    game_id: str
    last_step: int


def due_steps(now: datetime, speed: float, left: Collection[str] = ()) -> list[DueSteps]:
    """Return the games under way that are behind the clock, by kickoff.

    Args:
        now: The present.
        speed: How many times faster than life games are played.
        left: Games that a scorer has taken over, which the demo plays no longer.
    """
    elapsed_ms = func.extract("epoch", now - Game.kickoff) * 1000 * speed
    last_step = (
        select(func.max(ScriptStep.step))
        .where(
            ScriptStep.game_id == Game.id,
            ScriptStep.variant == "final",
            ScriptStep.at_ms <= elapsed_ms,
        )
        .scalar_subquery()
    )
    games = db.session.execute(
        select(Game.id, last_step)
        .where(_IS_AWAITED, Game.kickoff <= now, last_step > _ENTERED, Game.id.not_in([*left]))
        .order_by(Game.kickoff, Game.id)
    )
    return [DueSteps(game_id, step) for game_id, step in games]


def make_ready(play: Play, speed: float) -> None:
    """Seed the demo, or move what was missed since it ran last. Commits."""
    if not seed_demo(play, speed=speed):
        postpone_missed(clock.now())


def go_on(now: datetime, play: Play, speed: float) -> None:
    """Do the next thing that keeps the season going, if there is one. Commits.

    Seeds a season that is not there, moves what was missed, adds the gameweeks up to LAST_WEEK one
    by one, lets the other members pick their teams, and begins a new season after the last one.
    """
    season = _season()
    if season is None or season.is_simulated:  # not seeded, or not completely
        seed_demo(play, speed=speed)
        return
    if postpone_missed(now):
        return
    gameweeks = gameweeks_of(season.id)
    if len(gameweeks) < LAST_WEEK:
        _add_gameweek(season, gameweeks[-1], now, speed)
        return
    following = _next_to_pick_for(gameweeks)
    if following is not None:
        _pick_and_guess(season, following, now)
    elif _is_over(gameweeks[-1], now, speed):
        number = season.season + 1
        remove_season(season)
        seed_demo(play, number, speed=speed)


def postpone_missed(now: datetime) -> bool:
    """Move the games whose kickoff was missed, and all later ones, by the same time. Commits.

    `pressbox up` did not run at their kickoff, or the machine slept. Games that have begun are
    played by the clock, and a gameweek that has locked keeps its deadline.

    Returns:
        Whether anything moved.
    """
    missed = db.session.scalar(
        select(func.min(Game.kickoff)).where(_IS_AWAITED, ~_HAS_BEGUN, Game.kickoff <= now - MISSED)
    )
    season = _season()
    if missed is None or season is None:
        return False
    delay = now + LEAD - missed
    with transaction():
        db.session.execute(
            update(Game)
            .where(_IS_AWAITED, ~_HAS_BEGUN, Game.kickoff >= missed)
            .values(kickoff=Game.kickoff + delay)
        )
        db.session.execute(
            update(Gameweek)
            .where(
                Gameweek.season_id == season.id,
                Gameweek.locked_at.is_(None),
                Gameweek.deadline >= missed,
            )
            .values(deadline=Gameweek.deadline + delay)
        )
        set_deadlines(season.id)
    poll_tournaments(season.season, now)
    return True


def _season() -> Season | None:
    """The demo's latest season."""
    return db.session.scalars(
        select(Season)
        .where(Season.competition == COMPETITION)
        .order_by(Season.season.desc())
        .limit(1)
    ).first()


def _add_gameweek(season: Season, last: Gameweek, now: datetime, speed: float) -> None:
    """Add the gameweek after the last one, which begins soon after it."""
    deadline = max(_end_of(last, speed), now) + LEAD
    week = later_week(season.season, last.week + 1, deadline, speed)
    for fixture in week.fixtures:
        store_script(fixture.script)
    ensure_gameweek(season, week.number, week.deadline)
    set_deadlines(season.id)
    plan_season(season.id)
    db.session.commit()


def _end_of(gameweek: Gameweek, speed: float) -> datetime:
    """When the last game of the gameweek is over by the clock."""
    games = db.session.execute(
        select(Game.kickoff, _LAST_STEP_MS).where(
            Game.competition == gameweek.competition,
            Game.season == gameweek.season,
            Game.season_type == gameweek.season_type,
            Game.week == gameweek.week,
        )
    )
    ends: list[datetime] = [
        kickoff + timedelta(milliseconds=last_ms) / speed for kickoff, last_ms in games
    ]
    return max(ends)


def _next_to_pick_for(gameweeks: Sequence[Gameweek]) -> Gameweek | None:
    """The gameweek that the other members pick teams for now; None if they have, or cannot yet.

    They do once the gameweek before it has locked.
    """
    for before, gameweek in pairwise(gameweeks):
        if gameweek.locked_at is None:
            is_turn = before.locked_at is not None and not _have_picked(gameweek)
            return gameweek if is_turn else None
    return None


def _have_picked(gameweek: Gameweek) -> bool:
    usernames = [team.account.username for team in _others()]
    saved = (
        select(TeamSheet.member_id)
        .join(Member, Member.id == TeamSheet.member_id)
        .join(TeamRules, TeamRules.id == TeamSheet.team_rules_id)
        .where(
            TeamSheet.gameweek_id == gameweek.id,
            TeamRules.is_own.is_(False),
            Member.username.in_(usernames),
        )
    )
    return db.session.scalar(saved.limit(1)) is not None


def _others() -> tuple[DemoTeam, ...]:
    """Everybody but the visitor, whose team is the visitor's to pick."""
    teams = demo_season(clock.now()).teams
    return tuple(team for team in teams if team.account.username != VISITOR)


def _pick_and_guess(season: Season, gameweek: Gameweek, now: datetime) -> None:
    """Let the other members guess the gameweek's games and pick teams for it. Commits."""
    others = _others()
    guess_for(season.season, gameweek.week, others, now)
    pick_teams_for(others, season, gameweek, now)


def _is_over(last: Gameweek, now: datetime, speed: float) -> bool:
    return last.settled_at is not None and now >= _end_of(last, speed) + LOOK_BACK


def remove_season(season: Season) -> None:
    """Delete the season with everything in it, and the notices of the demo's members. Commits."""
    games = select(Game.id).where(
        Game.competition == season.competition, Game.season == season.season
    )
    gameweeks = select(Gameweek.id).where(Gameweek.season_id == season.id)
    usernames = [team.account.username for team in demo_season(clock.now()).teams]
    members = select(Member.id).where(Member.username.in_(usernames))
    # A locked team sheet cannot be deleted: within this transaction all of them are open again.
    deadlines = update(SheetDeadline).where(SheetDeadline.gameweek_id.in_(gameweeks))
    db.session.execute(deadlines.values(locks_at=text("'infinity'")))
    db.session.execute(delete(Notice).where(Notice.member_id.in_(members)))
    remove_tournaments(season.season)
    db.session.execute(delete(DraftRow).where(DraftRow.season_id == season.id))
    db.session.execute(delete(League).where(League.season_id == season.id))
    db.session.execute(delete(TeamSheet).where(TeamSheet.gameweek_id.in_(gameweeks)))
    db.session.execute(delete(TeamRules).where(TeamRules.season_id == season.id))
    db.session.execute(delete(DeadLetter).where(DeadLetter.key.in_(games)))
    for table in _tables_of_games():
        db.session.execute(delete(table).where(table.c.game_id.in_(games)))
    db.session.execute(delete(Gameweek).where(Gameweek.season_id == season.id))
    db.session.execute(delete(Season).where(Season.id == season.id))
    db.session.execute(
        delete(Game).where(
            Game.competition == season.competition,
            Game.season == season.season,
            Game.id.startswith(DEMO_PREFIX),
        )
    )
    db.session.commit()


def _tables_of_games() -> list[Table]:
    """Return the tables with a game's id: the record, the outbox, points.

    The id of an integrator's game is not text.
    """
    return [
        table
        for table in reversed(db.metadata.sorted_tables)
        if "game_id" in table.c and isinstance(table.c.game_id.type, String)
    ]
