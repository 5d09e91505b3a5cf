"""A matchup shared by a link: for everybody who has it, without a member's name or a secret."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from PIL import Image
from sqlalchemy import delete

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.market.seasons import set_deadlines
from app.fantasy.pages.matchup.page import MatchupPage, MatchupSide
from app.fantasy.pages.share import matchup_picture
from app.fantasy.standings.models import Matchup
from tests.snapshots import made_once
from tests.worlds.games import make_game
from tests.worlds.played_league import Played, add_sheet, played_league

SignIn = Callable[..., FlaskClient]


@pytest.fixture
@made_once
def played(member: Callable[..., Member]) -> Played:
    """Bob beat Cat by 2.00, Ann the average."""
    ids = {name: member(name).id for name in ("ann", "bob", "cat")}
    return played_league(ids, ({"ann": 50, "bob": 40, "cat": 30},), mode="head_to_head")


def path_of(played: Played, name: str, week: int = 1) -> str:
    return f"/leagues/{played.league.slug}/matchups/{week}/{played.members[name]}"


def shared_link(client: FlaskClient, path: str) -> str:
    assert client.post(f"{path}/share").status_code == 303
    match = re.search(r'data-url="https?://[^/]+(/matchups/[^"]+)"', client.get(path).text)
    assert match is not None
    return match[1]


def test_a_matchup_is_shared_with_a_picture_and_a_preview_and_without_members(
    played: Played, sign_in: SignIn, client: FlaskClient
) -> None:
    cat = sign_in(username="cat")
    assert "data-url" not in cat.get(path_of(played, "bob")).text
    link = shared_link(cat, path_of(played, "bob"))
    page = client.get(link)
    for words in (
        'property="og:title" content="Cat FC vs Bob FC"',  # whoever shared it is first
        'property="og:description" content="6.00 – 8.00, final, Week 1 in ',
        f'{link}/picture.png">',
        'content="noindex"',
        "S. Player3",
        'href="/footballers/S3"',
        "Bob FC won by 2.00.",
        "Start a league with friends",
    ):
        assert words in page.text, words
    for words in (">Bob<", ">Cat<", "Sign out", f"/leagues/{played.league.slug}/teams"):
        assert words not in page.text, words
    picture = client.get(f"{link}/picture.png")
    assert picture.cache_control.max_age == 300
    with Image.open(io.BytesIO(picture.data)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))


def test_a_game_against_the_average_is_shared(
    played: Played, sign_in: SignIn, client: FlaskClient
) -> None:
    link = shared_link(sign_in(username="bob"), path_of(played, "ann"))
    assert "Ann FC won by 2.00." in client.get(link).text
    assert client.get(f"{link}/picture.png").status_code == 200


def test_a_link_tells_no_line_up_before_the_deadline_not_even_the_makers(
    played: Played, sign_in: SignIn, client: FlaskClient
) -> None:
    league, gameweek = played.league, played.gameweeks[1]
    make_game("g2", 2)
    ids = played.members
    db.session.execute(delete(Matchup).where(Matchup.gameweek_id == gameweek.id))
    db.session.add(
        Matchup(
            league_id=league.id, gameweek_id=gameweek.id, home_id=ids["ann"], away_id=ids["bob"]
        )
    )
    add_sheet(ids["ann"], league, gameweek, "H3")
    add_sheet(ids["bob"], league, gameweek, "S3")
    gameweek.deadline, kickoff = clock.now() + timedelta(days=1), gameweek.deadline
    set_deadlines(league.season_id)
    db.session.commit()
    link = shared_link(sign_in(username="ann"), path_of(played, "ann", 2))
    page = client.get(link).text
    assert "lineup hidden until the deadline" in page
    for secret in ("H. Player3", "S. Player3", "Win probability", "Projected"):
        assert secret not in page, secret
    before = client.get(f"{link}/picture.png").data
    gameweek.deadline = kickoff
    set_deadlines(league.season_id)
    db.session.commit()
    assert "S. Player3" in client.get(link).text
    assert client.get(f"{link}/picture.png").data != before, "drawn again"


def test_a_link_ends_when_it_is_taken_back_or_the_fixture_is_no_more(
    played: Played, sign_in: SignIn, client: FlaskClient
) -> None:
    ann = sign_in(username="ann")
    path = path_of(played, "bob")
    link = shared_link(ann, path)
    assert ann.post(f"{path}/share/end").status_code == 303
    assert [client.get(page).status_code for page in (link, f"{link}/picture.png")] == [404, 404]
    link = shared_link(ann, path)
    db.session.execute(delete(Matchup))
    db.session.commit()
    assert client.get(link).status_code == 404


def test_only_games_of_ones_own_leagues_are_shared(
    played: Played, sign_in: SignIn, client: FlaskClient
) -> None:
    ann, path = sign_in(username="ann"), path_of(played, "bob")
    assert sign_in(username="eve").post(f"{path}/share").status_code == 404
    link = shared_link(ann, path)
    assert client.get(f"{link}x").status_code == 404
    assert client.get(link.replace("/matchups/", "/recaps/")).status_code == 404
    compared = f"{path}?against={played.members['ann']}"
    assert "Create link" not in ann.get(compared).text
    played.league.mode = "total"
    db.session.commit()
    assert ann.post(f"{path}/share").status_code == 404
    assert client.get(link).status_code == 404


@pytest.mark.parametrize("name", ["A", "W" * 60, "Ärger & Söhne", "Команда", "🏈🏈"])
def test_any_name_can_be_drawn(name: str) -> None:
    side = MatchupSide(
        name=name, total="-1,000.00", team=None, expected="1,000.0", percent="100%", share=100
    )
    page = MatchupPage((side, replace(side, share=0)), (), (), f"{name} won by 1.00" * 9, "")
    matchup = matchup_picture.Matchup(page, "Week 1", name, is_over=True)
    with Image.open(io.BytesIO(matchup_picture.picture(matchup, {}))) as image:
        assert image.size == (1200, 630)
