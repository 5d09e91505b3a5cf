"""Notifies owners of corrections while a gameweek is under way.

The owners of few teams are notified by the refresh, in one transaction, and each gets one notice of
all new corrections. What corrections did to more teams is worked out for some owners at a time. The
refresh begins with it, and a job goes on, so that no refresh waits. These are notified one by one,
in the order of the record. A run that is killed is continued by the next one: the key of a notice
has the correction in it, and a correction is marked as notified after its last owner. What a
correction is worth is in correction_notices.py.

If a whole game was cancelled or postponed, the refresh itself notifies everything that waits,
because only it knows the points before.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select, text

from app.boards.layouts.parts import chunks
from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.core.restore_epoch import key_of
from app.fantasy.gameweeks import correction_notices, refreshing
from app.fantasy.gameweeks.correction_notices import Correction
from app.fantasy.gameweeks.models import LiveGameweek
from app.fantasy.jobs import NOTIFY_CORRECTIONS
from app.fantasy.market.models import Gameweek
from app.fantasy.notices.services import notify
from app.fantasy.standings.live_scores import scores_around
from app.fantasy.standings.models import League
from app.record.rules.state import NOT_AWAITED

Score = tuple[int, int]  # league id, member id

SLICE = 1_000  # owners in one transaction
TURN_SECONDS = 10.0  # then other jobs of the queue have their turn
REFRESH_SECONDS = 1.0  # of a refresh; then a job goes on
JOB_SECONDS = 300
REACHED_SECONDS = 24 * 3600

# Former members have no team any more.
_OWNERS = text("""
    SELECT s.member_id, array_agg(l.id) AS leagues
    FROM team_sheets s JOIN leagues l ON l.team_rules_id = s.team_rules_id
    JOIN league_members m ON (m.league_id, m.member_id) = (l.id, s.member_id)
    WHERE s.gameweek_id = :gameweek AND s.picks && CAST(:players AS text[])
    GROUP BY s.member_id ORDER BY s.member_id
""")

# Those without a statistic that would be open if these corrections had not been.
_FIRST_PLAYED = text("""
    WITH week AS (
      SELECT g.id, g.home_id, g.away_id, coalesce(s.status, 'scheduled') = ANY(:done) AS is_over
      FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
      LEFT JOIN game_states s ON s.game_id = g.id WHERE w.id = :gameweek
    ), corrections AS (
      SELECT * FROM unnest(CAST(:games AS text[]), CAST(:numbers AS int[])) AS c (game_id, number)
    )
    SELECT f.id, bool_and(week.is_over)
    FROM footballers f JOIN week ON f.club_id IN (week.home_id, week.away_id)
    WHERE f.id = ANY(:players) AND NOT EXISTS (
      SELECT FROM week w JOIN ledger l ON l.game_id = w.id AND l.player_id = f.id
      WHERE (l.game_id, l.revision) NOT IN (SELECT * FROM corrections)
        AND (l.closed_at IS NULL OR (l.game_id, l.closed_by) IN (SELECT * FROM corrections)))
    GROUP BY f.id
""")


class _Owner(NamedTuple):
    """A member in a league, with what a notice says.

    `points`: those of the gameweek, in thousandths. `points_before`: those before some corrections.
    """

    league_id: int
    member_id: int
    slug: str
    name: str
    rules: str
    picks: Sequence[str]
    multipliers: Sequence[int]
    points: int
    points_before: int


def ask() -> None:
    """Send the job that notifies owners. At most one waits, and it starts after this call.

    Raises:
        redis.RedisError: Redis cannot be reached.
    """
    jobs.send_coalesced(NOTIFY_CORRECTIONS, "live", timeout=JOB_SECONDS)


def points_before_games(
    gameweek: Gameweek, corrections: Sequence[Correction]
) -> dict[Score, int] | None:
    """What owners have, in thousandths, before it is noted what footballers count now.

    None unless a whole game was cancelled or postponed. Nothing before the gameweek is first
    counted.
    """
    if not any(correction.of_game for correction in corrections):
        return None
    owners = _all_owners(gameweek, corrections)
    return {(owner.league_id, owner.member_id): owner.points for owner in owners}


def notify_with_games(
    gameweek: Gameweek,
    corrections: Sequence[Correction],
    points_before: Mapping[Score, int],
    now: datetime,
) -> None:
    """Notify the owners whose points have changed since. Only the caller commits."""
    owners = [
        owner._replace(points_before=points_before.get(owner[:2], owner.points_before))
        for owner in _all_owners(gameweek, corrections)
    ]
    _notify(gameweek, corrections, owners, now)
    correction_notices.mark_notified(corrections)


def notify_all(now: datetime, seconds: float = TURN_SECONDS) -> bool:
    """Notify the owners in every gameweek under way. Commits.

    A correction of a game that changed since its last refresh waits for the next one, because
    points of owners are those of the last refresh.

    Returns:
        False if the time was up before all were notified.
    """
    ends = time.monotonic() + seconds
    gameweeks = select(Gameweek).join(LiveGameweek, LiveGameweek.gameweek_id == Gameweek.id)
    for gameweek in db.session.scalars(gameweeks.order_by(Gameweek.id)).all():
        waiting = correction_notices.waiting(gameweek)
        behind = {game.game_id for game in refreshing.seen(gameweek.id) if game.is_behind}
        corrections = [
            correction
            for correction in waiting
            if not correction.of_game and correction.game_id not in behind
        ]
        members = _members(gameweek, corrections) if corrections else ()
        if len(members) <= SLICE:
            _notify(gameweek, corrections, _owners(gameweek, members, corrections), now)
            correction_notices.mark_notified(corrections)
            db.session.commit()
        elif not all(_notify_owners(gameweek, cause, now, ends) for cause in corrections):
            return False
    return True


def _notify(
    gameweek: Gameweek, corrections: Sequence[Correction], owners: Sequence[_Owner], now: datetime
) -> None:
    """Notify those of these owners whom these corrections together gave other points."""
    new_notices = [
        correction_notices.notice_of(gameweek, owner, owner.points_before, corrections)
        for owner in owners
        if owner.points != owner.points_before
    ]
    notify(new_notices, now)


def _notify_owners(gameweek: Gameweek, correction: Correction, now: datetime, ends: float) -> bool:
    """Notify the owners of one correction, and mark it as notified after the last one.

    Returns:
        False if the time was up before.
    """
    # The last member who was notified.
    reached = key_of(
        f"pressbox:correction-owners:{gameweek.id}:{correction.game_id}:{correction.event_number}"
    )
    last = int(jobs_redis().get(reached) or 0)
    owners = [owner for owner in _members(gameweek, [correction]) if owner.member_id > last]
    for slice_ in chunks(owners, SLICE):
        _notify(gameweek, [correction], _owners(gameweek, slice_, [correction]), now)
        db.session.commit()
        jobs_redis().set(reached, slice_[-1].member_id, ex=REACHED_SECONDS)
        if time.monotonic() > ends:
            return False
    correction_notices.mark_notified([correction])
    db.session.commit()
    jobs_redis().delete(reached)
    return True


def _all_owners(gameweek: Gameweek, corrections: Sequence[Correction]) -> list[_Owner]:
    members = chunks(_members(gameweek, corrections), SLICE)
    return [owner for slice_ in members for owner in _owners(gameweek, slice_, corrections)]


def _members(gameweek: Gameweek, corrections: Sequence[Correction]) -> Sequence[Any]:
    """Members who own a footballer whose points these corrections change, with their leagues."""
    players = correction_notices.footballers(corrections)
    return db.session.execute(_OWNERS, {"gameweek": gameweek.id, "players": players}).all()


def _owners(
    gameweek: Gameweek, members: Collection[Any], corrections: Sequence[Correction]
) -> list[_Owner]:
    """These members in each of their leagues, as footballers count now.

    `corrections`: those without which they had their points before.
    """
    worth: dict[str, Counter[str]] = defaultdict(Counter)
    for correction in corrections:
        for rules, of_players in correction.worth.items():
            worth[rules].update(of_players)
    ids = {league_id for member in members for league_id in member.leagues}
    leagues = {
        league.id: league for league in db.session.scalars(select(League).where(League.id.in_(ids)))
    }
    values = {
        "gameweek": gameweek.id,
        "games": [correction.game_id for correction in corrections],
        "numbers": [correction.event_number for correction in corrections],
        "players": sorted({player for of_players in worth.values() for player in of_players}),
        "done": list(NOT_AWAITED),
    }
    scores = scores_around(
        ids,
        worth,
        dict(db.session.execute(_FIRST_PLAYED, values).all()),
        gameweek_id=gameweek.id,
        members=[member.member_id for member in members],
    )
    return [
        _Owner(
            score.league_id,
            score.member_id,
            leagues[score.league_id].slug,
            leagues[score.league_id].name,
            leagues[score.league_id].rules,
            score.picks,
            score.multipliers,
            score.points,
            points_before,
        )
        for points_before, score in scores
    ]
