"""Job: mail a member the link that sets a new password."""

from __future__ import annotations

from app.accounts import mail
from app.core import clock
from workers.context import in_app


@in_app
def run(username: str) -> None:
    """Running twice mails a second link, which invalidates the first; nothing else changes."""
    mail.send_reset(username, clock.now())
