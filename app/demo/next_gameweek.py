"""Keeps the demo going: the games to play now, the next gameweek, and a new season after the last.

workers/demo_player.py asks this module and plays the games; seed.py makes the first season.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import String, Table, delete, func, select, text, update

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.demo.season import COMPETITION, demo_season, later_week
from app.demo.seed import DEMO_PREFIX, Play, seed_demo
from app.demo.seed_teams import pick_teams_for
from app.demo.seed_tournament import guess_for, remove_tournaments
from app.draft_leagues.drafts.models import DraftRow
from app.fantasy.market.models import Gameweek, Season, SheetDeadline, TeamRules
from app.fantasy.market.seasons import ensure_gameweek, set_deadlines
from app.fantasy.notices.models import Notice
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League
from app.record.models import Game, ScriptStep
from app.record.services import store_script
from app.stream.models import DeadLetter, OutboxMessage

# After it the season and its leagues are removed and a new one begins, so that history does not
# grow forever.
LAST_WEEK = 17
LEAD = timedelta(minutes=1)  # from the end of a gameweek to the next deadline
WEEK = timedelta(weeks=1)

_STEPS = (
    select(func.max(ScriptStep.step))
    .where(ScriptStep.game_id == Game.id, ScriptStep.variant == "final")
    .scalar_subquery()
)
_ENTERED = select(func.count()).where(OutboxMessage.game_id == Game.id).scalar_subquery()


def games_to_play(now: datetime, left: Collection[str] = ()) -> list[str]:
    """Return the ids of the demo games to play now.

    Args:
        now: The present.
        left: Games that a scorer has taken over, which the demo plays no longer.

    Returns:
        All games whose kickoff has come, otherwise the next one of a locked gameweek. An empty list
        if the gameweek is over.
    """
    unfinished = db.session.execute(
        select(Game.id, Game.kickoff)
        .join(
            Gameweek,
            (Gameweek.competition == Game.competition)
            & (Gameweek.season == Game.season)
            & (Gameweek.season_type == Game.season_type)
            & (Gameweek.week == Game.week),
        )
        .where(
            Game.competition == COMPETITION,
            Gameweek.deadline <= now,
            _ENTERED < _STEPS,
            Game.id.not_in(list(left)),
        )
        .order_by(Game.kickoff, Game.id)
    ).all()
    begun = [game_id for game_id, kickoff in unfinished if kickoff <= now]
    return begun or [game_id for game_id, _ in unfinished[:1]]


def go_on(now: datetime, play: Play) -> None:
    """Go on after the last game of a gameweek. Commits.

    Brings the next deadline near, or begins a new season after the last week. A repetition before
    that deadline changes nothing.
    """
    season = db.session.scalars(
        select(Season)
        .where(Season.competition == COMPETITION)
        .order_by(Season.season.desc())
        .limit(1)
    ).first()
    if season is None or season.is_simulated:  # not seeded, or not completely
        seed_demo(play)
        return
    waiting = db.session.scalars(
        select(Gameweek)
        .where(Gameweek.season_id == season.id, Gameweek.deadline > now)
        .order_by(Gameweek.week)
    ).all()
    if waiting and waiting[0].deadline <= now + LEAD:
        return
    if not waiting or waiting[0].week > LAST_WEEK:
        number = season.season + 1
        remove_season(season)
        seed_demo(play, number)
        return
    _begin(season, waiting[0], now + LEAD)


def _begin(season: Season, gameweek: Gameweek, deadline: datetime) -> None:
    """Begin the gameweek: first kickoffs at `deadline`, the other members' teams, one week more."""
    number = gameweek.week
    teams = demo_season(deadline, season.season).teams
    pick_teams_for(teams, season, gameweek, deadline - LEAD)
    for week in (
        later_week(season.season, number + 1, deadline + WEEK),
        later_week(season.season, number, deadline),
    ):
        for fixture in week.fixtures:
            store_script(fixture.script)
        ensure_gameweek(season, week.number, week.deadline)
    set_deadlines(season.id)
    db.session.commit()
    guess_for(season.season, number, teams, deadline - LEAD)


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
