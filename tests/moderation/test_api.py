"""Integrators moderate their own games over the API.

The same acts as on the pages, in the owner's name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update

from app.accounts import api_keys
from app.accounts.models import Integrator, Member
from app.accounts.players import player_of
from app.audit.models import AuditEntry
from app.audit.verification import verify
from app.boards import services
from app.boards.models import Mode, ScoreGame
from app.core import clock
from app.core.db import db
from app.moderation import rollback, sanctions
from app.moderation.selection import Selection
from app.scores.events import ScoreEvent
from app.scores.models import AnticheatLimits, ScoreAttempt

TwoGames = tuple[Mode, ScoreEvent, Mode, ScoreEvent]
Call = Callable[..., dict[str, Any]]


def shown(mode: Mode) -> list[str]:
    db.session.rollback()
    game = db.session.get_one(ScoreGame, mode.game_id)
    return [row.member for row in services.read(game, mode, "all-time").top(9).rows]


def acts() -> list[tuple[str, int | None, str]]:
    db.session.rollback()
    rows = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id))
    return [(row.act, row.actor_id, row.reason) for row in rows if row.act != "key.made"]


@pytest.fixture
def owner(two_games: TwoGames) -> Member:
    return db.session.get_one(Member, db.session.scalars(select(Integrator)).one().owner_id)


@pytest.fixture
def call(two_games: TwoGames, owner: Member, client: FlaskClient) -> Call:
    """Calls below /v1/games with a key that may moderate.

    `call("post", "own-game/rollbacks", 201, digest=...)`.
    """
    key = api_keys.create_key(
        db.session.scalars(select(Integrator)).one(), "server", ["scores:moderate"], owner
    )
    assert isinstance(key, api_keys.NewKey)
    signed = {"Authorization": f"Bearer {key.secret}"}

    def send(method: str, path: str, status: int, **body: object) -> dict[str, Any]:
        answer = client.open(f"/v1/games/{path}", method=method, json=body or None, headers=signed)
        assert answer.status_code == status, answer.text
        return answer.json or {}

    return send


@pytest.fixture
def bob(two_games: TwoGames) -> str:
    """Who stands on both boards with a clean score."""
    query = select(ScoreAttempt.player_id).where(
        ScoreAttempt.mode_id == two_games[0].id, ScoreAttempt.score == 7
    )
    return str(db.session.scalars(query).one())


def test_scores_are_taken_back_as_previewed_and_counted_again(
    two_games: TwoGames, owner: Member, call: Call, bob: str
) -> None:
    mode = two_games[0]
    preview = call("post", "own-game/rollbacks/preview", 200, player_id=bob)
    assert (preview["attempts"], preview["players"], preview["moved"]) == (1, 1, 1)
    (board,) = preview["boards"]
    assert (board["board"], board["moves"][0]["player_id"]) == ("own-game:solo:all-time", bob)
    assert shown(mode) == [bob], "a preview changes nothing"
    sent = {"player_id": bob, "reason": "a bot"}
    refused = call("post", "own-game/rollbacks", 409, **sent, digest="0" * 64)
    assert refused["errors"][0]["code"] == "changed_meanwhile"
    rollback = call("post", "own-game/rollbacks", 201, **sent, digest=preview["digest"])
    assert shown(mode) == []
    assert call("get", "own-game/rollbacks", 200)["rollbacks"] == [rollback]
    undone = call(
        "post", f"own-game/rollbacks/{rollback['rollback_id']}/undo", 200, reason="was none"
    )
    assert undone["undone_at"] is not None
    assert shown(mode) == [bob]
    call("post", f"own-game/rollbacks/{rollback['rollback_id']}/undo", 409, reason="again")
    assert acts() == [
        ("scores.rolled_back", owner.id, "a bot"),
        ("scores.rollback_undone", owner.id, "was none"),
    ]
    assert verify().faults == []


def test_a_selection_that_cannot_be_names_its_field(call: Call, bob: str) -> None:
    assert (
        call("post", "own-game/rollbacks/preview", 400, mode="solo")["errors"][0]["field"]
        == "player_id"
    )
    answer = call(
        "post", "own-game/rollbacks/preview", 400, player_id=bob, since="2026-02-31T00:00:00Z"
    )
    assert answer["errors"][0]["field"] == "since"
    nobody = {"player_id": str(UUID(int=5))}
    digest = call("post", "own-game/rollbacks/preview", 200, **nobody)["digest"]
    assert (
        call("post", "own-game/rollbacks", 409, **nobody, digest=digest, reason="x")["errors"][0][
            "code"
        ]
        == "nothing"
    )


def test_held_scores_are_listed_and_decided(
    two_games: TwoGames, owner: Member, call: Call, bob: str
) -> None:
    mode, flagged, _, _ = two_games
    listed = call("get", "own-game/held-scores?mode=solo", 200)
    (score,) = listed["scores"]
    assert (listed["total"], score["event_id"], score["raw_score"]) == (
        1,
        str(flagged.event_id),
        13,
    )
    path = f"own-game/held-scores/{flagged.event_id}/decision"
    for decision, state, board in (
        ("accept", "clean", [score["player_id"], bob]),
        ("quarantine", "flagged", [bob]),
        ("reject", "rejected", [bob]),
        ("restore", "clean", [score["player_id"], bob]),
    ):
        assert call("post", path, 200, decision=decision, reason="looked")["state"] == state
        assert shown(mode) == board
    assert (
        call("post", path, 409, decision="accept", reason="again")["errors"][0]["code"]
        == "not_flagged"
    )
    assert {actor for _, actor, _ in acts()} == {owner.id}
    assert len(acts()) == 4


def test_other_games_are_not_there(two_games: TwoGames, call: Call, bob: str) -> None:
    _, mine, other_mode, other = two_games
    other_player = db.session.scalars(
        select(ScoreAttempt.player_id).where(ScoreAttempt.mode_id == other_mode.id)
    ).first()
    before, why = shown(other_mode), {"reason": "x"}
    strange = rollback.preview(Selection(event_id=other.event_id))
    assert isinstance(strange, rollback.Preview)
    rolled_back = rollback.make(
        Selection(event_id=other.event_id),
        digest=strange.digest,
        by=None,
        reason="x",
        now=clock.now(),
    )
    assert not isinstance(rolled_back, list)
    decision = {"decision": "accept", "reason": "x"}
    limits = {"per_minute": 2, "per_hour": 9, "reach": 9}
    call("post", "other-game/rollbacks/preview", 404, player_id=bob)
    call("post", "other-game/rollbacks", 404, player_id=bob, digest="0" * 64, reason="x")
    call("get", "other-game/rollbacks", 404)
    call("post", f"own-game/rollbacks/{rolled_back.id}/undo", 404, **why)
    call("get", "other-game/held-scores", 404)
    call("post", f"other-game/held-scores/{mine.event_id}/decision", 404, **decision)
    call("post", f"own-game/held-scores/{other.event_id}/decision", 404, **decision)
    call("post", f"other-game/players/{other_player}/ban", 404, **why)
    call("get", "other-game/modes/solo/limits", 404)
    call("post", "other-game/modes/solo/limits/dry-run", 404, **limits)
    call("put", "other-game/modes/solo/limits", 404, **limits, **why)
    call("post", "other-game/modes/solo/limits/reset", 404, **why)
    call("post", "other-game/modes/solo/leaderboards/all-time/freeze", 404, **why)
    call("post", "other-game/modes/solo/leaderboards/all-time/thaw", 404, **why)
    assert (
        call("post", "own-game/rollbacks/preview", 200, event_id=str(other.event_id))["attempts"]
        == 0
    )
    assert shown(other_mode) == before


def test_own_players_are_banned_and_let_in_again(
    two_games: TwoGames, call: Call, bob: str, member: Callable[..., Member]
) -> None:
    mode = two_games[0]
    assert call("post", f"own-game/players/{bob}/ban", 200, reason="a bot")["kind"] == "ban"
    assert shown(mode) == []
    call("post", f"own-game/players/{bob}/unban", 200, reason="was none")
    assert shown(mode) == [bob]
    assert (
        call("post", f"own-game/players/{bob}/unban", 409, reason="again")["errors"][0]["code"]
        == "not_sanctioned"
    )
    call("post", f"own-game/players/{bob}/ban", 400, reason="a bot", until="2020-01-01T00:00:00Z")
    until = f"{clock.now().year + 1}-01-01T00:00:00Z"
    assert (
        call("post", f"own-game/players/{bob}/ban", 200, reason="a bot", until=until)["kind"]
        == "suspension"
    )
    gamer = player_of(member("gamer"))
    call("post", f"own-game/players/{gamer.id}/ban", 404, reason="a member of Pressbox")


def test_what_pressbox_imposed_only_pressbox_lifts(
    two_games: TwoGames, call: Call, bob: str
) -> None:
    sanctions.impose(
        UUID(bob), sanctions.Measure(sanctions.BAN), by=None, reason="sells places", now=clock.now()
    )
    call("post", f"own-game/players/{bob}/unban", 403, reason="a friend")
    call(
        "post",
        f"own-game/players/{bob}/ban",
        403,
        reason="for a day",
        until=f"{clock.now().year + 1}-01-01T00:00:00Z",
    )
    assert shown(two_games[0]) == []


def test_limits_are_tried_on_the_past_before_they_are_set(
    two_games: TwoGames, owner: Member, call: Call
) -> None:
    path = "own-game/modes/solo/limits"
    before = call("get", path, 200)
    limits = {"per_minute": 1, "per_hour": 50, "reach": 6}
    tried = call("post", f"{path}/dry-run", 200, **limits)
    assert tried["attempts"] >= tried["held"] >= 0
    assert db.session.scalars(select(AnticheatLimits)).all() == []
    assert call("put", path, 200, **limits, reason="nobody is faster") == limits
    refused = call("put", path, 400, **limits | {"per_minute": 60}, reason="x")
    assert refused["errors"][0]["field"] == "per_hour"
    assert call("post", f"{path}/reset", 200, reason="too strict") == before
    assert acts() == [
        ("mode.limits_set", owner.id, "nobody is faster"),
        ("mode.limits_set", owner.id, "too strict"),
    ]


def test_a_board_is_frozen_and_thawed(two_games: TwoGames, owner: Member, call: Call) -> None:
    board = "own-game/modes/solo/leaderboards/all-time"
    assert (
        call("post", f"{board}/freeze", 200, reason="a look")["board"] == "own-game:solo:all-time"
    )
    assert call("post", f"{board}/freeze", 409, reason="again")["errors"][0]["code"] == "frozen"
    assert call("post", f"{board}/thaw", 200, reason="seen")["thawed_at"] is not None
    call("post", f"{board.replace('all-time', 'daily:2026-01-01')}/freeze", 404, reason="x")
    assert [act for act, _, _ in acts()] == ["board.frozen", "board.thawed"]


def test_nobody_decides_about_their_own_score(
    two_games: TwoGames, owner: Member, call: Call, bob: str
) -> None:
    """The owner as a player of the own game: no key of theirs puts them right."""
    flagged = two_games[1]
    mine = db.session.scalars(
        select(ScoreAttempt).where(ScoreAttempt.event_id == flagged.event_id)
    ).one()
    owners_player = player_of(owner)
    db.session.execute(
        update(ScoreAttempt)
        .where(ScoreAttempt.event_id == mine.event_id)
        .values(player_id=owners_player.id)
    )
    db.session.commit()
    path = f"own-game/held-scores/{flagged.event_id}/decision"
    assert (
        call("post", path, 403, decision="accept", reason="mine")["errors"][0]["code"]
        == "own_score"
    )
    preview = call("post", "own-game/rollbacks/preview", 200, player_id=str(owners_player.id))
    sent = {"player_id": str(owners_player.id), "digest": preview["digest"], "reason": "mine"}
    assert call("post", "own-game/rollbacks", 403, **sent)["errors"][0]["code"] == "own_score"


def test_a_key_of_another_scope_or_of_a_banned_owner_moderates_nothing(
    two_games: TwoGames, owner: Member, call: Call, client: FlaskClient, bob: str
) -> None:
    other = api_keys.create_key(
        db.session.scalars(select(Integrator)).one(), "server", ["boards:manage"], owner
    )
    assert isinstance(other, api_keys.NewKey)
    signed = {"Authorization": f"Bearer {other.secret}"}
    assert client.get("/v1/games/own-game/held-scores", headers=signed).status_code == 403
    sanctions.impose(
        player_of(owner).id,
        sanctions.Measure(sanctions.BAN),
        by=None,
        reason="sells places",
        now=clock.now(),
    )
    call("post", "own-game/rollbacks/preview", 401, player_id=bob)
