"""Plays a simulated season into the database, through the services that a real one uses.

Time is the season's own: every service gets it as `now`. Each step looks whether it was done before, so that a season
that was cut short goes on where it was, and one that is complete stays as it is.
Not here: what is played (calendar.py), who plays (cast.py), what gamers do (choices.py), the office (office.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert

from app.accounts.models import Member
from app.core.db import db, upsert
from app.core.errors import UserError
from app.demo.clubs import CLUBS, rosters
from app.demo.market import Man, market
from app.demo.year import cast, choices, office
from app.demo.year.calendar import YEAR, SimulatedGame, SimulatedWeek, calendar
from app.demo.year.cast import Gamer, LeaguePlan
from app.demo.year.choices import Look, Owned
from app.demo.year.messages import game_messages
from app.fantasy.gameweeks import after_deadline, live, settlement
from app.fantasy.leagues import services as leagues
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, SheetDeadline, TeamRules
from app.fantasy.market.seasons import ensure_gameweek, ensure_season, set_deadlines
from app.fantasy.scoring import rulebook
from app.fantasy.scoring.points import store_player_points
from app.fantasy.scoring.rules import PRESETS
from app.fantasy.season_setup.importing import store_clubs
from app.fantasy.season_setup.start import OnMarket, ensure_overall_league, put_on_market
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.services import Wanted
from app.fantasy.standings.models import League, LeagueMember
from app.record.ingest import ingest_batch
from app.record.models import Footballer, Game, GameState

Say = Callable[[str], None]

_LATE = 0.3  # of the diligence: how often a team is looked at again between kickoffs, where that is allowed
_CHEATS = 3  # a gameweek: team sheets that have to be refused


class OtherSeason(UserError):
    """A season of this seed is there that was begun with other numbers."""


@dataclass(frozen=True)
class Options:
    seed: int = 1
    gameweeks: int = 18
    leagues: int = 12
    gamers: int = 200

    @property
    def competition(self) -> str:
        return f"sim-{self.seed}"


@dataclass(frozen=True)
class Played:
    """`saved`, `refused`: team sheets; each that was refused had to be."""

    season_id: int
    saved: int
    refused: int


def simulate(options: Options, say: Say) -> Played:
    """The whole season, or what is missing of it. Raises OtherSeason."""
    return _Run(options, say).play()


class _Run:
    def __init__(self, options: Options, say: Say) -> None:
        self.options, self.say = options, say
        self.weeks = calendar(options.seed, options.gameweeks)
        self.gamers = cast.gamers(options.seed, options.gamers)
        self.plans = cast.leagues(options.leagues)
        self.saved = self.refused = 0

    def play(self) -> Played:
        season = self._prepare()
        for week in self.weeks:
            gameweek = self.gameweeks[week.number]
            if gameweek.settled_at is None:
                office.open_hours(self.options.seed, self.weeks, week.number, season.id, week.office_hours)
                self._play_week(week, gameweek)
            self.say(f"gameweek {week.number} of {len(self.weeks)} is settled")
        last = self.weeks[-1]
        closing = last.office_hours + timedelta(weeks=1)
        office.open_hours(self.options.seed, self.weeks, last.number + 1, season.id, closing)
        return Played(season.id, self.saved, self.refused)

    # --- before the first gameweek -----------------------------------------------------------------------------------

    def _prepare(self) -> Season:
        season = ensure_season(
            self.options.competition,
            YEAR,
            "REG",
            name=f"Simulated season {self.options.seed}",
            time_zone=cast.NEW_YORK,
            rules="half_ppr_idp",
            is_simulated=True,
        )
        begun = db.session.scalar(select(func.count()).select_from(Gameweek).where(Gameweek.season_id == season.id))
        if begun:
            self._refuse_others(season)
        self._store_games()
        self.gameweeks = {week.number: ensure_gameweek(season, week.number, week.deadline) for week in self.weeks}
        set_deadlines(season.id)
        put_on_market(
            season, [OnMarket(man.id, man.position) for man in market()], {man.id: man.price for man in market()}
        )
        self._store_gamers()
        db.session.commit()
        self._make_leagues(season, self.weeks[0].office_hours - timedelta(days=7))
        return season

    def _refuse_others(self, season: Season) -> None:
        found = (
            db.session.scalar(select(func.count()).select_from(Gameweek).where(Gameweek.season_id == season.id)),
            db.session.scalar(select(func.count()).select_from(League).where(League.season_id == season.id)),
            db.session.scalar(
                select(func.count()).select_from(Member).where(Member.username.startswith(f"sim{self.options.seed}-"))
            ),
        )
        wanted = self.options.gameweeks, self.options.leagues, self.options.gamers
        if found != wanted and found[1] in (0, self.options.leagues):
            raise OtherSeason(
                f"{season.name} was begun with {found[0]} gameweeks, {found[1]} leagues and {found[2]} gamers: give "
                "the same numbers, or another --seed."
            )

    def _store_games(self) -> None:
        store_clubs(CLUBS, self.options.competition)
        upsert(
            Footballer,
            ["id"],
            [
                {"id": man.id, "name": man.name, "club_id": man.club_id, "position": man.position, "number": man.number}
                for roster in rosters().values()
                for man in roster
            ],
        )
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
        """They have accounts that nobody can sign in to: no password fits an empty hash."""
        db.session.execute(
            insert(Member).on_conflict_do_nothing(),
            [
                {
                    "username": one.username,
                    "display_name": one.name,
                    "password_hash": "",
                    "role": "member",
                    "country": one.country,
                }
                for one in self.gamers
            ],
        )
        found = db.session.execute(
            select(Member.username, Member.id).where(Member.username.in_([one.username for one in self.gamers]))
        )
        ids = dict(found.all())
        self.members: dict[int, Gamer] = {ids[one.username]: one for one in self.gamers}

    def _make_leagues(self, season: Season, now: datetime) -> None:
        ids = list(self.members)
        there = {one.name: one for one in db.session.scalars(select(League).where(League.season_id == season.id))}
        for plan in self.plans:
            if plan.is_overall:
                ensure_overall_league(season)
                db.session.commit()
                continue
            wanted = [ids[index] for index in cast.members(self.options.seed, plan, len(ids))]
            league = there.get(plan.name) or self._make_league(season, plan, wanted[0], now)
            if db.session.get(Gameweek, self.gameweeks[1].id).locked_at is None:  # type: ignore[union-attr]
                for member in wanted[1:]:
                    refused = leagues.join(member, league.id, _team_name(self.members[member]), now)
                    assert refused is None, refused

    def _make_league(self, season: Season, plan: LeaguePlan, commissioner: int, now: datetime) -> League:
        rules = plan.rules if plan.rules in PRESETS else rulebook.custom_rules(cast.CUSTOM[plan.rules], plan.rules)
        made = leagues.create(
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
        assert isinstance(made, League), made
        return made

    # --- a gameweek --------------------------------------------------------------------------------------------------

    def _play_week(self, week: SimulatedWeek, gameweek: Gameweek) -> None:
        players = self._players(gameweek.season_id)
        for team_rules, members in players.items():
            self._pick_teams(week, gameweek, team_rules, members)
        after_deadline.lock_gameweek(gameweek.id, week.deadline)
        self._cheat(week, gameweek, players)
        for number, game in enumerate(week.games):
            if number:
                for team_rules, members in players.items():
                    if team_rules.lock == "game":
                        self._look_again(week, gameweek, team_rules, members, game.kickoff - timedelta(hours=1))
            self._play_game(week, game)
        settlement.settle(gameweek.id, week.games[-1].kickoff + timedelta(hours=5))

    def _players(self, season_id: int) -> dict[TeamRules, list[int]]:
        """Who plays by which team rules now: by his leagues, and everybody by those of the league of everybody."""
        rows = db.session.execute(
            select(League.team_rules_id, LeagueMember.member_id)
            .join(LeagueMember, LeagueMember.league_id == League.id)
            .where(League.season_id == season_id)
            .distinct()
        )
        found: dict[int, set[int]] = defaultdict(set)
        for team_rules, member in rows:
            found[team_rules].add(member)
        overall = db.session.scalar(
            select(League.team_rules_id).where(League.season_id == season_id, League.is_overall)
        )
        if overall is not None:
            found[overall] |= self.members.keys()
        return {db.session.get_one(TeamRules, one): sorted(members) for one, members in sorted(found.items())}

    def _pick_teams(
        self, week: SimulatedWeek, gameweek: Gameweek, team_rules: TeamRules, members: Collection[int]
    ) -> None:
        locks_at = self._locks_at(team_rules, gameweek)
        saved, before = self._owned(team_rules, gameweek, ("=", "<"))
        look = self._look(week, team_rules)
        opens = week.office_hours + timedelta(hours=1)
        for member in members:
            gamer = self.members[member]
            rng = self._chance(week, team_rules, member)
            now = opens + (locks_at - opens) * rng.random()
            if member in saved or gamer.diligence == 0 or gamer.first_week > week.number:
                continue
            if member not in before:
                squad = choices.first_squad(rng, look)
            elif rng.random() < gamer.diligence:
                squad = choices.next_squad(rng, look, before[member])
            else:
                continue
            wanted = Wanted(squad.picks, squad.captain, squad.vice_captain)
            done = sheets.save(member, team_rules.id, gameweek.id, wanted, now)
            assert isinstance(done, sheets.Saved), (week.number, gamer, squad, done)
            self.saved += 1

    def _look_again(
        self, week: SimulatedWeek, gameweek: Gameweek, team_rules: TeamRules, members: Collection[int], now: datetime
    ) -> None:
        """Between kickoffs, where footballers lock one by one. Once a moment; whoever saved then has looked."""
        begun_clubs = {club for game in week.games if game.kickoff <= now for club in (game.home, game.away)}
        look = self._look(week, team_rules, begun_clubs)
        (present,) = self._owned(team_rules, gameweek, ("=",))
        looked = self._saved_since(team_rules, gameweek, now)
        for member in members:
            gamer = self.members[member]
            rng = self._chance(week, team_rules, member, f"{now:%a %H}")
            if member not in present or member in looked or rng.random() > gamer.diligence * _LATE:
                continue
            squad = choices.next_squad(rng, look, present[member])
            wanted = Wanted(squad.picks, squad.captain, squad.vice_captain)
            done = sheets.save(member, team_rules.id, gameweek.id, wanted, now)
            if isinstance(done, sheets.Saved):
                self.saved += 1
                continue
            # Whom he bought before the deadline may have become dearer since: then he cannot pay for him any more.
            assert {one.code for one in done.refusals} == {"budget"}, (week.number, gamer, squad, done)
            self.refused += 1

    def _cheat(self, week: SimulatedWeek, gameweek: Gameweek, players: Mapping[TeamRules, list[int]]) -> None:
        """Team sheets that come too late: each has to be refused, or the season is worth nothing."""
        rng = self._chance(week)
        locked = [(one, members) for one, members in players.items() if one.lock == "gameweek"]
        for _ in range(_CHEATS):
            team_rules, members = rng.choice(locked)
            squad = choices.first_squad(rng, self._look(week, team_rules))
            wanted = Wanted(squad.picks, squad.captain, squad.vice_captain)
            done = sheets.save(rng.choice(members), team_rules.id, gameweek.id, wanted, week.deadline)
            assert isinstance(done, sheets.Refused), "a team sheet was saved at its deadline"
            self.refused += 1

    def _play_game(self, week: SimulatedWeek, game: SimulatedGame) -> None:
        """The first of a gameweek in two halves, so that tables move while it is played; the others at once."""
        if db.session.scalar(select(GameState.status).where(GameState.game_id == game.id)) == "final":
            return
        messages = game_messages(week, game)
        half = len(messages) // 2 if game == week.games[0] else 0
        for part, gone in ((messages[:half], timedelta(minutes=90)), (messages[half:], timedelta(hours=3, minutes=15))):
            if not part:
                continue
            now = game.kickoff + gone
            done = ingest_batch(part, now, store_player_points)
            assert not done.dead, f"{done.dead} events of {game.id} are broken"
            assert not done.deferred, f"events of {game.id} wait for others"
            live.refresh_game(game.id, now)
        db.session.execute(update(Game).where(Game.id == game.id).values(last_event_number=len(messages)))
        db.session.commit()

    # --- what they see -----------------------------------------------------------------------------------------------

    def _chance(
        self, week: SimulatedWeek, team_rules: TeamRules | None = None, member: int = 0, more: str = ""
    ) -> Random:
        who = self.members[member].username if member else ""
        which = "" if team_rules is None else f"{team_rules.format} {team_rules.lock} {team_rules.time_zone}"
        spent = "" if team_rules is None else f"{team_rules.free_transfers} {team_rules.club_limit}"
        return Random(f"{self.options.seed} {week.number} {which} {spent} {who} {more}")  # noqa: S311

    def _locks_at(self, team_rules: TeamRules, gameweek: Gameweek) -> datetime:
        """When a careful gamer has to be done: where footballers lock one by one, before the first of them."""
        if team_rules.lock == "game":
            return gameweek.deadline
        found = db.session.get_one(SheetDeadline, (team_rules.id, gameweek.id))
        return found.locks_at

    def _look(self, week: SimulatedWeek, team_rules: TeamRules, begun: Collection[str] = ()) -> Look:
        prices = dict(
            db.session.execute(
                select(FootballerSeason.footballer_id, FootballerSeason.price).where(
                    FootballerSeason.season_id == team_rules.season_id
                )
            ).all()
        )
        men = {man.id: Man(man.id, man.position, man.club, prices[man.id]) for man in market()}
        return Look(
            FORMATS[team_rules.format],
            team_rules.budget,
            team_rules.club_limit,
            men,
            week.injured,
            {man.id for man in market() if man.club in begun},
        )

    def _owned(self, team_rules: TeamRules, gameweek: Gameweek, which: Collection[str]) -> list[dict[int, Owned]]:
        """By member, his sheet of this gameweek ('=') or his last one before it ('<')."""
        rows = db.session.execute(
            select(TeamSheet, Gameweek.week)
            .join(Gameweek, Gameweek.id == TeamSheet.gameweek_id)
            .where(TeamSheet.team_rules_id == team_rules.id, Gameweek.week.in_((gameweek.week, gameweek.week - 1)))
            .execution_options(populate_existing=True)
        )
        found: dict[str, dict[int, Owned]] = {"=": {}, "<": {}}
        for sheet, number in rows:
            found["=" if number == gameweek.week else "<"][sheet.member_id] = Owned(
                tuple(sheet.picks), sheet.captain, sheet.vice_captain, tuple(sheet.purchase_prices), sheet.bank
            )
        return [found[one] for one in which]

    def _saved_since(self, team_rules: TeamRules, gameweek: Gameweek, moment: datetime) -> set[int]:
        return set(
            db.session.scalars(
                select(TeamSheet.member_id).where(
                    TeamSheet.team_rules_id == team_rules.id,
                    TeamSheet.gameweek_id == gameweek.id,
                    TeamSheet.saved_at >= moment,
                    ~TeamSheet.is_carried,
                )
            )
        )


def _team_name(gamer: Gamer) -> str:
    return f"{gamer.name.split()[-1]}'s {gamer.country} {gamer.username[-3:]}"
