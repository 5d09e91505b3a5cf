"""The console's screen as values: strip, line, log, and the situation for the browser's prompts.

This module combines the results of the queries. The rules of football are in app/record/rules, and
the sentences in app/record/words.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any

import msgspec

from app.core.clock import to_ms
from app.record import events as ev
from app.record.rules.football.ball import ball_after
from app.record.rules.football.rulebook import Rulebook, rulebook_of
from app.record.rules.football.situation import last_play, next_snap
from app.record.rules.football.suggestion import Suggestion
from app.record.rules.order import Numbered
from app.record.rules.proof import Setting
from app.record.rules.proof_plays import Clubs, Finding
from app.record.rules.reviews import challenges_of, plays_under_review
from app.record.rules.state import GameState
from app.record.words import clock_words, down_and_distance, period_words, spot
from scorer_console import queries
from scorer_console.entry.situation_events import last_entries, standing
from scorer_console.entry.snapshots import Snapshot, snapshot_of
from scorer_console.lease.leases import Lease
from scorer_console.lesson import rules as lesson_rules
from scorer_console.lesson.rules import Lesson
from scorer_console.offline import waiting
from scorer_console.offline.waiting import WaitingRow
from scorer_console.plays.log import LoggedPlay, LogRow, by_play, titles_of
from scorer_console.plays.play_list import events_of, plays, room
from scorer_console.plays.sentences import Sentences, sentences_of
from scorer_console.queries import NOT_SENT, ConsoleGame, Deliveries, Delivery, Desk
from scorer_console.record.accepted import AcceptedEvents, accepted_events, is_spotters
from scorer_console.record.effective_events import EffectiveEvent, inverse, takes_back
from scorer_console.record.unbalanced import unbalanced_in
from scorer_console.roster.queries import PlayerRow, changed, unknown_numbers

LOG_ROWS = 30
RECENT_ENTRIES = 12


@dataclass(frozen=True)
class Line:
    """The progress of publishing and ingesting the record.

    `state` is the most serious of dead, waiting, behind and clear.
    """

    state: str
    words: str


PRACTICE = Line("practice", "Practice: nothing is published")


@dataclass(frozen=True)
class Strip:
    """The line at the top of the screen.

    `board` has the away and home score of the stadium's board if the plays give another score.
    """

    status: str
    home_score: int
    away_score: int
    board: tuple[int, int] | None
    under_review: tuple[int, ...]
    period: str
    clock: str
    possession: str
    down: str
    spot: str
    situation: str
    play_number: int
    next_event: int


@dataclass(frozen=True)
class Screen:
    """Everything that the console shows. `unbalanced` are contradictions, the newest first."""

    game: ConsoleGame
    strip: Strip
    line: Line
    log: list[LoggedPlay]
    situation: dict[str, Any]
    lease: Lease | None
    rulebook: Rulebook
    unbalanced: Sequence[Finding]
    lesson: Lesson | None


@dataclass(frozen=True)
class Beside:
    """What the screen shows beside the record.

    `roster` are the registered players, and `people` those whose row the game's events change.
    `version` is that of the screen. `waiting` are the entries of all browsers.
    """

    version: str
    now: datetime
    roster: Sequence[PlayerRow]
    people: Sequence[PlayerRow]
    deliveries: Deliveries
    lease: Lease | None
    waiting: Sequence[WaitingRow]

    @classmethod
    def of(
        cls,
        desk: Desk,
        recorded: Record,
        roster: Sequence[PlayerRow],
        deliveries: Deliveries,
        now: datetime,
    ) -> Beside:
        """Load what is missing."""
        people = changed(recorded.accepted.fold, *recorded.clubs, roster)
        waits: Sequence[WaitingRow] = ()
        if desk.has_waiting:
            names = names_of(roster, people)
            waits = waiting.shown(desk.game.id, recorded.accepted, names, now)
        return cls(
            version=desk.version,
            now=now,
            roster=roster,
            people=people,
            deliveries=deliveries,
            lease=desk.lease,
            waiting=waits,
        )

    def sentences(self, game: ConsoleGame) -> Sentences:
        """Return the game's events in words."""
        return sentences_of(game.id, names_of(self.roster, self.people))


def names_of(*rows: Sequence[PlayerRow]) -> dict[str, str]:
    """Return the players' names by id; the last row of a player counts."""
    return {player.id: player.name for player in chain(*rows)}


@dataclass(frozen=True)
class Record:
    """The record of a game, and the current situation according to the rules."""

    game: ConsoleGame
    accepted: AcceptedEvents
    book: Rulebook

    @classmethod
    def of(cls, desk: Desk) -> Record:
        """Load the record of a game."""
        return cls(desk.game, accepted_events(desk.game.id, desk.newest), rulebook_of(desk.game))

    @cached_property
    def clubs(self) -> tuple[str, str]:
        """Home and away."""
        return self.game.home.id, self.game.away.id

    @cached_property
    def events(self) -> list[EffectiveEvent]:
        """The events that count, in the order of the game."""
        return self.accepted.fold.in_order

    @cached_property
    def setting(self) -> Setting:
        """Clubs and rules."""
        return Setting(Clubs(*self.clubs), self.book, self.is_playoff)

    @cached_property
    def snapshot(self) -> Snapshot:
        """What is known after these events without reading all of them again."""
        return snapshot_of(self.game.id, self.setting, self.events)

    @cached_property
    def challenges(self) -> list[Numbered]:
        """The challenges that count."""
        challenges = self.accepted.fold.of_kind(ev.Challenge)
        return [(event.event_number, event.play_number, event.body) for event in challenges]

    @cached_property
    def state(self) -> GameState:
        """Status, score and reviews."""
        progress = self.snapshot.progress
        if not self.challenges or progress.course.final:
            return progress.state(())
        corrections = [
            (event.event_number, event.play_number, event.body)
            for event in self.accepted.fold.corrections
        ]
        return progress.state(plays_under_review([*self.challenges, *corrections]))

    @property
    def is_delayed(self) -> bool:
        """Whether play is delayed."""
        return self.snapshot.progress.course.is_delayed

    @cached_property
    def last_play(self) -> tuple[ev.Snap | None, Sequence[ev.Body]]:
        """The snap of the current play, and the bodies that followed it."""
        return last_play(self.events)

    @cached_property
    def suggestion(self) -> Suggestion:
        """The likely next snap."""
        home, away = self.clubs
        scores = self.snapshot.progress.scores
        return next_snap(self.events, home=home, away=away, book=self.book, scores=scores)

    @property
    def is_live(self) -> bool:
        """Whether the ball was snapped but nothing of the play is recorded yet."""
        snap, action = self.last_play
        return snap is not None and not _has_action(action) and not self.suggestion.check

    @property
    def is_playoff(self) -> bool:
        """Whether the game is a playoff."""
        return self.game.season_type == "POST"

    @cached_property
    def current_play(self) -> int:
        """The play that goes on: the last one in the order of the game."""
        return self.accepted.fold.current_play(self.game.last_play_number)

    @property
    def next_event(self) -> int:
        """The number that the next event gets."""
        return self.game.last_event_number + 1

    @property
    def snapped_play(self) -> int:
        """The play of the last snap that counts; 0 before the first."""
        snaps = (event for event in reversed(self.events) if isinstance(event.body, ev.Snap))
        return next((snap.play_number for snap in snaps), 0)


def situation(desk: Desk, roster: Sequence[PlayerRow], now: datetime) -> dict[str, Any]:
    """Return the situation for the browser's prompts."""
    recorded = Record.of(desk)
    beside = Beside.of(desk, recorded, roster, queries.backlog(desk), now)
    return situation_of(recorded, beside)


def screen(desk: Desk, roster: Sequence[PlayerRow], now: datetime) -> Screen:
    """Return the screen of a game."""
    recorded = Record.of(desk)
    deliveries = queries.deliveries(desk, recorded.accepted.last_number - LOG_ROWS + 1)
    return screen_of(recorded, Beside.of(desk, recorded, roster, deliveries, now))


def screen_of(recorded: Record, beside: Beside) -> Screen:
    """Return the screen of this record. Reads nothing."""
    game = recorded.game
    return Screen(
        game=game,
        strip=_strip(recorded),
        line=_line_of(recorded, beside),
        log=_log(recorded.accepted, beside.deliveries, beside.sentences(game), game),
        situation=situation_of(recorded, beside),
        lease=beside.lease,
        rulebook=recorded.book,
        unbalanced=_unbalanced(recorded),
        lesson=_lesson(recorded, beside.roster, beside.people),
    )


def situation_of(recorded: Record, beside: Beside) -> dict[str, Any]:
    """Return the situation of this record. Reads nothing."""
    return {
        "lease": _lease(beside.lease, beside.now),
        "waiting": [msgspec.to_builtins(entry) for entry in beside.waiting],
        "version": beside.version,
        "next_event": recorded.next_event,
        "play_number": recorded.current_play,
        "line": msgspec.to_builtins(_line_of(recorded, beside)),
        "people": [msgspec.to_builtins(player) for player in beside.people],
        **_football(recorded),
        **_history(recorded, beside.sentences(recorded.game)),
    }


def _football(recorded: Record) -> dict[str, Any]:
    """Return score, ball and next snap according to the game's rules."""
    game, state, book = recorded.game, recorded.state, recorded.book
    snap, action = recorded.last_play
    timeouts = recorded.snapshot.timeouts.left(recorded.clubs, book, is_playoff=recorded.is_playoff)
    return {
        "status": state.status,
        "delayed": recorded.is_delayed,
        "reliable": state.reliable,
        "under_review": state.under_review,
        "score": {game.home.id: state.home_score, game.away.id: state.away_score},
        "live": recorded.is_live,
        "suggestion": msgspec.to_builtins(recorded.suggestion),
        "snap": ev.body_to(snap) if snap else None,
        "ball": msgspec.to_builtins(ball_after(snap, action, *recorded.clubs, book))
        if snap
        else None,
        "passed": _pass_of(action),
        "period": _period(recorded.events, book),
        "timeouts": msgspec.to_builtins(timeouts),
        "challenges": challenges_of(recorded.challenges, recorded.clubs),
    }


def _history(recorded: Record, sentences: Sentences) -> dict[str, Any]:
    """Return the plays and entries that the prompts offer, and who acted in them."""
    game, accepted = recorded.game, recorded.accepted
    snapped = recorded.snapped_play
    return {
        "last_play": game.last_play_number,
        "standing": standing(accepted.fold),
        "entered": last_entries(accepted),
        "recent_players": msgspec.to_builtins(recorded.snapshot.recent),
        "unknown": [
            msgspec.to_builtins(unknown)
            for unknown in unknown_numbers(recorded.snapshot.unknown, *recorded.clubs)
        ],
        "play_events": events_of(accepted.fold, sentences, snapped) if snapped else [],
        "plays": plays(accepted.fold, sentences),
        "recent": _recent(accepted, sentences, game),
    }


def _unbalanced(recorded: Record) -> Sequence[Finding]:
    return unbalanced_in(recorded.game.id, recorded.setting, recorded.events)[::-1]


def _lease(lease: Lease | None, now: datetime) -> dict[str, Any] | None:
    """Return who scores the game, or did last; None if nobody has. `since` is in milliseconds."""
    if lease is None:
        return None
    return {
        "epoch": lease.epoch,
        "console": lease.console,
        "holder": lease.holder,
        "since": to_ms(lease.taken_at),
        "live": lease.is_live(now),
    }


def _has_action(action: Sequence[ev.Body]) -> bool:
    return any(
        not isinstance(body, ev.Timeout | ev.Challenge | ev.RosterFact | ev.CoinToss | ev.Delay)
        for body in action
    )


def _strip(recorded: Record) -> Strip:
    state, snap = recorded.state, recorded.suggestion
    home, away = recorded.clubs
    situation = "game over" if snap.over else "next"
    return Strip(
        status="delayed" if recorded.is_delayed else state.status,
        home_score=state.home_score,
        away_score=state.away_score,
        board=None if state.reliable else (state.reported_away_score, state.reported_home_score),
        under_review=state.under_review,
        period=period_words(snap.period),
        clock=clock_words(snap.clock),
        possession=snap.possession,
        down=down_and_distance(snap.as_snap()),
        spot=spot(snap.possession, snap.spot, away if snap.possession == home else home),
        situation="ball live" if recorded.is_live else situation,
        play_number=recorded.current_play,
        next_event=recorded.next_event,
    )


def _line_of(recorded: Record, beside: Beside) -> Line:
    if recorded.game.is_practice:
        return PRACTICE
    return _line(recorded.accepted, beside.deliveries)


def _line(accepted: AcceptedEvents, deliveries: Deliveries) -> Line:
    parts = [
        ("dead", deliveries.refused, "refused by ingestion"),
        ("waiting", deliveries.waiting, "waiting to be published"),
        ("behind", deliveries.behind, "published, not ingested yet"),
    ]
    backlogs = [(state, f"{count} {words}") for state, count, words in parts if count]
    if backlogs:
        return Line(backlogs[0][0], ", ".join(words for _, words in backlogs))
    return Line(
        "clear", "All published and ingested" if accepted.entries else "Nothing entered yet"
    )


def _log(
    accepted: AcceptedEvents, deliveries: Deliveries, sentences: Sentences, game: ConsoleGame
) -> list[LoggedPlay]:
    """Return the last events by play. Overturned ones are shown as entered, struck out."""
    rows = []
    for event in reversed(accepted.fold.entered[-LOG_ROWS:]):
        number, body = event.event_number, event.body
        delivery = deliveries.rows.get(number, NOT_SENT)
        state, label, detail = (
            ("practice", "Practice", "kept here") if game.is_practice else _state(delivery)
        )
        rows.append(
            LogRow(
                number=number,
                play=event.play_number,
                type=ev.type_of(body),
                words=sentences.of(body),
                state=state,
                label=label,
                detail=detail,
                struck=not ev.targets(body) and accepted.fold.body(number) != body,
            )
        )
    titles = titles_of(accepted.fold, [row.play for row in rows], (game.home.id, game.away.id))
    return by_play(rows, titles)


def _lesson(
    recorded: Record, roster: Sequence[PlayerRow], brought_in: Sequence[PlayerRow]
) -> Lesson | None:
    """Return how far the lesson is; None if the game is none."""
    game = recorded.game
    if not (game.is_practice and lesson_rules.is_lesson(game.id)):
        return None
    plays = [
        [event.body for event in events]
        for _, group in groupby(recorded.events, key=lambda event: event.play_number)
        for events in [list(group)]
        if any(isinstance(event.body, ev.Snap) for event in events)
    ]
    people = (*roster, *brought_in)
    jerseys = {player.id: player.number for player in people if player.number is not None}
    asked = lesson_rules.tasks(game.away.id, game.home.id, recorded.book, roster)
    return lesson_rules.lesson(asked, plays, jerseys)


def _state(delivery: Delivery) -> tuple[str, str, str]:
    if not delivery.published and not delivery.ingested:
        return "waiting", "Waiting", "not published yet"
    at = (
        f"partition {delivery.partition}, offset {delivery.offset}"
        if delivery.partition is not None
        else "published"
    )
    if delivery.refused is not None:
        return "dead", "Refused", f"{delivery.refused} ({at})"
    if delivery.ingested:
        return "ingested", "Ingested", at
    return "published", "Published", at


def _recent(
    accepted: AcceptedEvents, sentences: Sentences, game: ConsoleGame
) -> list[dict[str, Any]]:
    """Return the last entries, newest first.

    Each has its bodies by their latest ruling, the bodies that take it back, and the ball before
    it. Entries that no longer count at all are left out.
    """
    newest_first = zip(reversed(accepted.entries), reversed(accepted.fold.entered), strict=True)
    rows = []
    for name, group in islice(groupby(newest_first, key=itemgetter(0)), RECENT_ENTRIES):
        entry = [event for _, event in group][::-1]
        numbers = [event.event_number for event in entry]
        bodies = inverse(accepted.fold, numbers)
        if not bodies:
            continue
        rows.append(
            {
                "numbers": numbers,
                "words": " ".join(sentences.of(event.body) for event in entry),
                "correction": all(ev.targets(event.body) for event in entry),
                "undone": takes_back(event.body for event in entry),
                "room": room(accepted.fold, numbers)
                if not any(ev.targets(event.body) for event in entry)
                else None,
                "spotter": is_spotters(name),
                "play_number": entry[0].play_number,
                "bodies": [ev.body_to(accepted.fold.last_body(event)) for event in entry],
                "undo": [ev.body_to(body) for body in bodies],
                **_before(_first_after_snap(entry), accepted, game),
            }
        )
    return rows


def _first_after_snap(entry: Sequence[ev.GameEvent]) -> int:
    """Return the number of an entry's first event.

    If the entry opened its play with a snap, it is the number of the event after the snap.
    """
    opens = len(entry) > 1 and isinstance(entry[0].body, ev.Snap)
    return entry[1 if opens else 0].event_number


def _before(number: int, accepted: AcceptedEvents, game: ConsoleGame) -> dict[str, Any]:
    """Return the snap and the ball of the event's play as they were before the event."""
    snap, action = last_play(accepted.fold.before(number))
    book = rulebook_of(game)
    if snap is None:
        return {"snap": None, "ball": None}
    return {
        "snap": ev.body_to(snap),
        "ball": _ball(snap, action, (game.home.id, game.away.id), book),
    }


def _ball(
    snap: ev.Snap, action: Sequence[ev.Body], clubs: tuple[str, str], book: Rulebook
) -> dict[str, Any]:
    ball: dict[str, Any] = msgspec.to_builtins(ball_after(snap, action, *clubs, book))
    return ball


def _period(events: Sequence[EffectiveEvent], book: Rulebook) -> dict[str, Any]:
    """Return the period that is being played, or the next one to begin.

    `seconds` is its length.
    """
    period, running = 0, False
    for event in reversed(events):
        if isinstance(event.body, ev.Snap):
            period, running = max(period, event.body.period), True
        elif isinstance(event.body, ev.Period):
            period, running = max(period, event.body.period), running or event.body.phase == "start"
            break
    following = period if running else period + 1
    return {"period": following, "running": running, "seconds": book.period_seconds(following)}


def _pass_of(action: Sequence[ev.Body]) -> dict[str, Any] | None:
    """Return the pass of the play, if any, so that an interception does not enter a second one."""
    for body in action:
        if isinstance(body, ev.Pass):
            return ev.body_to(body)
    return None
