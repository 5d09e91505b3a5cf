"""Joining a competition's window, and taking attempts in it.

Guarantees: a player is in a window once, in the next free seat of their tier. Concurrent requests
never take more attempts than there are, and repeating a request changes nothing. Each act is one
transaction. What a score does is decided in app/scores: it counts by the attempt that was taken, or
by when it was achieved (tables.py).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Player
from app.boards.catalogue import queries as catalogue
from app.boards.models import Mode
from app.competitions import declaration as declared
from app.competitions.declaration import Declaration
from app.competitions.models import (
    LIVE,
    Competition,
    CompetitionAttempt,
    CompetitionEntry,
    CompetitionInvitation,
    CompetitionWindow,
)
from app.competitions.rules import take_seat
from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.scores.events import event_id
from app.scores.models import ScoreAttemptKey

# Codes: no window to join, the deadline is over, the player may not join, the window before is
# being settled, no attempts left, not joined.
NO_WINDOW, TOO_LATE, NOT_ALLOWED, SETTLING = "no_window", "too_late", "not_allowed", "settling"
NO_ATTEMPTS, NOT_JOINED, REUSED = "no_attempts", "not_joined", "attempt_reused"


@dataclass(frozen=True)
class Taken:
    """An attempt that was taken, with its number in the entry's window, from 1.

    It expires with the window. `left`: None if attempts are not limited.
    """

    attempt_id: UUID
    number: int
    left: int | None
    window: CompetitionWindow


def join(
    competition_id: UUID, player_id: UUID, now: datetime, *, by_server: bool
) -> CompetitionEntry | Refusal:
    """Put the player into the current window, or into the next one. Commits.

    A player who is in it already keeps their entry. The tier is the one that their last settled
    window gave them, at first the lowest. The player must exist.
    """
    with transaction():
        competition = db.session.get_one(Competition, competition_id, populate_existing=True)
        declaration = declared.read(competition.declaration)
        window = _open_window(competition, now)
        if isinstance(window, Refusal):
            return window
        entry = entry_of(window, player_id)
        if entry is not None:
            return entry
        refused = _may_not_play(competition, window, player_id, now)
        refused = refused or _not_admitted(competition, declaration, player_id, by_server)
        if refused is not None:
            return refused
        # Seats are taken one at a time, and no settlement places others meanwhile.
        locked = select(CompetitionWindow).where(
            CompetitionWindow.competition_id == competition.id,
            CompetitionWindow.number == window.number,
        )
        db.session.execute(locked.with_for_update(key_share=True))
        entry = entry_of(window, player_id)
        if entry is not None:
            return entry
        last = _last_entry(window, player_id)
        if last is not None and last.next_tier is None:
            return _settling(window)
        tier = min((last and last.next_tier) or 1, len(declaration.tiers))
        return _seat(window, declaration, player_id, tier, now)


def take_attempt(
    competition_id: UUID, player_id: UUID, attempt_id: UUID | None, now: datetime
) -> Taken | Refusal:
    """Take an attempt in the current window. Commits.

    An attempt is spent when it is taken, so nobody can discard a bad game. An `attempt_id` that was
    taken in this window before gives the same attempt again.
    """
    with transaction():
        competition = db.session.get_one(Competition, competition_id, populate_existing=True)
        declaration = declared.read(competition.declaration)
        window = _open_window(competition, now)
        if isinstance(window, Refusal):
            return window
        if now < window.starts_at:
            text = (
                f"Window {window.number} starts at {window.starts_at.isoformat()}. Request "
                "an attempt then."
            )
            return Refusal(NO_WINDOW, "competition", text)
        query = select(CompetitionEntry).where(
            CompetitionEntry.competition_id == competition.id,
            CompetitionEntry.window_number == window.number,
            CompetitionEntry.player_id == player_id,
        )
        entry = db.session.scalar(
            query.with_for_update(key_share=True).execution_options(populate_existing=True)
        )
        if entry is None:
            last = _last_entry(window, player_id)
            if last is not None and last.next_tier is None:
                return _settling(window)
            text = (
                f"player_id has not joined window {window.number} of this competition. Join "
                "it first."
            )
            return Refusal(NOT_JOINED, "player_id", text)
        return _take(window, declaration, entry, attempt_id or uuid4(), now)


def invite(competition_id: UUID, player_ids: Collection[UUID], now: datetime) -> None:
    """Invite these players, who must exist; invited players stay invited. Commits."""
    rows = [
        {"competition_id": competition_id, "player_id": player_id, "invited_at": now}
        for player_id in sorted(set(player_ids))
    ]
    with transaction():
        db.session.execute(insert(CompetitionInvitation).on_conflict_do_nothing(), rows)


def entry_of(window: CompetitionWindow, player_id: UUID) -> CompetitionEntry | None:
    """The player's entry in the window, or None."""
    query = select(CompetitionEntry).where(
        CompetitionEntry.competition_id == window.competition_id,
        CompetitionEntry.window_number == window.number,
        CompetitionEntry.player_id == player_id,
    )
    entry: CompetitionEntry | None = db.session.scalar(
        query.execution_options(populate_existing=True)
    )
    return entry


def current_window(competition_id: UUID, now: datetime) -> CompetitionWindow | None:
    """The current window, or the next one; None if all are over."""
    query = select(CompetitionWindow).where(
        CompetitionWindow.competition_id == competition_id, CompetitionWindow.ends_at > now
    )
    window: CompetitionWindow | None = db.session.scalar(
        query.order_by(CompetitionWindow.number).limit(1)
    )
    return window


def _open_window(competition: Competition, now: datetime) -> CompetitionWindow | Refusal:
    if competition.state != LIVE:
        reason = (
            "has ended: join another one"
            if competition.ended_at
            else "is a draft: set it live first"
        )
        return Refusal(NO_WINDOW, "competition", f"{competition.title} {reason}.")
    window = current_window(competition.id, now)
    if window is None:
        return Refusal(
            NO_WINDOW,
            "competition",
            f"The last window of {competition.title} is over. Join another competition.",
        )
    return window


def _may_not_play(
    competition: Competition, window: CompetitionWindow, player_id: UUID, now: datetime
) -> Refusal | None:
    """Why nobody, or not this player, may join the window now."""
    mode = db.session.get_one(Mode, competition.mode_id, populate_existing=True)
    player = db.session.get_one(Player, player_id, populate_existing=True)
    if catalogue.is_archived(mode):
        return Refusal(NO_WINDOW, "competition", f"{mode.title} is archived and accepts no scores.")
    if player.banned_until is not None and now < player.banned_until:
        return Refusal(
            NOT_ALLOWED,
            "player_id",
            "This player cannot send scores, so they cannot join.",
        )
    if now >= window.join_until:
        text = (
            f"Window {window.number} could be joined until {window.join_until.isoformat()}. "
            "Join the next one."
        )
        return Refusal(TOO_LATE, "competition", text)
    return None


def _not_admitted(
    competition: Competition, declaration: Declaration, player_id: UUID, by_server: bool
) -> Refusal | None:
    """Why the declaration does not admit the player."""
    if declaration.join == "server" and not by_server:
        return Refusal(
            NOT_ALLOWED, "player_id", "Only the game's server can add players to this competition."
        )
    if (
        declaration.join == "invited"
        and db.session.get(CompetitionInvitation, (competition.id, player_id)) is None
    ):
        return Refusal(
            NOT_ALLOWED,
            "player_id",
            "player_id is not invited to this competition. Invite them first.",
        )
    return None


def _last_entry(window: CompetitionWindow, player_id: UUID) -> CompetitionEntry | None:
    """The player's entry in the latest earlier window."""
    query = select(CompetitionEntry).where(
        CompetitionEntry.competition_id == window.competition_id,
        CompetitionEntry.player_id == player_id,
        CompetitionEntry.window_number < window.number,
    )
    latest = query.order_by(CompetitionEntry.window_number.desc()).limit(1)
    entry: CompetitionEntry | None = db.session.scalar(
        latest.execution_options(populate_existing=True)
    )
    return entry


def _settling(window: CompetitionWindow) -> Refusal:
    text = (
        "The previous window is being settled. Its players are then placed in window "
        f"{window.number} without joining. Try again in a minute."
    )
    return Refusal(SETTLING, "competition", text)


def last_seats(competition_id: UUID, number: int) -> dict[int, int]:
    """The last seat taken in each tier of a window, which the caller has locked."""
    query = (
        select(CompetitionEntry.tier, func.max(CompetitionEntry.seat).label("seat"))
        .where(
            CompetitionEntry.competition_id == competition_id,
            CompetitionEntry.window_number == number,
        )
        .group_by(CompetitionEntry.tier)
    )
    return {row.tier: row.seat for row in db.session.execute(query)}


def _seat(
    window: CompetitionWindow, declaration: Declaration, player_id: UUID, tier: int, now: datetime
) -> CompetitionEntry:
    taken = last_seats(window.competition_id, window.number)
    seat = take_seat(declaration.cohort_size, taken, player_id, tier)
    entry = CompetitionEntry(
        competition_id=window.competition_id,
        window_number=window.number,
        player_id=player_id,
        tier=tier,
        seat=seat.number,
        cohort=seat.cohort,
        joined_at=now,
        counts_from=max(now, window.starts_at),
    )
    db.session.add(entry)
    db.session.flush()
    return entry


def _take(
    window: CompetitionWindow,
    declaration: Declaration,
    entry: CompetitionEntry,
    attempt_id: UUID,
    now: datetime,
) -> Taken | Refusal:
    """Take or find the attempt. The entry's row is locked, so attempts are counted one by one."""
    most = declaration.attempts
    query = select(CompetitionAttempt).where(
        CompetitionAttempt.player_id == entry.player_id, CompetitionAttempt.attempt_id == attempt_id
    )
    taken = db.session.scalar(query.execution_options(populate_existing=True))
    if taken is not None and taken.entry_id == entry.id:
        return Taken(
            attempt_id, taken.number, None if most is None else most - entry.attempts, window
        )
    if (
        taken is not None
        or db.session.get(ScoreAttemptKey, event_id(entry.player_id, attempt_id)) is not None
    ):
        text = (
            "attempt_id was already used, in another window or for a score. Send a new "
            "one, or none."
        )
        return Refusal(REUSED, "attempt_id", text)
    if most is not None and entry.attempts >= most:
        subject = "The one attempt" if most == 1 else f"All {most} attempts"
        text = (
            f"{subject} of window {window.number}, which ends at "
            f"{window.ends_at.isoformat()}, {'was' if most == 1 else 'were'} used. No more "
            "scores count in it."
        )
        return Refusal(NO_ATTEMPTS, "player_id", text)
    entry.attempts += 1
    row = CompetitionAttempt(
        entry_id=entry.id,
        number=entry.attempts,
        player_id=entry.player_id,
        attempt_id=attempt_id,
        taken_at=now,
    )
    db.session.add(row)
    db.session.flush()
    return Taken(
        attempt_id, entry.attempts, None if most is None else most - entry.attempts, window
    )
