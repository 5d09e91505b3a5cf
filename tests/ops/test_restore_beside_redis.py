"""An earlier backup is restored while Redis lives on.

Everybody sees the restored database, before any repair.

docs/recovery.md: "Redis may live on through a restore". Decision 75.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts import friend_sets, friends
from app.accounts.jobs import MAIL_CONFIRMATION
from app.accounts.models import Member
from app.accounts.players import player_of
from app.boards import percentiles, services
from app.boards.catalogue import queries as catalogue
from app.boards.groups import small_board
from app.boards.models import Mode, ScoreGame
from app.boards.reads import RowRange
from app.core import jobs
from app.core.blob_store import BlobStore
from app.core.db import db
from app.fantasy.standings.boards import league_board
from app.fantasy.standings.models import League, LeagueVersion
from app.ops import drills
from app.predictions.projections import store as projections
from app.record import events as ev
from app.scores.processing import reconcile
from app.scores.submission import refusals
from app.scores.submission.claims import Claim, Origin
from tests.fantasy.conftest import league as league
from tests.fantasy.test_league_page import TABLE
from tests.ops.test_backup import _nobody_else as _nobody_else
from tests.ops.test_backup import bring_back, make
from tests.ops.test_backup import store as store
from tests.ops.test_backup import url as url
from tests.polling import poll, remembered
from tests.predictions.conftest import world as world
from tests.worlds.boards import NOW
from tests.worlds.games import DRIVE, ingest_and_refresh, messages
from tests.worlds.score_games import make_score_game, make_solo_mode
from tests.worlds.score_log import Log, all_clean, score_event
from tests.worlds.tournament import BEFORE, World
from workers.rq_worker import KINDS, make_worker

OVERTURNED = [*DRIVE, ev.Nullify(events=(8, 9), reason="Holding")]
REPLAY, SWINGS = f"{TABLE}/replay/1", f"{TABLE}/swings"


@dataclass
class Site:
    """A league in play, a tournament, and a board of scores with two friends on it."""

    app: Flask
    browser: FlaskClient
    cup: World
    mode_id: UUID
    players: list[UUID]
    log: Log = field(default_factory=Log)

    @property
    def mode(self) -> Mode:
        return db.session.get_one(Mode, self.mode_id)

    def score(self, player: int, score: int) -> None:
        self.log.put(score_event(self.mode, self.players[player], score))
        self.log.consume(judge=all_clean)

    def settle(self, home: int, away: int) -> None:
        self.cup.ended("m1", home, away)
        self.cup.poll()
        self.cup.settle()
        projections.reconcile()

    def shown(self) -> dict[str, Any]:
        """What members and integrators are shown of all this, each from where it is kept."""
        ann, now = self.players[0], NOW
        mode = self.mode
        game = db.session.get_one(ScoreGame, mode.game_id)
        reading = services.read(game, mode, "all-time")
        board = small_board.small_board(
            small_board.ModeWindow(game, mode, "all-time"),
            small_board.friends_of(ann),
            RowRange(0, 10),
            now,
        )
        league_id, week = db.session.execute(
            db.select(LeagueVersion.league_id, LeagueVersion.gameweek_id)
        ).one()
        return {
            "table": _without_tag(poll(self.browser, TABLE).text),
            "swings": _without_tag(poll(self.browser, SWINGS).text),
            "film": self.browser.get(f"{REPLAY}/plays.json").json,
            "league board": _points(league_board(league_id, week).published()),
            "leaderboard": [
                (entry.nick_name, entry.points) for entry in projections.read_entries(self.cup.id)
            ],
            "matches": projections.read_matches(self.cup.id, "week-1"),
            "standings": projections.read_standings(self.cup.id),
            "board": [(row.member, row.score) for row in reading.top(10).rows],
            "percentiles": [row.score for row in percentiles.read(reading, now).rows],
            "few": [(row.member, row.score) for row in board.rows],
            "friends": friend_sets.friends_of(ann),
        }


def _without_tag(fragment: str) -> str:
    return re.sub(r"hx-headers='[^']*'", "", fragment)


def _points(published: tuple[int, dict[str, int]] | None) -> dict[str, int] | None:
    return published[1] if published else None


@pytest.fixture
def site(
    app: Flask,
    league: League,
    world: Callable[..., World],
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
) -> Site:
    monkeypatch.setattr(small_board, "LIVE_BELOW", 1)  # lists of friends are kept, as long ones are
    ingest_and_refresh(messages(DRIVE))
    cup = world()
    cup.match("m1")
    cup.poll(BEFORE)
    cup.guess("Dan", "m1", 2, 1)
    cup.guess("Eve", "m1", 0, 1)
    projections.reconcile()
    people = [
        db.session.scalars(db.select(Member).filter_by(username=name)).one()
        for name in ("ann", "bob")
    ]
    players = [player_of(person).id for person in people]
    assert friends.ask(players[0], players[1], NOW) is None
    assert friends.accept(players[1], players[0], NOW) is None
    mode = make_solo_mode(
        make_score_game(), NOW.replace(month=1), min_score=0, max_score=1000, windows=["all-time"]
    )
    site = Site(app, sign_in(username="ann"), cup, mode.id, players)
    reconcile.reconcile(NOW)
    site.score(0, 100)
    return site


def history_goes_on(site: Site) -> dict[str, Any]:
    """What the backup does not have, shown to everybody, and so kept everywhere."""
    ingest_and_refresh(messages(OVERTURNED))
    site.settle(2, 1)
    site.score(0, 900)
    site.score(1, 700)
    assert friends.unfriend(site.players[0], site.players[1], NOW) is None
    mode = site.mode
    percentiles._measure_and_cache(
        services.read(db.session.get_one(ScoreGame, mode.game_id), mode, "all-time"), NOW
    )
    return site.shown()


def test_everybody_is_shown_the_restored_database_before_any_repair(
    site: Site, store: BlobStore
) -> None:
    before = site.shown()
    backup = make(site.app, store)
    lost = history_goes_on(site)
    assert {name for name, value in before.items() if value == lost[name]} == set(), (
        "all of it moved"
    )
    tags = {path: remembered(site.browser, path) for path in (TABLE, SWINGS)}
    bring_back(site.app, store, backup.name)
    league_table = before.pop("league board")
    assert {
        name: value for name, value in site.shown().items() if value != before.get(name, value)
    } == {}
    for path, tag in tags.items():
        answer = poll(site.browser, path, tag)
        assert (answer.status_code, answer.headers["ETag"] != tag) == (200, True), "RFC 9110, 8.8.3"

    reconcile.reconcile(NOW)
    outcome = drills.DRILLS["boards"].run(lambda _: None)
    assert "differ" not in outcome
    assert "differ" not in drills.DRILLS["caches"].run(lambda _: None)
    assert site.shown() == before | {"league board": league_table}


def test_what_happens_after_a_restore_appears(site: Site, store: BlobStore) -> None:
    backup = make(site.app, store)
    history_goes_on(site)
    bring_back(site.app, store, backup.name)
    reconcile.reconcile(NOW)
    site.settle(0, 1)
    site.score(1, 300)
    ingest_and_refresh(messages(OVERTURNED))
    before = site.shown()
    assert before["leaderboard"] == [("Eve", 100), ("Dan", 0)]
    assert before["board"] == [(str(site.players[1]), 300), (str(site.players[0]), 100)]
    assert before["few"] == before["board"]
    assert before["league board"] is not None
    drills.DRILLS["boards"].run(lambda _: None)
    assert site.shown()["league board"] == before["league board"], (
        "written with the play, not by the repair alone"
    )


def test_keys_and_jobs_of_the_lost_history_have_no_effect(
    site: Site, store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers and jobs from before a restore never reach the rows after it."""
    mailed: list[tuple[Any, ...]] = []
    monkeypatch.setattr(
        "workers.jobs.mail_confirmation.run", lambda *arguments: mailed.append(arguments)
    )
    backup = make(site.app, store)
    sent = Claim(site.mode, site.players[0], UUID(int=7), "", 900, "mine", "key:1")
    assert refusals.reused([(sent, Origin())]) == {}
    other = Claim(site.mode, site.players[0], UUID(int=7), "", 901, "mine", "key:1")
    assert [len(refused.reasons) for refused in refusals.reused([(other, Origin())]).values()] == [
        2
    ]
    jobs.send(MAIL_CONFIRMATION, 99, "late@example.com")
    bring_back(site.app, store, backup.name)
    assert catalogue.find_game("bowl") is not None
    assert refusals.reused([(other, Origin())]) == {}
    make_worker(KINDS["upkeep"], site.app.config["PRESSBOX"]).work(
        burst=True, logging_level="WARNING"
    )
    assert mailed == []
