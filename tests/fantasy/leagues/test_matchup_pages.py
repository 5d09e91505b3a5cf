"""Who plays whom, on pages: every game of a gameweek can be reached, mine first."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy import delete, insert, select

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.standings.games import PAGE_ROWS, head_to_head
from app.fantasy.standings.models import LeagueMember, Matchup
from tests.snapshots import made_once
from tests.worlds.league_season import LeagueWorld
from tests.worlds.played_league import Played, played_league

SignIn = Callable[..., FlaskClient]
MANY = 2 * PAGE_ROWS  # members besides, who make as many games as one page has
PATH = "/leagues/the-row/matchups"


@pytest.fixture
@made_once
def played(member: Callable[..., Member]) -> Played:
    """In gameweek 1 Ann plays Bob, one plays the average, and a hundred play each other."""
    ids = {name: member(name).id for name in ("ann", "bob")}
    season = played_league(
        ids, ({"ann": 50, "bob": 40}, {"ann": 10, "bob": 40}), mode="head_to_head"
    )
    names = [
        {"username": f"fan{n}", "display_name": f"Fan {n}", "password_hash": "!"}
        for n in range(MANY + 1)
    ]
    db.session.execute(insert(Member), names)
    fans = db.session.scalars(
        select(Member.id).where(Member.username.startswith("fan")).order_by(Member.id)
    ).all()
    league, week = season.league.id, season.gameweeks[0].id
    db.session.execute(
        insert(LeagueMember),
        [{"league_id": league, "member_id": fan, "team_name": f"Fan FC {fan}"} for fan in fans],
    )
    db.session.execute(
        delete(Matchup).where(Matchup.league_id == league, Matchup.gameweek_id == week)
    )
    pairs = [(fans[0], None), *zip(fans[1::2], fans[2::2], strict=True), (ids["ann"], ids["bob"])]
    db.session.execute(
        insert(Matchup),
        [
            {"league_id": league, "gameweek_id": week, "home_id": home, "away_id": away}
            for home, away in pairs
        ],
    )
    db.session.commit()
    return season


def homes(text: str) -> list[str]:
    lines = re.findall(r"<li[^>]*>\s*(<span class=\"team-name\">.*?)</li>", text, re.DOTALL)
    return [re.findall(r"<bdi>([^<]*)</bdi>", line)[0] for line in lines]


def test_every_matchup_is_on_a_page_and_mine_is_first(sign_in: SignIn, played: Played) -> None:
    bob = sign_in(username="bob")
    first, second = (bob.get(f"{PATH}?week=1&page={page}").text for page in (1, 2))
    assert homes(first)[0] == "Bob FC"  # on the left, although Ann is at home
    assert (len(homes(first)), len(homes(second))) == (PAGE_ROWS, 2)
    assert len({*homes(first), *homes(second)}) == PAGE_ROWS + 2
    assert "Page 1 of 2" in first
    assert homes(bob.get(f"{PATH}?week=1&page=9").text) == homes(second)
    assert "Week 3 matchups" in bob.get(PATH).text
    assert bob.get(f"{PATH}?week=9").status_code == 404
    assert bob.get("/leagues/the-row").text.count('href="/leagues/the-row/matchups"') >= 1


def test_a_game_against_the_average_does_not_come_before_mine(played: Played) -> None:
    games = head_to_head(played.league.id, played.gameweeks[0].id, played.members["bob"], rows=3)
    assert games[0].home.team_name == "Ann FC"
    assert len(games) == 3


def test_a_league_that_ranks_by_points_says_that_nobody_meets(
    sign_in: SignIn, played: Played
) -> None:
    played.league.mode = "total"
    db.session.commit()
    ann = sign_in(username="ann")
    assert "so there are no matchups" in ann.get(PATH).text
    assert PATH not in ann.get("/leagues/the-row/members").text
    assert sign_in(username="eve").get(PATH).status_code == 404


def test_members_see_their_fixtures_of_the_whole_season_before_the_first_deadline(
    make_world: Callable[..., LeagueWorld], sign_in: SignIn
) -> None:
    """PRODUCT P2, the whole fixture list.

    Of four members everybody meets everybody in the first three gameweeks.
    """
    world = make_world()
    league = world.league(mode="head_to_head")
    path = f"/leagues/{league.slug}/matchups"
    assert "once a second member joins" in sign_in(username="ann").get(path).text
    for name in ("bob", "cat", "dan"):
        world.join(league, name)
    ann = sign_in(username="ann")
    page = ann.get(path).text
    mine = page[page.index('id="my-fixtures"') :]
    opponents = re.findall(r"<td>(\w+ FC)</td>", mine)
    assert (set(opponents[:3]), opponents[3]) == ({"Bob FC", "Cat FC", "Dan FC"}, opponents[0])
    assert mine.count("Upcoming") == 4
    third = ann.get(f"{path}?week=3").text
    assert len(homes(third)) == 2
    assert "0.00 – 0.00" not in third
