"""Games and modes are deleted for good.

Archived first, named twice, and taken away in steps that may be killed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import structlog
from sqlalchemy import func, select, text
from sqlalchemy.exc import DataError

from app.audit.models import AuditEntry
from app.boards.archive import services as archive
from app.boards.archive.services import archive_boards
from app.boards.catalogue import queries as catalogue
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.core import clock
from app.core.blob_store import BlobStore, BlobStoreError, blob_store
from app.core.db import db
from app.core.redis.clients import boards_redis
from app.scores.deletion import games as deletion
from app.scores.deletion.games import Deleted, delete_marked
from app.scores.feed import changes as feed
from app.scores.models import ScoreAttempt
from tests.killing import Killed
from tests.worlds.callers import Callers, got
from tests.worlds.score_log import Log, score_event

NOON = datetime(2026, 4, 5, 12, tzinfo=UTC)


@pytest.fixture
def played(callers: Callers, others: Callers) -> Callers:
    """Scores of two days, the first of which is archived.

    And another integrator's of the same names.
    """
    for side in (callers, others):
        log = Log()
        log.put(
            *(
                score_event(side.mode, side.player_id, 50 + n, NOON - timedelta(days=n))
                for n in range(2)
            )
        )
        log.consume()
    archive_boards(blob_store(), NOON + timedelta(days=7, hours=1))
    return callers


def post(callers: Callers, path: str, slug: str, status: int = 202) -> Any:
    answer = callers.game_server.post(f"{path}/deletion", json={"slug": slug})
    assert answer.status_code == status, answer.text
    return answer.json


def archived(callers: Callers, path: str) -> None:
    answer = callers.game_server.patch(path, json={"archived": True})
    assert answer.status_code == 200, answer.text


def left_of(mode_id: UUID, game: str, mode: str) -> dict[str, int]:
    """What any store holds of the mode."""
    tables = ("boards", "score_attempts", "anticheat_limits", "competitions")
    rows = {
        table: db.session.scalar(
            text(f"SELECT count(*) FROM {table} WHERE mode_id = :mode"), {"mode": mode_id}
        )
        for table in tables
    }
    rows["keys"] = len(boards_redis().keys(f"lb:{{{game}:{mode}:*"))
    rows["objects"] = len(blob_store().names(f"{archive.FOLDER}/game={game}/mode={mode}"))
    return {name: number or 0 for name, number in rows.items()}


def test_it_is_archived_first_and_named_twice(callers: Callers, others: Callers) -> None:
    path = callers.mode_path
    assert post(callers, path, "ranked", 409)["errors"][0]["code"] == "not_archived"
    assert post(callers, "/v1/games/dice", "dice", 409)["errors"][0]["code"] == "not_archived"
    archived(callers, path)
    (refused,) = post(callers, path, "rankd", 400)["errors"]
    assert (refused["field"], refused["code"]) == ("slug", "not_repeated")
    assert post(callers, path, "No Slug", 400)["errors"][0]["field"] == "slug"
    post(others, path, "ranked", 404)
    post(others, "/v1/games/dice", "dice", 404)
    assert delete_marked(blob_store(), clock.now()) == Deleted(0, 0)
    assert got(callers.app.test_client(), callers.board)["entries"] == []


def test_all_of_a_mode_is_gone_and_nothing_of_others_and_its_slug_is_free(
    played: Callers, others: Callers
) -> None:
    mode_id, path, client = played.mode.id, played.mode_path, played.app.test_client()
    before = left_of(mode_id, "dice", "ranked")
    assert before["objects"] == 2
    assert before["keys"] > 0
    token = feed.read(played.integrator.id, None).token
    archived(played, path)
    assert post(played, path, "ranked") == post(played, path, "ranked")
    for reading in (played.board, f"{path}/windows", f"{path}/leaderboards/daily:2026-04-04"):
        assert "is being deleted (since" in got(client, reading, 404)["detail"]
    assert client.get("/boards/dice/ranked").status_code == 404
    assert got(client, "/v1/games/dice/modes")["modes"] == []
    answer = played.game_server.post(
        "/v1/games/dice/modes", json={"slug": "ranked", "title": "Again"}
    )
    assert answer.status_code == 409, "its slug is taken until it is gone"
    assert delete_marked(blob_store(), clock.now()) == Deleted(0, 1)
    assert set(left_of(mode_id, "dice", "ranked").values()) == {0}
    assert delete_marked(blob_store(), clock.now()) == Deleted(0, 0)
    assert "has no mode 'ranked'" in got(client, played.board, 404)["detail"]
    post(played, path, "ranked", 404)
    page = feed.read(played.integrator.id, token)
    assert [
        (change.event, change.game, change.mode, change.player_id) for change in page.changes
    ] == [("mode.deleted", "dice", "ranked", None)]
    assert [row["score"] for row in got(client, others.board)["entries"]] == [51]
    yesterday = got(client, f"{others.mode_path}/leaderboards/daily:2026-04-04")
    assert ([row["score"] for row in yesterday["entries"]], yesterday["source"]) == (
        [51],
        "archive",
    )
    again = played.game_server.post(
        "/v1/games/dice/modes", json={"slug": "ranked", "title": "Again"}
    )
    assert again.status_code == 201
    assert got(client, played.board)["entries"] == []


def test_a_game_goes_with_all_its_modes_and_the_audit_and_the_feed_say_so(played: Callers) -> None:
    game_id = played.game.id
    created = played.game_server.post(
        "/v1/games/dice/modes", json={"slug": "second", "title": "Second"}
    )
    assert created.status_code == 201
    token = feed.read(played.integrator.id, None).token
    archived(played, "/v1/games/dice")
    post(played, "/v1/games/dice", "dice")
    assert (
        "is being deleted (since"
        in got(played.app.test_client(), "/v1/games/dice/modes", 404)["detail"]
    )
    assert got(played.game_server, "/v1/games")["games"] == []
    assert delete_marked(blob_store(), clock.now()) == Deleted(1, 2)
    assert db.session.get(ScoreGame, game_id, populate_existing=True) is None
    changes = got(played.game_server, f"/v1/feed?since={token}")["changes"]
    events = [
        (change["event"], change["game"], change["mode"], change["player_id"]) for change in changes
    ]
    assert sorted(events[:-1]) == [
        ("mode.deleted", "dice", "ranked", None),
        ("mode.deleted", "dice", "second", None),
    ]
    assert events[-1] == ("game.deleted", "dice", "", None)
    query = select(AuditEntry).where(
        AuditEntry.act.like("%.deleted") | AuditEntry.act.like("%.gone")
    )
    acts = [
        (row.act, row.actor_id, row.subject)
        for row in db.session.scalars(query.order_by(AuditEntry.id))
    ]
    assert acts[0] == ("game.deleted", played.owner.id, "game:dice")
    assert sorted(acts[1:]) == [
        ("game.gone", None, "game:dice"),
        ("mode.gone", None, "mode:dice:ranked"),
        ("mode.gone", None, "mode:dice:second"),
    ]
    again = played.game_server.post("/v1/games", json={"slug": "dice", "title": "Dice"})
    assert again.status_code == 201


def dies_after(real: Callable[..., Any], after: int) -> Callable[..., Any]:
    calls = iter(range(10_000))

    def call(*args: Any, **kwargs: Any) -> Any:
        if next(calls) >= after:
            raise Killed
        return real(*args, **kwargs)

    return call


@pytest.mark.parametrize(
    ("owner", "name", "after"),
    [
        (deletion, "_delete_rows", 0),
        (deletion, "_delete_rows", 3),
        (deletion, "drop_all", 0),
        (deletion, "drop_all", 1),
        (BlobStore, "delete", 0),
        (BlobStore, "delete", 1),
        (deletion.feed, "tell", 0),
        (deletion.audit, "record", 0),
    ],
)
def test_a_killed_run_is_gone_on_with(
    played: Callers, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, after: int
) -> None:
    mode_id = played.mode.id
    archived(played, played.mode_path)
    post(played, played.mode_path, "ranked")
    token = feed.read(played.integrator.id, None).token
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, dies_after(getattr(owner, name), after))
        with pytest.raises(Killed):
            delete_marked(blob_store(), clock.now())
        db.session.rollback()
    assert "is being deleted (since" in got(played.app.test_client(), played.board, 404)["detail"]
    assert delete_marked(blob_store(), clock.now()) == Deleted(0, 1)
    assert set(left_of(mode_id, "dice", "ranked").values()) == {0}
    assert [change.event for change in feed.read(played.integrator.id, token).changes] == [
        "mode.deleted"
    ]


def test_a_score_that_is_on_its_way_counts_no_more(played: Callers) -> None:
    archived(played, played.mode_path)
    post(played, played.mode_path, "ranked")
    log = Log()
    log.put(score_event(played.mode, played.player_id, 99))
    assert [batch.dead for batch in log.consume()] == [1]
    delete_marked(blob_store(), clock.now())
    log.rewind()
    assert [batch.dead for batch in log.consume()] == [1]
    assert db.session.scalar(select(func.count()).select_from(ScoreAttempt)) == 2  # the others'


def test_it_is_not_taken_back_and_nothing_touches_what_is_marked(played: Callers) -> None:
    archived(played, played.mode_path)
    post(played, played.mode_path, "ranked")
    answer = played.game_server.patch(played.mode_path, json={"archived": False})
    assert answer.status_code == 404
    marked = db.session.get_one(Mode, played.mode.id, populate_existing=True)
    rows = db.session.scalar(select(func.count()).where(BoardRecord.mode_id == marked.id))
    archive_boards(blob_store(), NOON + timedelta(days=900))  # the archive leaves it alone
    assert db.session.scalar(select(func.count()).where(BoardRecord.mode_id == marked.id)) == rows
    assert catalogue.find_mode(catalogue.game_of(marked), "ranked") is None


def test_the_next_run_goes_on_when_the_blob_store_is_back(
    played: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    archived(played, played.mode_path)
    post(played, played.mode_path, "ranked")

    def away(store: BlobStore, name: str) -> None:
        raise BlobStoreError(name)

    with monkeypatch.context() as patch:
        patch.setattr(BlobStore, "delete", away)
        with pytest.raises(BlobStoreError):
            delete_marked(blob_store(), clock.now())
    db.session.rollback()
    assert delete_marked(blob_store(), clock.now()) == Deleted(0, 1)
    assert left_of(played.mode.id, "dice", "ranked")["objects"] == 0


def test_one_mode_that_fails_stops_no_other_and_is_told_at_the_end(
    played: Callers, others: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of one integrator's mode is nobody else's.

    The others are deleted in the same run.
    """
    for side in (played, others):
        archived(side, side.mode_path)
        post(side, side.mode_path, side.mode.slug)
    bad, good = sorted((played.mode.id, others.mode.id))
    take_away = deletion._take_away

    def fails_for_one(mode_id: UUID, store: BlobStore) -> None:
        if mode_id == bad:
            db.session.execute(text("SELECT 1/0"))
        take_away(mode_id, store)

    with monkeypatch.context() as patch:
        patch.setattr(deletion, "_take_away", fails_for_one)
        with structlog.testing.capture_logs() as logs, pytest.raises(DataError) as raised:
            delete_marked(blob_store(), clock.now())
    assert raised.value.__notes__ == ["not_deleted: 1 in all"]
    assert [(line["event"], line["name"]) for line in logs if line["log_level"] == "error"] == [
        ("not_deleted", f"mode {bad}")
    ]
    assert set(db.session.scalars(select(Mode.id).where(Mode.id.in_([bad, good])))) == {bad}
    assert delete_marked(blob_store(), clock.now()) == Deleted(0, 1)
