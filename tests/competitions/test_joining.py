"""Joining windows of competitions and taking attempts.

Once, in order, and never more than there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.accounts.models import Player
from app.competitions import joining
from app.competitions.joining import Taken
from app.competitions.models import Competition, CompetitionAttempt, CompetitionEntry
from app.core.db import db
from app.core.refusals import Refusal
from tests.at_once import at_once
from tests.worlds.competitions import START, Arena
from tests.worlds.score_log import Log, score_event

AT_ONCE = 12


def refusal(answer: object) -> str:
    assert isinstance(answer, Refusal), answer
    return answer.code


def take(
    competition: Competition, player: UUID, window: int, attempt: UUID | None = None
) -> Taken | Refusal:
    return joining.take_attempt(competition.id, player, attempt, Arena.at(window))


def test_players_fill_cohorts_in_the_order_in_which_they_join(arena: Arena) -> None:
    cup = arena.live(cohort_size=2)
    for player in arena.players("ann", "bob", "cid"):
        arena.join(cup, player, 1)
    assert [(name, cohort) for name, _, cohort, _, _ in arena.entries(cup, 1)] == [
        ("ann", 1),
        ("bob", 1),
        ("cid", 2),
    ]


def test_joining_again_changes_nothing(arena: Arena) -> None:
    cup = arena.live(cohort_size=2)
    (ann,) = arena.players("ann")
    first = arena.join(cup, ann, 1, minutes=1)
    again = arena.join(cup, ann, 1, minutes=9)
    assert (again.id, again.joined_at) == (first.id, first.joined_at)
    assert len(arena.entries(cup, 1)) == 1


def test_before_the_first_window_players_join_it(arena: Arena) -> None:
    cup = arena.live()
    (ann,) = arena.players("ann")
    entry = joining.join(cup.id, ann, START - arena.at(1, 30).resolution, by_server=True)
    assert isinstance(entry, CompetitionEntry)
    assert (entry.window_number, entry.counts_from) == (1, START)


@pytest.mark.parametrize(
    ("changes", "by_server", "minutes", "code"),
    [
        ({"join_minutes": 10}, True, 10, joining.TOO_LATE),
        ({"join": "server"}, False, 1, joining.NOT_ALLOWED),
        ({"join": "invited"}, False, 1, joining.NOT_ALLOWED),
        ({"join": "invited"}, True, 1, joining.NOT_ALLOWED),
    ],
)
def test_who_may_not_join_is_told_why(
    arena: Arena, changes: dict[str, Any], by_server: bool, minutes: int, code: str
) -> None:
    cup = arena.live(**changes)
    (ann,) = arena.players("ann")
    assert refusal(joining.join(cup.id, ann, arena.at(1, minutes), by_server=by_server)) == code
    assert arena.entries(cup, 1) == []


def test_who_is_invited_joins(arena: Arena) -> None:
    cup = arena.live(join="invited")
    (ann,) = arena.players("ann")
    joining.invite(cup.id, [ann], arena.at(1))
    joining.invite(cup.id, [ann], arena.at(1))
    assert isinstance(joining.join(cup.id, ann, arena.at(1), by_server=False), CompetitionEntry)


def test_a_banned_player_does_not_join(arena: Arena) -> None:
    cup = arena.live()
    (ann,) = arena.players("ann")
    db.session.get_one(Player, ann).banned_until = arena.at(3)
    db.session.commit()
    assert refusal(joining.join(cup.id, ann, arena.at(1), by_server=True)) == joining.NOT_ALLOWED


def test_while_the_window_before_is_settled_its_players_wait_to_be_placed(arena: Arena) -> None:
    cup = arena.live(attempts=2)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    attempt = uuid4()
    take(cup, ann, 1, attempt)
    arena.score(ann, 5, arena.at(1), attempt)
    assert refusal(joining.join(cup.id, ann, arena.at(2, 1), by_server=True)) == joining.SETTLING
    assert refusal(joining.take_attempt(cup.id, ann, None, arena.at(2, 1))) == joining.SETTLING
    arena.settle(1)
    assert arena.join(cup, ann, 2).carried
    assert isinstance(take(cup, ann, 2), Taken)


def test_who_sat_a_window_out_comes_back_into_their_tier(arena: Arena) -> None:
    cup = arena.live(tiers=[{"title": "Bronze", "promote": 1}, {"title": "Gold"}])
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    arena.score(ann, 5, arena.at(1))
    arena.settle(1)
    assert arena.settle(2) == [2]
    assert arena.entries(cup, 3) == []
    assert arena.join(cup, ann, 3, minutes=20).tier == 2


def test_after_the_last_attempt_the_next_is_refused_in_words_and_nothing_is_written(
    arena: Arena,
) -> None:
    cup = arena.live(attempts=2)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    taken = [take(cup, ann, 1) for _ in range(2)]
    assert [(attempt.number, attempt.left) for attempt in taken if isinstance(attempt, Taken)] == [
        (1, 1),
        (2, 0),
    ]
    refused = take(cup, ann, 1)
    assert refusal(refused) == joining.NO_ATTEMPTS
    assert isinstance(refused, Refusal)
    assert refused.text == (
        "All 2 attempts of window 1, which ends at 2026-03-02T13:00:00+00:00, were used. "
        "No more scores count in it."
    )
    assert db.session.scalar(text("SELECT count(*) FROM competition_attempts")) == 2
    assert arena.join(cup, ann, 1).attempts == 2


def test_an_attempt_asked_for_again_is_the_same_and_spends_none(arena: Arena) -> None:
    cup = arena.live(attempts=1)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    attempt = uuid4()
    first, again = take(cup, ann, 1, attempt), take(cup, ann, 1, attempt)
    assert isinstance(first, Taken)
    assert isinstance(again, Taken)
    assert (first.number, first.left) == (again.number, again.left) == (1, 0)


def test_an_attempt_of_another_window_or_of_a_score_is_refused(arena: Arena) -> None:
    cup = arena.live(attempts=2)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    attempt, sent = uuid4(), uuid4()
    take(cup, ann, 1, attempt)
    arena.score(ann, 5, arena.at(1), attempt)
    arena.score(ann, 6, arena.at(1), sent)
    arena.settle(1)
    assert refusal(take(cup, ann, 2, attempt)) == joining.REUSED
    assert refusal(take(cup, ann, 2, sent)) == joining.REUSED


def test_without_joining_there_is_no_attempt(arena: Arena) -> None:
    cup = arena.live(attempts=2)
    (ann,) = arena.players("ann")
    assert refusal(take(cup, ann, 1)) == joining.NOT_JOINED
    assert (
        refusal(joining.take_attempt(cup.id, ann, None, START - (arena.at(1) - START)))
        == joining.NO_WINDOW
    )
    assert refusal(take(cup, ann, 4)) == joining.NO_WINDOW


def test_of_limited_attempts_only_scores_of_those_that_were_taken_count(arena: Arena) -> None:
    cup = arena.live(attempts=1)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    attempt = uuid4()
    take(cup, ann, 1, attempt)
    arena.score(ann, 5, arena.at(1), attempt)
    arena.score(ann, 900, arena.at(1))
    arena.settle(1)
    assert (
        db.session.scalar(text("SELECT score FROM competition_entries WHERE window_number = 1"))
        == 5
    )


def test_an_event_that_comes_again_counts_once(arena: Arena) -> None:
    arena.make_mode(aggregation="sum")
    cup = arena.live(attempts=2)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    log = Log()
    for score in (5, 6):
        attempt = uuid4()
        take(cup, ann, 1, attempt)
        event = score_event(arena.mode, ann, score, arena.at(1), attempt_id=attempt)
        log.put(event, event)
    log.consume()
    log.committed = [0]  # all of it comes once more, as after a crash
    log.consume()
    arena.settle(1)
    assert (
        db.session.scalar(text("SELECT score FROM competition_entries WHERE window_number = 1"))
        == 11
    )


def test_of_many_who_ask_at_once_no_more_attempts_are_taken_than_there_are(
    app: Flask, arena: Arena
) -> None:
    cup = arena.live(attempts=3)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    cup_id = cup.id
    answers = at_once(
        app, *[lambda: joining.take_attempt(cup_id, ann, None, Arena.at(1)) for _ in range(AT_ONCE)]
    )
    kinds = Counter("taken" if isinstance(answer, Taken) else answer.code for answer in answers)
    assert kinds == {"taken": 3, joining.NO_ATTEMPTS: AT_ONCE - 3}
    assert sorted(answer.number for answer in answers if isinstance(answer, Taken)) == [1, 2, 3]
    rows = db.session.scalars(
        select(CompetitionAttempt.number).order_by(CompetitionAttempt.number)
    ).all()
    assert list(rows) == [1, 2, 3]


def test_one_attempt_that_many_ask_for_at_once_is_spent_once(app: Flask, arena: Arena) -> None:
    cup = arena.live(attempts=3)
    (ann,) = arena.players("ann")
    arena.join(cup, ann, 1)
    cup_id, attempt = cup.id, uuid4()
    answers = at_once(
        app,
        *[lambda: joining.take_attempt(cup_id, ann, attempt, Arena.at(1)) for _ in range(AT_ONCE)],
    )
    assert {(answer.number, answer.left) for answer in answers} == {(1, 2)}


def test_players_who_join_at_once_each_have_a_seat_and_cohorts_are_full(
    app: Flask, arena: Arena
) -> None:
    cup = arena.live(cohort_size=4)
    players = arena.players(*[f"p{number}" for number in range(AT_ONCE)])
    cup_id = cup.id

    def joiner(player: UUID) -> Callable[[], Any]:
        return lambda: joining.join(cup_id, player, Arena.at(1), by_server=True) and None

    at_once(app, *[joiner(player) for player in players])
    query = select(CompetitionEntry.seat, CompetitionEntry.cohort).order_by(CompetitionEntry.seat)
    assert [tuple(row) for row in db.session.execute(query)] == [
        (n + 1, n // 4 + 1) for n in range(AT_ONCE)
    ]


def test_one_player_who_joins_many_times_at_once_has_one_seat(app: Flask, arena: Arena) -> None:
    cup = arena.live()
    (ann,) = arena.players("ann")
    cup_id = cup.id
    answers = at_once(
        app,
        *[
            lambda: getattr(joining.join(cup_id, ann, Arena.at(1), by_server=True), "seat", 0)
            for _ in range(AT_ONCE)
        ],
    )
    assert answers == [1] * AT_ONCE
    assert len(arena.entries(cup, 1)) == 1
