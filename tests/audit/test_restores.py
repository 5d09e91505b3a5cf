"""A restore drops audit entries made after the backup: `audit verify` names the gap."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import text

from app.audit import log, restores
from app.audit.acts import Act
from app.audit.verification import verify
from app.core.db import db
from tests.owner import owner_without_triggers

NAME = "20260913T180000Z"


def enter(count: int) -> None:
    for _ in range(count):
        log.record(Act.SIGNED_IN, actor_id=None)
    db.session.commit()


def restore_to(entries: int) -> str:
    """As a restore does: the chain ends where it did when the backup was made.

    Returns the hash that was lost.
    """
    before = restores.head()
    assert before is not None
    with owner_without_triggers().begin() as connection:
        connection.execute(text("DELETE FROM audit_entries WHERE id > :id"), {"id": entries})
        connection.execute(
            text(
                "UPDATE audit_head SET (entries, hash) = (SELECT id, hash FROM audit_entries WHERE "
                "id = :id)"
            ),
            {"id": entries},
        )
    restores.record_restore(NAME, before)
    db.session.commit()
    return str(before["hash"])


def test_the_entries_that_a_restore_dropped_are_named_with_their_last_hash(app: Flask) -> None:
    enter(5)
    lost = restore_to(2)
    verified = verify()
    (gap,) = verified.gaps
    assert verified.faults == [], "nobody tampered with it"
    assert f"The restore of backup {NAME} dropped entries 3 to 5" in gap
    assert lost in gap
    enter(1)
    assert verify().gaps == [gap], "for ever"


def test_a_restore_that_dropped_nothing_leaves_no_gap(app: Flask) -> None:
    enter(2)
    restore_to(2)
    assert verify().gaps == []


@pytest.mark.parametrize("entries", [0, 2])
def test_a_restore_over_what_could_not_be_read_says_that_it_cannot_tell(
    app: Flask, entries: int
) -> None:
    enter(entries)
    restores.record_restore(NAME, None)
    db.session.commit()
    (gap,) = verify().gaps
    assert "left out whatever entries were made between the backup and" in gap
