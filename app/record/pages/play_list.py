"""The plays of a game in words, newest first, and the filters for them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.record import events as ev
from app.record.asof import valid_events
from app.record.pages.play_results import PlayResult, play_results
from app.record.pages.play_versions import Line, event_lines, official_rows, play_lines
from app.record.play_sentence import surnames
from app.record.queries import EventRow, GameRow
from app.record.rules.drives import Drive, drive_of_plays, snapped
from app.record.rules.order import rows_in_order
from app.record.rules.slips import slips, taken_back
from app.record.rules.state import scoring_plays
from app.record.words import (
    Sentence,
    clock_words,
    down_and_distance,
    named_sentence,
    period_words,
    spot,
)

KINDS = {
    "pass": "Passes",
    "run": "Runs",
    "kick": "Kicks",
    "penalty": "Penalties",
    "scoring": "Scores",
    "turnover": "Turnovers",
}


@dataclass(frozen=True)
class PlayRow:
    """A play in words.

    `kinds`: see KINDS, by the valid events. `players`: everybody named, also in events that were
    taken away by a ruling. `club_id`: the club that snapped the ball. `result`: the play's labels.
    Both are None without a snap; `period` is then that of the play before. `score`: of both clubs
    after a play that scored, otherwise "". `lines`: without the entries that the scorer took back.
    `parts`: the movements and credits one by one, if there are several movements. `official_lines`:
    the lines of the game book, with full names. `slips`: the scorer's wrong entries and their
    corrections.
    """

    number: int
    situation: str
    clock: str
    lines: tuple[Line, ...]
    club_id: str | None
    period: int
    kinds: frozenset[str]
    players: frozenset[str]
    score: str = ""
    parts: tuple[Sentence, ...] = ()
    official_lines: tuple[Line, ...] = ()
    slips: tuple[Line, ...] = ()
    result: PlayResult | None = None


@dataclass(frozen=True)
class PlayFilter:
    """The criteria of the reader, as written in the address; an empty one matches every play."""

    club: str = ""
    kind: str = ""
    quarter: str = ""
    player: str = ""
    drive: str = ""

    @property
    def values(self) -> dict[str, str]:
        """The criteria that are set, by their names in the address."""
        return {name: value for name, value in vars(self).items() if value}


def filtered(
    plays: Sequence[PlayRow], criteria: PlayFilter, drives: Sequence[Drive]
) -> list[PlayRow]:
    """The plays that match all criteria, newest first.

    `plays`: all plays of the game. An unknown value matches no play.
    """
    drive_of = drive_of_plays(drives, (play.number for play in reversed(plays)))
    return [
        play
        for play in plays
        if criteria.club in ("", play.club_id)
        and (not criteria.kind or criteria.kind in play.kinds)
        and criteria.quarter in ("", str(play.period))
        and (not criteria.player or criteria.player in play.players)
        and criteria.drive in ("", str(drive_of.get(play.number)))
    ]


def where(snap: ev.Snap, game: GameRow) -> str:
    """Whose ball it is, and at which yard line."""
    return f"{snap.possession} ball at {spot_words(snap, game)}"


def spot_words(snap: ev.Snap, game: GameRow) -> str:
    """Where the ball is: `HRB 38` or `the 50`."""
    other = game.away.id if snap.possession == game.home.id else game.home.id
    return spot(snap.possession, snap.spot, other)


def plays_of(events: Sequence[EventRow], names: Mapping[str, str], game: GameRow) -> list[PlayRow]:
    """The plays, the last of the game first, each with its corrections, however late they came.

    One without a situation and lines was taken back by the scorer: it has slips only.
    """
    corrections = {row.number: row.body for row in events if isinstance(row.body, ev.Correction)}
    corrected_slips, withdrawn = slips(events), taken_back(events)
    clubs, short_names = (game.home.id, game.away.id), surnames(names)
    scores = _scores(events, game)
    results = play_results(snapped(valid_events(events)))
    plays = []
    period = 1
    for number, group in groupby(rows_in_order(events), key=lambda row: row.play_number):
        rows = list(group)
        snap = next((row.body for row in rows if isinstance(row.body, ev.Snap) and row.valid), None)
        entries = official_rows(rows, withdrawn)
        lines = play_lines(entries, corrections, short_names, clubs)
        official = official_rows(rows, corrected_slips)
        period = snap.period if snap else period
        slip_lines = tuple(event_lines(rows, corrections, names, corrected_slips))
        if not lines and snap is None and not slip_lines:
            continue
        plays.append(
            PlayRow(
                number=number,
                situation=f"{down_and_distance(snap)} at {spot_words(snap, game)}" if snap else "",
                clock=f"{period_words(snap.period)} {clock_words(snap.clock)}" if snap else "",
                lines=tuple(lines),
                club_id=snap.possession if snap else None,
                period=period,
                kinds=_kinds([row.body for row in rows if row.valid], snap),
                players=frozenset(player for row in entries for player in ev.players_of(row.body)),
                score=scores.get(number, ""),
                parts=_parts(rows, short_names),
                official_lines=tuple(play_lines(official, corrections, names, clubs)),
                slips=slip_lines,
                result=results.get(number),
            )
        )
    return plays[::-1]


def _parts(rows: Sequence[EventRow], names: Mapping[str, str]) -> tuple[Sentence, ...]:
    """The standing movements and credits one by one; nothing if there is only one movement."""
    bodies = [row.body for row in rows if row.valid]
    movements = [body for body in bodies if body.part == "action"]
    if len(movements) <= 1:
        return ()
    return tuple(
        named_sentence(body, names) for body in bodies if body.part in ("action", "credit")
    )


def _scores(events: Sequence[EventRow], game: GameRow) -> dict[int, str]:
    """The score after each play that scored, away club first: `SUM 0, HRB 7`."""
    away = home = 0
    scores = {}
    for play in scoring_plays(
        (row.number, row.play_number, row.body) for row in events if row.valid
    ):
        away += play.points if play.team == game.away.id else 0
        home += play.points if play.team == game.home.id else 0
        scores[play.play_number] = f"{game.away.id} {away}, {game.home.id} {home}"
    return scores


def _kinds(bodies: Sequence[ev.Body], snap: ev.Snap | None) -> frozenset[str]:
    kinds: set[str] = set()
    for body in bodies:
        match body:
            case ev.Pass() | ev.Sack():
                kinds.add("pass")
            case ev.Run() if body.is_rush:
                kinds.add("run")
            case ev.Kick():
                kinds.add("kick")
            case ev.Penalty():
                kinds.add("penalty")
            case ev.Interception():
                kinds.add("turnover")
            case ev.Recovery() if _is_lost(body, bodies, snap):
                kinds.add("turnover")
        scored = isinstance(body, ev.Safety) or (
            isinstance(body, ev.Kick | ev.Conversion) and _is_good(body)
        )
        if scored or getattr(body, "is_touchdown", False):
            kinds.add("scoring")
    return frozenset(kinds)


def _is_good(body: ev.Kick | ev.Conversion) -> bool:
    return body.good if isinstance(body, ev.Conversion) else body.result == "good"


def _is_lost(recovery: ev.Recovery, bodies: Sequence[ev.Body], snap: ev.Snap | None) -> bool:
    """Whether the other club recovered a fumble, or the kickers their own kick."""
    fumbles = [body for body in bodies if isinstance(body, ev.Fumble)]
    if fumbles:
        return any(fumble.team != recovery.team for fumble in fumbles)
    return snap is not None and snap.situation != "scrimmage" and recovery.team == snap.possession
