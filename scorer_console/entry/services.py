"""Services for scorers: registering games, entering events. Each is one transaction.

Events get their numbers in record/numbering.py, the only way into the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from app.core.db import db, transaction
from app.core.errors import UserError
from app.record import events as ev
from app.record.events import InvalidEventError, body_from
from app.record.models import Club, Game
from app.record.rules.football.rulebook import STANDARD, chapter_names, rulebook_of, season_of
from app.record.rules.misplaced import fault as misplaced_fault
from app.record.rules.misplaced import misplaced
from app.record.rules.proof import Setting
from app.record.rules.proof_plays import Clubs
from app.stream.models import OutboxMessage
from scorer_console import queries
from scorer_console.entry import rules
from scorer_console.entry.consequences import Moved, moved
from scorer_console.games.registering import COMPETITION
from scorer_console.lease import leases
from scorer_console.lease.leases import ScoredGame
from scorer_console.lesson.rules import LESSON
from scorer_console.queries import Desk
from scorer_console.record.accepted import AcceptedEvents, accepted_events, remember
from scorer_console.record.effective_events import Fold, placed_like
from scorer_console.record.numbering import (
    Accepted,
    Entry,
    Numbers,
    RefusedEntryError,
    Sender,
    add_parts,
)
from scorer_console.record.unbalanced import newly_unbalanced
from scorer_console.roster import queries as roster


@dataclass(frozen=True)
class Registration:
    """The form's input, unchecked.

    An empty `game_id` is derived from day and clubs. `kickoff` is in the local time of `zone`.
    """

    game_id: str
    home: str
    away: str
    kickoff: str
    zone: str
    week: int | None
    season_type: str = "REG"
    competition: str = "nfl"


def register_game(registration: Registration) -> Game | dict[str, str]:
    """Register a game. Returns it, or what to change, one sentence per field. Commits."""
    r = registration
    moment, faults = rules.kickoff_utc(r.kickoff, r.zone)
    clubs = set(db.session.scalars(select(Club.id)))
    day = datetime.fromisoformat(r.kickoff).date() if moment else None
    game_id = r.game_id.strip() or (
        rules.suggested_game_id(day, r.away, r.home) if day else "unknown"
    )
    faults |= rules.game_faults(game_id, r.home, r.away, r.week, clubs)
    if not COMPETITION.fullmatch(r.competition):
        faults["competition"] = (
            "Use lowercase letters, digits and hyphens, e.g. nfl or city-league."
        )
    if r.season_type not in rules.SEASON_TYPES:
        faults["season_type"] = "Choose one from the list."
    if faults or moment is None or day is None:
        return faults
    game = Game(
        id=game_id,
        competition=r.competition,
        season=season_of(day),
        season_type=r.season_type,
        week=r.week,
        kickoff=moment,
        time_zone=r.zone,
        home_id=r.home,
        away_id=r.away,
    )
    db.session.add(game)
    try:
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return {
            "game_id": (
                f"There is already a game {game_id}. Open it from the list, or choose another id."
            )
        }
    return game


class NoPracticeError(UserError):
    """The practice game cannot be begun or deleted; the text says why."""


@dataclass(frozen=True)
class Practice:
    """A practice game to be begun, by the rules of `competition`. A lesson asks for its plays."""

    home: str
    away: str
    competition: str = STANDARD
    is_lesson: bool = False


def begin_practice(practice: Practice, scorer: str, now: datetime) -> Game:
    """Begin a practice game. It is entered like any other, but never published. Commits.

    Only scorers see it. A member (`scorer`, by id) can begin one per second. It is played by the
    rules of its competition for the season of `now`. Raises NoPracticeError if the clubs or the
    competition are not known.
    """
    home, away, competition = practice.home, practice.away, practice.competition
    clubs = set(db.session.scalars(select(Club.id)))
    if faults := rules.game_faults("practice-game", home, away, 1, clubs):
        raise NoPracticeError(" ".join(faults.values()))
    if competition not in chapter_names():
        raise NoPracticeError(
            f"There are no rules for the competition {competition!r}. Choose one from the list."
        )
    game = Game(
        id=f"{LESSON if practice.is_lesson else 'practice-'}{now:%Y%m%d-%H%M%S}-{scorer}",
        competition=competition,
        season=0,
        season_type="PRE",
        week=0,
        kickoff=now,
        home_id=home,
        away_id=away,
        is_practice=True,
    )
    db.session.add(game)
    try:
        db.session.commit()
    except IntegrityError as error:
        db.session.rollback()
        raise NoPracticeError("You just started a practice game. Open it from the list.") from error
    return game


def throw_away_practice(game_id: str) -> None:
    """Delete a practice game with all its events. No other games can be deleted.

    Commits. Raises NoPracticeError.
    """
    game = db.session.get(Game, game_id)
    if game is None or not game.is_practice:
        raise NoPracticeError("Only practice games can be discarded.")
    db.session.execute(delete(OutboxMessage).where(OutboxMessage.game_id == game_id))
    db.session.execute(delete(Game).where(Game.id == game_id))
    db.session.commit()


@dataclass(frozen=True)
class Submitted:
    """One unchecked event of an entry. For `play_number` and `number` see numbering.Entry."""

    body: dict[str, Any]
    play_number: int | None = None
    number: int | None = None


@dataclass(frozen=True)
class Entered:
    """One outcome per event of an entry, in order, and the game as it is after it."""

    outcomes: list[Accepted]
    desk: Desk


def enter(
    game_id: str, key: str, events: Sequence[Submitted], now: datetime, sender: Sender
) -> Entered:
    """Accept all events of one entry, in order, or none. Commits.

    The game is read in the same transaction, which saves another one for the answer. If the key was
    accepted before, the first numbers are returned again. Raises UnknownGameError,
    LeaseLostError, RefusedEntryError or InvalidEventError; the text names the event, the field and
    the remedy.
    """
    entries = []
    for index, event in enumerate(events):
        try:
            body = body_from(event.body)
        except InvalidEventError as error:
            raise InvalidEventError(_placed(str(error), index, len(events))) from error
        entries.append(
            Entry(body, f"{key}:{index}", event.play_number, is_checked=True, number=event.number)
        )
    with transaction():
        added = add_parts(game_id, entries, now, sender, partial(_refuse_misfits, now=now))
        desk = queries.desk(game_id, now)
    assert desk is not None  # it is locked
    remember(game_id, added.events)
    return Entered(added.outcomes, desk)


def _refuse_misfits(
    game: ScoredGame, before: AcceptedEvents, entries: Sequence[Entry], *, now: datetime
) -> None:
    """Raise RefusedEntryError if the entry does not fit the game.

    It names a wrong club or person, has an action that its play cannot have, or a timeout too many.

    Call it while the game is locked.
    """
    if fault := (
        _club_fault(game, entries)
        or _idle_fault(before.fold, entries)
        or _situation_fault(game, before.fold, entries, now)
        or _timeout_fault(game, before.fold, entries)
        or _person_fault(game, before.fold, entries)
    ):
        raise RefusedEntryError(fault)


def preview(game_id: str, events: Sequence[Submitted], now: datetime) -> list[Moved]:
    """Return what an entry would change if it were accepted now. Nothing is written.

    Raises UnknownGameError, RefusedEntryError, InvalidEventError.
    """
    game = leases.scored_game(game_id)
    fold = accepted_events(game_id).fold
    numbers = Numbers(replace(game, epoch=max(1, game.epoch)), fold, now)
    entries = [
        Entry(body_from(event.body), "", event.play_number, is_checked=True) for event in events
    ]
    after = fold.with_events(numbers.event(entry, entry.body) for entry in entries)
    if fault := _idle_fault(fold, entries):
        raise RefusedEntryError(fault)
    return [*_broken(game, fold, after), *moved(game_id, fold, after, game.clubs)]


def _broken(game: ScoredGame, before: Fold, after: Fold) -> list[Moved]:
    """Return the plays that would no longer follow from the plays before them.

    The last play is left out, because only the next snap shows whether it adds up.
    """
    setting = Setting(Clubs(*game.clubs), rulebook_of(game), game.is_playoff)
    findings = newly_unbalanced(game.id, setting, before.in_order, after.in_order)
    words = [f"Play {finding.play_number}: {finding.what}" for finding in findings]
    return [Moved("No longer balances", words)] if words else []


def _club_fault(game: ScoredGame, entries: Sequence[Entry]) -> str | None:
    """Name a club in the entry that does not play."""
    for index, entry in enumerate(entries):
        fault = rules.club_fault(entry.body, *game.clubs)
        if fault is not None:
            return _placed(fault, index, len(entries))
    return None


def _idle_fault(before: Fold, entries: Sequence[Entry]) -> str | None:
    """Say that an entry which only corrects changes nothing."""
    targets = []
    for entry in entries:
        if not isinstance(entry.body, ev.Overturn | ev.StatCorrection):
            return None
        stands = before.body(entry.body.event)
        if stands is None or placed_like(entry.body.ruling, stands) != stands:
            return None
        targets.append(entry.body.event)
    named = " and ".join(map(str, targets))
    return f"This changes nothing. Event {named} already says so." if targets else None


def _situation_fault(
    game: ScoredGame, before: Fold, entries: Sequence[Entry], now: datetime
) -> str | None:
    """Name an action that its play cannot have after the entry: a run on a try."""
    numbers = Numbers(game, before, now)
    events = [numbers.event(entry, entry.body) for entry in entries]
    after = before.with_events(events)
    corrected = [after.event(target) for event in events for target in ev.targets(event.body)]
    for play in sorted({event.play_number for event in [*events, *corrected]}):
        stood = misplaced([each.body for each in before.in_play(play)])
        bodies = [each.body for each in after.in_play(play)]
        snap = next((body for body in bodies if isinstance(body, ev.Snap)), None)
        wrong = next((body for body in misplaced(bodies) if body not in stood), None)
        if snap is not None and wrong is not None:
            return misplaced_fault(wrong, snap.situation)
    return None


def _person_fault(game: ScoredGame, before: Fold, entries: Sequence[Entry]) -> str | None:
    """Name somebody in the entry who is not on the roster of their club.

    Earlier events of the same entry can put them there.
    """
    bodies = [entry.body for entry in entries]
    clubs = roster.clubs_of_named(before, *game.clubs, bodies)
    known = roster.footballers(bodies)
    for index, body in enumerate(bodies):
        fault = roster.person_fault(body, *game.clubs, clubs, known)
        if fault is not None:
            return _placed(fault, index, len(bodies))
        fact = getattr(body, "ruling", body)
        if isinstance(fact, ev.RosterFact):
            clubs[fact.player] = fact.team
    return None


def _timeout_fault(game: ScoredGame, before: Fold, entries: Sequence[Entry]) -> str | None:
    """Return a sentence if the entry has a timeout of a club that has none left."""
    if not any(isinstance(entry.body, ev.Timeout) for entry in entries):
        return None
    return rules.timeout_faults(
        before.in_order,
        [entry.body for entry in entries],
        game.clubs,
        rulebook_of(game),
        is_playoff=game.is_playoff,
    )


def _placed(fault: str, index: int, count: int) -> str:
    return fault if count == 1 else f"Event {index + 1} of {count}: {fault}"
