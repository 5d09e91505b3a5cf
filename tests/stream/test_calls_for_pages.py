"""Calls that pages make to the brokers: no page waits longer than it may."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from flask import Flask

from app.settings import Settings
from app.stream.kafka import AnswerTimeoutError, ask_for_page
from tests.waiting import patience


@pytest.fixture
def settings(app: Flask) -> Settings:
    configured: Settings = app.config["PRESSBOX"]
    return replace(configured, kafka_page_seconds=patience(30))


def test_a_page_gets_the_answer(settings: Settings) -> None:
    assert ask_for_page(settings, lambda: 7) == 7


def test_a_broker_that_hangs_holds_nobody_and_no_more_than_four_threads(settings: Settings) -> None:
    may_answer, begun = threading.Event(), list[int]()

    def hang() -> None:
        begun.append(1)
        assert may_answer.wait(patience(30))

    impatient = replace(settings, kafka_page_seconds=0.05)
    try:
        for _ in range(6):
            with pytest.raises(AnswerTimeoutError, match="within"):
                ask_for_page(impatient, hang)
        assert len(begun) == 4
    finally:
        may_answer.set()
    assert ask_for_page(settings, lambda: 7) == 7, "the others were cancelled"
    assert len(begun) == 4


def test_a_fault_of_the_brokers_is_raised(settings: Settings) -> None:
    def fail() -> None:
        raise TimeoutError("of the broker")

    with pytest.raises(TimeoutError, match="of the broker"):
        ask_for_page(settings, fail)
