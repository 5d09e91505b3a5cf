"""A week of a publisher's file as it stood at five moments, from one Thursday to the next.

Fifteen made-up games, one on Thursday and fourteen on Sunday, each the small game of
tests/worlds/play_by_play.py with its own clubs and players. After each moment the points of every
player are those of a fresh import of that file, and the number of events is the least that the
difference needs: the test says how each comes about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from app.core.db import db
from app.fantasy.scoring.export import points_rows
from app.fantasy.scoring.rules import PPR, points
from app.feeds import running, services
from app.feeds.models import Feed
from app.record.models import GameState
from app.record.play_by_play import read_games
from app.record.rules.stat_lines import game_credits, stat_lines
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from scorer_console.record.accepted import forget
from tests.feeds.publisher import Publisher
from tests.feeds.test_play_by_play import COLUMNS, Rows, changed, inserted, whole_game, without
from tests.worlds.games import ingest_and_refresh
from tests.worlds.play_by_play import CATCHER, PASSER, H, S, named, numbered, play, write

FILE = "play_by_play_2031.csv.gz"
NOW = datetime(2031, 9, 12, 6, tzinfo=UTC)
SUNDAY = range(1, 15)
RENAMED = 12  # the game whose clubs are called otherwise in Thursday's file
NFL_CLUBS = {RENAMED: ("LV", "WAS")}  # of the NFL, because their other abbreviations are known


def game_id(number: int) -> str:
    return f"2031090{4 if number == 0 else 7}{number:02}"


def game(number: int, rows: Rows | None = None) -> Rows:
    """The rows as those of this game: with its id, clubs and players."""
    home, away = NFL_CLUBS.get(number, (f"H{number:02}", f"A{number:02}"))
    clubs = {H: home, S: away}

    def cell(value: object) -> object:
        text = str(value)
        if text.startswith("00-00000"):
            return f"00-00{number:02}{text[-3:]}"
        return clubs.get(text, value)

    ids = {"game_id": game_id(number), "old_game_id": game_id(number)}
    return [
        {column: cell(value) for column, value in row.items()} | ids
        for row in (whole_game() if rows is None else rows)
    ]


@dataclass
class Moment:
    """A file of the publisher: the rows of each game, by number."""

    name: str
    games: dict[int, Rows] = field(default_factory=dict)
    columns: list[str] = field(default_factory=lambda: COLUMNS)

    @property
    def rows(self) -> Rows:
        return [row for rows in self.games.values() for row in rows]


class Week:
    """The publisher, its feed of play-by-play, and the record behind it."""

    def __init__(self, publisher: Publisher, folder: Path) -> None:
        self.publisher, self.folder, self.taken = publisher, folder, 0
        feeds = services.add(services.Following("nflverse", 2031), NOW)
        self.feed_id = next(feed.id for feed in feeds if feed.kind == "play_by_play")

    def events(self, moment: Moment) -> int:
        """Publish the moment's file, run the feed twice, and say how many events it wrote."""
        file = write(self.folder / FILE, moment.columns, moment.rows)
        self.publisher.files[FILE] = file.read_bytes()
        report = running.run(self.feed_id, NOW)
        assert report.outcome != "finding", report.entered.findings
        assert report.entered.findings == ()
        self._ingest()
        self.assert_as_a_fresh_import(file)
        assert running.run(self.feed_id, NOW).changes == {}, "a second run writes nothing"
        assert self.publisher.statuses(FILE)[-1] == 304
        # ... and neither does one that gets the whole file again.
        row = db.session.get_one(Feed, self.feed_id)
        row.etag = row.last_modified = row.sha256 = None
        db.session.commit()
        assert running.run(self.feed_id, NOW).changes == {}
        assert self.publisher.statuses(FILE)[-1] == 200
        return report.changes.get("events", 0)

    def _ingest(self) -> None:
        rows = db.session.scalars(
            select(OutboxMessage).where(OutboxMessage.id > self.taken).order_by(OutboxMessage.id)
        ).all()
        if rows:
            self.taken = rows[-1].id
            ingest_and_refresh(
                [Message(GAME_EVENTS.name, 0, row.id, row.game_id, row.payload) for row in rows]
            )
        db.session.expire_all()

    def assert_as_a_fresh_import(self, file: Path) -> None:
        """Everybody's points and the scores in the record are those of the file."""
        for script in read_games([file]):
            bodies = numbered(event.body for event in script.events)
            lines = stat_lines(game_credits(bodies))
            expected = {player: points(line.stats, PPR) for player, line in lines.items()}
            in_record = {
                row[1]: round(float(row[5]) * 1000) for row in points_rows(script.game_id, "ppr")
            }
            assert _earners(in_record) == _earners(expected), script.game_id


def _earners(points_by_player: dict[str, int]) -> dict[str, int]:
    return {player: earned for player, earned in points_by_player.items() if earned}


@pytest.fixture
def week(app: Flask, publisher: Publisher, tmp_path: Path) -> Iterator[Week]:
    forget()
    yield Week(publisher, tmp_path)
    forget()


def longer_run(rows: Rows) -> Rows:
    return changed(rows, 90, rushing_yards=8, yards_gained=8)


def other_tackler(rows: Rows) -> Rows:
    return changed(rows, 90, **named("solo_tackle_1", PASSER, "P.Arm"))


def reviewed_touchdown(rows: Rows) -> Rows:
    """The runner was down at the 1: six points less, and the try is taken out."""
    short = changed(
        rows,
        20,
        touchdown="",
        pass_touchdown="",
        td_team="",
        yards_gained=59,
        passing_yards=59,
        receiving_yards=59,
        replay_or_challenge=1,
        replay_or_challenge_result="reversed",
        **named("td", "", ""),
    )
    return [row | {"total_home_score": 0} for row in without(short, 30)]


def own_recovery(rows: Rows) -> Rows:
    """Not the other club recovered the fumble, but the one that lost it."""
    return changed(
        rows,
        50,
        fumble_lost="",
        fumble_recovery_1_team=H,
        fumble_recovery_1_yards=0,
        **named("fumble_recovery_1", CATCHER, "C.Hands"),
    )


MISSING = play(
    45,
    "run",
    H,
    down=1,
    ydstogo=10,
    rushing_yards=3,
    yards_gained=3,
    solo_tackle_1_team=S,
    **named("rusher", PASSER, "P.Arm"),
    **named("solo_tackle_1", CATCHER, "C.Hands"),
)


def missing_play(rows: Rows) -> Rows:
    return inserted(rows, 40, MISSING)


# What changes on Tuesday, by game, and the least events that it needs. Each game is final, so that
# a fact is corrected by a stat correction, which is an event of its own. A new play, and a review,
# may not follow a final score: it is taken back first and declared again, which is two events more.
CORRECTIONS: dict[int, tuple[str, Callable[[Rows], Rows], int]] = {
    1: ("yards of one play", longer_run, 2),  # the run, and where its tackle was made
    2: ("a credited player", other_tackler, 1),
    3: ("a play taken out", lambda rows: without(rows, 80), 1),
    4: ("a play missing in the middle", missing_play, 2 + 3),  # its snap, run and tackle
    # the pass, the try that goes, and the review's two events
    5: ("a touchdown reviewed away", reviewed_touchdown, 2 + 4),
    # no run after it, another recovery, and who was tackled
    6: ("a recovery that changes clubs", own_recovery, 3),
}


def test_the_moments_of_a_week(week: Week, measured: Callable[[str], None]) -> None:
    thursday = {0: game(0)}
    first_night = thursday | {number: game(number) for number in list(SUNDAY)[:9]}
    monday = thursday | {number: game(number) for number in SUNDAY}
    whole = len(next(read_games([write(week.folder / "one.csv", COLUMNS, game(0))])).events)
    moments = [
        (Moment("Thursday night", thursday), whole),
        (Moment("Sunday's first night run, nine of fourteen games", first_night), 9 * whole),
        (Moment("Monday, the other five", monday), 5 * whole),
    ]
    games = monday
    for number, (what, change, least) in CORRECTIONS.items():
        games = games | {number: game(number, change(whole_game()))}
        moments.append((Moment(f"Tuesday: {what}", games), least))
    renamed = games | {
        RENAMED: [
            {
                column: {"LV": "OAK", "WAS": "WSH"}.get(str(value), value)
                for column, value in row.items()
            }
            for row in games[RENAMED]
        ]
    }
    wider = {
        number: [row | {"new_one": 1, "new_two": "x"} for row in rows]
        for number, rows in renamed.items()
    }
    columns = [*COLUMNS, "new_one", "new_two"]
    moments.append((Moment("Thursday, a renamed club and two new columns", wider, columns), 0))

    written = [(moment.name, week.events(moment), least) for moment, least in moments]
    assert written == [(name, least, least) for name, _, least in written]
    states = db.session.scalars(select(GameState.status)).all()
    assert states == ["final"] * 15
    for name, count, _ in written:
        measured(f"{name}: {count} events")


@pytest.mark.breadth("the same corrections, all in one file")
def test_tuesdays_corrections_come_in_one_file(week: Week) -> None:
    """All six at once need as many events as one after the other."""
    week.events(Moment("Monday", {number: game(number) for number in SUNDAY}))
    tuesday = {number: game(number) for number in SUNDAY} | {
        number: game(number, change(whole_game())) for number, (_, change, _) in CORRECTIONS.items()
    }
    assert week.events(Moment("Tuesday", tuesday)) == sum(
        least for _, _, least in CORRECTIONS.values()
    )
