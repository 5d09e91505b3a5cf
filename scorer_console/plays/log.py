"""The console's log: the last plays with their events, and how far each event has come. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.record import events as ev
from app.record.words import clock_words, down_and_distance, period_words, sentence, spot
from scorer_console.record.effective_events import Fold

# The most serious first: the state of a play is that of its worst event.
STATES = ("dead", "waiting", "published", "ingested", "practice")


@dataclass(frozen=True)
class LogRow:
    """One event of the log.

    `state` is waiting, published, ingested, dead or practice. `detail` says how far it has come, or
    why it was refused.
    """

    number: int
    play: int
    type: str
    words: str
    state: str
    label: str
    detail: str
    struck: bool
    is_match: bool = False


@dataclass(frozen=True)
class LoggedPlay:
    """A play of the log with its events in the order in which they were entered.

    `title` is its clock and snap; empty for events before the first snap.
    """

    number: int
    title: str
    rows: tuple[LogRow, ...]

    @property
    def worst(self) -> LogRow:
        """The event that has come least far."""
        return min(self.rows, key=lambda row: STATES.index(row.state))

    @property
    def is_struck(self) -> bool:
        """Whether nothing of the play counts."""
        return all(row.struck for row in self.rows if row.type not in ("nullify", "overturn"))


def by_play(rows: Iterable[LogRow], titles: Mapping[int, str]) -> list[LoggedPlay]:
    """Group rows, the newest first, by play. The play with the newest event comes first."""
    plays: dict[int, list[LogRow]] = {}
    for row in rows:
        plays.setdefault(row.play, []).insert(0, row)
    return [
        LoggedPlay(number, titles.get(number, ""), tuple(events))
        for number, events in plays.items()
    ]


def titles_of(fold: Fold, plays: Iterable[int], clubs: tuple[str, str]) -> dict[int, str]:
    """Clock and snap of these plays, if their snap counts: `Q1 11:40 SF 2nd & 8 at SF 30`."""
    home, away = clubs
    titles = {}
    for play in set(plays):
        bodies = (event.body for event in reversed(fold.in_play(play)))
        snap = next((body for body in bodies if isinstance(body, ev.Snap)), None)
        if snap is None:
            continue
        place = spot(snap.possession, snap.spot, away if snap.possession == home else home)
        titles[play] = (
            f"{period_words(snap.period)} {clock_words(snap.clock)} {snap.possession} "
            f"{down_and_distance(snap)} at {place}"
        )
    return titles


def found_rows(fold: Fold, names: Mapping[str, str], numbers: Iterable[int]) -> list[LogRow]:
    """The rows of the plays in which these events are, newest first, with those events marked."""
    matched = set(numbers)
    plays = {fold.event(number).play_number for number in matched}
    return [
        LogRow(
            number=event.event_number,
            play=event.play_number,
            type=ev.type_of(event.body),
            words=sentence(event.body, names),
            state="ingested",
            label="",
            detail="",
            struck=False,
            is_match=event.event_number in matched,
        )
        for event in reversed(fold.in_order)
        if event.play_number in plays
    ]
