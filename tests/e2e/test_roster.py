"""The rosters by keys alone: an unknown number scores and is named after the game.

A player made without a line.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from app.core.db import db
from app.fantasy.scoring.models import PlayerPoints
from app.record.models import Club, Footballer, RecordedEvent
from tests.e2e.desk import Desk, said, unsent
from tests.e2e.keyboard import keys, recorded
from tests.e2e.looking import accessible, looks_right, picture
from tests.e2e.road import record_has
from tests.waiting import until

pytestmark = pytest.mark.e2e


def in_record(count: int) -> None:
    record_has("g1", count)


def points() -> dict[str, int]:
    """Thousandths by player of Harbor, of those who earned some."""
    earned = select(PlayerPoints.player_id, PlayerPoints.points).where(
        PlayerPoints.rules == "standard",
        PlayerPoints.points != 0,
        PlayerPoints.player_id.not_like("%-DST"),
    )
    return dict(db.session.execute(earned.order_by(PlayerPoints.player_id)).all())


def test_an_unknown_number_scores_and_gets_its_points_under_its_name_after_the_game(
    console: Page,
) -> None:
    keys(console, "s", "14:50 1&10 o25", "Enter")
    recorded(console, "#5")
    keys(console, "r", "r", "84")
    expect(console.get_by_role("option", name="unknown number 84 of HRB")).to_have_attribute(
        "aria-selected", "true"
    )
    keys(console, "Enter", "t", "Enter")
    expect(console.locator("#sentence")).to_contain_text("Unknown number 84 of HRB runs")
    expect(console.get_by_role("list", name="Warnings")).to_contain_text("Nobody on HRB wears 84")
    picture(console, "roster-unknown")
    keys(console, "Enter")
    recorded(console, "#6")
    in_record(6)
    assert points() == {"?HRB-84": 13_500}
    keys(console, "b", "e", "Enter")
    recorded(console, "#7")
    keys(console, "b", "f", "0", "Enter", "6", "Enter", "Enter")
    recorded(console, "#8")

    keys(console, "l")
    expect(
        console.get_by_role("option", name="who an unknown number was (1 waiting)")
    ).to_have_attribute("aria-selected", "true")
    keys(console, "Enter", "84", "Enter", "n", "Nan New", "Enter", "WR", "Enter")
    expect(console.locator("#sentence")).to_contain_text(
        "HRB: number 84, Nan New (WR) joins the roster."
    )
    expect(console.locator("#sentence")).to_contain_text("Stat correction of #6: Nan New runs")
    looks_right(console, "roster-naming")
    keys(console, "Enter")
    recorded(console, "#9 to #10")
    in_record(10)
    footballer = db.session.scalars(select(Footballer).where(Footballer.name == "Nan New")).one()
    assert (footballer.club_id, footballer.number, footballer.position) == ("HRB", 84, "WR")
    assert points() == {footballer.id: 13_500}
    correction = db.session.get_one(RecordedEvent, ("g1", 10, 0))
    assert (correction.type, correction.play_number) == ("stat_correction", 2)
    keys(console, "l")
    expect(console.get_by_role("option", name="who an unknown number was")).to_be_visible()
    expect(console.get_by_role("option", name="waiting")).to_have_count(0)
    console.goto("/games/g1")
    expect(console.get_by_role("main")).to_contain_text("Nan New")
    expect(console.get_by_role("main")).not_to_contain_text("?HRB-84")


def test_two_players_with_one_number_are_asked_for_and_an_ejection_is_warned_of(
    console: Page,
) -> None:
    keys(console, "l", "j", "h", "2", "Enter", "3", "Enter")
    expect(console.get_by_role("list", name="Warnings")).to_contain_text("H. Player3 wears 3 too")
    keys(console, "Enter")
    recorded(console, "#5")
    keys(console, "s", "Enter")
    recorded(console, "#6")
    keys(console, "r", "r", "3", "Enter")
    expect(said(console)).to_contain_text("Several HRB players wear 3")
    keys(console, "ArrowDown", "Enter", "+4", "Enter", "Enter", "Enter")
    recorded(console, "#7")
    in_record(7)
    assert db.session.get_one(RecordedEvent, ("g1", 7, 0)).body["player"] in ("H2", "H3")
    keys(console, "l", "e", "h", "9", "Enter", "Enter", "Enter")
    recorded(console, "#8")
    in_record(8)
    assert db.session.get_one(RecordedEvent, ("g1", 8, 0)).body == {
        "type": "roster",
        "team": "HRB",
        "player": "H9",
        "status": "ejected",
    }
    keys(console, "r", "r", "9", "Enter", "+4", "Enter", "Enter")
    expect(console.get_by_role("list", name="Warnings")).to_contain_text("9 H. Player9 is ejected.")


def test_a_footballer_of_another_club_is_found_by_name_and_scores(console: Page) -> None:
    db.session.add(Club(id="LAR", name="Los Angeles", nickname="", colour="#224466"))
    db.session.flush()
    for number in range(1, 11):
        name = "Zed Zulu" if number == 10 else f"Pat Zuluson{number}"
        db.session.add(
            Footballer(id=f"L{number}", name=name, club_id="LAR", position="RB", number=number)
        )
    db.session.commit()
    keys(console, "l", "f", "h", "zulu", "Enter")
    expect(console.get_by_role("option", name="Pat Zuluson1, RB, LAR 1")).to_have_attribute(
        "aria-selected", "true"
    )
    keys(console, "ArrowUp", "Enter")
    expect(console.get_by_role("option", name="Zed Zulu, RB, LAR 10")).to_be_visible()
    picture(console, "roster-found")
    accessible(console)
    keys(console, "10", "Enter")
    keys(console, "44", "Enter")
    expect(console.locator("#sentence")).to_contain_text(
        "HRB: number 44, Zed Zulu (RB) joins the roster."
    )
    keys(console, "Enter")
    recorded(console, "#5")
    keys(console, "s", "Enter")
    recorded(console, "#6")
    keys(console, "r", "r", "44", "Enter", "+4", "Enter", "Enter", "Enter")
    recorded(console, "#7")
    in_record(7)
    assert points() == {"L10": 400}
    assert db.session.get_one(Footballer, "L10").club_id == "LAR"


def test_what_a_player_made_by_hand_did_goes_to_the_footballer_that_they_were(
    console: Page,
) -> None:
    keys(console, "l", "n", "h", "Nan New", "Enter", "84", "Enter", "WR", "Enter", "Enter")
    recorded(console, "#5")
    keys(console, "s", "Enter")
    recorded(console, "#6")
    keys(console, "r", "r", "84", "Enter", "+4", "Enter", "Enter", "Enter")
    recorded(console, "#7")
    in_record(7)
    (footballer,) = db.session.scalars(
        select(Footballer.id).where(Footballer.name == "Nan New")
    ).all()
    assert points() == {footballer: 400}
    keys(console, "l", "m", "84", "Enter")
    expect(console.get_by_role("option", name="on HRB’s roster")).to_be_visible()
    keys(console, "Enter", "2", "Enter")
    expect(console.locator("#sentence")).to_contain_text("Stat correction of #7: H. Player2 runs")
    expect(console.locator("#consequences")).to_contain_text("H. Player2")
    picture(console, "roster-identified")
    keys(console, "Enter")
    recorded(console, "#8 to #9")
    in_record(9)
    assert points() == {"H2": 400}
    assert db.session.get_one(Footballer, footballer).club_id is None
    keys(console, "u", "Enter", "Enter", "Enter")
    recorded(console, "#10 to #11")
    in_record(11)
    assert points() == {footballer: 400}


def test_a_player_made_while_the_line_is_cut_goes_out_before_the_play_that_names_them(
    desk: Callable[..., Desk],
) -> None:
    sal = desk()
    console = sal.console()
    sal.cut()
    keys(console, "l", "n", "h", "Nan New", "Enter", "84", "Enter", "WR", "Enter", "Enter")
    keys(console, "s", "Enter", "r", "r", "84", "Enter")
    keys(console, "+4", "Enter", "Enter")
    expect(console.locator("#sentence")).to_contain_text("Nan New runs")
    keys(console, "Enter")
    expect(unsent(console)).to_have_count(3)
    sal.reconnect()
    until(lambda: len(sal.outbox()) == 7, "three entries in the outbox")
    in_record(7)
    recorded_types = db.session.scalars(
        select(RecordedEvent.type)
        .where(RecordedEvent.game_id == "g1")
        .order_by(RecordedEvent.event_number)
    ).all()
    assert list(recorded_types[4:]) == ["roster", "snap", "run"]
    (footballer,) = db.session.scalars(
        select(Footballer.id).where(Footballer.name == "Nan New")
    ).all()
    assert points() == {footballer: 400}
