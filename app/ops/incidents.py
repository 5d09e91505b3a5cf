"""The history of incidents: what broke, since when, and what mended it.

In PostgreSQL, so that no lost store takes it.

A thread beside the verifier looks every few seconds (workers/watch.py). While PostgreSQL itself is
away, what was seen is kept in memory and written afterwards. Not here: judging a part (health.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import redis
from sqlalchemy import delete, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from app.boards.models import BoardRecord, Mode, ScoreGame
from app.core import clock
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.ops.health import Part
from app.ops.models import DONE, Incident, Operation, StoreStart

SETTLING = timedelta(minutes=2)  # after a start: what has not been up yet is only starting
KEPT = timedelta(days=90)
SHOWN = 20
STARTED_ANEW = {
    "redis": "Redis was started anew: queues, boards and heartbeats that it held were lost",
    "postgres": "PostgreSQL was started anew: transactions that were open were rolled back",
}


@dataclass(frozen=True)
class Start:
    """One life of a store: `id` differs between two of them."""

    id: str
    at: datetime


@dataclass(frozen=True)
class Outage:
    """`ended_at` and `mended_by` None: it goes on."""

    part: str
    cause: str
    began_at: datetime
    ended_at: datetime | None = None
    mended_by: str | None = None


@dataclass
class Watch:
    """What one watch has seen.

    `outages`: by part, those that go on; `ended`: over, and not written yet; `starts`: the newest
    life of each store that was compared with the stored one.
    """

    since: datetime
    seen_up: set[str] = field(default_factory=set)
    outages: dict[str, Outage] = field(default_factory=dict)
    ended: list[Outage] = field(default_factory=list)
    starts: dict[str, Start] = field(default_factory=dict)
    looked_at: datetime | None = None

    def note(
        self,
        parts: Sequence[Part],
        starts: Mapping[str, Start],
        stored: Mapping[str, Start],
        now: datetime,
    ) -> None:
        """Compares a look with the one before.

        `stored`: the starts that PostgreSQL has, empty while it does not answer; then a restart is
        noted by the first look that can read them.
        """
        for store, start in starts.items():
            if store not in stored:
                continue
            is_noted = store in self.starts and self.starts[store].id == start.id
            if stored[store].id != start.id and not is_noted:
                self._note_start(store, start)
            self.starts[store] = start
        for part in parts:
            if part.up:
                self.seen_up.add(part.name)
                if outage := self.outages.pop(part.name, None):
                    self._end(outage, now, "it came back by itself")
            elif (
                part.name not in self.outages
                and not part.because_of
                and self._is_no_start(part, now)
            ):
                self.outages[part.name] = Outage(part.name, part.detail, now)
        self.looked_at = now

    def _note_start(self, store: str, start: Start) -> None:
        """However short it was away: what it held is gone."""
        outage = self.outages.pop(store, None) or Outage(
            store, "", min(self.looked_at or start.at, start.at)
        )
        self._end(
            Outage(store, STARTED_ANEW[store], outage.began_at),
            max(start.at, outage.began_at),
            "it was started again",
        )

    def _end(self, outage: Outage, at: datetime, mended_by: str) -> None:
        self.ended.append(Outage(outage.part, outage.cause, outage.began_at, at, mended_by))

    def _is_no_start(self, part: Part, now: datetime) -> bool:
        return part.name in self.seen_up or now - self.since > SETTLING


def starts() -> dict[str, Start]:
    """The life in which each store is now; those that do not answer are left out."""
    lives = {}
    try:
        info: Any = jobs_redis().info("server")
        lives["redis"] = Start(
            str(info["run_id"]), clock.now() - timedelta(seconds=int(info["uptime_in_seconds"]))
        )
    except (redis.RedisError, OSError):
        pass
    try:
        at = db.session.scalar(text("SELECT pg_postmaster_start_time()"))
        lives["postgres"] = Start(at.isoformat(), at)
    except SQLAlchemyError:
        pass
    finally:
        db.session.rollback()
    return lives


def stored_starts(starts: Mapping[str, Start]) -> dict[str, Start]:
    """The starts that are stored; those of stores that are new here are stored first.

    Commits. Empty if PostgreSQL does not answer.
    """
    try:
        for store, start in starts.items():
            db.session.execute(
                insert(StoreStart)
                .values(store=store, id=start.id, at=start.at)
                .on_conflict_do_nothing()
            )
        stored = {
            row.store: Start(row.id, row.at) for row in db.session.scalars(select(StoreStart))
        }
        db.session.commit()
    except SQLAlchemyError:
        db.session.rollback()
        return {}
    return stored


def forget_starts() -> None:
    """For a start of all of Pressbox, stores included, which is no incident. Commits."""
    db.session.execute(delete(StoreStart))
    db.session.commit()


def save(watch: Watch, up: Collection[str], now: datetime) -> None:
    """Writes what was seen; `up`: parts whose outage, if another watcher left one, is over.

    Commits. Raises SQLAlchemyError: then it is all kept for the next time.
    """
    for outage in watch.ended:  # one after the other: a part has one open incident at a time
        _open(outage)
        _close(outage.part, outage.ended_at or now, outage.mended_by or "", outage.cause)
    for outage in watch.outages.values():
        _open(outage)
    left = db.session.scalars(
        select(Incident.part).where(Incident.ended_at.is_(None), Incident.part.in_(up))
    ).all()
    for part in left:
        _close(part, now, "it came back by itself", None)
    for store, start in watch.starts.items():
        values = {"id": start.id, "at": start.at}
        db.session.execute(
            update(StoreStart)
            .where(StoreStart.store == store, StoreStart.id != start.id)
            .values(values)
        )
    db.session.execute(
        text("DELETE FROM incidents WHERE ended_at < :before"), {"before": now - KEPT}
    )
    db.session.commit()
    watch.ended.clear()


def _open(outage: Outage) -> None:
    values = {"part": outage.part, "cause": outage.cause, "began_at": outage.began_at}
    db.session.execute(insert(Incident).values(**values).on_conflict_do_nothing())


def _close(part: str, at: datetime, mended_by: str, cause: str | None) -> None:
    values = {"ended_at": at, "mended_by": mended_by} | ({"cause": cause} if cause else {})
    for incident in db.session.scalars(
        select(Incident).where(Incident.part == part, Incident.ended_at.is_(None))
    ):
        operations = _operations(incident.began_at, at)
        db.session.execute(
            update(Incident)
            .where(Incident.id == incident.id)
            .values(
                values
                | {"ended_at": max(at, incident.began_at), "mended_by": operations or mended_by}
            )
        )


def _operations(since: datetime, until: datetime) -> str:
    """What operators have done meanwhile, in words."""
    kinds = db.session.scalars(
        select(Operation.kind).where(
            Operation.state == DONE, ~Operation.is_dry_run, Operation.ended_at.between(since, until)
        )
    ).all()
    if not kinds:
        return ""
    # needs NumPy, which the keeper's process does without until then
    from app.ops.drills import DRILLS

    titles = [
        DRILLS[kind].title if kind in DRILLS else "Send dead letters again"
        for kind in dict.fromkeys(kinds)
    ]
    return f"after an operator's “{'”, “'.join(titles)}”"


def latest(limit: int = SHOWN) -> list[Incident]:
    """Those that go on first, then the newest."""
    order = (Incident.ended_at.is_not(None), Incident.began_at.desc(), Incident.id.desc())
    return list(db.session.scalars(select(Incident).order_by(*order).limit(limit)))


@dataclass(frozen=True)
class BoardFault:
    """What the verifier found wrong on a board last, and mended."""

    board: str
    fault: str
    at: datetime


def board_faults(now: datetime, limit: int = 5) -> list[BoardFault]:
    """Of the last day, the newest first."""
    rows = db.session.execute(
        select(
            ScoreGame.slug,
            Mode.slug,
            BoardRecord.window_id,
            BoardRecord.fault,
            BoardRecord.fault_at,
        )
        .join(Mode, Mode.id == BoardRecord.mode_id)
        .join(ScoreGame, ScoreGame.id == Mode.game_id)
        .where(BoardRecord.fault.is_not(None), BoardRecord.fault_at > now - timedelta(days=1))
        .order_by(BoardRecord.fault_at.desc(), BoardRecord.id)
        .limit(limit)
    )
    return [
        BoardFault(f"{game}:{mode}:{window}", str(fault), at or now)
        for game, mode, window, fault, at in rows
    ]
