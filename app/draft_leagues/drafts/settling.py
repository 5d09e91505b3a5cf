"""What the clock decides, one event at a time. Pure.

Clocks are judged a moment later than they run out, because a pick that the server received in time
may still be on its way to the database.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.draft_leagues.drafts import events
from app.draft_leagues.drafts.automatic import (
    Choosing,
    Helper,
    auction_prices,
    bot_maximum,
    choose,
)
from app.draft_leagues.drafts.events import Event
from app.draft_leagues.drafts.ranked import Pool
from app.draft_leagues.drafts.rules import Draft

GRACE = timedelta(seconds=1)
AUTOPILOT_DELAY = timedelta(seconds=1)
# If nobody settled a clock for so long, the server was away, and the clock starts again.
OUTAGE = timedelta(seconds=30)

HelperOf = Callable[[int], Helper]
"""Who chooses for a franchise."""


@dataclass(frozen=True)
class Settling:
    """A draft, its footballers, and who chooses for those who do not."""

    draft: Draft
    pool: Pool
    helper_of: HelperOf


def due_at(draft: Draft) -> datetime | None:
    """Return when the clock decides next; None while it stands still."""
    if draft.status != "running" or draft.turn_started_at is None:
        return None
    if draft.on_turn is None:
        return draft.last_at if draft.plan.has_clock else None
    if not draft.plan.has_clock or draft.deadline is None:
        return None
    moments = [draft.deadline + GRACE]
    if (autopilot := _autopilot_at(draft)) is not None:
        moments.append(autopilot)
    if draft.lot is not None and _is_decided(draft):
        moments.append(draft.turn_started_at + AUTOPILOT_DELAY)
    return min(moments)


def next_event(settling: Settling, now: datetime) -> Event | None:
    """Return what the clock has decided by now; None if it has not yet."""
    draft = settling.draft
    due = due_at(draft)
    if due is None or due > now:
        return None
    is_late = now - due > OUTAGE
    at = now if is_late else due
    if draft.on_turn is None:
        return events.Completed(at)
    by_autopilot = _autopilot_at(draft)
    if is_late and by_autopilot is None and not draft.is_delayed:
        return events.Delayed(now)
    if draft.lot is not None:
        if by_autopilot is not None and by_autopilot <= due:
            return _bot_bid(settling, at)
        standing = draft.lot.standing
        return events.Sold(at, standing.leader, draft.lot.footballer_id, standing.price)
    return _chosen(settling, draft.on_turn, at)


def _autopilot_at(draft: Draft) -> datetime | None:
    """When an autopilot acts; None if it is not asked."""
    if draft.lot is not None:
        return draft.lot.opened_at + AUTOPILOT_DELAY if _silent_autopilots(draft) else None
    franchise = draft.on_turn
    if franchise is None or franchise not in draft.autopilots or draft.turn_started_at is None:
        return None
    since = draft.autopilots[franchise]
    start = draft.turn_started_at if since is None else max(since, draft.turn_started_at)
    return start + AUTOPILOT_DELAY


def _silent_autopilots(draft: Draft) -> list[int]:
    """Autopilots with a place who have not said yet what they would pay."""
    lot = draft.lot
    if lot is None:
        return []
    return [
        franchise
        for franchise in draft.plan.order
        if franchise in draft.autopilots
        and draft.open_places(franchise)
        and lot.maximum_of(franchise) is None
    ]


def _is_decided(draft: Draft) -> bool:
    """Whether nobody else could pay more for the footballer who is up."""
    lot = draft.lot
    if lot is None or _silent_autopilots(draft):
        return False
    standing = lot.standing
    return all(
        draft.most(franchise) <= standing.price
        for franchise in draft.plan.order
        if franchise != standing.leader
    )


def _chosen(settling: Settling, franchise: int, at: datetime) -> Event:
    draft = settling.draft
    choosing = Choosing(draft, settling.pool, franchise, settling.helper_of(franchise))
    footballer = choose(choosing)
    if footballer is None:
        return events.Completed(at)  # nobody is left
    if not draft.plan.is_auction:
        return events.Picked(at, draft.expected, franchise, footballer.id, "automatic")
    maximum = 1
    if choosing.helper.is_bot:
        prices = auction_prices(settling.pool, draft)
        maximum = max(1, bot_maximum(choosing, footballer, prices))
    return events.Nominated(at, franchise, footballer.id, maximum, "automatic")


def _bot_bid(settling: Settling, at: datetime) -> Event:
    draft = settling.draft
    assert draft.lot is not None
    franchise = _silent_autopilots(draft)[0]
    footballer = settling.pool.by_id.get(draft.lot.footballer_id)
    maximum = 0
    if footballer is not None:
        choosing = Choosing(draft, settling.pool, franchise, settling.helper_of(franchise))
        maximum = bot_maximum(choosing, footballer, auction_prices(settling.pool, draft))
    return events.Bid(at, franchise, maximum, "automatic")
