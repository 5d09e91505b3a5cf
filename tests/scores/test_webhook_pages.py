"""The page on which an integrator manages webhooks, their secrets and dead deliveries."""

from __future__ import annotations

from collections.abc import Callable

from flask.testing import FlaskClient
from sqlalchemy import text

from app.accounts import services as accounts
from app.core import clock
from app.core.db import db
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook
from tests.worlds.integrator_boards import ANN, Id, board_of, integrator, put
from tests.worlds.score_games import make_integrator


def integrator_of(username: str) -> Id:
    member = accounts.find_member(username)
    assert member is not None
    return Id(make_integrator("Dice House", member.id).id)


def test_dead_deliveries_are_shown_and_sent_again_with_one_press(
    hook: Callable[..., Webhook], sign_in: Callable[[str], FlaskClient]
) -> None:
    client = sign_in("member")
    studio = integrator_of("a-member")
    path = f"/integrators/{studio.id}/webhooks"
    assert "No webhooks yet" in client.get(path).text
    webhook = hook(studio.id)
    put(board_of(studio), ANN, 1)
    webhooks.collect(clock.now())
    db.session.execute(
        text(
            "UPDATE webhook_deliveries SET state = 'dead', ended_at = now(), reason = 'Answered "
            "500.'"
        )
    )
    db.session.commit()
    page = client.get(path).text
    assert "0 delivered in 7 days, 0 waiting, 1 dead." in page
    assert "Answered 500." in page
    answer = client.post(f"{path}/{webhook.id}/replay", follow_redirects=True)
    assert "Sending 1 delivery again." in answer.text
    assert [delivery.state for delivery in webhooks.deliveries(webhook)] == ["waiting"]


def test_anothers_webhooks_are_not_there(
    hook: Callable[..., Webhook], sign_in: Callable[[str], FlaskClient]
) -> None:
    client = sign_in("member")
    studio, other = integrator("Studio"), integrator_of("a-member")
    webhook = hook(studio.id)
    assert client.get(f"/integrators/{studio.id}/webhooks").status_code == 404
    assert client.post(f"/integrators/{studio.id}/webhooks/{webhook.id}/replay").status_code == 404
    for act in ("replay", "secret"):
        assert (
            client.post(f"/integrators/{other.id}/webhooks/{webhook.id}/{act}").status_code == 404
        )


def test_a_webhook_is_made_on_the_page_and_its_secrets_are_shown_once(
    sign_in: Callable[[str], FlaskClient],
) -> None:
    """The old secret signs for 24 hours more, as Standard Webhooks advises.

    So a rotation needs no downtime.
    """
    client = sign_in("member")
    studio = integrator_of("a-member")
    path = f"/integrators/{studio.id}/webhooks"
    refused = client.post(path, data={"url": "http://127.0.0.1:9999/"})
    assert (refused.status_code, "the operator can set WEBHOOKS_PRIVATE=1" in refused.text) == (
        422,
        True,
    )
    answer = client.post(path, data={"url": "https://8.8.8.8/"})
    webhook = webhooks.of(studio.id)[0]
    first = webhook.secret
    assert first in answer.text
    rotated = client.post(f"{path}/{webhook.id}/secret")
    db.session.refresh(webhook)
    assert webhook.secret in rotated.text
    assert (webhook.old_secret, webhook.secret == first) == (first, False)
    assert webhook.secret not in client.get(path).text
