"""Cache tags: no entry from before a commit is served after it; every writer raises its tags."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member, MemberSession
from app.core import clock
from app.core.db import db
from app.core.errors import CannotRevokeError
from app.core.page_cache.tags import Entry, TagStore
from app.embedded.valkey import Valkey
from app.fantasy.leagues import services as leagues
from app.fantasy.notices import services as notices
from app.fantasy.notices.services import NewNotice
from app.fantasy.standings.models import League
from tests.boards.test_remembered_boards import RESTS_ON as OF_BOARDS
from tests.fantasy.test_league_page import TABLE
from tests.fantasy.test_remembered_polls import (
    BELL,
    GAME,
    POLLS,
    ann_id,
    banned,
    league_id,
    removed_by_the_commissioner,
    signed_out_by_hand,
    signed_out_everywhere,
    taken_out_by_hand,
)
from tests.polling import is_fast, poll, remembered, tables_of_page, tables_read, tagged_tables
from tests.statements import redis_round_trips
from tests.waiting import patience
from tests.worlds.games import DRIVE, ingest_and_refresh, messages

# On which tables the answer to each rests: those that its usual way reads, but for what does not
# decide whether something has changed.
RESTS_ON = {
    TABLE: {
        "members",
        "member_sessions",
        "leagues",
        "league_members",
        "gameweeks",
        "league_versions",
    }
    | {"games", "game_states"},
    GAME: {"members", "member_sessions", "games", "game_states"},
    BELL: {"members", "member_sessions", "notices"},
}
OF_SCORERS = {"scorer_games"}  # the games that a scorer is bound to
OF_GAMEWEEKS = {"live_gameweeks"}  # the places of a member on the front page
OF_FEEDS = {"feeds"}  # what members read about the age of the data
# names of clubs, which show with the next play; how many members a league has; when its page ends
DECIDES_NOTHING = {"clubs", "players", "sheet_deadlines", "team_rules"}
TAKES = {table: {"UPDATE", "DELETE"} for table in RESTS_ON[TABLE] | OF_BOARDS}
NOW = datetime(2026, 9, 13, 18, tzinfo=UTC)
RAISED_BY = TAKES | {  # what an insert adds to these counts too
    table: {"INSERT", "UPDATE", "DELETE"}
    for table in (
        "gameweeks",
        "league_versions",
        "game_states",
        "live_gameweeks",
        "notices",
        "players",
        *OF_SCORERS,
        *OF_FEEDS,
    )
}


@pytest.fixture
def ann(league: League, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    ingest_and_refresh(messages(DRIVE))
    return sign_in(username="ann")


# The protocol: no moment after a commit in which the memory of before it answers.


@pytest.fixture
def tag_store(app: Flask) -> TagStore:
    store: TagStore = app.extensions["tag_store"]
    return store


def test_nothing_is_remembered_from_before_a_commit_to_after_it(
    ann: FlaskClient, tag_store: TagStore
) -> None:
    session = db.session.scalars(db.select(MemberSession.id)).one()
    tag = remembered(ann, BELL)
    holder = tag_store.begin_write([f"session:{session}"])
    assert not is_fast(ann, BELL, tag), "it is about to be committed"
    assert not is_fast(ann, BELL, tag), "and what was read meanwhile is not remembered"
    other = tag_store.begin_write([f"session:{session}"])
    tag_store.end_write(holder, [f"session:{session}"])
    assert not is_fast(ann, BELL, tag), "somebody else is about to commit"
    (read_before,) = tag_store.lookup(["reader"], NOW)
    assert read_before.body is None
    tag_store.end_write(other, [f"session:{session}"])
    tag_store.store("reader", read_before.moment, Entry([f"session:{session}"], b"old"))
    assert tag_store.lookup(["reader"], NOW)[0].body is None, (
        "what was read before the release is not believed after it"
    )
    assert not is_fast(ann, BELL, tag)
    assert is_fast(ann, BELL, tag), "what was read after it is"


def test_between_commit_and_release_the_memory_does_not_answer(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag, release, answers = remembered(ann, BELL), TagStore.end_write, []

    def poll_and_release(self: TagStore, holder: str, names: list[str]) -> None:
        answers.append(poll(ann, BELL, tag).status_code)
        release(self, holder, names)

    monkeypatch.setattr(TagStore, "end_write", poll_and_release)
    signed_out_by_hand()
    assert answers == [401]


def test_a_server_that_was_started_again_has_forgotten_everything(
    ann: FlaskClient, tag_store: TagStore
) -> None:
    tag = remembered(ann, BELL)
    # as a start does, after which a memory can be there and a stamp not
    tag_store._client.script_flush()
    assert not is_fast(ann, BELL, tag)
    assert is_fast(ann, BELL, remembered(ann, BELL))


def test_an_emptied_store_sends_everybody_the_usual_way(
    ann: FlaskClient, tag_store: TagStore
) -> None:
    tag = remembered(ann, TABLE)
    tag_store._client.flushall()
    assert not is_fast(ann, TABLE, tag)
    assert is_fast(ann, TABLE, tag)


@contextmanager
def away(monkeypatch: pytest.MonkeyPatch, *which: str) -> Iterator[None]:
    def refuse(*_: Any) -> None:
        raise redis.ConnectionError("Connection refused.")

    with monkeypatch.context() as patch:
        for method in which:
            patch.setattr(TagStore, method, refuse)
        yield


@pytest.mark.parametrize("url", POLLS)
def test_a_store_that_is_away_leaves_the_usual_way(
    app: Flask, ann: FlaskClient, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = remembered(ann, url)
    with away(monkeypatch, "_ask", "_write"):
        assert not is_fast(ann, url, tag)
        assert poll(ann, url, tag).status_code == 304
    assert is_fast(ann, url, remembered(ann, url))


def test_a_revocation_whose_stamp_cannot_be_written_fails_as_a_whole(
    ann: FlaskClient, commissioner: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = remembered(ann, TABLE)
    for revoke in (
        signed_out_everywhere,
        signed_out_by_hand,
        taken_out_by_hand,
        banned,
        removed_by_the_commissioner,
    ):
        with away(monkeypatch, "_write"), pytest.raises(CannotRevokeError):
            revoke()
        db.session.rollback()
        assert poll(ann, TABLE, tag).status_code == 304, revoke
    with away(monkeypatch, "_write"):
        answer = ann.post("/sign-out")
    assert answer.status_code == 503
    assert "Nothing you saved is lost" in answer.text
    db.session.rollback()
    assert db.session.scalars(db.select(MemberSession.ended_at)).one() is None


def test_plays_and_notices_are_stored_without_redis(
    league: League, sign_in: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = sign_in(username="ann")
    with away(monkeypatch, "_write"):
        ingest_and_refresh(messages(DRIVE))
        notices.notify(
            [NewNotice(ann_id(), "mention", "mention:1", "A word", "Said.", "/")], clock.now()
        )
        db.session.commit()
    assert poll(ann, GAME).status_code == 200
    assert "1" in poll(ann, BELL).text


def test_a_transaction_that_fails_raises_nothing_in_the_next(
    ann: FlaskClient, tag_store: TagStore
) -> None:
    tag = remembered(ann, BELL)
    db.session.execute(text("UPDATE member_sessions SET ended_at = now()"))
    db.session.rollback()
    with pytest.raises(IntegrityError):
        db.session.execute(text("UPDATE members SET id = NULL"))
    db.session.rollback()
    db.session.execute(text("UPDATE clubs SET name = name"))
    db.session.commit()
    assert is_fast(ann, BELL, tag)


def test_too_many_tags_at_once_raise_everything(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.core.page_cache.tagged_connection.MAX_TAGS", 0)
    tag = remembered(ann, GAME)
    leagues.set_public(league_id(), is_public=True)
    assert not is_fast(ann, GAME, tag)


def test_after_a_crash_no_memory_comes_back(app: Flask, own_valkey: Valkey) -> None:
    """A server restarted from its file may miss the tag versions raised since."""
    own_valkey.stop()
    tag_store = TagStore(own_valkey.start(), patience(2.5))
    moment = tag_store.lookup(["page"], NOW)[0].moment
    tag_store.store("page", moment, Entry(["member:1"], b"unchanged"))
    assert tag_store.lookup(["page"], NOW)[0].body == b"unchanged"
    tag_store._client.save()
    own_valkey.stop()
    own_valkey.start()
    with pytest.raises(redis.RedisError):
        tag_store.lookup(["page"], NOW)
    assert tag_store.lookup(["page"], NOW)[0].body is None


# The tables: what a fast answer rests on raises its stamps, whoever writes.


@pytest.mark.parametrize("url", [TABLE, GAME, BELL])
def test_every_table_that_the_usual_way_reads_is_known(ann: FlaskClient, url: str) -> None:
    read = tables_read(ann, url)
    assert read >= RESTS_ON[url]
    assert read - WITH_THE_TABLE - tagged_tables() == set()


# They were agreed on long before, or raise the table's version or the game's state when they are
# written.
WITH_THE_TABLE = {
    "league_scores",
    "seasons",
    "team_rules",
    "score_adjustments",
    "rule_changes",
    "matchups",
} | {
    *("footballer_seasons", "counted_footballers", "events", "corrections", "stat_lines"),
}


@pytest.mark.parametrize("url", [TABLE, f"{TABLE}?table=week"])
def test_every_table_that_a_whole_table_is_rendered_from_raises_stamps(
    ann: FlaskClient, url: str
) -> None:
    assert tables_of_page(ann, url) - WITH_THE_TABLE <= tagged_tables()


def test_each_of_these_tables_raises_stamps_whoever_writes(app: Flask) -> None:
    rests_on = set().union(*RESTS_ON.values(), OF_BOARDS, OF_SCORERS, OF_FEEDS, OF_GAMEWEEKS)
    assert rests_on == set(RAISED_BY)
    rows = db.session.execute(
        text(
            "SELECT event_object_table, event_manipulation FROM information_schema.triggers"
            " WHERE trigger_name LIKE 'raise_stamps%' AND action_statement LIKE "
            "'%raise_stamps_of_%'"
        )
    )
    raised: dict[str, set[str]] = {}
    for table, act in rows:
        raised.setdefault(table, set()).add(act)
    assert raised == RAISED_BY


WRITES = [
    ("UPDATE member_sessions SET ended_at = now()", "session:"),
    ("UPDATE member_sessions SET ends_at = ends_at - interval '1 day'", "session:"),
    ("UPDATE member_sessions SET has_second_factor = true", "session:"),
    ("DELETE FROM member_sessions", "session:"),
    ("UPDATE members SET banned_at = now()", "member:"),
    ("UPDATE members SET suspended_until = now()", "member:"),
    ("UPDATE members SET is_shadowed = true", "member:"),
    ("UPDATE members SET roles = '{operator}'", "member:"),
    ("UPDATE members SET erased_at = now()", "member:"),
    ("UPDATE leagues SET is_public = NOT is_public", "league:"),
    ("UPDATE leagues SET slug = 'other'", "league:"),
    ("DELETE FROM leagues WHERE slug = 'row'", "league:"),
    ("DELETE FROM league_members", "league:"),
    ("UPDATE league_versions SET version = version + 1", "table:"),
    ("DELETE FROM league_versions", "table:"),
    ("UPDATE gameweeks SET deadline = deadline + interval '1 day'", "gameweeks"),
    ("UPDATE games SET week = week + 1", "gameweek:"),
    ("UPDATE games SET is_practice = true", "game:g1"),
    ("UPDATE game_states SET version = version + 1", "game:g1"),
    ("UPDATE game_states SET version = version + 1", "gameweek:"),
    ("DELETE FROM game_states", "gameweek:"),
    (
        "UPDATE live_gameweeks SET version = version + 1",
        "gameweek:",
    ),
    (
        "INSERT INTO notices (member_id, kind, key, title, body, path, created_at)"
        " SELECT id, 'league', 'k', '', '', '/', now() FROM members",
        "notices:",
    ),
    (
        "INSERT INTO feeds (competition, season, kind, preset, address, due_at)"
        " VALUES ('nfl', 2031, 'schedule', 'nflverse', '/srv', now())",
        "feeds",
    ),
]


@pytest.mark.parametrize(("written", "name"), WRITES)
def test_sql_of_any_kind_raises_the_stamp(
    ann: FlaskClient, written: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached: list[str] = []
    hold = TagStore.begin_write

    def noted(self: TagStore, names: list[str]) -> str:
        cached.extend(names)
        return hold(self, names)

    monkeypatch.setattr(TagStore, "begin_write", noted)
    with db.engine.connect() as connection:
        connection.execute(text(written))
        connection.commit()
    assert any(key.startswith(name) for key in cached), json.dumps(cached)


WITHOUT = [
    "UPDATE member_sessions SET used_at = now(), ends_at = ends_at + interval '1 hour'",
    "UPDATE members SET email = username || '@example.org'",
    "UPDATE league_members SET total_points = total_points + 1",
    "UPDATE games SET last_event_number = last_event_number + 1",
    "UPDATE gameweeks SET locked_at = now()",
]


@pytest.mark.parametrize("written", WITHOUT)
def test_what_decides_nothing_costs_its_writer_nothing(ann: FlaskClient, written: str) -> None:
    with redis_round_trips() as trips:
        db.session.execute(text(written))
        db.session.commit()
    assert trips == []


def test_an_entry_with_too_many_tags_is_not_stored(tag_store: TagStore) -> None:
    moment = tag_store.lookup(["page"], NOW)[0].moment
    tag_store.store("page", moment, Entry([f"member:{n}" for n in range(9_000)], b"answer"))
    assert tag_store.lookup(["page"], NOW)[0].body is None
