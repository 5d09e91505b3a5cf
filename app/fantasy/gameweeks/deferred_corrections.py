"""Notifies owners of corrections while a deferred gameweek is played (decision 54).

A job works out what each owner's team had and has, some owners at a time; refreshes do not wait for
it. Corrections are notified one by one, in the order of the record. A run that is killed is
continued by the next one: the key of a notice has the correction in it, and a correction is marked
as notified after its last owner. What a correction is worth is in correction_notices.py.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select, text

from app.boards.layouts.parts import chunks
from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.core.restore_epoch import key_of
from app.fantasy.engine import footballers
from app.fantasy.engine.ownership import Ownership
from app.fantasy.gameweeks import correction_notices
from app.fantasy.gameweeks.correction_notices import Correction
from app.fantasy.gameweeks.models import DeferredGameweek
from app.fantasy.jobs import NOTIFY_CORRECTIONS
from app.fantasy.market.models import Gameweek
from app.fantasy.notices.services import notify

SLICE = 1_000  # team sheets in one transaction
TURN_SECONDS = 10.0  # then other jobs of the queue have their turn
JOB_SECONDS = 300
REACHED_SECONDS = 24 * 3600

_OWNERS = text("""
    SELECT id, team_rules_id FROM team_sheets
    WHERE gameweek_id = :gameweek AND picks && CAST(:players AS text[]) ORDER BY team_rules_id, id
""")
_SHEETS = text("""
    SELECT member_id, picks, captain, vice_captain, transfer_cost FROM team_sheets
    WHERE id = ANY(CAST(:sheets AS bigint[])) ORDER BY id
""")
_LEAGUES = text("""
    SELECT l.id AS league_id, l.slug, l.name, l.rules, m.member_id, (
        SELECT coalesce(sum(a.points), 0) FROM score_adjustments a
        WHERE (a.league_id, a.member_id, a.gameweek_id) = (l.id, m.member_id, w.id)) AS adjusted
    FROM gameweeks w JOIN leagues l ON l.season_id = w.season_id AND l.first_week <= w.week
    JOIN league_members m ON m.league_id = l.id
    WHERE w.id = :gameweek AND l.team_rules_id = :team_rules
      AND m.member_id = ANY(CAST(:members AS bigint[]))
    ORDER BY l.id, m.member_id
""")


class _Owner(NamedTuple):
    """A member in a league, with what a notice says. `points`: of the gameweek, in thousandths."""

    league_id: int
    member_id: int
    slug: str
    name: str
    rules: str
    picks: Sequence[str]
    multipliers: Sequence[int]
    points: int


def ask() -> None:
    """Send the job that notifies owners. At most one waits, and it starts after this call.

    Raises:
        redis.RedisError: Redis cannot be reached.
    """
    jobs.send_coalesced(NOTIFY_CORRECTIONS, "deferred", timeout=JOB_SECONDS)


def notify_all(now: datetime, seconds: float = TURN_SECONDS) -> bool:
    """Notify the owners in every deferred gameweek. Commits.

    Returns:
        False if the time was up before all were notified.
    """
    ends = time.monotonic() + seconds
    gameweeks = select(Gameweek).join(DeferredGameweek, DeferredGameweek.gameweek_id == Gameweek.id)
    for gameweek in db.session.scalars(gameweeks.order_by(Gameweek.id)).all():
        for correction in correction_notices.waiting(gameweek):
            # The refresh notifies what became of a whole game, because it knows the points before.
            if not correction.of_game and not _notify_owners(gameweek, correction, now, ends):
                return False
    return True


def _notify_owners(gameweek: Gameweek, correction: Correction, now: datetime, ends: float) -> bool:
    """Notify the owners of one correction, and mark it as notified after the last one.

    Returns:
        False if the time was up before.
    """
    reached = key_of(
        f"pressbox:correction-notices:{gameweek.id}:{correction.game_id}:{correction.event_number}"
    )
    # The number of slices that were notified; a locked gameweek has the same slices in each run.
    begin: Any = jobs_redis().get(reached)
    players = correction_notices.footballers([correction])
    owners = db.session.execute(_OWNERS, {"gameweek": gameweek.id, "players": players}).all()
    by_team_rules: dict[int, list[int]] = defaultdict(list)
    for sheet, team_rules in owners:
        by_team_rules[team_rules].append(sheet)
    slices = [
        (team_rules, part)
        for team_rules, sheets in by_team_rules.items()
        for part in chunks(sheets, SLICE)
    ]
    for number, (team_rules, sheets) in enumerate(slices[int(begin or 0) :], start=int(begin or 0)):
        _notify_slice(gameweek, correction, team_rules, sheets, now)
        db.session.commit()
        jobs_redis().set(reached, number + 1, ex=REACHED_SECONDS)
        if time.monotonic() > ends:
            return False
    correction_notices.mark_notified(correction)
    db.session.commit()
    jobs_redis().delete(reached)
    return True


def _notify_slice(
    gameweek: Gameweek,
    correction: Correction,
    team_rules: int,
    sheets: Sequence[int],
    now: datetime,
) -> None:
    of_member = {row.member_id: row for row in db.session.execute(_SHEETS, {"sheets": sheets})}
    values = {"gameweek": gameweek.id, "team_rules": team_rules, "members": list(of_member)}
    new_notices = []
    leagues = db.session.execute(_LEAGUES, values).all()
    points = {
        rules: _points(gameweek, team_rules, rules, of_member)
        for rules in {row.rules for row in leagues}
    }
    for row in leagues:
        sheet = of_member[row.member_id]
        sheet_points, multipliers = points[row.rules][row.member_id]
        total = sheet_points - sheet.transfer_cost + int(row.adjusted)
        owner = _Owner(
            row.league_id,
            row.member_id,
            row.slug,
            row.name,
            row.rules,
            sheet.picks,
            multipliers,
            total,
        )
        if delta := correction_notices.delta_of(correction, owner):
            new_notices.append(correction_notices.notice_of(gameweek, owner, delta, [correction]))
    notify(new_notices, now)


def _points(
    gameweek: Gameweek, team_rules: int, rules: str, sheets: Mapping[int, Any]
) -> dict[int, tuple[int, list[int]]]:
    """Points and multipliers of these sheets as footballers count now, by member."""
    terms = footballers.terms_of(gameweek.id, team_rules, rules)
    totals = footballers.totals_now(Ownership.of(terms.format, list(sheets.values())), terms)
    rows = zip(totals.points.tolist(), totals.multipliers.tolist(), strict=True)
    return dict(zip(sheets, rows, strict=True))
