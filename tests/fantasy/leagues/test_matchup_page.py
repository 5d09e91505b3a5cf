"""Two team sheets side by side.

A head-to-head game, the average, any two of a league, and what is still hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, text, update

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.history import AVERAGE, week_page
from app.fantasy.market.models import Gameweek
from app.fantasy.market.seasons import set_deadlines
from app.fantasy.notices.models import Notice
from app.fantasy.scoring import picks as sheet_picks
from app.fantasy.scoring.picks import Pick
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, LeagueScore, Matchup
from app.fantasy.standings.results import averages
from app.record import events as ev
from tests.worlds.games import ingest_and_refresh, make_game, timed_messages, touchdown_drive
from tests.worlds.played_league import SETTLED, Played, add_sheet, played_league

SignIn = Callable[..., FlaskClient]


@pytest.fixture
def ids(member: Callable[..., Member]) -> dict[str, int]:
    return {name: member(name).id for name in ("ann", "bob", "cat")}


def played(ids: dict[str, int], mode: str) -> Played:
    return played_league(ids, ({"ann": 50, "bob": 40, "cat": 30},), mode=mode)


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
def test_a_game_of_a_head_to_head_league_has_both_line_ups(
    sign_in: SignIn, ids: dict[str, int]
) -> None:
    slug = played(ids, "head_to_head").league.slug
    ann = sign_in(username="ann")
    page = ann.get(f"/leagues/{slug}/matchups/1/{ids['bob']}").text
    for expected in (
        "Bob FC vs Cat FC",
        "S. Player3",
        "H. Player9",
        "8.00",
        "6.00",
        "Bob FC won by 2.00.",
    ):
        assert expected in page, expected
    assert f"/footballers/S3?league={slug}" in page
    average = ann.get(f"/leagues/{slug}/matchups/1/{ids['ann']}").text
    assert "Ann FC vs The average" in average
    assert "Ann FC won by 2.00." in average


def test_any_two_of_a_league_are_compared(sign_in: SignIn, ids: dict[str, int]) -> None:
    slug = played(ids, "total").league.slug
    ann = sign_in(username="ann")
    here = f"/leagues/{slug}/matchups/1/{ids['ann']}"
    assert "Ann FC vs Cat FC" in ann.get(f"{here}?against={ids['cat']}").text
    assert "has a bye this week" in ann.get(here).text
    assert f"against={ids['cat']}" in ann.get(f"/leagues/{slug}/teams/{ids['cat']}?week=1").text
    for wrong in (ids["ann"], 999_999, "x", ""):
        assert ann.get(f"{here}?against={wrong}").status_code == 404, wrong
    assert ann.get(f"/leagues/{slug}/matchups/9/{ids['ann']}").status_code == 404
    assert sign_in(username="eve").get(here).status_code == 404


def test_all_is_over_so_a_poll_stops(sign_in: SignIn, ids: dict[str, int]) -> None:
    slug = played(ids, "head_to_head").league.slug
    poll = sign_in(username="ann").get(
        f"/leagues/{slug}/matchups/1/{ids['bob']}", headers={"HX-Request": "true"}
    )
    assert poll.status_code == 286
    assert "hx-get" not in poll.text


def test_the_average_shown_is_the_one_that_decided_whoever_joins_later(
    sign_in: SignIn, ids: dict[str, int], member: Callable[..., Member]
) -> None:
    """Ann's 8.00 beat the average of the three who played, 22 / 3.

    With the 10.00 of Dan, who joins after the gameweek, the league's average is 8.00: that would be
    a draw, and is not what her game was about.
    """
    season = played_league(ids, ({"ann": 40, "bob": 50, "cat": 20},), mode="head_to_head")
    league, gameweek, dan = season.league, season.gameweeks[0], member("dan").id
    add_sheet(dan, league, gameweek, "S3")
    db.session.commit()
    assert leagues.join(dan, league.id, "Dan FC", SETTLED) is None
    points = select(LeagueScore.match_points).where(LeagueScore.member_id == ids["ann"])
    assert db.session.scalars(points).all() == [3]
    assert averages(gameweek.id, [league.id])[league.id] * 3 == 22_000
    ann = sign_in(username="ann")
    page = ann.get(f"/leagues/{league.slug}/matchups/1/{ids['ann']}").text
    assert "Ann FC won by 0.666." in page
    assert "7.333" in page
    assert "8.00 – 7.333" in ann.get(f"/leagues/{league.slug}/matchups?week=1").text
    assert "7.333" in ann.get(f"/leagues/{league.slug}/history/1").text
    notice = db.session.scalars(
        select(Notice).where(Notice.member_id == ids["ann"], Notice.kind == "result")
    ).one()
    assert "You beat the average, 8.00 to 7.333." in str(notice.body)


def test_a_team_called_the_average_keeps_its_own_points(ids: dict[str, int]) -> None:
    """Bob met Cat's team of 6.00.

    The league's average of that gameweek is 8.00, and is met by Ann alone.
    """
    season = played(ids, "head_to_head")
    db.session.execute(
        update(LeagueScore).where(LeagueScore.member_id == ids["cat"]).values(team_name=AVERAGE)
    )
    page = week_page(season.league, season.gameweeks[0].id, ids["ann"], 1)
    assert {row.member_id: (row.opponent, row.opponent_points) for row in page.rows} == {
        ids["ann"]: (AVERAGE, 8_000),
        ids["bob"]: (AVERAGE, 6_000),
        ids["cat"]: ("Bob FC", 8_000),
    }


def test_both_sides_are_of_one_moment(
    sign_in: SignIn, ids: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cat's runner gains between the reads of the two sides.

    The page shows the moment of the first.
    """
    slug = played_league(
        ids, ({"ann": 50, "bob": 40, "cat": 30},), mode="head_to_head", settled=0
    ).league.slug
    read = sheet_picks.picks
    gains = text("UPDATE player_points SET points = points + 1000 WHERE player_id = 'H9'")

    def play_after(*around: object) -> list[Pick]:
        page = read(*around)  # type: ignore[arg-type]
        with db.engine.begin() as another:
            another.execute(gains)
        return page

    monkeypatch.setattr(sheet_picks, "picks", play_after)
    path = f"/leagues/{slug}/matchups/1/{ids['bob']}"
    page = sign_in(username="ann").get(path).text
    assert "Bob FC won by 2.00." in page
    monkeypatch.undo()
    # two gains of the captain, twice each
    assert "Cat FC won by 2.00." in sign_in(username="ann").get(path).text


def test_before_the_deadline_nothing_of_the_opponents_line_up_is_told(
    sign_in: SignIn, ids: dict[str, int]
) -> None:
    """Ann's own team has a projection; a chance would tell what Bob's is worth."""
    season = played_league(ids, ({"ann": 50, "bob": 40, "cat": 30},), mode="head_to_head")
    league, gameweek = season.league, season.gameweeks[1]
    make_game("g2", 2).kickoff = clock.now() + timedelta(days=1)
    add_sheet(ids["ann"], league, gameweek, "H3")
    add_sheet(ids["bob"], league, gameweek, "S3")
    gameweek.deadline = clock.now() + timedelta(days=1)
    set_deadlines(league.season_id)
    db.session.commit()
    ann = sign_in(username="ann")
    page = ann.get(f"/leagues/{league.slug}/matchups/2/{ids['ann']}?against={ids['bob']}").text
    assert page.count("Projected") == 1
    assert "versus-total" not in page, "no score before the first game"
    assert "Tied" not in page
    assert "· locks " in page
    assert "Win probability" not in page
    assert "S. Player3" not in page
    assert "What each team needs" not in page


def test_points_left_on_the_bench_and_the_best_lineup_are_told(
    sign_in: SignIn, ids: dict[str, int]
) -> None:
    """Ann's captain ran 50 yards (10.00 in all), and a runner on her bench 90: 9.00.

    Both as starters, the better one as captain, are 9 x 2 + 5.
    """
    season = played_league(ids, ({"ann": 50, "bob": 90, "cat": 30},), mode="head_to_head")
    sheet = db.session.scalars(select(TeamSheet).where(TeamSheet.member_id == ids["ann"])).one()
    sheet.picks = [*sheet.picks[:9], "S3", *sheet.picks[10:]]
    db.session.commit()
    page = " ".join(
        sign_in(username="ann")
        .get(f"/leagues/{season.league.slug}/matchups/1/{ids['ann']}?against={ids['cat']}")
        .text.split()
    )
    assert "Ann FC bench: 9.00" in page
    assert "<strong>23.00</strong>, 13.00 more" in page
    assert "S. Player3 in" in page
    assert "S. Player3 captain" in page


def test_how_a_matchup_was_won_is_told_with_a_link_to_watch_it(
    league: League, sign_in: SignIn
) -> None:
    """Ann's quarterback throws for a touchdown to Bob's receiver, and has the armband."""
    league.mode = "head_to_head"
    gameweek = db.session.scalars(select(Gameweek)).one()
    db.session.add(Matchup(league_id=league.id, gameweek_id=gameweek.id, home_id=2, away_id=1))
    db.session.commit()
    ann = sign_in(username="ann")
    here = f"/leagues/{league.slug}/matchups/1/1"
    assert "chance-line" not in ann.get(here).text, "nothing is played"
    ingest_and_refresh(timed_messages(touchdown_drive()))
    live = ann.get(here).text
    assert re.findall(r"Win probability of .* over \d+ plays", live) == [
        "Win probability of Team ann over 2 plays"
    ]
    assert "watch-how" not in live
    whistle: list[ev.Body] = [ev.GameEnded(), ev.Final(home_score=7, away_score=0)]
    ingest_and_refresh(timed_messages([*touchdown_drive(), *whistle]))
    page = ann.get(here).text
    assert "Team ann won by 1.70." in page
    assert "Team ann was the favorite from the first play to the last." in page
    watch = re.search(r'id="watch-how"\s+href="([^"]+)"', page)
    assert watch is not None
    assert ann.get(watch[1].replace("&amp;", "&")).status_code == 200
