"""Publishers whose files Pressbox can follow, as data: a publisher is added by a few lines here.

The formats are those of nflverse (docs/feeds.md); what is done with each kind is in kinds.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from app.record.published_files import INJURIES, PLAY_BY_PLAY, PLAYER_WEEKS, ROSTERS, SCHEDULE

SUFFIXES = (".parquet", ".csv.gz", ".csv")  # of a file in a folder; the first that is there counts


DEFAULT = "nflverse"
FIRST_MONTH = 3  # in March the league's new year begins, and publishers begin its roster


def season_of(day: date) -> int:
    """Return the season that is played or comes next: the year in which it begins.

    >>> season_of(date(2026, 2, 8)), season_of(date(2026, 3, 1))
    (2025, 2026)
    """
    return day.year if day.month >= FIRST_MONTH else day.year - 1


@dataclass(frozen=True, kw_only=True)
class PublishedFile:
    """A file of a publisher. `{season}` stands for the year in addresses and names.

    Attributes:
        kind: A name of published_files.KINDS.
        address: Where it is on the internet.
        timestamp: Where the publisher says when its data were made; empty if nowhere.
        names: Its names in a folder, without their SUFFIXES; the first that is there counts.
        earlier_seasons: How many seasons before the one that is followed are fetched too; the
            followed one itself is not, if there are any.
    """

    kind: str
    address: str
    timestamp: str = ""
    names: tuple[str, ...]
    earlier_seasons: int = 0


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A publisher of the files of a competition, in the order in which they are entered.

    Attributes:
        site: Where the publisher describes the data.
        licence: Its name; `licence_address` has its text.
        rhythm: When play-by-play and corrections come; `{day}` is the weekday of the games,
            `{next_day}` the one after it, and `{end}` when corrections end.
    """

    name: str
    title: str
    competition: str
    site: str
    licence: str
    licence_address: str
    rhythm: str
    files: tuple[PublishedFile, ...]

    @property
    def attribution(self) -> str:
        """The source and its licence, as plain text."""
        return f"Data: {self.title}, {self.licence}, {self.site}"

    def file(self, kind: str) -> PublishedFile:
        """The file of this kind. Raises LookupError."""
        for file in self.files:
            if file.kind == kind:
                return file
        raise LookupError(f"{self.name} publishes no {kind}")


_RELEASES = "https://github.com/nflverse/nflverse-data/releases/download"

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            name=DEFAULT,
            title="nflverse",
            competition="nfl",
            site="https://github.com/nflverse/nflverse-data",
            licence="CC BY 4.0",
            licence_address="https://creativecommons.org/licenses/by/4.0/",
            rhythm="{day}'s play-by-play arrives overnight into {next_day}, with corrections until "
            "{end}.",
            files=(
                PublishedFile(
                    kind=SCHEDULE.name,
                    address="https://github.com/nflverse/nfldata/raw/master/data/games.csv",
                    names=("games",),
                ),
                PublishedFile(
                    kind=ROSTERS.name,
                    address=f"{_RELEASES}/rosters/roster_{{season}}.csv",
                    timestamp=f"{_RELEASES}/rosters/timestamp.json",
                    names=("roster_{season}",),
                ),
                PublishedFile(
                    kind=INJURIES.name,
                    address=f"{_RELEASES}/injuries/injuries_{{season}}.csv",
                    timestamp=f"{_RELEASES}/injuries/timestamp.json",
                    names=("injuries_{season}",),
                ),
                PublishedFile(
                    kind=PLAYER_WEEKS.name,
                    address=f"{_RELEASES}/stats_player/stats_player_week_{{season}}.csv.gz",
                    timestamp=f"{_RELEASES}/stats_player/timestamp.json",
                    names=("stats_player_week_{season}", "player_stats_{season}"),
                    earlier_seasons=3,
                ),
                PublishedFile(
                    kind=PLAY_BY_PLAY.name,
                    address=f"{_RELEASES}/pbp/play_by_play_{{season}}.csv.gz",
                    timestamp=f"{_RELEASES}/pbp/timestamp.json",
                    names=("play_by_play_{season}",),
                ),
            ),
        ),
    )
}
