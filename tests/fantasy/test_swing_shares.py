"""A play's swing shared by a link.

Made on purpose, taken back at will, and nobody's name on it but the teams'.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from PIL import Image
from sqlalchemy import select, text

from app.accounts import players
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.fantasy.leagues import shares
from app.fantasy.leagues.models import SwingShare
from app.fantasy.pages.swings import picture as swing_picture
from app.fantasy.pages.swings.page import play_page
from app.fantasy.scoring.swings.swings import Mover, Swing
from app.fantasy.standings.models import League
from app.moderation import privacy, sanctions
from app.moderation.models import Sanction
from app.record import events as ev
from app.record import queries as record
from tests.worlds.games import DRIVE, NOW, ingest_and_refresh, make_game, timed_messages

PLAY = "/leagues/row/swings/g1/3"


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    ingest_and_refresh(timed_messages(DRIVE))
    return sign_in(username="ann")


def link_of(client: FlaskClient) -> str:
    match = re.search(r'data-url="https?://[^/]+(/swings/[^"]+)"', client.get(PLAY).text)
    assert match is not None
    return match[1]


@pytest.mark.everyday("holds a promise that nothing cheaper shows")
def test_a_link_is_made_by_a_member_alone_and_shows_the_play_to_anybody(
    ann: FlaskClient, client: FlaskClient
) -> None:
    assert "data-url" not in ann.get(PLAY).text
    answer = ann.post(f"{PLAY}/share")
    assert (answer.status_code, answer.location) == (303, f"{PLAY}#share")
    ann.post(f"{PLAY}/share")  # twice is once
    assert len(db.session.scalars(select(SwingShare.id)).all()) == 1
    link = link_of(ann)
    page = client.get(link)
    assert page.status_code == 200
    for words in ("Touchdown!", "Team ann", "+13.20", "Team bob", 'content="noindex"'):
        assert words in page.text, words
    assert "Start a league with friends" in page.text
    assert f'{link}/picture.png">' in page.text
    for name in (">Ann<", ">Bob<", "Sign out"):
        assert name not in page.text, name


def test_the_picture_is_a_png_of_the_size_that_messengers_want_and_drawn_once(
    ann: FlaskClient, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann.post(f"{PLAY}/share")
    address = f"{link_of(ann)}/picture.png"
    answer = client.get(address)
    assert answer.content_type == "image/png"
    assert answer.cache_control.max_age == 300
    with Image.open(io.BytesIO(answer.data)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))
    assert len(answer.data) < 200_000
    monkeypatch.setattr(swing_picture, "picture", lambda *_: pytest.fail("drawn again"))
    assert client.get(address).data == answer.data


def test_a_link_ends_when_it_is_taken_back(ann: FlaskClient, client: FlaskClient) -> None:
    ann.post(f"{PLAY}/share")
    link = link_of(ann)
    assert ann.post(f"{PLAY}/share/end").status_code == 303
    assert [client.get(path).status_code for path in (link, f"{link}/picture.png")] == [404, 404]
    ann.post(f"{PLAY}/share")
    assert link_of(ann) != link


@pytest.mark.parametrize("ended", ["left", "erased", "banned"])
def test_a_link_ends_with_its_maker(
    ended: str, league: League, sign_in: Callable[..., FlaskClient], client: FlaskClient
) -> None:
    ingest_and_refresh(timed_messages(DRIVE))
    bob = sign_in(username="bob")
    bob.post(f"{PLAY}/share")
    link = link_of(bob)
    assert client.get(link).status_code == 200
    number = db.session.scalar(text("SELECT id FROM members WHERE username = 'bob'"))
    if ended == "left":
        assert bob.post("/leagues/row/leave").status_code == 303
    elif ended == "erased":
        privacy.erase(int(number or 0), by=int(number or 0), reason="wants to", now=NOW)
    else:
        ban(int(number or 0))
    assert client.get(link).status_code == 404


def ban(member_id: int) -> None:
    player_id = players.player_of(db.session.get_one(Member, member_id)).id
    assert isinstance(
        sanctions.impose(
            player_id, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=clock.now()
        ),
        Sanction,
    )


def test_nobody_outside_makes_or_ends_a_link_and_a_made_up_one_is_refused(
    ann: FlaskClient, client: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    ann.post(f"{PLAY}/share")
    link, stranger = link_of(ann), sign_in(username="out")
    assert [stranger.post(f"{PLAY}/{path}").status_code for path in ("share", "share/end")] == [
        404,
        404,
    ]
    assert ann.post("/leagues/row/swings/g1/4/share").status_code == 404  # moved nobody
    assert client.get(link).status_code == 200
    for made_up in (
        f"{link}x",
        "/swings/1",
        "/swings/1.abc",
        link.replace("/swings/", "/swings/2"),
    ):
        assert client.get(made_up).status_code == 404, made_up


def test_a_corrected_play_is_shared_with_its_correction(
    ann: FlaskClient, client: FlaskClient
) -> None:
    ann.post(f"{PLAY}/share")
    link = link_of(ann)
    before = client.get(f"{link}/picture.png").data
    ingest_and_refresh(timed_messages([*DRIVE, ev.Nullify(events=(8, 9), reason="Holding")])[-1:])
    page = client.get(link).text
    for words in ("Original call", "Correction", "After the correction", "Holding"):
        assert words in page, words
    assert client.get(f"{link}/picture.png").data != before


def test_a_member_has_so_many_links_at_most(
    ann: FlaskClient, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "MOST", 2)
    tokens = [
        shares.SWINGS.make(league.id, 1, game_id="g1", play_number=number) for number in (1, 2, 3)
    ]
    plays = db.session.scalars(select(SwingShare.play_number).order_by(SwingShare.id)).all()
    assert plays == [2, 3]
    assert shares.SWINGS.find(tokens[0], NOW) is None


def test_any_name_can_be_drawn(app: object) -> None:
    """Names as long as they come, letters that the font has not, and sentences without end."""
    make_game()
    game = record.game("g1")
    assert game is not None
    for name in ("A", "W" * 60, "Ärger & Söhne", "Команда", "🏈🏈", "   "):
        mover = Mover(1, name, -123_456_780, -1_000_000_000, 1, 10_000)
        swing = Swing(
            "g1", "play", 3, 9, "", (f"{name} runs. " * 40,), (), (mover, mover, mover, mover), 4
        )
        with Image.open(
            io.BytesIO(swing_picture.picture(play_page(game, [swing]), name, {}))
        ) as image:
            assert image.size == (1200, 630), name


def test_numbers_that_no_play_has_end_nothing_and_break_nothing(
    ann: FlaskClient, client: FlaskClient
) -> None:
    ann.post(f"{PLAY}/share")
    for number in (0, 2**31, 2**63, 10**30):
        address = f"/leagues/row/swings/g1/{number}"
        assert ann.get(address).status_code == 404, number
        assert ann.post(f"{address}/share").status_code == 404, number
        assert ann.post(f"{address}/share/end").status_code in (303, 404), number
    assert client.get(link_of(ann)).status_code == 200
