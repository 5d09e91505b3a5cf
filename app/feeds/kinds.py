"""What is done with a file of each kind: the reader, what it changes, and how its rows are checked.

A new kind is a line in KINDS. Its `enter` gets the file and returns what it changed; it leaves the
commit to running.py, except for play-by-play, which commits game by game. Every `enter` can run
twice: a file that was entered before changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.fantasy.season_setup.importing import store_roster, store_schedule
from app.fantasy.season_setup.injuries import read_injuries
from app.fantasy.season_setup.player_weeks import read_player_weeks
from app.fantasy.season_setup.player_weeks_importing import store_player_weeks
from app.fantasy.season_setup.rosters import read_roster
from app.fantasy.season_setup.schedule import read_schedule
from app.fantasy.season_setup.storing import left_lines, moved_lines
from app.fantasy.season_setup.storing_injuries import store_injuries
from app.feeds import play_by_play
from app.feeds.entered import Entered, FeedFindingError, Source
from app.record.events import Declared
from app.record.published_files import (
    INJURIES,
    PLAY_BY_PLAY,
    PLAYER_WEEKS,
    ROSTERS,
    SCHEDULE,
    FileKind,
    read_published,
)

FEWEST_TENTHS = 9  # of the rows of the last file, which the next one must have


Enter = Callable[[Path, Source], Entered]


@dataclass(frozen=True)
class Kind:
    """A kind of feed.

    Attributes:
        title: For people.
        file: How its files are known.
        enter: Enters a file into the database.
        preview: Says what `enter` would change; whatever it wrote is rolled back.
        needs: Kinds of the same season that are entered first, if they are due too.
    """

    title: str
    file: FileKind
    enter: Enter
    preview: Enter
    needs: tuple[str, ...] = ()


def count_rows(path: Path, kind: FileKind, season: int) -> int:
    """Read the whole file once, and count its rows of the season.

    So a file that was cut, or is of another kind, is found before anything is entered.

    Raises:
        FileError: The file cannot be read, or is of another kind.
        FeedFindingError: It has no row of the season.
    """
    seasons = [row.season("season") for row in read_published(path, kind, _is_season)]
    rows = sum(year is None or year == season for year in seasons)
    if not rows:
        others = sorted({year for year in seasons if year is not None})
        of_other = f" It has {', '.join(map(str, others[-3:]))}." if others else ""
        raise FeedFindingError(
            f"The file has no rows for {season}.{of_other} Nothing was changed; check where the "
            "feed reads, or wait for the publisher."
        )
    return rows


def _is_season(column: str) -> bool:
    return column == "season"


def refuse_fewer_rows(rows: int, last: int | None) -> None:
    """Raise FeedFindingError if the file has a tenth fewer rows than the last one."""
    if last is not None and rows * 10 < last * FEWEST_TENTHS:
        raise FeedFindingError(
            f"The file has {rows:,} rows, and the last one had {last:,}, so part of it may be "
            "missing. Nothing was changed. The next complete file is imported automatically; if "
            "this file is right, use `pressbox feed run --accept-fewer-rows`."
        )


def _enter_schedule(path: Path, source: Source) -> Entered:
    schedule = read_schedule(path, [source.season])
    added = moved = scores = 0
    findings: list[str] = []
    declared: list[tuple[str, Declared]] = []
    for stored in store_schedule(schedule, source.competition):
        added += stored.new
        moved += len(stored.moved)
        scores += stored.scores
        declared += stored.declared
        findings += [
            *moved_lines(stored.moved),
            *left_lines(stored.left),
            *stored.unjoined.lines,
        ]
    changes = {
        "games added": added,
        "games moved": moved,
        "final scores": scores,
        "statuses": len(declared),
    }
    return Entered(changes, tuple(findings), declared=tuple(declared))


def _enter_rosters(path: Path, source: Source) -> Entered:
    roster = read_roster(path, source.season)
    stored = store_roster(roster, source.competition)
    changes = {
        "players added": stored.new,
        "players moved": stored.moved,
        "players left": stored.left,
        "statuses": stored.statuses,
    }
    return Entered(changes, (*stored.unjoined.lines, *_nameless(roster.nameless)))


def _nameless(count: int) -> list[str]:
    if not count:
        return []
    rows = (
        "1 row without a player ID was" if count == 1 else f"{count} rows without a player ID were"
    )
    return [f"{rows} left out."]


def _enter_injuries(path: Path, source: Source) -> Entered:
    reports = read_injuries(path, source.season)
    stored = store_injuries(reports, source.competition)
    changes = {
        "reports": stored.new,
        "reports withdrawn": stored.removed,
        "statuses": stored.statuses,
    }
    unknown = (
        f"The report status {status!r} is unknown and changes nothing."
        for status in reports.unknown_statuses
    )
    return Entered(changes, (*unknown, *stored.unjoined))


def _enter_player_weeks(path: Path, source: Source) -> Entered:
    lines = read_player_weeks([path]).get(source.season)
    if lines is None:
        raise FeedFindingError(
            f"The file has no regular-season games for {source.season}. Nothing was changed; "
            "check where the feed reads, or wait for the publisher."
        )
    (stored,) = store_player_weeks({source.season: lines}, source.competition)
    return Entered({"lines entered": stored.changed}, tuple(_nameless(stored.nameless)))


# In the order in which they are entered: players before what is said about them.
KINDS: Mapping[str, Kind] = {
    SCHEDULE.name: Kind("Schedule", SCHEDULE, _enter_schedule, _enter_schedule),
    ROSTERS.name: Kind("Rosters", ROSTERS, _enter_rosters, _enter_rosters, (SCHEDULE.name,)),
    INJURIES.name: Kind(
        "Injury reports", INJURIES, _enter_injuries, _enter_injuries, (SCHEDULE.name, ROSTERS.name)
    ),
    PLAYER_WEEKS.name: Kind(
        "Weekly statistics", PLAYER_WEEKS, _enter_player_weeks, _enter_player_weeks
    ),
    PLAY_BY_PLAY.name: Kind(
        "Play-by-play",
        PLAY_BY_PLAY,
        play_by_play.enter,
        play_by_play.preview,
        (SCHEDULE.name, ROSTERS.name),
    ),
}
