"""Pictures from providers: bounded, re-encoded, stored by content and served for ever."""

from __future__ import annotations

import hashlib
import io
import random
import struct
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image, PngImagePlugin
from sqlalchemy import text

from app.core.blob_store import blob_store
from app.core.db import db
from app.core.http import responses
from app.core.pictures import MOST_BYTES, BadPictureError, re_encoded
from app.embedded.stack import Stack
from app.predictions.matches import polling
from app.predictions.models import ProviderSource, Team, Tournament
from app.predictions.pictures import services as pictures
from app.predictions.pictures.views import asset_url
from app.setting_reading import settings_from_env
from app.settings import SettingsError
from tests.conftest import AnotherApp
from tests.predictions.providing import NOW, Answering, Served
from tests.waiting import patience, until
from tests.worlds.tournament import World

DAY = timedelta(days=1)


def encoded(
    kind: str, width: int = 300, height: int = 200, mode: str = "RGB", **options: object
) -> bytes:
    out = io.BytesIO()
    Image.new(mode, (width, height), 1).save(out, kind, **options)
    return out.getvalue()


def noise(side: int) -> bytes:
    """A PNG that does not compress."""
    out = io.BytesIO()
    pixels = random.Random(7).randbytes(3 * side * side)  # noqa: S311
    Image.frombytes("RGB", (side, side), pixels).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_pictures_become_small_webp(kind: str) -> None:
    with Image.open(io.BytesIO(re_encoded(encoded(kind)))) as image:
        assert (image.format, image.size) == ("WEBP", (256, 171))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_kind_of_pixel_is_understood(mode: str) -> None:
    with Image.open(io.BytesIO(re_encoded(encoded("PNG", 20, 10, mode)))) as image:
        assert image.size == (20, 10)


def test_what_is_clear_stays_clear() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (8, 8), (0, 0, 0, 0)).save(out, "PNG")
    with Image.open(io.BytesIO(re_encoded(out.getvalue()))) as image:
        assert image.convert("RGBA").getpixel((4, 4))[3] == 0  # type: ignore[index]


def test_nothing_but_the_pixels_is_kept() -> None:
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "<script>alert(1)</script>")
    exif = Image.Exif()
    exif[0x010E] = "where it was taken"
    for data in (encoded("PNG", pnginfo=text), encoded("JPEG", exif=exif, comment=b"<script>")):
        picture = re_encoded(data + b"<script>after the end</script>")
        assert b"script" not in picture
        assert b"taken" not in picture
        with Image.open(io.BytesIO(picture)) as image:
            assert not image.getexif()


def test_a_picture_that_lies_on_its_side_is_turned() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    with Image.open(io.BytesIO(re_encoded(encoded("JPEG", 40, 20, exif=exif)))) as image:
        assert image.size == (20, 40)


def test_a_square_picture_is_the_upright_middle() -> None:
    picture = Image.new("RGB", (300, 100), "red")
    picture.paste("blue", (150, 0, 300, 100))
    exif = Image.Exif()
    exif[0x0112] = 6  # lies on its left side
    out = io.BytesIO()
    picture.save(out, "PNG", exif=exif)
    with Image.open(io.BytesIO(re_encoded(out.getvalue(), side=40, is_square=True))) as image:
        assert image.size == (40, 40)
        top, bottom = (image.convert("RGB").getpixel((20, y)) for y in (5, 35))
    assert top[0] > top[2], "red"
    assert bottom[2] > bottom[0], "blue"
    with Image.open(io.BytesIO(re_encoded(encoded("PNG", 4000, 10), is_square=True))) as image:
        assert image.size == (10, 10)


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose head promises this size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 99))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not a PNG, JPEG or WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG, JPEG or WebP"),
        (b"<html><script>alert(1)</script>", "not a PNG, JPEG or WebP"),
        (encoded("GIF"), "not a PNG, JPEG or WebP"),
        (b"RIFF\0\0\0\0WAVEfmt ", "not a PNG, JPEG or WebP"),
        (b"\x89PNG\r\n\x1a\nand no more", "cannot be read"),
        (encoded("JPEG")[:200], "cannot be read"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * MOST_BYTES, "larger than 2 MB"),
        (encoded("PNG", 4097, 4, "1"), "4,097 by 4 pixels. It may have up to 4,096"),
        (encoded("PNG", 5000, 5000, "1"), "5,000 by 5,000 pixels. It may have up to 4,096"),
        (bomb(60_000, 60_000), "cannot be read"),
        (bomb(2_000_000_000, 2), "cannot be read"),
    ],
)
def test_what_is_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(BadPictureError, match=sentence):
        re_encoded(data)


def test_a_bomb_is_refused_by_its_head_without_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    def decoded(*arguments: object) -> None:
        raise AssertionError("pixels were decoded")

    monkeypatch.setattr(PngImagePlugin.PngImageFile, "load", decoded)
    with pytest.raises(BadPictureError, match="up to 4,096"):
        re_encoded(bomb(4_000, 4_100))


@pytest.fixture
def cup(served: Served, world: Callable[..., World]) -> World:
    """A tournament whose provider has pictures of its four teams; polled, not fetched."""
    here = world()
    served.provider.images = served.origin
    db.session.execute(db.update(ProviderSource).values(address=served.address))
    db.session.commit()
    polling.poll(here.id, NOW)
    served.provider.asked.clear()
    return here


def images(here: World) -> dict[str, str | None]:
    db.session.rollback()
    return dict(
        db.session.execute(
            db.select(Team.external_id, Team.image).filter_by(tournament_id=here.id)
        ).all()
    )


def test_missing_pictures_are_fetched_once_and_stored_by_content(
    cup: World, served: Served
) -> None:
    version = db.session.get_one(Tournament, cup.id).version
    assert pictures.fetch_missing(cup.id, NOW) == 4
    names = images(cup)
    assert len(set(names.values())) == 4
    for name in names.values():
        assert name is not None
        assert hashlib.sha256(blob_store().get(f"assets/{name}")).hexdigest() == name
    assert db.session.get_one(Tournament, cup.id).version > version
    assert pictures.fetch_missing(cup.id, NOW) == 0
    assert len(served.provider.asked) == 4


def test_a_picture_that_comes_in_the_middle_of_a_poll_waits_for_it_and_locks_nothing(
    cup: World, app: Flask, stack: Stack
) -> None:
    """The poll holds the tournament and then changes a team, as mapping does."""
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
        "wait_event_type = 'Lock'"
    )

    def fetch() -> int:
        with app.app_context():
            return pictures.fetch_missing(cup.id, NOW)

    with psycopg.connect(stack.settings.psycopg_url) as poll, ThreadPoolExecutor(1) as thread:
        poll.execute("SELECT id FROM tournaments FOR NO KEY UPDATE")
        fetching = thread.submit(fetch)
        until(lambda: db.session.scalar(waiting) == 1, "the first picture is to be noted")
        poll.execute("UPDATE teams SET name = name || '!'")
        poll.commit()
        assert fetching.result(timeout=patience(120)) == 4


def test_another_address_fetches_another_picture(cup: World, served: Served) -> None:
    pictures.fetch_missing(cup.id, NOW)
    before = images(cup)
    served.provider.season["teams"][0]["image"] = f"{served.origin}/images/new.png"
    served.provider.images = ""
    polling.poll(cup.id, NOW)
    assert pictures.fetch_missing(cup.id, NOW) == 1
    after = images(cup)
    assert after["ars"] not in (None, before["ars"])
    assert after["che"] is None  # the provider has none of it any more


def test_the_tournament_has_a_picture_too(cup: World, served: Served) -> None:
    served.provider.season["image"] = f"{served.origin}/images/cup.png"
    polling.poll(cup.id, NOW)
    assert pictures.fetch_missing(cup.id, NOW) == 5
    assert db.session.get_one(Tournament, cup.id).image is not None


def test_one_that_cannot_be_used_stops_no_other_and_is_tried_again_after_a_day(
    cup: World, served: Served, server: Answering
) -> None:
    served.provider.season["teams"][0]["image"] = f"{server.origin}/logo.png"
    served.provider.images = ""
    for team in served.provider.season["teams"][1:]:
        team["image"] = f"{served.origin}/images/{team['id']}.png"
    polling.poll(cup.id, NOW)
    server.body = b"<html>no picture</html>"
    server.headers = {"Content-Type": "image/png"}
    assert pictures.fetch_missing(cup.id, NOW) == 3
    assert images(cup)["ars"] is None
    assert pictures.fetch_missing(cup.id, NOW + DAY) == 0
    assert len(server.asked) == 1
    server.body = encoded("PNG")
    assert pictures.fetch_missing(cup.id, NOW + DAY + timedelta(seconds=1)) == 1
    assert images(cup)["ars"] is not None


@pytest.mark.parametrize(("status", "size"), [(404, 0), (302, 0), (200, 1000)])
def test_answers_that_are_no_picture(cup: World, server: Answering, status: int, size: int) -> None:
    db.session.execute(db.update(Team).where(Team.external_id != "ars").values(image_source=None))
    db.session.execute(
        db.update(Team).where(Team.external_id == "ars").values(image_source=server.origin)
    )
    db.session.commit()
    server.status = status
    server.headers = {"Location": "http://127.0.0.1/x.png"} if status == 302 else {}
    server.body = noise(size) if size else encoded("PNG")
    assert size == 0 or len(server.body) > MOST_BYTES
    assert pictures.fetch_missing(cup.id, NOW) == 0
    assert len(server.asked) == 1


def test_pictures_inside_are_not_fetched_unless_the_setting_allows_it(
    app: Flask, cup: World, served: Served
) -> None:
    app.config["PRESSBOX"] = replace(app.config["PRESSBOX"], providers_private=False)
    port = served.origin.rpartition(":")[2]
    db.session.execute(
        db.update(Team)
        .where(Team.external_id == "che")
        .values(image_source=f"https://localhost:{port}/images/a.png")
    )
    db.session.commit()
    assert pictures.fetch_missing(cup.id, NOW) == 0
    assert set(images(cup).values()) == {None}
    assert served.provider.asked == []


def test_a_picture_is_served_for_ever(app: Flask, client: FlaskClient) -> None:
    name = pictures.store(encoded("PNG"))
    response = client.get(f"/assets/{name}")
    assert response.status_code == 200
    assert response.content_type == "image/webp"
    assert hashlib.sha256(response.data).hexdigest() == name
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in response.headers
    assert "Cookie" not in response.headers.get("Vary", "")
    again = client.get(f"/assets/{name}", headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Cache-Control"] == response.headers["Cache-Control"]


@pytest.mark.parametrize("name", ["0" * 64, "short", "A" * 64, "..%2Fsecret_key"])
def test_what_is_not_there_is_not_kept(client: FlaskClient, name: str) -> None:
    response = client.get(f"/assets/{name}")
    assert response.status_code == 404
    assert "no-store" in response.headers["Cache-Control"]


def test_other_pages_are_still_not_stored(client: FlaskClient) -> None:
    assert "no-store" in client.get("/sign-in").headers["Cache-Control"]


def test_a_cdn_may_stand_in_front(app: Flask, another_app: AnotherApp, stack: Stack) -> None:
    with app.test_request_context():
        assert asset_url("ab") == "/assets/ab"
    assert "img-src 'self' data:;" in responses.content_security_policy("")
    behind = another_app(replace(stack.settings, asset_base_url="https://cdn.example.com"))
    with behind.test_request_context():
        assert asset_url("ab") == "https://cdn.example.com/assets/ab"
        assert behind.jinja_env.globals["asset_url"] is asset_url
    policy = behind.test_client().get("/sign-in").headers["Content-Security-Policy"]
    assert "img-src 'self' data: https://cdn.example.com;" in policy


@pytest.mark.parametrize(
    "url", ["cdn.example.com", "https://cdn.example.com/", "https://a;script-src *", "ftp://a"]
)
def test_only_an_origin_may_be_the_cdn(url: str) -> None:
    with pytest.raises(SettingsError, match="ASSET_BASE_URL"):
        settings_from_env({"ASSET_BASE_URL": url})
