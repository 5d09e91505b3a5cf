"""The change feed: changes of integrators' boards and rewards, in an order without gaps.

Every change has a place, which is also its `sequence`: of two changes, the greater is the newer. A
token is a place. places.py assigns places and handles restores, app/api serves the feed, and
app/scores/webhooks sends it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text

from app.boards.order import order_of
from app.core.db import db
from app.scores.feed.models import FeedFloor
from app.scores.feed.places import (
    START,
    Token,
    TokenTooOldError,
    assign_places,
    check_history,
    last_place,
)

KEPT = timedelta(days=7)
PAGE = 500  # changes per read
MAX_LIVE_CHANGES = 5_000  # per read for all live streams; the rest comes with the next read
LOOK_SECONDS = 0.25
TRIMMED = 10_000  # changes per transaction
SCORE_CHANGED, SCORE_REMOVED = "score.changed", "score.removed"
REWARD_GRANTED, REWARD_WITHDRAWN = "reward.granted", "reward.withdrawn"
MODE_DELETED, GAME_DELETED = "mode.deleted", "game.deleted"
LEAGUE_TRANSACTION = "league.transaction"
TIMELINE_CHANGED = "timeline.changed"
EVENTS = (
    SCORE_CHANGED,
    SCORE_REMOVED,
    REWARD_GRANTED,
    REWARD_WITHDRAWN,
    MODE_DELETED,
    GAME_DELETED,
    LEAGUE_TRANSACTION,
    TIMELINE_CHANGED,
)


@dataclass(frozen=True)
class Change:
    """One change of a board, or an event about no board.

    Attributes:
        token: The change's place in the feed.
        game: The game's slug.
        mode: The mode's slug.
        window: The window's id; the competition's window for an event about no board.
        player_id: Whose score changed.
        score: In the mode's smallest unit; None if the player left the board.
        changed_at: When.
        boardless_event: The name of an event about no board.
        reward: The reward that such an event is about.
        subscore: In modes that have one.
        kept_through: For `timeline.changed`, the last place that is still valid.
        transaction: For `league.transaction`, the entry of a draft league's log.
    """

    token: Token
    game: str
    mode: str
    window: str
    player_id: str | None
    score: int | None
    changed_at: datetime
    boardless_event: str | None = None
    reward: Mapping[str, Any] | None = None
    subscore: int | None = None
    kept_through: int | None = None
    transaction: Mapping[str, Any] | None = None

    @property
    def sequence(self) -> int:
        """The change's place as a number: the greater of two is the newer change."""
        return self.token.place

    @property
    def event(self) -> str:
        """The name of the change's event."""
        return self.boardless_event or (SCORE_REMOVED if self.score is None else SCORE_CHANGED)

    def body(self) -> dict[str, Any]:
        """Return the change as integrators get it, from the feed and by webhook."""
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
            **({} if self.transaction is None else {"transaction": dict(self.transaction)}),
            **({} if self.kept_through is None else {"kept_through": self.kept_through}),
        }


@dataclass(frozen=True)
class Page:
    """Changes after `since`.

    `token` is where to continue, also without changes; `more` says whether there are more already.
    """

    changes: Sequence[Change]
    token: Token
    more: bool
    since: Token


_READ = text("""
    SELECT c.integrator_id, c.place, g.slug AS game, m.slug AS mode, b.window_id, c.player_id,
      c.score AS key,
      c.changed_at, c.event, c.details, m."order", m.subscore
    FROM board_changes c
    LEFT JOIN boards b ON b.id = c.board_id
    LEFT JOIN score_modes m ON m.id = b.mode_id
    LEFT JOIN score_games g ON g.id = m.game_id
    WHERE c.integrator_id = ANY(:integrators) AND c.place > :since AND c.place <= :last
    ORDER BY c.place
    LIMIT :limit
""")


def read(integrator_id: int, since: Token | None, limit: int | None = None) -> Page:
    """Read an integrator's changes after `since`, assigning places to new ones first.

    Without `since` it starts from the oldest change that is kept. Commits, so that nobody else
    waits for the places.

    Raises:
        InvalidTokenError: The token is none of the feed's.
        TokenTooOldError: The changes after the token are no longer kept.
    """
    assign_places()
    return read_placed(integrator_id, since, limit)


def read_placed(integrator_id: int, since: Token | None, limit: int | None = None) -> Page:
    """Read as `read` does, but only changes that already have a place.

    Raises:
        InvalidTokenError: The token is none of the feed's.
        TokenTooOldError: The changes after the token are no longer kept.
    """
    limit = limit or PAGE
    last = last_place()
    floor = _floor(integrator_id)
    if since is None:
        since = floor
    check_history(since, last)
    if since < floor:
        raise TokenTooOldError(
            f"since is more than {KEPT.days} days old, and changes are not kept longer. "
            "Read the boards again, then the feed without since."
        )
    rows = _rows([integrator_id], since, last, limit + 1)
    changes = [_change(row) for row in rows[:limit]]
    more = len(rows) > limit
    # Everything up to the last place has been read: an idle reader's token stays young.
    token = changes[-1].token if more else last
    return Page(changes, max(token, since), more, since)


def read_of_many(
    integrators: Collection[int], since: Token
) -> tuple[dict[int, list[Change]], Token]:
    """Return the changes after `since` by integrator, each in the feed's order.

    Also returns the place up to which these are all: at most MAX_LIVE_CHANGES come at once. `since`
    must be a place that is kept, as the newest ones always are.
    """
    last = last_place()
    rows = _rows(integrators, since, last, MAX_LIVE_CHANGES + 1)
    by_integrator: dict[int, list[Change]] = {}
    for row in rows[:MAX_LIVE_CHANGES]:
        by_integrator.setdefault(row.integrator_id, []).append(_change(row))
    token = Token(rows[MAX_LIVE_CHANGES - 1].place) if len(rows) > MAX_LIVE_CHANGES else last
    return by_integrator, max(token, since)


def _rows(integrators: Collection[int], since: Token, last: Token, limit: int) -> Sequence[Any]:
    places = {"since": since.place, "last": last.place}
    return db.session.execute(
        _READ, {"integrators": sorted(integrators), **places, "limit": limit}
    ).all()


def _change(row: Any) -> Change:
    token = Token(row.place)
    player = str(row.player_id) if row.player_id else None
    if row.details is not None:
        about = row.details
        names = (about["game"], about["mode"], about["window"])
        kept_through = about.get("kept_through")
        return Change(
            token,
            *names,
            player,
            None,
            row.changed_at,
            row.event,
            about.get("reward"),
            kept_through=kept_through,
            transaction=about.get("transaction"),
        )
    score = subscore = None
    if row.key is not None:
        order = order_of(row.order, row.subscore)
        score, subscore = order.score_of(row.key), order.subscore_of(row.key)
    return Change(
        token, row.game, row.mode, row.window_id, player, score, row.changed_at, subscore=subscore
    )


_TELL = text("""
    INSERT INTO board_changes (integrator_id, player_id, event, details)
    SELECT :integrator, p.player_id, p.event, p.details
    FROM unnest(CAST(:players AS uuid[]), CAST(:events AS text[]), CAST(:details AS jsonb[]))
      WITH ORDINALITY AS p (player_id, event, details, number)
    ORDER BY p.number
""")


@dataclass(frozen=True)
class Told:
    """An event for integrators that is about no board.

    `window` is the competition's; `reward` and `transaction` are as integrators get them. Without
    any of these it says that a game or mode is gone; names that do not apply are empty.
    """

    event: str
    player_id: UUID | None
    game: str
    mode: str
    window: str
    reward: Mapping[str, Any] | None = None
    transaction: Mapping[str, Any] | None = None


def tell(integrator_id: int, entries: Sequence[Told]) -> None:
    """Add entries to the feed in this order, in the caller's transaction.

    They are published once it commits.
    """
    details = [
        json.dumps(
            {"game": entry.game, "mode": entry.mode, "window": entry.window}
            | ({} if entry.reward is None else {"reward": dict(entry.reward)})
            | ({} if entry.transaction is None else {"transaction": dict(entry.transaction)})
        )
        for entry in entries
    ]
    values = {
        "players": [entry.player_id for entry in entries],
        "events": [entry.event for entry in entries],
        "details": details,
    }
    db.session.execute(_TELL, {"integrator": integrator_id, **values})


def newest() -> Token:
    """Return a token after which only changes come that are committed from now on. Commits."""
    assign_places()
    return last_place()


_TRIM = text("""
    WITH gone AS (
      DELETE FROM board_changes WHERE id IN (
        SELECT id FROM board_changes
        WHERE changed_at < :before AND place IS NOT NULL ORDER BY changed_at LIMIT :limit)
      RETURNING integrator_id, place),
    raised AS (
      INSERT INTO feed_floors AS held (integrator_id, place)
      SELECT integrator_id, max(place) FROM gone GROUP BY integrator_id
      ON CONFLICT (integrator_id) DO UPDATE SET place = greatest(held.place, excluded.place))
    SELECT count(*) FROM gone
""")


def trim(now: datetime) -> int:
    """Delete changes older than KEPT and return how many; commit in small steps."""
    assign_places()
    total = 0
    while True:
        removed: int = db.session.execute(
            _TRIM, {"before": now - KEPT, "limit": TRIMMED}
        ).scalar_one()
        db.session.commit()
        total += removed
        if removed < TRIMMED:
            return total


def _floor(integrator_id: int) -> Token:
    floor = db.session.get(FeedFloor, integrator_id, populate_existing=True)
    return Token(floor.place) if floor else START
