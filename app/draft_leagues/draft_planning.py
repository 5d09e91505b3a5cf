"""Plans the draft of a league: when it begins, and in which order franchises pick.

Until the draft begins its plan follows the league's settings and franchises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import delete, select, update

from app.core.db import db, transaction, upsert
from app.core.refusals import Refusal
from app.draft_leagues.drafts.desk import due_while_waiting
from app.draft_leagues.drafts.events import Planned, body_of
from app.draft_leagues.drafts.founding import DraftToPlan, new_seed, plan_draft, plan_for
from app.draft_leagues.drafts.league import traded_picks
from app.draft_leagues.drafts.models import DraftEvent, DraftRow, DraftSeat
from app.draft_leagues.drafts.notices import announce
from app.draft_leagues.drafts.queries import Seat
from app.draft_leagues.drafts.ranking import ensure_ranking, plan_of
from app.draft_leagues.franchises.services import locked, teams
from app.draft_leagues.keepers.queries import planned
from app.draft_leagues.models import SETUP
from app.draft_leagues.setup.services import BEGUN
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.standings.models import League

WAITING = "waiting"
DRAWN = Refusal("drawn", "order", "The lottery order is final. Leave the order blank to keep it.")


@dataclass(frozen=True)
class DraftDate:
    """When a draft begins by itself (None: the commissioner starts it), and in which order.

    `order`: the franchises of the first round; empty for a lottery.
    """

    starts_at: datetime | None = None
    order: tuple[int, ...] = ()


def read_date(starts: str, order: str, time_zone: str) -> DraftDate | list[Refusal]:
    """What a form says about a draft.

    Args:
        starts: A local time like `2026-09-01T19:30`; '' for a start by the commissioner.
        order: Numbers of franchises; '' for a lottery.
        time_zone: The league's.
    """
    refused = []
    starts_at = None
    if starts:
        try:
            local = datetime.fromisoformat(starts)
            starts_at = local.replace(tzinfo=ZoneInfo(time_zone)).astimezone(UTC)
        except (ValueError, OverflowError):
            text = "Choose a date and time, or leave it blank."
            refused.append(Refusal("starts_at", "starts_at", text))
    numbers = re.findall(r"\d+", order)
    if order.strip() and not numbers:
        text = "Enter team numbers like 3, 1, 2, or leave it blank for a lottery."
        refused.append(Refusal("order", "order", text))
    return refused or DraftDate(starts_at, tuple(int(number[:4]) for number in numbers))


def schedule(league_id: int, date: DraftDate, member_id: int, now: datetime) -> list[Refusal]:
    """Plan the league's draft, or change the plan of one that has not begun."""
    with transaction():
        if locked(league_id).phase != SETUP:
            return [BEGUN]
        if refused := _refusals(league_id, date, now):
            return refused
        row = _waiting_draft(league_id)
        league = db.session.get_one(League, league_id)
        if row is None:
            row = plan_draft(_draft(league_id, date, member_id), now)
        elif refused := _change(row, date, now):
            return refused
        announce(league, row, plan_of(row).time_zone, now)
    return []


def _change(row: DraftRow, date: DraftDate, now: datetime) -> list[Refusal]:
    """Give a draft that waits another date or order. Its room, seats and lottery stay."""
    assert row.league_id is not None
    drawn = plan_of(row).order if row.drawn_at is not None else ()
    if drawn and date.order not in ((), drawn):
        return [DRAWN]
    new = _draft(row.league_id, DraftDate(date.starts_at, date.order or drawn), row.created_by)
    row.starts_at = date.starts_at
    row.due_at = due_while_waiting(date.starts_at, now)
    if not drawn:
        has_lottery = not date.order
        row.lottery_seed = (row.lottery_seed or new_seed()) if has_lottery else None
    order = new.order or sorted(seat.franchise for seat in new.seats)
    _replan(row, new, tuple(order), now)
    return []


def _replan(row: DraftRow, new: DraftToPlan, order: tuple[int, ...], now: datetime) -> None:
    """Replace the plan, and append an event, so that every open room shows it at once."""
    plan = msgspec.structs.replace(plan_for(new, order), seed=plan_of(row).seed)
    row.plan = msgspec.to_builtins(plan)
    _write_seats(row.id, new.seats)
    ensure_ranking(new.season_id, plan, now)
    row.version += 1
    planned_now = DraftEvent(draft_id=row.id, number=row.version, body=body_of(Planned(now)))
    db.session.add(planned_now)


def follow(league_id: int, now: datetime) -> int | None:
    """Fit the plan of a draft that waits to the league of now, and return the draft's id.

    Franchises may have been taken, and settings changed, since it was planned. None without a
    draft.
    """
    with transaction():
        locked(league_id)
        row = _waiting_draft(league_id)
        if row is None:
            begun: int | None = db.session.scalar(
                select(DraftRow.id).where(DraftRow.league_id == league_id)
            )
            return begun
        order = plan_of(row).order
        new = _draft(league_id, DraftDate(row.starts_at), row.created_by)
        numbers = {seat.franchise for seat in new.seats}
        if row.drawn_at is not None and set(order) != numbers:
            return row.id  # the lottery was held for other franchises
        kept_order = [number for number in order if number in numbers]
        late = sorted(numbers - set(order))
        new_order = (*kept_order, *late)
        if _is_other(row, new, new_order):
            _replan(row, new, new_order, now)
        return row.id


def _is_other(row: DraftRow, new: DraftToPlan, order: tuple[int, ...]) -> bool:
    """Whether the draft was planned for other settings or seats."""
    plan = plan_of(row)
    seats = db.session.execute(
        select(DraftSeat.franchise, DraftSeat.name, DraftSeat.member_id)
        .where(DraftSeat.draft_id == row.id)
        .order_by(DraftSeat.franchise)
    )
    return msgspec.structs.replace(plan_for(new, order), seed=plan.seed) != plan or [
        Seat(*seat) for seat in seats
    ] != [*new.seats]


def draft_of(league_id: int) -> DraftRow | None:
    """The league's draft; None while nobody has planned one."""
    return db.session.scalars(select(DraftRow).where(DraftRow.league_id == league_id)).one_or_none()


def _refusals(league_id: int, date: DraftDate, now: datetime) -> list[Refusal]:
    refused = []
    if date.starts_at is not None and date.starts_at <= now:
        refused.append(Refusal("past", "starts_at", "This time has passed. Choose a later one."))
    numbers = [team.number for team in teams(league_id)]
    if date.order and sorted(date.order) != numbers:
        text = f"Name each team from 1 to {len(numbers)} once, or leave it blank for a lottery."
        refused.append(Refusal("order", "order", text))
    return refused


def _waiting_draft(league_id: int) -> DraftRow | None:
    return db.session.scalars(
        select(DraftRow)
        .where(DraftRow.league_id == league_id, DraftRow.status == WAITING)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()


def _draft(league_id: int, date: DraftDate, member_id: int | None) -> DraftToPlan:
    league = db.session.get_one(League, league_id)
    return DraftToPlan(
        name=league.name,
        season_id=league.season_id,
        settings=settings_of(locked(league_id)),
        seats=[Seat(team.number, team.name, team.member_id) for team in teams(league_id)],
        order=date.order,
        league_id=league_id,
        starts_at=date.starts_at,
        traded=traded_picks(league_id),
        keepers=planned(league_id),
        created_by=member_id,
    )


def _write_seats(draft_id: int, seats: Sequence[Seat]) -> None:
    """Write the seats of now. Queues stay, because they belong to franchises."""
    franchises = [seat.franchise for seat in seats]
    no_longer_there = DraftSeat.franchise.not_in(franchises)
    db.session.execute(delete(DraftSeat).where(DraftSeat.draft_id == draft_id, no_longer_there))
    # A member may have moved to a franchise that comes earlier in the list.
    db.session.execute(
        update(DraftSeat).where(DraftSeat.draft_id == draft_id).values(member_id=None)
    )
    rows = [
        {
            "draft_id": draft_id,
            "franchise": seat.franchise,
            "name": seat.name,
            "member_id": seat.member_id,
        }
        for seat in seats
    ]
    upsert(DraftSeat, ("draft_id", "franchise"), rows)
