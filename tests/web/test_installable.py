"""Pressbox as an app on a phone.

The manifest, the worker, and which pages a device may keep (PRODUCT, members).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.accounts.models import Member
from app.offline.keeping import HEADER
from tests.conftest import PASSWORD


@pytest.fixture
def staying(app: Flask, member: Callable[..., Member]) -> Callable[..., FlaskClient]:
    def signed_in(name: str, **ticked: str) -> FlaskClient:
        member(name)
        client = app.test_client()
        answer = client.post("/sign-in", data={"username": name, "password": PASSWORD} | ticked)
        assert answer.status_code == 303
        return client

    return signed_in


def test_the_manifest_names_what_is_there(app: Flask, client: FlaskClient) -> None:
    page = client.get("/").text
    address = re.search(
        r'<link rel="manifest" href="(/static/[0-9a-f]{16}/manifest.webmanifest)">', page
    )
    assert address is not None
    answer = client.get(address[1])
    assert answer.mimetype == "application/manifest+json"
    manifest = answer.get_json(force=True)
    assert client.get(manifest["start_url"]).status_code == 200
    for shortcut in manifest["shortcuts"]:
        assert client.get(shortcut["url"]).status_code in (200, 302)
    pictures = [icon for icon in manifest["icons"] if icon["type"] == "image/png"]
    for icon in pictures:
        data = Path(str(app.static_folder), icon["src"]).read_bytes()
        width, height = struct.unpack(">II", data[16:24])
        assert icon["sizes"] == f"{width}x{height}"
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in pictures}
    assert any(icon.get("purpose") == "maskable" for icon in pictures)


def test_the_worker_is_asked_for_anew_each_time_and_names_its_release(client: FlaskClient) -> None:
    answer = client.get("/sw.js")
    assert (answer.mimetype, answer.cache_control.no_cache) == ("text/javascript", True)
    assert answer.text.startswith("const VERSION = ")
    assert client.get("/offline").status_code == 200


def test_only_the_game_is_kept_and_only_where_its_member_stays_signed_in(
    staying: Callable[..., FlaskClient],
) -> None:
    staying_one, passing_one = staying("ann", stay="y"), staying("bob")
    marks = {
        staying_one.get(path).headers.get(HEADER)
        for path in ("/", "/leagues", "/games", "/team", "/notices")
    }
    (mark,) = marks
    assert mark is not None
    assert mark.endswith(":1")
    for path in ("/account", "/friends", "/account/sessions", "/healthz", "/leagues/nowhere"):
        assert HEADER not in staying_one.get(path).headers
    assert HEADER not in staying_one.get("/leagues", headers={"HX-Request": "true"}).headers
    assert HEADER not in passing_one.get("/leagues").headers
    assert "offline/page.js" in staying_one.get("/leagues").text
    assert "offline/page.js" in passing_one.get("/leagues").text, (
        "for the page that says that there is no connection"
    )
