"""A dead letter is kept once; none is lost when a new broker restarts its offsets at 0."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.stream.dead_letters import dead_letter
from app.stream.messages import Message
from app.stream.models import DeadLetter
from app.stream.refused_messages import refuse
from app.stream.topics import GAME_EVENTS


def letter(value: bytes) -> Message:
    return Message(GAME_EVENTS.name, 0, 5, "g1", value)


def keep_ours(message: Message) -> int:
    stored = dead_letter([(message, "no such game")])
    db.session.commit()
    return stored


def keep_strangers(message: Message) -> int:
    return refuse([(message, "unsigned")], clock.now())


@pytest.mark.parametrize("keep", [keep_ours, keep_strangers])
def test_the_same_place_on_a_new_broker_is_another_letter(
    app: Flask, keep: Callable[[Message], int]
) -> None:
    assert keep(letter(b"of the first broker")) == 1
    assert keep(letter(b"of the first broker")) == 0
    assert keep(letter(b"of the second broker")) == 1
    payloads = db.session.scalars(select(DeadLetter.payload).order_by(DeadLetter.id)).all()
    assert payloads == [b"of the first broker", b"of the second broker"]
