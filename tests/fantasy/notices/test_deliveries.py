"""Notices pushed to devices and mailed.

To a real push service and mail server of the test's own, each at most once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from email.message import EmailMessage

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from flask import Flask
from sqlalchemy import select, text

from app.accounts import push, push_devices
from app.accounts.models import Member, PushDevice
from app.core import clock, jobs
from app.core.db import db
from app.fantasy.jobs import SEND_NOTICES
from app.fantasy.notices import choices, deliveries
from app.fantasy.notices.deliveries import LEASE, PAUSES, REST, TRIES
from app.fantasy.notices.models import NoticeDelivery
from app.fantasy.notices.services import NewNotice, notify
from tests.fantasy.notices.push_service import PushService, bytes_of, decrypted
from tests.killing import Killed, die
from workers.jobs import deliver_notices, send_notices

SERVICE = "127.0.0.1"
ALL = ("deadline", "result", "correction")


@pytest.fixture
def ann(member: Callable[..., Member]) -> int:
    """She wants everything pushed."""
    member_id = int(member("ann").id)
    choices.choose(member_id, push=ALL)
    return member_id


def device(service: PushService, member_id: int, name: str) -> int:
    added = push_devices.add(
        member_id, service.subscribe(name).subscription, "Firefox Linux", name, clock.now()
    )
    assert isinstance(added, PushDevice), added
    return int(added.id)


def tell(
    member_id: int,
    kind: str = "result",
    key: str = "result:1:1",
    title: str = "Week 1 in Row: 9.00",
) -> None:
    notify(
        [NewNotice(member_id, kind, key, title, "You are 1st of 3.", "/leagues/row", None)],
        clock.now(),
    )
    db.session.commit()


def send(now: datetime | None = None, service: str = SERVICE) -> bool:
    return deliveries.send_due(service, now or clock.now())


def states() -> list[str]:
    """Of all deliveries, in the order in which they were made."""
    return list(db.session.scalars(select(NoticeDelivery.state).order_by(NoticeDelivery.id)))


def test_the_example_of_rfc_8291_is_decrypted_by_the_stand_in() -> None:
    body = bytes_of(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
    key = ec.derive_private_key(
        int.from_bytes(bytes_of("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")), ec.SECP256R1()
    )
    text = decrypted(body, key, bytes_of("BTBZMqHH6r4Tts7J_aSIgg"))
    assert text == b"When I grow up, I want to be a watermelon"


def test_a_notice_is_pushed_encrypted_and_signed_to_each_device_once(
    service: PushService, ann: int
) -> None:
    device(service, ann, "phone")
    device(service, ann, "laptop")
    tell(ann)
    tell(ann)
    assert send()
    assert not send()
    assert sorted(push.browser for push in service.taken) == ["laptop", "phone"]
    delivery = service.taken[0]
    notice_id = db.session.scalar(text("SELECT id FROM notices"))
    assert delivery.content == {
        "title": "Week 1 in Row: 9.00",
        "body": "You are 1st of 3.",
        "path": "/leagues/row",
        "tag": f"notice-{notice_id}",
    }
    assert (delivery.claims["sub"], delivery.claims["k"]) == (
        "mailto:ops@example.com",
        push.public_key(),
    )
    assert (delivery.headers["Urgency"], delivery.headers["Topic"]) == (
        "normal",
        f"notice-{notice_id}",
    )
    assert 86_000 < int(delivery.headers["TTL"]) <= 86_400
    assert states() == ["sent", "sent"]
    assert all(device.pushed_at is not None for device in push_devices.of(ann))


def test_only_what_was_asked_for_is_pushed_and_nothing_by_default(
    service: PushService, member: Callable[..., Member]
) -> None:
    bob = int(member("bob").id)
    device(service, bob, "phone")
    tell(bob)
    assert states() == []
    choices.choose(bob, push=["correction"])
    tell(bob, "result", "result:1:2")
    tell(bob, "correction", "correction:1:g:1", "Corrected")
    choices.choose(bob, push=ALL)
    tell(bob, "deadline", "deadline:1:1", "Week 1 is locked")
    tell(bob, "deadline", "deadline-near:1:1:day:1", "Week 1 locks on Sunday")
    while send():
        pass
    # Those of a batch leave side by side.
    urgency = {push.content["title"]: push.headers["Urgency"] for push in service.taken}
    assert urgency == {"Corrected": "normal", "Week 1 locks on Sunday": "high"}


def test_what_is_switched_off_or_banned_before_its_turn_is_not_pushed(
    service: PushService, ann: int
) -> None:
    device(service, ann, "phone")
    tell(ann)
    choices.choose(ann, push=[])
    assert send()
    choices.choose(ann, push=ALL)
    tell(ann, key="result:1:2")
    db.session.execute(text("UPDATE members SET banned_at = now()"))
    db.session.commit()
    assert send()
    assert (service.taken, states()) == ([], ["dropped", "dropped"])


def test_news_that_is_too_old_is_not_pushed(service: PushService, ann: int) -> None:
    device(service, ann, "phone")
    tell(ann)
    assert send(clock.now() + timedelta(hours=24))
    assert (service.taken, states()) == ([], ["dropped"])


@pytest.mark.parametrize("kill", ["before the push", "after the push"])
def test_a_killed_job_pushes_nothing_twice(
    service: PushService, ann: int, kill: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    device(service, ann, "phone")
    tell(ann)
    with monkeypatch.context() as patched:
        patched.setattr(deliveries, "_send_all" if kill == "before the push" else "_note", die)
        with pytest.raises(Killed):
            send()
    db.session.rollback()
    assert states() == ["sending"]
    assert not send()
    later = clock.now() + LEASE + timedelta(seconds=1)
    assert deliveries.due_services(later) == []
    assert not send(later)
    assert states() == ["unknown"]
    assert len(service.taken) == (0 if kill == "before the push" else 1)


def test_a_killed_notifier_pushes_nothing_for_a_notice_that_is_not_there(
    service: PushService, ann: int
) -> None:
    device(service, ann, "phone")
    notify([NewNotice(ann, "result", "result:1:1", "t", "b", "/")], clock.now())
    db.session.rollback()
    assert states() == []
    tell(ann)
    assert states() == ["waiting"]


@pytest.mark.parametrize("status", [404, 410])
def test_a_device_that_is_gone_is_removed(service: PushService, ann: int, status: int) -> None:
    device(service, ann, "phone")
    device(service, ann, "laptop")
    service.answers["phone"] = [status]
    tell(ann)
    assert send()
    assert [device.device for device in push_devices.of(ann)] == ["laptop"]
    assert states() == ["sent"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_service_that_fails_is_tried_again_later_and_not_for_ever(
    service: PushService, ann: int, status: int
) -> None:
    device(service, ann, "phone")
    service.answers["phone"] = [status] * 99
    tell(ann)
    now = clock.now()
    assert not send(now)
    assert deliveries.due_services(now + REST / 2) == []
    waits = timedelta(seconds=900) if status == 429 else PAUSES[0]
    assert deliveries.due_services(now + waits - timedelta(seconds=1)) == []
    assert deliveries.due_services(now + waits) == [SERVICE]
    for _ in range(TRIES * 2):
        now += timedelta(hours=1)
        send(now)
    assert (len(service.asked), states()) == (TRIES, ["failed"])
    assert len(push_devices.of(ann)) == 1, "it is not gone"


def test_a_refused_push_is_not_tried_again(service: PushService, ann: int) -> None:
    device(service, ann, "phone")
    service.answers["phone"] = [400]
    tell(ann)
    assert send()
    assert states() == ["failed"]


def test_a_service_that_does_not_answer_is_left_and_may_have_it(
    service: PushService, ann: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push, "SECONDS", 5.0)  # enough to have sent it
    device(service, ann, "phone")
    service.answers["phone"] = ["hang"]
    tell(ann)
    assert not send()
    assert states() == ["unknown"]


def test_a_service_that_is_away_is_tried_again_and_holds_no_other_up(
    service: PushService, ann: int, member: Callable[..., Member]
) -> None:
    away = replace(service.subscribe("away").subscription, endpoint="http://localhost:9/away")
    bob = int(member("bob").id)
    choices.choose(bob, push=ALL)
    push_devices.add(bob, away, "", "away", clock.now())
    device(service, ann, "phone")
    tell(bob)
    tell(ann)
    now = clock.now()
    assert deliveries.due_services(now) == ["127.0.0.1", "localhost"]
    assert not send(now, "localhost")
    assert states() == ["waiting", "waiting"]
    assert deliveries.due_services(now) == ["127.0.0.1"]
    assert send(now)
    assert [push.browser for push in service.taken] == ["phone"]


def test_the_jobs_send_what_waits_and_twice_changes_nothing(service: PushService, ann: int) -> None:
    device(service, ann, "phone")
    tell(ann)
    deliver_notices.run()
    deliver_notices.run()
    (queued,) = jobs.queue(jobs.NOTICES_QUEUE).jobs
    assert (queued.func_name, list(queued.args)) == (SEND_NOTICES.name, [SERVICE])
    send_notices.run(SERVICE)
    send_notices.run(SERVICE)
    deliver_notices.run()
    assert len(service.taken) == 1
    deliveries.trim(clock.now() + deliveries.KEPT + timedelta(minutes=1))
    assert states() == []


def test_many_devices_of_a_service_are_pushed_to_batch_by_batch(
    service: PushService, member: Callable[..., Member]
) -> None:
    for number in range(deliveries.BATCH + 4):
        gamer = int(member(f"gamer{number}").id)
        choices.choose(gamer, push=["result"])
        device(service, gamer, f"phone{number}")
        tell(gamer)
    assert send()
    assert states().count("sent") == deliveries.BATCH
    assert send()
    assert len(service.taken) == deliveries.BATCH + 4


def test_a_notice_is_mailed_once_with_a_link_that_ends_it(
    app: Flask, mails: list[EmailMessage], ann: int
) -> None:
    choices.choose(ann, push=[], mail=["result"])
    tell(ann)
    assert states() == [], "she has no address"
    db.session.execute(text("UPDATE members SET email = 'ann@example.com'"))
    db.session.commit()
    tell(ann, key="result:1:2", title="Week 2\nin Row")
    tell(ann, "correction", "correction:1:g:1")
    assert send(service="mail")
    assert not send(service="mail")
    (mail,) = mails
    assert (mail["To"], mail["Subject"]) == ("ann@example.com", "Pressbox: Week 2 in Row")
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = mail["List-Unsubscribe"].strip("<>")
    assert link.startswith("https://p.example.com/notices/stop/")
    assert link in mail.get_content()
    assert "https://p.example.com/leagues/row" in mail.get_content()
    owner = choices.member_by(link.rsplit("/", 1)[1])
    assert owner is not None
    assert (owner[0].id, owner[1]) == (ann, "result")
    assert states() == ["sent"]


def test_a_mail_server_that_is_away_is_tried_again(
    app: Flask, ann: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = replace(
        app.config["PRESSBOX"], smtp_url="smtp://127.0.0.1:9", mail_from="p@example.com"
    )
    monkeypatch.setitem(app.config, "PRESSBOX", closed)
    choices.choose(ann, mail=["result"])
    db.session.execute(text("UPDATE members SET email = 'ann@example.com'"))
    db.session.commit()
    tell(ann)
    now = clock.now()
    assert not send(now, "mail")
    assert states() == ["waiting"]
    assert deliveries.due_services(now + PAUSES[0]) == ["mail"]
