"""The console's screen as values: strip, line, log, and the situation that the browser's prompts start from.

Lives here: putting the reads together. Not here: football (prompts.py, app/record/rules/state.py) and its sentences
(app/record/words.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby, islice
from typing import Any

from app.core.clock import to_ms
from app.record import events as ev
from app.record.rules.state import GameState, game_state
from app.record.words import clock_words, down_and_distance, period_words, sentence, spot
from scorer_console import leases, queries
from scorer_console.accepted import AcceptedEvents, accepted_events
from scorer_console.effective_events import EffectiveEvent, inverse
from scorer_console.leases import Lease
from scorer_console.prompts import Suggestion, ball_after, last_play, next_snap, period_seconds, recent_players
from scorer_console.queries import NOT_SENT, ConsoleGame, Deliveries, Delivery, PlayerRow

LOG_ROWS = 30
RECENT_ENTRIES = 12


@dataclass(frozen=True)
class LogRow:
    """`state`: waiting, published, ingested, dead or practice; `detail` says where it stands or why it was refused."""

    number: int
    play: int
    type: str
    words: str
    state: str
    label: str
    detail: str
    struck: bool


@dataclass(frozen=True)
class Line:
    """How far the record has come on its way out. `state`, the gravest: dead, waiting, behind or clear."""

    state: str
    words: str


PRACTICE = Line("practice", "Practice: nothing leaves this game")


@dataclass(frozen=True)
class Strip:
    """`board`: away and home score of the stadium's board where the plays do not add up to it."""

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
    game: ConsoleGame
    strip: Strip
    line: Line
    log: list[LogRow]
    situation: dict[str, Any]
    lease: Lease | None


def screen(game: ConsoleGame, version: str, roster: Sequence[PlayerRow], now: datetime) -> Screen:
    accepted = accepted_events(game.id)
    deliveries = queries.deliveries(game.id, accepted.last_number - LOG_ROWS + 1)
    names = {player.id: player.name for player in roster}
    events = accepted.fold.effective
    snap, action = last_play(events)
    suggestion = next_snap(events, home=game.home.id, away=game.away.id)
    counted = [(one.event_number, one.play_number, one.body) for one in events]
    corrections = [(one.event_number, one.play_number, one.body) for one in accepted.fold.corrections]
    state = game_state([*counted, *corrections])
    live = snap is not None and not _has_action(action) and not suggestion.check
    line = PRACTICE if game.is_practice else _line(accepted, deliveries)
    strip = _strip(game, suggestion, state, live=live)
    lease = leases.current(game.id)
    situation = {
        "lease": _lease(lease, now),
        "version": version,
        "next_event": strip.next_event,
        "play_number": strip.play_number,
        "status": state.status,
        "reliable": state.reliable,
        "under_review": state.under_review,
        "score": {game.home.id: state.home_score, game.away.id: state.away_score},
        "live": live,
        "line": asdict(line),
        "suggestion": asdict(suggestion),
        "snap": ev.body_to(snap) if snap else None,
        "ball": asdict(ball_after(snap, action, game.home.id, game.away.id)) if snap else None,
        "recent_players": asdict(recent_players(events)),
        "period": _period(events),
        "play_events": _play_events(events, names),
        "recent": _recent(accepted, names, game),
        "passed": _pass_of(action),
    }
    return Screen(game, strip, line, _log(accepted, deliveries, names, game), situation, lease)


def _lease(lease: Lease | None, now: datetime) -> dict[str, Any] | None:
    """Who scores the game, or did last; None before anybody has. `since` in milliseconds."""
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
    return any(not isinstance(body, ev.Timeout | ev.Challenge) for body in action)


def _strip(game: ConsoleGame, snap: Suggestion, state: GameState, *, live: bool) -> Strip:
    other = game.away.id if snap.possession == game.home.id else game.home.id
    return Strip(
        status=state.status,
        home_score=state.home_score,
        away_score=state.away_score,
        board=None if state.reliable else (state.reported_away_score, state.reported_home_score),
        under_review=state.under_review,
        period=period_words(snap.period),
        clock=clock_words(snap.clock),
        possession=snap.possession,
        down=down_and_distance(snap.as_snap()),
        spot=spot(snap.possession, snap.spot, other),
        situation="ball live" if live else "next",
        play_number=game.last_play_number,
        next_event=game.last_event_number + 1,
    )


def _line(accepted: AcceptedEvents, deliveries: Deliveries) -> Line:
    parts = [
        ("dead", deliveries.refused, "refused by ingestion"),
        ("waiting", deliveries.waiting, "waiting to be published"),
        ("behind", deliveries.behind, "published, not ingested yet"),
    ]
    found = [(state, f"{count} {words}") for state, count, words in parts if count]
    if found:
        return Line(found[0][0], ", ".join(words for _, words in found))
    return Line("clear", "All published and ingested" if accepted.entries else "Nothing entered yet")


def _log(accepted: AcceptedEvents, deliveries: Deliveries, names: Mapping[str, str], game: ConsoleGame) -> list[LogRow]:
    """The last events, newest first. An overturned event is shown as it was entered, struck out."""
    shown = []
    for event in reversed(accepted.fold.entered[-LOG_ROWS:]):
        number, body = event.event_number, event.body
        delivery = deliveries.rows.get(number, NOT_SENT)
        state, label, detail = ("practice", "Practice", "kept here") if game.is_practice else _state(delivery)
        shown.append(
            LogRow(
                number=number,
                play=event.play_number,
                type=ev.type_of(body),
                words=sentence(body, names),
                state=state,
                label=label,
                detail=detail,
                struck=not ev.targets(body) and accepted.fold.body(number) != body,
            )
        )
    return shown


def _state(delivery: Delivery) -> tuple[str, str, str]:
    if not delivery.published and not delivery.ingested:
        return "waiting", "Waiting", "not published yet"
    at = f"partition {delivery.partition}, offset {delivery.offset}" if delivery.partition is not None else "published"
    if delivery.refused is not None:
        return "dead", "Refused", f"{delivery.refused} ({at})"
    if delivery.ingested:
        return "ingested", "Ingested", at
    return "published", "Published", at


def _play_events(events: Sequence[EffectiveEvent], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """What counts of the current play, by number."""
    play = max((one.play_number for one in events if isinstance(one.body, ev.Snap)), default=0)
    return [
        {
            "number": one.event_number,
            "play_number": one.play_number,
            "type": ev.type_of(one.body),
            "words": sentence(one.body, names),
            "body": ev.body_to(one.body),
        }
        for one in events
        if one.play_number == play and play
    ]


def _recent(accepted: AcceptedEvents, names: Mapping[str, str], game: ConsoleGame) -> list[dict[str, Any]]:
    """The last entries, newest first, each with the bodies that take it back, and the ball as it was before.

    Entries of which nothing counts are left out.
    """
    newest_first = zip(reversed(accepted.entries), reversed(accepted.fold.entered), strict=True)
    found = []
    for _, group in islice(groupby(newest_first, key=lambda one: one[0]), RECENT_ENTRIES):
        entry = [event for _, event in group][::-1]
        numbers = [event.event_number for event in entry]
        bodies = inverse(accepted.fold, numbers)
        if not bodies:
            continue
        found.append(
            {
                "numbers": numbers,
                "words": " ".join(sentence(event.body, names) for event in entry),
                "correction": all(ev.targets(event.body) for event in entry),
                "play_number": entry[0].play_number,
                "bodies": [ev.body_to(event.body) for event in entry],
                "undo": [ev.body_to(body) for body in bodies],
                **_before(numbers[0], accepted, game),
            }
        )
    return found


def _before(number: int, accepted: AcceptedEvents, game: ConsoleGame) -> dict[str, Any]:
    """Snap and ball of the play as they were before this event of it."""
    snap, action = last_play(accepted.fold.effective, accepted.fold.place(number))
    if snap is None:
        return {"snap": None, "ball": None}
    return {"snap": ev.body_to(snap), "ball": asdict(ball_after(snap, action, game.home.id, game.away.id))}


def _period(events: Sequence[EffectiveEvent]) -> dict[str, Any]:
    """The period that is being played, or the next to begin; `seconds` on its clock at the start."""
    period, running = 0, False
    for one in reversed(events):
        if isinstance(one.body, ev.Snap):
            period, running = max(period, one.body.period), True
        elif isinstance(one.body, ev.Period):
            period, running = max(period, one.body.period), running or one.body.phase == "start"
            break
    following = period if running else period + 1
    return {"period": following, "running": running, "seconds": period_seconds(following)}


def _pass_of(action: Sequence[ev.Body]) -> dict[str, Any] | None:
    """The pass of the play, where there is one: an interception needs no second throw."""
    for body in action:
        if isinstance(body, ev.Pass):
            return ev.body_to(body)
    return None
