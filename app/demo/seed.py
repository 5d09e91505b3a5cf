"""Puts the demo season into the database: its games, accounts and market.

What the season consists of is in season.py; leagues and team sheets are stored by seed_teams.py. A
repetition changes nothing.
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
from app.demo.game import Fixture, simulate_game
from app.demo.logins import DEMO_PASSWORD, demo_logins
from app.demo.market import market
from app.demo.season import COMPETITION, CURRENT, DemoAccount, DemoFixture, DemoSeason, demo_season
from app.demo.seed_draft_league import make_draft_league
from app.demo.seed_teams import make_leagues, pick_teams
from app.demo.seed_tournament import open_tournaments
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.market.seasons import NewSeason, ensure_gameweek, ensure_season, set_deadlines
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.record.models import Game
from app.record.script import GameScript
from app.record.services import store_script

DEMO_PREFIX = "demo-"

Play = Callable[[str, int], None]


def seed_demo(play: Play, number: int | None = None, *, speed: float = 1.0) -> bool:
    """Create clubs, games, accounts, leagues, team sheets and a tournament.

    Until the last step the season counts as simulated, so that teams can be picked for gameweeks
    that are over; from then on it goes by the real clock. A seeding that was cut short continues
    where it stopped. The demo of an earlier version, whose games had no competition of their own,
    stays as it is.

    Args:
        play: `play(game_id, until)` enters a game's first steps: all of a finished game, those of
            a running game up to now.
        number: The season's number; None: this year.
        speed: How many times faster than life games are played.

    Returns:
        Whether anything was missing.
    """
    older = select(Game.id).where(Game.id.startswith(DEMO_PREFIX), Game.competition != COMPETITION)
    if db.session.scalar(older.limit(1)) is not None:
        return False
    begun = db.session.scalar(select(Season).where(Season.competition == COMPETITION))
    if begun is not None and not begun.is_simulated:
        return False
    season = demo_season(
        _begun_at(begun, speed) or clock.now(),
        begun.season if begun is not None else number,
        speed=speed,
    )
    for week in season.weeks:
        for fixture in week.fixtures:
            store_script(fixture.script)
    for account in [*season.staff, *(team.account for team in season.teams)]:
        _ensure_account(account)
    stored_season = _open_season(season)
    make_leagues(season, stored_season)
    make_draft_league(season, stored_season)
    pick_teams(season, stored_season)
    open_tournaments(season.season, season.teams, clock.now())
    # Everything that is done before a kickoff is there before the record has the game.
    for week in season.weeks:
        for fixture in week.fixtures:
            if steps := _steps_gone(fixture, clock.now(), speed):
                play(fixture.script.game_id, steps)
    stored_season.is_simulated = False
    db.session.commit()
    return True


def _begun_at(begun: Season | None, speed: float) -> datetime | None:
    """Return the `now` of the previous attempt.

    The current gameweek's first game kicked off four hours of its own time before.
    """
    if begun is None:
        return None
    current = select(Gameweek.deadline).where(
        Gameweek.season_id == begun.id, Gameweek.week == CURRENT
    )
    deadline = db.session.scalar(current)
    return None if deadline is None else deadline + timedelta(hours=4) / speed


def _steps_gone(fixture: DemoFixture, now: datetime, speed: float) -> int:
    """Return the number of the game's steps before `now`."""
    if fixture.phase == "finished":
        return len(fixture.script.events)
    elapsed_ms = (now - fixture.start).total_seconds() * 1000 * speed
    return sum(1 for step in fixture.script.events if step.at_ms <= elapsed_ms)


def _ensure_account(account: DemoAccount) -> None:
    if accounts.find_member(account.username) is None:
        member = accounts.register(
            account.username, account.display_name, DEMO_PASSWORD, account.roles
        )
        assert isinstance(member, Member), member
        member.country = account.country
        db.session.commit()


def _open_season(season: DemoSeason) -> Season:
    """Create the season with its gameweeks, market and overall league."""
    stored_season = ensure_season(
        NewSeason(
            COMPETITION,
            season.season,
            season.season_type,
            name=f"Demo season {season.season}",
            time_zone="America/New_York",
            rules="half_ppr_idp",
            is_simulated=True,
        )
    )
    for week in season.weeks:
        ensure_gameweek(stored_season, week.number, week.deadline)
    set_deadlines(stored_season.id)
    prices = {player.id: player.price for player in market()}
    put_on_market(
        stored_season, [OnMarket(player.id, player.position) for player in market()], prices
    )
    ensure_overall_league(stored_season)
    db.session.commit()
    return stored_season


def has_demo_accounts() -> bool:
    """Whether anybody can sign in with the demo's password, which is public."""
    return any(
        accounts.find_member(username) is not None
        and accounts.check_password(username, DEMO_PASSWORD) is not None
        for _, username, _ in demo_logins()
    )


def simulated_game(seed: int, now: datetime) -> GameScript:
    """Simulate a whole game of two demo clubs; the same seed gives the same game.

    The game counts nowhere, because its week has no gameweek.
    """
    home, away = Random(seed).sample(CLUBS, 2)  # noqa: S311  (a game, not a secret)
    fixture = Fixture(f"sim-{seed}", home, away, kickoff=now, season=now.year, week=99)
    script = simulate_game(seed, fixture, rosters())
    return replace(script, competition=COMPETITION)
