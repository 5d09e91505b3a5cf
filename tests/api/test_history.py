"""Boards and scores as they were, over the API: the figures, and who is shown what."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from app.accounts import players
from app.core import clock
from app.core.db import db
from app.core.http.rate_limits import limiter
from app.scores.anticheat.submission import CLEAN, FLAGGED, REJECTED, Verdict
from app.scores.models import ScoreAttempt
from tests.worlds.callers import Callers, new_key
from tests.worlds.score_log import Log, score_event
from tests.worlds.score_months import IN_JANUARY, archive, score_months


def play(callers: Callers, player: UUID, score: int, at: datetime, state: str = CLEAN) -> str:
    """A score that came in at that moment; its attempt."""
    event = score_event(callers.mode, player, score, at)
    log = Log()
    log.put(event)
    log.consume(judge=lambda scores, _: [Verdict(state)] * len(scores))
    db.session.execute(
        update(ScoreAttempt).where(ScoreAttempt.event_id == event.event_id).values(ingested_at=at)
    )
    db.session.commit()
    return str(event.attempt_id)


@pytest.fixture
def begun() -> datetime:
    return clock.now() - timedelta(minutes=30)


@pytest.fixture
def rex(callers: Callers) -> UUID:
    return callers.register("p-2", "Rex")


def test_a_board_is_read_as_of_a_moment_and_pages(
    callers: Callers, rex: UUID, begun: datetime
) -> None:
    play(callers, callers.player_id, 50, begun)
    play(callers, rex, 80, begun + timedelta(minutes=10))
    client = callers.app.test_client()

    def at(minutes: int, **more: int) -> dict[str, object]:
        moment = (begun + timedelta(minutes=minutes)).isoformat()
        body = client.get(f"{callers.board}/at?{urlencode({'at': moment, **more})}").json
        assert body
        assert datetime.fromisoformat(body["as_of"]) == begun + timedelta(minutes=minutes)
        return {
            "rows": [(row["rank"], row["display_name"], row["score"]) for row in body["entries"]],
            "count": body["total_ranked"],
        }

    assert at(-1) == {"rows": [], "count": 0}
    assert at(5) == {"rows": [(1, "Nova", 50)], "count": 1}
    assert at(15) == {"rows": [(1, "Rex", 80), (2, "Nova", 50)], "count": 2}
    assert at(15, offset=1, limit=1) == {"rows": [(2, "Nova", 50)], "count": 2}


def test_movement_is_counted_from_then_to_now(callers: Callers, rex: UUID, begun: datetime) -> None:
    play(callers, callers.player_id, 50, begun)
    play(callers, rex, 80, begun + timedelta(minutes=10))
    since = urlencode({"since": (begun + timedelta(minutes=5)).isoformat()})
    body = callers.app.test_client().get(f"{callers.board}/movement?{since}").json
    assert body
    moved = [
        (
            player["display_name"],
            player["rank_before"],
            player["rank_after"],
            player["score_before"],
            player["score_after"],
        )
        for player in body["players"]
    ]
    assert moved == [("Rex", None, 1, None, 80), ("Nova", 1, 2, 50, 50)]
    until = urlencode({"until": (begun + timedelta(minutes=6)).isoformat()})
    still = callers.app.test_client().get(f"{callers.board}/movement?{since}&{until}&limit=1").json
    assert still
    assert [(player["rank_before"], player["rank_after"]) for player in still["players"]] == [
        (1, 1)
    ]


def test_what_does_not_count_is_shown_to_the_player_and_the_integrator_alone(
    callers: Callers, others: Callers, begun: datetime
) -> None:
    """A stranger's page has no gaps: it leaves out what they may not see."""
    played = [(50, CLEAN), (90, FLAGGED), (95, REJECTED), (60, CLEAN)]
    attempts = [
        play(callers, callers.player_id, score, begun + timedelta(minutes=number), state)
        for number, (score, state) in enumerate(played)
    ]
    path = f"{callers.board}/players/{callers.player_id}/history"

    def seen(client: FlaskClient, query: str = "") -> list[tuple[float, str, float, str | None]]:
        answer = client.get(f"{path}?{query}")
        assert answer.status_code == 200
        assert answer.json
        assert answer.json["display_name"] == "Nova"
        return [
            (score["score"], score["state"], score["held_after"], score["attempt_id"])
            for score in answer.json["scores"]
        ]

    whole = [
        (60, "counted", 60, attempts[3]),
        (95, "rejected", 50, attempts[2]),
        (90, "flagged", 50, attempts[1]),
        (50, "counted", 50, attempts[0]),
    ]
    public = [(60, "counted", 60, None), (50, "counted", 50, None)]
    assert seen(callers.player) == whole
    assert seen(callers.game_server) == whole
    assert seen(callers.player, "offset=1&limit=2") == whole[1:3]
    for stranger in (callers.app.test_client(), others.player, others.game_server):
        assert seen(stranger) == public
    assert seen(callers.app.test_client(), "offset=1&limit=1") == public[1:]


def test_a_member_sees_all_of_their_own_by_their_session(
    callers: Callers, sign_in: Callable[..., FlaskClient], begun: datetime
) -> None:
    mine = players.player_of(callers.owner).id
    play(callers, mine, 90, begun, FLAGGED)
    path = f"{callers.board}/players/{mine}/history"
    answer = sign_in("operator", "owner").get(path).json
    assert answer
    assert [score["state"] for score in answer["scores"]] == ["flagged"]
    other = sign_in("member", "bob").get(path).json
    assert other
    assert other["scores"] == []


def test_a_wrong_signature_is_refused_though_none_is_needed(callers: Callers) -> None:
    path = f"{callers.board}/players/{callers.player_id}/history"
    assert callers.signed("nonsense").get(path).status_code == 401
    lesser = callers.signed(new_key(callers.integrator, callers.owner, "attempts:issue"))
    assert lesser.get(path).status_code == 403


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("at?", "at", "missing"),
        ("at?at=yesterday", "at", "RFC 3339"),
        ("at?at=2026-02-30T00:00:00Z", "at", "Check the day and hour"),
        ("at?at=2026-04-05T20:00:00+02:00", "at", "%2B"),  # the plus has become a space
        ("at?at=9999-01-01T00:00:00Z", "at", "in the future"),
        ("at?at=0001-01-01T00:00:00%2B14:00", "at", "before 1970"),
        (
            "movement?since=2026-02-02T00:00:00Z&until=2026-02-01T00:00:00Z",
            "since",
            "Swap the two",
        ),
        (
            "movement?since=2026-02-02T00:00:00Z&until=9999-01-01T00:00:00Z",
            "until",
            "in the future",
        ),
    ],
)
def test_a_wrong_moment_is_refused_at_its_field(
    callers: Callers, query: str, field: str, words: str
) -> None:
    answer = callers.app.test_client().get(f"{callers.board}/{query}")
    assert answer.status_code == 400
    assert answer.json
    (fault,) = answer.json["errors"]
    assert fault["field"] == field
    assert words in fault["detail"]


def test_what_there_is_not_is_not_found(callers: Callers) -> None:
    client, at = callers.app.test_client(), "at=2026-04-05T20:00:00Z"
    nobody = UUID(int=1)
    for path in (
        f"{callers.mode_path}/leaderboards/weekly:2026-W14/at?{at}",
        f"{callers.mode_path}x/leaderboards/all-time/at?{at}",
        f"{callers.board}/players/{nobody}/history",
    ):
        assert client.get(path).status_code == 404


def test_a_past_that_is_archived_is_refused_with_the_way_to_it(
    callers: Callers, tmp_path: Path
) -> None:
    play(callers, callers.player_id, 50, IN_JANUARY)
    client = callers.app.test_client()
    path = f"{callers.board}/at?{urlencode({'at': (IN_JANUARY + timedelta(days=1)).isoformat()})}"
    assert [row["score"] for row in client.get(path).json["entries"]] == [50]  # type: ignore[index]
    with score_months(tmp_path) as store:
        archive(store)
        answer = client.get(path)
        assert answer.status_code == 409
        assert "pressbox scores restore 2026-01" in answer.text
        own_history = f"{callers.board}/players/{callers.player_id}/history"
        (played,) = client.get(own_history).json["scores"]  # type: ignore[index]
        assert (played["score"], played["state"]) == (50, "counted")


def test_an_address_gets_few_of_the_dear_reads(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limiter, "enabled", True)
    client = callers.app.test_client()
    path = f"{callers.board}/at?at=2026-04-05T20:00:00Z"
    answers = [client.get(path) for _ in range(45)]  # two minutes may share them
    assert answers[0].status_code == 200
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["Retry-After"]
