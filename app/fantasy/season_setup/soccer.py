"""Reads soccer from CSV or JSON files: footballers, fixtures and stat lines.

docs/soccer.md has the columns. Errors name file, line or entry, column and remedy. Ids are those of
the source (`KwesiManu#9`), with or without the prefix of its keys (`Footballer#KwesiManu#9`).
soccer_importing.py stores what is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from app.core.csv_files import FileError, Row, read_rows
from app.core.json_decoding import field_with_nul
from app.core.numbers import whole_number
from app.fantasy.market.statuses import STATUSES

WHAT = "soccer"
REMEDY = "docs/soccer.md lists the columns of players, fixtures and stat lines"

POSITIONS: Mapping[str, str] = MappingProxyType(
    {
        "goalkeeper": "GK",
        "keeper": "GK",
        "gk": "GK",
        "gkp": "GK",
        "defender": "DEF",
        "def": "DEF",
        "midfielder": "MID",
        "mid": "MID",
        "striker": "FWD",
        "forward": "FWD",
        "fwd": "FWD",
        "attacker": "FWD",
    }
)

# The columns that may have each statistic.
STATS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "minutes": ("minutes",),
        "goals": ("goals", "goals_scored"),
        "assists": ("assists",),
        "clean_sheets": ("clean_sheets",),
        "goals_conceded": ("goals_conceded",),
        "own_goals": ("own_goals",),
        "penalties_saved": ("penalties_saved",),
        "penalties_missed": ("penalties_missed",),
        "yellow_cards": ("yellow_cards",),
        "red_cards": ("red_cards",),
        "saves": ("saves",),
        "bonus": ("bonus",),
        "defensive_contribution": ("defensive_contribution",),
    }
)
GAME_STATUSES = ("scheduled", "live", "final", "postponed", "suspended", "cancelled", "forfeited")

MOST_JSON_BYTES = 64 * 1024 * 1024
MOST_NUMBER = 999  # on a shirt
MOST_PRICE = 10_000  # in tenths of a million
# Of a kickoff: the first and last year of the calendar overflow with a change of time zone.
YEARS = range(1800, 2500)

_ID = ("id", "footballer", "PK")
_POSITION = ("position", "GSI1_PK")
_PRICE = ("price", "Price ($_MM)")
_GAMEWEEK = ("gameweek", "round", "GW")
_GAME = ("game", "fixture")
_KINDS = ("footballers", "fixtures", "lines")


@dataclass(frozen=True)
class SoccerFootballer:
    """A footballer. `price`: in tenths of a million; None if the source has none."""

    id: str
    name: str
    club: str | None
    position: str
    number: int | None
    price: int | None
    status: str
    news: str


@dataclass(frozen=True)
class SoccerFixture:
    """A fixture.

    Attributes:
        id: None if it is to be made of season, gameweek and clubs.
        kickoff: In UTC.
        status: None if it follows from the stat lines.
    """

    id: str | None
    gameweek: int
    kickoff: datetime
    home: str
    away: str
    home_score: int | None
    away_score: int | None
    status: str | None


@dataclass(frozen=True)
class SoccerLine:
    """What a footballer did in the game, or in their club's game of the gameweek.

    `where`: the row, for errors.
    """

    where: Row
    footballer: str
    game: str | None
    gameweek: int | None
    stats: Mapping[str, int]


@dataclass
class Soccer:
    """What was read, in the order of the files."""

    footballers: list[SoccerFootballer] = field(default_factory=list)
    fixtures: list[SoccerFixture] = field(default_factory=list)
    lines: list[SoccerLine] = field(default_factory=list)


class _Entry(Row):
    """An object of a JSON list. `line`: its place, from 1."""

    __slots__ = ("kind",)

    def __init__(self, cells: dict[str, str], file: Path, line: int, kind: str) -> None:
        super().__init__(cells, file, line)
        self.kind = kind

    def error(self, column: str, what: str) -> FileError:
        """Make an error that names the entry."""
        return FileError(
            f"{self.file}, {self.kind} {self.line}, {column}: {what}; correct it and import "
            "it again"
        )


def read_soccer(paths: Sequence[Path], zone: ZoneInfo) -> Soccer:
    """Read these files, whose columns or keys show what they have.

    Args:
        paths: CSV and JSON files.
        zone: The time zone of kickoffs without one.

    Raises:
        FileError: It names file, line or entry, column and remedy.
    """
    soccer = Soccer()
    ids: set[str] = set()
    for path in paths:
        for kind, row in _json_rows(path) if path.suffix == ".json" else _csv_rows(path):
            if kind == "footballers":
                footballer = _footballer(row)
                if footballer.id in ids:
                    raise row.error("id", f"{footballer.id} is listed twice")
                ids.add(footballer.id)
                soccer.footballers.append(footballer)
            elif kind == "fixtures":
                soccer.fixtures.append(_fixture(row, zone))
            else:
                soccer.lines.append(_line(row))
    return soccer


def bare_id(text: str) -> str:
    """The id without its prefix.

    >>> bare_id("Footballer#KwesiManu#9"), bare_id("KwesiManu#9")
    ('KwesiManu#9', 'KwesiManu#9')
    """
    return text.removeprefix("Footballer#")


def _csv_rows(path: Path) -> Iterator[tuple[str, Row]]:
    kind = None
    for row in read_rows(path, (), WHAT, REMEDY):
        if kind is None:
            kind = _kind(row)
            if kind is None:
                raise FileError(
                    f"{path}, line 1, column {_ID[0]}: these are neither players nor fixtures "
                    "nor stat lines; "
                    f"{REMEDY}"
                )
        yield kind, row


def _json_rows(path: Path) -> Iterator[tuple[str, Row]]:
    for name, entries in _json_lists(path).items():
        if name not in (*_KINDS, "entries") or not isinstance(entries, list):
            raise FileError(f"{path}, {name}: is not a list of {', '.join(_KINDS)}; {REMEDY}")
        for number, entry in enumerate(entries, start=1):
            if not isinstance(entry, dict):
                raise FileError(f"{path}, {name} {number}: should be an object; {REMEDY}")
            row = _Entry({key: _cell(value) for key, value in entry.items()}, path, number, name)
            kind = name if name in _KINDS else _kind(row)
            if kind is None:
                raise row.error(
                    _ID[0], f"this is neither a player nor a fixture nor a stat line ({REMEDY})"
                )
            yield kind, row


def _json_lists(path: Path) -> dict[str, Any]:
    """The file's object; a file that is a list becomes an object with `entries`."""
    try:
        if path.stat().st_size > MOST_JSON_BYTES:
            raise FileError(
                f"{path}: is larger than {MOST_JSON_BYTES:,} bytes; give several files, or csv"
            )
        data = path.read_bytes()
        content = msgspec.json.decode(data)
    except OSError as error:
        raise FileError(
            f"{path}: cannot be read ({error.strerror}); give the path of a json file"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{path}: this is not JSON ({error}); correct it, {REMEDY}") from error
    if (field := field_with_nul(data)) is not None:
        raise FileError(
            f"{path}, {field}: holds the character U+0000, which cannot be stored; correct it"
        )
    if isinstance(content, list):
        return {"entries": content}
    if not isinstance(content, dict):
        raise FileError(
            f"{path}: should be an object with {', '.join(_KINDS)}, or a list; {REMEDY}"
        )
    return content


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _kind(row: Row) -> str | None:
    if "home" in row and "away" in row:
        return "fixtures"
    if "minutes" in row:
        return "lines"
    if any(name in row for name in _POSITION):
        return "footballers"
    return None


def _footballer(row: Row) -> SoccerFootballer:
    known = bare_id(row.needed(*_ID))
    position = row.needed(*_POSITION).removeprefix("Position#")
    if position.lower() not in POSITIONS:
        raise row.error(
            "position",
            f"is {position!r}; it should be one of Goalkeeper, Defender, Midfielder, Striker",
        )
    status = row.text("status") or "available"
    if status not in STATUSES:
        raise row.error("status", f"is {status!r}; it should be one of {', '.join(STATUSES)}")
    name, number = _from_id(known)
    return SoccerFootballer(
        id=known,
        name=row.text("name") or name,
        club=row.text("club", "team"),
        position=POSITIONS[position.lower()],
        number=_whole(row, "number") if row.text("number") else number,
        price=_price(row),
        status=status,
        news=row.text("news") or "",
    )


def _from_id(known: str) -> tuple[str, int | None]:
    """Name and number as the source's ids have them: `KwesiManu#9`."""
    name, _, number = known.partition("#")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name), whole_number(number, most=MOST_NUMBER)


def _price(row: Row) -> int | None:
    millions = row.text(*_PRICE)
    if millions is None:
        return None
    try:
        price = Decimal(millions)
    except InvalidOperation as error:
        raise row.error("price", f"is {millions!r}; it should be millions, like 9.5") from error
    tenths = price * 10 if price.is_finite() and -MOST_PRICE < price < MOST_PRICE else Decimal()
    if tenths != tenths.to_integral_value() or not 0 < tenths <= MOST_PRICE:
        raise row.error(
            "price", f"is {millions}; it should be millions with at most one decimal, like 9.5"
        )
    return int(tenths)


def _fixture(row: Row, zone: ZoneInfo) -> SoccerFixture:
    home, away = row.needed("home"), row.needed("away")
    if home == away:
        raise row.error("away", f"is {away}, the same as home; a game has two clubs")
    written = row.needed("kickoff")
    try:
        kickoff = datetime.fromisoformat(written)
        if kickoff.year not in YEARS:
            raise ValueError("not a season's year")
    except ValueError as error:
        raise row.error(
            "kickoff", f"is {written!r}; it should be like 2026-08-15T16:00+02:00"
        ) from error
    status = row.text("status")
    if status is not None and status not in GAME_STATUSES:
        raise row.error("status", f"is {status!r}; it should be one of {', '.join(GAME_STATUSES)}")
    return SoccerFixture(
        id=row.text("id", *_GAME),
        gameweek=_gameweek(row) or _missing(row, "gameweek"),
        kickoff=(kickoff if kickoff.tzinfo else kickoff.replace(tzinfo=zone)).astimezone(UTC),
        home=home,
        away=away,
        home_score=_whole(row, "home_score") if row.text("home_score") else None,
        away_score=_whole(row, "away_score") if row.text("away_score") else None,
        status=status,
    )


def _line(row: Row) -> SoccerLine:
    game, gameweek = row.text(*_GAME), _gameweek(row)
    if game is None and gameweek is None:
        raise row.error("game", "is empty; give the fixture's id, or the number of the week")
    stats = {name: amount for name, columns in STATS.items() if (amount := _amount(row, columns))}
    return SoccerLine(row, bare_id(row.needed("footballer", "id", "PK")), game, gameweek, stats)


def _amount(row: Row, columns: tuple[str, ...]) -> int:
    column = next((name for name in columns if row.text(name) is not None), None)
    return 0 if column is None else _whole(row, column)


def _gameweek(row: Row) -> int | None:
    column = next((name for name in _GAMEWEEK if row.text(name) is not None), None)
    if column is None:
        return None
    number = _whole(row, column)
    return number if number > 0 else _missing(row, column)


def _missing(row: Row, column: str) -> int:
    raise row.error(column, "should be the number of a week, from 1")


def _whole(row: Row, column: str) -> int:
    written = row.needed(column)
    if not re.fullmatch(r"\d{1,6}(\.0+)?", written):
        raise row.error(column, f"is {written!r}; it should be a whole number from 0")
    return int(float(written))
