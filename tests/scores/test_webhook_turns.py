"""Webhooks are sent member by member: receivers of one that never answer hold up no other's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from app.core import jobs
from app.core.db import db
from app.scores.webhooks import sending as webhook_sending
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook
from tests.scores.receiver import Receiver, owner_of
from tests.waiting import until
from tests.worlds.integrator_boards import ANN, board_of, integrator, put
from workers.jobs import deliver_webhooks, send_webhook

NOW = datetime(2026, 9, 13, 20, tzinfo=UTC)


def test_a_members_receivers_that_never_answer_take_one_turn_at_a_time(
    hook: Callable[..., Webhook], receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten black holes of one member and one receiver of another.

    Each member has one job, and the black holes' job ends with the first that does not answer.
    """
    bad, good = integrator("Bad"), integrator("Good")
    holes = [hook(bad.id).id for _ in range(10)]
    other = hook(good.id).id
    for studio, slug in ((bad, "dice"), (good, "darts")):
        put(board_of(studio, slug), ANN, 1)
    deliver_webhooks.run()
    queued = [job.args[0] for job in jobs.queue(jobs.WEBHOOKS_QUEUE).jobs]
    assert queued == [owner_of(holes[0]), owner_of(other)]
    receiver.answers = ["hang"]
    with monkeypatch.context() as patience:
        send = webhook_sending.send
        patience.setattr(
            webhook_sending,
            "send",
            lambda url, body, headers, private: send(
                url, body, headers, private=private, seconds=2.0
            ),
        )
        send_webhook.run(queued[0])
    until(lambda: bool(receiver.received), "the receiver has read what it leaves without an answer")
    assert len(receiver.received) == 1, "one black hole cost the worker one wait"
    send_webhook.run(queued[1])
    assert receiver.received[1][0]["Pressbox-Delivery"] == f"{other}/1"
    deliver_webhooks.run()
    send_webhook.run(queued[0])
    assert len(receiver.received) == 2 + 9, (
        "the member's receivers that answer get all of theirs in one turn"
    )


def test_only_one_worker_sends_for_a_member(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio, other = integrator("Studio"), integrator("Other")
    first, second, strange = hook(studio.id).id, hook(studio.id).id, hook(other.id).id
    for owner, slug in ((studio, "dice"), (other, "darts")):
        put(board_of(owner, slug), ANN, 1)
    webhooks.collect(NOW)
    lease = text(
        "UPDATE webhooks SET lease = gen_random_uuid(), leased_until = :until WHERE id = :id"
    )
    db.session.execute(lease, {"until": NOW + webhooks.LEASE, "id": first})
    db.session.commit()
    assert webhooks.due_owners(NOW) == [owner_of(strange)]
    assert webhooks.next_of(owner_of(second), NOW) is None
    assert webhooks.send_next(second, NOW) is None
    assert webhooks.send_next(strange, NOW) == "delivered"
    later = NOW + webhooks.LEASE + timedelta(seconds=1)
    assert webhooks.next_of(owner_of(second), later) == min(first, second)
    assert webhooks.send_next(second, later) == "delivered"
