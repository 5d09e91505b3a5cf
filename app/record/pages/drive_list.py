"""The drives of a game as its pages show them, and plays grouped by drive. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.record.asof import valid_events
from app.record.pages.play_list import PlayRow
from app.record.pages.scoring_summary import drive_words
from app.record.queries import EventRow, GameRow
from app.record.rules.drives import RESULTS, Drive, Snapped, drive_of_plays, drives, snapped
from app.record.rules.order import rows_in_order
from app.record.rules.state import OVER
from app.record.words import clock_words, period_words, spot

_POINTS = ("touchdown", "field_goal")


@dataclass(frozen=True)
class DriveRow:
    """A drive in words, and its bar on a drawing of 100 yards from the home goal line on the left.

    `bar_start` and `bar_width` are in yards. `snaps`: where each of its plays began. `end`: the
    last spot of the ball.
    """

    number: int
    club_id: str
    start: str
    summary: str
    result: str
    has_points: bool
    bar_start: int
    bar_width: int
    snaps: tuple[int, ...]
    end: int


@dataclass(frozen=True)
class DriveGroup:
    """Plays of a drive with the kickoff before it and the try after it, newest first.

    `drive`: None for plays that belong to no drive. `score`: of both clubs after it, "" without
    points.
    """

    drive: DriveRow | None
    plays: tuple[PlayRow, ...]
    score: str


def drive_rows(game: GameRow, events: Sequence[EventRow]) -> list[DriveRow]:
    """The drives, newest first."""
    plays = snapped(valid_events(events))
    return [_drive(drive, plays, game) for drive in _drives(plays, game)[::-1]]


def drives_of(game: GameRow, events: Sequence[EventRow]) -> list[Drive]:
    """The drives of a game in order, from the events that are valid."""
    return _drives(snapped(valid_events(events)), game)


def _drives(plays: Sequence[Snapped], game: GameRow) -> list[Drive]:
    return drives(plays, is_over=game.status in OVER)


def _drive(drive: Drive, plays: Sequence[Snapped], game: GameRow) -> DriveRow:
    right = drive.club == game.home.id

    def across(yard: int) -> int:
        return yard if right else 100 - yard

    begin, end = across(drive.start_yard), across(drive.end_yard)
    at = spot(drive.club, drive.start_yard, game.away.id if right else game.home.id)
    numbers = [play.number for play in plays]
    first, last = numbers.index(drive.first_play), numbers.index(drive.last_play)
    return DriveRow(
        number=drive.number,
        club_id=drive.club,
        start=f"{period_words(drive.period)} {clock_words(drive.clock)} from {at}",
        summary=drive_words(drive),
        result=RESULTS[drive.result],
        has_points=drive.result in _POINTS,
        bar_start=min(begin, end),
        bar_width=max(1, abs(end - begin)),
        snaps=tuple(across(play.snap.spot) for play in plays[first : last + 1]),
        end=end,
    )


def by_drive(
    plays: Sequence[PlayRow], game: GameRow, events: Sequence[EventRow]
) -> list[DriveGroup]:
    """Some plays of a game, newest first, grouped by drive in the same order."""
    rows = {row.number: row for row in drive_rows(game, events)}
    number_of = _drive_of_every_play(game, events)
    groups = []
    for number, group in groupby(plays, key=lambda play: number_of.get(play.number)):
        in_group = tuple(group)
        score = next((play.score for play in in_group if play.score), "")
        groups.append(DriveGroup(rows.get(number) if number else None, in_group, score))
    return groups


def _drive_of_every_play(game: GameRow, events: Sequence[EventRow]) -> dict[int, int]:
    """The drive of each play.

    A kickoff belongs to the drive after it, as does all before the first; a try to the one before.
    """
    plays = snapped(valid_events(events))
    numbers = list(dict.fromkeys(row.play_number for row in rows_in_order(events)))
    number_of = drive_of_plays(_drives(plays, game), numbers)
    after = None
    for play in reversed(plays):
        after = number_of.get(play.number, after)
        if play.snap.situation in ("kickoff", "free_kick") and after is not None:
            number_of[play.number] = after
    drive = next((number_of[number] for number in numbers if number in number_of), None)
    for number in numbers:
        drive = number_of.get(number, drive)
        if drive is not None:
            number_of[number] = drive
    return number_of
