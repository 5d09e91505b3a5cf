"""Rolling a season over: market at new prices, leagues with members, history kept.

Seasons listed and made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select, update

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.models import LeagueBan
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, TeamRules
from app.fantasy.market.seasons import NewSeason
from app.fantasy.scoring.models import PlayerPoints
from app.fantasy.season_setup.importing import import_roster, import_schedule
from app.fantasy.season_setup.roll import CannotRollError, create, roll, seasons
from app.fantasy.season_setup.rosters import read_roster
from app.fantasy.season_setup.schedule import read_schedule
from app.fantasy.standings.models import League, LeagueMember
from tests.worlds.season_files import ROSTER, SCHEDULE, written

NOW = datetime(2026, 9, 1, tzinfo=UTC)


@pytest.fixture
def ended(app: Flask, tmp_path: Path, member: Callable[..., Member]) -> Season:
    """Season 2026 has ended: Rafe Harbor had the most points.

    Ann runs a league with Bob; Cat was removed.
    """
    import_schedule(read_schedule(written(tmp_path, "games.csv", SCHEDULE)))
    import_roster(read_roster(written(tmp_path, "roster.csv", ROSTER), 2026))
    season = db.session.scalars(select(Season).where(Season.season_type == "REG")).one()
    ann, bob, cat = member("ann"), member("bob"), member("cat")
    choice = TeamRulesChoice.of("nfl-superflex", "Europe/Berlin", deadline="THU 18:00")
    new = leagues.NewLeague(
        "The Row", "Ann's", season.id, choice, "ppr_idp", "head_to_head", "latest_gameweek"
    )
    league = leagues.create(ann.id, new, NOW)
    assert isinstance(league, League)
    for gamer in (bob, cat):
        assert leagues.join(gamer.id, league.id, f"{gamer.display_name}'s", NOW) is None
    assert leagues.remove(league.id, cat.id, NOW) is None
    db.session.add(
        PlayerPoints(
            game_id="2026_01_SUM_HRB", player_id="00-0000002", rules=season.rules, points=100_000
        )
    )
    db.session.execute(
        update(Gameweek)
        .where(Gameweek.season_id == season.id)
        .values(settled_at=NOW, locked_at=NOW)
    )
    db.session.commit()
    return season


def next_schedule(folder: Path) -> None:
    later = SCHEDULE.replace("2027", "2028").replace("2026", "2027")
    import_schedule(read_schedule(written(folder, "next.csv", later)))


def market_of(year: int) -> dict[str, int]:
    rows = db.session.execute(
        select(FootballerSeason.footballer_id, FootballerSeason.price)
        .join(Season, Season.id == FootballerSeason.season_id)
        .where(Season.season == year, Season.season_type == "REG")
    )
    return dict(rows.all())


def test_the_market_starts_at_prices_by_the_points_of_the_season_that_ended(
    ended: Season, tmp_path: Path
) -> None:
    before = market_of(2026)
    next_schedule(tmp_path)
    roll("nfl")
    assert market_of(2027) == {
        "00-0000001": 85,
        "00-0000002": 130,
        "00-0000004": 50,
        "00-0000005": 45,
        "00-0000006": 75,
        "HRB-DST": 45,
        "SUM-DST": 45,
    }
    assert market_of(2026) == before


def test_who_has_left_is_not_taken_along(ended: Season, tmp_path: Path) -> None:
    db.session.execute(
        update(FootballerSeason)
        .where(FootballerSeason.footballer_id == "00-0000001")
        .values(status="left")
    )
    next_schedule(tmp_path)
    roll("nfl")
    assert "00-0000001" not in market_of(2027)


def test_leagues_go_on_with_their_members_and_rules(ended: Season, tmp_path: Path) -> None:
    next_schedule(tmp_path)
    done = roll("nfl")
    assert (done.name, done.gameweeks, done.footballers, done.leagues) == ("NFL 2027", 2, 7, 1)
    old, new = db.session.scalars(
        select(League).where(League.name == "The Row").order_by(League.id)
    ).all()
    assert (old.slug, new.slug) == ("the-row", "the-row-2027")
    assert old.invite_code != new.invite_code
    for name in ("rules", "mode", "ties", "is_public", "commissioner_id"):
        assert getattr(old, name) == getattr(new, name)
    for model in (LeagueMember, LeagueBan):
        ids = [
            set(db.session.scalars(select(model.member_id).where(model.league_id == league_row.id)))
            for league_row in (old, new)
        ]
        assert ids[0] == ids[1] != set()
    rules = [db.session.get_one(TeamRules, league_row.team_rules_id) for league_row in (old, new)]
    assert [(rule.format, rule.deadline, rule.time_zone) for rule in rules] == [
        ("nfl-superflex", "THU 18:00", "Europe/Berlin")
    ] * 2
    assert [rule.season_id for rule in rules] == [old.season_id, new.season_id]


def test_rolling_again_makes_only_what_is_missing(ended: Season, tmp_path: Path) -> None:
    next_schedule(tmp_path)
    assert roll("nfl", leagues=False).leagues == 0
    db.session.execute(update(FootballerSeason).values(price=44))
    db.session.commit()
    again = roll("nfl")
    assert (again.footballers, again.leagues) == (0, 1)
    assert set(market_of(2027).values()) == {44}
    assert roll("nfl", 2026).leagues == 0


def found_league(name: str, season: Season, by: int) -> League:
    choice = TeamRulesChoice.of("nfl-classic", "UTC")
    league = leagues.create(
        by, leagues.NewLeague(name, "A team", season.id, choice, "ppr_idp"), NOW
    )
    assert isinstance(league, League), league
    return league


def test_every_league_goes_on_whatever_addresses_are_taken(
    ended: Season, tmp_path: Path, member: Callable[..., Member]
) -> None:
    """Leagues whose next address is taken, or shared by two, roll to the new season.

    Before, the first was dropped without a word, and the second stopped the command.
    """
    ann = db.session.scalars(select(Member.id).where(Member.username == "ann")).one()
    db.session.execute(update(Gameweek).values(locked_at=None))
    found_league("The Row 2026", ended, ann)
    db.session.execute(update(Gameweek).values(locked_at=NOW))
    db.session.commit()
    next_schedule(tmp_path)
    next_season = db.session.scalars(
        select(Season).where(Season.season == 2027, Season.season_type == "REG")
    ).one()
    assert found_league("The Row 2027", next_season, member("zoe").id).slug == "the-row-2027"
    assert roll("nfl").leagues == 2
    assert roll("nfl").leagues == 0
    names = dict(
        db.session.execute(
            select(League.slug, League.name).where(League.season_id == next_season.id)
        ).all()
    )
    assert names == {
        "nfl-2027-overall": "NFL 2027: everybody",
        "the-row-2027": "The Row 2027",
        "the-row-2027-2": "The Row",
        "the-row-2027-3": "The Row 2026",
    }


def test_a_season_rolls_over_only_when_it_has_ended_and_the_next_has_a_schedule(
    ended: Season, tmp_path: Path
) -> None:
    with pytest.raises(CannotRollError, match="import its schedule first"):
        roll("nfl")
    next_schedule(tmp_path)
    db.session.execute(
        update(Gameweek).where(Gameweek.week == 9, Gameweek.season == 2026).values(settled_at=None)
    )
    db.session.commit()
    with pytest.raises(CannotRollError, match="Week 9 of NFL 2026 is not settled"):
        roll("nfl")
    with pytest.raises(CannotRollError, match="No season of nfl 2020"):
        roll("nfl", 2020)
    assert market_of(2027) == {}


def test_seasons_are_listed_with_their_sizes(ended: Season) -> None:
    post, regular = seasons()
    assert (regular.name, regular.gameweeks, regular.settled, regular.games) == (
        "NFL 2026",
        2,
        2,
        4,
    )
    assert (regular.footballers, regular.leagues, regular.gamers) == (7, 2, 0)
    assert (post.season_type, post.games, post.settled) == ("POST", 1, 0)


def test_a_season_is_made_by_hand_once(app: Flask) -> None:
    cup = NewSeason("cup", 2026, "REG", "The Cup", "Europe/Berlin", "soccer")
    season = create(cup, "soccer")
    assert create(replace(cup, name="Another"), "soccer").id == season.id
    assert [(row.name, row.leagues) for row in seasons()] == [("The Cup", 1)]


@pytest.mark.parametrize(
    ("zone", "rules", "team_format", "says"),
    [
        ("Mars/Olympus", "ppr", "nfl-classic", "time zone"),
        ("Europe/Berlin", "rich", "nfl-classic", "rules: there are no rules"),
        ("Europe/Berlin", "ppr", "rugby", "format: there is no format"),
    ],
)
def test_a_season_of_unknown_settings_is_refused(
    app: Flask, zone: str, rules: str, team_format: str, says: str
) -> None:
    with pytest.raises(CannotRollError, match=says):
        create(NewSeason("cup", 2026, "REG", "The Cup", zone, rules), team_format)
