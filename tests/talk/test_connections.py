"""What Pressbox posts goes to Discord, Slack and webhooks, each in its format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.db import db
from app.core.refusals import Refusal
from app.fantasy.notices.models import Notice
from app.talk import connections, formats, news
from app.talk.models import Connection, ConnectionDelivery
from tests.scores.receiver import Receiver, running_receiver
from tests.talk.conftest import NOW, Talk

SignIn = Callable[..., FlaskClient]
PAGE = "/leagues/the-row/settings/connections"
SECRET = "https://discord.com/api/webhooks/123/very-secret-token"
MESSAGE = formats.Message(
    "The *Row*",
    "result",
    "@everyone <b> beat Bob & Co, 3.00 to 2.00.",
    "https://pressbox.example/leagues/the-row",
    datetime(2026, 9, 15, tzinfo=UTC),
)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as receiver:
        yield receiver


@pytest.fixture
def private(app: Flask) -> Iterator[None]:
    """Addresses of this machine are allowed, as when somebody tries Pressbox out."""
    settings = app.config["PRESSBOX"]
    app.config["PRESSBOX"] = replace(settings, webhooks_private=True)
    yield
    app.config["PRESSBOX"] = settings


def connect(talk: Talk, receiver: Receiver, service: str = formats.JSON) -> Connection:
    connection = connections.add(talk.league.id, service, receiver.address)
    assert isinstance(connection, Connection), connection
    return connection


def send_all(now: datetime = NOW) -> list[str | None]:
    return [connections.send_next(connection_id, now) for connection_id in connections.due(now)]


def test_discord_pings_nobody_and_shows_names_as_they_are() -> None:
    body = json.loads(formats.body(formats.DISCORD, MESSAGE))
    assert body["allowed_mentions"] == {"parse": []}
    assert body["content"].startswith(
        "**The \\*Row\\***\n\\@everyone \\<b\\> beat Bob & Co, 3.00 to 2.00."
    )


def test_slack_gets_text_and_a_block_with_its_control_characters_escaped() -> None:
    body = json.loads(formats.body(formats.SLACK, MESSAGE))
    assert "@everyone &lt;b&gt; beat Bob &amp; Co" in body["text"]
    assert body["blocks"][0]["text"]["type"] == "mrkdwn"


def test_a_webhook_gets_plain_json() -> None:
    assert json.loads(formats.body(formats.JSON, MESSAGE)) == {
        "league": "The *Row*",
        "kind": "result",
        "text": MESSAGE.text,
        "url": MESSAGE.page_url,
        "at": "2026-09-15T00:00:00+00:00",
    }


@pytest.mark.parametrize(
    ("service", "url", "says"),
    [
        ("discord", "https://example.com/api/webhooks/1/x", "A Discord webhook begins with"),
        ("slack", "https://discord.com/api/webhooks/1/x", "A Slack webhook begins with"),
        ("json", "http://example.com/hook", "https://"),
        ("json", "https://127.0.0.1/hook", "Use a public address."),
        ("json", "https://pressbox.internal/hook", "an internal name"),
        ("mail", "https://example.com", "Choose a service"),
    ],
)
def test_an_address_must_be_public_and_of_its_service(
    talk: Talk, service: str, url: str, says: str
) -> None:
    refusal = connections.add(talk.league.id, service, url)
    assert isinstance(refusal, Refusal)
    assert says in refusal.text


def test_what_pressbox_posts_is_delivered_once(
    talk: Talk, private: None, receiver: Receiver
) -> None:
    connect(talk, receiver)
    news.post_news(NOW)
    assert [*send_all(), *send_all(), *send_all()] == ["delivered", "delivered"]
    texts = [json.loads(body)["text"] for _, body in receiver.received]
    assert texts == ["Bob FC joined the league.", "Cat FC joined the league."]


def test_what_members_write_stays_here(talk: Talk, private: None, receiver: Receiver) -> None:
    connect(talk, receiver)
    talk.say("ann", "Hello")
    assert send_all() == []


def test_a_minors_team_is_not_named_outside(talk: Talk, private: None, receiver: Receiver) -> None:
    talk.member("bob").is_minor = True
    talk.member("bob").display_name = "Player 12ab34"
    db.session.commit()
    connect(talk, receiver)
    news.post_news(NOW)
    send_all()
    assert json.loads(receiver.received[0][1])["text"] == "Player 12ab34 joined the league."


def test_a_failed_delivery_is_tried_again_in_order(
    talk: Talk, private: None, receiver: Receiver
) -> None:
    connect(talk, receiver)
    receiver.answers = [500]
    news.post_news(NOW)
    assert send_all() == ["waiting"]
    assert send_all(NOW + timedelta(seconds=10)) == []
    later = NOW + timedelta(minutes=1)
    assert [*send_all(later), *send_all(later)] == ["delivered", "delivered"]
    texts = [json.loads(body)["text"] for _, body in receiver.received]
    assert texts == ["Bob FC joined the league."] * 2 + ["Cat FC joined the league."]


def test_an_address_that_is_gone_is_switched_off_with_a_notice(
    talk: Talk, private: None, receiver: Receiver
) -> None:
    connection = connect(talk, receiver)
    receiver.answers = [404]
    news.post_news(NOW)
    assert [*send_all(), *send_all()] == ["dead"]
    db.session.refresh(connection)
    assert connection.stop_reason == "Responded with 404."
    titles = db.session.scalars(
        db.select(Notice.title).filter_by(member_id=talk.leagues.ids["ann"])
    )
    assert "Any webhook (JSON) was switched off for The Row" in set(titles)
    connections.send_test(connection, NOW)
    assert send_all() == ["delivered"]
    assert connection.stopped_at is None
    assert len(receiver.received) == 2, "what was missed is left out"


def test_after_a_day_of_tries_the_address_is_switched_off(
    talk: Talk, private: None, receiver: Receiver
) -> None:
    connection = connect(talk, receiver)
    connections.send_test(connection, NOW)
    receiver.answers = [500, 500]
    assert send_all() == ["waiting"]
    assert send_all(NOW + timedelta(hours=25)) == ["dead"]
    db.session.refresh(connection)
    assert connection.stopped_at is not None


def test_the_address_is_never_shown_again(talk: Talk, sign_in: SignIn) -> None:
    ann = sign_in(username="ann")
    answer = ann.post(PAGE, data={"service": "discord", "url": SECRET})
    assert answer.status_code == 303
    page = ann.get(PAGE).text
    assert "very-secret" not in page
    assert "https://discord.com/…oken" in page


def test_only_the_commissioner_sees_tests_and_removes_connections(
    talk: Talk, sign_in: SignIn
) -> None:
    connection = connections.add(talk.league.id, "discord", SECRET)
    assert isinstance(connection, Connection)
    ann, bob = sign_in(username="ann"), sign_in(username="bob")
    assert bob.get(PAGE).status_code == 403
    for act in ("test", "remove"):
        assert bob.post(f"{PAGE}/{connection.id}/{act}").status_code == 403
    assert ann.post(f"{PAGE}/{connection.id}/test").status_code == 303
    assert "1 waiting to be sent" in ann.get(PAGE).text
    assert ann.post(f"{PAGE}/{connection.id}/remove").status_code == 303
    assert db.session.query(ConnectionDelivery).count() == 0


def test_a_league_has_five_connections_at_most(talk: Talk) -> None:
    for _ in range(connections.MOST):
        assert isinstance(connections.add(talk.league.id, "discord", SECRET), Connection)
    assert connections.add(talk.league.id, "discord", SECRET) is connections.TOO_MANY


def test_old_deliveries_are_deleted(talk: Talk, private: None, receiver: Receiver) -> None:
    connections.send_test(connect(talk, receiver), NOW)
    send_all()
    connections.trim(NOW + timedelta(days=6))
    assert db.session.query(ConnectionDelivery).count() == 1
    connections.trim(NOW + timedelta(days=8))
    assert db.session.query(ConnectionDelivery).count() == 0
