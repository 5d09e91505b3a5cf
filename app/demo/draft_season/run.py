"""Plays the whole season of a draft league. Every service gets the season's time as `now`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import select, update

from app.core.db import db
from app.core.errors import UserError
from app.demo.draft_season.drafting import Drafting
from app.demo.draft_season.games import PlannedGame, PlannedWeek, SeasonGames
from app.demo.draft_season.managers import Managers
from app.demo.draft_season.preparation import announce_injuries, store_members, store_season
from app.demo.year.messages import script_messages
from app.draft_leagues import league_clock
from app.draft_leagues.drafts.queries import load_snapshot
from app.draft_leagues.season import services as season_services
from app.draft_leagues.season_facts import faults_in_season, season_facts
from app.draft_leagues.setting_fitting import fitted
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.setup import services as setup
from app.draft_leagues.setup.services import NewDraftLeague
from app.draft_leagues.trades import settling
from app.draft_leagues.trades.queries import impossible_trades
from app.fantasy.gameweeks import after_deadline, live, settlement
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.scoring.points import store_player_points
from app.fantasy.standings.models import League
from app.record.ingest import ingest_batch
from app.record.models import Game

Say = Callable[[str], None]

NAME = "Full House"
_FOUNDED = timedelta(days=9)  # before the first deadline
_DRAFTED = timedelta(days=4)
_TALKS = timedelta(hours=60)  # before a deadline: offers and claims
_ANSWERS = timedelta(hours=56)
_FREE_AGENTS = timedelta(hours=22)
_LINEUPS = timedelta(hours=3)
_LAST_LOOK = timedelta(hours=1)  # before the second kickoff
_GAME = timedelta(hours=3, minutes=30)
_STEP = timedelta(hours=3)  # between two looks of the scheduled jobs


class SettingsError(UserError):
    """The season cannot hold a league of these settings."""


@dataclass(frozen=True)
class SeasonPlan:
    """A season to be played: its games, the settings of its league, and the seed of all choices."""

    seed: int
    settings: DraftLeagueSettings
    games: SeasonGames


@dataclass(frozen=True)
class Played:
    """What happened: games, and the acts of members that counted and were refused, by kind."""

    league_id: int
    games: int
    real_games: int
    done: Counter[str]
    refused: Counter[str]


def play(plan: SeasonPlan, say: Say) -> Played:
    """Play a season from the founding of the league to its champion.

    Raises:
        SeasonExistsError: A season of this seed exists.
        SettingsError: The season cannot hold such a league.
    """
    return _Run(plan, say).play()


def weeks_of(settings: DraftLeagueSettings) -> int:
    """How many gameweeks a season of these settings has, play-offs included."""
    season = settings.season
    return season.regular_weeks + (sum(season.weeks_per_round) if season.playoff_teams else 0)


class _Run:
    def __init__(self, plan: SeasonPlan, say: Say) -> None:
        self.plan, self.say = plan, say
        self.rng = Random(f"draft season {plan.seed}")  # noqa: S311 (a game, not a secret)

    def play(self) -> Played:
        weeks = self.plan.games.weeks
        begin = weeks[0].deadline
        season = store_season(self.plan.games)
        self._found(season, begin - _FOUNDED)
        self.say(f"{self.league.name} is founded with {self.settings.franchises} teams")
        drafting = Drafting(self.league, self.settings, self.members, self.rng)
        self.now = drafting.play(begin - _DRAFTED)
        self.say(f"{self.settings.draft_rounds} rounds are drafted")
        pool = load_snapshot(drafting.draft_id).pool
        self.managers = Managers(self.league, self.settings, self.members, pool, self.rng)
        length = weeks_of(self.settings)
        for week in weeks[:length]:
            self._play_week(week)
            self.say(f"gameweek {week.number} of {length} is settled")
        played = [game for week in weeks[:length] for game in week.games]
        return Played(
            self.league.id,
            len(played),
            sum(game.script is not None for game in played),
            self.managers.done,
            self.managers.refused,
        )

    def _found(self, season: Season, now: datetime) -> None:
        """Found the league as the wizard does, and let everybody join."""
        self.settings = fitted(self.plan.settings, season_facts(season.id, now))
        if refused := faults_in_season(self.settings, season.id, now):
            raise SettingsError(" ".join(each.text for each in refused))
        self.members = store_members(self.plan.seed, self.settings.franchises)
        new = NewDraftLeague(NAME, "Team 1", season.id, self.settings)
        league = setup.found(self.members[0], new, now)
        assert isinstance(league, League), league
        for number, member_id in enumerate(self.members[1:], start=2):
            refusal = leagues.join(member_id, league.id, f"Team {number}", now)
            assert refusal is None, refusal
        self.league = league

    def _play_week(self, week: PlannedWeek) -> None:
        gameweek = db.session.scalars(
            select(Gameweek).where(
                Gameweek.season_id == self.league.season_id, Gameweek.week == week.number
            )
        ).one()
        deadline = week.deadline
        self._pass_time(deadline - _TALKS)
        announce_injuries(self.league.season_id, self.plan.games, week.injured)
        self.managers.use_spots(week.injured, self.now)
        self.managers.want(self.now)
        self.managers.offer_trades(self.settings.franchises // 3 or 1, self.now)
        self._pass_time(deadline - _ANSWERS)
        self.managers.answer_trades(self.now)
        self.managers.review_trades(self.now)
        self._pass_time(deadline - _FREE_AGENTS)
        self.managers.want(self.now)
        self._pass_time(deadline - _LINEUPS)
        self.managers.line_up(gameweek, week.injured, self.now)
        self._pass_time(deadline)
        after_deadline.lock_gameweek(gameweek.id, deadline)
        self._play_games(week, gameweek)
        self._pass_time(week.ends)
        assert settlement.settle(gameweek.id, self.now), f"gameweek {week.number} is not over"
        season_services.update(self.league.id, self.now)

    def _play_games(self, week: PlannedWeek, gameweek: Gameweek) -> None:
        later = [game.kickoff for game in week.games if game.kickoff > week.deadline]
        if later and later[0] - _LAST_LOOK > self.now:
            first = [game for game in week.games if game.kickoff == week.deadline]
            for game in first:
                self._play_game(week, game)
            self._pass_time(later[0] - _LAST_LOOK)
            self.managers.want(self.now)
            self.managers.rearrange(gameweek, self.now)
        else:
            first = []
        for game in week.games[len(first) :]:
            self._play_game(week, game)

    def _play_game(self, week: PlannedWeek, game: PlannedGame) -> None:
        now = game.kickoff + _GAME
        messages = script_messages(self.plan.games.script(week, game))
        done = ingest_batch(messages, now, store_player_points)
        assert not done.dead, f"{done.dead} events of {game.id} are broken"
        assert not done.deferred, f"events of {game.id} wait for others"
        live.refresh_game(game.id, now)
        db.session.execute(
            update(Game).where(Game.id == game.id).values(last_event_number=len(messages))
        )
        db.session.commit()

    def _pass_time(self, until: datetime) -> None:
        """Let time pass, with what scheduled jobs do for this league meanwhile."""
        while self.now < until:
            self.now = min(self.now + _STEP, until)
            league_clock.settle(self.league.id, self.now)
            for league_id, trade_id in impossible_trades(self.league.id):
                settling.settle(league_id, trade_id, self.now)
