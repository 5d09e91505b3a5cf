"""The page of switches, the list of devices, and the end of a mail without a sign-in."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from email.message import EmailMessage
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text
from werkzeug.test import TestResponse

from app.accounts import push_devices
from app.accounts import services as accounts
from app.accounts.models import Member, PushDevice
from app.core import clock
from app.core.db import db
from app.fantasy.notices import choices
from app.moderation import privacy
from tests.conftest import PASSWORD
from tests.fantasy.notices.push_service import PushService
from tests.fantasy.notices.test_deliveries import send, tell

PAGE = "/notices/choices"


@pytest.fixture
def ann(sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    return sign_in(username="ann")


def id_of(username: str) -> int:
    person = accounts.find_member(username)
    assert person is not None
    return person.id


def add(client: FlaskClient, service: PushService, name: str, **changes: Any) -> TestResponse:
    subscription = asdict(service.subscribe(name).subscription)
    body = {
        "endpoint": subscription["endpoint"],
        "expirationTime": None,
        "keys": {**subscription, "endpoint": None},
    } | changes
    return client.post("/notices/devices", json=body, headers={"User-Agent": "Firefox Linux"})


def checked(page: str) -> list[str]:
    return re.findall(r'name="((?:push|mail)-\w+)" value="1" checked', page)


def test_without_settings_the_page_says_so_and_offers_nothing(ann: FlaskClient) -> None:
    page = ann.get(PAGE).text
    assert "Push notifications are not available here yet." in page
    assert "Email notifications are not available here yet." in page
    assert 'type="checkbox"' not in page
    assert "push.js" not in page
    assert ann.post("/notices/devices", json={}).status_code == 404


def test_each_kind_is_switched_alone_and_all_are_off_at_first(
    ann: FlaskClient, service: PushService, mails: list[EmailMessage]
) -> None:
    assert checked(ann.get(PAGE).text) == []
    assert "mail-result" not in ann.get(PAGE).text, "she has no address yet"
    db.session.execute(text("UPDATE members SET email = 'ann@example.com'"))
    db.session.commit()
    answer = ann.post(PAGE, data={"push-correction": "1", "mail-result": "1", "push-rules": "1"})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{PAGE}?done=saved")
    assert checked(ann.get(answer.headers["Location"]).text) == ["mail-result", "push-correction"]
    ann.post(PAGE, data={"push-correction": "1"})
    assert checked(ann.get(PAGE).text) == ["push-correction"]


def test_what_the_page_does_not_offer_stays_as_it_was(
    ann: FlaskClient, service: PushService
) -> None:
    choices.choose(id_of("ann"), mail=["result"])
    ann.post(PAGE, data={"push-deadline": "1"})
    assert choices.of(id_of("ann")) == choices.Choices(
        frozenset({"deadline"}), frozenset({"result"})
    )


def test_a_device_is_added_listed_and_removed_and_its_address_is_never_shown(
    ann: FlaskClient, service: PushService, sign_in: Callable[..., FlaskClient]
) -> None:
    answer = add(ann, service, "phone")
    assert (answer.status_code, answer.json) == (200, {"next": f"{PAGE}?done=added"})
    page = ann.get(PAGE).text
    assert "Firefox on Linux" in page
    assert "This device" in page
    assert "Nothing sent yet." in page
    assert service.address not in page
    (device,) = push_devices.of(id_of("ann"))
    others = sign_in(username="bob")
    assert "Firefox on Linux" not in others.get(PAGE).text
    assert others.post(f"/notices/devices/{device.id}/remove").status_code == 404
    assert ann.post(f"/notices/devices/{device.id}/remove").status_code == 303
    assert list(push_devices.of(id_of("ann"))) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"endpoint": None},
        {"keys": {}},
        {"keys": {"p256dh": "AA", "auth": "AA"}},
        {"endpoint": "ftp://x/y"},
    ],
    ids=["no address", "no keys", "bad keys", "no web address"],
)
def test_a_subscription_that_is_none_is_refused_in_words(
    ann: FlaskClient, service: PushService, changes: dict[str, Any]
) -> None:
    answer = add(ann, service, "phone", **changes)
    assert answer.status_code == 422
    assert answer.json is not None
    assert answer.json["detail"]


def test_signing_out_ends_the_pushes_of_that_device_and_no_other(
    ann: FlaskClient, service: PushService, sign_in: Callable[..., FlaskClient]
) -> None:
    other = sign_in(username="ann")
    add(ann, service, "phone")
    add(other, service, "laptop")
    ann.post("/sign-out")
    (left,) = push_devices.of(id_of("ann"))
    assert left.endpoint.endswith("/laptop")
    third = sign_in(username="ann")
    third.post("/account/password", data={"current": PASSWORD, "new": "a window full of rain"})
    assert list(push_devices.of(id_of("ann"))) == []


def test_devices_and_switches_are_in_the_download_without_what_opens_a_door_and_go_with_the_member(
    ann: FlaskClient, service: PushService
) -> None:
    add(ann, service, "phone")
    ann.post(PAGE, data={"push-result": "1"})
    tell(id_of("ann"))
    send()
    exported = privacy.export(id_of("ann"))
    assert exported["push_devices"][0]["name"] == "Firefox on Linux"
    assert exported["push_devices"][0]["pushed_at"] is not None
    assert not {"endpoint", "p256dh", "auth", "digest"} & exported["push_devices"][0].keys()
    assert exported["notice_choices"][0]["push"] == ["result"]
    assert exported["notice_deliveries"][0]["state"] == "sent"
    member_id = id_of("ann")
    assert isinstance(privacy.erase(member_id, by=member_id, reason="", now=clock.now()), Member)
    assert db.session.scalars(select(PushDevice)).all() == []
    for table in ("notice_choices", "notice_deliveries"):
        assert db.session.scalar(text(f"SELECT count(*) FROM {table}")) == 0


def test_the_link_in_a_mail_ends_its_kind_with_one_tap_and_by_the_mail_programs_button(
    app: Flask, client: FlaskClient, ann: FlaskClient
) -> None:
    ann_id = id_of("ann")
    choices.choose(ann_id, mail=["result", "correction"])
    stop = f"/notices/stop/{choices.stop_token(ann_id, 'result')}"
    page = client.get(stop)
    assert "Stop emails about results?" in page.text
    assert choices.of(ann_id).mail == {"result", "correction"}, "looking at it changes nothing"
    app.config["WTF_CSRF_ENABLED"] = True
    try:
        answer = client.post(stop, data={"List-Unsubscribe": "One-Click"})
    finally:
        app.config["WTF_CSRF_ENABLED"] = False
    assert (answer.status_code, "No more emails about results" in answer.text) == (200, True)
    assert choices.of(ann_id).mail == {"correction"}
    assert client.post(stop).status_code == 200
    assert client.post(f"{stop}x").status_code == 404
