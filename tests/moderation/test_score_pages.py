"""Pages about single scores, boards and limits.

Inspection, quarantine, freezes, the audit, minors.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts import friends
from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.audit.verification import verify
from app.boards import services
from app.boards.models import Mode, ScoreGame
from app.core import clock
from app.core.db import db
from app.embedded.stack import Stack
from app.moderation import inspection
from app.scores import events
from app.scores.anticheat import judge
from app.scores.events import ScoreEvent
from app.scores.models import AnticheatLimits, ScoreAttempt
from app.stream.kafka import producer
from app.stream.topics import SCORE_EVENTS
from tests.waiting import patience
from tests.worlds import score_log as scores_log
from tests.worlds.score_log import Log, check_boards, later, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
SignIn = Callable[..., FlaskClient]


def shown(game: ScoreGame, mode: Mode) -> list[str]:
    db.session.rollback()
    return [row.member for row in services.read(game, mode, "all-time").top(9).rows]


def test_limits_are_set_after_a_dry_run_over_the_past_and_hold_from_then_on(
    two_games: tuple[Mode, ScoreEvent, Mode, ScoreEvent],
    sign_in: SignIn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mode = two_games[0]
    moderator = sign_in("moderator")
    now = clock.now() - timedelta(minutes=5)
    eve, dan = db.session.scalars(
        select(Player.id).where(Player.external_id.is_not(None)).order_by(Player.id)
    ).all()
    monkeypatch.setattr(scores_log, "NOW", clock.now())  # of the consumer
    log = Log()
    scores = [score_event(mode, eve, 20 + n, now + timedelta(seconds=n)) for n in range(4)]
    log.put(*scores, score_event(mode, dan, 9, now))
    log.consume()
    path = f"/moderation/limits/{mode.id}"
    page = moderator.get(f"{path}?per_minute=2&per_hour=50&reach=6").text
    assert "2 would have been held" in page
    assert db.session.scalars(select(AnticheatLimits)).all() == []
    sent = {"per_minute": "2", "per_hour": "50", "reach": "6", "reason": "nobody plays faster"}
    assert moderator.post(path, data=sent).status_code == 303
    assert moderator.post(path, data=sent | {"per_hour": "1"}).status_code == 422
    later_scores = [
        score_event(mode, dan, 30 + n, now + timedelta(seconds=100 + n)) for n in range(4)
    ]
    log.put(*later_scores)
    log.consume(judge=judge)
    event_ids = [score.event_id for score in later_scores]
    states = dict(db.session.execute(select(ScoreAttempt.event_id, ScoreAttempt.fraud_state)).all())
    assert [states[event_id] for event_id in event_ids] == ["clean", "clean", "flagged", "flagged"]


def test_inspection_shows_everything_about_an_attempt_but_secrets(
    make_mode: MakeMode, players: Players, sign_in: SignIn
) -> None:
    mode = make_mode()
    ann, bob = players(2)
    log = Log()
    mine = score_event(
        mode, ann, 13, address="a" * 32, device="d" * 32, client_meta={"build": "7.1"}
    )
    log.put(mine, score_event(mode, bob, 5, address="a" * 32))
    log.consume()
    page = sign_in("moderator").get(f"/moderation/attempts/{mine.event_id}").text
    for words in (
        "7.1",
        "partition 0, offset 0",
        "2 players",
        "1 player",
        "same address",
        "Stored and judged",
        "not kept",
    ):
        assert words in page, words


def test_a_clean_score_is_held_back_and_released(
    game: ScoreGame, make_mode: MakeMode, players: Players, sign_in: SignIn
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    log = Log()
    score = score_event(mode, ann, 5)
    log.put(score)
    log.consume()
    moderator = sign_in("moderator")
    path = f"/moderation/attempts/{score.event_id}"
    assert moderator.post(f"{path}/quarantine", data={"reason": "odd"}).status_code == 303
    assert shown(game, mode) == []
    moderator.post(
        f"/moderation/scores/{score.event_id}/decision",
        data={"decision": "accept", "reason": "fine"},
    )
    assert shown(game, mode) == [str(ann)]
    check_boards(mode)


def test_nobody_decides_about_their_own_score(
    make_mode: MakeMode, sign_in: SignIn, member: Callable[..., Member]
) -> None:
    mode, meg = make_mode(), member("meg", "moderator")
    log = Log()
    flagged = score_event(mode, player_of(meg).id, 13)
    log.put(flagged)
    log.consume()
    answer = sign_in(username="meg").post(
        f"/moderation/scores/{flagged.event_id}/decision",
        data={"decision": "accept", "reason": "mine"},
    )
    assert answer.status_code == 409
    assert "your own" in answer.text


def test_the_audit_is_filtered_and_downloaded(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    bob = player_of(member("bob")).id
    moderator = sign_in("moderator")
    moderator.post(f"/moderation/players/{bob}/sanction", data={"kind": "ban", "reason": "=a bot"})
    page = moderator.get("/moderation/audit?act=player.banned&actor=a-moderator").text
    assert "1 entry" in page
    assert "=a bot" in page
    answer = moderator.get("/moderation/audit.csv?act=player.banned")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["act"], row["subject"], row["reason"]) for row in rows] == [
        ("player.banned", f"player:{bob}", "'=a bot")
    ]
    assert sign_in().get("/moderation/audit").status_code == 404
    assert verify().faults == []


def test_a_frozen_board_says_so_to_staff_who_see_both(
    game: ScoreGame, make_mode: MakeMode, players: Players, sign_in: SignIn, client: FlaskClient
) -> None:
    mode = make_mode()
    ann, bob = players(2)
    log = Log()
    log.put(score_event(mode, ann, 5))
    log.consume()
    moderator, name = sign_in("moderator"), f"{game.slug}:{mode.slug}:all-time"
    assert (
        moderator.post(
            "/moderation/boards/freeze", data={"board": name, "reason": "bots"}
        ).status_code
        == 303
    )
    log.put(score_event(mode, bob, 777, later(1)))
    log.consume()
    page = moderator.get(f"/moderation/boards?board={name}").text
    assert "Frozen since" in page
    assert "Public view" in page
    score = re.compile(r"\b777\b")  # the digest of a file may contain it too
    assert len(score.findall(page)) == 1
    public_page = client.get(f"/boards/{game.slug}/{mode.slug}/all-time").text
    assert not score.search(public_page)
    board = client.get(f"/v1/games/{game.slug}/modes/{mode.slug}/leaderboards/all-time").text
    assert not score.search(board)
    assert (
        moderator.post(
            "/moderation/boards/thaw", data={"board": name, "reason": "clean"}
        ).status_code
        == 303
    )
    assert "777" in client.get(f"/boards/{game.slug}/{mode.slug}/all-time").text


def test_a_message_is_read_from_kafka_where_its_row_says(
    stack: Stack, make_mode: MakeMode, players: Players
) -> None:
    mode = make_mode()
    (ann,) = players(1)
    event = score_event(mode, ann, 5)
    kafka = producer(stack.settings)
    try:
        sending = kafka.send(
            SCORE_EVENTS.name, key=events.key_of(event), value=events.encode(event)
        )
        sent = sending.get(timeout=patience(60))
    finally:
        kafka.close()
    message = inspection.from_kafka(SCORE_EVENTS, sent.partition, sent.offset)
    assert (message.source, message.fault) == ("Kafka", "")
    assert str(event.event_id) in message.text
    assert inspection.from_kafka(SCORE_EVENTS, sent.partition, sent.offset + 1_000).fault


def test_minors_get_an_opaque_name_and_no_requests_of_friends(
    sign_in: SignIn, member: Callable[..., Member]
) -> None:
    bob, ann = player_of(member("bob")).id, player_of(member("ann")).id
    moderator = sign_in("moderator")
    assert (
        moderator.post(f"/moderation/players/{bob}/minor", data={"reason": "twelve"}).status_code
        == 303
    )
    assert (
        db.session.get_one(Player, bob, populate_existing=True).display_name
        == f"Player {bob.hex[:6]}"
    )
    for me, other in ((ann, bob), (bob, ann)):
        assert friends.ask(me, other, clock.now()) == friends.NOBODY
