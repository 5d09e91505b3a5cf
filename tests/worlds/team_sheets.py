"""A small season for tests of team sheets.

Soccer of five a side, four clubs, three gameweeks, a market.

It is simulated, so that tests say what time it is; `real=True` makes one that lives by the server's
clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from app.core.db import db
from app.demo import clubs
from app.fantasy.market import seasons
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import (
    FootballerSeason,
    FootballerTotals,
    Gameweek,
    Season,
    TeamRules,
)
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.transfers import Draft
from app.fantasy.standings.models import League
from app.record import script
from app.record.models import Club, Footballer, Game

KICKOFF = datetime(2026, 9, 13, 17, tzinfo=UTC)
WEEK = timedelta(days=7)
EARLY = KICKOFF - timedelta(days=3)  # a moment at which the first gameweek is open
CLUBS = ("AYR", "BUR", "CRK", "DOV")
KIND = (("GK", 40), ("DEF", 45), ("DEF", 55), ("MID", 60), ("MID", 80), ("FWD", 100))
TEAM = ("AYR1", "BUR6", "CRK5", "DOV3", "AYR4", "BUR2", "CRK3")  # 48.0 of 60.0 million
CAPTAINS = (2, 3)


@dataclass(frozen=True)
class World:
    season_id: int
    team_rules: TeamRules
    gameweeks: tuple[Gameweek, ...]
    overall: League

    def deadline(self, week: int) -> datetime:
        return self.gameweeks[week - 1].deadline


def _store_clubs() -> None:
    if db.session.get(Club, "AYR") is not None:
        return
    db.session.add_all(
        Club(id=club, name=club.title(), nickname="", colour="#224466") for club in CLUBS
    )
    db.session.flush()
    for club in CLUBS:
        for number, (position, _) in enumerate(KIND, start=1):
            db.session.add(
                Footballer(
                    id=f"{club}{number}",
                    name=f"{club.title()} {number}",
                    club_id=club,
                    position=position,
                    number=number,
                )
            )
    db.session.flush()


def make_world(
    *,
    lock: str = "gameweek",
    deadline: str | None = None,
    first: datetime = KICKOFF,
    real: bool = False,
    competition: str = "cup",
    weeks: int = 3,
) -> World:
    """In each gameweek AYR plays BUR at `first`, and CRK plays DOV a day later.

    Footballers AYR1 (GK) to DOV6 (FWD).
    """
    _store_clubs()
    season = seasons.ensure_season(
        seasons.NewSeason(
            competition,
            2026,
            "REG",
            name="Cup",
            time_zone="Europe/Berlin",
            rules="soccer",
            is_simulated=not real,
        )
    )
    for club in CLUBS:
        for number, (position, price) in enumerate(KIND, start=1):
            db.session.add(
                FootballerSeason(
                    season_id=season.id,
                    footballer_id=f"{club}{number}",
                    position=position,
                    price=price,
                    start_price=price,
                )
            )
    for week in range(1, weeks + 1):
        kickoff = first + (week - 1) * WEEK
        for home, away, at in (
            ("AYR", "BUR", kickoff),
            ("CRK", "DOV", kickoff + timedelta(days=1)),
        ):
            db.session.add(
                Game(
                    id=f"{competition}-{week}-{home}",
                    season=2026,
                    season_type="REG",
                    week=week,
                    kickoff=at,
                    home_id=home,
                    away_id=away,
                    competition=competition,
                )
            )
        db.session.flush()
        seasons.ensure_gameweek(season, week, kickoff)
    choice = TeamRulesChoice.of("soccer-five", "Europe/Berlin", lock=lock, deadline=deadline)
    team_rules = seasons.ensure_team_rules(season.id, choice)
    overall = League(
        season_id=season.id,
        team_rules_id=team_rules.id,
        slug=f"{competition}-overall",
        name="Overall",
        invite_code=competition,
        is_public=True,
        is_overall=True,
        rules="soccer",
    )
    db.session.add(overall)
    db.session.commit()
    return World(season.id, team_rules, tuple(seasons.gameweeks_of(season.id)), overall)


def team(
    *picks: str,
    captain: int = CAPTAINS[0],
    vice_captain: int = CAPTAINS[1],
    version: int | None = None,
) -> Draft:
    return Draft(picks or TEAM, captain, vice_captain, version)


def with_change(old: str, new: str) -> tuple[str, ...]:
    """TEAM with one footballer for another."""
    return tuple(new if footballer == old else footballer for footballer in TEAM)


def rows() -> list[TeamSheet]:
    """All team sheets as they stand in the database, in the order of their making."""
    return list(
        db.session.scalars(
            select(TeamSheet).order_by(TeamSheet.id), execution_options={"populate_existing": True}
        )
    )


def reprice(season_id: int, **prices: int) -> None:
    for footballer, price in prices.items():
        db.session.get_one(FootballerSeason, (season_id, footballer)).price = price
    db.session.commit()


PRICES = {"QB": 90, "RB": 75, "WR": 75, "TE": 55, "K": 45}


def _store_rosters() -> list[script.Footballer]:
    for club in clubs.CLUBS:
        db.session.add(Club(id=club.id, name=club.name, nickname=club.nickname, colour=club.colour))
    db.session.flush()
    players = [player for roster in clubs.rosters().values() for player in roster]
    for player in players:
        db.session.add(
            Footballer(
                id=player.id,
                name=player.name,
                club_id=player.club_id,
                position=player.position,
                number=player.number,
            )
        )
    return players


def _store_market(season: Season, players: list[script.Footballer]) -> None:
    for number, player in enumerate(players):
        price = PRICES.get(player.position, 45) - 5 * (number % 5)
        db.session.add(
            FootballerSeason(
                season_id=season.id,
                footballer_id=player.id,
                position=player.position,
                price=price,
                start_price=price,
                selected=number * 37 % 600,
                status="doubtful" if number % 23 == 0 else "available",
            )
        )
        db.session.add(
            FootballerTotals(
                season_id=season.id,
                rules=season.rules,
                footballer_id=player.id,
                position=player.position,
                total_points=price * 700 + number * 53 % 9000,
                form=number * 71 % 15000,
                gameweeks={},
            )
        )


def make_nfl(
    *, first: datetime, lock: str = "gameweek", weeks: int = 2, is_simulated: bool = False
) -> World:
    """A real season of the demo's eight clubs and all their footballers under nfl-classic.

    The dearest first of each.

    Points, form and select % are made up, so that every order of the list is another.
    """
    players = _store_rosters()
    season = seasons.ensure_season(
        seasons.NewSeason(
            "nfl",
            2026,
            "REG",
            name="NFL 2026",
            time_zone="America/New_York",
            is_simulated=is_simulated,
        )
    )
    db.session.flush()
    _store_market(season, players)
    ids = [club.id for club in clubs.CLUBS]
    for week in range(1, weeks + 1):
        kickoff = first + (week - 1) * WEEK
        for number, (home, away) in enumerate(zip(ids[::2], ids[1::2], strict=True)):
            db.session.add(
                Game(
                    id=f"nfl-{week}-{home}",
                    season=2026,
                    season_type="REG",
                    week=week,
                    kickoff=kickoff + number * timedelta(hours=3),
                    home_id=home,
                    away_id=away,
                )
            )
        db.session.flush()
        seasons.ensure_gameweek(season, week, kickoff)
    team_rules = seasons.ensure_team_rules(
        season.id, TeamRulesChoice.of("nfl-classic", "America/New_York", lock=lock)
    )
    overall = League(
        season_id=season.id,
        team_rules_id=team_rules.id,
        slug="overall",
        name="Everybody",
        invite_code="overall",
        is_public=True,
        is_overall=True,
        rules="half_ppr",
    )
    db.session.add(overall)
    db.session.commit()
    return World(season.id, team_rules, tuple(seasons.gameweeks_of(season.id)), overall)
