"""Webhooks against a real HTTP server that fails, hangs and redirects."""

from __future__ import annotations

import hmac
import socket
from base64 import urlsafe_b64decode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import standardwebhooks
from flask import Flask
from sqlalchemy import text
from standardwebhooks.webhooks import WebhookVerificationError

from app.core import clock, jobs
from app.core.db import db
from app.core.http import outbound
from app.scores.feed import changes as feed
from app.scores.jobs import SEND_WEBHOOK
from app.scores.webhooks import replays as webhook_replays
from app.scores.webhooks import rules as webhook_rules
from app.scores.webhooks import sending as webhook_sending
from app.scores.webhooks import services as webhooks
from app.scores.webhooks.models import Webhook, WebhookDelivery
from tests.scores.receiver import Receiver, owner_of
from tests.statements import repeat_subqueries
from tests.worlds.integrator_boards import ANN, BOB, board_of, integrator, put
from workers.jobs import deliver_webhooks, send_webhook, trim_feed

NOW = datetime(2026, 9, 13, 20, tzinfo=UTC)


def send_due(webhook_id: UUID, now: datetime = NOW) -> list[str]:
    """Makes deliveries and sends all that are due."""
    webhooks.collect(now)
    states = []
    while (state := webhooks.send_next(webhook_id, now)) is not None:
        states.append(state)
    return states


def test_changes_are_delivered_signed_and_in_order(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio, other = integrator("Studio"), integrator("Other")
    board, strange = board_of(studio, "dice"), board_of(other, "darts")
    put(board, ANN, 1)  # before there was a webhook
    webhook = hook(studio.id)
    secret, key = webhook.secret, webhook.id
    for score in (2, 3):
        put(board, ANN, score)
        put(strange, ANN, score)
        assert send_due(key, clock.now()) == ["delivered"]
    assert receiver.scores == [2, 3]
    headers, body = receiver.received[0]
    assert (headers["webhook-id"], headers["Pressbox-Delivery"]) == (f"{key}-1", f"{key}/1")
    assert standardwebhooks.Webhook(secret).verify(body, headers)["changes"][0]["raw_score"] == 2
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        standardwebhooks.Webhook(secret).verify(body + b" ", headers)
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        standardwebhooks.Webhook(webhook_rules.new_secret()).verify(body, headers)
    assert send_due(key, clock.now()) == []


@pytest.mark.parametrize(("url", "events"), [("", ["score.changed"]), ("https://example.com/", [])])
def test_a_webhook_that_is_refused_writes_nothing(app: Flask, url: str, events: list[str]) -> None:
    """Nor does it assign places in the feed to changes of others."""
    studio = integrator("Studio")
    put(board_of(studio, "dice"), ANN, 1)
    places = text("SELECT array_agg(place ORDER BY id) FROM board_changes")
    before = db.session.scalar(places)
    assert isinstance(webhooks.create(studio.id, url, events), dict)
    db.session.rollback()
    assert db.session.scalar(places) == before


@pytest.mark.parametrize(("minutes", "fault"), [(-6, "too old"), (6, "too new")])
def test_a_delivery_of_another_time_is_no_longer_good(minutes: int, fault: str) -> None:
    secret, at = webhook_rules.new_secret(), clock.now() + timedelta(minutes=minutes)
    headers = webhook_rules.signed_headers(secret, "one", b"{}", at)
    with pytest.raises(WebhookVerificationError, match=fault):
        standardwebhooks.Webhook(secret).verify(b"{}", headers)


def test_a_receiver_of_version_0_1_finds_its_header_and_may_check_the_new_ones() -> None:
    # as 0.1 made them: the URL-safe alphabet
    secret = "whsec_-_-_aaaabbbbccccddddeeeeffffgggghhhhiii"
    headers = webhook_rules.signed_headers(secret, "one", b"{}", clock.now())
    seconds = headers["webhook-timestamp"]
    digest = hmac.new(secret.encode(), f"{seconds}.{{}}".encode(), "sha256").hexdigest()
    assert headers["Pressbox-Signature"] == f"t={seconds},v1={digest}"
    assert (
        standardwebhooks.Webhook(urlsafe_b64decode(secret[6:] + "==")).verify(b"{}", headers) == {}
    )


def test_only_the_events_asked_for_are_sent(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio = integrator()
    board = board_of(studio)
    key = hook(studio.id, ("score.removed",)).id
    put(board, ANN, 1)
    db.session.execute(text("DELETE FROM board_scores"))
    db.session.commit()
    send_due(key)
    assert receiver.scores == [None]


def test_a_failing_one_is_tried_again_for_a_day_and_the_next_go_on_meanwhile(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio = integrator()
    board = board_of(studio)
    webhook = hook(studio.id)
    key = webhook.id
    put(board, ANN, 1)
    webhooks.collect(NOW)
    put(board, BOB, 2)
    webhooks.collect(NOW)
    receiver.answers = [500, 503, 302, 404]
    at = NOW
    for seconds in (30, 60, 120):
        assert send_due(key, at) == ["waiting"]
        assert send_due(key, at + timedelta(seconds=seconds - 1)) == []
        at += timedelta(seconds=seconds)
    assert send_due(key, at) == ["waiting", "delivered"]
    assert receiver.scores == [1, 1, 1, 1, 2]  # the redirect was not followed
    second, first = webhooks.deliveries(webhook)
    assert (first.state, first.tries, first.status) == ("waiting", 4, 404)
    assert first.reason == "Responded with 404."
    assert first.next_at == at + webhooks.SOON - timedelta(minutes=1), (
        "4 minutes after the fourth try"
    )
    receiver.answers = [500] * 40
    while first.state == "waiting":
        at = first.next_at
        (state,) = send_due(key, at)
        db.session.refresh(first)
        assert state == first.state
    assert (first.state, first.tries, at) == ("dead", 20, NOW + timedelta(hours=24))
    receiver.answers = []
    assert (second.state, second.tries, second.status, second.reason) == ("delivered", 1, 204, None)
    assert webhooks.replay(webhook, 7, at) is None
    assert webhooks.replay(webhook, 1, at) is not None
    assert send_due(key, at) == ["delivered"]
    assert receiver.scores[-1] == 1


@pytest.mark.parametrize("answer", ["hang", "drip"])
def test_one_that_does_not_end_is_given_up(private: None, receiver: Receiver, answer: str) -> None:
    receiver.answers = [answer]
    sent = webhook_sending.send(f"{receiver.address}/hook", b"{}", {}, private=True, seconds=0.5)
    assert sent.fault == "No complete response within 0.5 s."


def test_nobody_there_and_a_redirect_are_faults(receiver: Receiver) -> None:
    receiver.answers = [302]
    sent = webhook_sending.send(receiver.address, b"{}", {}, private=True)
    assert (sent.status, sent.fault) == (
        302,
        "Responded with 302, a redirect, which we don't follow.",
    )
    assert len(receiver.received) == 1
    sent = webhook_sending.send("http://127.0.0.1:1/", b"{}", {}, private=True)
    assert sent == webhook_sending.Sent(None, "The server refused the connection.")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])
def test_a_private_address_is_refused_where_the_connection_is_made(
    receiver: Receiver, host: str
) -> None:
    port = receiver.address.rpartition(":")[2]
    sent = webhook_sending.send(f"http://{host}:{port}/", b"{}", {}, private=False)
    assert sent == webhook_sending.Sent(
        None, "The host points to a private address. Use another one."
    )
    assert receiver.received == []


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "127.8.8.8",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:8.8.8.8",
        "2002:7f00:1::",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "fec0::1",
        "feff:ffff::1",
        "3fff::1",
        "5f00::1",
        "::7f00:1",
        "2001:db8::1",
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not outbound.is_public(address)


def test_addresses_that_are_public() -> None:
    assert outbound.is_public("8.8.8.8")
    assert outbound.is_public("2606:4700:4700::1111")


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("ftp://example.com/", "starts with https"),
        ("http://example.com/", "starts with https"),
        ("https://user:secret@example.com/", "Remove the user"),
        ("https:///hook", "Include a host"),
        ("https://example.com:99999/", "web address"),
        ("https://[::1/", "web address"),
        ("https://10.0.0.1/", "public address"),
        ("https://example.com/ö", "plain characters"),
        ("https://example.com/a b", "plain characters"),
        ("https://example.com/a\r\nX: y", "plain characters"),
    ],
)
def test_addresses_that_are_refused_when_they_are_given(
    app: Flask, url: str, sentence: str
) -> None:
    faults = webhooks.create(integrator().id, url, ["score.changed"])
    assert isinstance(faults, dict)
    assert sentence in faults["url"]


def test_all_that_is_wrong_is_said_at_once_and_there_are_so_many_at_most(
    hook: Callable[..., Webhook], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST_WEBHOOKS", 1)
    studio = integrator()
    faults = webhooks.create(studio.id, "no", ["score.lost"])
    assert isinstance(faults, dict)
    assert faults.keys() == {"url", "events"}
    hook(studio.id)
    assert "which is the limit" in str(
        webhooks.create(studio.id, "https://example.com/", ["score.changed"])
    )


def test_a_lease_keeps_others_away_and_a_dead_worker_leaves_its_delivery_to_be_sent_again(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio = integrator()
    key = hook(studio.id).id
    put(board_of(studio), ANN, 1)
    webhooks.collect(NOW)
    lease = text("UPDATE webhooks SET lease = gen_random_uuid(), leased_until = :until")
    db.session.execute(lease, {"until": NOW + webhooks.LEASE})
    db.session.commit()
    assert webhooks.due(NOW) == []
    assert webhooks.send_next(key, NOW) is None
    later = NOW + webhooks.LEASE + timedelta(seconds=1)
    assert list(webhooks.due(later)) == [key]
    assert webhooks.send_next(key, later) == "delivered"
    assert receiver.scores == [1]


def test_what_was_waiting_longer_than_the_feed_keeps_is_said(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio = integrator()
    board = board_of(studio)
    webhook = hook(studio.id)
    put(board, ANN, 1)
    feed.trim(clock.now() + timedelta(days=8))
    put(board, ANN, 2)
    assert send_due(webhook.id) == ["delivered"]
    assert receiver.scores == [2]
    gap = webhooks.deliveries(webhook, "dead")
    assert [(delivery.number, delivery.reason) for delivery in gap] == [
        (1, "Changes were not delivered within 7 days and are gone. Read the boards again.")
    ]


def test_what_failed_comes_again_soon_after_the_receiver_took_another(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio = integrator()
    webhook = hook(studio.id)
    board = board_of(studio)
    put(board, ANN, 1)
    webhooks.collect(NOW)
    put(board, ANN, 2)
    late = text("UPDATE webhook_deliveries SET tries = 12, next_at = :next, first_tried_at = :now")
    db.session.execute(late, {"next": NOW + timedelta(hours=2), "now": NOW - timedelta(hours=8)})
    db.session.commit()
    assert send_due(webhook.id) == ["delivered"]
    assert send_due(webhook.id, NOW + webhooks.SOON) == ["delivered"]
    assert receiver.scores == [2, 1]


def test_dead_ones_are_sent_again_in_bulk_the_oldest_first(
    hook: Callable[..., Webhook], receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_replays, "AT_ONCE", 2)
    studio = integrator()
    webhook, spare = hook(studio.id), hook(studio.id)
    board = board_of(studio)
    for score in (1, 2, 3):
        put(board, ANN, score)
        webhooks.collect(NOW + timedelta(hours=score))
    dead = text(
        "UPDATE webhook_deliveries SET state = 'dead', ended_at = made_at, tries = 19, reason = "
        "'no'"
    )
    db.session.execute(dead)
    db.session.commit()
    (first, other) = webhook_replays.standings(studio.id)
    assert (first.webhook.id, first.waiting, first.delivered, first.dead, first.reason) == (
        webhook.id,
        0,
        0,
        3,
        "no",
    )
    assert (other.webhook.id, other.dead) == (spare.id, 3)
    hours = webhook_replays.Chosen(since=NOW + timedelta(hours=3), until=NOW + timedelta(hours=4))
    later = NOW + timedelta(days=2)
    assert webhook_replays.replay_all(spare, hours, later) == webhook_replays.Replayed(
        sent=1, more=0
    )
    repeat_subqueries()
    assert webhook_replays.replay_all(
        webhook, webhook_replays.Chosen(), later
    ) == webhook_replays.Replayed(2, 1)
    assert webhook_replays.replay_all(
        webhook, webhook_replays.Chosen(), later
    ) == webhook_replays.Replayed(1, 0)
    assert send_due(webhook.id, later) == ["delivered"] * 3
    assert receiver.scores == [1, 2, 3]
    assert webhook_replays.replay_all(
        webhook, webhook_replays.Chosen(), later
    ) == webhook_replays.Replayed(0, 0)
    assert webhook_replays.replay_all(webhook, webhook_replays.Chosen("delivered"), later).sent == 2


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("https://localhost/", "localhost is an internal name"),
        ("https://stats.internal/", "an internal name"),
        ("https://intranet/", "an internal name"),
        ("https://127.1/", "points to a private address"),
        ("https://2130706433/", "an internal name"),
        ("https://0x7f.0.0.1/", "points to a private address"),
        ("https://hooks.example.com/", "points to a private address"),
    ],
)
def test_a_name_that_leads_inside_is_refused_when_it_is_given(
    app: Flask, monkeypatch: pytest.MonkeyPatch, url: str, sentence: str
) -> None:
    look = socket.getaddrinfo

    def lookup(host: str, port: int, **how: int) -> object:
        return look("10.0.0.7" if host == "hooks.example.com" else host, port, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    faults = webhooks.create(integrator().id, url, ["score.changed"])
    assert isinstance(faults, dict)
    assert sentence in faults["url"]


def test_running_the_jobs_twice_changes_nothing(
    hook: Callable[..., Webhook], receiver: Receiver
) -> None:
    studio = integrator()
    key = hook(studio.id).id
    put(board_of(studio), ANN, 1)
    for _ in range(2):
        deliver_webhooks.run()
    assert db.session.query(WebhookDelivery).count() == 1
    queued = jobs.queue(jobs.WEBHOOKS_QUEUE).jobs
    assert [(job.func_name, job.args) for job in queued] == [(SEND_WEBHOOK.name, [owner_of(key)])]
    for _ in range(2):
        send_webhook.run(owner_of(key))
    assert receiver.scores == [1]
    for _ in range(2):
        trim_feed.run()
    assert db.session.query(WebhookDelivery).count() == 1
    assert webhooks.trim(clock.now() + timedelta(days=8)) == 1
