"""Loads a draft league's season: what has been played, the table and the play-offs that follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cached_property

from sqlalchemy import select

from app.core.db import db
from app.draft_leagues.franchises.services import Team, teams
from app.draft_leagues.models import BracketChange, DraftLeague
from app.draft_leagues.season.playoffs import Playoffs, Results, playoffs
from app.draft_leagues.season.table import Place, Points, TableRules, Week, table
from app.draft_leagues.settings import DraftLeagueSettings
from app.draft_leagues.transactions.services import settings_of
from app.fantasy.market.models import Gameweek
from app.fantasy.standings.fixtures import Pair
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League, LeagueScore, Matchup


@dataclass(frozen=True)
class SeasonView:
    """A season as it stands.

    Attributes:
        regular: The gameweeks of the regular season, in order; fewer while the season's later ones
            are not known.
        playoff_weeks: The gameweeks of the play-offs, in order, as far as they are known.
        pairs: Stored games by gameweek's id, as franchises; whoever left is not in them.
        points: Points by gameweek's id and franchise, of gameweeks that have begun.
    """

    league: League
    settings: DraftLeagueSettings
    teams: Sequence[Team]
    regular: Sequence[Gameweek]
    playoff_weeks: Sequence[Gameweek]
    pairs: Mapping[int, Sequence[Pair]]
    points: Mapping[int, Points]

    @property
    def divisions(self) -> dict[int, int]:
        """The division of each franchise; empty without divisions."""
        return {team.number: team.division for team in self.teams if team.division}

    @property
    def is_regular_over(self) -> bool:
        """Whether all gameweeks of the regular season are known and settled."""
        return len(self.regular) == self.settings.season.regular_weeks and all(
            week.settled_at is not None for week in self.regular
        )

    @property
    def is_over(self) -> bool:
        """Whether all gameweeks of the play-offs are known and settled too."""
        return (
            self.is_regular_over
            and len(self.playoff_weeks) == _playoff_weeks(self.settings)
            and all(week.settled_at is not None for week in self.playoff_weeks)
        )

    @property
    def champion(self) -> int | None:
        """Who won the play-offs, or without any who leads the final table; None until then."""
        if not self.is_regular_over:
            return None
        if self.settings.season.playoff_teams:
            return self.playoffs.champion
        return self.table[0].franchise

    def average(self, gameweek: Gameweek) -> Fraction:
        """The mean of what all franchises scored in a gameweek, in thousandths."""
        points = self.points.get(gameweek.id, {})
        return Fraction(sum(points.get(team.number, 0) for team in self.teams), len(self.teams))

    @cached_property
    def weeks(self) -> list[Week]:
        """The settled gameweeks of the regular season."""
        return [
            Week(self.pairs.get(week.id, ()), self.points.get(week.id, {}))
            for week in self.regular
            if week.settled_at is not None
        ]

    @cached_property
    def table(self) -> list[Place]:
        """The table after the settled gameweeks of the regular season."""
        return self.table_after(len(self.weeks))

    def table_after(self, count: int) -> list[Place]:
        """The table after the first settled gameweeks, as many as `count`."""
        season = self.settings.season
        rules = TableRules(
            season.tie_breaks,
            self.divisions,
            coin=f"league {self.league.id}",
            median_game=season.median_game,
        )
        return table(len(self.teams), self.weeks[:count], rules)

    @cached_property
    def playoffs(self) -> Playoffs:
        """The play-offs by the present table: if that is not final yet, as a preview."""
        first = self.league.first_week + self.settings.season.regular_weeks
        if self.playoff_weeks:
            first = self.playoff_weeks[0].week
        is_final = self.is_regular_over
        results = Results(
            {week.week: self.points.get(week.id, {}) for week in self.playoff_weeks if is_final},
            frozenset(
                week.week for week in self.playoff_weeks if is_final and week.settled_at is not None
            ),
        )
        return playoffs(self.settings.season, self.table, self.divisions, first, results)


def load_season(league_id: int) -> SeasonView:
    """Load the season of a draft league.

    Raises:
        NoResultFound: There is no such draft league.
    """
    league = db.session.get_one(League, league_id)
    draft_league = db.session.get_one(DraftLeague, league_id)
    settings = settings_of(draft_league)
    franchises = teams(league_id)
    by_member = {team.member_id: team.number for team in franchises}
    gameweeks = gameweeks_of(league)
    regular = gameweeks[: settings.season.regular_weeks]
    after = gameweeks[len(regular) : len(regular) + _playoff_weeks(settings)]
    return SeasonView(
        league,
        settings,
        franchises,
        regular,
        after,
        _pairs(league_id, by_member),
        _points(league_id, by_member),
    )


def _playoff_weeks(settings: DraftLeagueSettings) -> int:
    """How many gameweeks the play-offs take."""
    return sum(settings.season.weeks_per_round) if settings.season.playoff_teams else 0


def bracket_changes(league_id: int) -> list[tuple[datetime, str | None, list[Pair], list[Pair]]]:
    """What corrections changed in the play-offs, the latest first.

    Returns:
        When, the gameweek's name or None for the champion, and the games before and after, or
        the champion as in BracketChange.
    """
    rows = db.session.execute(
        select(BracketChange, Gameweek.name)
        .outerjoin(Gameweek, Gameweek.id == BracketChange.gameweek_id)
        .where(BracketChange.league_id == league_id)
        .order_by(BracketChange.id.desc())
    )
    return [
        (
            change.changed_at,
            gameweek,
            [(high, low) for high, low in change.before],
            [(high, low) for high, low in change.after],
        )
        for change, gameweek in rows
    ]


def gameweeks_of(league: League) -> Sequence[Gameweek]:
    """The gameweeks that the league counts, in order."""
    return db.session.scalars(
        select(Gameweek)
        .where(Gameweek.season_id == league.season_id, Gameweek.week >= league.first_week)
        .order_by(Gameweek.week)
        .execution_options(populate_existing=True)
    ).all()


def _pairs(league_id: int, by_member: Mapping[int | None, int]) -> dict[int, list[Pair]]:
    pairs: dict[int, list[Pair]] = defaultdict(list)
    rows = db.session.execute(
        select(Matchup.gameweek_id, Matchup.home_id, Matchup.away_id)
        .where(Matchup.league_id == league_id)
        .order_by(Matchup.gameweek_id, Matchup.home_id)
    )
    for row in rows:
        if row.home_id not in by_member or (row.away_id and row.away_id not in by_member):
            continue
        away = by_member[row.away_id] if row.away_id else None
        pairs[row.gameweek_id].append((by_member[row.home_id], away))
    return pairs


def _points(league_id: int, by_member: Mapping[int | None, int]) -> dict[int, dict[int, int]]:
    points: dict[int, dict[int, int]] = defaultdict(dict)
    rows = db.session.execute(
        select(LeagueScore.gameweek_id, LeagueScore.member_id, LeagueScore.points).where(
            LeagueScore.league_id == league_id
        )
    )
    for row in (*rows, *live_scores([league_id])):
        if row.member_id in by_member:
            points[row.gameweek_id][by_member[row.member_id]] = row.points
    return points
