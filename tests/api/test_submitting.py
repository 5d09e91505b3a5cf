"""What a score that a player sends costs the database, on its way to Kafka."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask

from app.boards.catalogue import queries as catalogue
from app.core import clock
from app.scores.submission import attempts, submit
from app.scores.submission.claims import Claim, Origin, Submitted
from tests.statements import count_statements
from tests.worlds.callers import Callers
from tests.worlds.claims import claim


@pytest.fixture(autouse=True)
def lasting(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka keeps what it takes, so that a score is answered when it is there."""
    monkeypatch.setitem(
        app.config, "PRESSBOX", replace(app.config["PRESSBOX"], kafka_in_memory=False)
    )


def test_a_players_score_takes_few_statements(callers: Callers) -> None:
    """Token and sanctions; game and mode; player and attempt; the game as the door sees it.

    The board; and a board that is not there yet is counted in PostgreSQL, by four.
    """
    grant, token = attempts.issue(
        attempts.AttemptRequest(callers.mode.id, callers.player_id, 100, timedelta(hours=1)),
        clock.now(),
    )
    body = {"attempt_id": str(grant.attempt_id), "raw_score": 7, "attempt_token": token}
    with count_statements() as counted:
        answer = callers.player.post(f"{callers.mode_path}/scores", json=body)
    assert answer.status_code == 202, answer.text
    assert counted() <= 9


def test_a_servers_scores_take_the_same_statements_however_many(callers: Callers) -> None:
    def vouched(count: int) -> list[Claim]:
        return [
            replace(claim(callers.mode, callers.player_id, 5), trusted=True, token="")
            for _ in range(count)
        ]

    counts = []
    for claims in (vouched(1), vouched(30)):
        with count_statements() as counted:
            both = catalogue.find_game_and_mode(callers.game.slug, callers.mode.slug)
            assert both is not None
            outcomes = submit.submit_all(
                [replace(claim, mode=both[1]) for claim in claims], Origin(), clock.now()
            )
        assert [outcome.status for outcome in outcomes if isinstance(outcome, Submitted)] == [
            "accepted"
        ] * len(claims)
        counts.append(counted())
    assert counts[1] == counts[0]
