"""Whoever is erased or kept out hands on what they run (docs/decisions, who runs a league).

The heir is the active member who has been in it longest, the rule that leaving a pool always had.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from sqlalchemy import select, text, update
from sqlalchemy.exc import IntegrityError

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.core.refusals import Refusal
from app.embedded.stack import Stack
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.commissioners import is_active_member
from app.fantasy.notices.models import Notice
from app.fantasy.standings.models import League
from app.moderation import privacy, sanctions
from app.predictions import pools
from app.predictions.models import Pool
from tests.predictions.conftest import world
from tests.waiting import patience, until
from tests.worlds.league_season import BEFORE, LeagueWorld, make_league_world
from tests.worlds.tournament import World

__all__ = ["world"]

LATER = BEFORE + timedelta(days=2)
WAYS_OUT = ("erase", *sanctions.KINDS)


@pytest.fixture
def season(member: Callable[..., Member]) -> LeagueWorld:
    return make_league_world(member)


def player(season: LeagueWorld, name: str) -> UUID:
    return player_of(db.session.get_one(Member, season.member(name))).id


def put_out(season: LeagueWorld, name: str, kind: str) -> None:
    if kind == "erase":
        done: object = privacy.erase(
            season.member(name), by=season.member(name), reason="asked", now=LATER
        )
    else:
        until = LATER + timedelta(days=3) if kind == sanctions.SUSPENSION else None
        done = sanctions.impose(
            player(season, name),
            sanctions.Measure(kind, until),
            by=None,
            reason="cheating",
            now=LATER,
        )
    assert not isinstance(done, Refusal), done


def let_in(season: LeagueWorld, name: str) -> None:
    assert not isinstance(
        sanctions.lift(player(season, name), by=None, reason="a mistake", now=LATER), Refusal
    )


def runs(league: League) -> int | None:
    db.session.rollback()
    return db.session.scalar(select(League.commissioner_id).where(League.id == league.id))


@pytest.mark.parametrize("kind", WAYS_OUT)
def test_a_league_goes_to_the_active_member_who_has_been_in_it_longest(
    season: LeagueWorld, kind: str
) -> None:
    league = season.league()
    for name in ("bob", "cat"):
        season.join(league, name)
    put_out(season, "ann", kind)
    ids = season.ids
    # A shadow ban keeps nobody out, and is not to be noticed.
    assert runs(league) == (ids["ann"] if kind == sanctions.SHADOW else ids["bob"])
    if kind != sanctions.SHADOW:
        assert leagues.for_commissioner(league.slug, ids["bob"]) is not None
        notice = db.session.scalars(select(Notice).where(Notice.member_id == ids["bob"])).one()
        assert notice.title == "You are now commissioner of Row"
        put_out(season, "bob", kind)
        assert runs(league) == ids["cat"]


def test_whoever_is_kept_out_is_no_heir_and_is_not_handed_the_league(season: LeagueWorld) -> None:
    league = season.league()
    for name in ("bob", "cat", "dan"):
        season.join(league, name)
    put_out(season, "bob", sanctions.SUSPENSION)
    put_out(season, "cat", "erase")
    for name in ("bob", "cat"):
        assert leagues.hand_over(league.id, season.ids[name], LATER) == leagues.NO_MEMBER
    put_out(season, "ann", sanctions.BAN)
    assert runs(league) == season.ids["dan"]


@pytest.mark.parametrize("kind", [sanctions.BAN, sanctions.SUSPENSION])
def test_a_lifted_sanction_gives_a_league_back_and_tells_the_heir(
    season: LeagueWorld, kind: str
) -> None:
    """Decision 22: lifting restores exactly what stood (issue 47, M2)."""
    league = season.league()
    for name in ("bob", "cat"):
        season.join(league, name)
    put_out(season, "ann", kind)
    put_out(season, "bob", sanctions.BAN)
    assert runs(league) == season.ids["cat"]
    let_in(season, "ann")
    assert runs(league) == season.ids["ann"]
    titles = db.session.scalars(select(Notice.title).where(Notice.member_id == season.ids["cat"]))
    assert "The commissioner of Row is back" in set(titles)
    let_in(season, "bob")
    assert runs(league) == season.ids["ann"]  # Bob was only her heir


def test_a_milder_sanction_that_keeps_nobody_out_gives_a_league_back(season: LeagueWorld) -> None:
    league = season.league()
    season.join(league, "bob")
    put_out(season, "ann", sanctions.BAN)
    put_out(season, "ann", sanctions.SHADOW)
    assert runs(league) == season.ids["ann"]


def test_a_league_that_the_heir_has_handed_on_stays_where_it_is(season: LeagueWorld) -> None:
    league = season.league()
    for name in ("bob", "cat"):
        season.join(league, name)
    put_out(season, "ann", sanctions.BAN)
    assert leagues.hand_over(league.id, season.ids["cat"], LATER) is None
    let_in(season, "ann")
    assert runs(league) == season.ids["cat"]


def test_a_league_without_anybody_active_is_run_by_the_first_who_comes_back_or_joins(
    season: LeagueWorld,
) -> None:
    league, other = season.league(), season.league("Other", by="cat")
    season.join(league, "bob")
    put_out(season, "bob", sanctions.BAN)
    # only somebody banned would be left
    assert leagues.leave(season.ids["ann"], league.id, LATER) == leagues.LAST
    for name in ("ann", "cat"):
        put_out(season, name, "erase")
    assert not is_active_member(league.id, runs(league))
    let_in(season, "bob")
    assert runs(league) == season.ids["bob"]
    season.join(other, "eve")
    assert runs(other) == season.ids["eve"]


def test_the_database_itself_keeps_a_league_from_being_left_without_hands(
    season: LeagueWorld,
) -> None:
    league = season.league()
    season.join(league, "bob")
    db.session.execute(update(Member).where(Member.id == season.ids["ann"]).values(banned_at=LATER))
    with pytest.raises(IntegrityError, match="one of them must run it"):
        db.session.commit()
    db.session.rollback()


@pytest.mark.parametrize("kind", WAYS_OUT)
def test_a_pool_goes_to_the_active_member_who_has_been_in_it_longest(
    season: LeagueWorld, world: Callable[..., World], kind: str
) -> None:
    tournament = world()
    ann, bob, cat = (player(season, name) for name in ("ann", "bob", "cat"))
    pool = pools.create(tournament.id, ann, "The Row")
    assert isinstance(pool, Pool)
    code = pool.code
    for joining in (bob, cat):
        assert pools.join(pool.id, code, joining) is None

    def owner() -> UUID:
        db.session.rollback()
        return db.session.scalars(select(Pool.owner_id).where(Pool.id == pool.id)).one()

    put_out(season, "ann", kind)
    assert owner() == (ann if kind == sanctions.SHADOW else bob)
    if kind == sanctions.SHADOW:
        return
    if kind != "erase":
        let_in(season, "ann")
        assert owner() == ann
        put_out(season, "ann", kind)
        assert owner() == bob
    put_out(season, "cat", sanctions.BAN)
    if kind != "erase":  # ann and cat are still in it
        put_out(season, "bob", sanctions.BAN)
        assert owner() == bob  # decision 0071: without anybody active it stays as it is
        let_in(season, "bob")
    pools.leave(pool.id, bob)
    assert owner() in (ann, cat)  # nobody active is in it
    let_in(season, "cat")
    assert owner() == cat


def test_erasing_and_a_sanction_at_once_never_wait_for_each_other(
    season: LeagueWorld, app: Flask, stack: Stack
) -> None:
    """A sanction locks the player, then the member, and so does erasing (decision 0013)."""
    ann, player_id = season.member("ann"), player(season, "ann")
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
        "wait_event_type = 'Lock'"
    )

    def erase() -> Member | Refusal:
        with app.app_context():
            return privacy.erase(ann, by=ann, reason="asked", now=LATER)

    with psycopg.connect(stack.settings.psycopg_url) as sanction, ThreadPoolExecutor(1) as thread:
        sanction.execute("SELECT 1 FROM players WHERE id = %s FOR UPDATE", (player_id,))
        erasing = thread.submit(erase)
        until(lambda: db.session.scalar(waiting) == 1, "erasing waits for the sanction")
        sanction.execute("SELECT 1 FROM members WHERE id = %s FOR NO KEY UPDATE", (ann,))
        sanction.commit()
        assert not isinstance(erasing.result(timeout=patience(120)), Refusal)
    db.session.rollback()
    assert db.session.get_one(Member, ann, populate_existing=True).erased_at == LATER
