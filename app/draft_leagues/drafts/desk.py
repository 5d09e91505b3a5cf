"""A draft that is locked for one act: loads it, settles its clock, appends events, writes them.

Whoever opens the desk of a draft holds its row until the transaction ends. First comes what the
clock has decided by the time at which the server received the request, then the act itself. So it
does not matter who comes first: a member, a watcher's stream, or the worker. Before a draft has
begun its league is locked first, as planning does; afterwards the draft is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property

import msgspec
import structlog
from sqlalchemy import delete, insert, select, update

from app.core import jobs
from app.core.db import db
from app.draft_leagues.drafts import events, league, notices
from app.draft_leagues.drafts.automatic import Helper
from app.draft_leagues.drafts.events import Event
from app.draft_leagues.drafts.lottery import drawn_order
from app.draft_leagues.drafts.models import DraftEvent, DraftPick, DraftQueue, DraftRow
from app.draft_leagues.drafts.notices import EventOfMember
from app.draft_leagues.drafts.plan import DraftPlan, Keeper, TradedPick
from app.draft_leagues.drafts.queries import seats_of
from app.draft_leagues.drafts.ranked import Pool
from app.draft_leagues.drafts.ranking import load_pool, own_order, plan_of
from app.draft_leagues.drafts.rules import Draft, fold
from app.draft_leagues.drafts.settling import Settling, due_at, next_event
from app.draft_leagues.franchises.services import without_owner
from app.draft_leagues.jobs import ADVANCE_DRAFTS

log = structlog.get_logger(__name__)

MOST_SETTLED = 2_000  # events of one settlement: more than the largest draft has
# How long a league's draft waits that cannot be completed because the rosters refuse its picks.
AGAIN_AFTER = timedelta(minutes=1)


class Desk:
    """A locked draft. Only `save` commits; whoever opens it and does not save it calls `store`.

    `act_key`: of the act for which it was opened (`act_tokens`), stored with what a member does.
    """

    def __init__(self, row: DraftRow, draft: Draft, now: datetime) -> None:
        self.row = row
        self.draft = draft
        self.now = now
        self.act_key: str | None = None
        self._due_at: datetime | None = None
        self._before = notices.before_act(draft)
        self._happened: list[EventOfMember] = []

    @cached_property
    def pool(self) -> Pool:
        """Everybody who can be drafted."""
        return load_pool(self.row.season_id, self.draft.plan)

    @cached_property
    def members(self) -> dict[int, int | None]:
        """The member of each franchise."""
        return {seat.franchise: seat.member_id for seat in seats_of(self.row)}

    @cached_property
    def without_owner(self) -> set[int]:
        """The franchises for which nobody can act, so that nobody's wishes count."""
        return without_owner(self.row.league_id) if self.row.league_id is not None else set()

    @cached_property
    def queues(self) -> dict[int, list[str]]:
        """The queue of each franchise that has one."""
        rows = db.session.execute(
            select(DraftQueue.franchise, DraftQueue.footballer_ids).where(
                DraftQueue.draft_id == self.row.id
            )
        )
        return {row.franchise: row.footballer_ids for row in rows}

    def append(self, event: Event, *, by_member_id: int | None = None) -> None:
        """Record the event, and the pick that it makes, replaces or takes back."""
        latest = self.draft.undoable()
        has_lot = self.draft.lot is not None
        self.draft.apply(event)
        self._happened.append(EventOfMember(event, by_member_id))
        db.session.execute(
            insert(DraftEvent).values(
                draft_id=self.row.id,
                number=self.draft.version,
                body=events.body_of(event),
                by_member_id=by_member_id,
                token=self.act_key if by_member_id is not None else None,
            )
        )
        match event:
            case events.Picked() | events.Sold():
                pick = self.draft.picks[self.draft.taken[event.footballer_id]]
                self._write_pick(pick.number, pick.footballer_id, pick.franchise)
            case events.Undone() if latest is not None and not has_lot:
                db.session.execute(
                    delete(DraftPick).where(
                        DraftPick.draft_id == self.row.id, DraftPick.number == latest.number
                    )
                )
            case events.Replaced():
                db.session.execute(
                    update(DraftPick)
                    .where(DraftPick.draft_id == self.row.id, DraftPick.number == event.number)
                    .values(footballer_id=event.footballer_id)
                )
            case events.Started():
                for pick in self.draft.picks.values():
                    self._write_pick(pick.number, pick.footballer_id, pick.franchise)

    def settle(self, now: datetime, *, completes: bool = False) -> None:
        """Record what the clock has decided by now.

        Only with `completes` is a draft ended: it writes the rosters of a league, for which nobody
        who picks has to wait.
        """
        self._begin_on_time(now)
        self._settle_clock(now, completes=completes)
        self._follow_owners(now)

    def _settle_clock(self, now: datetime, *, completes: bool) -> None:
        settling = Settling(self.draft, self.pool, self._helper_of) if self._is_due(now) else None
        for _ in range(MOST_SETTLED):
            event = next_event(settling, now) if settling else None
            if event is None:
                return
            if isinstance(event, events.Completed):
                if completes:
                    self.complete(now)
                return
            self.append(event)

    def _follow_owners(self, now: datetime) -> None:
        """Put teams without an owner on autopilot, and take those that have one again off it."""
        draft = self.draft
        if draft.status not in ("running", "paused") or not draft.plan.has_clock:
            return
        absent = self.without_owner.intersection(draft.plan.order)
        at = self.moment(now)
        for franchise in sorted(absent - draft.vacated):
            self.append(events.Autopilot(at, franchise, is_on=True, cause="vacated"))
        for franchise in sorted(draft.vacated - absent):
            self.append(events.Autopilot(at, franchise, is_on=False, cause="taken_over"))

    def complete(self, now: datetime, *, by_member_id: int | None = None) -> None:
        """End the draft, and give the league its rosters."""
        if self.row.league_id is not None:
            refusals = league.record_picks(self.row.league_id, self.row.id, self.draft, now)
            if refusals:
                log.error(
                    "draft_not_recorded",
                    draft_id=self.row.id,
                    reasons=[refusal.text for refusal in refusals],
                )
                self._due_at = now + AGAIN_AFTER
                return
        self.append(events.Completed(self.moment(now)), by_member_id=by_member_id)

    def moment(self, received_at: datetime) -> datetime:
        """When an act of now counts as done: never before what was recorded."""
        last = self.draft.last_at
        return received_at if last is None else max(last, received_at)

    def draw(self, now: datetime, *, by_member_id: int | None = None) -> None:
        """Reveal the seed of the lottery, which decides the order; again changes nothing."""
        if self.row.lottery_seed is None or self.row.drawn_at is not None:
            return
        self.row.drawn_at = now
        order = drawn_order(self.row.lottery_seed, sorted(self.draft.plan.order))
        self._replan(msgspec.structs.replace(self.draft.plan, order=order))
        self.append(events.Drawn(self.moment(now)), by_member_id=by_member_id)

    def start(self, at: datetime, *, by_member_id: int | None = None) -> None:
        """Begin the draft, after the lottery if it has not been drawn yet.

        That lottery has no member, because the key of an act stands with one event only.
        """
        self.draw(at)
        if self.row.league_id is not None:
            keepers = league.keepers_at_start(self.row.league_id, at)
            self._fix_plan(keepers, league.traded_picks(self.row.league_id))
        self.append(events.Started(at), by_member_id=by_member_id)
        if self.row.league_id is not None:
            league.note_start(self.row.league_id)

    def _fix_plan(self, keepers: tuple[Keeper, ...], traded: tuple[TradedPick, ...]) -> None:
        """Begin with these keepers and traded picks, whatever was planned before."""
        before = self.draft.plan
        plan = msgspec.structs.replace(before, keepers=keepers or before.keepers, traded=traded)
        if plan != before:
            self._replan(plan)

    def _replan(self, plan: DraftPlan) -> None:
        """Go on with another plan; only before the draft begins."""
        self.row.plan = msgspec.to_builtins(plan)
        self.row.version = self.draft.version
        self.draft = load_state(self.row)

    def save(self) -> None:
        """Commit everything, and have the worker come when the clock runs out."""
        self.store()
        due = self.row.due_at
        db.session.commit()
        if due is not None:
            jobs.send_at(ADVANCE_DRAFTS, due)

    def store(self) -> None:
        """Write everything, for a caller who commits."""
        self.row.status = self.draft.status
        self.row.version = self.draft.version
        if self.draft.status == "waiting":
            self.row.due_at = due_while_waiting(self.row.starts_at, self.now)
        else:
            self.row.due_at = self._due_at or due_at(self.draft)
        if self.row.league_id is not None:
            self._notify()
        self._before, self._happened = notices.before_act(self.draft), []

    def _notify(self) -> None:
        """Store what a league's members are told of it."""
        row, draft, before = self.row, self.draft, self._before
        act = notices.DraftAct(row, draft, before, self._happened, self.members, self._name_of)
        notices.write(act, self.now)

    def _name_of(self, footballer_id: str) -> str:
        footballer = self.pool.by_id.get(footballer_id)
        return footballer.name if footballer is not None else "a player"

    def _is_due(self, now: datetime) -> bool:
        due = due_at(self.draft)
        return due is not None and due <= now

    def _begin_on_time(self, now: datetime) -> None:
        starts_at = self.row.starts_at
        if self.draft.status != "waiting" or starts_at is None:
            return
        if starts_at <= now:
            self.start(now)
        elif starts_at - notices.SOON <= now:
            notices.remind(self.row, self.members.values(), self.draft.plan.time_zone, now)

    def _helper_of(self, franchise: int) -> Helper:
        member_id = self.members.get(franchise)
        if member_id is None:
            return Helper(is_bot=True)
        if franchise in self.without_owner:
            return Helper()
        order: Sequence[str] = ()
        if self.row.league_id is not None:
            order = own_order(self.row.league_id, member_id, self.pool)
        return Helper(self.queues.get(franchise, ()), order)

    def _write_pick(self, number: int, footballer_id: str, franchise: int) -> None:
        db.session.execute(
            insert(DraftPick).values(
                draft_id=self.row.id,
                footballer_id=footballer_id,
                number=number,
                franchise=franchise,
            )
        )


def open_desk(draft_id: int, now: datetime, *, only_settles: bool = False) -> Desk | None:
    """Lock the draft and settle its clock up to `now`.

    Args:
        draft_id: The draft.
        now: When the request was received.
        only_settles: Nobody acts: a draft that somebody else holds is left to them, and one whose
            picks are all made is completed.

    Returns:
        None if there is no such draft, or somebody else holds it.
    """
    league.lock_before_start(draft_id)
    row = db.session.scalars(
        select(DraftRow)
        .where(DraftRow.id == draft_id)
        .with_for_update(key_share=True, skip_locked=only_settles)
        .execution_options(populate_existing=True)
    ).one_or_none()
    if row is None:
        return None
    desk = Desk(row, load_state(row), now)
    desk.settle(now, completes=only_settles)
    return desk


def open_running(league_id: int, now: datetime) -> Desk | None:
    """Lock the league's draft while it is on, before the league itself, and settle its clock.

    Returns:
        None if the draft has not begun, or is over.
    """
    draft_id = db.session.scalar(
        select(DraftRow.id).where(
            DraftRow.league_id == league_id, DraftRow.status.in_(("running", "paused"))
        )
    )
    desk = open_desk(draft_id, now) if draft_id is not None else None
    if desk is not None:
        desk.store()
    return desk if desk is not None and desk.draft.status != "completed" else None


def due_while_waiting(starts_at: datetime | None, now: datetime) -> datetime | None:
    """When the clock of a draft that waits decides next: the reminder, then the begin."""
    if starts_at is None:
        return None
    soon = starts_at - notices.SOON
    return soon if soon > now else starts_at


def load_state(row: DraftRow) -> Draft:
    """The state of a draft after its version's last event."""
    bodies = db.session.scalars(
        select(DraftEvent.body)
        .where(DraftEvent.draft_id == row.id, DraftEvent.number <= row.version)
        .order_by(DraftEvent.number)
    )
    return fold(plan_of(row), map(events.event_of, bodies))
