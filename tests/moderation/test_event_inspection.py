"""Inspection of an event of the record.

Its message from Kafka or the archive, its revisions, and what it earned.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import clock
from app.core.blob_store import blob_store
from app.embedded.stack import Stack
from app.moderation import event_inspection
from app.record import events as ev
from app.stream.messages import Message
from scorer_console.record.numbering import Entry
from tests.stream.archives import OLD, run
from tests.worlds.entered_game import publish, take_in
from tests.worlds.games import make_game, touchdown_drive
from tests.worlds.scorer import leave, submit

SignIn = Callable[..., FlaskClient]
RULING = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=90)


@pytest.fixture
def recorded(app: Flask, stack: Stack) -> tuple[str, list[Message]]:
    """A drive whose touchdown, event 9, is overturned by event 10; published and taken in."""
    game = f"g-{uuid4().hex[:8]}"
    make_game(game)
    bodies = [*touchdown_drive()[:9], ev.Overturn(event=9, ruling=RULING, reason="knee was down")]
    submit(game, [Entry(body, f"start:{i}") for i, body in enumerate(bodies)], clock.now())
    leave(game, clock.now())
    sent = publish(stack.settings, game, OLD)
    take_in(sent, clock.now())
    return game, sent


def test_an_event_is_shown_with_message_place_revisions_and_ledger(
    recorded: tuple[str, list[Message]], sign_in: SignIn
) -> None:
    game, sent = recorded
    moderator = sign_in("moderator")
    page = moderator.get(f"/moderation/events/{game}/9")
    assert page.status_code == 200
    for words in (
        f"partition {sent[8].partition}, offset {sent[8].offset}",
        "From Kafka",
        "Revision 0",
        "no longer valid",
        "Revision 10",
        "Overturn: event 10 about event 9",
        "removed by event 10",
    ):
        assert words in page.text, words
    assert moderator.get(f"/moderation/events/{game}/99").status_code == 404
    assert moderator.get(f"/moderation/events/{game}/{2**40}").status_code == 404
    assert sign_in().get(f"/moderation/events/{game}/9").status_code == 404


def test_an_event_that_waits_to_be_published_says_so(app: Flask, sign_in: SignIn) -> None:
    make_game("g1")
    submit("g1", [Entry(touchdown_drive()[0], "start:0")], clock.now())
    page = sign_in("moderator").get("/moderation/events/g1/1").text
    for words in (
        "not published yet",
        "It was not published.",
        "Not in the record yet.",
        "None.",
    ):
        assert words in page, words


def test_a_message_that_kafka_does_not_keep_any_more_comes_from_the_archive(
    recorded: tuple[str, list[Message]], stack: Stack
) -> None:
    game, sent = recorded
    missing_offset = sent[8].offset + 1_000_000
    assert event_inspection.event_message(game, 9, sent[8].partition, missing_offset).fault
    assert run(stack.settings, blob_store(), game).messages == len(sent)
    message = event_inspection.event_message(game, 9, sent[8].partition, missing_offset)
    assert message.fault == ""
    assert message.source.startswith("the archive (")
    assert '"event_number": 9' in message.text
