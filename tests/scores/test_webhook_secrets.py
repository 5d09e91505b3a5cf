"""A webhook's first steps and its secret.

An address on one's own machine, and a secret that is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import standardwebhooks
from flask import Flask

from app.core import clock
from app.core.db import db
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook
from tests.scores.receiver import Receiver
from tests.scores.test_webhooks import send_due
from tests.worlds.integrator_boards import ANN, board_of, integrator, put


def test_a_rotated_secret_signs_with_the_one_before_for_a_day_and_the_queue_is_kept(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    """Standard Webhooks, "Webhook signature".

    Several signatures, separated by spaces, so that a secret can be changed without a delivery that
    nobody can check.
    """
    studio = integrator()
    webhook = hook(studio.id)
    key, old = webhook.id, webhook.secret
    board, now = board_of(studio), clock.now()
    put(board, ANN, 1)
    webhooks.collect(now)
    rotated = webhooks.rotate_secret(webhook, now)
    new = rotated.secret
    assert new != old
    assert send_due(key, now) == ["delivered"]  # what waited is neither lost nor sent twice
    headers, body = receiver.received[0]
    for secret in (new, old):
        assert (
            standardwebhooks.Webhook(secret).verify(body, headers)["changes"][0]["raw_score"] == 1
        )
    assert headers["Pressbox-Signature"].count("v1=") == 2
    later = now + timedelta(hours=24)
    put(board, ANN, 2)
    assert send_due(key, later) == ["delivered"]
    assert " " not in receiver.received[1][0]["webhook-signature"]
    webhooks.trim(later)
    assert db.session.get_one(Webhook, key, populate_existing=True).old_secret is None


def test_an_address_on_ones_own_machine_is_refused_with_the_name_of_the_setting(app: Flask) -> None:
    """The first thing that a studio's developer tries on `make run`."""
    for url in (
        "http://127.0.0.1:9999/hook",
        "http://localhost:9999/",
        "http://example.com/",
        "https://10.0.0.1/hook",
        "https://hooks.internal/",
    ):
        faults = webhooks.create(integrator(url).id, url, ["score.changed"])
        assert isinstance(faults, dict)
        assert "WEBHOOKS_PRIVATE=1" in faults["url"]
    faults = webhooks.create(
        integrator("x").id, "https://user:secret@example.com/", ["score.changed"]
    )
    assert isinstance(faults, dict)
    assert "WEBHOOKS_PRIVATE" not in faults["url"]
