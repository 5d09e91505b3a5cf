"""The public schedule of nflverse, `games.csv`, from an address or a file.

The format has neither a status nor an end time. A game with both scores is `finished`, and any
other game is `scheduled`. A game counts as ended at the poll that finds it finished. Times are US
Eastern. Team names are nflverse's abbreviations.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from app.predictions.providers import fetching
from app.predictions.providers.offer import (
    MOST_POSITION,
    Offer,
    OfferedMatch,
    OfferedRound,
    OfferedTeam,
    ProviderError,
    ReadOffer,
    Seen,
    Unchanged,
    check,
)
from app.predictions.providers.rows import Rows

EASTERN = ZoneInfo("America/New_York")
# For games whose time is not set yet. No game begins earlier, so guesses close in time.
EARLIEST_KICKOFF = "09:30"
ROUND_NAMES = {
    "WC": "Wild card",
    "DIV": "Divisional round",
    "CON": "Conference championships",
    "SB": "Super Bowl",
}
MISSING = ("", "NA")
LONGEST_CELL = 40  # characters of a cell that a fault repeats
COLUMNS = (
    "game_id",
    "season",
    "game_type",
    "week",
    "gameday",
    "gametime",
    "away_team",
    "away_score",
    "home_team",
    "home_score",
)


class NflverseGames:
    """A `games.csv` behind a web address or at an absolute path.

    Addresses are `ADDRESS#SEASON`, `ADDRESS#SEASON/REG` or `ADDRESS#SEASON/POST`.
    """

    def address_fault(self, address: str) -> str | None:
        """Return what is wrong with the address, or None."""
        try:
            place, _, _ = _parts(address)
        except ProviderError as fault:
            return str(fault)
        if _is_web(place):
            return fetching.address_fault(place)
        return None if Path(place).is_absolute() else "Give the file's full path, or a web address."

    def fetch(self, address: str, validators: Seen) -> tuple[Offer | Unchanged, Seen]:
        """Fetch the season's games, or Unchanged if the file has not changed."""
        place, season, season_type = _parts(address)
        body, seen_now = (
            fetching.fetch(place, validators, "text/csv")
            if _is_web(place)
            else _file(Path(place), validators)
        )
        return (
            body if isinstance(body, Unchanged) else decode(body, season, season_type)
        ), seen_now


def decode(body: bytes, season: str, season_type: str) -> ReadOffer:
    """Decode the season's games. Lines that cannot be used become faults.

    Raises ProviderError if the whole file cannot be used.
    """
    games: Rows[tuple[str, OfferedMatch]] = Rows()
    for line, row in _rows(body):
        if _is_wanted(row, season, season_type):
            games.read(f"Line {line} of the file", {"id": row["game_id"]} | row, _game)
    if not games.good and not games.faults:
        raise ProviderError(
            f"The file has no game for {season}{f'/{season_type}' if season_type else ''}."
        )
    matches = [match for _, match in games.good]
    types = {match.round: game_type for game_type, match in games.good}
    teams = [
        OfferedTeam(team, team)
        for team in sorted({getattr(m, side) for m in matches for side in SIDES})
    ]
    rounds = [
        OfferedRound(slug, ROUND_NAMES.get(types[slug], f"Week {_week(slug)}"), _week(slug))
        for slug in sorted(types, key=_week)
    ]
    return check(Offer(teams, rounds, matches), games.places, games.faults)


SIDES = ("home", "away")


def _parts(address: str) -> tuple[str, str, str]:
    """Return place, season and season type (empty for the whole season). Raises ProviderError."""
    place, _, selection = address.rpartition("#")
    season, _, season_type = selection.partition("/")
    if not place or not season.isdigit() or season_type not in ("", "REG", "POST"):
        raise ProviderError(
            "End the address with the season, as in games.csv#2026 or games.csv#2026/REG."
        )
    return place, season, season_type


def _is_web(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _file(path: Path, validators: Seen) -> tuple[bytes | Unchanged, Seen]:
    """Return the file's bytes, or Unchanged if its time and size are those of `validators`."""
    try:
        stat = path.stat()
        now = Seen(etag=f"{stat.st_mtime_ns}-{stat.st_size}")
        if now == validators:
            return Unchanged(), validators
        if stat.st_size > fetching.MOST_BYTES:
            raise ProviderError(
                f"The file {path.name} is larger than {fetching.MOST_BYTES:,} bytes."
            )
        return path.read_bytes(), now
    except OSError as error:
        raise ProviderError(
            f"The file {path.name} cannot be read ({error.strerror}). Check the path."
        ) from error


def _rows(body: bytes) -> Iterator[tuple[int, dict[str, str]]]:
    if b"\x00" in body:
        raise ProviderError(
            "The file is not nflverse's games.csv: it contains the character U+0000."
        )
    try:
        reader = csv.DictReader(io.StringIO(body.decode("utf-8-sig"), newline=""), restval="")
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise ProviderError(
                f"The file is not nflverse's games.csv: the column {missing[0]} is missing."
            )
        for row in reader:
            yield reader.line_num, row
    except (UnicodeDecodeError, csv.Error) as error:
        raise ProviderError(f"The file is not nflverse's games.csv: {error}.") from error


def _is_wanted(row: dict[str, str], season: str, season_type: str) -> bool:
    is_regular = row["game_type"] == "REG"
    return row["season"] == season and (not season_type or is_regular == (season_type == "REG"))


def _game(row: dict[str, str]) -> tuple[str, OfferedMatch]:
    """Return the game's type and the game. Raises ValueError and msgspec.ValidationError."""
    week = _whole("week", row["week"])
    if not 0 <= week <= MOST_POSITION:
        raise ValueError(f"week: {week} should be a number from 0 to {MOST_POSITION:,}")
    home, away = _score("home_score", row["home_score"]), _score("away_score", row["away_score"])
    is_finished = home is not None and away is not None
    raw = {
        "id": row["game_id"],
        "round": f"week-{week}",
        "home": row["home_team"],
        "away": row["away_team"],
        "status": "finished" if is_finished else "scheduled",
        "kickoff": None if row["gameday"] in MISSING else _kickoff(row["gameday"], row["gametime"]),
        "homeScore": home if is_finished else None,
        "awayScore": away if is_finished else None,
    }
    return row["game_type"], msgspec.convert(raw, OfferedMatch)


def _whole(column: str, cell: str) -> int:
    try:
        exact = float(cell)
        if exact == int(exact):
            return int(exact)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{column}: {cell[:LONGEST_CELL]!r} is not a whole number")


def _score(column: str, cell: str) -> int | None:
    return None if cell in MISSING else _whole(column, cell)


def _kickoff(day: str, time: str) -> datetime:
    try:
        return datetime.fromisoformat(
            f"{day}T{EARLIEST_KICKOFF if time in MISSING else time}"
        ).replace(tzinfo=EASTERN)
    except ValueError as error:
        raise ValueError(f"gameday, gametime: {error}") from error


def _week(slug: str) -> int:
    return int(slug.removeprefix("week-"))
