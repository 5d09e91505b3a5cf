"""Loads a draft for one of those who may see it, and what its pages read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import exists, func, select, true, tuple_

from app.accounts.crests import team_colour
from app.accounts.member_pictures import team_colours
from app.accounts.models import Member, MemberSession
from app.accounts.sanctions import is_active
from app.core.db import db
from app.draft_leagues.drafts import events
from app.draft_leagues.drafts.models import DraftEvent, DraftQueue, DraftRow, DraftSeat
from app.draft_leagues.drafts.ranked import Pool
from app.draft_leagues.drafts.ranking import load_pool, plan_of
from app.draft_leagues.drafts.rules import Draft, fold
from app.draft_leagues.franchises.services import franchise_of, runs_league, teams
from app.fantasy.leagues.commissioners import is_active_member
from app.fantasy.standings.models import LeagueMember


@dataclass(frozen=True)
class Room:
    """A draft as a member may enter it.

    Attributes:
        franchise: Whose picks are the member's; None for somebody who watches.
        runs: Whether the member is the commissioner of this draft.
    """

    draft_id: int
    member_id: int
    league_id: int | None
    name: str
    franchise: int | None
    runs: bool


@dataclass(frozen=True)
class Seat:
    """A franchise at the draft."""

    franchise: int
    name: str
    member_id: int | None


@dataclass(frozen=True)
class Snapshot:
    """A draft at one version, the same for everybody. `colours`: of teams, by member."""

    row: DraftRow
    draft: Draft
    pool: Pool
    seats: Sequence[Seat]
    colours: Mapping[int, int]

    def name_of(self, franchise: int) -> str:
        """The franchise's name."""
        return next((seat.name for seat in self.seats if seat.franchise == franchise), "")

    def colour_of(self, franchise: int) -> int:
        """The number of the franchise's color, 1 to 16."""
        owner = next((seat.member_id for seat in self.seats if seat.franchise == franchise), None)
        return team_colour(franchise, self.colours.get(owner or 0))


def load_room(draft_id: int, member_id: int) -> Room | None:
    """The draft for this member; None if there is none that they may see.

    A league's draft is for its members. A mock draft may be watched by every member.
    """
    row = db.session.get(DraftRow, draft_id)
    if row is None:
        return None
    if row.league_id is None:
        franchise = _seat_of(draft_id, member_id)
        runs = row.created_by == member_id
    else:
        if not is_active_member(row.league_id, member_id):
            return None
        franchise = franchise_of(row.league_id, member_id)
        runs = runs_league(row.league_id, member_id)
    return Room(draft_id, member_id, row.league_id, row.name, franchise, runs)


def load_snapshot(draft_id: int, *, version: int | None = None) -> Snapshot:
    """The draft as it is, or as it was at an earlier version. Reads one consistent state."""
    row = db.session.get_one(DraftRow, draft_id, populate_existing=True)
    plan = plan_of(row)
    last = row.version if version is None else min(version, row.version)
    bodies = db.session.scalars(
        select(DraftEvent.body)
        .where(DraftEvent.draft_id == draft_id, DraftEvent.number <= last)
        .order_by(DraftEvent.number)
    )
    draft = fold(plan, map(events.event_of, bodies))
    seats = seats_of(row)
    colours = team_colours(seat.member_id for seat in seats)
    return Snapshot(row, draft, load_pool(row.season_id, plan), seats, colours)


def seats_of(row: DraftRow) -> list[Seat]:
    """The franchises of the draft, by number.

    Those of a league are as they are now: an owner may be replaced during the draft.
    """
    if row.league_id is not None:
        return [Seat(team.number, team.name, team.member_id) for team in teams(row.league_id)]
    rows = db.session.execute(
        select(DraftSeat.franchise, DraftSeat.name, DraftSeat.member_id)
        .where(DraftSeat.draft_id == row.id)
        .order_by(DraftSeat.franchise)
    )
    return [Seat(*seat) for seat in rows]


def queue_of(draft_id: int, franchise: int) -> list[str]:
    """The ids in the franchise's queue, in order."""
    queue = db.session.get(DraftQueue, (draft_id, franchise), populate_existing=True)
    return list(queue.footballer_ids) if queue else []


def franchise_count(draft_id: int) -> int:
    """How many franchises draft."""
    return len(plan_of(db.session.get_one(DraftRow, draft_id)).order)


def mocks_of(member_id: int, limit: int) -> Sequence[DraftRow]:
    """The member's mock drafts, the latest first."""
    return db.session.scalars(
        select(DraftRow)
        .where(DraftRow.created_by == member_id, DraftRow.league_id.is_(None))
        .order_by(DraftRow.id.desc())
        .limit(limit)
    ).all()


def watched(draft_ids: Sequence[int]) -> dict[int, tuple[int, bool]]:
    """The version of each draft, and whether its clock has decided something by now."""
    rows = db.session.execute(
        select(DraftRow.id, DraftRow.version, DraftRow.due_at <= func.clock_timestamp()).where(
            DraftRow.id.in_(draft_ids)
        )
    )
    return {row[0]: (row[1], bool(row[2])) for row in rows}


def may_watch(streams: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
    """Those of these drafts and ids of sessions that may go together now.

    Not if the session has ended, its member is kept out, or they have left the draft's league.
    """
    if not streams:
        return set()
    pair = tuple_(DraftRow.id, MemberSession.id)
    membership = exists().where(
        LeagueMember.league_id == DraftRow.league_id, LeagueMember.member_id == Member.id
    )
    rows = db.session.execute(
        select(DraftRow.id, MemberSession.id)
        .select_from(MemberSession)
        .join(Member, Member.id == MemberSession.member_id)
        .join(DraftRow, true())
        .where(
            pair.in_(streams),
            MemberSession.ended_at.is_(None),
            is_active(),
            DraftRow.league_id.is_(None) | membership,
        )
    )
    return {(draft_id, session_id) for draft_id, session_id in rows}


def _seat_of(draft_id: int, member_id: int) -> int | None:
    return db.session.scalar(
        select(DraftSeat.franchise).where(
            DraftSeat.draft_id == draft_id, DraftSeat.member_id == member_id
        )
    )
