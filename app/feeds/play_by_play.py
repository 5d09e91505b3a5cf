"""Enters a publisher's play-by-play into the official record, by difference and game by game.

Each game is one transaction, in which the difference is computed while the game's row is locked
(difference.py). So it does not matter where a run ends, and whether two run at once. Whoever else
enters events of a game, or takes it over, has it from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import structlog
from sqlalchemy import select

from app.core import clock
from app.core.csv_files import FileError
from app.core.db import db, transaction, upsert
from app.feeds.difference import Difference, Group, difference, groups_of, is_foreign
from app.feeds.entered import Entered, Source, UnknownFeedError
from app.feeds.models import Feed, FeedGame
from app.record import events as ev
from app.record.club_ids import stored_club_id
from app.record.models import Game, PublishedScore, ScorerLease
from app.record.play_by_play.published import PublishedGame, read_published_games
from app.record.script import GameScript
from app.record.services import register_game
from scorer_console.lease import leases
from scorer_console.lease.leases import Holder, LeaseHeldError, LeaseLostError
from scorer_console.record.accepted import AcceptedEvents, accepted_events, remember
from scorer_console.record.numbering import RefusedEntryError, add

log = structlog.get_logger(__name__)

FEED = Holder(console="feed", name="The feed")
_OTHER_CONSOLES = ("declaring-",)  # hold a game only to declare its status
_COURSE = ev.GameEnded | ev.Final


class _HandedOverError(Exception):
    """Somebody else has the game."""

    def __init__(self, game_id: str, who: str) -> None:
        super().__init__(who)
        self.game_id = game_id
        self.who = who


class _LeftAloneError(Exception):
    """Nothing of the game is entered this time; the text says why and what to do."""


@dataclass
class _Run:
    """What a run has done so far."""

    feed_id: int
    games: dict[str, FeedGame]
    scores: Mapping[str, tuple[int, int]]
    club_id: Callable[[str, int], str]
    changes: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    last_events: dict[str, int] = field(default_factory=dict)

    def handed_over(self, error: _HandedOverError) -> None:
        self.findings.append(
            f"{error.game_id} is left alone, because {error.who} entered part of the game or took "
            "it over. Continue it in the scorer's console."
        )

    def count(self, change: Difference) -> None:
        self.changes["plays entered"] += change.entered
        self.changes["plays corrected"] += change.corrected
        self.changes["plays removed"] += change.removed
        self.changes["games final"] += change.declares_final
        self.changes["events"] += len(change.entries)


def enter(path: Path, source: Source) -> Entered:
    """Enter what is new in the file. Commits game by game.

    A game that cannot be read, or that somebody else has, is a finding; all others are entered.

    Raises:
        FileError: The file cannot be read any further.
        UnknownFeedError: The feed was removed meanwhile.
    """
    return _go_through(path, source, _enter_game)


def preview(path: Path, source: Source) -> Entered:
    """Say what `enter` would do; the caller rolls back."""
    return _go_through(path, source, _preview_game)


def _go_through(path: Path, source: Source, act: Callable[[_Run, PublishedGame], None]) -> Entered:
    run = _begin(source)
    for game in read_published_games(path):
        try:
            act(run, game)
        except FileError as error:
            db.session.rollback()
            run.findings.append(f"{game.ids[0]} was not changed. {_without_folder(error, path)}")
        except _HandedOverError as error:
            db.session.rollback()
            run.handed_over(error)
        except (_LeftAloneError, RefusedEntryError, LeaseLostError) as error:
            db.session.rollback()
            run.findings.append(f"{game.ids[0]} was not changed. {error}")
    return Entered(dict(run.changes), tuple(run.findings), run.last_events)


def _without_folder(error: FileError, path: Path) -> str:
    return str(error).replace(f"{path.parent}/", "")


def _begin(source: Source) -> _Run:
    games = {
        row.game_id: row
        for row in db.session.scalars(select(FeedGame).where(FeedGame.feed_id == source.feed_id))
    }
    db.session.expunge_all()
    scores = {
        game_id: (home, away)
        for game_id, home, away in db.session.execute(
            select(PublishedScore.game_id, PublishedScore.home_score, PublishedScore.away_score)
            .join(Game, Game.id == PublishedScore.game_id)
            .where(Game.competition == source.competition, Game.season == source.season)
        )
    }
    ids: dict[tuple[str, int], str] = {}

    def club_id(name: str, season: int) -> str:
        if (name, season) not in ids:
            ids[name, season] = stored_club_id(name, season, source.competition)
        return ids[name, season]

    db.session.rollback()
    return _Run(source.feed_id, games, scores, club_id)


def _enter_game(run: _Run, game: PublishedGame) -> None:
    """Enter what is new of a game. Commits.

    Raises:
        FileError: A row cannot be read.
        _HandedOverError: Somebody else has the game.
        _LeftAloneError: The file has less of the game than before.
    """
    sha256 = game.sha256()
    stored = next((run.games[name] for name in game.ids if name in run.games), None)
    if stored is not None and stored.handed_over_to:
        raise _HandedOverError(stored.game_id, stored.handed_over_to)
    if stored is not None and stored.rows_sha256 == sha256:
        return
    script = game.script(run.club_id)
    with transaction():
        game_id = register_game(script, game.ids)
    groups = _groups(game, script, run.scores.get(game_id))
    try:
        if difference(groups, _accepted(game_id, groups)).entries:
            change = _write(run, game_id, groups, sha256)
            run.count(change)
            log.info("feed_entered", game_id=game_id, events=len(change.entries))
        else:
            with transaction():
                _remember(run, game_id, sha256)
    except _HandedOverError as error:
        db.session.rollback()
        with transaction():
            _remember(run, game_id, sha256, handed_over_to=error.who)
        raise


def _preview_game(run: _Run, game: PublishedGame) -> None:
    """Count what would be entered of a game. The caller rolls back.

    Raises the errors of _enter_game.
    """
    stored = next((run.games[name] for name in game.ids if name in run.games), None)
    if stored is not None and stored.handed_over_to:
        raise _HandedOverError(stored.game_id, stored.handed_over_to)
    if stored is not None and stored.rows_sha256 == game.sha256():
        return
    script = game.script(run.club_id)
    game_id = register_game(script, game.ids)
    groups = _groups(game, script, run.scores.get(game_id))
    run.count(difference(groups, _accepted(game_id, groups)))


def _write(run: _Run, game_id: str, groups: list[Group], sha256: str) -> Difference:
    """Enter the difference between the record and the groups. Commits."""
    try:
        leases.take(game_id, FEED, clock.now())
    except LeaseHeldError as error:
        raise _HandedOverError(game_id, _holder(game_id)) from error
    try:
        with transaction():
            now = clock.now()
            locked = leases.lock(game_id)
            accepted = _accepted(game_id, groups)
            leases.require(locked, FEED.console, now)
            change = difference(groups, accepted)
            entries = [replace(entry, body=ev.check(entry.body)) for entry in change.entries]
            added = add(locked, entries, accepted, now)
            _remember(run, game_id, sha256)
        remember(game_id, added.events)
        run.last_events[game_id] = added.events.last_number
        return change
    finally:
        leases.give_back(game_id, FEED.console, clock.now())


def _accepted(game_id: str, groups: list[Group]) -> AcceptedEvents:
    """The accepted events of the game, all of which are the feed's.

    Raises:
        _HandedOverError: Somebody else entered an event, or held the game.
        _LeftAloneError: The game is over, and the file has only part of it.
    """
    accepted = accepted_events(game_id)
    if who := _other_holder(game_id):
        raise _HandedOverError(game_id, who)
    if any(is_foreign(entry) for entry in accepted.entries):
        raise _HandedOverError(game_id, "someone else")
    is_over = any(isinstance(event.body, ev.Final) for event in accepted.fold.effective)
    if is_over and not any(isinstance(body, ev.Final) for group in groups for body in group.bodies):
        raise _LeftAloneError(
            "The file has only part of it, and the record has the whole game. The next complete "
            "file is imported automatically."
        )
    return accepted


def _other_holder(game_id: str) -> str:
    """Who has held the game besides the feed; empty for nobody."""
    rows = db.session.execute(
        select(ScorerLease.console, ScorerLease.holder)
        .where(ScorerLease.game_id == game_id)
        .order_by(ScorerLease.epoch.desc())
    )
    return next(
        (
            holder
            for console, holder in rows
            if console != FEED.console and not console.startswith(_OTHER_CONSOLES)
        ),
        "",
    )


def _holder(game_id: str) -> str:
    lease = leases.current(game_id)
    return lease.holder if lease else "someone else"


def _groups(game: PublishedGame, script: GameScript, score: tuple[int, int] | None) -> list[Group]:
    """The game's events in groups; without its end as long as the file has only part of it."""
    bodies = [event.body for event in script.events]
    steps = list(zip(script.play_ids, bodies, strict=True))
    if not game.is_over(score):
        while steps and _is_of_the_end(steps[-1][1]):
            steps.pop()
    return groups_of(steps)


def _is_of_the_end(body: ev.Body) -> bool:
    return isinstance(body, _COURSE) or (isinstance(body, ev.Period) and body.phase == "end")


def _remember(run: _Run, game_id: str, sha256: str, handed_over_to: str = "") -> None:
    """Note what was entered of the game. The caller commits.

    Raises:
        UnknownFeedError: The feed was removed meanwhile.
    """
    feed_query = (
        select(Feed.id).where(Feed.id == run.feed_id).with_for_update(read=True, key_share=True)
    )
    if db.session.scalar(feed_query) is None:
        raise UnknownFeedError(run.feed_id)
    row = {
        "feed_id": run.feed_id,
        "game_id": game_id,
        "rows_sha256": sha256,
        "handed_over_to": handed_over_to,
    }
    upsert(FeedGame, ["feed_id", "game_id"], [row])
