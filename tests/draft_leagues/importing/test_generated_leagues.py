"""Generated leagues: what the preview says is what the database holds after the import."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.draft_leagues.franchises.services import teams as franchises_of
from app.draft_leagues.importing.planning import ImportAnswers
from app.draft_leagues.importing.services import Import, planned, refusals, take_over
from app.draft_leagues.importing.values import (
    ImportedGame,
    ImportedLeague,
    ImportedPick,
    ImportedPlayer,
    ImportedTeam,
)
from app.draft_leagues.season.queries import load_season
from app.draft_leagues.settings import PRESETS, DraftLeagueSettings
from app.draft_leagues.setup.services import settings_for
from app.fantasy.rosters.queries import rosters_of
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.standings.models import League
from app.record.models import Footballer
from tests.snapshots import made_once
from tests.worlds.draft_season import make_draft_season
from tests.worlds.games import KICKOFF
from tests.worlds.sleeper_league import settle_weeks

NOW = KICKOFF + timedelta(days=20)  # gameweeks 1 to 3 are over, and the fourth is to come
NAMES = ("Anchors", "Badgers", "\u202eCrabs", "moderator", "\u200b", "Dunes" * 12, "Éclairs", "F")


@pytest.fixture
@made_once
def season_id(app: Flask) -> int:
    season = make_draft_season(is_simulated=True, with_last_season=False)
    settle_weeks(season.id, 3)
    return season.id


def generated(random: Random, footballers: list[str]) -> tuple[ImportedLeague, dict[str, str]]:
    """A league as files may describe it, and whom its players mean."""
    count = random.randint(2, 6)
    ids: dict[str, str] = {}
    order = random.sample(footballers, len(footballers))
    teams = []
    for number in range(1, count + 1):
        players = []
        for place in range(random.randint(1, 14)):
            key = f"{number}.{place}"
            if random.random() < 0.9:
                ids[key] = order.pop()
            spot = random.choice(("active", "active", "active", "reserve", "taxi"))
            players.append(ImportedPlayer(key, f"Player {key}", spot=spot))
        teams.append(
            ImportedTeam(
                str(number),
                random.choice(NAMES),
                "owner",
                tuple(players),
                random.choice((0, 15, 100, 130, -30)),
                random.choice((number, number, number, 1, None)),
                random.choice((1, 2, 2, 4, 0)) if count > 3 else 0,
            )
        )
    return (
        ImportedLeague(
            "Old",
            random.choice((None, 2026, 1999)),
            settings(random, count),
            tuple(teams),
            tuple(games(random, count)),
            random.choice(({}, {"passing_yards": 40, "receptions": 500, "rushing_yards": 100})),
            (ImportedPick(2027, 1, "1", "2"),) if random.random() < 0.5 else (),
        ),
        ids,
    )


def settings(random: Random, count: int) -> DraftLeagueSettings:
    usual = PRESETS[random.choice(("redraft", "dynasty", "two-quarterback", "best-ball"))]
    season = replace(
        usual.season,
        first_week=random.choice((1, 1, 2, None)),
        regular_weeks=random.choice((3, 14, 18)),
        divisions=2 if count > 3 else 0,
    )
    trades = replace(usual.trades, deadline_week=random.choice((None, 2, 12, 25)))
    return replace(usual, franchises=count, scoring="half_ppr_idp", season=season, trades=trades)


def games(random: Random, count: int) -> list[ImportedGame]:
    listed = []
    for week in range(1, random.choice((2, 4, 6)) + 1):
        sides = random.sample(range(1, count + 1), count)
        is_played = week <= 3 or random.random() < 0.3
        while sides:
            home = sides.pop()
            away = sides.pop() if sides and random.random() < 0.95 else None
            points = [random.choice((0, 81_500, 90_120, -1_000)) if is_played else None] * 2
            listed.append(
                ImportedGame(
                    week,
                    str(home),
                    str(away) if away else None,
                    points[0],
                    points[1] if away else None,
                )
            )
    return listed


def check_stored(league: League, new: Import) -> None:
    """Everything of the preview, compared with what the database has."""
    plan = planned(new, NOW).league
    keys = sorted((team.key for team in plan.teams), key=lambda key: key != new.team_key)
    numbers = {key: number for number, key in enumerate(keys, start=1)}
    stored = settings_for(league.id)
    if plan.scoring:
        assert dict(rules_named(stored.scoring).milli_points) == plan.scoring
    assert replace(stored, scoring=plan.settings.scoring) == plan.settings
    view, rosters = load_season(league.id), rosters_of(league.id)
    has_bids = plan.settings.waivers.kind == "blind_bids"
    teams = franchises_of(league.id)
    for team in plan.teams:
        franchise = teams[numbers[team.key] - 1]
        assert franchise.name == team.name
        assert franchise.division == team.division
        if team.waiver_priority:
            assert franchise.waiver_priority == team.waiver_priority
        left = plan.settings.waivers.budget - team.budget_used if has_bids else 0
        assert rosters.budgets.get(franchise.number, 0) == left
        expected = {
            new.ids[player.key]: player.spot for player in team.players if player.key in new.ids
        }
        places = rosters.of(franchise.number)
        assert {footballer: place.spot for footballer, place in places.items()} == expected
    assert rosters.picks == {
        (pick.season, pick.round, numbers[pick.original]): numbers[pick.owner]
        for pick in plan.picks
    }
    weeks = {week.week: week.id for week in view.regular}
    for week in {game.week for game in plan.games}:
        of_week = [game for game in plan.games if game.week == week]
        pairs = {
            frozenset((numbers[game.home], numbers[game.away] if game.away else None))
            for game in of_week
        }
        assert {frozenset(pair) for pair in view.pairs[weeks[week]]} == pairs
        points = {numbers[game.home]: game.home_points for game in of_week}
        points |= {numbers[game.away]: game.away_points for game in of_week if game.away}
        stored_points = view.points.get(weeks[week], {})
        for number, thousandths in points.items():
            assert stored_points.get(number, 0) == (thousandths or 0)
    # no gameweek that has begun is without a result
    assert all(week.week in plan.played_weeks for week in view.regular if week.deadline <= NOW)


def check(season_id: int, ann: int, seeds: range) -> int:
    """Import a league for each seed; returns how many were possible."""
    footballers = list(db.session.scalars(select(Footballer.id).order_by(Footballer.id)))
    done = 0
    for seed in seeds:
        random = Random(seed)  # noqa: S311
        league, ids = generated(random, footballers)
        answers = ImportAnswers(
            starts_next=random.random() < 0.3,
            scoring=random.choice(("", "half_ppr_idp")),
        )
        new = Import(f"Old {seed}", season_id, league, "2", ids, "UTC", answers)
        refused = refusals(new, NOW)
        imported = take_over(ann, new, NOW)
        if refused:
            # the last step refuses exactly what the preview says
            assert imported == refused, seed
            continue
        assert isinstance(imported, League), (seed, imported)
        check_stored(imported, new)
        done += 1
    return done


def test_the_database_holds_what_the_preview_says(
    season_id: int, member: Callable[..., Member]
) -> None:
    assert check(season_id, member("ann").id, range(12)) > 3


@pytest.mark.breadth("more generated leagues")
def test_the_database_holds_what_the_preview_says_of_many_leagues(
    season_id: int, member: Callable[..., Member]
) -> None:
    for first in range(100, 160, 12):
        ann = member(f"ann{first}").id  # nobody may found many leagues
        assert check(season_id, ann, range(first, first + 12)) > 2
