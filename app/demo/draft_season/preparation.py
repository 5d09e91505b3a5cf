"""Stores what the season of a draft league needs before it is founded: games, market, members."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from random import Random

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member
from app.core.db import db, upsert
from app.core.errors import UserError
from app.demo.draft_season.games import SeasonGames
from app.demo.names import draw_names
from app.fantasy.market.models import Season
from app.fantasy.market.seasons import NewSeason, ensure_gameweek, ensure_season
from app.fantasy.season_setup.start import ensure_overall_league, put_on_market
from app.fantasy.season_setup.storing import store_clubs
from app.record.models import Footballer, Game
from app.record.script import Footballer as FootballerFacts
from app.record.services import store_defences

ZONE = "America/New_York"


class SeasonExistsError(UserError):
    """The season of this seed has been played, or was cut short."""


def store_season(games: SeasonGames) -> Season:
    """Store the season with its gameweeks, games and market. Commits.

    Clubs and footballers who are known already stay as they are.

    Raises:
        SeasonExistsError: There is such a season already.
    """
    if db.session.scalar(select(Season.id).where(Season.competition == games.competition)):
        raise SeasonExistsError(f"{games.name} exists already: give another --seed.")
    season = ensure_season(
        NewSeason(
            games.competition,
            games.year,
            "REG",
            name=games.name,
            time_zone=ZONE,
            rules="half_ppr_idp",
            is_simulated=True,
        )
    )
    _store_games(games)
    for week in games.weeks:
        ensure_gameweek(season, week.number, week.deadline)
    put_on_market(season, games.on_market, dict(games.prices))
    ensure_overall_league(season)
    db.session.commit()
    return season


def announce_injuries(season_id: int, games: SeasonGames, injured: Collection[str]) -> None:
    """Say on the market who is injured now; everybody else can play. Commits."""
    everybody = [
        replace(each, status="injured" if each.footballer_id in injured else "available")
        for each in games.on_market
    ]
    put_on_market(db.session.get_one(Season, season_id), everybody)
    db.session.commit()


def _store_games(games: SeasonGames) -> None:
    store_clubs(games.clubs.values(), games.competition)
    footballers = [
        {
            "id": footballer.id,
            "name": footballer.name,
            "club_id": footballer.club_id,
            "position": footballer.position,
            "number": footballer.number,
        }
        for footballer in _everybody(games).values()
    ]
    upsert(Footballer, ["id"], footballers, changes=False)
    store_defences(games.clubs)
    rows = [
        {
            "id": game.id,
            "competition": games.competition,
            "season": games.year,
            "season_type": "REG",
            "week": game.week,
            "kickoff": game.kickoff,
            "home_id": game.home,
            "away_id": game.away,
        }
        for week in games.weeks
        for game in week.games
    ]
    upsert(Game, ["id"], rows)


def _everybody(games: SeasonGames) -> dict[str, FootballerFacts]:
    """Those on the rosters, and whoever else takes part in a real game."""
    in_real_games = (
        footballer
        for week in games.weeks
        for game in week.games
        if game.script is not None
        for footballer in game.script.footballers
    )
    on_rosters = (footballer for roster in games.depth.values() for footballer in roster)
    return {footballer.id: footballer for footballer in (*in_real_games, *on_rosters)}


def store_members(seed: int, count: int) -> list[int]:
    """Create accounts that cannot sign in, and return their ids. Commits."""
    names = draw_names(Random(f"draft members {seed}"), count)  # noqa: S311
    usernames = [f"draft{seed}-{number:02}" for number in range(1, count + 1)]
    rows = [
        {"username": username, "display_name": name, "password_hash": "", "country": "US"}
        for username, name in zip(usernames, names, strict=True)
    ]
    db.session.execute(insert(Member).on_conflict_do_nothing(), rows)
    db.session.commit()
    ids = db.session.execute(
        select(Member.username, Member.id).where(Member.username.in_(usernames))
    )
    by_username = dict(ids.all())
    return [by_username[username] for username in usernames]
