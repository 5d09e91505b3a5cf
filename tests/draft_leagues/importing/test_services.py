"""A league that moves here in mid-season: rosters, results, schedule, and its further season."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from threading import Barrier

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import func, insert, select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.franchises import services as franchises
from app.draft_leagues.importing.planning import ImportAnswers
from app.draft_leagues.importing.rules import match_players
from app.draft_leagues.importing.services import (
    Import,
    known_footballers,
    planned,
    refusals,
    take_over,
)
from app.draft_leagues.importing.sleeper import read_sleeper
from app.draft_leagues.importing.values import ImportedLeague
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.setup.services import settings_for
from app.fantasy.gameweeks import live
from app.fantasy.leagues import services as leagues
from app.fantasy.market import listing
from app.fantasy.rosters.models import RosterSpot, RosterTransaction
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.scoring.models import ImportedLine
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.models import League, LeagueScore
from app.record.models import Footballer, Game
from tests.snapshots import made_once
from tests.worlds.draft_season import make_draft_season
from tests.worlds.games import KICKOFF
from tests.worlds.sleeper_league import ROSTERS, settle_weeks, sleeper_id, sleeper_league

# After the second gameweek, before the deadline of the third.
NOW = KICKOFF + timedelta(days=13)


@dataclass(frozen=True)
class Moving:
    """A league that may move here. `ids`: its footballers here by Sleeper's ids."""

    season_id: int
    league: ImportedLeague
    ids: Mapping[str, str]
    ann: int

    def new(self, **changed: object) -> Import:
        values = {
            "name": "The Old League",
            "season_id": self.season_id,
            "league": self.league,
            "team_key": "3",
            "ids": self.ids,
            "time_zone": "America/New_York",
        }
        return Import(**(values | changed))  # type: ignore[arg-type]


@pytest.fixture
@made_once
def moving(app: Flask, member: Callable[..., Member]) -> Moving:
    season = make_draft_season(is_simulated=True, with_last_season=False)
    settle_weeks(season.id)
    rows = db.session.execute(
        select(Footballer.id, Footballer.name, Footballer.position, Footballer.club_id)
    )
    names = {row.id: (row.name, row.position, row.club_id) for row in rows}
    league = read_sleeper(sleeper_league(names), "files")
    assert isinstance(league, ImportedLeague), league
    matched = match_players(league, known_footballers(season.id), {})
    assert not matched.doubts
    return Moving(season.id, league, matched.ids, member("ann").id)


def take(moving: Moving, **changed: object) -> League:
    league = take_over(moving.ann, moving.new(**changed), NOW)
    assert isinstance(league, League), league
    return league


def test_everybody_is_found_by_name_position_and_club(moving: Moving) -> None:
    assert moving.ids[sleeper_id("SUM-RB1")] == "SUM-RB1"
    assert moving.ids["MES"] == "MES-DST"


def test_rosters_are_acts_of_the_commissioner(moving: Moving) -> None:
    league = take(moving)
    places = rosters_of(league.id).places
    assert {footballer for footballer, place in places.items() if place.franchise == 1} == set(
        ROSTERS[3]  # Ann's team comes first
    )
    assert places["SUM-TE1"].spot == "reserve"
    acts = db.session.scalars(
        select(RosterTransaction).where(RosterTransaction.kind == "commissioner")
    ).all()
    assert len(acts) == 5
    assert {act.by_member_id for act in acts} == {moving.ann}
    assert rosters_of(league.id).picks == {(2027, 1, 3): 1}  # team 2 is franchise 3, team 3 is 1
    assert rosters_of(league.id).budgets == {1: 70, 2: 90, 3: 80, 4: 60}


def test_teams_keep_names_and_wait_for_their_owners(
    moving: Moving, member: Callable[..., Member]
) -> None:
    league = take(moving)
    teams = franchises.teams(league.id)
    assert [team.name for team in teams] == [
        "Team of catfish",
        "Team of ann77",
        "Team of bobby",
        "dan_the_man",
    ]
    assert [team.waiver_priority for team in teams] == [2, 4, 3, 1]
    bob = member("bob").id
    assert leagues.join(bob, league.id, "Bob FC", NOW) is None
    assert franchises.franchise_of(league.id, bob) == 2


def test_results_and_schedule_are_those_of_the_files(moving: Moving) -> None:
    league = take(moving)
    view = load_season(league.id)
    weeks = {week.week: week.id for week in view.regular}
    assert view.points[weeks[1]] == {1: 75_000, 2: 101_500, 3: 88_240, 4: 90_000}
    assert view.points[weeks[2]] == {1: 61_000, 2: 60_000, 3: 99_900}  # nothing is no points
    assert set(map(frozenset, view.pairs[weeks[3]])) == {frozenset((2, 4)), frozenset((3, 1))}
    assert len(view.pairs[weeks[4]]) == 2  # the files know no further weeks: scheduled here
    assert len(view.regular) == 14


def test_results_stay_when_the_league_is_added_up_again(moving: Moving) -> None:
    league_id = take(moving).id
    before = db.session.execute(
        select(LeagueScore.member_id, LeagueScore.points).order_by(LeagueScore.member_id)
    ).all()
    live.refresh_league(league_id, NOW)
    after = db.session.execute(
        select(LeagueScore.member_id, LeagueScore.points).order_by(LeagueScore.member_id)
    ).all()
    assert after == before


def test_settings_and_scoring_come_along(moving: Moving) -> None:
    league = take(moving)
    settings = settings_for(league.id)
    assert rules_named(settings.scoring).milli_points["receptions"] == 1000
    assert (settings.time_zone, settings.season.weeks_per_round) == ("America/New_York", (1, 2))
    assert franchises.draft_league(league.id).phase == "season"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"team_key": "9"}, "team"),
        ({"name": ""}, "name"),
        ({"ids": {}}, "players"),
        ({"time_zone": "Nowhere/Land"}, "time_zone"),
    ],
)
def test_an_impossible_import_is_refused(
    moving: Moving, changed: dict[str, object], code: str
) -> None:
    refused = take_over(moving.ann, moving.new(**changed), NOW)
    assert isinstance(refused, list)
    assert code in [refusal.code for refusal in refused] or code in [
        refusal.field for refusal in refused
    ]
    assert db.session.scalar(select(func.count()).select_from(League)) == 0


def test_a_footballer_on_two_rosters_is_named(moving: Moving) -> None:
    double = dict(moving.ids) | {sleeper_id("SUM-QB1"): "HAR-QB1"}
    refused = refusals(moving.new(ids=double), NOW)
    assert [refusal.code for refusal in refused] == ["player_twice"]


def test_a_league_whose_season_does_not_fit_is_told_how(moving: Moving) -> None:
    season = replace(moving.league.settings.season, regular_weeks=16)
    league = replace(moving.league, settings=replace(moving.league.settings, season=season))
    assert refusals(moving.new(league=league), NOW) == []
    plan = planned(moving.new(league=league), NOW)
    assert plan.league.settings.season.regular_weeks == 14
    assert (
        "Regular season: 14 weeks, starting in Week 1 instead of 16 weeks, starting in Week 1, "
        "because the season here has no room for more."
    ) in plan.league.notes


def changed_league(moving: Moving, **changed: object) -> ImportedLeague:
    return replace(moving.league, **changed)


def test_gameweeks_without_a_result_are_asked_for_and_never_ties(moving: Moving) -> None:
    # Of gameweek 2, which is over here, the files have no points: 0 to 0 would be two ties.
    games = tuple(
        replace(game, home_points=None, away_points=None) if game.week == 2 else game
        for game in moving.league.games
    )
    league = changed_league(moving, games=games)
    [refusal] = refusals(moving.new(league=league), NOW)
    assert (refusal.code, refusal.field) == ("missing_weeks", "starts_next")
    assert "Week 2 has begun here, but the files have no final result for it." in refusal.text
    later = take(moving, league=league, answers=ImportAnswers(starts_next=True))
    view = load_season(later.id)
    assert view.weeks == []  # nothing is counted that was not played
    assert (later.first_week, view.regular[0].week, len(view.regular)) == (3, 3, 12)


def test_a_gameweek_that_is_being_played_is_no_result(moving: Moving) -> None:
    # One side has played on Thursday; a day later gameweek 3 has begun here too.
    playing = tuple(
        replace(game, home_points=23_400, away_points=0) if game.week == 3 else game
        for game in moving.league.games
    )
    league = changed_league(moving, games=playing)
    plan = planned(moving.new(league=league), NOW)
    assert plan.league.played_weeks == [1, 2]
    assert "Week 3: not finished here, so the points are not final." in plan.league.notes
    friday = NOW + timedelta(days=2)
    assert planned(moving.new(league=league), friday).missing_weeks == [3]
    assert [refusal.code for refusal in refusals(moving.new(league=league), friday)] == [
        "missing_weeks"
    ]


def test_final_results_of_a_gameweek_that_is_not_over_here_are_not_asked_for(
    moving: Moving,
) -> None:
    games = tuple(
        replace(game, home_points=90_000, away_points=80_000) if game.week == 3 else game
        for game in moving.league.games
    )
    new = moving.new(league=changed_league(moving, games=games))
    [refusal] = refusals(new, NOW + timedelta(days=2))
    assert refusal.text == (
        "Week 3 is not finished here, so final results can't be imported yet. Wait until it is "
        "finished here, or start in Week 4 without earlier results."
    )


def test_totals_of_the_season_follow_the_scoring_of_the_files(moving: Moving) -> None:
    game_id = db.session.scalar(
        select(Game.id).where(
            Game.week == 1, Game.home_id.in_(("HAR", "SUM")) | (Game.away_id.in_(("HAR", "SUM")))
        )
    )
    line = {"game_id": game_id, "player_id": "HAR-WR1", "team": "HAR", "stats": {"receptions": 4}}
    db.session.execute(insert(ImportedLine), line | {"imported_at": NOW})
    db.session.commit()
    league = take(moving)
    totals = listing.listed(moving.season_id, league.rules, ["HAR-WR1"])
    assert totals["HAR-WR1"].points == 4_000


def test_a_trade_deadline_that_has_passed_stays_passed(moving: Moving) -> None:
    settings = moving.league.settings
    trades = replace(settings.trades, deadline_week=2)
    league = changed_league(moving, settings=replace(settings, trades=trades))
    assert settings_for(take(moving, league=league).id).trades.deadline_week == 2


def test_names_of_teams_obey_the_rules_of_names(moving: Moving) -> None:
    odd = ("\u202eevil\u200b FC", "\u200b\u200b", "moderator", "Sixty " + "Emoji" * 12)
    teams = tuple(
        replace(team, name=name) for team, name in zip(moving.league.teams, odd, strict=True)
    )
    league = take(moving, league=changed_league(moving, teams=teams), team_key="1")
    assert [team.name for team in franchises.teams(league.id)] == [
        "evil FC",
        "Team 2",
        "Team 3",
        odd[3][:40],
    ]
    notes = planned(moving.new(league=changed_league(moving, teams=teams)), NOW).league.notes
    assert len([note for note in notes if " will be called " in note]) == 4


def test_budget_that_was_won_or_overspent_comes_along_or_is_told(moving: Moving) -> None:
    # Sleeper counts what was won in trades as used less than nothing.
    teams = tuple(
        replace(team, budget_used=used)
        for team, used in zip(moving.league.teams, (-30, 130, 0, 10), strict=True)
    )
    new = changed_league(moving, teams=teams)
    league = take(moving, league=new, team_key="1")
    budgets = rosters_of(league.id).budgets
    assert [budgets.get(number, 0) for number in (1, 2, 3, 4)] == [130, 0, 100, 90]
    notes = planned(moving.new(league=new), NOW).league.notes
    assert "Team of bobby has no waiver budget left: the files say 130 of 100 are used." in notes


def test_a_league_of_another_season_is_told(moving: Moving) -> None:
    plan = planned(moving.new(league=changed_league(moving, year=1999)), NOW)
    assert any(
        "are from the 1999 season. The league will be imported into" in note
        for note in plan.league.notes
    )


def test_the_scoring_and_places_can_be_chosen_before_the_import(moving: Moving) -> None:
    # The files score no statistic of a team defence, and have a place for one.
    scoring = {name: worth for name, worth in moving.league.scoring.items() if "dst" not in name}
    league = changed_league(moving, scoring=scoring)
    [refusal] = refusals(moving.new(league=league), NOW)
    assert refusal.field == "scoring"
    preset = ImportAnswers(scoring="half_ppr_idp")
    assert refusals(moving.new(league=league, answers=preset), NOW) == []
    places = {each.slot: each.count for each in league.settings.roster.starters}
    without = ImportAnswers(starters=places | {"DST": 0})
    stored = settings_for(take(moving, league=league, answers=without).id)
    assert "DST" not in {each.slot for each in stored.roster.starters}


def test_a_form_that_is_sent_twice_at_once_imports_once(app: Flask, moving: Moving) -> None:
    together = Barrier(2, timeout=20)

    def send(_: int) -> str:
        with app.app_context():
            together.wait()
            league = take_over(moving.ann, moving.new(), NOW)
            assert isinstance(league, League), league
            return league.slug

    with ThreadPoolExecutor(2) as threads:
        assert len(set(threads.map(send, range(2)))) == 1
    db.session.rollback()
    assert db.session.scalar(select(func.count()).select_from(League)) == 1
    assert db.session.scalar(select(func.count()).select_from(RosterSpot)) == 24
