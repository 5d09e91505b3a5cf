"""A score's own JSON object.

Taken, bounded, given back with the record that stands, seen by moderators, erased.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from app.accounts.models import Member, Player
from app.boards.archive.services import archive_boards
from app.boards.models import BoardRecord
from app.core import clock
from app.core.blob_store import BlobStore
from app.core.db import db
from app.moderation import privacy
from app.scores import events
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt
from app.scores.review import corrections
from app.scores.review import queries as review
from app.scores.review.corrections import ScoreCorrection
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import Log, all_clean, flag_thirteens, score_event

BEST = {"car": "red", "laps": [31.5, {"best": True, "ghost": None}], "größe": 1}


@pytest.fixture
def taking(callers: Callers) -> Callers:
    """Whose mode takes metadata."""
    callers.mode.takes_metadata = True
    db.session.commit()
    return callers


def play(
    callers: Callers, *sent: tuple[UUID, int, dict[str, Any] | None], flagged: bool = False
) -> list[ScoreEvent]:
    log = Log()
    events = [
        score_event(callers.mode, who, score, clock.now(), metadata=carried)
        for who, score, carried in sent
    ]
    log.put(*events)
    log.consume(judge=flag_thirteens if flagged else all_clean)
    return events


def shown(callers: Callers, path: str = "") -> list[Any]:
    return [
        entry.get("metadata")
        for entry in got(callers.app.test_client(), callers.board + path)["entries"]
    ]


def test_the_best_scores_metadata_is_shown_and_not_the_last_ones(taking: Callers) -> None:
    me, rex = taking.player_id, taking.register("p-2", "Rex")
    play(taking, (me, 50, {"n": 1}), (me, 90, BEST), (me, 70, {"n": 3}), (rex, 60, None))
    assert shown(taking) == [BEST, None]
    assert shown(taking, "/band?low=80&high=100") == [BEST]
    client = taking.app.test_client()
    assert got(client, f"{taking.board}/players/{me}")["player"].get("metadata") == BEST
    listed = (
        client.post(f"{taking.board}/players", json={"player_ids": [str(me), str(rex)]}).json or {}
    )
    assert [entry.get("metadata") for entry in listed["entries"]] == [BEST, None]
    friends = got(
        taking.player, f"/v1/players/{me}/friends/leaderboards/all-time?game=dice&mode=ranked"
    )
    assert [entry.get("metadata") for entry in friends["entries"]] == [BEST]
    history = got(client, f"{taking.board}/players/{me}/history")["scores"]
    assert [played.get("metadata") for played in history] == [{"n": 3}, BEST, {"n": 1}]


def test_a_score_taken_back_takes_its_metadata_along_and_the_past_keeps_it(taking: Callers) -> None:
    me = taking.player_id
    _, best = play(taking, (me, 50, {"n": 1}), (me, 90, BEST))
    then = clock.now()
    done = corrections.roll_back(best.event_id, by=None, reason="a bot", now=clock.now())
    assert isinstance(done, ScoreCorrection)
    assert shown(taking) == [{"n": 1}]
    assert shown(taking, f"/at?at={then.strftime('%Y-%m-%dT%H:%M:%S.%fZ')}") == [BEST]


@pytest.mark.parametrize("source", ["postgresql", "archive"])
def test_every_store_gives_it_back(taking: Callers, source: str, tmp_path: Path) -> None:
    play(taking, (taking.player_id, 90, BEST), (taking.register("p-2", "Rex"), 60, None))
    record = db.session.scalars(
        select(BoardRecord).where(BoardRecord.window_id == "all-time")
    ).one()
    before = taking.app.extensions["blobs"]
    if source == "archive":
        record.expires_at = clock.now()
        db.session.commit()
        taking.app.extensions["blobs"] = BlobStore(str(tmp_path))
        assert archive_boards(BlobStore(str(tmp_path)), clock.now()).archived == 1
    else:
        record.stale_since = clock.now()
        db.session.commit()
    try:
        assert got(taking.app.test_client(), taking.board)["source"] == source
        assert shown(taking) == [BEST, None]
    finally:
        taking.app.extensions["blobs"] = before


def test_a_mode_that_takes_none_any_more_shows_none(taking: Callers) -> None:
    play(taking, (taking.player_id, 90, BEST))
    changed = taking.game_server.patch(taking.mode_path, json={"takes_metadata": False})
    assert (changed.json or {})["takes_metadata"] is False, changed.text
    assert shown(taking) == [None]
    history = got(taking.player, f"{taking.board}/players/{taking.player_id}/history")["scores"]
    assert [played.get("metadata") for played in history] == [None]


def send(callers: Callers, metadata: Any) -> Any:
    issued = callers.game_server.post(
        f"{callers.mode_path}/attempts", json={"player_id": str(callers.player_id)}
    )
    attempt = issued.json or {}
    body = {
        "attempt_id": attempt["attempt_id"],
        "attempt_token": attempt["attempt_token"],
        "raw_score": 5,
    }
    answer = callers.player.post(f"{callers.mode_path}/scores", json=body | {"metadata": metadata})
    assert answer.status_code == 400, answer.text
    return answer.json


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"text": "x" * 1014}, "metadata has 1,025 bytes as JSON. The limit is 1,024"),
        ({"a": {"b": {"c": {"d": {}}}}}, "nested more than 4 levels deep"),
        ({"n": 2**53}, "a number outside ±9007199254740991. Send it as text"),
        ({"n": 1e300}, "a number outside"),
    ],
)
def test_what_is_too_much_is_refused_in_words(
    taking: Callers, metadata: dict[str, Any], words: str
) -> None:
    (fault,) = send(taking, metadata)["errors"]
    assert (fault["field"], fault["code"]) == ("metadata", "bad_metadata")
    assert words in fault["detail"]


def test_a_mode_that_takes_none_says_how_it_would(callers: Callers) -> None:
    (fault,) = send(callers, {"a": 1})["errors"]
    assert fault["detail"].endswith("PATCH the mode with takes_metadata true.")


def test_the_largest_that_is_taken_is_stored_and_given_back_as_it_came(taking: Callers) -> None:
    for largest in (
        {"text": "x" * 1013},
        {"text": "\x01" * 168},
        {"text": "ß" * 506},
        {"n": [1e-300, -(2**53) + 1]},
    ):
        assert events.metadata_fault(largest) is None
        play(taking, (taking.player_id, 90, largest))
        (row,) = db.session.scalars(
            select(ScoreAttempt)
            .order_by(ScoreAttempt.ingested_at.desc(), ScoreAttempt.event_id)
            .limit(1)
        )
        assert row.score_metadata == largest
    assert events.metadata_fault({"a": {"b": {"c": {}}}}) is None


def test_moderators_see_it_where_they_decide(taking: Callers) -> None:
    (event,) = play(taking, (taking.player_id, 13, BEST), flagged=True)
    evidence = review.evidence(event.event_id)
    assert evidence is not None
    assert evidence.metadata == BEST
    listed = got(taking.game_server, "/v1/games/dice/held-scores")["scores"]
    assert [held_score.get("metadata") for held_score in listed] == [BEST]


def test_it_is_erased_with_the_member(taking: Callers) -> None:
    eve = Member(username="eve", display_name="Eve", password_hash="x")
    db.session.add(eve)
    db.session.flush()
    player = Player(display_name="Eve", member_id=eve.id)
    db.session.add(player)
    db.session.commit()
    member_id, player_id = eve.id, player.id
    play(taking, (player_id, 90, BEST))
    exported = privacy.export(member_id)["score_attempts"]
    assert [row["score_metadata"] for row in exported] == [BEST]
    assert isinstance(
        privacy.erase(member_id, by=member_id, reason="wish", now=clock.now()), Member
    )
    assert shown(taking) == [None]
    rows = select(ScoreAttempt.score_metadata).where(ScoreAttempt.player_id == player_id)
    assert db.session.scalars(rows).all() == [None]
