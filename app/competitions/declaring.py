"""Competitions as integrators declare them: created as drafts, changed, published, ended, deleted.

The audit records who did it. A draft may change completely. Publishing creates the windows; from
then on only the title, the tiers' titles, the number of windows and the correction period may
change (declaration.fixed_changes).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from app.audit import log as audit
from app.audit.acts import Act
from app.boards.catalogue import queries as catalogue
from app.boards.catalogue.titles import title_faults
from app.boards.models import Mode
from app.competitions import declaration as declared
from app.competitions.declaration import Declaration
from app.competitions.models import (
    DRAFT,
    ENDED,
    LIVE,
    Competition,
    CompetitionEntry,
    CompetitionWindow,
)
from app.core.db import db, transaction
from app.core.refusals import Refusal

MOST_OF_A_MODE = 200
TAKEN, STANDS = "taken", "stands"  # codes: the slug is taken; this is fixed once it is live


def find(mode: Mode, name: str) -> Competition | None:
    """The competition of a mode by its slug or UUID."""
    query = select(Competition).where(Competition.mode_id == mode.id)
    try:
        query = query.where(Competition.id == UUID(name))
    except ValueError:
        query = query.where(Competition.slug == name)
    competition: Competition | None = db.session.scalar(
        query.execution_options(populate_existing=True)
    )
    return competition


def of_mode(mode: Mode, *, drafts: bool) -> list[Competition]:
    """The competitions of a mode, newest first, then by slug; MOST_OF_A_MODE at most."""
    query = select(Competition).where(Competition.mode_id == mode.id)
    if not drafts:
        query = query.where(Competition.state != DRAFT)
    return list(db.session.scalars(query.order_by(Competition.created_at.desc(), Competition.slug)))


@dataclass(frozen=True)
class NewCompetition:
    """A competition to be created."""

    slug: str
    title: str
    declaration: Declaration


def create(
    mode: Mode, new: NewCompetition, *, by: int, now: datetime
) -> Competition | list[Refusal]:
    """Create a draft, or return everything that is wrong with it. Commits."""
    refused = [
        *_name_faults(new.title, new.declaration),
        *declared.faults(new.declaration, mode.time_zone),
    ]
    with transaction():
        # without the lock, two that are created at once could exceed the limit
        catalogue.lock_modes([mode.id], exclusive=True)
        count = db.session.scalar(select(func.count()).where(Competition.mode_id == mode.id)) or 0
        if count >= MOST_OF_A_MODE:
            text = (
                f"slug: {mode.title} already has {count} competitions, which is the limit. "
                "Delete drafts first."
            )
            refused.append(Refusal("full", "slug", text))
        if refused:
            return refused
        values = {
            "mode_id": mode.id,
            "slug": new.slug,
            "title": new.title,
            "declaration": declared.plain(new.declaration),
            "created_at": now,
        }
        statement = (
            insert(Competition).values(values).on_conflict_do_nothing().returning(Competition)
        )
        competition: Competition | None = db.session.scalar(statement)
        if competition is None:
            return [
                Refusal(
                    TAKEN,
                    "slug",
                    f"slug: the mode already has a competition {new.slug!r}. Choose another slug.",
                )
            ]
        _audit(competition, mode, by, {"made": values["declaration"]})
    return competition


def change(
    competition_id: UUID,
    title: str | None,
    declaration: Declaration | None,
    *,
    by: int,
    now: datetime,
) -> Competition | list[Refusal]:
    """Make the whole change, or return everything that prevents it. Commits.

    None leaves the title or declaration as it is.
    """
    with transaction():
        competition, mode = _locked(competition_id)
        refused = _name_faults(None if title == competition.title else title, declaration)
        refused += (
            [] if declaration is None else _change_faults(competition, mode, declaration, now)
        )
        if refused:
            return refused
        done: dict[str, Any] = {}
        if title is not None and title != competition.title:
            done["title"] = [competition.title, title]
            competition.title = title
        if declaration is not None and declared.plain(declaration) != competition.declaration:
            done["declaration"] = [competition.declaration, declared.plain(declaration)]
            competition.declaration = declared.plain(declaration)
            if competition.state == LIVE:
                _write_windows(competition, mode, declaration)
        if done:
            _audit(competition, mode, by, done)
    return competition


def _name_faults(title: str | None, declaration: Declaration | None) -> list[Refusal]:
    """What is wrong with the names that players see, those of the competition and its tiers."""
    titles = {
        f"tiers[{number}].title": tier.title
        for number, tier in enumerate(declaration.tiers if declaration else ())
    }
    named = titles | ({"title": title} if title is not None else {})
    faults = [fault for field, text in named.items() for fault in title_faults(field, text)]
    return [Refusal(fault.code, fault.field, f"{fault.field}: {fault.text}") for fault in faults]


def publish(competition_id: UUID, *, by: int, now: datetime) -> Competition | list[Refusal]:
    """Publish a draft: create its windows, so that players may join the first one.

    The mode's aggregation and ties are stored, and all windows are settled by them. Publishing
    again changes nothing. Commits.
    """
    with transaction():
        competition, mode = _locked(competition_id)
        if competition.state != DRAFT:
            return competition
        declaration = declared.read(competition.declaration)
        refused = declared.faults(declaration, mode.time_zone)
        if not refused and declared.span(declaration.schedule, mode.time_zone, 1).starts < now:
            text = (
                "schedule.starts_at is in the past, so nobody could join in time. Choose a "
                "later time."
            )
            refused = [Refusal("wrong", "schedule.starts_at", text)]
        if catalogue.is_archived(mode):
            refused.append(
                Refusal(
                    "archived",
                    "mode",
                    f"mode: {mode.title} is archived. To reopen it, PATCH it with archived false.",
                )
            )
        if refused:
            return refused
        competition.state, competition.live_at = LIVE, now
        competition.aggregation, competition.ties = mode.aggregation, mode.ties
        _write_windows(competition, mode, declaration)
        _audit(competition, mode, by, {"live": True})
    return competition


def end(competition_id: UUID, *, by: int, now: datetime) -> Competition | list[Refusal]:
    """Let no further window begin; the current one is played to its end and settled.

    Ending again changes nothing. Commits.
    """
    with transaction():
        competition, mode = _locked(competition_id)
        if competition.state == DRAFT:
            return [
                Refusal(
                    STANDS, "competition", f"{competition.title} is a draft. Delete it instead."
                )
            ]
        cancelled = db.session.scalars(
            delete(CompetitionWindow)
            .where(
                CompetitionWindow.competition_id == competition.id,
                CompetitionWindow.starts_at > now,
            )
            .returning(CompetitionWindow.number)
        ).all()
        open_ones = select(func.count()).where(
            CompetitionWindow.competition_id == competition.id,
            CompetitionWindow.settled_at.is_(None),
        )
        if competition.state == LIVE and not db.session.scalar(open_ones):
            competition.state, competition.ended_at = ENDED, now
        if cancelled and min(cancelled) > 1:
            schedule = {
                **competition.declaration["schedule"],
                "windows": min(cancelled) - 1,
                "until": None,
            }
            competition.declaration = {**competition.declaration, "schedule": schedule}
        if cancelled:
            _audit(competition, mode, by, {"ended_before_window": min(cancelled)})
    return competition


def remove(competition_id: UUID, *, by: int) -> Refusal | None:
    """Delete a draft. A competition that has been live stays, to keep its rewards. Commits."""
    with transaction():
        competition, mode = _locked(competition_id)
        if competition.state != DRAFT:
            return Refusal(
                STANDS,
                "competition",
                f"{competition.title} has been live, so its rewards are kept. End it instead.",
            )
        _audit(competition, mode, by, {"deleted": True})
        db.session.delete(competition)
    return None


def windows(competition_id: UUID) -> list[CompetitionWindow]:
    """The windows of a competition in order; a draft has none."""
    query = select(CompetitionWindow).where(CompetitionWindow.competition_id == competition_id)
    ordered = query.order_by(CompetitionWindow.number).execution_options(populate_existing=True)
    return list(db.session.scalars(ordered))


def _locked(competition_id: UUID) -> tuple[Competition, Mode]:
    """The competition and its mode, both locked, the mode first as everywhere."""
    mode_id = db.session.scalars(
        select(Competition.mode_id).where(Competition.id == competition_id)
    ).one()
    mode = catalogue.lock_modes([mode_id], exclusive=True)[mode_id]
    query = select(Competition).where(Competition.id == competition_id).with_for_update()
    return db.session.scalars(query.execution_options(populate_existing=True)).one(), mode


def _change_faults(
    competition: Competition, mode: Mode, after: Declaration, now: datetime
) -> list[Refusal]:
    refused = declared.faults(after, mode.time_zone)
    if refused or competition.state == DRAFT:
        return refused
    if competition.state == ENDED:
        return [
            Refusal(STANDS, "state", f"state: {competition.title} has ended. Create another one.")
        ]
    names = declared.fixed_changes(declared.read(competition.declaration), after)
    text = "the competition is live and players rely on it: create another one with the new rules"
    refused = [Refusal(STANDS, name, f"{name}: {text}.") for name in names]
    last = len(declared.spans(after.schedule, mode.time_zone))
    entered = select(func.max(CompetitionEntry.window_number)).where(
        CompetitionEntry.competition_id == competition.id
    )
    begun = select(func.max(CompetitionWindow.number)).where(
        CompetitionWindow.competition_id == competition.id, CompetitionWindow.starts_at <= now
    )
    needed = max(db.session.scalar(entered) or 0, db.session.scalar(begun) or 0)
    if not refused and last < needed:
        name = "schedule.windows" if after.schedule.windows is not None else "schedule.until"
        text = f"{name}: window {needed} has begun or has players. Keep it."
        refused.append(Refusal(STANDS, name, text))
    return refused


def _write_windows(competition: Competition, mode: Mode, declaration: Declaration) -> None:
    """Create missing windows, delete surplus ones, and update the correction period."""
    windows = declared.spans(declaration.schedule, mode.time_zone)
    db.session.execute(
        delete(CompetitionWindow).where(
            CompetitionWindow.competition_id == competition.id,
            CompetitionWindow.number > len(windows),
        )
    )
    rows = []
    for window in windows:
        minutes = declaration.join_minutes
        rows.append(
            {
                "competition_id": competition.id,
                "number": window.number,
                "starts_at": window.starts,
                "ends_at": window.ends,
                "join_until": window.ends
                if minutes is None
                else window.starts + timedelta(minutes=minutes),
                "settles_at": window.ends + timedelta(minutes=declaration.settle_minutes),
                "final_at": window.ends + timedelta(days=declaration.corrections_days),
            }
        )
    statement = insert(CompetitionWindow)
    key = ["competition_id", "number"]
    statement = statement.on_conflict_do_update(
        index_elements=key, set_={"final_at": statement.excluded.final_at}
    )
    db.session.execute(statement, rows)


def _audit(competition: Competition, mode: Mode, by: int, details: dict[str, Any]) -> None:
    subject = f"competition:{catalogue.game_of(mode).slug}:{mode.slug}:{competition.slug}"
    audit.record(Act.COMPETITION_CHANGED, actor_id=by, subject=subject, details=details)
