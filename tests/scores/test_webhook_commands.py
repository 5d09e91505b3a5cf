from __future__ import annotations

import pytest
from click.testing import CliRunner
from flask import Flask

from app.cli import main
from app.cli import webhooks as commands
from app.core import clock
from app.core.db import db
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook, WebhookDelivery
from tests.commands import use_here
from tests.worlds.integrator_boards import integrator


def test_a_dead_delivery_is_listed_and_sent_again(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)
    webhook = webhooks.create(integrator().id, "https://example.com/", ["score.changed"])
    assert isinstance(webhook, Webhook)
    now = clock.now()
    ends = {"state": "dead", "ended_at": now, "reason": "Responded with 500."}
    db.session.add(
        WebhookDelivery(
            webhook_id=webhook.id, number=1, body="{}", next_at=now, made_at=now, **ends
        )
    )
    db.session.commit()
    name = f"{webhook.id}/1"
    assert name in CliRunner().invoke(main, ["webhooks", "dead"]).output
    assert CliRunner().invoke(main, ["webhooks", "replay", name]).exit_code == 0
    assert name not in CliRunner().invoke(main, ["webhooks", "dead"]).output
    for wrong in (f"{webhook.id}/2", "x"):
        answer = CliRunner().invoke(main, ["webhooks", "replay", wrong])
        assert answer.exit_code == 1
        assert "pressbox webhooks dead" in answer.output
