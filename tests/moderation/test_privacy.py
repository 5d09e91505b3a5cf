"""A member takes everything away, and is erased.

Nothing of the person is left, record and audit still hold.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable

from flask.testing import FlaskClient
from sqlalchemy import select, text

from app.accounts.models import Member, Player
from app.accounts.players import player_of
from app.accounts.rules import username_fault
from app.audit.verification import verify
from app.boards.models import Mode
from app.core.db import db
from app.core.refusals import Refusal
from app.moderation import privacy, sanctions
from app.scores.models import ScoreAttempt
from tests.worlds.score_log import NOW, Log, check_boards, score_event

SignIn = Callable[..., FlaskClient]


def test_a_member_downloads_everything_as_json_and_csv_without_secrets(
    sign_in: SignIn, member: Callable[..., Member], make_mode: Callable[..., Mode]
) -> None:
    bob = member("bob")
    player = player_of(bob).id
    log = Log()
    log.put(score_event(make_mode(), player, 5, client_meta={"build": "7.1"}))
    log.consume()
    client = sign_in(username="bob")
    answer = client.post("/account/data/json")
    assert answer.status_code == 200
    exported = json.loads(answer.data)
    assert exported["members"][0]["username"] == "bob"
    assert exported["score_attempts"][0]["client_meta"] == {"build": "7.1"}
    assert {"players", "board_scores", "member_sessions", "audit_entries"} <= exported.keys()
    assert bob.password_hash not in answer.text
    for rows in exported.values():
        assert not privacy.SECRETS & rows[0].keys()
    folder = zipfile.ZipFile(io.BytesIO(client.post("/account/data/csv").data))
    rows = list(csv.DictReader(io.TextIOWrapper(folder.open("members.csv"))))
    assert rows[0]["username"] == "bob"


def test_a_shadow_ban_does_not_show_itself_in_the_download(member: Callable[..., Member]) -> None:
    bob = member("bob")
    sanctions.impose(
        player_of(bob).id,
        sanctions.Measure(sanctions.SHADOW),
        by=None,
        reason="a secret bot",
        now=NOW,
    )
    exported = privacy.export(bob.id)
    assert "sanctions" not in exported
    assert not any(
        "hidden" in name or "shadow" in name for rows in exported.values() for name in rows[0]
    )


def test_an_erased_member_is_nowhere_and_the_record_and_the_audit_still_hold(
    sign_in: SignIn, member: Callable[..., Member], make_mode: Callable[..., Mode]
) -> None:
    bob, mode = member("bobby"), make_mode()
    player = player_of(bob).id
    log = Log()
    log.put(score_event(mode, player, 5, address="a" * 32, client_meta={"who": "bobby"}))
    log.consume()
    client = sign_in(username="bobby")
    assert client.post("/account/erase", data={"confirm": "somebody"}).status_code == 422
    assert client.post("/account/erase", data={"confirm": "bobby"}).status_code == 303
    assert client.get("/account").status_code == 302
    answer = client.post(
        "/sign-in", data={"username": "bobby", "password": "correct horse battery"}
    )
    assert answer.status_code == 422
    db.session.rollback()
    assert db.session.get_one(Player, player, populate_existing=True).display_name == privacy.ERASED
    attempt = db.session.scalars(
        select(ScoreAttempt).execution_options(populate_existing=True)
    ).one()
    assert (attempt.score, attempt.address, attempt.client_meta) == (5, None, {})
    for table in db.metadata.sorted_tables:
        rows = db.session.execute(text(f"SELECT * FROM {table.name}")).all()
        assert "bobby" not in str(rows).lower(), table.name
    check_boards(mode)
    assert verify().faults == []


def test_nobody_can_keep_an_erasure_from_its_username(member: Callable[..., Member]) -> None:
    """GDPR, article 17.

    Whoever registered erased-ID, or a league imported with an erased member, made it fail.
    """
    bob = member("bob")
    member(f"erased-{bob.id}")
    erased = privacy.erase(bob.id, by=bob.id, reason="asked", now=NOW)
    assert isinstance(erased, Member)
    assert username_fault(erased.username) is None, "an exported league has it"


def test_staff_and_the_erased_are_not_erased(member: Callable[..., Member]) -> None:
    meg, bob = member("meg", "moderator"), member("bob")

    def code(owner: Member) -> str:
        done = privacy.erase(owner.id, by=owner.id, reason="asked", now=NOW)
        return done.code if isinstance(done, Refusal) else "done"

    assert [code(meg), code(bob), code(bob)] == ["staff", "done", "unknown"]
