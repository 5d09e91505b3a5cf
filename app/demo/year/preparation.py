"""What a simulated season needs before its first gameweek: games, a market, gamers and leagues.

Each step stores only what is missing, so that a season that was cut short can be prepared again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member
from app.core.db import db, upsert
from app.core.errors import UserError
from app.demo.clubs import CLUBS, rosters
from app.demo.market import market
from app.demo.year import cast
from app.demo.year.calendar import YEAR, SimulatedWeek
from app.demo.year.cast import Gamer, LeaguePlan
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import Gameweek, Season
from app.fantasy.market.seasons import NewSeason, ensure_gameweek, ensure_season, set_deadlines
from app.fantasy.scoring import rulebook
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.season_setup.storing import store_clubs
from app.fantasy.standings.models import League
from app.record.models import Footballer, Game
from app.record.services import store_defences


class OtherSeasonError(UserError):
    """The season of this seed exists with different numbers of gameweeks, leagues or gamers."""


@dataclass(frozen=True)
class Options:
    """The seed and the size of a simulated season."""

    seed: int = 1
    gameweeks: int = 18
    leagues: int = 12
    gamers: int = 200

    @property
    def competition(self) -> str:
        """The competition that the season belongs to."""
        return f"sim-{self.seed}"


class Preparation:
    """Stores what the season begins with.

    After `prepare`, `gameweeks` has the gameweeks by number and `members` the gamers by the id of
    their account.
    """

    def __init__(self, options: Options, weeks: Sequence[SimulatedWeek]) -> None:
        self.options, self.weeks = options, weeks
        self.gamers = cast.gamers(options.seed, options.gamers)
        self.plans = cast.leagues(options.leagues)

    def prepare(self) -> Season:
        """Store what is missing and return the season.

        Raises:
            OtherSeasonError: The season exists with different numbers.
        """
        season = ensure_season(
            NewSeason(
                self.options.competition,
                YEAR,
                "REG",
                name=f"Simulated season {self.options.seed}",
                time_zone=cast.NEW_YORK,
                rules="half_ppr_idp",
                is_simulated=True,
            )
        )
        begun = db.session.scalar(
            select(func.count()).select_from(Gameweek).where(Gameweek.season_id == season.id)
        )
        if begun:
            self._refuse_others(season)
        self._store_games()
        self.gameweeks = {
            week.number: ensure_gameweek(season, week.number, week.deadline) for week in self.weeks
        }
        set_deadlines(season.id)
        put_on_market(
            season,
            [OnMarket(player.id, player.position) for player in market()],
            {player.id: player.price for player in market()},
        )
        self._store_gamers()
        db.session.commit()
        self._make_leagues(season, self.weeks[0].office_hours - timedelta(days=7))
        return season

    def _refuse_others(self, season: Season) -> None:
        stored = (
            db.session.scalar(
                select(func.count()).select_from(Gameweek).where(Gameweek.season_id == season.id)
            ),
            db.session.scalar(
                select(func.count()).select_from(League).where(League.season_id == season.id)
            ),
            db.session.scalar(
                select(func.count())
                .select_from(Member)
                .where(Member.username.startswith(f"sim{self.options.seed}-"))
            ),
        )
        expected = self.options.gameweeks, self.options.leagues, self.options.gamers
        if stored != expected and stored[1] in (0, self.options.leagues):
            raise OtherSeasonError(
                f"{season.name} was begun with {stored[0]} gameweeks, {stored[1]} leagues and "
                f"{stored[2]} gamers: give "
                "the same numbers, or another --seed."
            )

    def _store_games(self) -> None:
        store_clubs(CLUBS, self.options.competition)
        upsert(
            Footballer,
            ["id"],
            [
                {
                    "id": player.id,
                    "name": player.name,
                    "club_id": player.club_id,
                    "position": player.position,
                    "number": player.number,
                }
                for roster in rosters().values()
                for player in roster
            ],
        )
        store_defences([club.id for club in CLUBS])
        upsert(
            Game,
            ["id"],
            [
                {
                    "id": game.id,
                    "competition": self.options.competition,
                    "season": YEAR,
                    "season_type": "REG",
                    "week": game.week,
                    "kickoff": game.kickoff,
                    "home_id": game.home,
                    "away_id": game.away,
                }
                for week in self.weeks
                for game in week.games
            ],
        )

    def _store_gamers(self) -> None:
        """Create accounts that cannot sign in: no password matches an empty hash."""
        db.session.execute(
            insert(Member).on_conflict_do_nothing(),
            [
                {
                    "username": gamer.username,
                    "display_name": gamer.name,
                    "password_hash": "",
                    "country": gamer.country,
                }
                for gamer in self.gamers
            ],
        )
        rows = db.session.execute(
            select(Member.username, Member.id).where(
                Member.username.in_([gamer.username for gamer in self.gamers])
            )
        )
        ids = dict(rows.all())
        self.members: dict[int, Gamer] = {ids[gamer.username]: gamer for gamer in self.gamers}

    def _make_leagues(self, season: Season, now: datetime) -> None:
        ids = list(self.members)
        existing = {
            league.name: league
            for league in db.session.scalars(select(League).where(League.season_id == season.id))
        }
        for plan in self.plans:
            if plan.is_overall:
                ensure_overall_league(season)
                db.session.commit()
                continue
            member_ids = [ids[index] for index in cast.members(self.options.seed, plan, len(ids))]
            league = existing.get(plan.name) or self._make_league(season, plan, member_ids[0], now)
            if db.session.get(Gameweek, self.gameweeks[1].id).locked_at is None:  # type: ignore[union-attr]
                for member in member_ids[1:]:
                    refused = leagues.join(member, league.id, _team_name(self.members[member]), now)
                    assert refused is None, refused

    def _make_league(
        self, season: Season, plan: LeaguePlan, commissioner: int, now: datetime
    ) -> League:
        rules = (
            plan.rules
            if plan.rules in PRESETS
            else rulebook.custom_rules(cast.CUSTOM[plan.rules], plan.rules)
        )
        league = leagues.create(
            commissioner,
            leagues.NewLeague(
                name=plan.name,
                team_name=_team_name(self.members[commissioner]),
                season_id=season.id,
                choice=plan.choice,
                rules=rules,
                mode=plan.mode,
                ties=plan.ties,
                is_public=plan.is_public,
            ),
            now,
        )
        assert isinstance(league, League), league
        return league


def _team_name(gamer: Gamer) -> str:
    return f"{gamer.name.split()[-1]}'s {gamer.country} {gamer.username[-3:]}"
