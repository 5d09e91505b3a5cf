"""Who took part in a game, by its facts and its plays.

And the people whom those facts bring into the record.
"""

from __future__ import annotations

from flask import Flask
from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record import queries
from app.record.models import Footballer, StatLine
from app.record.rules.participation import Participant, participants
from app.record.words import sentence
from tests.record.deliveries import derived_rows, forget
from tests.worlds.games import game_events, ingest, make_game, messages, touchdown_drive

NEW = ev.RosterFact(team="SUM", player="made-1", name="Nan New", position="WR", number=84)


def fact(player: str, status: ev.RosterStatus, team: str = "HRB") -> ev.RosterFact:
    return ev.RosterFact(team=team, player=player, status=status)


def took_part(*bodies: ev.Body) -> dict[str, Participant]:
    events = [
        (event.event_number, event.play_number, event.body) for event in game_events(list(bodies))
    ]
    return participants(events, "HRB", "SUM")


def run(player: str, team: str = "SUM") -> ev.Run:
    return ev.Run(team=team, player=player, kind="rush", start_yard=25, end_yard=35)


SNAP = ev.Snap(possession="SUM", spot=25, period=1, clock=900, down=1, distance=10)


def test_whoever_is_named_in_a_play_took_part_and_whoever_only_dressed_did_not() -> None:
    people = took_part(fact("H3", "dressed"), fact("H4", "inactive"), SNAP, run("S3"))
    assert {player: person.played for player, person in people.items()} == {
        "H3": False,
        "H4": False,
        "S3": True,
    }
    assert people["H4"].status == "inactive"


def test_starters_and_substitutes_took_part_from_the_play_of_the_fact() -> None:
    people = took_part(fact("H1", "starter"), SNAP, fact("H1", "out"), fact("H2", "in"))
    assert (people["H1"].starts, people["H1"].status, people["H1"].since) == (True, "out", 1)
    assert (people["H2"].starts, people["H2"].played) == (False, True)


def test_the_tackled_and_a_foul_belong_to_the_club_that_their_field_says() -> None:
    people = took_part(SNAP, ev.Tackle(team="HRB", tackler="H9", tackled="S3", kind="solo"))
    assert {player: person.club_id for player, person in people.items()} == {
        "H9": "HRB",
        "S3": "SUM",
    }


def test_jerseys_are_kept_in_the_order_in_which_they_were_worn() -> None:
    first, second = (ev.RosterFact(team="SUM", player="S3", number=number) for number in (3, 33))
    assert took_part(first, SNAP, second, second)["S3"].numbers == (3, 33)
    assert took_part(SNAP, run("?SUM-84"))["?SUM-84"].numbers == (84,)


def ingest_whole(bodies: list[ev.Body]) -> None:
    assert ingest(messages(bodies)).dead == 0


def registered(player: str) -> tuple[str, str | None, str, int | None] | None:
    db.session.expire_all()
    footballer = db.session.get(Footballer, player)
    return (
        None
        if footballer is None
        else (footballer.name, footballer.club_id, footballer.position, footballer.number)
    )


def test_a_new_player_is_a_footballer_once_the_record_has_the_fact(app: Flask) -> None:
    make_game()
    ingest_whole([*touchdown_drive()[:5], NEW, run("made-1")])
    assert registered("made-1") == ("Nan New", "SUM", "WR", 84)
    assert queries.names(["made-1", "?SUM-7"]) == {
        "made-1": "Nan New",
        "?SUM-7": "unknown number 7 of SUM",
    }
    corrected = ev.RosterFact(
        team="SUM", player="made-1", name="Nan Newman", position="TE", number=84
    )
    ingest_whole(
        [*touchdown_drive()[:5], NEW, run("made-1"), ev.Overturn(event=6, ruling=corrected)]
    )
    assert registered("made-1") == ("Nan Newman", "SUM", "TE", 84)


def test_a_new_player_who_was_taken_back_is_on_no_clubs_roster(app: Flask) -> None:
    make_game()
    ingest_whole([NEW])
    ingest_whole([NEW, ev.Nullify(events=(1,))])
    assert registered("made-1") == ("Nan New", None, "WR", 84)
    ingest_whole([NEW, ev.Nullify(events=(1,)), NEW])
    assert registered("made-1") == ("Nan New", "SUM", "WR", 84)


def test_somebody_whom_an_import_knows_keeps_what_it_says(app: Flask) -> None:
    make_game()
    ingest_whole([ev.RosterFact(team="SUM", player="H3", name="Else", position="K", number=99)])
    assert registered("H3") == ("H. Player3", "HRB", "RB", 3)


def test_a_named_unknown_number_moves_its_line_and_rebuilds_to_the_same_rows(app: Flask) -> None:
    make_game()
    bodies = [
        *touchdown_drive()[:5],
        run("?HRB-84", "HRB"),
        NEW,
        ev.StatCorrection(event=6, ruling=run("H2", "HRB"), reason="number 84 of HRB named"),
        ev.Snap(possession="HRB", spot=35, period=1, clock=870, down=1, distance=10),
        run("?HRB-7", "HRB"),
    ]
    ingest_whole(bodies)
    lines = (
        select(StatLine.player_id)
        .where(StatLine.stats["carries"].astext == "1")
        .order_by(StatLine.player_id)
    )
    assert list(db.session.scalars(lines)) == ["?HRB-7", "H2"]
    live, by_hand = derived_rows(), registered("made-1")
    forget()
    waiting = messages(bodies)[::-1]
    for _ in range(len(bodies)):
        waiting = list(ingest(waiting).deferred)
    assert not waiting
    assert derived_rows() == live
    assert registered("made-1") == by_hand


def test_what_a_made_player_did_moves_to_the_footballer_back_again_and_rebuilds_to_the_same_rows(
    app: Flask,
) -> None:
    make_game()
    joined = ev.RosterFact(team="SUM", player="H2", name="H. Player2", position="WR", number=84)
    bodies = [
        *touchdown_drive()[:3],
        NEW,
        run("made-1"),
        joined,
        ev.StatCorrection(event=5, ruling=run("H2"), reason="identified"),
        ev.StatCorrection(
            event=4, ruling=ev.RosterFact(team="SUM", player="H2", number=84), reason="identified"
        ),
    ]
    ingest_whole(bodies[:5])
    ingest_whole(bodies)
    lines = select(StatLine.player_id, StatLine.team).where(StatLine.stats["carries"].astext == "1")
    assert db.session.execute(lines).all() == [("H2", "SUM")]
    assert registered("made-1") == ("Nan New", None, "WR", 84)
    assert registered("H2") == ("H. Player2", "HRB", "WR", 2), "as imported"
    live = derived_rows()
    forget()
    ingest_whole(bodies)
    assert derived_rows() == live
    back = [
        ev.StatCorrection(event=5, ruling=run("made-1")),
        ev.StatCorrection(event=4, ruling=NEW),
    ]
    ingest_whole([*bodies, *back])
    assert db.session.execute(lines).all() == [("made-1", "SUM")]
    assert registered("made-1") == ("Nan New", "SUM", "WR", 84)


def test_the_stream_takes_a_player_of_no_roster_for_the_door_has_let_them_in(app: Flask) -> None:
    """Rosters are not part of the stream.

    A rebuild before an import must come to the same record (decision 48).
    """
    make_game()
    ingest_whole([*touchdown_drive()[:5], run("nobody", "HRB")])
    before = derived_rows()
    forget()
    ingest_whole([*touchdown_drive()[:5], run("nobody", "HRB")])
    assert derived_rows() == before
    assert "nobody" in list(
        db.session.scalars(select(StatLine.player_id).order_by(StatLine.player_id))
    )


def test_an_unknown_number_is_said_in_words() -> None:
    assert sentence(run("?SUM-84"), {}) == "Unknown number 84 of SUM runs for 10 yards."
    assert sentence(NEW, {}) == "SUM: number 84, Nan New (WR) joins the roster."
    assert sentence(fact("H1", "ejected"), {"H1": "Al Arm"}) == "Al Arm of HRB is ejected."
    assert sentence(
        ev.RosterFact(team="HRB", player="H1", number=21, status="in"), {"H1": "Al Arm"}
    ) == ("Al Arm of HRB wears 21 and comes in.")
