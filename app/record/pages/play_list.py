"""The plays of a game in words, newest first, and the filters for them. Pure."""

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

    `taken_away`: it does not count any more. `tone`: scored, called, review or plain. `official`:
    the sentence of the game book, which says where the ball ended; None for a slip and for the
    event that took it back. `is_correction`: it corrects a slip.
    """

    words: Sentence
    taken_away: bool
    tone: str
    official: Sentence | None
    is_correction: bool = False


@dataclass(frozen=True)
class PlayRow:
    """A play in words.

    `kinds`: see KINDS, by the valid events. `players`: everybody named, also in events that were
    taken back. `club_id`: the club that snapped the ball, None without a snap. `period`: without a
    snap, that of the play before. `score`: of both clubs after a play that scored, otherwise "".
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
        """The lines that the game book has."""
        return tuple(line for line in self.lines if line.official is not None)

    @property
    def slips(self) -> tuple[Line, ...]:
        """The scorer's wrong entries and their corrections."""
        return tuple(line for line in self.lines if line.official is None or line.is_correction)


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
    other = game.away.id if snap.possession == game.home.id else game.home.id
    return f"{snap.possession} ball at {spot(snap.possession, snap.spot, other)}"


def plays_of(events: Sequence[EventRow], names: Mapping[str, str], game: GameRow) -> list[PlayRow]:
    """The plays, the last of the game first, each with its corrections, however late they came."""
    corrections = {
        row.number: row.body
        for row in events
        if isinstance(row.body, ev.Overturn | ev.StatCorrection)
    }
    corrected_slips = slips(events)
    scores = _scores(events, game)
    plays = []
    period = 1
    for number, group in groupby(rows_in_order(events), key=lambda row: row.play_number):
        rows = list(group)
        snap = next((row.body for row in rows if isinstance(row.body, ev.Snap) and row.valid), None)
        lines = _lines(rows, names, corrections, official_words(rows, names, game, corrected_slips))
        period = snap.period if snap else period
        if not lines and snap is None:
            continue
        plays.append(
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
    return plays[::-1]


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


def _lines(
    rows: Sequence[EventRow],
    names: Mapping[str, str],
    corrections: Mapping[int, ev.Correction],
    official: Mapping[tuple[int, int], Sentence],
) -> list[Line]:
    """The lines of one play.

    A correction shows as the line that it wrote; a ruling replaces its `under review`.
    """
    reviews = [row.body for row in rows if isinstance(row.body, ev.Challenge)]
    ruled = any(review.ruling != "pending" for review in reviews)
    completed = _completed(rows)
    lines = []
    for row in rows:
        if isinstance(row.body, ev.Snap | ev.Overturn | ev.StatCorrection) or completed.get(
            (row.number, row.revision)
        ):
            continue
        if ruled and isinstance(row.body, ev.Challenge) and row.body.ruling == "pending":
            continue
        correction = (
            None if (row.number, row.revision) in completed else corrections.get(row.revision)
        )
        line = _line(row, names, _because(correction, reviews))
        words = official.get((row.number, row.revision))
        is_correction = words is not None and _is_of_slip(correction)
        if words is not None and correction is not None and not is_correction:
            before, after = _because(correction, reviews)
            words = Sentence.of(f"{before}{words.marked}{after}")
        lines.append(replace(line, official=words, is_correction=is_correction))
    return lines


def _is_of_slip(correction: ev.Correction | None) -> bool:
    return isinstance(correction, ev.StatCorrection) or (
        isinstance(correction, ev.Overturn) and correction.by_scorer
    )


def _completed(rows: Sequence[EventRow]) -> dict[tuple[int, int], bool]:
    """The revisions of each event that was only completed, for example with a spotter's name.

    The value says whether a later revision replaces it: completing corrects nothing, so the earlier
    revisions are left out and the last one shows without a correction.
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
        if len(same) > 1
        and all(ev.completes(older.body, newer.body) for older, newer in pairwise(same))
        for row in same
    }


def _because(correction: ev.Correction | None, reviews: Sequence[ev.Challenge]) -> tuple[str, str]:
    """The words before a corrected line and after it.

    The reason is left out if a review of the play gives it already.
    """
    if correction is None:
        return "", ""
    by_scorer = isinstance(correction, ev.Overturn) and correction.by_scorer
    word = "After review" if reviews and not by_scorer else "Corrected"
    if isinstance(correction, ev.StatCorrection):
        word = "Stat correction"
    is_repeated = any(review.reason == correction.reason for review in reviews)
    return f"{word}: ", f" ({correction.reason})" if correction.reason and not is_repeated else ""


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
