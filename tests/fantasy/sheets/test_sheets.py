"""Saving team sheets: whole or not at all, on time by the server's clock, on PostgreSQL alone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest
from flask import Flask
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.embedded.stack import Stack
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.services import Refused, Saved
from app.fantasy.standings.models import LeagueMember
from tests.conftest import AnotherApp
from tests.statements import count_statements
from tests.waiting import patience
from tests.worlds.team_sheets import (
    EARLY,
    KICKOFF,
    TEAM,
    WEEK,
    World,
    make_world,
    reprice,
    rows,
    team,
    with_change,
)

SECOND = timedelta(seconds=1)


@pytest.fixture
def world(app: Flask) -> World:
    return make_world()


@pytest.fixture
def ann(member: Callable[..., Member]) -> int:
    return int(member("ann").id)


def codes(answer: Saved | Refused) -> list[str]:
    assert isinstance(answer, Refused), answer
    return [refusal.code for refusal in answer.refusals]


def saved(answer: Saved | Refused) -> Saved:
    assert isinstance(answer, Saved), answer
    return answer


def test_a_sheet_is_saved_whole_and_joins_the_overall_league(world: World, ann: int) -> None:
    answer = saved(sheets.save(ann, world.team_rules.id, world.gameweeks[0].id, team(), EARLY))
    [row] = rows()
    assert (row.id, row.version) == (answer.sheet_id, answer.version) == (row.id, 1)
    assert (tuple(row.picks), row.captain, row.vice_captain) == (TEAM, 2, 3)
    assert (row.purchase_prices, row.bank) == ([40, 100, 80, 55, 60, 45, 55], 600 - 435)
    assert (row.free_transfers, row.transfers, row.transfer_cost, row.is_carried) == (
        None,
        0,
        0,
        False,
    )
    joined = db.session.scalars(select(LeagueMember)).one()
    assert (joined.league_id, joined.member_id, joined.team_name) == (world.overall.id, ann, "Ann")


def test_a_refused_sheet_leaves_everything_as_it_was(world: World, ann: int) -> None:
    rules, gameweek = world.team_rules.id, world.gameweeks[0].id
    saved(sheets.save(ann, rules, gameweek, team(), EARLY))
    broken = team("AYR1", "AYR4", "AYR5", "AYR6", "", "BUR2", "nobody", captain=0)
    assert codes(sheets.save(ann, rules, gameweek, broken, EARLY)) == [
        "empty",
        "unknown",
        "club",
        "captain_missing",
    ]
    [row] = rows()
    assert (tuple(row.picks), row.version) == (TEAM, 1)


def test_saving_again_replaces_the_sheet(world: World, ann: int) -> None:
    rules, gameweek = world.team_rules.id, world.gameweeks[0].id
    saved(sheets.save(ann, rules, gameweek, team(), EARLY))
    other = with_change("BUR6", "DOV6")
    assert saved(sheets.save(ann, rules, gameweek, team(*other, version=1), EARLY)).version == 2
    [row] = rows()
    assert (tuple(row.picks), row.transfers) == (other, 0)


def test_a_sheet_counts_until_the_deadline_and_not_at_it(world: World, ann: int) -> None:
    rules, gameweek = world.team_rules.id, world.gameweeks[0].id
    saved(sheets.save(ann, rules, gameweek, team(), KICKOFF - timedelta(microseconds=1)))
    assert codes(sheets.save(ann, rules, gameweek, team(captain=1), KICKOFF)) == ["deadline"]
    assert rows()[0].captain == 2


def test_the_database_refuses_too_whatever_the_service_thinks(world: World, ann: int) -> None:
    saved(sheets.save(ann, world.team_rules.id, world.gameweeks[0].id, team(), EARLY))
    with pytest.raises(IntegrityError, match="team sheet locked"):
        db.session.execute(
            text("UPDATE team_sheets SET captain = 1, saved_at = :at"), {"at": KICKOFF}
        )
    db.session.rollback()
    assert rows()[0].captain == 2


def test_a_real_season_goes_by_the_servers_clock(app: Flask, ann: int) -> None:
    world = make_world(real=True, first=clock.now() + timedelta(hours=1))
    with pytest.raises(IntegrityError, match="saved_at is not the time of now"):
        sheets.save(
            ann,
            world.team_rules.id,
            world.gameweeks[0].id,
            team(),
            clock.now() - timedelta(hours=1),
        )
    saved(sheets.save(ann, world.team_rules.id, world.gameweeks[0].id, team(), clock.now()))


def test_the_deadline_is_read_in_the_leagues_time_zone(app: Flask, ann: int) -> None:
    world = make_world(deadline="SUN 18:30")  # Berlin, in summer: 16:30 UTC
    locks_at = KICKOFF - timedelta(minutes=30)
    rules, gameweek = world.team_rules.id, world.gameweeks[0].id
    saved(sheets.save(ann, rules, gameweek, team(), locks_at - SECOND))
    refused = sheets.save(ann, rules, gameweek, team(), locks_at)
    assert codes(refused) == ["deadline"]
    assert isinstance(refused, Refused)
    assert "Sun 13 Sep 2026, 6:30 PM CEST" in refused.refusals[0].text


def test_gameweeks_are_picked_one_after_the_other(world: World, ann: int) -> None:
    assert codes(sheets.save(ann, world.team_rules.id, world.gameweeks[1].id, team(), EARLY)) == [
        "deadline"
    ]


def test_transfers_are_reckoned_from_last_gameweek_whatever_the_way(world: World, ann: int) -> None:
    rules, (first, second, _) = world.team_rules.id, world.gameweeks
    saved(sheets.save(ann, rules, first.id, team(), EARLY))
    reprice(world.season_id, BUR6=105, CRK5=70, DOV6=110)
    at = EARLY + WEEK
    drafts = (with_change("CRK5", "DOV5"), with_change("AYR4", "DOV4"), with_change("BUR6", "DOV6"))
    for picks in drafts:
        last = saved(sheets.save(ann, rules, second.id, team(*picks), at))
    assert (last.costs.transfers, last.costs.free_transfers, last.costs.transfer_cost) == (1, 1, 0)
    assert last.costs.bank == 165 + 102 - 110
    again = saved(sheets.save(ann, rules, second.id, team(), at))
    assert (again.costs.transfers, again.costs.bank, again.costs.purchase_prices[1]) == (
        0,
        165,
        100,
    )
    assert [row.version for row in rows()] == [1, 4]


def test_what_is_not_saved_is_shown_as_it_will_be_carried_over(world: World, ann: int) -> None:
    rules, (first, second, third) = world.team_rules.id, world.gameweeks
    assert sheets.sheet_for(ann, rules, first) is None
    saved(sheets.save(ann, rules, first.id, team(), EARLY))
    now_saved = sheets.sheet_for(ann, rules, first)
    assert now_saved is not None
    assert (now_saved.version, now_saved.is_carried, now_saved.saved_at) == (1, False, EARLY)
    proposal = sheets.sheet_for(ann, rules, third)
    assert proposal is not None
    assert (proposal.picks, proposal.bank, proposal.version, proposal.saved_at) == (
        TEAM,
        165,
        0,
        None,
    )
    assert proposal.free_transfers == 2  # one of each gameweek in between
    sheets.carry_over(second.id, None, KICKOFF + WEEK)
    sheets.carry_over(third.id, None, KICKOFF + 2 * WEEK)
    db.session.commit()
    carried = sheets.sheet_for(ann, rules, third)
    assert carried is not None
    assert (carried.picks, carried.bank, carried.free_transfers) == (
        TEAM,
        165,
        proposal.free_transfers,
    )


def test_a_sheet_received_in_time_counts_though_another_was_carried_over_meanwhile(
    world: World, ann: int
) -> None:
    rules, (first, second, _) = world.team_rules.id, world.gameweeks
    saved(sheets.save(ann, rules, first.id, team(), EARLY))
    sheets.carry_over(second.id, None, KICKOFF + WEEK)
    db.session.commit()
    assert rows()[1].is_carried
    late = saved(
        sheets.save(ann, rules, second.id, team(captain=4, version=0), KICKOFF + WEEK - SECOND)
    )
    assert (late.version, rows()[1].is_carried, rows()[1].captain) == (2, False, 4)


def test_a_saved_later_sheet_closes_the_one_before(world: World, ann: int) -> None:
    rules, (first, second, _) = world.team_rules.id, world.gameweeks
    saved(sheets.save(ann, rules, first.id, team(), EARLY))
    saved(sheets.save(ann, rules, second.id, team(), KICKOFF + SECOND))
    assert codes(
        sheets.save(ann, rules, first.id, team(*with_change("CRK5", "DOV5")), KICKOFF - SECOND)
    ) == ["deadline"]


def test_each_footballer_locks_at_their_own_kickoff(app: Flask, ann: int) -> None:
    world = make_world(lock="game")
    rules, gameweek, at = world.team_rules.id, world.gameweeks[0].id, KICKOFF + SECOND
    saved(sheets.save(ann, rules, gameweek, team(captain=3, vice_captain=4), EARLY))
    assert codes(
        sheets.save(
            ann, rules, gameweek, team(*with_change("AYR4", "DOV4"), captain=3, vice_captain=4), at
        )
    ) == ["begun"]
    assert codes(sheets.save(ann, rules, gameweek, team(captain=2, vice_captain=4), at)) == [
        "captain_begun"
    ]
    saved(
        sheets.save(
            ann, rules, gameweek, team(*with_change("CRK5", "DOV5"), captain=4, vice_captain=3), at
        )
    )
    assert codes(sheets.save(ann, rules, gameweek, team(), KICKOFF + timedelta(days=1))) == [
        "deadline"
    ]


def test_last_gameweeks_sheet_can_be_changed_after_the_first_kickoff(app: Flask, ann: int) -> None:
    world = make_world(lock="game")
    rules, (first, second, _) = world.team_rules.id, world.gameweeks
    saved(sheets.save(ann, rules, first.id, team(), EARLY))
    at = KICKOFF + WEEK + SECOND
    answer = saved(
        sheets.save(ann, rules, second.id, team(*with_change("CRK3", "DOV2"), version=0), at)
    )
    assert (answer.costs.transfers, answer.version, rows()[1].is_carried) == (1, 2, False)


def test_nobody_saves_under_rules_of_another_season(world: World, ann: int) -> None:
    other = make_world(competition="plate")
    with pytest.raises(sheets.NoSuchSheetError):
        sheets.save(ann, world.team_rules.id, other.gameweeks[0].id, team(), EARLY)
    with pytest.raises(sheets.NoSuchSheetError):
        sheets.save(ann + 1, world.team_rules.id, world.gameweeks[0].id, team(), EARLY)


def test_of_two_saves_of_one_version_one_is_refused(world: World, ann: int, app: Flask) -> None:
    rules, gameweek = world.team_rules.id, world.gameweeks[0].id
    saved(sheets.save(ann, rules, gameweek, team(), EARLY))
    together = Barrier(4)

    def save(captain: int) -> Saved | Refused:
        with app.app_context():
            together.wait(patience(60))
            return sheets.save(
                ann, rules, gameweek, team(captain=captain, vice_captain=5, version=1), EARLY
            )

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(save, (1, 2, 3, 4)))
    [sheet] = [
        captain for captain, answer in enumerate(answers, start=1) if isinstance(answer, Saved)
    ]
    assert [codes(answer) for answer in answers if isinstance(answer, Refused)] == [["version"]] * 3
    [row] = rows()
    assert (row.captain, row.version) == (sheet, 2)


def test_the_same_save_sent_twice_is_one_save(world: World, ann: int) -> None:
    """A browser repeats a save whose answer was lost, after the deadline too.

    Saving is idempotent (RFC 9110, section 9.2.2).
    """
    rules, gameweek = world.team_rules.id, world.gameweeks[0].id
    first = saved(sheets.save(ann, rules, gameweek, team(version=0), EARLY))
    for moment in (EARLY, world.deadline(1) + timedelta(seconds=1)):
        again = saved(sheets.save(ann, rules, gameweek, team(version=0), moment))
        assert (again.sheet_id, again.version, again.costs) == (first.sheet_id, 1, first.costs)
    saved(sheets.save(ann, rules, gameweek, team(captain=4, version=1), EARLY))
    assert codes(sheets.save(ann, rules, gameweek, team(version=0), EARLY)) == ["version"], (
        "changed elsewhere"
    )
    assert [(row.version, row.captain) for row in rows()] == [(2, 4)]


def test_two_tabs_that_change_different_slots_are_both_saved(world: World, ann: int) -> None:
    rules, gameweek = world.team_rules.id, world.gameweeks[0].id
    saved(sheets.save(ann, rules, gameweek, team(version=0), EARLY))
    loaded = team(version=1)
    first = replace(loaded, picks=with_change("CRK3", "CRK2"), base=loaded)
    second = replace(loaded, captain=4, base=loaded)
    saved(sheets.save(ann, rules, gameweek, first, EARLY))
    answer = saved(sheets.save(ann, rules, gameweek, second, EARLY))
    assert answer.earlier_sheet is not None
    assert answer.earlier_sheet.picks == first.picks, "an undo keeps the other tab's change"
    [row] = rows()
    assert (tuple(row.picks), row.captain, row.version) == (first.picks, 4, 3)
    for repeated in (first, second, replace(loaded, base=loaded)):
        assert saved(sheets.save(ann, rules, gameweek, repeated, EARLY)).version == 3
    [unchanged] = rows()
    assert (unchanged.version, unchanged.saved_at) == (3, row.saved_at), "nothing was written"


def test_a_merge_that_is_no_team_is_refused_and_can_be_corrected(world: World, ann: int) -> None:
    rules, gameweek = world.team_rules.id, world.gameweeks[0].id
    saved(sheets.save(ann, rules, gameweek, team(version=0), EARLY))
    loaded = team(version=1)
    first = replace(loaded, picks=with_change("CRK3", "DOV4"), base=loaded)
    second = replace(loaded, picks=with_change("AYR4", "DOV4"), base=loaded)
    saved(sheets.save(ann, rules, gameweek, first, EARLY))
    refused = sheets.save(ann, rules, gameweek, second, EARLY)
    assert "twice" in codes(refused)
    assert isinstance(refused, Refused)
    assert refused.refusals[0].text == (
        "Dov 4 is in slots 5 and 7. Choose another player for one of them."
    )
    corrected = replace(refused.draft, picks=(*TEAM[:4], "DOV4", *TEAM[5:]))
    saved(sheets.save(ann, rules, gameweek, corrected, EARLY))
    assert tuple(rows()[0].picks) == corrected.picks


def test_first_saves_at_the_same_time_make_one_sheet(world: World, ann: int, app: Flask) -> None:
    together = Barrier(4)

    def save(captain: int) -> Saved | Refused:
        with app.app_context():
            together.wait(patience(60))
            return sheets.save(
                ann,
                world.team_rules.id,
                world.gameweeks[0].id,
                team(captain=captain, vice_captain=5),
                EARLY,
            )

    with ThreadPoolExecutor(4) as threads:
        versions = sorted(saved(answer).version for answer in threads.map(save, (1, 2, 3, 4)))
    assert versions == [1, 2, 3, 4]
    assert [row.version for row in rows()] == [4]


def test_saving_needs_neither_redis_nor_the_broker(
    world: World, ann: int, another_app: AnotherApp, stack: Stack
) -> None:
    dead = "127.0.0.1:9"  # the discard port: nobody listens
    alone = another_app(
        replace(
            stack.settings,
            redis_url=f"redis://{dead}/0",
            boards_redis_url=f"redis://{dead}/0",
            kafka=dead,
        )
    )
    with alone.app_context():
        saved(sheets.save(ann, world.team_rules.id, world.gameweeks[0].id, team(), EARLY))
    assert len(rows()) == 1


def test_a_save_asks_the_database_the_same_number_of_times_for_any_sheet(
    world: World, ann: int
) -> None:
    rules = world.team_rules.id
    counts = []
    for gameweek, at in zip(world.gameweeks, (EARLY, EARLY + WEEK, EARLY + 2 * WEEK), strict=True):
        saved(sheets.save(ann, rules, gameweek.id, team(), at))
        with count_statements() as counted:
            saved(sheets.save(ann, rules, gameweek.id, team(captain=4), at))
        counts.append(counted())
    assert counts[0] == counts[1] == counts[2] <= 8
