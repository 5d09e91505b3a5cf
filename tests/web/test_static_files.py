"""Static files: their release in the address, kept for ever, compressed.

And how much the first page asks for.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest
from flask import Flask, url_for
from flask.testing import FlaskClient

from app.core import clock
from app.core.db import db
from app.core.http import responses, static_files
from app.fantasy.pages.home.views import FRONT_PAGE_GAMES
from app.record.models import Club, Game

MOST_BYTES = 100_000  # of the first page, over the wire
HEAD_BYTES = 400  # about as much as each answer's headers take
GZIP = {"Accept-Encoding": "gzip"}


@pytest.fixture
def full_slate(app: Flask) -> list[Game]:
    """As many games as a Sunday has, between clubs of their own."""
    games = []
    for number in range(16):
        home, away = f"H{number:02}", f"A{number:02}"
        for club in (home, away):
            db.session.add(
                Club(id=club, name=f"Great Falls {club}", nickname="Thunderbirds", colour="#224466")
            )
        db.session.flush()
        kickoff = clock.now() - timedelta(hours=1)
        games.append(
            Game(id=f"20260913{number:02}", season=2026, season_type="REG", week=1, kickoff=kickoff)
        )
        games[-1].home_id, games[-1].away_id = home, away
    db.session.add_all(games)
    db.session.commit()
    return games


def address(app: Flask, name: str) -> str:
    with app.test_request_context():
        return url_for("static", filename=name)


def test_an_address_names_its_release_and_is_kept_for_ever(app: Flask, client: FlaskClient) -> None:
    path = address(app, "css/base.css")
    assert re.fullmatch("/static/[0-9a-f]{16}/css/base.css", path)
    answer = client.get(path)
    assert answer.data == Path(str(app.static_folder), "css/base.css").read_bytes()
    assert set(answer.headers["Cache-Control"].split(", ")) == {
        "public",
        "max-age=31536000",
        "immutable",
    }
    assert answer.headers["Content-Type"] == 'text/css; charset="utf-8"'
    assert "Set-Cookie" not in answer.headers


def test_it_has_the_headers_that_guard_browsers(app: Flask, client: FlaskClient) -> None:
    """Only what a browser may open as a document has those of documents."""
    origin = {"Origin": "https://elsewhere.example"}
    document = client.get(address(app, "favicon.svg"), headers=origin)
    assert {name: document.headers[name] for name in responses.guards(app)} == responses.guards(app)
    answer = client.get(address(app, "js/live.js"), headers=origin)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Content-Security-Policy" not in answer.headers
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert client.open(address(app, "js/live.js"), method="TRACE").status_code == 405


def test_text_is_compressed_where_it_is_asked_for(app: Flask, client: FlaskClient) -> None:
    path = address(app, "vendor/htmx-2.0.11.min.js")
    plain, packed = client.get(path), client.get(path, headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.data) < len(plain.data) / 3


@pytest.mark.parametrize(
    "path",
    [
        "/static/css/base.css",
        "/static/manifest.webmanifest",
        "/static/0123456789abcdef/css/base.css",
    ],
)
def test_an_address_without_this_release_is_asked_for_again_each_time(
    client: FlaskClient, path: str
) -> None:
    answer = client.get(path)
    assert answer.cache_control.no_cache
    assert "immutable" not in answer.headers["Cache-Control"]
    assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    "path", ["", "css", "css/", "../run.txt", "css/base.css.gz", "no-such-file"]
)
def test_nothing_else_is_answered_there(app: Flask, client: FlaskClient, path: str) -> None:
    assert client.get(address(app, path)).status_code == 404


def test_a_release_has_one_compressed_copy(tmp_path: Path) -> None:
    def start(words: str) -> str:
        folder = tmp_path / words
        (folder / "css").mkdir(parents=True, exist_ok=True)
        (folder / "css/a.css").write_text(words * 500)
        app = Flask("app", static_folder=str(folder), static_url_path="/static")
        static_files.init_app(app, tmp_path, {})
        with app.test_client().get(address(app, "css/a.css"), headers=GZIP) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
        return address(app, "css/a.css").split("/")[2]

    first = start("one")
    assert start("one") == first
    second = start("two")
    assert second != first
    assert [path.name for path in (tmp_path / "static").iterdir()] == [second]


def test_both_workers_keep_files_under_their_release(
    app: Flask, client: FlaskClient, sign_in: Callable[..., FlaskClient]
) -> None:
    folder = address(app, "")
    for worker in (client.get("/sw.js").text, sign_in("scorer").get("/console/sw.js").text):
        named = re.findall(r'"(/static/[^"]+)"', worker)
        assert named
        assert all(path.startswith(folder) for path in named)


def test_the_first_page_is_under_100_kb_over_the_wire(
    app: Flask, client: FlaskClient, full_slate: list[Game]
) -> None:
    page = client.get("/", headers=GZIP)
    text = gzip.decompress(page.data).decode()
    assert sum(game.id in text for game in full_slate) == FRONT_PAGE_GAMES
    loaded = set(re.findall(r'<(?:script|link)[^>]* (?:src|href)="([^"]+)"', text))
    for sheet in [path for path in loaded if path.endswith(".css")]:
        loaded |= {
            urljoin(sheet, name) for name in re.findall(r'url\("([^"]+)"\)', client.get(sheet).text)
        }
    assert len([path for path in loaded if path.endswith(".woff2")]) == 3
    sizes = {"/": len(page.data)} | {
        path: len(client.get(path, headers=GZIP).data) for path in sorted(loaded)
    }
    total = sum(sizes.values()) + HEAD_BYTES * len(sizes)
    assert total < MOST_BYTES, sizes
