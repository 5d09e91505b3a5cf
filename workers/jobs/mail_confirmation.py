"""Job: mail a member the link that confirms their address."""

from __future__ import annotations

from app.accounts import mail
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from workers.context import in_app


@in_app
def run(member_id: int, address: str) -> None:
    """Running twice mails a second link, which invalidates the first; nothing else changes."""
    member = db.session.get(Member, member_id)
    if member is not None:
        mail.send_confirmation(member, address, clock.now())
