"""Files of every importer.

What they hold is taken in whole, or refused in words with nothing of it written.

An input is the importer's name, a line's end, and the file; with `gz ` in front of the name the
file is compressed.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from app.cli.tournaments import _rule
from app.core import clock
from app.core.blob_store import BlobStore
from app.core.errors import UserError
from app.fantasy.leagues import importing as leagues
from app.fantasy.leagues.document import FORMAT, VERSION
from app.fantasy.market.choice import CLASSIC, TeamRulesChoice
from app.fantasy.season_setup.importing import import_roster, import_schedule
from app.fantasy.season_setup.rosters import read_roster
from app.fantasy.season_setup.schedule import read_schedule
from app.fantasy.season_setup.soccer import read_soccer
from app.fantasy.season_setup.soccer_importing import SoccerSeason, import_soccer
from app.ops import backup
from app.predictions.points import PRESETS as POINT_RULES
from app.record.play_by_play import read_games
from app.record.play_by_play.first_calls import COLUMNS as CALLS
from app.record.rules.football import chapters
from app.record.services import store_script
from app.stream import segments
from app.stream.segments import BrokenSegmentError
from app.stream.topic_reader import StoredMessage
from tests.emptying import empty_tables
from tests.fuzz import stores
from tests.fuzz.errors import LONGEST, LONGEST_OF_ALL, assert_says_what
from tests.worlds.play_by_play import STATS, WIDE, small_game, stat_rows
from tests.worlds.season_files import ROSTER, SCHEDULE

FOLDER = Path(tempfile.mkdtemp(prefix="pressbox-fuzz-files-"))
ZONE = ZoneInfo("Africa/Accra")
GAME = {"game": FOLDER / "games" / "game.csv", "calls": FOLDER / "games" / "corrections.csv"}
WORDS = (
    "NA",
    "gz ",
    "reversed",
    "nullified",
    "interception",
    "2026-09-10",
    "1e300",
    "FALSE",
    "milli_points",
    "\\u0000",
)

Takes = Callable[[Path], Iterator[None]]  # yields after each thing that was taken in whole


def begin() -> None:
    stores.application()


def _roster(file: Path) -> Iterator[None]:
    import_roster(read_roster(file, 2026))
    yield


def _schedule(file: Path) -> Iterator[None]:
    import_schedule(read_schedule(file))
    yield


def _soccer(file: Path) -> Iterator[None]:
    season = read_soccer([file], ZONE)
    import_soccer(season, SoccerSeason("ghana", 2026, "Africa/Accra", "soccer-five"), clock.now())
    yield


def _games(file: Path) -> Iterator[None]:
    for script in read_games([file]):
        store_script(script)
        yield


def _calls(file: Path) -> Iterator[None]:
    """How plays were first called, beside a game that is sound."""
    GAME["game"].parent.mkdir(exist_ok=True)
    GAME["game"].write_text(_table(WIDE, small_game()))
    GAME["calls"].write_bytes(file.read_bytes())
    yield from _games(GAME["game"])


def _stats(file: Path) -> Iterator[None]:
    game = FOLDER / "alone" / "game.csv"
    game.parent.mkdir(exist_ok=True)
    game.write_text(_table(WIDE, small_game()))
    for script in read_games([game], file):
        store_script(script)
        yield


def _league(file: Path) -> Iterator[None]:
    leagues.take_in(leagues.read(file.read_bytes()), by=None)
    yield


def _point_rule(file: Path) -> Iterator[None]:
    _rule(str(file))
    yield


def _rulebook(file: Path) -> Iterator[None]:
    chapters.own(file)
    yield


def _backup(file: Path) -> Iterator[None]:
    store = BlobStore(str(FOLDER / "blobs"))
    store.put(f"{backup.FOLDER}/20260913T180000Z/{backup.MANIFEST}", file.read_bytes())
    backup.read(store, "20260913T180000Z")
    yield


def _segment(file: Path) -> Iterator[None]:
    try:
        segments.decode(file.read_bytes())
    except BrokenSegmentError as error:
        raise UserError(str(error)) from error
    yield


KINDS: dict[str, tuple[str, Takes]] = {
    "roster": ("roster.csv", _roster),
    "schedule": ("schedule.csv", _schedule),
    "soccer-csv": ("soccer.csv", _soccer),
    "soccer-json": ("soccer.json", _soccer),
    "games": ("pbp.csv", _games),
    "calls": ("calls.csv", _calls),
    "stats": ("stats.csv", _stats),
    "league": ("league.json", _league),
    "point-rule": ("rule.json", _point_rule),
    "rulebook": ("rulebook.toml", _rulebook),
    "backup": ("manifest.json", _backup),
    "segment": ("0001.parquet", _segment),
}


def _table(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    table = csv.DictWriter(text, list(columns), restval="NA")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def seeds() -> Iterator[bytes]:
    soccer = {
        "footballers": [{"id": "KwesiManu#9", "position": "FWD", "club": "ACC", "price": "9.5"}],
        "fixtures": [
            {
                "id": "one",
                "gameweek": 1,
                "kickoff": "2026-08-15T16:00",
                "home": "ACC",
                "away": "KUM",
            }
        ],
        "lines": [{"footballer": "KwesiManu#9", "game": "one", "minutes": 90, "goals": 2}],
    }
    call = {
        "game_id": small_game()[0]["game_id"],
        "play_id": 4,
        "kind": "reversed",
        "action": "incomplete",
    }
    manifest = {
        "name": "20260913T180000Z",
        "bytes": 1,
        "sha256": "0",
        "server": "18",
        "revision": "1",
        "rows": {"a": 1},
    }
    message = StoredMessage("game-events.v1", 0, 1, b"g1", 1_789_000_000_000, b"{}")
    for kind, content in (
        ("roster", ROSTER.encode()),
        ("gz roster", ROSTER.encode()),
        ("schedule", SCHEDULE.encode()),
        ("soccer-json", json.dumps(soccer).encode()),
        *(("soccer-csv", _table(rows[0], rows).encode()) for rows in soccer.values()),
        ("games", _table(WIDE, small_game()).encode()),
        ("calls", _table([call.split("|")[0] for call in CALLS], [call]).encode()),
        ("stats", _table(STATS, stat_rows()).encode()),
        ("league", msgspec.json.encode(league())),
        ("point-rule", msgspec.json.encode(POINT_RULES["margin"])),
        ("rulebook", b'[mine]\ntitle = "Mine"\nlike = "nfl"\nseason = 2024\n'),
        ("rulebook", b'[mine]\ntitle = "Mine"\n[[mine.changes]]\nfrom = 2020\nquarters = 4\n'),
        ("rulebook", b"[mine]\n" + b"9" * 5000 + b" = 1\n"),
        ("backup", json.dumps(manifest).encode()),
        ("segment", segments.encode([message])),
    ):
        yield kind.encode() + b"\n" + content


def league() -> dict[str, Any]:
    """An exported league of two, after one gameweek."""
    at = datetime(2026, 9, 13, 18, tzinfo=UTC).isoformat()
    person = {
        "country": "CH",
        "joined_at": at,
        "total_points": 7,
        "standing": [7],
        "is_banned": False,
    }
    sheet = {
        "week": 1,
        "picks": ["f1", "f2"],
        "captain": 0,
        "vice_captain": 1,
        "paid": [50, 60],
        "bank": 0,
    }
    sheet |= {
        "free_transfers": 2,
        "transfers": 0,
        "transfer_cost": 0,
        "edition": 1,
        "is_carried": False,
        "saved_at": at,
    }
    score = {"week": 1, "held": 0, "transfers": 0, "match_points": 3, "total": 7, "rank": 1}
    return {
        "format": FORMAT,
        "version": VERSION,
        "season": {
            "competition": "nfl",
            "season": 2026,
            "season_type": "REG",
            "name": "NFL 2026",
            "time_zone": "America/New_York",
            "rules": "half_ppr_idp",
        },
        "gameweeks": [
            {"week": 1, "name": "Week 1", "deadline": at, "locked_at": at, "settled_at": None}
        ],
        "league": {
            "name": "The Row",
            "slug": "the-row",
            "is_public": False,
            "is_overall": False,
            "rules": "half_ppr_idp",
            "mode": "head_to_head",
            "ties": "points",
            "commissioner": "ann",
            "created_at": at,
        },
        "team_rules": vars(TeamRulesChoice.of(CLASSIC, "America/New_York")),
        "deadlines": [{"week": 1, "locks_at": at}],
        "scoring": [],
        "people": [
            person | {"username": name, "display_name": name.title(), "team_name": f"Team {name}"}
            for name in ("ann", "bob")
        ],
        "scores": [
            score | {"member": name, "team_name": name, "points": 7} for name in ("ann", "bob")
        ],
        "matchups": [{"week": 1, "home": "ann", "away": "bob"}],
        "adjustments": [
            {
                "week": 1,
                "member": "bob",
                "points": -1,
                "reason": "Late",
                "by": "ann",
                "created_at": at,
            }
        ],
        "rule_changes": [],
        "sheets": [sheet | {"member": "ann", "points": 7, "held": 0, "times": [2, 1]}],
        "footballers": [
            {"id": name, "name": name, "position": "QB", "club": "HRB"} for name in ("f1", "f2")
        ],
    }


def one_input(data: bytes) -> None:
    head, _, content = data.partition(b"\n")
    kind = head.decode("ascii", "replace")
    is_zipped = kind.startswith("gz ")
    if (reader := KINDS.get(kind.removeprefix("gz "))) is None:
        return
    name, take = reader
    file = FOLDER / name
    file.write_bytes(gzip.compress(content, 1) if is_zipped else content)
    stores.forget_writes()
    before = stores.committed()
    refusal: str | None = None
    try:
        for _ in take(file):
            before = stores.committed() if stores.has_written() else before
    except UserError as error:
        refusal = str(error)
    if refusal is not None:
        assert_says_what(refusal, LONGEST_OF_ALL if name == "league.json" else LONGEST)
        changed = stores.differ(before) if stores.has_written() else []
        assert not changed, f"refused ({refusal}), and written to {', '.join(changed)}"
    if stores.has_written():
        empty_tables()
