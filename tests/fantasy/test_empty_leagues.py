"""Empty cases: leagues without members, sheets or gameweeks; seasons without games or events.

Every page and every read of the API that a member may open answers there too. RFC 9110, section
15.6.1: a 500 is a fault of the server, so an empty league never has one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import timedelta

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.gameweeks import after_deadline, live, settlement
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.models import League
from app.fantasy.standings.schedules import pair_gameweek
from app.record import events as ev
from app.record.models import GameState
from app.record.rules.state import game_state
from tests.sizes import FULL
from tests.worlds.games import DRIVE, KICKOFF, ingest_and_refresh, make_game, timed_messages
from tests.worlds.leagues import make_league, make_sheet

DURING = KICKOFF + timedelta(hours=1)
# What a member may read about the fantasy game, and about the record that it rests on.
WALKED = (
    "/api/v1/",
    "/footballers",
    "/games",
    "/gamers",
    "/how-to-play",
    "/leagues",
    "/notices",
    "/team",
)
NO_READS = ("/games/<game_id>/stream",)
QUERIES = {
    "/leagues/<slug>": (
        "table=week",
        "table=season",
        "at=1&game=g1",
        "at=2026-09-13T17:30:00Z",
        "page=2",
    ),
    "/leagues/<slug>/replay/<int:week>": ("game=g1&at=0", "at=1"),
    "/leagues/<slug>/race": ("by=rank",),
    "/leagues/<slug>/what-if": ("captain=H1", "out=H1&in=H2"),
}
LIVE = [ev.GameStarted(home="HRB", away="SUM"), ev.Period(period=1, phase="start")]


def no_gameweeks() -> int:
    return 0


def gameweek_without_games() -> int:
    return 2


def game_without_events() -> int:
    make_game()
    return 2


def started_game_without_plays() -> int:
    make_game()
    ingest_and_refresh(timed_messages(LIVE))
    return 2


def played_game() -> int:
    """The only one with points: a league founded now counts from the next gameweek."""
    make_game()
    ingest_and_refresh(timed_messages(DRIVE))
    return 2


def finished_game_without_events() -> int:
    make_game()
    state = msgspec.to_builtins(asdict(game_state([], "HRB", "SUM")))
    final_score = {
        "status": "final",
        "home_score": 0,
        "away_score": 0,
        "version": 1,
        "updated_at": KICKOFF,
    }
    db.session.add(GameState(game_id="g1", state=state, **final_score))
    db.session.commit()
    return 2


SEASONS = (no_gameweeks, played_game, finished_game_without_events)
RARER = (gameweek_without_games, game_without_events, started_game_without_plays)


@pytest.fixture
def ann(
    app: Flask, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> FlaskClient:
    client = sign_in(username="ann")
    monkeypatch.setattr(clock, "now", lambda: DURING)
    return client


def make_leagues(ann: int, bob: int, weeks: int, *, every_shape: bool) -> None:
    """Leagues of shapes that have nothing to add up, each named by its shape.

    Ann runs all of them.
    """
    alone, pair = {ann: "Ann FC"}, {ann: "Ann FC", bob: "Bob FC"}
    make_league(ann, pair, slug="of-two", weeks=weeks)
    make_league(ann, alone, slug="pair-of-one", weeks=weeks).mode = "head_to_head"
    if every_shape:
        make_league(ann, {}, slug="of-nobody", weeks=weeks).is_public = True
        make_league(ann, alone, slug="of-one", weeks=weeks)
        make_league(ann, pair, slug="from-the-next", weeks=weeks).first_week = 2
        make_league(ann, pair, slug="pair", weeks=weeks).mode = "head_to_head"
        one_sheet = make_league(ann, pair, slug="one-sheet", weeks=weeks, team_format="nfl-offence")
        make_sheet(ann, one_sheet, [])
    db.session.flush()
    for gameweek in db.session.scalars(text("SELECT id FROM gameweeks WHERE week = 1")):
        pair_gameweek(gameweek)
    db.session.commit()


def paths(app: Flask, values: Mapping[str, str]) -> list[str]:
    """Every read that these values are enough for."""
    addresses = []
    for rule in app.url_map.iter_rules():
        is_walked = rule.rule == "/" or rule.rule.startswith(WALKED)
        if "GET" not in (rule.methods or ()) or not is_walked or rule.rule in NO_READS:
            continue
        if rule.arguments <= values.keys():
            with app.test_request_context():
                path = app.url_map.bind("localhost").build(
                    rule.endpoint, {n: values[n] for n in rule.arguments}
                )
            addresses += [path, *(f"{path}?{query}" for query in QUERIES.get(rule.rule, ()))]
    return sorted(set(addresses))


def answers(client: FlaskClient, addresses: list[str]) -> dict[str, int]:
    statuses = {}
    for path in addresses:
        statuses[path] = client.get(path).status_code
        db.session.rollback()
    return statuses


@pytest.mark.sized
@pytest.mark.parametrize(
    "season",
    [*SEASONS, *(pytest.param(season, marks=pytest.mark.full) for season in RARER)],
    ids=lambda season: season.__name__,
)
def test_every_read_of_an_empty_league_answers(
    season: Callable[[], int], app: Flask, ann: FlaskClient, member: Callable[..., Member]
) -> None:
    """An ordinary run opens each page in one of the leagues, in turns.

    Only in the season with points, where leagues differ most, it opens each in all of them.
    """
    me = db.session.scalars(db.select(Member.id).where(Member.username == "ann")).one()
    weeks = season()
    every_shape = season is played_game or (FULL and weeks > 0)
    make_leagues(me, member("bob").id, weeks, every_shape=every_shape)
    values = {
        "member_id": me,
        "gamer_id": me,
        "week": 1,
        "gameweek": "GW1",
        "game_id": "g1",
        "footballer_id": "H1",
        "player_id": "H1",
        "play_number": 1,
        "position": "QB",
    }
    common = paths(app, values)
    statuses = answers(ann, common)
    leagues = db.session.scalars(db.select(League).order_by(League.id)).all()
    for number, league in enumerate(leagues):
        of_league = {
            "slug": league.slug,
            "league": league.slug,
            "team_rules_id": league.team_rules_id,
        }
        league_paths = sorted(set(paths(app, values | of_league)) - set(common))
        if not every_shape:
            league_paths = league_paths[number :: len(leagues)]
        tables = [f"/leagues/{league.slug}", f"/leagues/{league.slug}?table=week"]
        by_path = answers(ann, [*league_paths, *tables])
        assert [by_path[table] for table in tables] == [200, 200]
        statuses |= by_path
    assert {path: status for path, status in statuses.items() if status >= 500} == {}


@pytest.mark.parametrize(
    "season", [gameweek_without_games, played_game, finished_game_without_events]
)
def test_a_gameweek_without_sheets_is_locked_refreshed_and_settled(
    season: Callable[[], int], ann: FlaskClient, member: Callable[..., Member]
) -> None:
    """Twice, as jobs run.

    Nobody has points, and a head-to-head league of one has its game against the average.
    """
    me = db.session.scalars(db.select(Member.id).where(Member.username == "ann")).one()
    make_leagues(me, member("bob").id, season(), every_shape=True)
    gameweek = db.session.scalars(db.select(Gameweek).where(Gameweek.week == 1)).one()
    for _ in range(2):
        after_deadline.lock_gameweek(gameweek.id, DURING)
        live.refresh_gameweek(gameweek.id, DURING)
        settlement.settle(gameweek.id, DURING + timedelta(days=1))
    assert set(db.session.scalars(text("SELECT points FROM league_scores"))) <= {0}
    assert (
        ann.get("/leagues/of-two").status_code == ann.get("/leagues/pair-of-one").status_code == 200
    )


def test_the_table_of_a_league_founded_during_a_gameweek_stands_beside_its_swings(
    ann: FlaskClient, member: Callable[..., Member]
) -> None:
    """A league counts from the next gameweek that teams can be picked for.

    Until then all have 0.
    """
    make_game()
    me = db.session.scalars(db.select(Member.id).where(Member.username == "ann")).one()
    make_league(me, {me: "Ann FC", member("bob").id: "Bob FC"}, weeks=2).first_week = 2
    db.session.commit()
    ingest_and_refresh(timed_messages(DRIVE))
    for path in (
        "/leagues/row",
        "/leagues/row?table=week",
        "/leagues/row/swings",
        "/leagues/row/swings/g1",
    ):
        assert ann.get(path).status_code == 200, path
    page = ann.get("/leagues/row").text
    assert "Ann FC" in page
    assert "Bob FC" in page
    assert 'class="swing-table"' not in page
