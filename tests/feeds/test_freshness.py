"""What members read about the data of a season."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.feeds import services
from app.feeds.freshness import coming_words
from app.feeds.models import Feed
from app.feeds.presets import PRESETS
from app.record.models import Game
from tests.draft_leagues.conftest import drafted as drafted
from tests.pages import compact
from tests.worlds.draft_leagues import FIRST, DraftWorld
from tests.worlds.games import make_game

RHYTHM = PRESETS["nflverse"].rhythm
THURSDAY = datetime(2026, 9, 11, 0, 20, tzinfo=UTC)  # Thursday evening in America
SUNDAY = datetime(2026, 9, 13, 17, tzinfo=UTC)
MONDAY = datetime(2026, 9, 15, 0, 15, tzinfo=UTC)  # Monday evening in America


@pytest.mark.parametrize(
    ("kickoffs", "now", "words"),
    [
        (
            [SUNDAY, MONDAY],
            SUNDAY - timedelta(days=1),
            "Sunday's play-by-play arrives overnight into Monday, with corrections until Thursday.",
        ),
        (
            [MONDAY],
            SUNDAY + timedelta(hours=20),
            "Monday's play-by-play arrives overnight into Tuesday, with corrections until "
            "Thursday.",
        ),
        (
            [THURSDAY, SUNDAY],
            THURSDAY + timedelta(hours=3),
            "Thursday's play-by-play arrives overnight into Friday, with corrections until "
            "Thursday of the next week.",
        ),
        (
            [SUNDAY],
            SUNDAY + timedelta(hours=37),
            "Sunday's play-by-play (Sep 13) is late. It will appear once the publisher has it.",
        ),
        (
            [SUNDAY - timedelta(days=4), SUNDAY],
            SUNDAY + timedelta(hours=3),
            "Sunday's play-by-play arrives overnight into Monday, with corrections until Thursday.",
        ),
        ([SUNDAY], SUNDAY - timedelta(days=40), ""),
        ([], SUNDAY, ""),
    ],
)
def test_members_read_when_the_next_plays_come(
    kickoffs: list[datetime], now: datetime, words: str
) -> None:
    assert coming_words(RHYTHM, kickoffs, now) == words


@pytest.fixture
def followed(drafted: DraftWorld, monkeypatch: pytest.MonkeyPatch) -> DraftWorld:
    """The season of the league is followed; its first games have begun, and there are no data."""
    monkeypatch.setattr(clock, "now", lambda: FIRST + timedelta(hours=6))
    services.add(services.Following("nflverse", 2026), FIRST)
    db.session.query(Feed).filter_by(kind="play_by_play").update({"fetched_at": FIRST})
    week = drafted.season.gameweeks[0]
    db.session.query(Feed).filter_by(season=2026).update(
        {"competition": week.competition, "season": week.season}
    )
    db.session.commit()
    return drafted


PAGES = (
    "/leagues/the-row/matchups/1/{ann}",
    "/leagues/the-row/teams/{ann}?week=1",
    "/leagues/the-row/roster",
    "/leagues/the-row/roster/2",
    "/",
)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_whose_the_data_are_and_when_the_next_come(
    followed: DraftWorld, sign_in: Callable[..., FlaskClient], path: str
) -> None:
    ann = sign_in("member", username="ann")
    for _ in range(2):  # rendered, and from the cache
        page = " ".join(ann.get(path.format(ann=followed.members[0])).text.split())
        assert ">Sun 17:00</time>." in page
        assert "play-by-play arrives overnight into Monday, with corrections until" in page
        assert ">CC BY 4.0</a>" in page
        assert page.count("data-source") == 1


def test_a_day_without_data_has_no_points(
    followed: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    ann = sign_in("member", username="ann")
    matchup = ann.get(f"/leagues/the-row/matchups/1/{followed.members[0]}").text
    assert "No data yet" in matchup
    assert "no data yet" in matchup
    assert "Tied" not in matchup
    totals = re.findall(r'class="versus-total".*?</p>', matchup, re.DOTALL)
    assert ["0.00</" in total or ">0.00" in total for total in totals] == [False, False]
    places = re.findall(r'class="half.*?</td>', matchup, re.DOTALL)
    begun = [place for place in places if ", no data yet" in place]
    assert begun
    assert not any("0.00" in place for place in begun)
    for page in ("/leagues/the-row", "/leagues/the-row/matchups"):
        listed = ann.get(page).text
        assert followed.league.name in listed
        assert "0.00 – 0.00" not in compact(listed)
        assert 'class="versus-total"' not in listed
    team = ann.get(f"/leagues/the-row/teams/{followed.members[0]}?week=1").text
    assert "awaiting data" in team
    total = team[team.index('<tr class="total">') :]
    assert "0.00" not in total[: total.index("</tr>")]


def test_a_game_page_says_it_too(app: Flask, client: FlaskClient) -> None:
    make_game()
    game = db.session.get_one(Game, "g1")
    before = client.get("/games/g1").text
    assert "data-source" not in before
    services.add(services.Following("nflverse", game.season), FIRST)
    db.session.query(Feed).update({"competition": game.competition})
    db.session.commit()
    assert "CC BY 4.0" in client.get("/games/g1").text
    assert "New plays are not being fetched" not in client.get("/games/g1").text
    feed = db.session.query(Feed).filter_by(kind="play_by_play").one()
    services.pause(feed.id)
    assert "New plays are not being fetched" in client.get("/games/g1").text


def test_the_home_page_speaks_of_the_season_that_has_games(
    followed: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    services.add(services.Following("nflverse", 2030), FIRST)
    page = " ".join(sign_in("member", username="ann").get("/").text.split())
    assert "play-by-play arrives overnight into Monday" in page


def test_no_page_of_a_followed_season_promises_plays_within_seconds(
    followed: DraftWorld, sign_in: Callable[..., FlaskClient]
) -> None:
    ann = sign_in("member", username="ann")
    rules = " ".join(ann.get("/leagues/the-row/how-to-play").text.split())
    assert "within seconds" not in rules
    assert "play-by-play arrives overnight into Monday" in rules
    game = db.session.scalars(select(Game.id).order_by(Game.kickoff)).first()
    page = ann.get(f"/games/{game}").text
    assert "No plays yet." in page
    assert "as they come in" not in page
