"""A season in the database: its schedule, its play-offs, and what a correction reopens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import combinations

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.models import FINISHED, SEASON, DraftLeague
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.season.services import update, update_behind
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.gameweeks import live
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.gameweeks.moved_totals import MovedTotals, Totals, moved_totals
from app.fantasy.leagues import adjustments
from app.fantasy.leagues.adjustments import NewAdjustment
from app.fantasy.leagues.models import ScoreAdjustment
from app.fantasy.market.models import Gameweek
from app.fantasy.notices.models import Notice
from app.fantasy.standings.models import LeagueMember, LeagueScore, Matchup
from app.record.models import Game
from tests.worlds.added_weeks import add_gameweek
from tests.worlds.draft_leagues import SETTINGS, DraftWorld, make_drafted_league

AFTER = timedelta(days=3)


@pytest.fixture
def world(app: Flask, member: Callable[..., Member]) -> DraftWorld:
    """Three weeks of a regular season, then two rounds of play-offs of all four."""
    season = replace(
        SETTINGS.season,
        regular_weeks=3,
        playoff_teams=4,
        weeks_per_round=(1, 1),
        lower_bracket="none",
    )
    return make_drafted_league(member, replace(SETTINGS, season=season), weeks=5)


def play(world: DraftWorld, week: int, points: Mapping[int, int]) -> None:
    """Lock and settle a gameweek in which each franchise has these points, whole ones."""
    gameweek = world.gameweek(week)
    lock_gameweek(gameweek.id, gameweek.deadline)
    now = gameweek.deadline + AFTER
    for franchise, number in points.items():
        adjust(world, week, franchise, number)
    db.session.get_one(Gameweek, gameweek.id).settled_at = now
    db.session.commit()
    live.refresh_league(world.league.id, now)
    update(world.league.id, now)


def adjust(world: DraftWorld, week: int, franchise: int, number: int) -> None:
    db.session.add(
        ScoreAdjustment(
            league_id=world.league.id,
            member_id=world.members[franchise - 1],
            gameweek_id=world.gameweek(week).id,
            points=number * 1000,
            reason="Played",
            by_id=world.members[0],
            created_at=world.gameweek(week).deadline + AFTER,
        )
    )
    db.session.commit()


def stored(world: DraftWorld, week: int) -> set[tuple[int, int]]:
    """The stored games of a gameweek, as franchises."""
    return stored_in(world, world.gameweek(week).id)


def stored_in(world: DraftWorld, gameweek_id: int) -> set[tuple[int, int]]:
    rows = db.session.scalars(
        select(Matchup).where(
            Matchup.league_id == world.league.id, Matchup.gameweek_id == gameweek_id
        )
    )
    numbers = {member: number for number, member in enumerate(world.members, start=1)}
    return {(numbers[row.home_id], numbers[row.away_id or 0]) for row in rows}


def test_the_settings_follow_a_change_of_the_scoring(world: DraftWorld) -> None:
    world.league.rules = "standard"
    db.session.commit()
    settings = settings_of(db.session.get_one(DraftLeague, world.league.id))
    assert settings.scoring == "standard"


def test_the_whole_schedule_stands_when_the_season_begins(world: DraftWorld) -> None:
    met = {frozenset(pair) for week in (1, 2, 3) for pair in stored(world, week)}
    assert len(met) == 6  # all pairs of four, once each
    assert stored(world, 4) == set()
    lock_gameweek(world.gameweek(1).id, world.gameweek(1).deadline)
    assert {frozenset(pair) for week in (1, 2, 3) for pair in stored(world, week)} == met


def test_gameweeks_that_are_imported_after_the_draft_are_paired_and_earlier_pairs_stay(
    app: Flask, member: Callable[..., Member]
) -> None:
    """Everybody meets everybody else once before anybody meets again (schedule.py)."""
    season = replace(
        SETTINGS.season, regular_weeks=3, playoff_teams=2, weeks_per_round=(1,), rivals=((1, 3),)
    )
    world = make_drafted_league(member, replace(SETTINGS, season=season), weeks=1)
    first = stored(world, 1)
    for week in (2, 3, 4):
        add_gameweek(week, world.gameweek(1).deadline + (week - 1) * timedelta(days=7))
    gameweeks = load_season(world.league.id).regular
    rounds = [stored_in(world, gameweek.id) for gameweek in gameweeks]
    assert rounds[0] == first
    assert {frozenset(pair) for pairs in rounds for pair in pairs} == {
        frozenset(pair) for pair in combinations((1, 2, 3, 4), 2)
    }


def test_a_season_is_not_over_before_its_later_gameweeks_are_known(
    app: Flask, member: Callable[..., Member]
) -> None:
    season = replace(SETTINGS.season, regular_weeks=2, playoff_teams=0)
    world = make_drafted_league(member, replace(SETTINGS, season=season), weeks=1)
    play(world, 1, {1: 40, 2: 30, 3: 20, 4: 10})
    league = db.session.get_one(DraftLeague, world.league.id)
    assert (league.champion, league.phase) == (None, SEASON)


def test_a_season_to_the_champion_and_a_correction_that_changes_the_final(
    world: DraftWorld,
) -> None:
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    assert [place.franchise for place in load_season(world.league.id).table] == [1, 2, 3, 4]
    assert stored(world, 4) == {(1, 4), (2, 3)}
    play(world, 4, {1: 11, 4: 10, 2: 21, 3: 20})
    assert stored(world, 5) == {(1, 2), (3, 4)}  # the final, and the game for the third place
    play(world, 5, {1: 5, 2: 9, 3: 4, 4: 3})
    league = db.session.get_one(DraftLeague, world.league.id)
    assert (league.champion, league.phase) == (2, FINISHED)

    # Two more points for the fourth in the semi-final, after everything was played.
    correction = NewAdjustment(world.members[3], world.gameweek(4).id, 2_000)
    assert adjustments.playoff_changes(world.league, correction) == [
        "Week 5: Bob FC vs Dan FC, Ann FC vs Cat FC instead of Ann FC vs Bob FC, Cat FC vs Dan FC."
    ]
    assert stored(world, 5) == {(1, 2), (3, 4)}
    adjust(world, 4, 4, 2)
    now = world.gameweek(5).deadline + 2 * AFTER
    live.refresh_league(world.league.id, now)
    [changed] = update(world.league.id, now)
    assert set(changed.after) == stored(world, 5) == {(2, 4), (1, 3)}
    assert db.session.get_one(DraftLeague, world.league.id).champion == 2
    bodies = db.session.scalars(
        select(Notice.body).where(
            Notice.member_id == world.members[3], Notice.title.contains("you play Bob FC")
        )
    ).all()
    assert bodies == ["Week 5. A stat correction changed the bracket."]
    assert update(world.league.id, now) == []


def test_a_scorer_sees_before_a_correction_how_many_brackets_it_changes(world: DraftWorld) -> None:
    """Names stay with the leagues: whoever sits in the stadium sees a number."""
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    play(world, 4, {1: 11, 4: 10, 2: 21, 3: 20})
    assert foretold(world, 4, 1_500) == Totals(1, [MovedTotals(1_500, 1, 1)], playoffs=1)
    assert foretold(world, 4, 500).playoffs == 0, "Ann still wins"
    assert foretold(world, 1, 1_500).playoffs == 0, "Ann wins by more"
    db.session.get_one(Gameweek, world.gameweek(4).id).settled_at = None
    db.session.commit()
    assert foretold(world, 4, 1_500).playoffs == 0, "the semi-final is still played"


def foretold(world: DraftWorld, franchise: int, gain: int) -> Totals:
    """If the franchise's first starter gains so many thousandths in gameweek 4."""
    footballer = world.lineup(franchise, week=4)[0]
    gains = {world.league.rules: {footballer: gain}}
    game_id = db.session.scalars(select(Game.id).where(Game.week == 4)).first()
    assert game_id is not None
    return moved_totals(game_id, gains)


def test_the_worker_updates_only_leagues_whose_tables_have_changed(world: DraftWorld) -> None:
    now = world.gameweek(1).deadline
    assert update_behind(now) == 0
    for week in (1, 2, 3):
        play(world, week, {1: 40, 2: 30, 3: 20, 4: 10})
    assert update_behind(now) == 0
    adjust(world, 3, 4, 1)
    live.refresh_league(world.league.id, now + 4 * timedelta(days=7))
    assert update_behind(now) == 1
    assert update_behind(now) == 0
    assert db.session.get_one(DraftLeague, world.league.id).phase == SEASON


def test_all_pages_rank_by_the_table_of_the_regular_season(world: DraftWorld) -> None:
    """Ann has one win and two losses with most points; the play-offs move nobody."""
    play(world, 1, {1: 90, 2: 10, 3: 10, 4: 20})
    play(world, 2, {1: 90, 2: 10, 3: 100, 4: 95})
    play(world, 3, {1: 90, 2: 100, 3: 95, 4: 99})
    expected = [place.franchise for place in load_season(world.league.id).table]

    def ranked() -> list[int]:
        rows = db.session.execute(
            select(LeagueMember.member_id, LeagueMember.standing)
            .where(LeagueMember.league_id == world.league.id)
            .order_by(LeagueMember.standing.desc())
        ).all()
        db.session.rollback()
        return [world.members.index(member_id) + 1 for member_id, _ in rows]

    assert ranked() == expected
    assert ranked_after(world, 3) == expected
    before = ranked_after(world, 1)
    play(world, 4, {1: 10, 2: 20, 3: 30, 4: 40})
    assert ranked() == expected
    assert ranked_after(world, 4) == expected
    assert ranked_after(world, 1) == before


def ranked_after(world: DraftWorld, week: int) -> list[int]:
    """The franchises by their stored rank after a gameweek."""
    members = db.session.scalars(
        select(LeagueScore.member_id)
        .where(
            LeagueScore.league_id == world.league.id,
            LeagueScore.gameweek_id == world.gameweek(week).id,
        )
        .order_by(LeagueScore.rank)
    ).all()
    return [world.members.index(member_id) + 1 for member_id in members]


def test_a_previewed_adjustment_moves_whom_it_then_moves(world: DraftWorld) -> None:
    play(world, 1, {1: 90, 2: 10, 3: 10, 4: 20})
    play(world, 2, {1: 90, 2: 10, 3: 100, 4: 95})
    adjustment = NewAdjustment(world.members[1], world.gameweek(1).id, 100_000)
    moves = adjustments.preview(world.league, adjustment)
    [seeds] = adjustments.playoff_changes(world.league, adjustment)
    assert seeds.startswith("Playoff teams would be ")
    db.session.rollback()
    before = places_of(world)
    adjust(world, 1, 2, 100)
    live.refresh_league(world.league.id, world.gameweek(2).deadline + AFTER)
    after = places_of(world)
    assert {move.member_id: (move.old.rank, move.new.rank) for move in moves} == {
        member: (before[member], after[member])
        for member in world.members
        if before[member] != after[member] or member == world.members[1]
    }
    assert len(moves) > 1
    assert all(move.old.match_points is None for move in moves)


def places_of(world: DraftWorld) -> dict[int, int]:
    return {
        world.members[place.franchise - 1]: place.place
        for place in load_season(world.league.id).table
    }
