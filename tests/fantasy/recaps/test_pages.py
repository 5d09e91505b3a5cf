"""The page of a recap: what a finished gameweek came to, with the play behind each sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from types import ModuleType
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.pages.recap import queries as recap_queries
from app.fantasy.pages.replay import page as replay_page
from app.fantasy.scoring.points import store_player_points
from app.fantasy.scoring.replay import replay as replay_module
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record.ingest import ingest_batch
from tests.worlds.games import DRIVE, NOW, messages
from tests.worlds.played_league import played_league

PAGE = "/leagues/row/recap/1"


def told(page: str) -> dict[str, tuple[str, str]]:
    """The sentences by their headings, each with what it opens."""
    cards = re.findall(
        r'<h3>(.*?)</h3>\s*<p>\s*<a href="(.*?)">(.*?)</a>',
        page[page.index('class="recap"') :],
        re.S,
    )
    return {heading: (unescape(words), unescape(link)) for heading, link, words in cards}


def test_the_recap_of_a_gameweek(finished: League, sign_in: Callable[..., FlaskClient]) -> None:
    touchdown = "Player1 to Player2 for 65 yards. Touchdown!"
    page = sign_in(username="bob").get(PAGE).text
    assert told(page) == {
        "Winner": (
            "Team ann won Week 1 with 14.20 points, 1.70 ahead of Team bob.",
            "/games/g1/plays#play-2",
        ),
        "Deciding play of the week": (
            "Team ann went ahead for good: Player3 runs to the HRB 35 for 10.",
            "/games/g1/plays#play-2",
        ),
        # Bob has given the armband to nobody.
        "Costliest decision": (
            "Team bob would have scored 12.50 more by captaining H. Player2.",
            "/games/g1/plays#play-3",
        ),
        # 65 yards and a touchdown are 6.60, twice
        "Captain of the week": (
            "Team ann captained H. Player1 (+6.60).",
            "/games/g1/plays#play-3",
        ),
    }
    assert f"Key play: {touchdown}" in page
    assert 'id="play-3"' in sign_in(username="bob").get("/games/g1/plays").text
    assert re.search(r"Team ann.*?new.*?14\.20.*?Team bob.*?12\.50", page, re.S), "power ranking"


@pytest.mark.parametrize("path", [PAGE, "/leagues/row/replay/1"])
def test_a_film_that_takes_long_is_made_in_no_transaction(
    finished: League,
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
    path: str,
) -> None:
    """PostgreSQL ends connections whose transactions idle: on a busy machine it was a 500."""
    viewer = sign_in(username="bob")
    in_transaction: dict[str, bool] = {}

    def note_transaction(module: ModuleType, name: str) -> None:
        computation = getattr(module, name)

        def noted(*arguments: Any) -> Any:
            in_transaction[name] = db.session().in_transaction()
            return computation(*arguments)

        monkeypatch.setattr(module, name, noted)

    note_transaction(replay_module, "evening")
    note_transaction(replay_page, "film")
    page = viewer.get(path)
    assert in_transaction == {"evening": False, "film": False}
    assert page.status_code == 200
    assert "Team ann" in page.text


@pytest.mark.everyday("holds promise P6 in make test")
def test_a_correction_rewrites_the_recap(
    finished: League, sign_in: Callable[..., FlaskClient]
) -> None:
    nullified = messages([ev.Nullify(events=(8, 9), reason="Holding")], first=13)
    ingest_batch(nullified, NOW + timedelta(days=2), store_player_points)
    refresh_game("g1", NOW + timedelta(days=2))
    sentences = told(sign_in(username="bob").get(PAGE).text)
    assert sentences["Winner"][0].startswith("Team ann won Week 1 with 1.00 points")
    assert "Captain of the week" not in sentences, "the captain earned nothing"


def test_a_play_behind_a_claim_is_told_without_what_is_no_part_of_it(
    finished: League, sign_in: Callable[..., FlaskClient]
) -> None:
    beside = [ev.Challenge(ruling="stands"), ev.Period(period=1, phase="end")]
    ingest_batch(messages(beside, first=13, play=3), NOW + timedelta(days=2), store_player_points)
    refresh_game("g1", NOW + timedelta(days=2))
    page = sign_in(username="bob").get(PAGE).text
    assert re.findall("Key play: (.*?)</p>", page) == [
        "Player1 to Player2 for 65 yards. Touchdown!",
        "Player1 to Player2 for 65 yards. Touchdown!",
    ]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (PAGE, "Team ann went ahead for good: {}"),
        ("/leagues/row/replay/1", '<p class="deciding">{}'),
    ],
)
def test_the_play_that_decided_is_told_without_what_is_no_part_of_it(
    finish: Callable[[list[ev.Body]], None],
    sign_in: Callable[..., FlaskClient],
    path: str,
    sentence: str,
) -> None:
    third_snap = [index for index, body in enumerate(DRIVE) if isinstance(body, ev.Snap)][2]
    beside = [ev.Challenge(ruling="stands"), ev.Period(period=1, phase="end")]
    finish([*DRIVE[:third_snap], *beside, *DRIVE[third_snap:]])
    page = sign_in(username="bob").get(path).text
    words = "Player3 runs to the HRB 35 for 10."
    assert re.search(re.escape(sentence.format(words)) + r"\s*<", page)


def test_before_the_first_result_the_page_says_when_it_comes(
    league: League, sign_in: Callable[..., FlaskClient]
) -> None:
    ann = sign_in(username="ann")
    assert "No recap yet" in ann.get("/leagues/row/recap").text
    assert ann.get(PAGE).status_code == 404


def test_the_latest_recap_opens_and_strangers_see_none(
    finished: League, sign_in: Callable[..., FlaskClient]
) -> None:
    assert sign_in(username="ann").get("/leagues/row/recap").headers["Location"] == PAGE
    assert sign_in(username="dan").get(PAGE).status_code == 404


def test_a_league_too_large_for_a_recap_says_so(
    finished: League, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recap_queries, "MOST_TEAMS", 2)
    page = sign_in(username="ann").get(PAGE).text
    assert "Recaps are available for leagues of up to 2 teams." in page


def test_a_streak_and_a_players_record_are_told_from_the_gameweeks_before(
    sign_in: Callable[..., FlaskClient], member: Callable[..., Member]
) -> None:
    """Ann beat Bob three times; her runner's 60 yards are more than the 50 of gameweek 1."""
    ids = {name: member(name).id for name in ("ann", "bob")}
    weeks = ({"ann": 50, "bob": 40}, {"ann": 30, "bob": 20}, {"ann": 60, "bob": 10})
    played = played_league(ids, weeks, mode="head_to_head")
    slug = played.league.slug
    ann = sign_in(username="ann")
    assert "Winning streak" not in ann.get(f"/leagues/{slug}/recap/2").text
    sentences = told(ann.get(f"/leagues/{slug}/recap/3").text)
    team = f"/leagues/{slug}/teams/{{}}?week=3"
    assert sentences["Winning streak"] == (
        "Ann FC has won 3 games in a row.",
        team.format(ids["ann"]),
    )
    assert sentences["Losing streak"] == (
        "Bob FC has lost 3 games in a row.",
        team.format(ids["bob"]),
    )
    assert sentences["Player season high"] == (
        "H. Player3 scored 6.00 for Ann FC, the most by any player in this league this season "
        "(previous: H. Player3, 5.00 in Week 1).",
        team.format(ids["ann"]),
    )
