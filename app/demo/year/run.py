"""Plays a simulated season into the database, through the services that a real one uses.

Every service gets the season's time as `now`. Each step checks whether it was done before, so that
an interrupted season continues where it stopped, and a complete one does not change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update

from app.core.db import db
from app.demo.year import choices, office, view
from app.demo.year.calendar import SimulatedGame, SimulatedWeek, calendar
from app.demo.year.messages import game_messages
from app.demo.year.preparation import Options, Preparation
from app.fantasy.gameweeks import after_deadline, live, settlement
from app.fantasy.market.models import Gameweek, TeamRules
from app.fantasy.scoring.points import store_player_points
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.services import Draft
from app.fantasy.standings.models import League, LeagueMember
from app.record.ingest import ingest_batch
from app.record.models import Game, GameState

Say = Callable[[str], None]

_LATE = 0.3  # share of the diligence with which gamers look again between kickoffs
_TOO_LATE = 3  # team sheets per gameweek that have to be refused


@dataclass(frozen=True)
class Played:
    """The numbers of team sheets that were saved and refused."""

    season_id: int
    saved: int
    refused: int


def simulate(options: Options, say: Say) -> Played:
    """Play the whole season, or the part that is missing.

    Raises:
        OtherSeasonError: The season exists with different numbers.
    """
    return _Run(options, say).play()


class _Run:
    def __init__(self, options: Options, say: Say) -> None:
        self.options, self.say = options, say
        self.weeks = calendar(options.seed, options.gameweeks)
        self.saved = self.refused = 0

    def play(self) -> Played:
        preparation = Preparation(self.options, self.weeks)
        season = preparation.prepare()
        self.gameweeks, self.members = preparation.gameweeks, preparation.members
        for week in self.weeks:
            gameweek = self.gameweeks[week.number]
            if gameweek.settled_at is None:
                office.open_hours(
                    self.options.seed, self.weeks, week.number, season.id, week.office_hours
                )
                self._play_week(week, gameweek)
            self.say(f"gameweek {week.number} of {len(self.weeks)} is settled")
        last = self.weeks[-1]
        closing = last.office_hours + timedelta(weeks=1)
        office.open_hours(self.options.seed, self.weeks, last.number + 1, season.id, closing)
        return Played(season.id, self.saved, self.refused)

    def _play_week(self, week: SimulatedWeek, gameweek: Gameweek) -> None:
        teams = self._teams_by_rules(gameweek.season_id)
        for team_rules, members in teams.items():
            self._pick_teams(week, gameweek, team_rules, members)
        after_deadline.lock_gameweek(gameweek.id, week.deadline)
        self._save_too_late(week, gameweek, teams)
        for number, game in enumerate(week.games):
            if number:
                for team_rules, members in teams.items():
                    if team_rules.lock == "game":
                        self._look_again(
                            week, gameweek, team_rules, members, game.kickoff - timedelta(hours=1)
                        )
            self._play_game(week, game)
        settlement.settle(gameweek.id, week.games[-1].kickoff + timedelta(hours=5))

    def _teams_by_rules(self, season_id: int) -> dict[TeamRules, list[int]]:
        """Return the members by the team rules of their leagues.

        Everybody has a team by the rules of the overall league.
        """
        rows = db.session.execute(
            select(League.team_rules_id, LeagueMember.member_id)
            .join(LeagueMember, LeagueMember.league_id == League.id)
            .where(League.season_id == season_id)
            .distinct()
        )
        members_by_rules: dict[int, set[int]] = defaultdict(set)
        for team_rules, member in rows:
            members_by_rules[team_rules].add(member)
        overall = db.session.scalar(
            select(League.team_rules_id).where(League.season_id == season_id, League.is_overall)
        )
        if overall is not None:
            members_by_rules[overall] |= self.members.keys()
        return {
            db.session.get_one(TeamRules, rules_id): sorted(members)
            for rules_id, members in sorted(members_by_rules.items())
        }

    def _pick_teams(
        self,
        week: SimulatedWeek,
        gameweek: Gameweek,
        team_rules: TeamRules,
        members: Collection[int],
    ) -> None:
        locks_at = view.locks_at(team_rules, gameweek)
        saved, before = view.owned(team_rules, gameweek, ("=", "<"))
        look = view.look(week, team_rules)
        opens = week.office_hours + timedelta(hours=1)
        for member in members:
            gamer = self.members[member]
            rng = view.chance(self.options.seed, week, team_rules, gamer)
            now = opens + (locks_at - opens) * rng.random()
            if member in saved or gamer.diligence == 0 or gamer.first_week > week.number:
                continue
            if member not in before:
                squad = choices.first_squad(rng, look)
            elif rng.random() < gamer.diligence:
                squad = choices.next_squad(rng, look, before[member])
            else:
                continue
            sheet = Draft(squad.picks, squad.captain, squad.vice_captain)
            done = sheets.save(member, team_rules.id, gameweek.id, sheet, now)
            assert isinstance(done, sheets.Saved), (week.number, gamer, squad, done)
            self.saved += 1

    def _look_again(
        self,
        week: SimulatedWeek,
        gameweek: Gameweek,
        team_rules: TeamRules,
        members: Collection[int],
        now: datetime,
    ) -> None:
        """Change teams between kickoffs, if footballers lock one by one.

        Members who have saved since `now` are left out.
        """
        begun_clubs = {
            club for game in week.games if game.kickoff <= now for club in (game.home, game.away)
        }
        look = view.look(week, team_rules, begun_clubs)
        (present,) = view.owned(team_rules, gameweek, ("=",))
        looked = view.saved_since(team_rules, gameweek, now)
        for member in members:
            gamer = self.members[member]
            rng = view.chance(self.options.seed, week, team_rules, gamer, f"{now:%a %H}")
            if member not in present or member in looked or rng.random() > gamer.diligence * _LATE:
                continue
            squad = choices.next_squad(rng, look, present[member])
            sheet = Draft(squad.picks, squad.captain, squad.vice_captain)
            done = sheets.save(member, team_rules.id, gameweek.id, sheet, now)
            if isinstance(done, sheets.Saved):
                self.saved += 1
                continue
            # A footballer may have become dearer since the deadline, and exceed the budget.
            assert {refusal.code for refusal in done.refusals} == {"budget"}, (
                week.number,
                gamer,
                squad,
                done,
            )
            self.refused += 1

    def _save_too_late(
        self, week: SimulatedWeek, gameweek: Gameweek, teams: Mapping[TeamRules, list[int]]
    ) -> None:
        """Save team sheets at the deadline: each must be refused."""
        rng = view.chance(self.options.seed, week)
        locked = [(rules, members) for rules, members in teams.items() if rules.lock == "gameweek"]
        for _ in range(_TOO_LATE):
            team_rules, members = rng.choice(locked)
            squad = choices.first_squad(rng, view.look(week, team_rules))
            sheet = Draft(squad.picks, squad.captain, squad.vice_captain)
            done = sheets.save(
                rng.choice(members), team_rules.id, gameweek.id, sheet, week.deadline
            )
            assert isinstance(done, sheets.Refused), "a lineup was saved at its deadline"
            self.refused += 1

    def _play_game(self, week: SimulatedWeek, game: SimulatedGame) -> None:
        """Play a game: the first of a gameweek in two halves, so that tables change during it."""
        if (
            db.session.scalar(select(GameState.status).where(GameState.game_id == game.id))
            == "final"
        ):
            return
        messages = game_messages(week, game)
        half = len(messages) // 2 if game == week.games[0] else 0
        for part, elapsed in (
            (messages[:half], timedelta(minutes=90)),
            (messages[half:], timedelta(hours=3, minutes=15)),
        ):
            if not part:
                continue
            now = game.kickoff + elapsed
            done = ingest_batch(part, now, store_player_points)
            assert not done.dead, f"{done.dead} events of {game.id} are broken"
            assert not done.deferred, f"events of {game.id} wait for others"
            live.refresh_game(game.id, now)
        db.session.execute(
            update(Game).where(Game.id == game.id).values(last_event_number=len(messages))
        )
        db.session.commit()
