"""What may still enter the record after a final score.

Allowed are formal corrections, a newer final score, a changed game status (cancelled or forfeited),
roster facts, and tackles and credits that were noticed late. The rule goes by event numbers, not by
arrival: an event is refused if a final score stood just before its number. So a late message is
judged as it would have been in time, and a rebuild gives the same record. Used by ingestion and by
the console.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import func, select

from app.core.db import db
from app.record import events as ev
from app.record.models import RecordedEvent

REASON = (
    "final: the score was final when this was numbered; correct an event, or take the final score "
    "back and enter it"
)

Said = Iterable[tuple[int, ev.Body]]  # event number and body


def may_follow_final(body: ev.Body) -> bool:
    """Whether the event is allowed after a final score."""
    return isinstance(
        body, ev.Correction | ev.Tackle | ev.Credit | ev.Final | ev.GameStatus | ev.RosterFact
    )


def declares_final(body: ev.Body) -> bool:
    """Whether it is a final score, or makes one of another event."""
    return isinstance(getattr(body, "ruling", body), ev.Final)


def is_final_before(number: int, known_events: Said) -> bool:
    """Whether a final score stands just before event `number`, by the known events below it.

    Of everything said about an event the highest number wins. With a final score as event 9, taken
    back by event 10, event 10 finds it final and event 11 does not.
    """
    last: dict[int, tuple[int, bool]] = {}
    for by, body in known_events:
        if by >= number:
            continue
        match body:
            case ev.Nullify():
                claims = [(target, by, False) for target in body.events]
            case ev.Overturn() | ev.StatCorrection():
                claims = [(body.event, by, declares_final(body))]
            case _:
                claims = [(by, 0, declares_final(body))]
        for target, revision, is_final in claims:
            last[target] = max(last.get(target, (revision, is_final)), (revision, is_final))
    return any(is_final for _, is_final in last.values())


@dataclass
class Judged:
    """The events of a batch that came after a final score, and those that cannot be judged yet."""

    refused: set[ev.GameEvent] = field(default_factory=set)
    unclear: set[ev.GameEvent] = field(default_factory=set)


def judge(events: Iterable[ev.GameEvent]) -> Judged:
    """Which events of a batch are refused because a final score stood before them.

    An event cannot be judged while another one between the final score and it is missing, which may
    have taken the score back. Events that are in the record already stay. The caller has locked the
    games.
    """
    by_game: dict[str, list[ev.GameEvent]] = {}
    for event in events:
        by_game.setdefault(event.game_id, []).append(event)
    judged = Judged()
    first_finals = _first_finals(by_game)
    for game_id, batch in by_game.items():
        finals = [event.event_number for event in batch if declares_final(event.body)]
        stored_final = first_finals.get(game_id)
        first = min(finals if stored_final is None else [*finals, stored_final], default=None)
        open_plays = [
            e
            for e in batch
            if first is not None and e.event_number > first and not may_follow_final(e.body)
        ]
        if first is None or not open_plays:
            continue
        stored = _stored(game_id, first)
        known_bodies = stored | {event.event_number: event.body for event in batch}
        for event in open_plays:
            if event.event_number in stored or not is_final_before(
                event.event_number, known_bodies.items()
            ):
                continue
            is_complete = all(number in known_bodies for number in range(first, event.event_number))
            (judged.refused if is_complete else judged.unclear).add(event)
    return judged


def _first_finals(games: Iterable[str]) -> dict[str, int]:
    """By game, the first event in the record that declared a final score.

    Games without one are left out.
    """
    first = func.min(func.greatest(RecordedEvent.event_number, RecordedEvent.revision))
    rows = db.session.execute(
        select(RecordedEvent.game_id, first)
        .where(RecordedEvent.type == "final", RecordedEvent.game_id.in_(list(games)))
        .group_by(RecordedEvent.game_id)
    )
    return dict(rows.all())


def _stored(game_id: str, first: int) -> dict[int, ev.Body]:
    """The game's recorded events from number `first` on, as they were entered."""
    rows = db.session.execute(
        select(RecordedEvent.event_number, RecordedEvent.body).where(
            RecordedEvent.game_id == game_id,
            RecordedEvent.revision == 0,
            RecordedEvent.event_number >= first,
        )
    )
    return {number: ev.body_from(body) for number, body in rows}
