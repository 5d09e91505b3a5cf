"""What people do in a draft. Each function is one transaction, and repeats are harmless.

The caller loads the room (queries.py), which is the permission check. `received_at` is when the
server had received the request: a pick counts if that was before its clock ran out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from app.core import jobs
from app.core.db import db
from app.core.refusals import Refusal
from app.draft_leagues.act_tokens import first_outcome, named_act
from app.draft_leagues.drafts import acts, events
from app.draft_leagues.drafts.acts import Wish
from app.draft_leagues.drafts.desk import Desk, open_desk, open_running
from app.draft_leagues.drafts.events import Event
from app.draft_leagues.drafts.models import DraftEvent, DraftQueue, DraftRow
from app.draft_leagues.drafts.queries import Room
from app.draft_leagues.jobs import ADVANCE_DRAFTS

log = structlog.get_logger(__name__)

MOST_QUEUED = 200
DUE_AT_ONCE = 200  # drafts of one round of the worker
NO_SEAT = Refusal("no_seat", "", "You have no team in this draft. You can only watch.")
NOT_ALLOWED = Refusal("not_allowed", "", "Only the commissioner can do that.")
HAS_BEGUN = Refusal("has_begun", "", "The draft has already begun. Check the board.")
GONE = Refusal("gone", "", "This draft was deleted. Start a new one.")


@dataclass(frozen=True)
class Submission:
    """How a request identifies itself.

    Attributes:
        received_at: When the server had received it.
        token: Chosen by the member's page or program for each act; the same act again counts once.
        expected: The number of the pick that the page showed; None for whichever is next.
    """

    received_at: datetime
    token: str = ""
    expected: int | None = None


@dataclass(frozen=True)
class Done:
    """The act counts. `version`: of the draft after it."""

    version: int


Outcome = Done | Refusal


def pick(room: Room, footballer_id: str, submission: Submission) -> Outcome:
    """Take the footballer for the member's own franchise."""
    if room.franchise is None:
        return NO_SEAT
    return _pick(room, room.franchise, footballer_id, submission)


def pick_for(room: Room, footballer_id: str, submission: Submission) -> Outcome:
    """Take the footballer for whoever is on turn, as the commissioner."""
    return _pick(room, None, footballer_id, submission) if room.runs else NOT_ALLOWED


def nominate(room: Room, footballer_id: str, maximum: int, submission: Submission) -> Outcome:
    """Put the footballer up for auction, and bid up to `maximum`."""
    if room.franchise is None:
        return NO_SEAT
    franchise = room.franchise

    def act(desk: Desk) -> Event | Refusal:
        wish = Wish(
            franchise, footballer_id, desk.pool.position_of(footballer_id), submission.expected
        )
        refusal = acts.pick_refusal(desk.draft, wish, submission.received_at)
        refusal = refusal or acts.maximum_refusal(desk.draft.most(franchise), maximum)
        at = desk.moment(submission.received_at)
        return refusal or events.Nominated(at, franchise, footballer_id, maximum)

    return _act(room, submission, ("nominate", footballer_id, maximum), act)


def bid(room: Room, maximum: int, submission: Submission) -> Outcome:
    """Bid up to a secret maximum for the footballer who is up."""
    if room.franchise is None:
        return NO_SEAT
    franchise = room.franchise

    def act(desk: Desk) -> Event | Refusal:
        refusal = acts.bid_refusal(
            desk.draft, franchise, maximum, submission.received_at, expected=submission.expected
        )
        return refusal or events.Bid(desk.moment(submission.received_at), franchise, maximum)

    return _act(room, submission, ("bid", maximum), act)


def start(room: Room, submission: Submission) -> Outcome:
    """Begin the draft, as the commissioner."""

    def act(desk: Desk) -> Refusal | None:
        if desk.draft.status != "waiting":
            return HAS_BEGUN
        desk.start(submission.received_at, by_member_id=room.member_id)
        return None

    return _commission(room, submission, ("start",), act)


def draw(room: Room, submission: Submission) -> Outcome:
    """Hold the lottery, as the commissioner. Again changes nothing."""

    def act(desk: Desk) -> Refusal | None:
        if desk.row.lottery_seed is None:
            text = "This draft has no lottery. The order was set by hand."
            return Refusal("no_lottery", "", text)
        if desk.draft.status != "waiting":
            return HAS_BEGUN
        desk.draw(submission.received_at, by_member_id=room.member_id)
        return None

    return _commission(room, submission, ("draw",), act)


def pause(room: Room, submission: Submission) -> Outcome:
    """Stop the clock, as the commissioner."""

    def act(desk: Desk) -> Event | Refusal:
        at = desk.moment(submission.received_at)
        return acts.state_refusal(desk.draft) or events.Paused(at)

    return _commission(room, submission, ("pause",), act)


def resume(room: Room, submission: Submission) -> Outcome:
    """Let the clock go on with what was left, as the commissioner."""

    def act(desk: Desk) -> Event | Refusal:
        if desk.draft.status != "paused":
            return Refusal("not_paused", "", "The draft is not paused.")
        return events.Resumed(desk.moment(submission.received_at))

    return _commission(room, submission, ("resume",), act)


def undo(room: Room, submission: Submission) -> Outcome:
    """Take the latest pick back, or the nomination that is open, as the commissioner."""

    def act(desk: Desk) -> Event | Refusal:
        at = desk.moment(submission.received_at)
        return acts.undo_refusal(desk.draft) or events.Undone(at)

    return _commission(room, submission, ("undo",), act)


def replace(room: Room, number: int, footballer_id: str, submission: Submission) -> Outcome:
    """Put another footballer in the place of the one who was picked, as the commissioner."""

    def act(desk: Desk) -> Event | Refusal:
        position = desk.pool.position_of(footballer_id)
        refusal = acts.replace_refusal(desk.draft, number, footballer_id, position)
        at = desk.moment(submission.received_at)
        return refusal or events.Replaced(at, number, footballer_id)

    return _commission(room, submission, ("replace", number, footballer_id), act)


def finish(room: Room, submission: Submission) -> Outcome:
    """End a draft that was typed in, as the commissioner."""

    def act(desk: Desk) -> Refusal | None:
        draft = desk.draft
        if draft.status == "running" and draft.on_turn is None:
            desk.complete(desk.moment(submission.received_at), by_member_id=room.member_id)
            return None
        text = "There are picks left. Enter them, then finish the draft."
        return acts.state_refusal(draft) or Refusal("picks_left", "", text)

    return _commission(room, submission, ("finish",), act)


def set_autopilot(room: Room, franchise: int, *, is_on: bool, submission: Submission) -> Outcome:
    """Draft automatically for the franchise, or end that: its member, or the commissioner."""
    if franchise != room.franchise and not room.runs:
        return NOT_ALLOWED

    def act(desk: Desk) -> Event | Refusal:
        if franchise not in desk.draft.plan.order:
            return Refusal(
                "no_franchise", "franchise", "This league has no such team. Choose another."
            )
        return events.Autopilot(desk.moment(submission.received_at), franchise, is_on)

    return _act(room, submission, ("autopilot", franchise, is_on), act)


def set_queue(room: Room, footballer_ids: Sequence[str], received_at: datetime) -> Outcome:
    """Replace the queue of the member's franchise. Who is gone is left out."""
    return _change_queue(room, lambda _: footballer_ids, received_at)


def enqueue(room: Room, footballer_id: str, received_at: datetime) -> Outcome:
    """Put the footballer at the end of the queue, unless they are in it."""
    return _change_queue(room, lambda queue: [*queue, footballer_id], received_at)


def remove_from_queue(room: Room, footballer_id: str, received_at: datetime) -> Outcome:
    """Take the footballer out of the queue."""
    return _change_queue(
        room, lambda queue: [queued for queued in queue if queued != footballer_id], received_at
    )


def move_in_queue(room: Room, footballer_id: str, places: int, received_at: datetime) -> Outcome:
    """Move the footballer so many places down the queue, or up if less than 0."""

    def moved(queue: Sequence[str]) -> Sequence[str]:
        if footballer_id not in queue:
            return queue
        without = [queued for queued in queue if queued != footballer_id]
        place = min(max(queue.index(footballer_id) + places, 0), len(without))
        return [*without[:place], footballer_id, *without[place:]]

    return _change_queue(room, moved, received_at)


def advance(draft_id: int, now: datetime) -> bool:
    """Record what the clock has decided; nothing if somebody else holds the draft meanwhile.

    An error is logged and changes nothing, because other drafts must not wait for this one.

    Returns:
        Whether anything changed.
    """
    try:
        desk = open_desk(draft_id, now, only_settles=True)
        if desk is None:
            db.session.rollback()
            return False
        changed = desk.draft.version != desk.row.version
        desk.save()
    except Exception:
        db.session.rollback()
        log.exception("draft_not_advanced", draft_id=draft_id)
        return False
    return changed


def follow_owners(league_id: int, now: datetime) -> None:
    """Start or end the autopilot of teams that lost their owner or got one, if a draft is on."""
    if (desk := open_running(league_id, now)) is not None:
        desk.save()
    db.session.rollback()


def advance_due(now: datetime, but: Collection[int] = ()) -> int:
    """Record what the clock has decided in all drafts but those of these leagues.

    Has the job that does so sent again for the next clock that runs out.

    Returns:
        How many drafts changed.
    """
    of_leagues = DraftRow.league_id.is_(None) | DraftRow.league_id.not_in(but)
    due = db.session.scalars(
        select(DraftRow.id)
        .where(DraftRow.due_at <= now, of_leagues)
        .order_by(DraftRow.due_at)
        .limit(DUE_AT_ONCE)
    ).all()
    next_due = db.session.scalar(
        select(func.min(DraftRow.due_at)).where(DraftRow.due_at > now, of_leagues)
    )
    db.session.rollback()
    if next_due is not None:
        jobs.send_at(ADVANCE_DRAFTS, next_due)
    return sum(advance(draft_id, now) for draft_id in due)


def _pick(room: Room, franchise: int | None, footballer_id: str, submission: Submission) -> Outcome:
    def act(desk: Desk) -> Event | Refusal:
        draft = desk.draft
        picking = franchise if franchise is not None else draft.on_turn or 0
        wish = Wish(
            picking,
            footballer_id,
            desk.pool.position_of(footballer_id),
            submission.expected,
            is_commissioner=franchise is None,
        )
        if refusal := acts.pick_refusal(draft, wish, submission.received_at):
            return refusal
        at = desk.moment(submission.received_at)
        by: events.By = "commissioner" if franchise is None else "member"
        if draft.plan.is_auction:
            return events.Nominated(at, picking, footballer_id, 1, by)
        return events.Picked(at, draft.expected, picking, footballer_id, by)

    return _act(room, submission, ("pick", franchise, footballer_id), act)


def _commission(
    room: Room,
    submission: Submission,
    asked: Sequence[object],
    act: Callable[[Desk], Event | Refusal | None],
) -> Outcome:
    return _act(room, submission, asked, act) if room.runs else NOT_ALLOWED


def _act(
    room: Room,
    submission: Submission,
    asked: Sequence[object],
    act: Callable[[Desk], Event | Refusal | None],
) -> Outcome:
    """Settle the clock, then record what `act` says; a refusal leaves only what was settled.

    `asked`: what the member asked for, by which an act that is sent again is recognised.
    """
    desk = open_desk(room.draft_id, submission.received_at)
    if desk is None:
        return GONE
    named = named_act(room.member_id, submission.token, submission.expected, asked)
    recorded = select(DraftEvent.number).where(DraftEvent.draft_id == room.draft_id)
    first = first_outcome(named, recorded, DraftEvent.token)
    if first is not None:
        desk.save()
        return first if isinstance(first, Refusal) else Done(first)
    desk.act_key = named.key if named is not None else None
    result = act(desk)
    if isinstance(result, Refusal):
        desk.save()
        return result
    if result is not None:
        desk.append(result, by_member_id=room.member_id)
    desk.save()
    return Done(desk.draft.version)


def _change_queue(
    room: Room, change: Callable[[Sequence[str]], Sequence[str]], received_at: datetime
) -> Outcome:
    """Change the queue while the draft is locked, so that the clock uses the queue of its time."""
    if room.franchise is None:
        return NO_SEAT
    desk = open_desk(room.draft_id, received_at)
    if desk is None:
        return GONE
    queue = change(desk.queues.get(room.franchise, []))
    left = [
        footballer_id
        for footballer_id in dict.fromkeys(queue)
        if footballer_id in desk.pool.by_id and footballer_id not in desk.draft.taken
    ]
    values = {
        "draft_id": room.draft_id,
        "franchise": room.franchise,
        "footballer_ids": left[:MOST_QUEUED],
    }
    statement = insert(DraftQueue).values(values)
    db.session.execute(
        statement.on_conflict_do_update(
            index_elements=["draft_id", "franchise"],
            set_={"footballer_ids": statement.excluded.footballer_ids},
        )
    )
    desk.save()
    return Done(desk.draft.version)
