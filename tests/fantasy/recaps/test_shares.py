"""A recap shared by a link: for everybody who has it, without the name of any member."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from PIL import Image, ImageColor

from app.core.db import db
from app.fantasy.market.models import Gameweek
from app.fantasy.pages.recap.page import RecapPage
from app.fantasy.pages.share import recap_picture
from app.fantasy.recaps.power import Strength
from app.fantasy.recaps.rules import Claim
from app.fantasy.recaps.values import Pick
from app.fantasy.standings.models import League
from app.record.models import Club

PAGE = "/leagues/row/recap/1"


@pytest.fixture
def ann(finished: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def link_of(client: FlaskClient) -> str:
    match = re.search(r'data-url="https?://[^/]+(/recaps/[^"]+)"', client.get(PAGE).text)
    assert match is not None
    return match[1]


def test_a_recap_is_shared_with_a_picture_and_a_preview_and_without_members(
    ann: FlaskClient, client: FlaskClient
) -> None:
    assert "data-url" not in ann.get(PAGE).text
    answer = ann.post(f"{PAGE}/share")
    assert (answer.status_code, answer.location) == (303, f"{PAGE}#share")
    link = link_of(ann)
    page = client.get(link)
    for words in (
        'property="og:title" content="Week 1 recap, Row"',
        'property="og:description" content="Team ann won Week 1 with 14.20 points, 1.70 ahead',
        f'{link}/picture.png">',
        'content="noindex"',
        "Start a league with friends",
    ):
        assert words in page.text, words
    for name in (">Ann<", ">Bob<", "Sign out"):
        assert name not in page.text, name
    picture = client.get(f"{link}/picture.png")
    with Image.open(io.BytesIO(picture.data)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))


def test_each_card_of_a_shared_recap_is_a_picture(ann: FlaskClient, client: FlaskClient) -> None:
    ann.post(f"{PAGE}/share")
    cards = re.findall(r'href="(/recaps/[^"]+/picture.png\?card=[a-z_]+)"', ann.get(PAGE).text)
    assert len(cards) == 3
    assert len({client.get(card).data for card in cards}) == 3
    assert client.get(f"{cards[0]}s").status_code == 404


def test_the_page_to_share_has_a_code_to_scan(ann: FlaskClient) -> None:
    ann.post(f"{PAGE}/share")
    assert re.search(r'aria-label="QR code for the link">\s*<svg', ann.get(PAGE).text)


def test_a_link_ends_when_it_is_taken_back_or_the_result_is_no_more(
    ann: FlaskClient, client: FlaskClient
) -> None:
    ann.post(f"{PAGE}/share")
    link = link_of(ann)
    gameweek = db.session.get_one(Gameweek, 1)
    gameweek.settled_at, settled_at = None, gameweek.settled_at
    db.session.commit()
    assert client.get(link).status_code == 404
    db.session.get_one(Gameweek, 1).settled_at = settled_at
    db.session.commit()
    assert client.get(link).status_code == 200
    assert ann.post(f"{PAGE}/share/end").status_code == 303
    assert [client.get(path).status_code for path in (link, f"{link}/picture.png")] == [404, 404]


def test_a_stranger_shares_nothing_and_a_made_up_link_is_refused(
    ann: FlaskClient, client: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    ann.post(f"{PAGE}/share")
    assert sign_in(username="dan").post(f"{PAGE}/share").status_code == 404
    assert client.get(f"{link_of(ann)}x").status_code == 404
    assert client.get("/recaps/1").status_code == 404


def test_the_picture_is_in_the_colours_of_the_best_players_clubs(
    ann: FlaskClient, client: FlaskClient
) -> None:
    """Harbor's blue, in the band below the head; the game is at Harbor, and nobody has Summit's."""
    ann.post(f"{PAGE}/share")
    picture = client.get(f"{link_of(ann)}/picture.png")
    blue = db.session.get_one(Club, "HRB").colour
    with Image.open(io.BytesIO(picture.data)) as image:
        assert {image.getpixel((x, 76)) for x in (10, 600, 1190)} == {ImageColor.getrgb(blue)}


def test_a_link_to_a_swing_opens_no_recap(ann: FlaskClient, client: FlaskClient) -> None:
    """Both are signed numbers: each kind has a salt of its own."""
    ann.post("/leagues/row/swings/g1/3/share")
    swing = re.search(r'data-url="[^"]+/swings/([^"]+)"', ann.get("/leagues/row/swings/g1/3").text)
    assert swing is not None
    ann.post(f"{PAGE}/share")
    assert client.get(f"/recaps/{swing[1]}").status_code == 404


@pytest.mark.parametrize("name", ["A", "W" * 60, "Ärger & Söhne", "Команда", "🏈🏈"])
def test_any_name_can_be_drawn(name: str) -> None:
    claim = Claim("winner", f"{name} won. " * 20, "", None, (1,))
    star = Pick("H1", name, "QB", 9000, 1, has_played=True, club="HRB")
    page = RecapPage((claim,), (Strength(1, 9000, 1, 2),), {1: 9000}, {1: star}, {1: name})
    pictures = (
        recap_picture.picture(page, "Week 1", name, {"HRB": ("#0b5c8a", "#ffffff")}),
        recap_picture.card_picture(claim, page, "Week 1", name),
    )
    for picture in pictures:
        with Image.open(io.BytesIO(picture)) as image:
            assert image.size == (1200, 630)
