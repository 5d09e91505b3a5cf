"""Commands for webhooks: listing dead deliveries, and sending them again."""

from __future__ import annotations

import click

from app.cli.shared import application, print_table
from app.core.errors import UserError


@click.group()
def webhooks() -> None:
    """Deliveries to integrators' webhooks."""


@webhooks.command("dead")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def dead(as_csv: bool) -> None:
    """List the deliveries that ended dead, the newest first."""
    from app.scores.webhooks import services

    with application():
        rows = [
            [
                f"{delivery.webhook_id}/{delivery.number}",
                f"{delivery.ended_at:%Y-%m-%dT%H:%M:%SZ}",
                delivery.reason or "",
            ]
            for delivery in services.dead()
        ]
    print_table(["delivery", "ended", "reason"], rows, as_csv)


@webhooks.command("replay")
@click.argument("delivery")
def replay(delivery: str) -> None:
    """Send DELIVERY (<webhook>/<number>, as `dead` lists it) once more."""
    from uuid import UUID

    from app.core.clock import now
    from app.core.db import db
    from app.scores.webhooks import services
    from app.scores.webhooks.models import Webhook

    name, _, number = delivery.partition("/")
    try:
        webhook_id, place = UUID(name), int(number)
    except ValueError:
        raise UserError(
            f"{delivery!r} is not a delivery. Write it as `pressbox webhooks dead` lists it."
        ) from None
    with application(audited=True):
        webhook = db.session.get(Webhook, webhook_id)
        if webhook is None or services.replay(webhook, place, now()) is None:
            raise UserError(
                f"There is no delivery {delivery}. `pressbox webhooks dead` lists the failed ones."
            )
    click.echo(f"{delivery} is sent again within seconds.")
