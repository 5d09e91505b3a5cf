"""What members read about the data of a season: whose they are, how old, and when the next come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from flask import render_template
from markupsafe import Markup
from sqlalchemy import exists, func, select

from app.core import clock
from app.core.db import db
from app.feeds.models import Feed
from app.feeds.presets import PRESETS, Preset
from app.feeds.timing import AWAITED, EASTERN
from app.record.models import Game, GameState
from app.record.published_files import PLAY_BY_PLAY, SCHEDULE
from app.record.rules.state import NOT_AWAITED

AHEAD = timedelta(days=6)  # beyond that a weekday alone would be ambiguous
THURSDAY = 3  # the league's corrections of a week are in by then (date.weekday)


@dataclass(frozen=True)
class Freshness:
    """What members read.

    Attributes:
        plays_at: When the newest plays were fetched; None if there are none yet.
        games_at: The same of games and kickoffs.
        coming: When the next plays come, in a sentence; empty if no games are near.
    """

    preset: Preset
    plays_at: datetime | None
    games_at: datetime | None
    coming: str


def coming_words(rhythm: str, kickoffs: Sequence[datetime], now: datetime) -> str:
    """Say when the plays of the last day of games come, or of the next one if none has begun.

    Empty if no games are near.

    Args:
        rhythm: The publisher's (presets.Preset).
        kickoffs: Of the games without a final score that are still to be played or entered.
        now: The present time.
    """
    near = sorted(at for at in kickoffs if now - AHEAD < at < now + AHEAD)
    if not near:
        return ""
    begun = [at for at in near if at <= now]
    kickoff = begun[-1] if begun else near[0]
    day = kickoff.astimezone(EASTERN).date()
    if kickoff + AWAITED < now:
        return (
            f"{day:%A}'s play-by-play ({day:%b} {day.day}) is late. It will appear once the "
            "publisher has it."
        )
    return rhythm.format(day=f"{day:%A}", next_day=f"{day + timedelta(days=1):%A}", end=_end(day))


def _end(day: date) -> str:
    """When corrections of games of this day end: the next Thursday.

    >>> _end(date(2026, 9, 13)), _end(date(2026, 9, 10))
    ('Thursday', 'Thursday of the next week')
    """
    return "Thursday of the next week" if day.weekday() == THURSDAY else "Thursday"


def freshness(competition: str, season: int, now: datetime) -> Freshness | None:
    """Return what members read about a season; None if no feed follows it."""
    rows = db.session.execute(
        select(Feed.kind, Feed.preset, Feed.state, Feed.fetched_at).where(
            Feed.competition == competition, Feed.season == season
        )
    ).all()
    feeds = {row.kind: row for row in rows if row.preset in PRESETS}
    if not feeds:
        return None
    plays, games = feeds.get(PLAY_BY_PLAY.name), feeds.get(SCHEDULE.name)
    preset = PRESETS[next(iter(feeds.values())).preset]
    coming = ""
    if plays is not None and plays.state == "on":
        coming = coming_words(preset.rhythm, _awaited_kickoffs(competition, season), now)
    elif plays is not None and plays.state == "paused":
        coming = "New plays are not being fetched right now."
    return Freshness(
        preset,
        plays.fetched_at if plays is not None else None,
        games.fetched_at if games is not None else None,
        coming,
    )


def _awaited_kickoffs(competition: str, season: int) -> Sequence[datetime]:
    return db.session.scalars(
        select(Game.kickoff)
        .outerjoin(GameState, GameState.game_id == Game.id)
        .where(
            Game.competition == competition,
            Game.season == season,
            func.coalesce(GameState.status, "scheduled").not_in(NOT_AWAITED),
        )
    ).all()


def data_source(competition: str = "", season: int = 0) -> Markup:
    """Return the line about the data of a season, for templates; empty if no feed follows it.

    Without a season it is about the newest one that is followed and has games. A page that is
    cached needs the tag `feeds`; that the words change with the time shows when its entry ends.
    """
    if not season:
        has_games = exists().where(Game.competition == Feed.competition, Game.season == Feed.season)
        newest = db.session.execute(
            select(Feed.competition, Feed.season)
            .order_by(has_games.desc(), Feed.season.desc(), Feed.id)
            .limit(1)
        ).one_or_none()
        if newest is None:
            return Markup()
        competition, season = newest
    line = freshness(competition, season, clock.now())
    return Markup(render_template("feeds/_source.html", line=line) if line else "")  # noqa: S704 (our template)
