"""Notices before and after a gameweek's first kickoff in draft leagues."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.gameweeks.deadline_notices import notify_near
from app.fantasy.notices.models import Notice
from tests.worlds.draft_leagues import (
    DRAFTED,
    SETTINGS,
    DraftWorld,
    make_draft_league,
    make_drafted_league,
)


def bodies(world: DraftWorld, franchise: int) -> list[str]:
    """The notices of deadlines that the franchise's member has, the oldest first."""
    return list(
        db.session.scalars(
            select(Notice.body)
            .where(Notice.kind == "deadline", Notice.member_id == world.members[franchise - 1])
            .order_by(Notice.id)
        )
    )


def pass_the_deadline(world: DraftWorld, week: int = 1) -> None:
    """Remind a day before a gameweek, and lock it."""
    # members of a simulated season are not reminded
    db.session.execute(text("UPDATE seasons SET is_simulated = false"))
    gameweek = world.gameweek(week)
    notify_near(gameweek.deadline - timedelta(hours=23))
    db.session.commit()
    lock_gameweek(gameweek.id, gameweek.deadline)


def test_a_drafted_team_is_told_that_its_lineup_plays(drafted: DraftWorld) -> None:
    pass_the_deadline(drafted)
    locks = "Each player locks at kickoff."
    assert bodies(drafted, 1) == [f"Your lineup is set. {locks}"]
    pass_the_deadline(drafted, week=2)
    _, before, after = bodies(drafted, 1)
    assert before.endswith("No changes yet: your last lineup will be used.")
    assert after == f"You made no changes, so your last lineup is used. {locks}"


def test_nobody_is_told_to_pick_a_team_before_the_draft(
    app: Flask, member: Callable[..., Member]
) -> None:
    world = make_draft_league(member)
    pass_the_deadline(world)
    assert bodies(world, 1) == []


@pytest.mark.usefixtures("app")
def test_there_is_nothing_to_set_in_best_ball(member: Callable[..., Member]) -> None:
    settings = replace(SETTINGS, roster=replace(SETTINGS.roster, best_ball=True))
    world = make_drafted_league(member, settings)
    assert world.gameweek(1).deadline > DRAFTED
    pass_the_deadline(world)
    assert bodies(world, 1) == []
