"""A tournament's projections in Redis, as a store to compare with PostgreSQL (comparison.py)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any
from uuid import UUID

from sqlalchemy import select

from app.core.db import db
from app.ops.comparison import Rows, shown
from app.predictions.models import Tournament
from app.predictions.projections import bodies
from app.predictions.projections import store as projections

ORDER, VERSION = "order of the members", "version"


class TournamentStore:
    """The leaderboard by member, its order and version, and cached matches and standings."""

    size = 1

    def __init__(self, tournament_id: UUID, name: str) -> None:
        self.name = f"Tournament {name}"
        self._id = tournament_id

    def chunks(self) -> Iterator[Rows]:
        """Yield one chunk, because the leaderboard is one value of at most 10,000 rows."""
        yield self._expected()

    def expected(self, keys: Sequence[str]) -> Rows:
        """Return what PostgreSQL holds for these keys."""
        return _of(self._expected(), keys)

    def held(self, keys: Sequence[str]) -> Rows:
        """Return what the store holds for these keys."""
        return _of(self._held(), keys)

    def counts(self) -> tuple[int, int]:
        """Count the rows in PostgreSQL and in the store."""
        return len(self._expected()), len(self._held())

    def strangers(self, most: int) -> list[str]:
        """Return keys of the store that PostgreSQL does not know."""
        expected = self._expected()
        return [key for key in self._held() if key not in expected][:most]

    def shown(self, value: Any) -> str:
        """Format the value."""
        return shown(value)

    def at_rest(self) -> nullcontext[bool]:
        """Keep nobody out; a settlement that is projected meanwhile is read again later."""
        return nullcontext(True)

    def _expected(self) -> dict[str, object]:
        db.session.rollback()
        rows: dict[str, object] = _leaderboard(bodies.entries(self._id))
        rows[VERSION] = db.session.scalar(
            select(Tournament.version).where(Tournament.id == self._id)
        )
        rows |= {
            name: _digest(stored.make())
            for name, stored in projections.held_bodies(self._id).items()
        }
        db.session.rollback()
        return rows

    def _held(self) -> dict[str, object]:
        entries, version = projections.held_leaderboard(self._id)
        rows: dict[str, object] = {} if entries is None else _leaderboard(entries)
        if version is not None:
            rows[VERSION] = version
        return rows | {
            name: _digest(stored.body) for name, stored in projections.held_bodies(self._id).items()
        }


def _leaderboard(entries: Sequence[bodies.Entry]) -> dict[str, object]:
    rows: dict[str, object] = {
        f"member {entry.member_id}": f"{entry.points} for {entry.nick_name}" for entry in entries
    }
    return rows | {ORDER: _digest(" ".join(rows).encode())}


def _of(rows: Rows, keys: Sequence[str]) -> Rows:
    return {key: rows[key] for key in keys if key in rows}


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:12]
