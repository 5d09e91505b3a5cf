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
from sqlalchemy import func, select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.franchises import services as franchises
from app.draft_leagues.importing.rules import match_players
from app.draft_leagues.importing.services import Import, known_footballers, refusals, take_over
from app.draft_leagues.importing.sleeper import read_sleeper
from app.draft_leagues.importing.values import ImportedLeague
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.setup.services import settings_for
from app.fantasy.gameweeks import live
from app.fantasy.leagues import services as leagues
from app.fantasy.rosters.models import RosterSpot, RosterTransaction
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.models import League, LeagueScore
from app.record.models import Footballer
from tests.snapshots import made_once
from tests.worlds.draft_season import make_draft_season
from tests.worlds.games import KICKOFF
from tests.worlds.sleeper_league import ROSTERS, sleeper_id, sleeper_league

# In the third gameweek.
NOW = KICKOFF + timedelta(days=16)


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
    refused = refusals(moving.new(league=league), NOW)
    assert [refusal.field for refusal in refused] == ["season.weeks_per_round"]


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
