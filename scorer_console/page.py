"""The console's screen as values: strip, line, log, and the situation that the browser's prompts start from.

Lives here: putting the reads together. Not here: football (prompts.py, app/record/rules/state.py) and its sentences
(app/record/words.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from app.core.clock import to_ms
from app.record import events as ev
from app.record.rules.state import GameState, game_state
from app.record.words import clock_words, down_and_distance, period_words, sentence, spot
from scorer_console import leases, queries
from scorer_console.leases import Lease
from scorer_console.prompts import Suggestion, ball_after, habits, last_play, next_snap, period_seconds
from scorer_console.queries import AcceptedRow, ConsoleGame, PlayerRow
from scorer_console.standing import Standing, inverse, standing

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
    rows = queries.accepted(game.id)
    names = {player.id: player.name for player in roster}
    stands = standing(row.event for row in rows)
    snap, action = last_play(stands)
    suggestion = next_snap(stands, home=game.home.id, away=game.away.id)
    counted = [(one.event_number, one.play_number, one.body) for one in stands]
    corrections = [row.event for row in rows if ev.targets(row.event.body)]
    state = game_state([*counted, *((one.event_number, one.play_number, one.body) for one in corrections)])
    live = snap is not None and not _has_action(action) and not suggestion.check
    line = PRACTICE if game.is_practice else _line(rows)
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
        "habits": asdict(habits(stands)),
        "period": _period(stands),
        "play_events": _play_events(stands, names),
        "recent": _recent(rows, stands, names, game),
        "passed": _thrower(action),
    }
    return Screen(game, strip, line, _log(rows, stands, names, game), situation, lease)


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


def _line(rows: Sequence[AcceptedRow]) -> Line:
    waiting = sum(not row.published for row in rows)
    dead = sum(row.refused is not None for row in rows)
    behind = sum(row.published and not row.ingested and row.refused is None for row in rows)
    parts = [
        ("dead", dead, "refused by ingestion"),
        ("waiting", waiting, "waiting to be published"),
        ("behind", behind, "published, not ingested yet"),
    ]
    found = [(state, f"{count} {words}") for state, count, words in parts if count]
    if found:
        return Line(found[0][0], ", ".join(words for _, words in found))
    return Line("clear", "All published and ingested" if rows else "Nothing entered yet")


def _log(
    rows: Sequence[AcceptedRow], stands: Sequence[Standing], names: Mapping[str, str], game: ConsoleGame
) -> list[LogRow]:
    """The last events, newest first. An overturned event is shown as it was entered, struck out."""
    still = {one.event_number: one.body for one in stands}
    shown = []
    for row in reversed(rows[-LOG_ROWS:]):
        event = row.event
        state, label, detail = ("practice", "Practice", "kept here") if game.is_practice else _state(row)
        shown.append(
            LogRow(
                number=event.event_number,
                play=event.play_number,
                type=ev.type_of(event.body),
                words=sentence(event.body, names),
                state=state,
                label=label,
                detail=detail,
                struck=not ev.targets(event.body) and still.get(event.event_number) != event.body,
            )
        )
    return shown


def _state(row: AcceptedRow) -> tuple[str, str, str]:
    if not row.published and not row.ingested:
        return "waiting", "Waiting", "not published yet"
    where = f"partition {row.partition}, offset {row.offset}" if row.partition is not None else "published"
    if row.refused is not None:
        return "dead", "Refused", f"{row.refused} ({where})"
    if row.ingested:
        return "ingested", "Ingested", where
    return "published", "Published", where


def _play_events(stands: Sequence[Standing], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """What stands of the current play, by number."""
    play = max((one.play_number for one in stands if isinstance(one.body, ev.Snap)), default=0)
    return [
        {
            "number": one.event_number,
            "play_number": one.play_number,
            "type": ev.type_of(one.body),
            "words": sentence(one.body, names),
            "body": ev.body_to(one.body),
        }
        for one in stands
        if one.play_number == play and play
    ]


def _recent(
    rows: Sequence[AcceptedRow], stands: Sequence[Standing], names: Mapping[str, str], game: ConsoleGame
) -> list[dict[str, Any]]:
    """The last entries, newest first, each with the bodies that take it back, and the ball as it was before.

    Entries of which nothing stands are left out.
    """
    events = [row.event for row in rows]
    entries = [list(group) for _, group in groupby(rows, key=lambda row: row.entry)][-RECENT_ENTRIES:]
    found = []
    for entry in reversed(entries):
        numbers = [row.event.event_number for row in entry]
        bodies = inverse(events, numbers)
        if not bodies:
            continue
        correction = all(ev.targets(row.event.body) for row in entry)
        found.append(
            {
                "numbers": numbers,
                "words": " ".join(sentence(row.event.body, names) for row in entry),
                "correction": correction,
                "play_number": entry[0].event.play_number,
                "bodies": [ev.body_to(row.event.body) for row in entry],
                "undo": [ev.body_to(body) for body in bodies],
                **_before(entry[0].event, stands, game),
            }
        )
    return found


def _before(first: ev.GameEvent, stands: Sequence[Standing], game: ConsoleGame) -> dict[str, Any]:
    """Snap and ball of the play as they were before this event of it."""
    snap, action = last_play([one for one in stands if one.event_number < first.event_number])
    if snap is None:
        return {"snap": None, "ball": None}
    return {"snap": ev.body_to(snap), "ball": asdict(ball_after(snap, action, game.home.id, game.away.id))}


def _period(stands: Sequence[Standing]) -> dict[str, Any]:
    """The period that is being played, or the next to begin; `seconds` on its clock at the start."""
    period, running = 0, False
    for one in stands:
        if isinstance(one.body, ev.Period):
            period, running = one.body.period, one.body.phase == "start"
        elif isinstance(one.body, ev.Snap):
            period, running = max(period, one.body.period), True
    following = period if running else period + 1
    return {"period": following, "running": running, "seconds": period_seconds(following)}


def _thrower(action: Sequence[ev.Body]) -> dict[str, Any] | None:
    """The pass of the play, where there is one: an interception needs no second throw."""
    for body in action:
        if isinstance(body, ev.Pass):
            return ev.body_to(body)
    return None
