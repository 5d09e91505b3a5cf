"""The console's service worker.

The pages it may keep, for which scorer, and which entries are accepted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from app.core.db import db
from app.record.models import Game
from tests.console.conftest import CONSOLE, SNAP

STATIC = Path(__file__).parent.parent.parent / "static"


def listed(scorer: FlaskClient) -> list[str]:
    match = re.search(r"^const FILES = (\[.*\]);$", scorer.get("/console/sw.js").text, re.MULTILINE)
    assert match is not None
    files: list[str] = json.loads(match[1])
    return files


@pytest.mark.parametrize("role", ["member", "moderator", "operator"])
def test_the_worker_is_for_scorers_only(sign_in: Callable[..., FlaskClient], role: str) -> None:
    assert sign_in(role).get("/console/sw.js").status_code == 404


def test_every_file_that_the_page_asks_for_is_kept_and_exists(
    scorer: FlaskClient, game: str
) -> None:
    files = listed(scorer)
    page = scorer.get(f"/console/{game}").text
    asked = re.findall(r'(?:src|href)="(/static/[^"]+|/clubs.css)"', page)
    assert any(path.endswith("/js/console/main.js") for path in asked)
    assert set(asked) <= set(files)
    for path in files:
        assert scorer.get(path).status_code == 200, path


def test_every_module_and_font_that_these_files_need_is_kept(scorer: FlaskClient) -> None:
    files = set(listed(scorer))
    needed = set()
    scripts = [re.sub(r"^/static/[0-9a-f]{16}/", "", path) for path in files if "/js/" in path]
    for path in [STATIC / script for script in scripts]:
        for name in re.findall(r'\bfrom "(\.[^"]+)";$', path.read_text(), re.MULTILINE):
            needed.add((path.parent / name).resolve())
    for path in (STATIC / "css").glob("*.css"):
        for name in re.findall(r'url\("?([^)"]+)"?\)', path.read_text()):
            if not name.startswith("data:"):
                needed.add((path.parent / name).resolve())
    assert len(needed) > 15
    (folder,) = {path[: path.index("/js/")] for path in files if "/js/" in path}
    assert re.fullmatch("/static/[0-9a-f]{16}", folder)
    assert {f"{folder}/{path.relative_to(STATIC.resolve())}" for path in needed} <= files


def test_a_page_says_whose_it_is_and_which_files_it_goes_with(
    scorer: FlaskClient, game: str
) -> None:
    answer = scorer.get(f"/console/{game}")
    version = re.search(
        r'^const VERSION = "(\w+)";$', scorer.get("/console/sw.js").text, re.MULTILINE
    )
    assert version is not None
    assert answer.headers["Pressbox-Keep"] == f"{version[1]}:1"
    assert "worker-src 'self'" in answer.headers["Content-Security-Policy"]


def test_a_page_with_a_fault_in_it_is_not_kept(scorer: FlaskClient, game: str) -> None:
    answer = scorer.post(
        f"/console/{game}/form", data={"type": "snap", "body": "no", "key": str(uuid4())}
    )
    assert answer.status_code == 422
    assert "Pressbox-Keep" not in answer.headers


def test_an_entry_of_another_scorer_is_not_taken_under_this_name(
    scorer: FlaskClient, game: str
) -> None:
    assert scorer.post(f"/console/{game}/lease", json={"console": CONSOLE}).status_code == 200
    entry = {"key": str(uuid4()), "console": CONSOLE, "entries": [{"body": SNAP}], "scorer": "2"}
    answer = scorer.post(f"/console/{game}/events", json=entry)
    assert answer.status_code == 403
    assert "another scorer" in answer.json["error"]
    assert db.session.get(Game, game, populate_existing=True).last_event_number == 0
    assert scorer.post(f"/console/{game}/events", json=entry | {"scorer": "1"}).status_code == 200
