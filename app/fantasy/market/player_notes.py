"""News about players, as moderators write it: with a date, a source and a status.

The newest note is what the market says of the player. A roster replaces it as soon as the roster
says something new (season_setup/importing.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from sqlalchemy import select

from app.accounts.models import Member
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.market.models import FootballerSeason, PlayerNote
from app.fantasy.market.statuses import LEFT, STATUSES
from app.record.models import Footballer

LONGEST_TEXT, LONGEST_ADDRESS = 500, 500
NOTED_STATUSES = tuple(status for status in STATUSES if status != LEFT)  # rosters say who left
SHOWN = 10


@dataclass(frozen=True)
class NewNote:
    """A note as a moderator writes it.

    Attributes:
        source_url: The page where the news was read; empty for none.
        status: The new status; empty if it does not change.
    """

    text: str
    source_url: str = ""
    status: str = ""


@dataclass(frozen=True)
class NoteRow:
    """A note as readers see it. `new_status`: empty if the note did not change the status."""

    id: int
    text: str
    source_url: str
    new_status: str
    written_at: datetime

    @property
    def source(self) -> str:
        """The site of the source."""
        return urlsplit(self.source_url).hostname or ""


@dataclass(frozen=True)
class WrittenNote:
    """A note with its player and author, for moderators."""

    note: PlayerNote
    player: str
    author: str


def write_note(
    season_id: int, footballer_id: str, new: NewNote, *, by: int, now: datetime
) -> PlayerNote | Refusal:
    """Write a note about a player on the season's market. Commits."""
    if fault := note_fault(new):
        return fault
    try:
        market = _locked(season_id, footballer_id)
        if market is None:
            return Refusal("unknown", "", "This player is not available this season.")
        status, news = _roster_word(market)
        note = PlayerNote(
            season_id=season_id,
            footballer_id=footballer_id,
            text=new.text.strip(),
            source_url=new.source_url.strip() or None,
            status=new.status or market.status,
            status_before=status,
            news_before=news,
            written_by=by,
            written_at=now,
        )
        db.session.add(note)
        market.status, market.news = note.status, note.text
        audit.record(
            Act.NEWS_WRITTEN,
            actor_id=by,
            subject=f"footballer:{footballer_id}",
            details={"status": new.status or None},
        )
        db.session.commit()
        return note
    finally:
        db.session.rollback()


def erase_note(note_id: int, *, by: int, reason: str) -> PlayerNote | Refusal:
    """Delete a note. If the market says what it said, that becomes the word before it. Commits.

    The text is gone; the audit keeps who erased it and why.
    """
    try:
        note = db.session.get(PlayerNote, note_id)
        market = _locked(note.season_id, note.footballer_id) if note else None
        if note is None or market is None:
            return Refusal("unknown", "", "This note no longer exists. Reload the page.")
        notes = _notes(note.season_id, note.footballer_id)
        if notes[0].id == note.id and _says(market, note):
            earlier = notes[1] if len(notes) > 1 else None
            if earlier is not None and _roster(earlier) == _roster(note):
                market.status, market.news = earlier.status, earlier.text
            else:
                market.status, market.news = _roster(note)
        db.session.delete(note)
        audit.record(
            Act.NEWS_ERASED,
            actor_id=by,
            subject=f"footballer:{note.footballer_id}",
            reason=reason.strip(),
        )
        db.session.commit()
        return note
    finally:
        db.session.rollback()


def note_fault(new: NewNote) -> Refusal | None:
    """What to change about a note, or None."""
    if not 1 <= len(new.text.strip()) <= LONGEST_TEXT:
        return Refusal("text", "text", f"Write the news in 1 to {LONGEST_TEXT} characters.")
    if new.status and new.status not in NOTED_STATUSES:
        return Refusal("status", "status", "Choose a status from the list.")
    if new.source_url.strip() and not _is_web_address(new.source_url.strip()):
        return Refusal(
            "source_url",
            "source_url",
            "Enter the full web address of the source, starting with https://.",
        )
    return None


def _is_web_address(address: str) -> bool:
    """Whether it is the http or https address of a page.

    >>> [_is_web_address(address) for address in ("https://a.org/x", "javascript:x", "https://")]
    [True, False, False]
    """
    if len(address) > LONGEST_ADDRESS or not address.isprintable() or " " in address:
        return False
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def notes_about(season_id: int, footballer_id: str) -> list[NoteRow]:
    """The latest notes about a player, the newest first."""
    notes = _notes(season_id, footballer_id)
    statuses = [*(note.status for note in notes[1:]), notes[-1].status_before] if notes else []
    return [
        NoteRow(
            note.id,
            note.text,
            note.source_url or "",
            note.status if note.status != before else "",
            note.written_at,
        )
        for note, before in zip(notes, statuses, strict=True)
    ][:SHOWN]


def with_notes(season_id: int, listed: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Status and news by player as the market should have them after a roster or list.

    It is what was `listed`, except for players about whom a note stands: for them it is the note,
    as long as the list says the same as before the note.
    """
    standing = {
        note.footballer_id: note
        for note in db.session.scalars(
            select(PlayerNote)
            .join(
                FootballerSeason,
                (FootballerSeason.season_id == PlayerNote.season_id)
                & (FootballerSeason.footballer_id == PlayerNote.footballer_id)
                & (FootballerSeason.status == PlayerNote.status)
                & (FootballerSeason.news == PlayerNote.text),
            )
            .where(PlayerNote.season_id == season_id)
            .order_by(PlayerNote.id)
        )
    }
    return {
        player: (note.status, note.text)
        if (note := standing.get(player)) is not None and _roster(note) == word
        else word
        for player, word in listed.items()
    }


def latest_notes(limit: int, footballer_id: str | None = None) -> Sequence[WrittenNote]:
    """The latest notes about a player, or about anybody, with their authors; the newest first."""
    query = (
        select(PlayerNote, Footballer.name, Member.display_name)
        .join(Footballer, Footballer.id == PlayerNote.footballer_id)
        .join(Member, Member.id == PlayerNote.written_by)
        .order_by(PlayerNote.id.desc())
        .limit(limit)
    )
    if footballer_id is not None:
        query = query.where(PlayerNote.footballer_id == footballer_id)
    return [WrittenNote(*row) for row in db.session.execute(query)]


def _locked(season_id: int, footballer_id: str) -> FootballerSeason | None:
    """The player's row on the market, so that two writers do not pass each other."""
    return db.session.get(
        FootballerSeason,
        (season_id, footballer_id),
        populate_existing=True,
        with_for_update=True,
    )


def _notes(season_id: int, footballer_id: str) -> Sequence[PlayerNote]:
    query = (
        select(PlayerNote)
        .where(PlayerNote.season_id == season_id, PlayerNote.footballer_id == footballer_id)
        .order_by(PlayerNote.id.desc())
    )
    return db.session.scalars(query).all()


def _roster_word(market: FootballerSeason) -> tuple[str, str]:
    """The status and news of the roster, which a note may have replaced on the market."""
    newest = next(iter(_notes(market.season_id, market.footballer_id)), None)
    if newest is not None and _says(market, newest):
        return _roster(newest)
    return market.status, market.news


def _says(market: FootballerSeason, note: PlayerNote) -> bool:
    return bool((market.status, market.news) == (note.status, note.text))


def _roster(note: PlayerNote) -> tuple[str, str]:
    return note.status_before, note.news_before
