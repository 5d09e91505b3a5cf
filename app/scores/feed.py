"""The change feed: what integrators' boards hold from now on, and their rewards, in an order that skips nothing.

Order: by the writers' transactions, then by id. Only transactions below the oldest one still open are given, so one
that commits late comes late and is never passed by. A player's changes on a board carry a rising `sequence`: of two,
the greater is the newer. A token is a place in that order. Not here: HTTP (app/api), sending (webhooks.py).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text

from app.boards.order import order_of
from app.core.db import db
from app.core.errors import UserError
from app.scores.feed_models import FeedFloor

KEPT = timedelta(days=7)
PAGE = 500  # changes of one look
MOST = 5_000  # changes of one stream: then the reader comes again with the last token
LONGEST_SECONDS = 30  # of one stream
KEEP_ALIVE_SECONDS = 5
LOOK_SECONDS = 0.25
TRIMMED = 10_000  # changes of one transaction
SCORE_CHANGED, SCORE_REMOVED = "score.changed", "score.removed"
REWARD_GRANTED, REWARD_WITHDRAWN = "reward.granted", "reward.withdrawn"
MODE_DELETED, GAME_DELETED = "mode.deleted", "game.deleted"
EVENTS = (SCORE_CHANGED, SCORE_REMOVED, REWARD_GRANTED, REWARD_WITHDRAWN, MODE_DELETED, GAME_DELETED)


class BadToken(UserError):
    """`since` is no token of this feed."""


class TooOld(UserError):
    """Changes after `since` are no longer kept."""


@dataclass(frozen=True, order=True)
class Token:
    """A place in the feed: all changes up to (transaction, change) were given."""

    transaction: int
    change: int

    def __str__(self) -> str:
        return f"{self.transaction:x}-{self.change:x}"

    @classmethod
    def parse(cls, value: str) -> Token:
        """Raises BadToken."""
        if not re.fullmatch(r"[0-9a-f]{1,15}-[0-9a-f]{1,15}", value):
            raise BadToken(f"since={value[:40]!r} is no token: send one that the feed gave, or none to begin anew.")
        transaction, change = value.split("-")
        return cls(int(transaction, 16), int(change, 16))


START = Token(0, 0)


@dataclass(frozen=True)
class Change:
    """`score` in the mode's smallest unit; None: the player left the board. `subscore` in modes that have one. `told`:
    the event that is about no board, with its `reward`; its window is the competition's."""

    token: Token
    sequence: int
    game: str
    mode: str
    window: str
    player_id: str | None
    score: int | None
    changed_at: datetime
    told: str | None = None
    reward: Mapping[str, Any] | None = None
    subscore: int | None = None

    @property
    def event(self) -> str:
        return self.told or (SCORE_REMOVED if self.score is None else SCORE_CHANGED)

    def body(self) -> dict[str, Any]:
        """As integrators get it, from the feed and by webhook."""
        return {
            "event": self.event,
            "sequence": self.sequence,
            "game": self.game,
            "mode": self.mode,
            "window": self.window,
            "player_id": self.player_id,
            "raw_score": self.score,
            "subscore": self.subscore,
            "changed_at": self.changed_at.isoformat(),
            **({} if self.reward is None else {"reward": dict(self.reward)}),
        }


@dataclass(frozen=True)
class Page:
    """After `since`. `token`: go on from here, also when there are no changes. `more`: there are, already now."""

    changes: Sequence[Change]
    token: Token
    more: bool
    since: Token


_HORIZON = text("SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint")
_READ = text("""
    SELECT c.transaction, c.id, g.slug AS game, m.slug AS mode, b.window_id, c.player_id, c.score AS key, c.changed_at,
      c.event, c.details, m."order", m.subscore
    FROM board_changes c
    LEFT JOIN boards b ON b.id = c.board_id
    LEFT JOIN score_modes m ON m.id = b.mode_id
    LEFT JOIN score_games g ON g.id = m.game_id
    WHERE c.integrator_id = :integrator AND (c.transaction, c.id) > (:transaction, :change)
      AND c.transaction < :horizon
    ORDER BY c.transaction, c.id
    LIMIT :limit
""")


def read(integrator_id: int, since: Token | None, limit: int | None = None) -> Page:
    """The integrator's changes after `since` (None: from the oldest that is kept). Raises BadToken, TooOld.

    The horizon is read first: whatever is below it was committed or given up before the changes are read.
    """
    limit = limit or PAGE
    horizon = db.session.scalars(_HORIZON).one()
    floor = _floor(integrator_id)
    if since is None:
        since = floor
    if since.transaction >= horizon:
        raise BadToken("since is not of this feed: send none to begin anew with what is kept.")
    if since < floor:
        raise TooOld(
            f"since is older than the {KEPT.days} days that changes are kept: read the boards anew, then the feed "
            "without since."
        )
    values = {"transaction": since.transaction, "change": since.change, "horizon": horizon, "limit": limit + 1}
    rows = db.session.execute(_READ, {"integrator": integrator_id, **values}).all()
    changes = [_change(row) for row in rows[:limit]]
    more = len(rows) > limit
    # All below the horizon was given: an idle reader's token stays young.
    token = changes[-1].token if more else Token(horizon - 1, 2**59)
    return Page(changes, max(token, since), more, since)


_READ_MANY = text("""
    SELECT c.integrator_id, c.transaction, c.id, g.slug AS game, m.slug AS mode, b.window_id, c.player_id,
      c.score AS key, c.changed_at, c.event, c.details, m."order", m.subscore
    FROM board_changes c
    LEFT JOIN boards b ON b.id = c.board_id
    LEFT JOIN score_modes m ON m.id = b.mode_id
    LEFT JOIN score_games g ON g.id = m.game_id
    WHERE c.integrator_id = ANY(:integrators) AND (c.transaction, c.id) > (:transaction, :change)
      AND c.transaction < :horizon
    ORDER BY c.transaction, c.id
    LIMIT :limit
""")


def read_of_many(integrators: Collection[int], since: Token) -> tuple[dict[int, list[Change]], Token]:
    """The changes of these integrators after `since` by integrator, MOST of them together at most, each in the feed's
    order; and up to where that is all there is. `since` must be a place that is kept: the newest ones always are."""
    horizon = db.session.scalars(_HORIZON).one()
    values = {"transaction": since.transaction, "change": since.change, "horizon": horizon, "limit": MOST + 1}
    rows = db.session.execute(_READ_MANY, {"integrators": sorted(integrators), **values}).all()
    found: dict[int, list[Change]] = {}
    for row in rows[:MOST]:
        found.setdefault(row.integrator_id, []).append(_change(row))
    last = rows[MOST - 1] if len(rows) > MOST else None
    token = Token(last.transaction, last.id) if last else Token(horizon - 1, 2**59)
    return found, max(token, since)


def _change(row: Any) -> Change:
    token = Token(row.transaction, row.id)
    player = str(row.player_id) if row.player_id else None
    if row.details is not None:
        about = row.details
        names = (about["game"], about["mode"], about["window"])
        return Change(token, row.id, *names, player, None, row.changed_at, row.event, about.get("reward"))
    score = subscore = None
    if row.key is not None:
        order = order_of(row.order, row.subscore)
        score, subscore = order.score_of(row.key), order.subscore_of(row.key)
    held = (player, score, row.changed_at)
    return Change(token, row.id, row.game, row.mode, row.window_id, *held, subscore=subscore)


_TELL = text("""
    INSERT INTO board_changes (integrator_id, player_id, event, details)
    SELECT :integrator, p.player_id, p.event, p.details
    FROM unnest(CAST(:players AS uuid[]), CAST(:events AS text[]), CAST(:details AS jsonb[]))
      WITH ORDINALITY AS p (player_id, event, details, number)
    ORDER BY p.number
""")


@dataclass(frozen=True)
class Told:
    """What is told that is about no board. `window`: the competition's; `reward`: as integrators get it. Without a
    player and a reward: a game or a mode is gone, with names that are empty where there is none."""

    event: str
    player_id: UUID | None
    game: str
    mode: str
    window: str
    reward: Mapping[str, Any] | None = None


def tell(integrator_id: int, told: Sequence[Told]) -> None:
    """Puts it into the feed, in that order, with the caller's transaction: it is told if that is committed, and never
    twice."""
    details = [
        json.dumps(
            {"game": one.game, "mode": one.mode, "window": one.window}
            | ({} if one.reward is None else {"reward": dict(one.reward)})
        )
        for one in told
    ]
    values = {"players": [one.player_id for one in told], "events": [one.event for one in told], "details": details}
    db.session.execute(_TELL, {"integrator": integrator_id, **values})


def newest() -> Token:
    """A token from which only changes come whose transaction is open or to come."""
    return Token(db.session.scalars(_HORIZON).one() - 1, 2**59)


def stream(
    integrator_id: int, since: Token | None, seconds: float, *, clock: Callable[[], float] = time.monotonic
) -> Iterator[Page]:
    """Pages as they come, and an empty one every KEEP_ALIVE_SECONDS while nothing does; ends after `seconds` or MOST
    changes. The next page is read when the last one was taken, and no transaction is open in between.
    """
    ends = clock() + min(seconds, LONGEST_SECONDS)
    given, said_at = 0, clock()
    while True:
        page = read(integrator_id, since)
        db.session.rollback()
        since = page.token
        done = clock() >= ends or given + len(page.changes) >= MOST
        if page.changes or done or clock() - said_at >= KEEP_ALIVE_SECONDS:
            yield page
            given, said_at = given + len(page.changes), clock()
        if done:
            return
        if not page.more:
            # What is below the horizon changes when some other transaction ends, which nothing announces.
            time.sleep(max(0.0, min(LOOK_SECONDS, ends - clock())))


def wait(integrator_id: int, since: Token, limit: int, seconds: float) -> Page:
    """The first page after `since` with a change on it, or an empty one after so many seconds."""
    ends = time.monotonic() + min(seconds, LONGEST_SECONDS)
    while True:
        page = read(integrator_id, since, limit)
        db.session.rollback()  # an open transaction would hold the feed of all back
        if page.changes or time.monotonic() >= ends:
            return page
        time.sleep(max(0.0, min(LOOK_SECONDS, ends - time.monotonic())))  # as in `stream`: nothing announces it


_TRIM = text("""
    WITH gone AS (
      DELETE FROM board_changes WHERE (transaction, id) IN (
        SELECT transaction, id FROM board_changes
        WHERE changed_at < :before AND transaction < :horizon ORDER BY changed_at LIMIT :limit)
      RETURNING integrator_id, transaction, id),
    floors AS (
      SELECT DISTINCT ON (integrator_id) integrator_id, transaction, id FROM gone
      ORDER BY integrator_id, transaction DESC, id DESC),
    raised AS (
      INSERT INTO feed_floors AS held (integrator_id, transaction, change_id)
      SELECT integrator_id, transaction, id FROM floors
      ON CONFLICT (integrator_id) DO UPDATE SET transaction = excluded.transaction, change_id = excluded.change_id
      WHERE (held.transaction, held.change_id) < (excluded.transaction, excluded.change_id))
    SELECT count(*) FROM gone
""")


def trim(now: datetime) -> int:
    """Takes changes away that are older than KEPT; returns how many. Commits in small steps."""
    total = 0
    while True:
        horizon = db.session.scalars(_HORIZON).one()
        gone: int = db.session.execute(_TRIM, {"before": now - KEPT, "horizon": horizon, "limit": TRIMMED}).scalar_one()
        db.session.commit()
        total += gone
        if gone < TRIMMED:
            return total


def _floor(integrator_id: int) -> Token:
    floor = db.session.get(FeedFloor, integrator_id, populate_existing=True)
    return Token(floor.transaction, floor.change_id) if floor else START
