"""The history of incidents: what broke, since when, and what ended it.

It is in PostgreSQL, so that it survives the loss of any other store. A thread beside the verifier
checks every few seconds (workers/watch.py). While PostgreSQL does not answer, observations are kept
in memory and written afterwards.
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

SETTLING = timedelta(minutes=2)  # after a start, in which parts that were not up yet may start
KEPT = timedelta(days=90)
SHOWN = 20
STARTED_ANEW = {
    "redis": "Redis restarted and lost its queues, boards and heartbeats",
    "postgres": "PostgreSQL restarted and rolled back open transactions",
}


@dataclass(frozen=True)
class Start:
    """A start of a store, with an `id` that is different after each start."""

    id: str
    at: datetime


@dataclass(frozen=True)
class Outage:
    """A part that is or was down; it goes on while `ended_at` and `mended_by` are None."""

    part: str
    cause: str
    began_at: datetime
    ended_at: datetime | None = None
    mended_by: str | None = None


@dataclass
class Watch:
    """What a watch has seen.

    Attributes:
        since: When it began.
        seen_up: Parts that were up before.
        outages: Those that go on, by part.
        ended: Those that are over and not written yet.
        starts: The newest start of each store that was compared with the stored one.
        looked_at: When it looked last.
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
        """Note what has changed since the previous look.

        Args:
            parts: The present state.
            starts: The present start of each store.
            stored: The starts that PostgreSQL has. It is empty while PostgreSQL does not answer;
                then the first look that can read them notes a restart.
            now: The present.
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
                    self._end(outage, now, "it recovered on its own")
            elif (
                part.name not in self.outages
                and not part.because_of
                and self._is_no_start(part, now)
            ):
                self.outages[part.name] = Outage(part.name, part.detail, now)
        self.looked_at = now

    def _note_start(self, store: str, start: Start) -> None:
        """Note a restart, however short: what the store held is lost."""
        outage = self.outages.pop(store, None) or Outage(
            store, "", min(self.looked_at or start.at, start.at)
        )
        self._end(
            Outage(store, STARTED_ANEW[store], outage.began_at),
            max(start.at, outage.began_at),
            "it was restarted",
        )

    def _end(self, outage: Outage, at: datetime, mended_by: str) -> None:
        self.ended.append(Outage(outage.part, outage.cause, outage.began_at, at, mended_by))

    def _is_no_start(self, part: Part, now: datetime) -> bool:
        return part.name in self.seen_up or now - self.since > SETTLING


def starts() -> dict[str, Start]:
    """Return the present start of each store that answers."""
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
    """Return the stored starts; those of new stores are stored first. Commits.

    Empty if PostgreSQL does not answer.
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
    """Forget the starts, because a start of all of Pressbox is not an incident. Commits."""
    db.session.execute(delete(StoreStart))
    db.session.commit()


def save(watch: Watch, up: Collection[str], now: datetime) -> None:
    """Write what was seen. Commits.

    Args:
        watch: What was seen.
        up: Parts that are up, so that outages left open by another watcher are over.
        now: The present.

    Raises:
        SQLAlchemyError: PostgreSQL does not answer; everything is kept for the next time.
    """
    for outage in watch.ended:  # in turn, because a part has at most one open incident
        _open(outage)
        _close(outage.part, outage.ended_at or now, outage.mended_by or "", outage.cause)
    for outage in watch.outages.values():
        _open(outage)
    left = db.session.scalars(
        select(Incident.part).where(Incident.ended_at.is_(None), Incident.part.in_(up))
    ).all()
    for part in left:
        _close(part, now, "it recovered on its own", None)
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
    """Say what operators have done meanwhile."""
    kinds = db.session.scalars(
        select(Operation.kind).where(
            Operation.state == DONE, ~Operation.is_dry_run, Operation.ended_at.between(since, until)
        )
    ).all()
    if not kinds:
        return ""
    # imported late, because it needs NumPy, which the watch avoids
    from app.ops.drills import DRILLS

    titles = [
        DRILLS[kind].title if kind in DRILLS else "Send dead letters again"
        for kind in dict.fromkeys(kinds)
    ]
    return f"after an operator's “{'”, “'.join(titles)}”"


def latest(limit: int = SHOWN) -> list[Incident]:
    """Return incidents: those that go on first, then the newest."""
    order = (Incident.ended_at.is_not(None), Incident.began_at.desc(), Incident.id.desc())
    return list(db.session.scalars(select(Incident).order_by(*order).limit(limit)))


@dataclass(frozen=True)
class BoardFault:
    """The last fault that the verifier found on a board and repaired."""

    board: str
    fault: str
    at: datetime


def board_faults(now: datetime, limit: int = 5) -> list[BoardFault]:
    """Return the faults of the last day, the newest first."""
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
