"""An invitation says in a messenger, and while one registers, what it is to."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from PIL import Image

from app.fantasy.standings.models import League


@pytest.fixture
def link(league: League) -> str:
    return f"/join/{league.invite_code}"


def test_a_messenger_shows_the_league_and_its_picture(link: str, client: FlaskClient) -> None:
    page = client.get(link).text
    assert 'property="og:title" content="Join Row"' in page
    assert 'property="og:description" content="3 members, run by Ann. Fantasy football' in page
    assert re.search(rf'property="og:image" content="https?://[^/]+{link}/picture.png"', page)
    picture = client.get(f"{link}/picture.png")
    assert picture.content_type == "image/png"
    with Image.open(io.BytesIO(picture.data)) as image:
        assert image.size == (1200, 630)


def test_the_picture_of_a_wrong_code_is_not_found(client: FlaskClient, league: League) -> None:
    assert client.get("/join/AAAA2222/picture.png").status_code == 404


def test_registering_says_what_one_joins(link: str, client: FlaskClient) -> None:
    assert "Register to join Row" not in client.get(f"/register?next={link}").text, (
        "an address alone does not tell whether a guessed code fits"
    )
    client.get(link)
    assert "Register to join Row" in client.get(f"/register?next={link}").text
    assert "Sign in to join Row" in client.get(f"/sign-in?next={link}").text
    assert "to join" not in client.get("/register?next=/account").text


def test_the_commissioner_has_a_link_to_send_and_a_code_to_scan(
    league: League, link: str, sign_in: Callable[..., FlaskClient]
) -> None:
    page = sign_in(username="ann").get("/leagues/row/settings").text
    assert re.search(rf'data-title="Join Row"\s+data-url="https?://[^/]+{link}"', page)
    assert re.search(r'aria-label="QR code for the link">\s*<svg', page)
