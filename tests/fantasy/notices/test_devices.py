"""Devices with push notifications: whose they are, where they may be, and how many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.accounts import push_devices
from app.accounts.models import Member, PushDevice
from app.core import clock
from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.notices import choices
from app.fantasy.notices.models import NoticeDelivery
from tests.fantasy.notices.push_service import PushService
from tests.fantasy.notices.test_deliveries import device, send, tell


@pytest.fixture
def ann(member: Callable[..., Member]) -> int:
    """She wants results pushed."""
    member_id = int(member("ann").id)
    choices.choose(member_id, push=["result"])
    return member_id


@pytest.mark.parametrize(
    ("endpoint", "fault"),
    [
        ("https://127.0.0.1/x", "Use a public address."),
        ("http://fcm.googleapis.com/x", "starts with https://"),
        ("https://internal.example.com/x", "send to your browser's push service"),
        ("https://evilpush.apple.com.example.com/x", "send to your browser's push service"),
        ("https://push.apple.com@example.com/x", "Remove the user"),
    ],
)
def test_pushes_go_to_known_public_services_by_https_alone(
    app: Flask,
    service: PushService,
    ann: int,
    endpoint: str,
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(app.config, "PRESSBOX", replace(app.config["PRESSBOX"], push_private=False))
    subscription = replace(service.subscribe("phone").subscription, endpoint=endpoint)
    refused = push_devices.add(ann, subscription, "", "d", clock.now())
    assert isinstance(refused, Refusal)
    assert fault in refused.text
    known = replace(subscription, endpoint="https://web.push.apple.com/x")
    assert isinstance(push_devices.add(ann, known, "", "d", clock.now()), PushDevice)


def test_an_address_inside_is_refused_where_the_connection_is_made(
    app: Flask, service: PushService, ann: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name of a known service that leads inside: nothing is sent there."""
    device(service, ann, "phone")
    tell(ann)
    closed = replace(app.config["PRESSBOX"], push_private=False, push_services="localhost")
    monkeypatch.setitem(app.config, "PRESSBOX", closed)
    db.session.execute(text("UPDATE push_devices SET endpoint = 'https://localhost/phone'"))
    db.session.commit()
    assert not send()
    reason = db.session.scalar(select(NoticeDelivery.reason))
    assert reason == "The host points to a private address. Use another one."


def test_a_browser_is_one_members_and_only_its_own_secret_moves_it(
    service: PushService, ann: int, member: Callable[..., Member]
) -> None:
    bob = int(member("bob").id)
    subscription = service.subscribe("phone").subscription
    now = clock.now()
    first, again = (push_devices.add(ann, subscription, "", "d", now) for _ in range(2))
    assert isinstance(first, PushDevice)
    assert isinstance(again, PushDevice)
    assert first.id == again.id
    guessed = replace(subscription, auth=service.subscribe("other").subscription.auth)
    assert isinstance(push_devices.add(bob, guessed, "", "d", now), Refusal)
    assert len(push_devices.of(ann)) == 1
    assert isinstance(push_devices.add(bob, subscription, "", "d", now), PushDevice)
    assert (len(push_devices.of(ann)), len(push_devices.of(bob))) == (0, 1)


def test_a_member_has_so_many_devices_and_no_more(service: PushService, ann: int) -> None:
    for number in range(push_devices.MOST_DEVICES):
        device(service, ann, f"d{number}")
    device(service, ann, "d0")
    refused = push_devices.add(
        ann, service.subscribe("one-more").subscription, "", "d", clock.now()
    )
    assert isinstance(refused, Refusal)
    assert refused.code == "too_many"


def test_keys_that_are_none_are_refused(service: PushService, ann: int) -> None:
    subscription = service.subscribe("phone").subscription
    for bad in (
        replace(subscription, p256dh="AAAA"),
        replace(subscription, p256dh="é"),
        replace(subscription, auth="short"),
    ):
        refused = push_devices.add(ann, bad, "", "d", clock.now())
        assert isinstance(refused, Refusal)
        assert refused.code == "keys"
