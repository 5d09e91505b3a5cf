"""Puts the demo season into the database, and lists the accounts to sign in with.

A repetition changes nothing.

Lives here: its games, accounts and market. Not here: what is in it (season.py), leagues and team
sheets (seed_teams.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import select

from app.accounts import services as accounts
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.demo.clubs import CLUBS, rosters
from app.demo.game import simulate_game
from app.demo.logins import DEMO_PASSWORD, demo_logins
from app.demo.market import market
from app.demo.season import COMPETITION, CURRENT, DemoAccount, DemoFixture, DemoSeason, demo_season
from app.demo.seed_teams import make_leagues, pick_teams
from app.demo.seed_tournament import open_tournament
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.market.seasons import ensure_gameweek, ensure_season, set_deadlines
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.record.models import Game
from app.record.script import GameScript
from app.record.services import store_script

DEMO_PREFIX = "demo-"

Play = Callable[[str, int], None]


def seed_demo(play: Play, number: int | None = None) -> bool:
    """Makes clubs, games, accounts, leagues, team sheets and a tournament.

    False when they were there already.

    `number`: the season's; None: this year. `play(game_id, until)` enters a game's first steps:
    finished games whole, running ones up to now. While it is made the season counts as simulated,
    so that teams can be picked for gameweeks that are over; that it goes by the real clock from
    then on is the last step. A seeding that was cut short goes on where it was. The demo of an
    earlier version, whose games were no competition of their own, stays as it is.
    """
    older = select(Game.id).where(Game.id.startswith(DEMO_PREFIX), Game.competition != COMPETITION)
    if db.session.scalar(older.limit(1)) is not None:
        return False
    there = db.session.scalar(select(Season).where(Season.competition == COMPETITION))
    if there is not None and not there.is_simulated:
        return False
    season = demo_season(
        _begun_at(there) or clock.now(), there.season if there is not None else number
    )
    for week in season.weeks:
        for fixture in week.fixtures:
            store_script(fixture.script)
            steps = _steps_gone(fixture, clock.now())
            if steps:
                play(fixture.script.game_id, steps)
    for account in [*season.staff, *(team.account for team in season.teams)]:
        _ensure_account(account)
    made = _open_season(season)
    make_leagues(season, made)
    pick_teams(season, made)
    open_tournament(season.season, season.teams, clock.now())
    made.is_simulated = False
    db.session.commit()
    return True


def _begun_at(there: Season | None) -> datetime | None:
    """The `now` of the previous attempt: four hours after the kickoff of the current gameweek's
    first game.
    """
    if there is None:
        return None
    current = select(Gameweek.deadline).where(
        Gameweek.season_id == there.id, Gameweek.week == CURRENT
    )
    deadline = db.session.scalar(current)
    return None if deadline is None else deadline + timedelta(hours=4)


def _steps_gone(fixture: DemoFixture, now: datetime) -> int:
    """The number of the game's steps before `now`, in real time."""
    if fixture.phase == "finished":
        return len(fixture.script.events)
    gone_ms = (now - fixture.start).total_seconds() * 1000
    return sum(1 for step in fixture.script.events if step.at_ms <= gone_ms)


def _ensure_account(account: DemoAccount) -> None:
    if accounts.find_member(account.username) is None:
        made = accounts.register(
            account.username, account.display_name, DEMO_PASSWORD, account.roles
        )
        assert isinstance(made, Member), made
        made.country = account.country
        db.session.commit()


def _open_season(season: DemoSeason) -> Season:
    """The season with its gameweeks, market and overall league."""
    made = ensure_season(
        COMPETITION,
        season.season,
        season.season_type,
        name=f"Demo season {season.season}",
        time_zone="America/New_York",
        rules="half_ppr_idp",
        is_simulated=True,
    )
    for week in season.weeks:
        ensure_gameweek(made, week.number, week.deadline)
    set_deadlines(made.id)
    prices = {player.id: player.price for player in market()}
    put_on_market(made, [OnMarket(player.id, player.position) for player in market()], prices)
    ensure_overall_league(made)
    db.session.commit()
    return made


def has_demo_accounts() -> bool:
    """Whether somebody could sign in with the demo's password, which everybody knows."""
    return any(
        accounts.find_member(username) is not None
        and accounts.check_password(username, DEMO_PASSWORD) is not None
        for _, username, _ in demo_logins()
    )


def simulated_game(seed: int, now: datetime) -> GameScript:
    """A whole game of two demo clubs; the same seed is the same game.

    Its week has no gameweek: it counts nowhere.
    """
    home, away = Random(seed).sample(CLUBS, 2)  # noqa: S311  (a game, not a secret)
    script = simulate_game(
        seed=seed,
        game_id=f"sim-{seed}",
        home=home,
        away=away,
        rosters=rosters(),
        kickoff=now,
        season=now.year,
        week=99,
    )
    return replace(script, competition=COMPETITION)
