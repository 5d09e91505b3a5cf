"""Renaming an integrator and handing it over to another member.

Deleting one is in app/scores.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from app.accounts import quotas, sanctions
from app.accounts.api_keys import LONGEST_NAME
from app.accounts.models import Integrator, Member
from app.accounts.names import normalised
from app.accounts.services import find_member, public_name_fault
from app.audit import log as audit
from app.audit.acts import Act
from app.core.db import db
from app.core.refusals import Refusal

UNKNOWN_HEIR = Refusal(
    "unknown", "username", "No eligible member has this username. Check the spelling."
)


def rename(integrator: Integrator, name: str) -> Refusal | None:
    """Give the integrator another name. Commits.

    Returns:
        What to change, or None if it is done.
    """
    name = normalised(name)
    if name == integrator.name:
        return None
    if fault := public_name_fault(name, LONGEST_NAME):
        return Refusal("invalid", "name", fault)
    details = {"name": [integrator.name, name]}
    integrator.name = name
    subject = f"integrator:{integrator.id}"
    try:
        db.session.flush()
    except IntegrityError:
        db.session.rollback()
        return Refusal("taken", "name", "This name is taken. Choose another one.")
    audit.record(
        Act.INTEGRATOR_CHANGED, actor_id=integrator.owner_id, subject=subject, details=details
    )
    db.session.commit()
    return None


def hand_over(integrator: Integrator, username: str, now: datetime) -> Refusal | None:
    """Make another member the owner of the integrator and its keys. Commits.

    Keys go on working, except for scopes that the new owner may not give.

    Returns:
        What to change, or None if it is done.
    """
    heir = find_member(username)
    if heir is None or heir.erased_at is not None or sanctions.current(heir, now) is not None:
        return UNKNOWN_HEIR
    old_owner = integrator.owner_id
    if heir.id == old_owner:
        return Refusal("own", "username", "You already own it. Enter someone else's username.")
    # Locked, so that a new owner cannot erase their account at the same time.
    locked = (
        select(Member)
        .where(Member.id == heir.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    heir = db.session.scalars(locked).one()
    if heir.erased_at is not None:
        db.session.rollback()
        return UNKNOWN_HEIR
    owned = select(func.count()).where(
        Integrator.owner_id == heir.id, Integrator.deleting_at.is_(None)
    )
    if (db.session.scalar(owned) or 0) >= quotas.MOST_INTEGRATORS:
        db.session.rollback()
        return Refusal(
            "full",
            "username",
            f"They have {quotas.MOST_INTEGRATORS} integrators, which is the limit.",
        )
    integrator.owner_id = heir.id
    details = {"owner_id": [old_owner, heir.id]}
    audit.record(
        Act.INTEGRATOR_CHANGED,
        actor_id=old_owner,
        subject=f"integrator:{integrator.id}",
        details=details,
    )
    db.session.commit()
    return None
