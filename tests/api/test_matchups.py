"""The fixtures of a head-to-head league over the API: the whole season, for its members alone."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient

from app.accounts.models import Member
from tests.worlds.callers import got
from tests.worlds.played_league import played_league

PATH = "/api/v1/leagues/the-row/matchups"


def test_members_read_the_fixtures_of_the_whole_season(
    member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    """Ann 8.00, Bob 10.00 and Cat 4.00 in the first of two gameweeks.

    In the second others are against the average.
    """
    ids = {name: member(name).id for name in ("ann", "bob", "cat")}
    played_league(ids, ({"ann": 40, "bob": 50, "cat": 20},), mode="head_to_head")
    ann = sign_in(username="ann")
    body = got(ann, PATH)
    first, second = (
        [matchup for matchup in body["matchups"] if matchup["gameweek"] == week]
        for week in ("GW1", "GW2")
    )
    assert first == [
        {
            "gameweek": "GW1",
            "isLocked": True,
            "home": {"gamerId": ids["ann"], "teamName": "Ann FC", "points": 8, "matchPoints": 3},
            "away": {
                "gamerId": None,
                "teamName": "The average",
                "points": 7.333,
                "matchPoints": None,
            },
        },
        {
            "gameweek": "GW1",
            "isLocked": True,
            "home": {"gamerId": ids["bob"], "teamName": "Bob FC", "points": 10, "matchPoints": 3},
            "away": {"gamerId": ids["cat"], "teamName": "Cat FC", "points": 4, "matchPoints": 0},
        },
    ]
    assert [matchup["isLocked"] for matchup in second] == [False, False]
    assert {matchup["home"]["points"] for matchup in second} == {None}
    assert ids["ann"] not in {
        matchup["home"]["gamerId"] for matchup in second if matchup["away"]["gamerId"] is None
    }
    assert got(ann, f"{PATH}?gameweek=GW2")["matchups"] == second
    page = got(ann, f"{PATH}?limit=1&offset=1")
    assert (page["matchups"], page["nextOffset"]) == ([first[1]], 2)
    got(sign_in(username="eve"), PATH, 404)
