"""Puts the demo season into the database, and says who may sign in. Doing it again changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import select

from app.accounts import services as accounts
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.demo.clubs import CLUBS, rosters
from app.demo.game import simulate_game
from app.demo.season import DemoAccount, DemoFixture, DemoSeason, demo_season
from app.fantasy.formats import FORMATS
from app.fantasy.league_models import League, LeagueMember
from app.fantasy.models import Gameweek, TeamSheet
from app.fantasy.seasons import CLASSIC, TeamRulesChoice, ensure_gameweek, ensure_season, ensure_team_rules
from app.record.models import Game
from app.record.script import GameScript
from app.record.services import store_script

DEMO_PASSWORD = "on the record"  # noqa: S105  (printed at every start: it protects nothing but demo data)
DEMO_PREFIX = "demo-"

Play = Callable[[str, int], None]


def seed_demo(play: Play) -> bool:
    """Makes clubs, games, accounts, the league and its team sheets; False when they were there already.

    `play(game_id, until)` enters a game's first steps: finished games whole, running ones up to now.
    The league comes last, so that a seeding that was cut short is done again.
    """
    now = clock.now()
    if db.session.scalar(select(Gameweek.id).limit(1)) is not None:
        return False
    season = demo_season(now)
    for fixture in season.fixtures:
        store_script(fixture.script)
        steps = _steps_gone(fixture, now)
        if steps:
            play(fixture.script.game_id, steps)
    for account in [*season.staff, *(team.account for team in season.league.teams)]:
        _ensure_account(account)
    _make_league(season, now)
    return True


def _steps_gone(fixture: DemoFixture, now: datetime) -> int:
    """How many of the game's steps lie in the past, at the pace of life."""
    if fixture.phase == "finished":
        return len(fixture.script.events)
    gone_ms = (now - fixture.start).total_seconds() * 1000
    return sum(1 for step in fixture.script.events if step.at_ms <= gone_ms)


def _ensure_account(account: DemoAccount) -> None:
    if accounts.find_member(account.username) is None:
        made = accounts.register(account.username, account.display_name, DEMO_PASSWORD, account.role)
        assert isinstance(made, Member), made


def _make_league(season: DemoSeason, now: datetime) -> None:
    """Season, gameweek, league and team sheets in one transaction."""
    members = {team.account.username: accounts.find_member(team.account.username) for team in season.league.teams}
    commissioner = members[season.league.commissioner]
    assert commissioner is not None
    made = ensure_season(
        "nfl", season.season, season.season_type, name=str(season.season), time_zone="America/New_York",
        is_simulated=True,
    )  # fmt: skip
    gameweek = ensure_gameweek(made, season.week, season.deadline, season.gameweek_name)
    team_rules = ensure_team_rules(made.id, TeamRulesChoice.of(CLASSIC, made.time_zone))
    league = League(
        season_id=made.id,
        team_rules_id=team_rules.id,
        slug=season.league.slug,
        name=season.league.name,
        invite_code=season.league.invite_code,
        rules=made.rules,
        commissioner_id=commissioner.id,
    )
    db.session.add(league)
    db.session.flush()
    places = len(FORMATS[CLASSIC].places)
    for team in season.league.teams:
        member = members[team.account.username]
        assert member is not None
        db.session.add(LeagueMember(league_id=league.id, member_id=member.id, team_name=team.team_name))
        picks = [pick.footballer_id for pick in team.picks]
        db.session.add(
            TeamSheet(
                member_id=member.id,
                team_rules_id=team_rules.id,
                gameweek_id=gameweek.id,
                picks=picks + [""] * (places - len(picks)),
                captain=1 + next(place for place, pick in enumerate(team.picks) if pick.is_captain),
                vice_captain=1 + next(place for place, pick in enumerate(team.picks) if pick.is_vice_captain),
                paid=[0] * places,
                bank=0,
                free_transfers=None,
                saved_at=season.deadline - timedelta(hours=1),
            )
        )
    db.session.commit()


def demo_rounds() -> list[list[str]]:
    """Ids of the demo games to play: those whose kickoff has come together, then each later one by itself."""
    games = db.session.execute(
        select(Game.id, Game.kickoff).where(Game.id.startswith(DEMO_PREFIX)).order_by(Game.kickoff, Game.id)
    ).all()
    now = clock.now()
    begun = [game_id for game_id, kickoff in games if kickoff <= now]
    return [begun, *([game_id] for game_id, kickoff in games if kickoff > now)]


def demo_logins() -> list[tuple[str, str, str]]:
    """Role, username and what to do with it, one of each role."""
    return [
        ("member", "member", "a team in The Press Row, the league with the moving table"),
        ("scorer", "scorer", "the console at /console/"),
        ("moderator", "moderator", "as a member; the moderator's pages come later"),
        ("operator", "operator", "as a member; /healthz says how the parts are"),
    ]


def simulated_game(seed: int, now: datetime) -> GameScript:
    """A whole game of two demo clubs; the same seed is the same game. Its week has no gameweek: it counts nowhere."""
    home, away = Random(seed).sample(CLUBS, 2)  # noqa: S311  (a game, not a secret)
    return simulate_game(
        seed=seed,
        game_id=f"sim-{seed}",
        home=home,
        away=away,
        rosters=rosters(),
        kickoff=now,
        season=now.year,
        week=99,
    )
