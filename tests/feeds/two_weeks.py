"""The first two weeks of the season of 2019, as a publisher's folder and a clock play them.

A salary-cap league and a draft league are founded, drafted and left alone. Afterwards nothing
happens but the publisher's files, the clock and the scheduled jobs.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from flask import Flask
from msgspec.structs import replace
from rq.utils import import_attribute
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.core.jobs import QUEUES, JobType, queue
from app.draft_leagues import draft_planning
from app.draft_leagues.draft_planning import DraftDate
from app.draft_leagues.drafts.models import DraftRow
from app.draft_leagues.jobs import ADVANCE_DRAFTS
from app.draft_leagues.season_facts import faults_in_season, season_facts
from app.draft_leagues.setting_fitting import fitted
from app.draft_leagues.settings import PRESETS
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.services import NewLeague
from app.fantasy.market import gameweeks
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.formats import format_named
from app.fantasy.market.gameweeks import gameweek_row
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, TeamRules
from app.fantasy.scoring.league_gameweek import league_gameweek
from app.fantasy.scoring.timeline import Timeline
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.sensible import Option, sensible_team
from app.fantasy.standings import queries as standings
from app.fantasy.standings.live_scores import scores_of
from app.fantasy.standings.models import League
from app.feeds import services as feeds
from app.feeds.jobs import RUN_FEEDS
from app.feeds.models import Feed
from app.record.models import Footballer, StatLine
from app.stream.messages import Message
from app.stream.models import OutboxMessage
from app.stream.topics import GAME_EVENTS
from tests.conftest import NFLVERSE, REAL_GAMES
from tests.owner import owner
from tests.worlds.real_games import due, table
from workers.jobs import ingest_events

SEASON, RULES, ZONE = 2019, "ppr", "America/New_York"
FOLDER = REAL_GAMES / "reg2019"
BEGIN = datetime(2019, 9, 2, 12, tzinfo=UTC)  # the Monday before the first game
DRAFT = datetime(2019, 9, 4, 0, tzinfo=UTC)
# Tuesday: the plays of Monday night are in, and waivers are processed on Wednesday.
BEFORE_WAIVERS = datetime(2019, 9, 10, 12, 30, tzinfo=UTC)
END = datetime(2019, 9, 19, 13, tzinfo=UTC)  # after the waiver run that follows the second week
NIGHT = timedelta(hours=9, minutes=30)  # a Sunday night's plays are published in two parts
SUBJECTS = ("app.fantasy", "app.draft_leagues", "app.feeds", "app.talk")
NAMES = ("ann", "bob", "cat", "dan")
MOST_MOMENTS = 300  # at which a draft's clock decides, more than it has picks
FIRST_PART = 9  # games of a Sunday that the first run of the night has


class Files:
    """The publisher's folder, as it stands at a moment.

    `games`: the league's ids of the games that are played; the others of the two weeks are left
    out of the season.
    """

    def __init__(self, folder: Path, games: Collection[str]) -> None:
        self.folder, self.games = folder, sorted(games)
        (folder / "play_stats").mkdir()
        (folder / "known_gaps.csv").write_bytes((FOLDER / "known_gaps.csv").read_bytes())
        schedule = table(NFLVERSE / "games.csv")
        weeks = {"1", "2"}
        self.schedule = [
            row
            for row in schedule
            if row["season"] == str(SEASON)
            and (row["week"] not in weeks or row["old_game_id"] in self.games)
            and row["game_type"] == "REG"
        ]
        self.kickoffs = {row["old_game_id"]: _kickoff(row) for row in self.schedule}
        self.published: list[str] = []
        self._write_roster()

    def publish(self, now: datetime) -> bool:
        """Write what the publisher has by now; says whether that is more than before."""
        games = self._ready(now)
        if games == self.published and (self.folder / "games.csv").exists():
            return False
        self.published = games
        scored = set(games)
        rows = [
            row if row["old_game_id"] in scored else row | {"away_score": "", "home_score": ""}
            for row in self.schedule
        ]
        _write(self.folder / "games.csv", list(rows[0]), rows)
        if games:
            self._write_plays()
        return True

    def _ready(self, now: datetime) -> list[str]:
        """The games whose plays are out: the morning after, of a Sunday first nine of them."""
        ready = []
        for day in sorted({game[:8] for game in self.games}):
            games = [game for game in self.games if game[:8] == day]
            midnight = datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC) + timedelta(days=1)
            if now >= midnight + NIGHT:
                ready += games
            elif now >= midnight + NIGHT - timedelta(hours=3):
                ready += games[:FIRST_PART]
        return ready

    def _write_plays(self) -> None:
        columns: list[str] = []
        rows: list[dict[str, str]] = []
        for game in self.published:
            with gzip.open(FOLDER / "pbp" / f"{game}.csv.gz", "rt", newline="") as lines:
                reader = csv.DictReader(lines)
                columns += [name for name in reader.fieldnames or () if name not in columns]
                rows += list(reader)
            stats = f"{game}.csv.gz"
            stored = (FOLDER / "play_stats" / stats).read_bytes()
            (self.folder / "play_stats" / stats).write_bytes(stored)
        _write(self.folder / f"play_by_play_{SEASON}.csv", columns, rows)

    def _write_roster(self) -> None:
        """The players at hand in the publisher's columns; only those of clubs that play."""
        clubs = {
            row[side]
            for row in self.schedule
            for side in ("home_team", "away_team")
            if row["old_game_id"] in self.games
        }
        rows = []
        for player in table(FOLDER / "players.csv"):
            club = player["teams"].split(",")[-1].split(";")[-1].strip()
            if club in clubs:
                rows.append(
                    {
                        "season": SEASON,
                        "team": club,
                        "position": player["position"],
                        "depth_chart_position": player["position"],
                        "jersey_number": "",
                        "status": "ACT",
                        "full_name": player["full_name"] or player["player_name"],
                        "gsis_id": player["player_id"],
                    }
                )
        _write(self.folder / f"roster_{SEASON}.csv", list(rows[0]), rows)


def _kickoff(row: dict[str, str]) -> datetime:
    """Kickoff in UTC; all of these games were played in daylight saving time."""
    local = datetime.fromisoformat(f"{row['gameday']}T{row['gametime']}")
    return (local + timedelta(hours=4)).replace(tzinfo=UTC)


def _write(path: Path, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Under another name first, as docs/feeds.md asks for."""
    part = path.with_suffix(".part")
    with part.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    part.replace(path)


class Clock:
    """The test's clock, which replaces `app.core.clock.now` and the clock of the sheets' guard."""

    def __init__(self, begin: datetime) -> None:
        self.now = begin
        self.move(begin)

    def read(self) -> datetime:
        return self.now

    def move(self, now: datetime) -> None:
        self.now = now
        with owner().begin() as connection:
            connection.execute(text("UPDATE test_clock.moment SET now = :now"), {"now": now})


@contextmanager
def driven_clock(begin: datetime) -> Iterator[Clock]:
    """A clock for the length of the block.

    The trigger that guards team sheets compares with the database's time. Its function gets a
    `clock_timestamp()` that is the test's, and stays as it is otherwise.
    """
    _in_database(
        "CREATE SCHEMA test_clock",
        "CREATE TABLE test_clock.moment AS SELECT pg_catalog.clock_timestamp() AS now",
        "CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql"
        " SECURITY DEFINER AS 'SELECT now FROM test_clock.moment'",
        "GRANT USAGE ON SCHEMA test_clock TO PUBLIC",
        "ALTER FUNCTION guard_team_sheet() SET search_path = test_clock, pg_catalog, public",
    )
    patch = pytest.MonkeyPatch()
    try:
        driven = Clock(begin)
        patch.setattr(clock, "now", driven.read)
        yield driven
    finally:
        patch.undo()
        _in_database(
            "ALTER FUNCTION guard_team_sheet() RESET search_path", "DROP SCHEMA test_clock CASCADE"
        )


def _in_database(*statements: str) -> None:
    db.session.rollback()
    with owner().begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


def scheduled_jobs() -> list[JobType]:
    """The scheduled jobs of the subjects that play a season, those that feed the others first."""
    jobs = [
        value
        for subject in reversed(SUBJECTS)
        for value in vars(import_module(f"{subject}.jobs")).values()
        if isinstance(value, JobType) and value.every_seconds is not None
    ]
    return sorted(jobs, key=lambda job: job != RUN_FEEDS)


@dataclass
class Installation:
    """An installation whose processes the test is: scheduler, workers, and the stream between.

    `runs`: how often the scheduled jobs have run. `entered`: events of each run of a feed that
    wrote some.
    """

    app: Flask
    files: Files
    clock: Clock
    taken: int = 0
    runs: int = 0
    entered: list[int] = field(default_factory=list)
    jobs: list[JobType] = field(default_factory=scheduled_jobs)

    def pass_time(self, until: datetime, step: timedelta) -> None:
        """Let time pass, with the publisher's files and the scheduled jobs."""
        while self.clock.now < until:
            self.clock.move(min(self.clock.now + step, until))
            self.tick()

    def tick(self) -> None:
        """Everything that is due now."""
        self.files.publish(self.clock.now)
        for job in self.jobs:
            if job.name == RUN_FEEDS.name:
                self._run_feeds()
                continue
            import_attribute(job.name)()
            db.session.rollback()
        self._work()
        self.runs += 1

    def _run_feeds(self) -> None:
        """The feeds' job of the next minutes: schedule, then rosters, then what needs both."""
        for _ in range(3):
            import_attribute(RUN_FEEDS.name)()
            db.session.rollback()
            self._work()
            self._ingest()

    def let_the_draft_run(self) -> str:
        """Run the drafts' job whenever a clock decides; it comes every two seconds anyway.

        Returns the status of the draft at the end.
        """
        for _ in range(MOST_MOMENTS):
            draft = db.session.scalars(
                select(DraftRow), execution_options={"populate_existing": True}
            ).one()
            due_at, status = draft.due_at, draft.status
            db.session.rollback()
            if status == "completed" or due_at is None:
                return status
            self.clock.move(max(self.clock.now + timedelta(seconds=2), due_at))
            import_attribute(ADVANCE_DRAFTS.name)()
        return status

    def _work(self) -> None:
        """Do all jobs that wait, as workers do."""
        while jobs := [job for name in QUEUES for job in queue(name).jobs]:
            for job in jobs:
                queue(job.origin).remove(job)
                import_attribute(job.func_name)(*job.args)
                db.session.rollback()

    def _ingest(self) -> None:
        """Hand over what was accepted, as relay, stream and bridge do: in order, in batches."""
        rows = db.session.scalars(
            select(OutboxMessage).where(OutboxMessage.id > self.taken).order_by(OutboxMessage.id)
        ).all()
        for first in range(0, len(rows), 500):
            batch = rows[first : first + 500]
            ingest_events.run(
                [
                    Message(GAME_EVENTS.name, 0, row.id, row.game_id, row.payload).to_json()
                    for row in batch
                ]
            )
        if rows:
            self.taken = rows[-1].id
            self.entered.append(len(rows))
        db.session.rollback()
        self._work()


def taste(name: str, listed: FootballerSeason) -> int:
    """How good a footballer is for a member: by the price, and by chance between equals."""
    return 100 * listed.price + crc32(f"{name} {listed.footballer_id}".encode()) % 100


@dataclass
class World:
    """The leagues that play. `salary_cap` has ann and bob, `draft` has all four."""

    installation: Installation
    season: Season
    members: dict[str, int]
    salary_cap: League
    draft: League

    def gameweek(self, week: int) -> Gameweek:
        return db.session.scalars(
            select(Gameweek).where(Gameweek.season_id == self.season.id, Gameweek.week == week),
            execution_options={"populate_existing": True},
        ).one()

    def save_sensible_team(self, name: str, week: int) -> sheets.Saved | sheets.Refused:
        """Save a team as "Auto-pick my team" makes it, by the member's taste."""
        now = self.installation.clock.now
        rules = db.session.get_one(TeamRules, self.salary_cap.team_rules_id)
        rows = db.session.execute(
            select(FootballerSeason, Footballer.club_id)
            .join(Footballer, Footballer.id == FootballerSeason.footballer_id)
            .where(FootballerSeason.season_id == self.season.id)
            .order_by(Footballer.id)
        )
        options = [
            Option(row.footballer_id, row.position, club or "", row.price, taste(name, row))
            for row, club in rows
        ]
        team_format = format_named(rules.format)
        team = sensible_team(team_format, rules.budget, rules.club_limit, options)
        assert team is not None
        gameweek_id = self.gameweek(week).id
        db.session.rollback()
        draft = sheets.Draft(team.picks, team.captain, team.vice_captain)
        return sheets.save(self.members[name], rules.id, gameweek_id, draft, now)

    def differences(self, week: int) -> tuple[int, list[str]]:
        """Compare each team's week with the published points of its players.

        Returns:
            How many places of teams were compared, and a line for each team whose total differs.
        """
        compared, lines = 0, []
        for league in (self.salary_cap, self.draft):
            gameweek = self.gameweek(week)
            row = standings.league_for_viewer(league.slug, self.members["ann"])
            assert row is not None
            followed = league_gameweek(row, gameweek_row(gameweek), gameweeks.games_of(gameweek))
            published = self._published([game.id for game in followed.games])
            timeline = Timeline(followed)
            for game in followed.games:
                stat_lines = dict(
                    db.session.execute(
                        select(StatLine.player_id, StatLine.stats).where(
                            StatLine.game_id == game.id
                        )
                    ).all()
                )
                timeline.take(game.id, stat_lines, game.status)
            multipliers = timeline.multipliers()
            scores = {score.member_id: score.points for score in scores_of(league.id, gameweek.id)}
            for place, sheet in enumerate(followed.sheets):
                team = followed.teams[followed.team_of_sheet[place]]
                expected = sum(
                    published.get(pick, 0) * int(multipliers[place][number])
                    for number, pick in enumerate(sheet.picks)
                )
                compared += sum(bool(pick) for pick in sheet.picks)
                if scores.get(team.member_id) != expected:
                    lines.append(
                        f"{league.name}, week {week}, {team.name}: "
                        f"{scores.get(team.member_id)}, not {expected}"
                    )
        return compared, lines

    def _published(self, game_ids: Sequence[str]) -> dict[str, int]:
        """Published points by player in thousandths, of these games together."""
        old = {row["game_id"]: row["old_game_id"] for row in self.installation.files.schedule}
        points: dict[str, int] = {}
        for game_id in game_ids:
            for player, value in due()[old[game_id]][RULES].items():
                points[player] = points.get(player, 0) + int(value * 1000)
        return points


def follow(installation: Installation) -> list[Feed]:
    """`pressbox feed add nflverse --season 2019 --from FOLDER`, and the first runs."""
    added = feeds.add(
        feeds.Following("nflverse", SEASON, str(installation.files.folder)), installation.clock.now
    )
    installation.tick()
    return added


def found_leagues(installation: Installation, make_member: Callable[..., Member]) -> World:
    """Found both leagues and plan the draft; from then on the clock does everything."""
    now = installation.clock.now
    season = db.session.scalars(
        select(Season).where(Season.season == SEASON, Season.season_type == "REG")
    ).one()
    members = {name: make_member(name).id for name in NAMES}
    choice = TeamRulesChoice.of("nfl-offence", ZONE)
    salary_cap = leagues.create(
        members["ann"], NewLeague("Money Ball", "Ann FC", season.id, choice, RULES), now
    )
    assert isinstance(salary_cap, League), salary_cap
    assert leagues.join(members["bob"], salary_cap.id, "Bob FC", now) is None
    base = PRESETS["redraft"]
    settings = replace(
        base,
        franchises=len(NAMES),
        scoring=RULES,
        roster=replace(
            base.roster,
            starters=tuple(
                count for count in base.roster.starters if count.slot not in ("K", "DST")
            ),
            bench=4,
        ),
        season=replace(base.season, playoff_teams=2, weeks_per_round=(1,)),
    )
    settings = fitted(settings, season_facts(season.id, now))
    refusals = faults_in_season(settings, season.id, now)
    assert refusals == [], refusals
    draft = setup.found(
        members["ann"], NewDraftLeague("The Draft", "Ann FC", season.id, settings), now
    )
    assert isinstance(draft, League), draft
    for name in NAMES[1:]:
        assert leagues.join(members[name], draft.id, f"{name.title()} FC", now) is None
    refused = draft_planning.schedule(
        draft.id, DraftDate(DRAFT, order=(1, 2, 3, 4)), members["ann"], now
    )
    assert refused == [], refused
    db.session.commit()
    return World(installation, season, members, salary_cap, draft)
