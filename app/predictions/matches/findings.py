"""Findings: problems in providers' answers for operators, each reported once (PRODUCT C4).

`pressbox tournament findings` and /ops show them. They are found in mapping.py and
answer_checks.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import structlog
from sqlalchemy import ColumnElement, Row, func, select, update

from app.core.db import db
from app.predictions.models import ProviderFinding, Tournament

log = structlog.get_logger(__name__)

SHOWN = timedelta(days=14)  # how long findings that do not last are listed


class Kind(StrEnum):
    """The kinds of findings.

    Lasting findings are true until an answer no longer shows them. The others are single events.
    """

    UNKNOWN_STATUS = "unknown-status"
    LEFT = "left"
    DOUBLED = "doubled"
    UNKNOWN_SCORE = "unknown-score"
    NEW_ID = "new-id"
    NEW_TEAMS = "new-teams"
    LATE_GUESSES = "late-guesses"
    BAD_ROW = "bad-row"
    OVERRULED = "overruled"

    @property
    def is_lasting(self) -> bool:
        """Whether findings of this kind end when an answer no longer shows them."""
        return self in (
            Kind.UNKNOWN_STATUS,
            Kind.LEFT,
            Kind.DOUBLED,
            Kind.UNKNOWN_SCORE,
            Kind.BAD_ROW,
            Kind.OVERRULED,
        )


@dataclass(frozen=True)
class Finding:
    """A finding. `subject` is the status word, or the provider's id of the match.

    `text` says what is wrong and what to do.
    """

    kind: Kind
    subject: str
    text: str


def note(
    tournament_id: UUID, findings: Iterable[Finding], now: datetime, unjudged: Collection[Kind] = ()
) -> list[Finding]:
    """Store the findings of an answer, and return the new ones. Does not commit.

    A lasting finding ends when an answer no longer shows it. If it comes back, it is new again.

    Args:
        tournament_id: The tournament whose provider answered.
        findings: All findings of the answer.
        now: The current time.
        unjudged: Kinds of findings that do not end, because the answer is not complete enough.
    """
    rows = db.session.scalars(
        select(ProviderFinding).where(ProviderFinding.tournament_id == tournament_id)
    )
    known = {(row.kind, row.subject): row for row in rows}
    current = {(finding.kind.value, finding.subject): finding for finding in findings}
    new = []
    for key, finding in current.items():
        row = known.get(key)
        if row is None:
            row = ProviderFinding(
                tournament_id=tournament_id, kind=finding.kind.value, subject=finding.subject
            )
            db.session.add(row)
        elif row.gone_at is None and finding.kind.is_lasting:
            row.text = finding.text
            continue
        row.text, row.seen_at, row.gone_at = finding.text, now, None
        new.append(finding)
    for key, row in known.items():
        kind = Kind(row.kind)
        if key not in current and row.gone_at is None and kind.is_lasting and kind not in unjudged:
            row.gone_at = now
    return new


def end(
    tournament_id: UUID, subjects: Collection[str], kinds: Collection[Kind], now: datetime
) -> None:
    """End findings that an operator's decision has resolved. Does not commit."""
    which = (
        ProviderFinding.tournament_id == tournament_id,
        ProviderFinding.subject.in_(subjects),
        ProviderFinding.kind.in_([kind.value for kind in kinds]),
        ProviderFinding.gone_at.is_(None),
    )
    db.session.execute(update(ProviderFinding).where(*which).values(gone_at=now))


def report(tournament_id: UUID, new: Iterable[Finding]) -> None:
    """Write a log line for each new finding; call it after the commit."""
    for finding in new:
        log.warning(
            "provider_finding",
            tournament_id=str(tournament_id),
            kind=finding.kind.value,
            subject=finding.subject,
            text=finding.text,
        )


def _is_current(now: datetime) -> tuple[ColumnElement[bool], ...]:
    lasting = [kind.value for kind in Kind if kind.is_lasting]
    is_shown = ProviderFinding.kind.in_(lasting) | (ProviderFinding.seen_at > now - SHOWN)
    return (Tournament.is_active.is_(True), ProviderFinding.gone_at.is_(None), is_shown)


def current(
    now: datetime, tournament_id: UUID | None = None
) -> Sequence[Row[ProviderFinding, str]]:
    """Load current findings of active tournaments (or of one) with the tournament's name.

    The newest come first.
    """
    query = (
        select(ProviderFinding, Tournament.name.label("tournament"))
        .join(Tournament, Tournament.id == ProviderFinding.tournament_id)
        .where(*_is_current(now))
        .order_by(ProviderFinding.seen_at.desc(), ProviderFinding.id.desc())
    )
    if tournament_id is not None:
        query = query.where(ProviderFinding.tournament_id == tournament_id)
    return db.session.execute(query).all()


def count(now: datetime) -> dict[str, int]:
    """Return the number of current findings by kind."""
    query = select(ProviderFinding.kind, func.count()).join(Tournament).where(*_is_current(now))
    return dict(db.session.execute(query.group_by(ProviderFinding.kind)).all())
