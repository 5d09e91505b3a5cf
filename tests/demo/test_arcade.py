"""The demo's kicking contest: set up once, and rounds that its modes take."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import islice

from flask import Flask
from sqlalchemy import func, select

from app.accounts.models import Member, Player
from app.core.db import db
from app.demo import arcade

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_the_contest_is_set_up_once_and_the_members_play_too(
    app: Flask, member: Callable[..., Member]
) -> None:
    ann = member("ann")
    first = arcade.set_up(NOW)
    everybody = arcade.players()
    assert arcade.set_up(NOW + timedelta(days=1)) == first
    assert arcade.players() == everybody
    assert db.session.scalar(select(func.count()).select_from(Player)) == len(everybody) == 71
    assert db.session.scalar(select(Player.display_name).where(Player.member_id == ann.id)) == "Ann"


def test_rounds_are_the_same_for_a_seed_and_within_the_bounds_of_the_modes(
    app: Flask, member: Callable[..., Member]
) -> None:
    member("ann")
    modes = arcade.set_up(NOW)
    everybody = arcade.players()
    rounds = list(islice(arcade.rounds(5, everybody, NOW, timedelta(hours=1)), 500))
    assert rounds == list(islice(arcade.rounds(5, everybody, NOW, timedelta(hours=1)), 500))
    assert rounds[3].at == NOW + timedelta(hours=3)
    longest, made_kicks = modes["longest-kick"], modes["made-kicks"]
    assert all(made_kicks.min_score <= turn.kicks_made <= made_kicks.max_score for turn in rounds)
    assert all((turn.longest is None) == (turn.kicks_made == 0) for turn in rounds)
    assert all(
        longest.min_score <= turn.longest <= longest.max_score for turn in rounds if turn.longest
    )
