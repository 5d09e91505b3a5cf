"""Competitions over the API: declared, published, played and read.

Each integrator touches its own alone.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask

from app.accounts import players, tokens
from app.accounts.models import Member
from app.audit.models import AuditEntry
from app.competitions import settlement
from app.core import clock
from app.core.db import db
from app.moderation import privacy
from app.scores.events import event_id
from app.scores.models import ScoreAttempt
from tests.worlds.callers import Callers, got

START = datetime(2031, 3, 3, 12, 0, tzinfo=UTC)
DECLARED: dict[str, Any] = {
    "schedule": {"starts_at": "2031-03-03T12:00:00Z", "length": 1, "unit": "hours", "windows": 2},
    "attempts": 2,
    "cohort_size": 10,
    "tiers": [{"title": "Bronze", "promote": 1}, {"title": "Gold", "relegate": 1}],
    "rewards": [{"to_rank": 1, "grants": [{"reward": "coins", "amount": 50}]}],
}


class Clock:
    """What the server's clock says."""

    def __init__(self) -> None:
        self.now = START - timedelta(hours=1)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fixed = Clock()
    monkeypatch.setattr(clock, "now", lambda: fixed.now)
    return fixed


@pytest.fixture
def path(callers: Callers) -> str:
    return f"{callers.mode_path}/competitions"


def declare(callers: Callers, path: str, **changes: Any) -> None:
    body = {"slug": "cup", "title": "Cup", "declaration": DECLARED | changes}
    answer = callers.game_server.post(path, json=body)
    assert answer.status_code == 201, answer.text


def publish(callers: Callers, path: str, **changes: Any) -> None:
    declare(callers, path, **changes)
    answer = callers.game_server.post(f"{path}/cup/publish")
    assert answer.status_code == 200, answer.text


def counted(callers: Callers, player: UUID, attempt: UUID, score: int, at: datetime) -> None:
    """As the consumer writes it."""
    values = {"event_id": event_id(player, attempt), "attempt_id": attempt, "player_id": player}
    db.session.add(ScoreAttempt(**values, mode_id=callers.mode.id, score=score, achieved_at=at))
    db.session.commit()


def test_from_a_draft_to_rewards_and_back_again(callers: Callers, at: Clock, path: str) -> None:
    publish(callers, path)
    whole = got(callers.app.test_client(), f"{path}/cup")
    assert (whole["state"], [window["number"] for window in whole["windows"]]) == ("live", [1, 2])
    assert whole["declaration"]["rewards"][0]["grants"] == [{"reward": "coins", "amount": 50}]
    me = callers.player_id
    joined = callers.player.put(f"{path}/cup/players/{me}")
    assert joined.status_code == 200, joined.text
    assert joined.json is not None
    assert {key: joined.json[key] for key in ("window", "tier", "cohort", "attempts")} == {
        "window": 1,
        "tier": 1,
        "cohort": 1,
        "attempts": 0,
    }
    at.now = START + timedelta(minutes=10)
    attempt = uuid4()
    body = {"player_id": str(me), "attempt_id": str(attempt)}
    taken = callers.game_server.post(f"{path}/cup/attempts", json=body)
    assert taken.status_code == 201, taken.text
    assert taken.json is not None
    assert (taken.json["number"], taken.json["attempts_left"]) == (1, 1)
    assert taken.json["expires_at"] == "2031-03-03T13:00:00Z"  # with the window
    counted(callers, me, attempt, 700, at.now)
    table = got(callers.app.test_client(), f"{path}/cup/windows/1/players/{me}")
    (row,) = table["entries"]
    assert {key: row[key] for key in ("rank", "score", "outcome", "next_tier", "rewards")} == {
        "rank": 1,
        "score": 700,
        "outcome": "promoted",
        "next_tier": 2,
        "rewards": {"coins": 50},
    }
    assert table["tiers"] == [{"tier": 1, "players": 1, "cohorts": 1}]
    at.now = START + timedelta(hours=1, minutes=5)
    settlement.settle_due(at.now)
    ledger = got(callers.game_server, f"{path}/cup/rewards?player_id={me}")
    assert [
        (line["window"], line["reward"], line["amount"], line["rank"]) for line in ledger["lines"]
    ] == [(1, "coins", 50, 1)]
    assert ledger["held"] == {"coins": 50}
    (change,) = got(callers.game_server, "/v1/feed")["changes"]
    assert (change["event"], change["window"], change["raw_score"]) == (
        "reward.granted",
        "competition:cup:1",
        None,
    )
    assert change["reward"] == {
        "competition": "cup",
        "window": 1,
        "settlement": 1,
        "reward": "coins",
        "amount": 50,
        "tier": 1,
        "rank": 1,
    }
    (second,) = got(callers.app.test_client(), f"{path}/cup/windows/2?tier=2")["entries"]
    assert second["player_id"] == str(me)


def test_what_a_member_did_in_competitions_is_in_their_export(
    callers: Callers, at: Clock, path: str, member: Callable[..., Member]
) -> None:
    publish(callers, path)
    ann = member("ann")
    player = players.player_of(ann).id
    db.session.commit()
    answer = callers.game_server.put(f"{path}/cup/players/{player}")
    assert answer.status_code == 200, answer.text
    (entry,) = privacy.export(ann.id)["competition_entries"]
    assert entry["player_id"] == str(player)


def test_the_attempt_after_the_last_is_refused(callers: Callers, at: Clock, path: str) -> None:
    publish(callers, path)
    callers.player.put(f"{path}/cup/players/{callers.player_id}")
    at.now = START + timedelta(minutes=10)
    body = {"player_id": str(callers.player_id)}
    codes = [
        callers.game_server.post(f"{path}/cup/attempts", json=body).status_code for _ in range(3)
    ]
    assert codes == [201, 201, 409]
    answer = callers.game_server.post(f"{path}/cup/attempts", json=body)
    assert answer.json is not None
    assert answer.json["errors"][0]["code"] == "no_attempts"
    assert "All 2 attempts" in answer.json["detail"]


def test_a_fault_names_its_field_in_the_declaration(callers: Callers, path: str) -> None:
    tiers = [{"title": "Bronze", "promote": 1}]
    body = {"slug": "cup", "title": "Cup", "declaration": DECLARED | {"tiers": tiers}}
    answer = callers.game_server.post(path, json=body)
    assert answer.status_code == 400
    assert answer.json is not None
    (fault,) = answer.json["errors"]
    assert fault["field"] == "declaration.tiers[0].promote"
    assert "leave it out" in fault["detail"]


def test_a_slug_is_taken_once(callers: Callers, path: str) -> None:
    declare(callers, path)
    body = {"slug": "cup", "title": "Cup", "declaration": DECLARED}
    assert callers.game_server.post(path, json=body).status_code == 409


def test_a_first_window_of_the_past_is_not_published(
    callers: Callers, at: Clock, path: str
) -> None:
    declare(callers, path)
    at.now = START + timedelta(minutes=1)
    answer = callers.game_server.post(f"{path}/cup/publish")
    assert answer.status_code == 400
    assert answer.json is not None
    assert answer.json["errors"][0]["field"] == "declaration.schedule.starts_at"


def test_drafts_are_their_integrators_alone(callers: Callers, others: Callers, path: str) -> None:
    declare(callers, path)
    for client in (callers.app.test_client(), callers.player, others.game_server):
        assert got(client, path)["competitions"] == []
        got(client, f"{path}/cup", 404)
    assert [
        competition["state"] for competition in got(callers.game_server, path)["competitions"]
    ] == ["draft"]
    got(callers.app.test_client(), f"{path}/cup/windows/1", 404)


def test_nobody_touches_another_integrators_competition(
    callers: Callers, others: Callers, at: Clock, path: str
) -> None:
    publish(callers, path)
    server, me = others.game_server, callers.player_id
    answers = [
        server.post(path, json={"slug": "mine", "title": "Mine", "declaration": DECLARED}),
        server.patch(f"{path}/cup", json={"title": "Mine"}),
        server.post(f"{path}/cup/publish"),
        server.post(f"{path}/cup/end"),
        server.delete(f"{path}/cup"),
        server.get(f"{path}/cup/preview"),
        server.put(f"{path}/cup/invitations", json={"player_ids": [str(me)]}),
        server.put(f"{path}/cup/players/{me}"),
        server.post(f"{path}/cup/attempts", json={"player_id": str(me)}),
        server.get(f"{path}/cup/rewards"),
        callers.game_server.put(f"{path}/cup/players/{others.player_id}"),
        callers.game_server.put(
            f"{path}/cup/invitations", json={"player_ids": [str(others.player_id)]}
        ),
    ]
    assert {answer.status_code for answer in answers} == {404}
    strange = others.player.put(f"{path}/cup/players/{others.player_id}")
    assert strange.status_code == 403


def test_a_players_token_is_good_for_themselves(
    callers: Callers, app: Flask, at: Clock, path: str
) -> None:
    publish(callers, path)
    other_id = callers.register("p-9", "Rex")
    assert callers.player.put(f"{path}/cup/players/{other_id}").status_code == 403
    assert callers.player.get(f"{path}/cup/rewards?player_id={other_id}").status_code == 403
    rex = callers.signed(tokens.issue(other_id, clock.now()).access)
    assert got(rex, f"{path}/cup/rewards") == {"lines": [], "held": {}, "more": False}


def test_what_is_live_changes_only_in_what_is_safe(callers: Callers, at: Clock, path: str) -> None:
    publish(callers, path)
    longer = DECLARED | {"schedule": DECLARED["schedule"] | {"windows": 4}}
    answer = callers.game_server.patch(
        f"{path}/cup", json={"title": "Great Cup", "declaration": longer}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json is not None
    assert (answer.json["title"], len(answer.json["windows"])) == ("Great Cup", 4)
    refused = callers.game_server.patch(
        f"{path}/cup", json={"declaration": DECLARED | {"attempts": 5}}
    )
    assert refused.status_code == 409
    assert refused.json is not None
    assert refused.json["errors"][0]["field"] == "declaration.attempts"
    at.now = START + timedelta(hours=2, minutes=1)
    shorter = callers.game_server.patch(f"{path}/cup", json={"declaration": DECLARED})
    assert shorter.status_code == 409  # the third window has begun
    assert callers.game_server.delete(f"{path}/cup").status_code == 409
    ended = callers.game_server.post(f"{path}/cup/end")
    assert ended.json is not None
    assert [window["number"] for window in ended.json["windows"]] == [1, 2, 3]
    acts = [
        (entry.act, sorted(entry.details))
        for entry in db.session.query(AuditEntry).order_by(AuditEntry.id)
        if entry.act == "competition.changed"
    ]
    assert acts == [
        ("competition.changed", ["made"]),
        ("competition.changed", ["live"]),
        ("competition.changed", ["declaration", "title"]),
        ("competition.changed", ["ended_before_window"]),
    ]


def test_a_draft_is_deleted(callers: Callers, path: str) -> None:
    declare(callers, path)
    assert callers.game_server.post(f"{path}/cup/end").status_code == 409
    assert callers.game_server.delete(f"{path}/cup").status_code == 204
    got(callers.game_server, f"{path}/cup", 404)


def test_a_private_modes_competitions_are_its_own_players(
    callers: Callers, others: Callers, at: Clock, path: str
) -> None:
    publish(callers, path)
    callers.mode.private = True
    db.session.commit()
    got(callers.app.test_client(), f"{path}/cup", 401)
    got(others.game_server, f"{path}/cup", 403)
    got(others.game_server, f"{path}/cup/windows/1", 403)
    for client in (callers.player, callers.game_server):
        assert got(client, f"{path}/cup")["slug"] == "cup"
        assert got(client, f"{path}/cup/windows/1")["entries"] == []


def test_a_preview_says_what_it_would_come_to(callers: Callers, at: Clock, path: str) -> None:
    declare(callers, path)
    at.now = START + timedelta(hours=1)
    counted(callers, callers.player_id, uuid4(), 700, START + timedelta(minutes=5))
    earlier, last = got(callers.game_server, f"{path}/cup/preview?windows=2")["windows"]
    assert (earlier["players"], last["players"], last["starts_at"]) == (
        0,
        1,
        "2031-03-03T12:00:00Z",
    )
    assert last["tiers"][0] == {
        "tier": 1,
        "title": "Bronze",
        "players": 1,
        "cohorts": 1,
        "promoted": 1,
        "relegated": 0,
        "absent": 0,
    }
    assert last["bands"] == [{"band": 0, "name": "rank 1", "players": 1, "amounts": {"coins": 50}}]
    assert [move["player_id"] for move in last["moves"]] == [str(callers.player_id)]
