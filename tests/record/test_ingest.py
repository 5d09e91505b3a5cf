from __future__ import annotations

import itertools

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from app.core.db import db
from app.fantasy.scoring.models import PlayerPoints
from app.record import events as ev
from app.record.ingest import ingest_batch
from app.record.models import GameState, RecordedEvent, StatLine
from app.record.play_tables import PLAY_ROWS
from app.stream.messages import Message
from app.stream.models import DeadLetter
from tests.killing import kill_before_statement
from tests.record.deliveries import derived_rows, forget
from tests.worlds.games import NOW, ingest, make_game, messages, touchdown_drive

PassRow, RunRow = PLAY_ROWS["passes"], PLAY_ROWS["runs"]


def standard_points(player: str) -> int | None:
    return db.session.scalar(
        select(PlayerPoints.points).where(
            PlayerPoints.player_id == player, PlayerPoints.rules == "standard"
        )
    )


@pytest.fixture(autouse=True)
def _game(app: object) -> None:
    make_game()


def test_a_drive_becomes_rows_stat_lines_points_and_a_score() -> None:
    outcome = ingest(messages(touchdown_drive()))
    assert (outcome.inserted, outcome.duplicates, outcome.dead, outcome.games) == (11, 0, 0, ["g1"])
    passed = db.session.scalars(select(PassRow)).one()
    assert (passed.passer_id, passed.receiver_id, passed.throw_yard, passed.reception_yard) == (
        "H1",
        "H2",
        35,
        60,
    )
    assert [
        (r.kind, r.is_rush)
        for r in db.session.scalars(select(RunRow).order_by(RunRow.event_number))
    ] == [
        ("rush", True),
        ("after_catch", False),
    ]
    # 65 passing yards and a touchdown: 2.6 + 4; 65 receiving yards and a touchdown: 6.5 + 6; 10
    # rushing: 1.0
    assert [standard_points(player) for player in ("H1", "H2", "H3")] == [6600, 12500, 1000]
    state = db.session.get_one(GameState, "g1")
    assert (state.status, state.home_score, state.away_score) == ("live", 7, 0)


def test_the_same_messages_twice_change_nothing() -> None:
    ingest(messages(touchdown_drive()))
    before = derived_rows()
    outcome = ingest(messages(touchdown_drive()))
    assert (outcome.inserted, outcome.duplicates) == (0, 11)
    assert derived_rows() == before


def test_every_message_doubled_in_one_batch_gives_the_rows_of_one() -> None:
    ingest(messages(touchdown_drive()))
    once = derived_rows()
    forget()
    outcome = ingest([m for message in messages(touchdown_drive()) for m in (message, message)])
    assert (outcome.inserted, outcome.duplicates) == (11, 11)
    assert derived_rows() == once


def test_one_message_a_batch_ends_like_one_batch() -> None:
    ingest(messages(touchdown_drive()))
    once = derived_rows()
    forget()
    for message in messages(touchdown_drive()):
        ingest([message])
    assert derived_rows() == once


def test_a_nullified_play_counts_for_nobody() -> None:
    ingest(messages([*touchdown_drive(), ev.Nullify(events=(8, 9, 11), reason="holding")]))
    assert standard_points("H1") is None
    assert standard_points("H2") is None
    assert standard_points("H3") == 1000
    assert db.session.get_one(GameState, "g1").home_score == 0
    assert [row.valid for row in db.session.scalars(select(PassRow))] == [False]


def test_an_overturn_writes_a_new_revision_and_its_points() -> None:
    ruling = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=90)
    ingest(
        messages(
            [*touchdown_drive()[:9], ev.Overturn(event=9, ruling=ruling, reason="knee was down")]
        )
    )
    runs = db.session.scalars(
        select(RunRow).where(RunRow.event_number == 9).order_by(RunRow.revision)
    ).all()
    assert [(r.revision, r.end_yard, r.valid, r.play_number) for r in runs] == [
        (0, 100, False, 3),
        (10, 90, True, 3),
    ]
    assert [standard_points(player) for player in ("H1", "H2")] == [2200, 5500]
    assert db.session.get_one(GameState, "g1").home_score == 0


def test_an_overturn_may_change_the_kind_of_event() -> None:
    ruling = ev.Pass(team="HRB", passer="H1", receiver="H2", result="incomplete", throw_yard=35)
    bodies = [*touchdown_drive()[:9], ev.Nullify(events=(9,)), ev.Overturn(event=8, ruling=ruling)]
    ingest(messages(bodies))
    assert [
        (r.result, r.valid) for r in db.session.scalars(select(PassRow).order_by(PassRow.revision))
    ] == [
        ("complete", False),
        ("incomplete", True),
    ]
    assert db.session.get_one(StatLine, ("g1", "H1")).stats["attempts"] == 1
    assert standard_points("H1") == 0


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.fault(6)
def test_corrections_of_one_event_end_alike_in_any_order(order: tuple[int, ...]) -> None:
    def ruled(end: int) -> ev.Run:
        return ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=end)

    corrections: list[ev.Body] = [
        ev.Overturn(event=6, ruling=ruled(30)),
        ev.Nullify(events=(6,)),
        ev.Overturn(event=6, ruling=ruled(40)),
    ]
    batch = messages([*touchdown_drive(), *corrections])
    ingest(batch[:11])
    for index in order:
        ingest([batch[11 + index]])
    valid = db.session.execute(
        select(RecordedEvent.revision).where(RecordedEvent.event_number == 6, RecordedEvent.valid)
    ).scalars()
    assert list(valid) == [14]
    assert standard_points("H3") == 1500


@pytest.mark.fault(12)
def test_an_older_correction_replayed_twice_does_not_win_over_the_newer_one() -> None:
    def ruled(end: int) -> ev.Run:
        return ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=end)

    older, newer = ev.Overturn(event=6, ruling=ruled(30)), ev.Overturn(event=6, ruling=ruled(40))
    *drive, first, second = messages([*touchdown_drive(), older, newer])
    ingest([*drive, second])
    assert standard_points("H3") == 1500
    for _ in range(2):  # as its dead letter, sent again
        ingest([first])
        valid = select(RecordedEvent.revision).where(
            RecordedEvent.event_number == 6, RecordedEvent.valid
        )
        assert list(db.session.scalars(valid)) == [13]
        assert standard_points("H3") == 1500


@pytest.mark.fault(5)
def test_a_correction_before_its_original_is_handed_back_and_applies_later() -> None:
    batch = messages([*touchdown_drive(), ev.Nullify(events=(6,))])
    outcome = ingest([batch[-1]])
    assert outcome.deferred == [batch[-1]]
    assert derived_rows()["events"] == []
    ingest(batch[:-1])
    assert ingest([batch[-1]]).corrected == 1
    assert standard_points("H3") is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"{", "truncated"),
        (
            b'{"game_id":"g1","event_number":1,"play_number":0,"epoch":1,"recorded_at":1,"body":{"type":"bomb"}}',
            "type",
        ),
        (
            b'{"game_id":"g1","event_number":1,"play_number":1,"epoch":1,"recorded_at":1,"body":'
            b'{"type":"run","team":"HRB","kind":"rush","start_yard":0,"end_yard":101}}',
            "body.end_yard: expected `int` <= 100",
        ),
        (
            b'{"game_id":"nope","event_number":1,"play_number":1,"epoch":1,"recorded_at":1,"body":{"type":"game_ended"}}',
            "game nope is not registered",
        ),
    ],
)
@pytest.mark.fault(11)
def test_a_broken_message_is_a_dead_letter_and_the_others_pass(value: bytes, reason: str) -> None:
    broken = Message("game-events.v1", 0, 99, "g1", value)
    good = messages(touchdown_drive())
    outcome = ingest([good[0], broken, *good[1:]])
    assert (outcome.inserted, outcome.dead) == (11, 1)
    letter = db.session.scalars(select(DeadLetter)).one()
    assert (letter.offset, letter.payload) == (99, value)
    assert reason in letter.reason
    assert ingest([broken]).dead == 0, "the same message twice is one dead letter"


@pytest.mark.parametrize("table", ["events", "runs"])
def test_the_database_refuses_valid_again_a_second_valid_row_and_a_double(table: str) -> None:
    ingest(messages([*touchdown_drive(), ev.Nullify(events=(6,))]))
    with pytest.raises(IntegrityError, match="was made invalid and stays so"):
        db.session.execute(text(f"UPDATE {table} SET valid = true WHERE event_number = 6"))
    db.session.rollback()
    copied = (
        f"CREATE TEMP TABLE copied ON COMMIT DROP AS SELECT * FROM {table} WHERE event_number = 9"
    )
    with pytest.raises(IntegrityError, match=f"uq_{table}_valid"):
        db.session.execute(
            text(
                f"{copied}; UPDATE copied SET revision = 7; INSERT INTO {table} SELECT * FROM "
                "copied"
            )
        )
    db.session.rollback()
    with pytest.raises(IntegrityError, match=f"pk_{table}|uq_{table}_valid"):
        db.session.execute(text(f"{copied}; INSERT INTO {table} SELECT * FROM copied"))


def test_a_failure_in_the_middle_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("killed here")

    with pytest.raises(RuntimeError):
        ingest_batch(messages(touchdown_drive()), NOW, fail)
    assert not any(derived_rows().values())


@pytest.mark.everyday("shows fault 10 in make test")
@pytest.mark.fault(10)
def test_an_ingest_killed_before_any_statement_ends_like_a_clean_one() -> None:
    batch = messages([*touchdown_drive(), ev.Nullify(events=(6,))])
    ingest(batch)
    clean = derived_rows()
    statements = 0
    while True:
        forget()
        if kill_before_statement(statements, lambda: ingest(batch)) < statements:
            break
        ingest(batch)
        assert derived_rows() == clean, f"killed before statement {statements}"
        statements += 1
    assert statements > 8


def test_stat_lines_are_compared_with_the_table_not_with_what_the_session_has_seen() -> None:
    """What an earlier batch loaded stays in the session while a traceback refers to it."""
    ingest(messages(touchdown_drive()))
    expected = derived_rows()["stat_lines"]
    loaded = db.session.scalars(select(StatLine)).all()
    run = ev.Run(team="HRB", player="H3", kind="rush", start_yard=10, end_yard=40)
    ingest(messages([run], first=12))
    assert derived_rows()["stat_lines"] != expected
    ingest(messages([ev.Nullify(events=(12,))], first=13))
    assert derived_rows()["stat_lines"] == expected
    assert len(loaded) > 0
