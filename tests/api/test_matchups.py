"""The fixtures of a head-to-head league over the API: the whole season, for its members alone."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient

from app.accounts.models import Member
from tests.worlds.callers import got
from tests.worlds.played_league import played_league

PATH = "/api/v1/leagues/the-row/matchups"
NOT_EXPECTED = {"projected": None, "winChance": None}


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
            "home": {"gamerId": ids["ann"], "teamName": "Ann FC", "points": 8, "matchPoints": 3}
            | NOT_EXPECTED,
            "away": {
                "gamerId": None,
                "teamName": "The average",
                "points": 7.333,
                "matchPoints": None,
            }
            | NOT_EXPECTED,
        },
        {
            "gameweek": "GW1",
            "isLocked": True,
            "home": {"gamerId": ids["bob"], "teamName": "Bob FC", "points": 10, "matchPoints": 3}
            | NOT_EXPECTED,
            "away": {"gamerId": ids["cat"], "teamName": "Cat FC", "points": 4, "matchPoints": 0}
            | NOT_EXPECTED,
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


def test_a_gameweek_that_is_not_settled_has_projections_and_chances(
    member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    """All games are over, so that it is what they have: Bob 10.00 beats Cat 4.00.

    Ann's 8.00 beat the average, 7.333.
    """
    ids = {name: member(name).id for name in ("ann", "bob", "cat")}
    played_league(ids, ({"ann": 40, "bob": 50, "cat": 20},), mode="head_to_head", settled=0)
    matchups = got(sign_in(username="ann"), f"{PATH}?gameweek=GW1")["matchups"]
    expected = [
        (matchup[side]["teamName"], matchup[side]["projected"], matchup[side]["winChance"])
        for matchup in matchups
        for side in ("home", "away")
    ]
    assert expected == [
        ("Ann FC", 8, 1),
        ("The average", 7.333, 0),
        ("Bob FC", 10, 1),
        ("Cat FC", 4, 0),
    ]
