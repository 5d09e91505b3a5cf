"""Scores held for a review.

Seen with their evidence by moderators alone, decided once, with who and why.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from app.boards.models import BoardScore, Mode
from app.core import clock
from app.core.blob_store import blob_store
from app.core.db import db
from app.scores.anticheat.stores import replay_name
from app.scores.events import ScoreEvent
from app.scores.models import ScoreAttempt, ScoreCorrection
from app.scores.review import queries as review
from tests.worlds.score_log import Log, flag_thirteens, score_event

MakeMode = Callable[..., Mode]
Players = Callable[[int], list[UUID]]
SignIn = Callable[..., FlaskClient]
PATH = "/moderation/scores"


@pytest.fixture
def flagged(make_mode: MakeMode, players: Players) -> ScoreEvent:
    """One flagged score among twenty clean ones of the mode, as the consumer left them."""
    mode = make_mode(decimals=1)
    people = players(20)
    log = Log()
    held_score = score_event(mode, people[0], 13, replay="ab" * 32, metadata={"car": "<red>"})
    log.put(*(score_event(mode, player, 10 * n) for n, player in enumerate(people)), held_score)
    log.consume(judge=flag_thirteens)
    return held_score


def state(event: ScoreEvent) -> str:
    db.session.expire_all()
    return str(db.session.get_one(ScoreAttempt, event.event_id).fraud_state)


def test_a_moderator_sees_a_held_score_with_its_evidence(
    flagged: ScoreEvent, sign_in: SignIn
) -> None:
    blob_store().put(replay_name(flagged.mode_id, flagged.event_id), b"the game")
    moderator = sign_in("moderator")
    assert str(flagged.event_id) in moderator.get(PATH).text
    page = moderator.get(f"{PATH}/{flagged.event_id}").text
    assert "20 newest clean scores" in page
    assert "18 are better than this one" in page
    assert "partition 0, offset 20" in page
    for text in (page, moderator.get(f"/moderation/attempts/{flagged.event_id}").text):
        assert "Metadata from the game:" in text
        assert "&#34;car&#34;: &#34;&lt;red&gt;&#34;" in text
    evidence = review.evidence(flagged.event_id)
    assert evidence is not None
    assert (evidence.score.points, evidence.below, evidence.above[0]) == (
        "1.3",
        [("0.0", 1), ("1.0", 1)],
        ("2.0", 1),
    )
    assert moderator.get(f"{PATH}/{flagged.event_id}/replay").data == b"the game"


@pytest.mark.parametrize(
    ("decision", "after", "score"), [("accept", "clean", 13), ("reject", "rejected", 0)]
)
def test_a_decision_changes_the_boards_and_is_kept_with_who_and_why(
    flagged: ScoreEvent, sign_in: SignIn, decision: str, after: str, score: int
) -> None:
    moderator = sign_in("moderator")
    path = f"{PATH}/{flagged.event_id}/decision"
    data = {"decision": decision, "reason": "Seen on the stream."}
    assert moderator.post(path, data=data).status_code == 303
    assert state(flagged) == after
    scores_now = select(BoardScore.score).where(BoardScore.player_id == flagged.player_id)
    assert set(db.session.scalars(scores_now)) == {score}
    page = moderator.get(f"{PATH}/{flagged.event_id}").text
    assert "A-Moderator" in page
    assert "Seen on the stream." in page
    assert moderator.post(path, data=data).status_code == 409
    assert len(db.session.scalars(select(ScoreCorrection)).all()) == 1
    assert "Nothing to review" in moderator.get(PATH).text


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"decision": "accept", "reason": ""}, "Give a reason"),
        ({"decision": "maybe", "reason": "x"}, "Choose to accept"),
        ({"decision": "reject", "reason": "x" * 501}, "at most 500"),
    ],
)
def test_a_decision_that_cannot_be_is_refused_at_the_field(
    flagged: ScoreEvent, sign_in: SignIn, data: dict[str, Any], says: str
) -> None:
    answer = sign_in("moderator").post(f"{PATH}/{flagged.event_id}/decision", data=data)
    assert (answer.status_code, says in answer.text, state(flagged)) == (422, True, "flagged")


@pytest.mark.parametrize(
    ("role", "status"), [("member", 404), ("scorer", 404), ("moderator", 200), ("operator", 200)]
)
def test_others_do_not_learn_of_the_pages(
    flagged: ScoreEvent, sign_in: SignIn, role: str, status: int
) -> None:
    client = sign_in(role)
    assert client.get(PATH).status_code == status
    assert client.get(f"{PATH}/{flagged.event_id}").status_code == status
    refused = client.post(f"{PATH}/{flagged.event_id}/decision", data={}).status_code
    assert refused == (404 if status == 404 else 422)


def test_the_list_is_filtered_by_mode_and_reason(
    flagged: ScoreEvent, sign_in: SignIn, make_mode: MakeMode
) -> None:
    other = make_mode()
    reason = db.session.get_one(ScoreAttempt, flagged.event_id).fraud_reasons[0]
    assert review.waiting(flagged.mode_id, reason)[1] == 1
    assert review.waiting(other.id)[1] == 0
    assert review.waiting(None, "outlier") == ([], 0)
    page = sign_in("moderator").get(PATH, query_string={"reason": "outlier"}).text
    assert "No matching scores." in page


def test_a_score_nobody_sent_is_not_found(flagged: ScoreEvent, sign_in: SignIn) -> None:
    assert sign_in("moderator").get(f"{PATH}/{UUID(int=1)}").status_code == 404


def test_a_decision_asks_for_the_password_of_who_signed_in_a_while_ago(
    flagged: ScoreEvent, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    moderator, late = sign_in("moderator"), clock.now() + timedelta(minutes=11)
    monkeypatch.setattr(clock, "now", lambda: late)
    data = {"decision": "reject", "reason": "Seen on the stream."}
    assert moderator.post(f"{PATH}/{flagged.event_id}/decision", data=data).status_code == 403
    attempt = db.session.get(ScoreAttempt, flagged.event_id)
    assert attempt is not None
    assert attempt.fraud_state != "rejected"
