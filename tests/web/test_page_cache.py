"""Cached pages (app/core/page_cache).

They hold nothing of any one viewer, and a change shows on the next page.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import redis
from flask import Flask, render_template_string
from flask.testing import FlaskClient
from flask_wtf.csrf import generate_csrf
from sqlalchemy import text

from app.core.db import db
from app.core.page_cache import pages as cached_pages
from app.core.page_cache import placeholders, single_flight
from app.core.page_cache.placeholders import PersonalDataError
from app.core.page_cache.tags import TagStore
from app.core.viewer import viewed_by
from tests.pages import without_tokens
from tests.polling import poll, remembered, tables_of_page, tagged_tables
from tests.statements import count_statements
from tests.waiting import patience
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

GAMES, GAME = "/games", "/games/g1"
SignIn = Callable[..., FlaskClient]


@pytest.fixture
def ann(sign_in: SignIn) -> FlaskClient:
    make_game()
    ingest(messages(touchdown_drive()))
    return sign_in("member", "ann")


def kept(app: Flask) -> list[bytes]:
    """What is remembered of whole pages and fragments."""
    store = app.extensions["tag_store"]._client
    return [store.hget(key, "body") for key in store.scan_iter("polls:entry:page:*")]


def written(sql: str) -> None:
    db.session.execute(text(sql))
    db.session.commit()


@pytest.mark.parametrize("page", [GAMES, GAME, f"{GAME}/box", f"{GAME}/plays", f"{GAME}/drives"])
def test_the_second_look_costs_no_statement_and_shows_the_same(ann: FlaskClient, page: str) -> None:
    first = ann.get(page)
    with count_statements() as counted:
        second = ann.get(page)
    assert counted() == 0
    assert first.status_code == 200
    assert without_tokens(second.text) == without_tokens(first.text)
    assert list(second.headers) == list(first.headers)


CHANGES = [
    (GAMES, "UPDATE clubs SET name = 'Renamed' WHERE id = 'HRB'", "Renamed"),
    (
        GAMES,
        "UPDATE games SET kickoff = '2031-02-03 04:05+00', home_id = 'SUM', away_id = 'HRB'",
        None,
    ),
    (GAMES, "UPDATE game_states SET home_score = 77", ">77<"),
    (GAMES, "UPDATE games SET is_practice = true", "No games yet"),
    (GAME, "UPDATE clubs SET name = 'Renamed' WHERE id = 'HRB'", "Renamed"),
    (GAME, "UPDATE footballers SET name = 'Renamed' WHERE id = 'H2'", "Renamed"),
    (GAME, "UPDATE games SET home_id = 'SUM', away_id = 'HRB'", None),
    (GAME, "UPDATE game_states SET home_score = 77", ">77<"),
    (
        f"{GAME}/box",
        "INSERT INTO game_details (game_id, stadium) VALUES ('g1', 'Renamed')",
        "Renamed",
    ),
    (GAMES, "UPDATE members SET display_name = 'Renamed'", "Renamed"),
]


@pytest.mark.parametrize(("page", "change", "shows"), CHANGES)
def test_what_is_written_is_on_the_next_page(
    ann: FlaskClient, page: str, change: str, shows: str | None
) -> None:
    before = without_tokens(ann.get(page).text)
    assert shows is None or shows not in before
    written(change)
    after = without_tokens(ann.get(page).text)
    assert after != before
    assert shows is None or shows in after


# What a page reads besides that ends no memory of it, and why.
RAISES_NOTHING = {
    "events": "every event that is stored changes the game's state too",
    "corrections": "as events",
    "stat_lines": "as events",
    "ledger": "as events",
    "player_points": "as events, and refreshes raise the gameweek",
}


@pytest.mark.parametrize("page", [GAMES, GAME, f"{GAME}/box", f"{GAME}/plays", f"{GAME}/drives"])
def test_every_table_that_a_page_reads_raises_tags(ann: FlaskClient, page: str) -> None:
    assert tables_of_page(ann, page) - RAISES_NOTHING.keys() <= tagged_tables()


def test_a_new_game_is_on_the_list(ann: FlaskClient) -> None:
    assert "card-g2" not in ann.get(GAMES).text
    make_game("g2")
    assert "card-g2" in ann.get(GAMES).text


def test_each_viewer_has_their_own_name_token_and_menu(
    app: Flask, ann: FlaskClient, sign_in: SignIn
) -> None:
    bob, scorer, visitor = sign_in("member", "bob"), sign_in("scorer", "sue"), app.test_client()
    pages = [client.get(GAMES).text for client in (ann, bob, scorer, visitor)]
    assert [("Ann" in page or "ann" in page) for page in pages] == [True, False, False, False]
    tokens = [re.findall(r'name="csrf_token" value="([^"]+)"', page) for page in pages]
    assert [len(page_tokens) for page_tokens in tokens] == [
        1,
        1,
        2 if "console" not in pages[2] else len(tokens[2]),
        0,
    ]
    assert tokens[0] != tokens[1]
    assert [("Scorer console" in page) for page in pages] == [False, False, True, False]
    for client, token in ((ann, tokens[0]), (bob, tokens[1])):
        assert client.post("/sign-out", data={"csrf_token": token[0]}).status_code in (302, 303)


def test_nothing_of_anybody_is_remembered(app: Flask, ann: FlaskClient) -> None:
    token = re.findall(r'name="csrf_token" value="([^"]+)"', ann.get(GAMES).text)[0]
    cached = kept(app)
    assert cached
    with ann.session_transaction() as session:
        raw = session["csrf_token"]
    for entry in cached:
        assert token.encode() not in entry
        assert raw.encode() not in entry
        assert b"ann" not in entry.lower().replace(b"planned", b"").replace(b"channel", b"")


@pytest.mark.parametrize(
    "source",
    [
        "{{ current_user.id }}",
        "{% if current_user.username == 'ann' %}x{% endif %}",
        "{% if current_user.email %}x{% endif %}",
        "{{ my_leagues() }}",
    ],
)
def test_a_template_cannot_ask_who_looks(ann: FlaskClient, app: Flask, source: str) -> None:
    with (
        app.test_request_context("/games"),
        viewed_by(Anybody()),
        pytest.raises(PersonalDataError),
        placeholders.rendering_for_everybody(),
    ):
        render_template_string(source)


def test_a_form_cannot_leave_its_token(app: Flask) -> None:
    with (
        app.test_request_context("/games"),
        viewed_by(Anybody()),
        pytest.raises(PersonalDataError),
        placeholders.rendering_for_everybody(),
    ):
        generate_csrf()


class Anybody:
    """A signed-in member."""

    is_authenticated, roles_withheld, is_shadowed, roles = True, False, False, ()

    def has_role(self, *_roles: str) -> bool:
        return False


def test_who_wants_the_same_part_meanwhile_is_given_what_was_rendered(
    app: Flask, ann: FlaskClient, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, waiting, rendered, real = (
        sign_in("member", "bob"),
        threading.Event(),
        list[int](),
        cached_pages._render,
    )

    @contextmanager
    def lent() -> Iterator[None]:
        waiting.set()
        yield

    def render(*arguments: Any, **keywords: Any) -> Any:
        rendered.append(1)
        assert waiting.wait(patience(30))
        return real(*arguments, **keywords)

    def look(client: FlaskClient) -> str:
        with app.app_context():
            return client.get(GAMES).text

    # from now on no statement asks who they are, and their turn can be lent
    for client in (ann, bob):
        client.get(GAME)
    for wait in ("slot_released", "nullcontext"):
        monkeypatch.setattr(single_flight, wait, lent)
    monkeypatch.setattr(cached_pages, "_render", render)
    with ThreadPoolExecutor(2) as pool:
        pages = [
            future.result(patience(60))
            for future in [pool.submit(look, client) for client in (ann, bob)]
        ]
    assert len(rendered) == 1
    assert [("Ann" in page, "Bob" in page) for page in pages] == [(True, False), (False, True)]


@pytest.mark.parametrize("page", [GAMES, GAME])
def test_without_redis_it_is_rendered_each_time(
    ann: FlaskClient, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = without_tokens(ann.get(page).text)

    def refuse(*_: object) -> None:
        raise redis.ConnectionError("Connection refused.")

    monkeypatch.setattr(TagStore, "_ask", refuse)
    monkeypatch.setattr(TagStore, "_write", refuse)
    assert without_tokens(ann.get(page).text) == usual
    assert ann.get(page).status_code == 200


def test_headers_that_a_server_adds_do_not_stay_with_what_is_remembered(
    app: Flask, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{GAME}/plays"
    tag = remembered(ann, url)
    application = app.wsgi_app

    def adding(environ: Any, start_response: Callable[..., Any]) -> Any:
        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            headers.append(("Via", "proxy"))
            return start_response(status, headers, *exc_info)

        return application(environ, start)

    monkeypatch.setattr(app, "wsgi_app", adding)
    for _ in range(2):
        assert poll(ann, url, tag).headers.getlist("Via") == ["proxy"]


@pytest.mark.parametrize(
    "ended",
    [
        "UPDATE members SET banned_at = now() WHERE username = 'ann'",
        "UPDATE members SET suspended_until = now() + interval '1 day' WHERE username = 'ann'",
        "UPDATE member_sessions SET ended_at = now()",
        "DELETE FROM member_sessions",
    ],
)
def test_who_is_kept_out_is_a_stranger_on_the_next_page(ann: FlaskClient, ended: str) -> None:
    assert "Sign out" in ann.get(GAMES).text
    written(ended)
    assert "Sign out" not in ann.get(GAMES).text


def test_a_role_that_is_taken_shows_on_the_next_page(app: Flask, sign_in: SignIn) -> None:
    scorer = sign_in("scorer", "sue")
    assert "Scorer console" in scorer.get(GAMES).text
    written("UPDATE members SET roles = '{}'")
    assert "Scorer console" not in scorer.get(GAMES).text


def test_a_notice_is_on_the_bell_of_the_next_page(ann: FlaskClient) -> None:
    assert "1 unread" not in ann.get(GAMES).text
    written(
        "INSERT INTO notices (member_id, kind, key, title, body, path, names, created_at)"
        " SELECT id, 'mention', 'k', 't', 'b', '/', '{}', now() FROM members"
    )
    assert "1 unread" in ann.get(GAMES).text
