"""What a publisher can do wrong with play-by-play: a finding, nothing changed, healed by itself.

tests/feeds/test_running.py shows the same of rosters and injury reports.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select

from app.core.db import db
from app.feeds import fetching, running, services
from app.feeds.models import Feed, FeedGame
from app.record.models import Footballer, Game
from scorer_console.record.accepted import accepted_events, forget
from tests.feeds.publisher import Fault, Publisher
from tests.feeds.test_play_by_play import COLUMNS, Rows, changed, whole_game
from tests.record.test_published_files import table
from tests.worlds.play_by_play import GAME, stat_rows, write
from tests.worlds.play_by_play import STATS as STAT_COLUMNS
from tests.worlds.season_files import ROSTER

FILE = "play_by_play_2031.csv.gz"
NOW = datetime(2031, 9, 8, 6, tzinfo=UTC)


def packed(folder: Path, rows: Rows, columns: list[str] = COLUMNS) -> bytes:
    return write(folder / FILE, columns, rows).read_bytes()


@pytest.fixture
def feed_id(app: Flask, publisher: Publisher, tmp_path: Path) -> Iterator[int]:
    """A feed that has entered the whole game."""
    forget()
    feeds = services.add(services.Following("nflverse", 2031), NOW)
    (number,) = [feed.id for feed in feeds if feed.kind == "play_by_play"]
    publisher.files[FILE] = packed(tmp_path, whole_game())
    assert running.run(number, NOW).changes["games final"] == 1
    yield number
    forget()


def stored() -> tuple[object, ...]:
    """What a run may not change if the file is no good."""
    db.session.expire_all()
    counts = [
        db.session.scalar(select(func.count()).select_from(model)) for model in (Game, Footballer)
    ]
    hashes = db.session.scalars(select(FeedGame.rows_sha256)).all()
    return (*counts, hashes, accepted_events(GAME).last_number)


def other_season(rows: Rows) -> Rows:
    return [row | {"season": 2030} for row in rows]


def bad_file(kind: str, folder: Path) -> bytes:
    """A file that is no play-by-play of the season."""
    rows = whole_game()
    files = {
        "html": lambda: b"<!DOCTYPE html><html><body>Not now</body></html>",
        "html, compressed": lambda: gzip.compress(b"<!DOCTYPE html><html></html>"),
        "roster": lambda: gzip.compress(ROSTER.encode()),
        "play_stats": lambda: write(
            folder / "stats.csv.gz", STAT_COLUMNS, stat_rows()
        ).read_bytes(),
        "parquet of another table": lambda: table(
            folder / "other.parquet", "name,team\nAnn,HRB\n"
        ).read_bytes(),
        "cut": lambda: packed(folder, rows)[:-30],
        "no column": lambda: packed(
            folder,
            [{name: cell for name, cell in row.items() if name != "posteam"} for row in rows],
            [name for name in COLUMNS if name != "posteam"],
        ),
        "other season": lambda: packed(folder, other_season(rows)),
        "fewer": lambda: packed(folder, rows[:5]),
        "empty": lambda: b"",
        "only a header": lambda: packed(folder, []),
    }
    return files[kind]()


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("html", "a web page or XML, not play-by-play"),
        ("html, compressed", "a web page or XML, not play-by-play"),
        ("roster", "this is a roster, not play-by-play"),
        ("play_stats", "not play-by-play"),
        ("parquet of another table", "has no such column"),
        ("cut", "this is not play-by-play as text"),
        ("no column", "the header has no such column"),
        ("other season", "The file has no rows for 2031. It has 2030."),
        ("fewer", "The file has 5 rows, and the last one had"),
        ("empty", "the file is empty"),
        ("only a header", "The file has no rows for 2031."),
    ],
)
def test_a_file_that_is_no_play_by_play_changes_nothing_and_the_next_good_one_heals_it(
    feed_id: int, publisher: Publisher, tmp_path: Path, kind: str, says: str
) -> None:
    before = stored()
    publisher.files[FILE] = bad_file(kind, tmp_path)
    assert running.run(feed_id, NOW).outcome == "finding"
    (finding,) = db.session.get_one(Feed, feed_id).findings
    assert says in finding
    assert str(tmp_path) not in finding
    assert stored() == before
    publisher.files[FILE] = packed(
        tmp_path, changed(whole_game(), 90, rushing_yards=8, yards_gained=8)
    )
    assert running.run(feed_id, NOW).changes["plays corrected"] == 1
    assert db.session.get_one(Feed, feed_id, populate_existing=True).findings == []


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault(404), "(404)"),
        (Fault(429, {"Retry-After": "120"}), "asks us to wait 2 minutes"),
        (Fault(500), "answered 500"),
        (Fault(200, {}, b"x" * 1000, cut=20), "could not be reached"),
        (Fault(200, {"Content-Length": str(2 * 1024**3)}), "larger than"),
    ],
    ids=["404", "429", "500", "cut", "2 GB"],
)
def test_a_publisher_that_gives_no_play_by_play_changes_nothing(
    feed_id: int, publisher: Publisher, tmp_path: Path, fault: Fault, says: str
) -> None:
    before = stored()
    publisher.faults[FILE] = fault
    assert running.run(feed_id, NOW).outcome == "failed"
    assert says in db.session.get_one(Feed, feed_id).findings[0]
    assert stored() == before
    del publisher.faults[FILE]
    assert running.run(feed_id, NOW).outcome == "unchanged"
    assert db.session.get_one(Feed, feed_id, populate_existing=True).failures == 0


def test_an_answer_that_is_longer_than_it_said_is_ended_at_the_limit(
    feed_id: int, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A publisher may send without a length, so the bytes themselves are counted."""
    before = stored()
    monkeypatch.setattr(fetching, "MOST_BYTES", 10_000)
    publisher.faults[FILE] = Fault(200, {"Content-Length": ""}, b"x" * 50_000)
    assert running.run(feed_id, NOW).outcome == "failed"
    assert "larger than" in db.session.get_one(Feed, feed_id).findings[0]
    assert stored() == before


def test_a_redirect_to_a_private_address_is_not_followed(
    feed_id: int, publisher: Publisher, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The publisher's own address passes here as a public one; where it leads does not."""
    before = stored()
    publisher.files["inside.csv.gz"] = publisher.files[FILE]
    publisher.faults[FILE] = Fault(302, {"Location": publisher.address("inside.csv.gz")})
    download = fetching.outbound.download

    def only_public_from_now_on(*args: Any, **options: Any) -> Any:
        answer = download(*args, **options)
        app.config["PRESSBOX"] = replace(app.config["PRESSBOX"], providers_private=False)
        return answer

    monkeypatch.setattr(fetching.outbound, "download", only_public_from_now_on)
    assert running.run(feed_id, NOW).outcome == "failed"
    assert "The address cannot be used" in db.session.get_one(Feed, feed_id).findings[0]
    assert publisher.statuses("inside.csv.gz") == [], "nobody asked for it"
    assert stored() == before
