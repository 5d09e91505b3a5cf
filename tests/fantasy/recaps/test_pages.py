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
from sqlalchemy import select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core import jobs
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.jobs import MAKE_RECAP
from app.fantasy.leagues import services as leagues
from app.fantasy.pages.recap import making
from app.fantasy.pages.recap import queries as recap_queries
from app.fantasy.pages.replay import page as replay_page
from app.fantasy.recaps.models import LeagueRecap
from app.fantasy.scoring.points import store_player_points
from app.fantasy.scoring.replay import replay as replay_module
from app.fantasy.standings.models import League
from app.moderation import sanctions
from app.record import events as ev
from app.record.ingest import ingest_batch
from tests.worlds.games import DRIVE, NOW, messages
from tests.worlds.played_league import played_league
from workers.jobs import make_recap

PAGE = "/leagues/row/recap/1"


def told(page: str) -> dict[str, tuple[str, str]]:
    """The words of the cards by their headings, each with what it opens."""
    cards = re.findall(
        r'<li class="card award">\s*<h3 class="muted">(.*?)</h3>(.*?)<p class="actions">\s*'
        r'<a class="[^"]*"\s*href="(.*?)">',
        page,
        re.S,
    )
    return {
        heading: (" ".join(unescape(re.sub("<[^>]*>", " ", words)).split()), unescape(link))
        for heading, words, link in cards
    }


def test_the_recap_of_a_gameweek(finished: League, sign_in: Callable[..., FlaskClient]) -> None:
    touchdown = "Player1 to Player2 for 65 yards. Touchdown!"
    page = sign_in(username="bob").get(PAGE).text
    assert told(page) == {
        "Winner": (
            "14.20 points Team ann 1.70 ahead of Team bob Player3 runs to the HRB 35 for 10.",
            "/games/g1/plays#play-2",
        ),
        # Bob has given the armband to nobody.
        "Costliest decision": (
            f"12.50 points missed Team bob should have captained H. Player2 {touchdown}",
            "/games/g1/plays#play-3",
        ),
        # 65 yards and a touchdown are 6.60, twice
        "Captain of the week": (
            f"6.60 points Team ann captained H. Player1 {touchdown}",
            "/games/g1/plays#play-3",
        ),
    }
    assert 'id="play-3"' in sign_in(username="bob").get("/games/g1/plays").text
    assert re.search(r"Team ann.*?new.*?14\.20.*?Team bob.*?12\.50", page, re.S), "power ranking"


@pytest.mark.parametrize("where", ["job", "page"])
def test_what_takes_long_is_computed_in_no_transaction(
    finished: League,
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
    where: str,
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
    note_transaction(recap_queries, "recap_page")
    jobs_redis().flushdb()  # the film
    if where == "job":
        db.session.query(LeagueRecap).delete()
        db.session.commit()
        make_recap.run(finished.id, 1)
        assert in_transaction == {"evening": False, "film": False, "recap_page": False}
    else:
        page = viewer.get("/leagues/row/replay/1")
        assert in_transaction == {"evening": False, "film": False}
        assert page.status_code == 200
        assert "Team ann" in page.text


def test_no_request_makes_a_recap(
    finished: League, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older installation has none of weeks that are over: a job is asked for."""
    league_id, viewer = finished.id, sign_in(username="bob")
    db.session.query(LeagueRecap).delete()
    db.session.commit()
    with monkeypatch.context() as patch:
        patch.setattr(recap_queries, "recap_of", None)
        for _ in range(2):
            page = viewer.get(PAGE).text
            assert "The recap is being written." in page
            assert 'hx-trigger="every 3s, wake"' in page
    assert [job.args for job in jobs.queue(MAKE_RECAP.queue).jobs] == [[league_id, 1]]
    make_recap.run(league_id, 1)
    fragment = viewer.get(PAGE, headers={"HX-Request": "true"}).text
    assert "Winner" in told(fragment)
    assert "hx-trigger" not in fragment, "it stops asking"
    assert not making.make(league_id, 1, NOW), "it is there already"


def test_a_hidden_members_recap_shows_them_to_themselves_and_is_made_by_a_job(
    finished: League, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    league_id, hidden, other = finished.id, sign_in(username="ann"), sign_in(username="bob")
    ann = db.session.scalars(select(Member).where(Member.username == "ann")).one()
    ann_id, measure = ann.id, sanctions.Measure(sanctions.SHADOW)
    sanctions.impose(player_of(ann).id, measure, by=None, reason="a bot", now=NOW)
    db.session.rollback()
    with monkeypatch.context() as patch:
        patch.setattr(recap_queries, "recap_of", None)
        assert "The recap is being written." in hidden.get(PAGE).text
    assert jobs.queue(MAKE_RECAP.queue).jobs[-1].args == [league_id, 1, ann_id]
    make_recap.run(league_id, 1, ann_id)
    make_recap.run(league_id, 1)
    db.session.rollback()
    assert "Team ann" in told(hidden.get(PAGE).text)["Winner"][0]
    db.session.rollback()
    assert "Team ann" not in other.get(PAGE).text


def test_a_recap_that_cannot_be_made_is_not_asked_for_by_every_page_that_waits(
    finished: League, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("odd data")

    league_id, viewer = finished.id, sign_in(username="bob")
    db.session.query(LeagueRecap).delete()
    db.session.commit()
    viewer.get(PAGE)
    assert jobs.queue(MAKE_RECAP.queue).pop_job_id(), "a worker takes it"
    with monkeypatch.context() as patch:
        patch.setattr(recap_queries, "recap_of", fail)
        with pytest.raises(RuntimeError, match="odd data"):
            make_recap.run(league_id, 1)
    viewer.get(PAGE)
    assert jobs.queue(MAKE_RECAP.queue).count == 0
    jobs_redis().delete(f"pressbox:recap-pause:{league_id}:1")  # its time is over
    viewer.get(PAGE)
    assert jobs.queue(MAKE_RECAP.queue).count == 1


def test_a_recap_shows_the_names_of_now(
    finished: League, sign_in: Callable[..., FlaskClient]
) -> None:
    """A name that a member changed or lost does not stay in a recap, not even stored."""
    stored = str(db.session.query(LeagueRecap.page).scalar())
    assert "Team" not in stored
    bob = db.session.scalars(select(Member.id).where(Member.username == "bob")).one()
    assert leagues.rename_team(finished.id, bob, "New FC") == []
    cards = told(sign_in(username="bob").get(PAGE).text)
    assert "1.70 ahead of New FC" in cards["Winner"][0]


@pytest.mark.everyday("holds promise P6 in make test")
def test_a_correction_rewrites_the_recap(
    finished: League, sign_in: Callable[..., FlaskClient]
) -> None:
    nullified = messages([ev.Nullify(events=(8, 9), reason="Holding")], first=13)
    ingest_batch(nullified, NOW + timedelta(days=2), store_player_points)
    refresh_game("g1", NOW + timedelta(days=2))
    viewer = sign_in(username="bob")
    assert "The recap is being written." in viewer.get(PAGE).text, "what was true is not shown"
    assert making.make(finished.id, 1, NOW)
    cards = told(viewer.get(PAGE).text)
    assert cards["Winner"][0].startswith("1.00 points Team ann")
    assert "Captain of the week" not in cards, "the captain earned nothing"


def test_a_play_behind_a_claim_is_told_without_what_is_no_part_of_it(
    finished: League, sign_in: Callable[..., FlaskClient]
) -> None:
    beside = [ev.Challenge(ruling="stands"), ev.Period(period=1, phase="end")]
    ingest_batch(messages(beside, first=13, play=3), NOW + timedelta(days=2), store_player_points)
    refresh_game("g1", NOW + timedelta(days=2))
    assert making.make(finished.id, 1, NOW)
    page = sign_in(username="bob").get(PAGE).text
    cards = page.partition('<ol class="awards')[2].partition("</ol>")[0]
    assert re.findall('<p class="hint">(.*?)</p>', cards)[1:] == [
        "Player1 to Player2 for 65 yards. Touchdown!",
        "Player1 to Player2 for 65 yards. Touchdown!",
    ]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (PAGE, '<p class="hint">{}'),
        ("/leagues/row/replay/1", '<p class="big">{}'),
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
    slug, league_id = played.league.slug, played.league.id
    for gameweek_id in [gameweek.id for gameweek in played.gameweeks[1:3]]:
        assert making.make(league_id, gameweek_id, NOW)
    ann = sign_in(username="ann")
    assert "Winning streak" not in ann.get(f"/leagues/{slug}/recap/2").text
    cards = told(ann.get(f"/leagues/{slug}/recap/3").text)
    team = f"/leagues/{slug}/teams/{{}}?week=3"
    assert cards["Winning streak"] == ("3 games Ann FC won in a row", team.format(ids["ann"]))
    assert cards["Losing streak"] == ("3 games Bob FC lost in a row", team.format(ids["bob"]))
    assert cards["Player season high"] == (
        "6.00 points Ann FC H. Player3; previous: H. Player3, 5.00 in Week 1",
        team.format(ids["ann"]),
    )
