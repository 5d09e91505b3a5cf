"""Reminders before a deadline.

A day and an hour before it, to who has something to do, once, and again if it moves.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks.deadline_notices import notify_near
from app.fantasy.market.models import FootballerSeason, Season, SheetDeadline
from app.fantasy.market.seasons import ensure_gameweek, set_deadlines
from app.fantasy.notices.models import Notice
from app.fantasy.sheets import services as sheets
from app.fantasy.standings.models import League, LeagueMember
from tests.worlds.team_sheets import EARLY, World, make_world, team

HOUR, DAY = timedelta(hours=1), timedelta(hours=24)


@pytest.fixture
def world(app: Flask) -> World:
    return make_world(weeks=1)


@pytest.fixture
def gamers(world: World, member: Callable[..., Member]) -> tuple[int, int]:
    """Ann, who has saved a team sheet, and Bob, who has not."""
    ann, bob = int(member("ann").id), int(member("bob").id)
    for gamer in (ann, bob):
        db.session.add(LeagueMember(league_id=world.overall.id, member_id=gamer, team_name="x"))
    db.session.commit()
    saved = sheets.save(ann, world.team_rules.id, world.gameweeks[0].id, team(), EARLY)
    assert isinstance(saved, sheets.Saved), saved
    # Saved by the world's own clock; members of a simulated season are not reminded.
    db.session.execute(text("UPDATE seasons SET is_simulated = false"))
    db.session.commit()
    return ann, bob


def remind(now: datetime) -> int:
    new = notify_near(now)
    db.session.commit()
    return new


def told(member_id: int) -> list[str]:
    """Bodies, the oldest first."""
    return list(
        db.session.scalars(
            select(Notice.body).where(Notice.member_id == member_id).order_by(Notice.id)
        )
    )


def move_deadline(world: World, to: datetime) -> None:
    world.gameweeks[0].deadline = to
    db.session.get_one(SheetDeadline, (world.team_rules.id, world.gameweeks[0].id)).locks_at = to
    db.session.commit()


def test_who_has_no_team_sheet_is_reminded_a_day_and_an_hour_before(
    world: World, gamers: tuple[int, int]
) -> None:
    ann, bob = gamers
    locks = world.deadline(1)
    assert remind(locks - DAY - timedelta(seconds=1)) == 0
    assert [remind(locks - DAY), remind(locks - DAY), remind(locks - 2 * HOUR)] == [1, 0, 0]
    assert [remind(locks - HOUR), remind(locks - timedelta(minutes=1))] == [1, 0]
    assert remind(locks) == 0
    assert (len(told(bob)), told(ann)) == (2, [])
    assert "You have no team yet." in told(bob)[0]


def test_a_reminder_names_the_members_own_league_and_how_many_more_play_with_the_team(
    world: World, gamers: tuple[int, int]
) -> None:
    _, bob = gamers
    pub = League(
        season_id=world.season_id,
        team_rules_id=world.team_rules.id,
        slug="pub",
        name="Pub",
        invite_code="pub",
        rules="soccer",
        commissioner_id=bob,
    )
    db.session.add(pub)
    db.session.flush()
    db.session.add(LeagueMember(league_id=pub.id, member_id=bob, team_name="x"))
    db.session.commit()
    remind(world.deadline(1) - DAY)
    titles = db.session.scalars(select(Notice.title).where(Notice.member_id == bob)).all()
    assert titles == ["Pub +1: Week 1 locks Sun 7:00 PM CEST"]


def test_of_two_deadlines_within_a_day_only_the_next_is_reminded_of(
    world: World, gamers: tuple[int, int]
) -> None:
    """Bob's team of the first carries over to the second: one thing to do, one notice."""
    first = world.deadline(1)
    second = ensure_gameweek(
        db.session.get_one(Season, world.season_id), 2, first + timedelta(hours=2)
    )
    set_deadlines(world.season_id)
    db.session.commit()
    remind(first - 2 * HOUR)
    titles = select(Notice.title).where(Notice.member_id == gamers[1]).order_by(Notice.id)
    assert [second.name in title for title in db.session.scalars(titles)] == [False]
    world.gameweeks[0].locked_at = first
    db.session.commit()
    remind(first)
    assert [second.name in title for title in db.session.scalars(titles)] == [False, True]


def test_who_played_last_week_is_told_that_the_team_plays_again(
    world: World, gamers: tuple[int, int]
) -> None:
    ann, bob = gamers
    first = world.deadline(1)
    ensure_gameweek(db.session.get_one(Season, world.season_id), 2, first + DAY)
    set_deadlines(world.season_id)
    world.gameweeks[0].locked_at = first
    db.session.commit()
    remind(first)
    assert told(ann) == ["No changes yet: last week's team will be used."]
    assert told(bob) == ["You have no team yet. Pick one before then."]


def test_a_killed_job_reminds_again_and_only_once(world: World, gamers: tuple[int, int]) -> None:
    at = world.deadline(1) - DAY
    assert notify_near(at) == 1
    db.session.rollback()  # killed before its commit
    assert told(gamers[1]) == []
    assert [remind(at), remind(at)] == [1, 0]
    assert len(told(gamers[1])) == 1


@pytest.mark.parametrize("status", ["injured", "suspended", "left"])
def test_a_saved_team_with_somebody_who_is_not_fit_is_reminded(
    world: World, gamers: tuple[int, int], status: str
) -> None:
    footballer = db.session.get_one(FootballerSeason, (world.season_id, "BUR6"))
    if status == "left":
        db.session.delete(footballer)
    else:
        footballer.status = status
    db.session.get_one(FootballerSeason, (world.season_id, "CRK5")).status = "doubtful"
    # a substitute
    db.session.get_one(FootballerSeason, (world.season_id, "CRK3")).status = "injured"
    db.session.commit()
    remind(world.deadline(1) - DAY)
    (notice,) = told(gamers[0])
    assert notice.endswith(f"Your team is set, but check Bur 6 ({status}).")
    assert db.session.scalars(select(Notice.names).where(Notice.member_id == gamers[0])).all() == [
        {"BUR6": "Bur 6"}
    ]


def test_starters_without_a_game_are_named_and_one_of_a_postponed_game_too(
    world: World, gamers: tuple[int, int]
) -> None:
    # AYR and BUR do not play
    db.session.execute(text("UPDATE games SET week = 9 WHERE id = 'cup-1-AYR'"))
    db.session.commit()
    remind(world.deadline(1) - DAY)
    assert told(gamers[0])[0].endswith(
        "check Ayr 1 (no game), Bur 6 (no game) and Ayr 4 (no game)."
    )
    db.session.execute(
        text(
            "INSERT INTO game_states (game_id, status, home_score, away_score, state, version, "
            "updated_at)"
            " VALUES ('cup-1-CRK', 'postponed', 0, 0, '{}', 1, now())"
        )
    )
    db.session.commit()
    remind(world.deadline(1) - HOUR)
    assert told(gamers[0])[1].endswith(
        "check Ayr 1 (no game), Bur 6 (no game) and 3 other starters."
    )


def test_a_gameweek_without_a_schedule_frightens_nobody(
    world: World, gamers: tuple[int, int]
) -> None:
    db.session.execute(text("UPDATE games SET week = 9"))
    db.session.commit()
    remind(world.deadline(1) - DAY)
    assert told(gamers[0]) == []


def test_a_deadline_that_moves_is_reminded_of_with_its_new_time_and_not_at_the_old_one(
    world: World, gamers: tuple[int, int]
) -> None:
    _, bob = gamers
    old = world.deadline(1)
    assert remind(old - DAY) == 1
    new = old + timedelta(days=2)
    move_deadline(world, new)
    assert remind(old - HOUR) == 0, "the hour before the old one"
    assert [remind(new - DAY), remind(new - HOUR), remind(new - HOUR)] == [1, 1, 0]
    titles = db.session.scalars(
        select(Notice.title).where(Notice.member_id == bob).order_by(Notice.id)
    ).all()
    assert [title.split(" locks ")[1].split()[0] for title in titles] == [
        "Sun",
        "Tue",
        "Tue",
    ]


def test_one_that_moves_into_the_last_hour_brings_one_reminder_and_not_both(
    world: World, gamers: tuple[int, int]
) -> None:
    now = world.deadline(1) - timedelta(days=3)
    move_deadline(world, now + timedelta(minutes=30))
    assert [remind(now), remind(now)] == [1, 0]
    assert len(told(gamers[1])) == 1
