"""The lease of a game: one console at a time may number its events (PRODUCT A2).

The lease has a fencing epoch. A lease that has expired is never renewed: the next console that
takes the game, even the same one, gets a new epoch, and entries under the old one are refused. The
lease is checked at each entry (numbering.py) and at ingestion (app/record/ingest.py).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, bindparam, select, update

from app.core.db import db, transaction
from app.core.errors import UserError
from app.record.models import Game, ScorerLease

LEASE = timedelta(seconds=20)
RENEW_WITHIN = timedelta(seconds=15)  # of its end: an open console renews every five seconds


class UnknownGameError(UserError):
    """No game of this id is registered."""


class LeaseHeldError(UserError):
    """Somebody else is scoring the game; the text says who and what to do."""


class LeaseLostError(UserError):
    """The entry comes from a console whose lease is over; the text says why and what to do."""


class HandedOverError(LeaseLostError):
    """Another console has the game, or had it since the entry was made.

    The entry must be compared with the record first.
    """


@dataclass(frozen=True)
class ScoredGame:
    """What entering events needs to know of a game: its clubs, rules and counters."""

    id: str
    home_id: str
    away_id: str
    competition: str
    season: int
    season_type: str
    kickoff: datetime
    last_event_number: int
    last_play_number: int
    epoch: int
    is_practice: bool

    @property
    def clubs(self) -> tuple[str, str]:
        """Home and away."""
        return self.home_id, self.away_id

    @property
    def is_playoff(self) -> bool:
        """Whether the game is a playoff."""
        return self.season_type == "POST"


@dataclass(frozen=True)
class Holder:
    """A console (one open page, or a command) and the person at it."""

    console: str
    name: str


@dataclass(frozen=True)
class Lease:
    """A console's right to number the events of a game."""

    game_id: str
    epoch: int
    console: str
    holder: str
    taken_at: datetime
    expires_at: datetime

    def is_live(self, now: datetime) -> bool:
        """Whether it has not expired. Expired leases are never renewed."""
        return now < self.expires_at


def current(game_id: str) -> Lease | None:
    """Load the newest lease of the game, live or ended; None if nobody has scored it yet."""
    row = db.session.execute(
        select(ScorerLease)
        .where(ScorerLease.game_id == game_id)
        .order_by(ScorerLease.epoch.desc())
        .limit(1)
        .execution_options(populate_existing=True)
    ).scalar_one_or_none()
    return _lease(row) if row else None


def take(game_id: str, holder: Holder, now: datetime, *, take_over: bool = False) -> Lease:
    """Renew this console's lease, or take the game under a new epoch. Commits.

    With `take_over`, it takes the game from somebody else too. Otherwise it raises LeaseHeldError
    if somebody else has the game. Raises UnknownGameError.
    """
    with transaction():
        game = lock(game_id)
        lease = db.session.get(ScorerLease, (game_id, game.epoch), populate_existing=True)
        if lease is not None and now < lease.expires_at:
            if lease.console == holder.console:
                lease.expires_at = now + LEASE
                return _lease(lease)
            if not take_over:
                raise LeaseHeldError(
                    f"{lease.holder} is scoring this game. Watch, or take it over."
                )
            lease.expires_at = now
        epoch = game.epoch + 1
        db.session.execute(update(Game).where(Game.id == game_id).values(epoch=epoch))
        taken = ScorerLease(
            game_id=game_id,
            epoch=epoch,
            first_event_number=game.last_event_number + 1,
            console=holder.console,
            holder=holder.name,
            taken_at=now,
            expires_at=now + LEASE,
        )
        db.session.add(taken)
    return _lease(taken)


def renew(game_id: str, console: str, now: datetime) -> None:
    """Renew the lease of a console that still holds the game. Commits."""
    result = db.session.execute(
        update(ScorerLease)
        .where(
            ScorerLease.game_id == game_id,
            ScorerLease.epoch == select(Game.epoch).where(Game.id == game_id).scalar_subquery(),
            ScorerLease.console == console,
            ScorerLease.expires_at > now,
            ScorerLease.expires_at < now + RENEW_WITHIN,
        )
        .values(expires_at=now + LEASE)
        .returning(ScorerLease.epoch)
    )
    if result.first() is not None:
        db.session.commit()


def give_back(game_id: str, console: str, now: datetime) -> None:
    """End the console's lease, if it has one, so that the next console need not wait. Commits."""
    with transaction():
        db.session.execute(
            update(ScorerLease)
            .where(
                ScorerLease.game_id == game_id,
                ScorerLease.console == console,
                ScorerLease.expires_at > now,
            )
            .values(expires_at=now)
        )


_SCORED = select(*(getattr(Game, field.name) for field in fields(ScoredGame))).where(
    Game.id == bindparam("game")
)
_LOCKED = _SCORED.with_for_update()
_SINCE = (
    select(ScorerLease.epoch, ScorerLease.console, ScorerLease.holder, ScorerLease.expires_at)
    .where(ScorerLease.game_id == bindparam("game"), ScorerLease.epoch > bindparam("after"))
    .order_by(ScorerLease.epoch.desc())
)


def scored_game(game_id: str) -> ScoredGame:
    """Load the game without locking it. Raises UnknownGameError."""
    return _scored(_SCORED, game_id)


def lock(game_id: str) -> ScoredGame:
    """Lock the game's row, so that nobody else numbers its events until the transaction ends."""
    return _scored(_LOCKED, game_id)


def _scored(statement: Select[Any], game_id: str) -> ScoredGame:
    row = db.session.execute(statement, {"game": game_id}).one_or_none()
    if row is None:
        raise UnknownGameError(f"There is no game {game_id}. Register it first.")
    return ScoredGame(*row)


def require(game: ScoredGame, console: str, now: datetime, made_under: int | None = None) -> None:
    """Raise LeaseLostError unless this console holds the locked game now.

    `made_under` is the epoch that the scorer knew of when they made the entry, or None if it is
    made right now. Raises HandedOverError if another console has had the game since, because it may
    have entered the same play.
    """
    after = game.epoch - 1 if made_under is None else min(made_under, game.epoch - 1)
    leases = db.session.execute(_SINCE, {"game": game.id, "after": after}).all()
    if not leases or leases[0].epoch != game.epoch:
        raise LeaseLostError("Nobody is scoring this game yet. Take it first.")
    current_lease = leases[0]
    if current_lease.console != console:
        raise HandedOverError(
            f"{current_lease.holder} took over the game, so your entries no longer count. Take "
            "the game back to continue."
        )
    if now >= current_lease.expires_at:
        raise LeaseLostError("Your time on the game ran out. Take it again to continue.")
    others = [lease.holder for lease in leases if lease.console != console]
    if others:
        raise HandedOverError(
            f"{others[0]} had the game after you entered this. Compare it with the record, then "
            "send or drop it."
        )


def holders(game_id: str) -> dict[int, str]:
    """Load who held the game, by epoch."""
    rows = db.session.execute(
        select(ScorerLease.epoch, ScorerLease.holder).where(ScorerLease.game_id == game_id)
    )
    return dict(rows.all())


def _lease(row: ScorerLease) -> Lease:
    return Lease(row.game_id, row.epoch, row.console, row.holder, row.taken_at, row.expires_at)
