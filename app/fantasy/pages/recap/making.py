"""Makes the recaps of finished weeks in a job, and loads them for pages.

A recap takes seconds, so no request makes one. It is stored with the version of the results that
it tells of; after a correction the version is another one, and the recap is made again. Hidden
members see themselves in it, and nobody else does: theirs are kept in Redis for a day.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import msgspec
import redis
import structlog
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts import sanctions
from app.accounts.models import Member
from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.core.restore_epoch import key_of
from app.core.viewer import current_user
from app.fantasy.jobs import MAKE_RECAP
from app.fantasy.market.gameweeks import GameweekRow, gameweek_row
from app.fantasy.market.models import Gameweek
from app.fantasy.pages.recap import queries as recaps
from app.fantasy.pages.recap.page import RecapPage, named
from app.fantasy.recaps.models import LeagueRecap
from app.fantasy.standings import queries as standings
from app.fantasy.standings.models import League, LeagueVersion
from app.fantasy.standings.queries import LeagueRow
from app.record import queries as record

log = structlog.get_logger(__name__)

JOB_SECONDS = 300
HIDDEN_KEPT_SECONDS = 24 * 3600
PAUSE_SECONDS = 300  # after a failure, because a page that waits asks every few seconds
_FORM = 1  # of what is stored: a new one has every recap made again


def load(league: LeagueRow, gameweek: GameweekRow) -> RecapPage | None:
    """Load the recap of a finished gameweek; None until it is made, which is then asked for."""
    names = _names(league.id)
    stored = db.session.get(LeagueRecap, (league.id, gameweek.id), populate_existing=True)
    if stored is None or stored.version != _version(league, gameweek, names):
        ask(league.id, gameweek.id)
        return None
    return named(msgspec.convert(stored.page, RecapPage, str_keys=True), names)


def load_for(league: LeagueRow, gameweek: GameweekRow) -> RecapPage | None:
    """As `load`, for whoever makes the request: a hidden member sees themselves in it."""
    if not (current_user.is_authenticated and current_user.is_shadowed):
        return load(league, gameweek)
    names = _names(league.id)
    try:
        packed = jobs_redis().get(_hidden_key(league.id, gameweek.id, current_user.id))
    except redis.RedisError as error:
        log.warning("recap_not_read", reason=type(error).__name__)
        return None
    if isinstance(packed, bytes):
        stored = msgspec.msgpack.decode(packed, type=_HiddenRecap)
        if stored.version == _version(league, gameweek, names):
            return named(stored.page, names)
    ask(league.id, gameweek.id, current_user.id)
    return None


def is_too_large(league: LeagueRow) -> bool:
    """Whether the league has too many teams for recaps."""
    return len(standings.members_seen(league.id)) > recaps.MOST_TEAMS


def ask(league_id: int, gameweek_id: int, *hidden_id: int) -> None:
    """Send the job that makes a recap, unless it waits already or has just failed.

    Call it after the commit. With `hidden_id` it is the one of this hidden member.
    """
    try:
        if jobs_redis().exists(_pause_key(league_id, gameweek_id)):
            return
        recap = (league_id, gameweek_id, *hidden_id)
        key = ":".join(map(str, recap))
        jobs.send_coalesced(MAKE_RECAP, key, *recap, timeout=JOB_SECONDS)
    except redis.RedisError as error:  # the next reader asks again
        log.warning("recap_not_asked_for", reason=type(error).__name__)


def pause(league_id: int, gameweek_id: int) -> None:
    """Send no job for the recap for PAUSE_SECONDS, because one has failed."""
    with suppress(redis.RedisError):
        jobs_redis().set(_pause_key(league_id, gameweek_id), 1, ex=PAUSE_SECONDS)


def make(league_id: int, gameweek_id: int, now: datetime) -> bool:
    """Make and store a recap, unless it is there already. Commits.

    Returns:
        Whether it was made. There is none of a week that does not count or is not settled, and of
        a league without teams or with too many.
    """
    names = _names(league_id)
    source = _source_of(league_id, gameweek_id, names, min(names, default=0))
    if source is None:
        return False
    stored = db.session.get(LeagueRecap, (league_id, gameweek_id), populate_existing=True)
    if stored is not None and stored.version == source.version:
        return False
    page = msgspec.to_builtins(
        recaps.recap_of(source.league, source.gameweek, source.viewer), str_keys=True
    )
    values = {"version": source.version, "page": page, "made_at": now}
    adding = insert(LeagueRecap).values(league_id=league_id, gameweek_id=gameweek_id, **values)
    db.session.execute(
        adding.on_conflict_do_update(index_elements=["league_id", "gameweek_id"], set_=values)
    )
    db.session.commit()
    return True


def make_for_hidden(league_id: int, gameweek_id: int, member_id: int) -> None:
    """Make the recap as a hidden member sees it, and keep it for a day. As `make`, else."""
    with sanctions.shown_to_themselves(db.session.get_one(Member, member_id)):
        source = _source_of(league_id, gameweek_id, _names(league_id), member_id)
        if source is not None:
            page = recaps.recap_of(source.league, source.gameweek, member_id)
            packed = msgspec.msgpack.encode(_HiddenRecap(source.version, page))
            key = _hidden_key(league_id, gameweek_id, member_id)
            jobs_redis().set(key, packed, ex=HIDDEN_KEPT_SECONDS)


class _HiddenRecap(msgspec.Struct):
    version: str
    page: RecapPage


@dataclass(frozen=True)
class _RecapSource:
    league: LeagueRow
    gameweek: GameweekRow
    viewer: int
    version: str  # read before what it stands for


def _source_of(
    league_id: int, gameweek_id: int, names: dict[int, str], viewer: int
) -> _RecapSource | None:
    """What a recap is made of; None if there is to be none."""
    gameweek = db.session.get(Gameweek, gameweek_id, populate_existing=True)
    slug = db.session.scalar(select(League.slug).where(League.id == league_id))
    if not 1 <= len(names) <= recaps.MOST_TEAMS or gameweek is None or gameweek.settled_at is None:
        return None
    row = gameweek_row(gameweek)
    league = standings.league_for_viewer(str(slug), viewer)
    if league is None or row.week < league.first_week:
        return None
    return _RecapSource(league, row, viewer, _version(league, row, names))


def _hidden_key(league_id: int, gameweek_id: int, member_id: int) -> str:
    return key_of(f"pressbox:recap-of-hidden:{league_id}:{gameweek_id}:{member_id}")


def _pause_key(league_id: int, gameweek_id: int) -> str:
    return key_of(f"pressbox:recap-pause:{league_id}:{gameweek_id}")


def _names(league_id: int) -> dict[int, str]:
    return {member_id: team for member_id, _, team in standings.members_seen(league_id)}


def _version(league: LeagueRow, gameweek: GameweekRow, members: dict[int, str]) -> str:
    """A hash of everything that the recap depends on: results up to this week, plays, and teams."""
    results = db.session.scalar(
        select(func.coalesce(func.sum(LeagueVersion.version), 0))
        .join(Gameweek, Gameweek.id == LeagueVersion.gameweek_id)
        .where(LeagueVersion.league_id == league.id, Gameweek.week <= gameweek.week)
    )
    games = record.gameweek_version(
        gameweek.competition, gameweek.season, gameweek.season_type, gameweek.week
    )
    parts = [_FORM, league.rules, league.first_week, int(results or 0), games, sorted(members)]
    return hashlib.sha256(msgspec.msgpack.encode(parts)).hexdigest()
