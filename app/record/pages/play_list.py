"""The plays of a game in words, newest first, and what they can be filtered by. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from app.record import events as ev
from app.record.pages.book_words import official_words
from app.record.queries import EventRow, GameRow
from app.record.rules.drives import Drive, drive_of_plays
from app.record.rules.order import rows_in_order
from app.record.rules.slips import slips
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
class Line:
    """A sentence of a play.

    `taken_away`: it does not count any more; `tone`: scored, called, review or plain.

    `official`: as a game book has it, with where the ball ended; None: a slip, or that one was
    taken back.
    `is_correction`: it is what stands after a slip was corrected.
    """

    words: Sentence
    taken_away: bool
    tone: str
    official: Sentence | None
    is_correction: bool = False


@dataclass(frozen=True)
class PlayRow:
    """`kinds` by what stands (see KINDS).

    `players`: everybody named, in what was taken back as well.

    `club_id`: who snapped it, None without a snap. `period` of what has no snap is that of the play
    before.
    `score`: of both clubs after a play that scored, else "".
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

    @property
    def official_lines(self) -> tuple[Line, ...]:
        """Those of a game book."""
        return tuple(line for line in self.lines if line.official is not None)

    @property
    def slips(self) -> tuple[Line, ...]:
        """What the scorer entered wrongly, and the words that tell of its correction."""
        return tuple(line for line in self.lines if line.official is None or line.is_correction)


@dataclass(frozen=True)
class PlayFilter:
    """What the reader asked for, as written in the address; empty is everything."""

    club: str = ""
    kind: str = ""
    quarter: str = ""
    player: str = ""
    drive: str = ""

    @property
    def values(self) -> dict[str, str]:
        """What is asked for, by its name in the address."""
        return {name: value for name, value in vars(self).items() if value}


def filtered(
    plays: Sequence[PlayRow], wanted: PlayFilter, drives: Sequence[Drive]
) -> list[PlayRow]:
    """The plays that fit everything asked for, in their order (newest first).

    `plays`: all of the game. A value that does not exist fits no play.
    """
    drive_of = drive_of_plays(drives, (play.number for play in reversed(plays)))
    return [
        play
        for play in plays
        if wanted.club in ("", play.club_id)
        and (not wanted.kind or wanted.kind in play.kinds)
        and wanted.quarter in ("", str(play.period))
        and (not wanted.player or wanted.player in play.players)
        and wanted.drive in ("", str(drive_of.get(play.number)))
    ]


def where(snap: ev.Snap, game: GameRow) -> str:
    """Whose ball it is, and at which yard line."""
    other = game.away.id if snap.possession == game.home.id else game.home.id
    return f"{snap.possession} ball at {spot(snap.possession, snap.spot, other)}"


def plays_of(events: Sequence[EventRow], names: Mapping[str, str], game: GameRow) -> list[PlayRow]:
    """The last of the game first. A play's corrections stand with it, whenever they were made."""
    corrections = {
        row.number: row.body
        for row in events
        if isinstance(row.body, ev.Overturn | ev.StatCorrection)
    }
    mended = slips(events)
    scores = _scores(events, game)
    found = []
    period = 1
    for number, group in groupby(rows_in_order(events), key=lambda row: row.play_number):
        rows = list(group)
        snap = next((row.body for row in rows if isinstance(row.body, ev.Snap) and row.valid), None)
        lines = _lines(rows, names, corrections, official_words(rows, names, game, mended))
        period = snap.period if snap else period
        if not lines and snap is None:
            continue
        found.append(
            PlayRow(
                number=number,
                situation=f"{down_and_distance(snap)}, {where(snap, game)}" if snap else "",
                clock=f"{period_words(snap.period)} {clock_words(snap.clock)}" if snap else "",
                lines=tuple(lines),
                club_id=snap.possession if snap else None,
                period=period,
                kinds=_kinds([row.body for row in rows if row.valid], snap),
                players=frozenset(player for row in rows for player in ev.players_of(row.body)),
                score=scores.get(number, ""),
            )
        )
    return found[::-1]


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
    found: set[str] = set()
    for body in bodies:
        match body:
            case ev.Pass() | ev.Sack():
                found.add("pass")
            case ev.Run() if body.is_rush:
                found.add("run")
            case ev.Kick():
                found.add("kick")
            case ev.Penalty():
                found.add("penalty")
            case ev.Interception():
                found.add("turnover")
            case ev.Recovery() if _is_lost(body, bodies, snap):
                found.add("turnover")
        scored = isinstance(body, ev.Safety) or (
            isinstance(body, ev.Kick | ev.Conversion) and _is_good(body)
        )
        if scored or getattr(body, "is_touchdown", False):
            found.add("scoring")
    return frozenset(found)


def _is_good(body: ev.Kick | ev.Conversion) -> bool:
    return body.good if isinstance(body, ev.Conversion) else body.result == "good"


def _is_lost(recovery: ev.Recovery, bodies: Sequence[ev.Body], snap: ev.Snap | None) -> bool:
    """A fumble that the other club recovered, or an own kick won back."""
    fumbles = [body for body in bodies if isinstance(body, ev.Fumble)]
    if fumbles:
        return any(fumble.team != recovery.team for fumble in fumbles)
    return snap is not None and snap.situation != "scrimmage" and recovery.team == snap.possession


def _lines(
    rows: Sequence[EventRow],
    names: Mapping[str, str],
    corrections: Mapping[int, ev.Correction],
    official: Mapping[tuple[int, int], Sentence],
) -> list[Line]:
    """The lines of one play.

    A correction is told by the line that it wrote; a ruling replaces its `under review`.
    """
    reviews = [row.body for row in rows if isinstance(row.body, ev.Challenge)]
    ruled = any(review.ruling != "pending" for review in reviews)
    completed = _completed(rows)
    shown = []
    for row in rows:
        if isinstance(row.body, ev.Snap | ev.Overturn | ev.StatCorrection) or completed.get(
            (row.number, row.revision)
        ):
            continue
        if ruled and isinstance(row.body, ev.Challenge) and row.body.ruling == "pending":
            continue
        told = None if (row.number, row.revision) in completed else corrections.get(row.revision)
        line = _line(row, names, _because(told, reviews))
        words = official.get((row.number, row.revision))
        is_correction = words is not None and _is_of_slip(told)
        if words is not None and told is not None and not is_correction:
            before, after = _because(told, reviews)
            words = Sentence.of(f"{before}{words.marked}{after}")
        shown.append(replace(line, official=words, is_correction=is_correction))
    return shown


def _is_of_slip(correction: ev.Correction | None) -> bool:
    return isinstance(correction, ev.StatCorrection) or (
        isinstance(correction, ev.Overturn) and correction.by_scorer
    )


def _completed(rows: Sequence[EventRow]) -> dict[tuple[int, int], bool]:
    """Of each event that somebody put a name to, as a spotter does: the revisions, and whether a
    later one says it all.

    Nothing was corrected there, so the earlier revision is left out and the last one is told as it
    is.
    """
    revisions = sorted(
        (row for row in rows if not isinstance(row.body, ev.Correction)),
        key=lambda row: row.revision,
    )
    by_number: dict[int, list[EventRow]] = {}
    for row in revisions:
        by_number.setdefault(row.number, []).append(row)
    return {
        (row.number, row.revision): row is not same[-1]
        for same in by_number.values()
        if len(same) > 1 and all(ev.completes(one.body, two.body) for one, two in pairwise(same))
        for row in same
    }


def _because(correction: ev.Correction | None, reviews: Sequence[ev.Challenge]) -> tuple[str, str]:
    """What stands before a corrected line and after it.

    The reason only where no review of the play says it.
    """
    if correction is None:
        return "", ""
    by_scorer = isinstance(correction, ev.Overturn) and correction.by_scorer
    word = "After review" if reviews and not by_scorer else "Corrected"
    if isinstance(correction, ev.StatCorrection):
        word = "Stat correction"
    said = any(review.reason == correction.reason for review in reviews)
    return f"{word}: ", f" ({correction.reason})" if correction.reason and not said else ""


def _line(row: EventRow, names: Mapping[str, str], because: tuple[str, str]) -> Line:
    words = Sentence.of(f"{because[0]}{named_sentence(row.body, names).marked}{because[1]}")
    if isinstance(row.body, ev.Nullify):
        reason = f" ({row.body.reason})" if row.body.reason else ""
        words = Sentence.of(f"No play{reason}.")
    tone = "plain"
    if isinstance(row.body, ev.Nullify | ev.Penalty):
        tone = "called"
    elif isinstance(row.body, ev.Challenge):
        tone = "review"
    elif getattr(row.body, "is_touchdown", False) or isinstance(row.body, ev.Safety):
        tone = "scored"
    return Line(words, taken_away=not row.valid, tone=tone, official=words)
