"""The part of a league's gameweek that no play changes: its teams and their sheets. Reads only.

Totals at a moment of the record are in timeline.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import func, select

from app.core.db import db
from app.fantasy.engine.ownership import Ownership, Rows
from app.fantasy.market.formats import format_named
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.market.models import FootballerSeason
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import ScoringRules, points
from app.fantasy.sheets.lineups import Numbers
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow, SheetRow
from app.record.models import Footballer
from app.record.queries import GameRow

Stats = Mapping[str, int]


@dataclass(frozen=True)
class SheetPlayer:
    """A footballer on a team sheet.

    `position`: by which they have a place on the sheet. `scored_as`: their position in the record,
    by which scoring rules may differ. `club_id`: their present club.
    """

    id: str
    position: str
    scored_as: str
    club_id: str | None


@dataclass(frozen=True)
class Team:
    """A member's team in a league. The names are empty if they are not known."""

    member_id: int
    display_name: str
    name: str


@dataclass(frozen=True)
class LeagueGameweek:
    """The part of a league's gameweek that no play changes.

    Attributes:
        games: The games that count in the league.
        teams: The teams whose totals are followed.
        ranked: How many teams have a place in the league's table. They are the first ones.
        base: What each team has besides its footballers, in thousandths: the commissioner's
            adjustments less the cost of transfers.
        sheets: The teams' sheets, the rows of `ownership`.
        team_of_sheet: The team of each sheet, as an index into `teams`.
        players: Everybody on a sheet, by id.
    """

    league: LeagueRow
    rules: ScoringRules
    games: Sequence[GameRow]
    teams: Sequence[Team]
    ranked: int
    base: Numbers
    sheets: Sequence[SheetRow]
    team_of_sheet: Rows
    players: Mapping[str, SheetPlayer]
    ownership: Ownership

    def index_of(self, member_id: int) -> int | None:
        """The member's team, as an index into `teams`."""
        return next(
            (index for index, team in enumerate(self.teams) if team.member_id == member_id), None
        )

    def worth(self, player: str, stats: Stats | None) -> int:
        """What a stat line of this footballer is worth in the league, in thousandths."""
        if not stats:
            return 0
        position = self.players[player].scored_as if player in self.players else ""
        return points(stats, self.rules, position)


def league_gameweek(
    league: LeagueRow,
    gameweek: GameweekRow,
    games: Sequence[GameRow],
    *,
    opponents: Collection[int] = (),
) -> LeagueGameweek:
    """Load the league's gameweek with the teams of all members who are not hidden, by their ids.

    Games that do not count in the league are left out. `opponents`: members whose teams come after
    the others, even if they are hidden or have left.
    """
    teams = [Team(member, name, team) for member, name, team in queries.members_seen(league.id)]
    known = {team.member_id for team in teams}
    others = [Team(member, "", "") for member in opponents if member not in known]
    if gameweek.week < league.first_week:
        return _league_gameweek(league, games, (teams, others), [], {})
    sheets = queries.sheets_of(league.team_rules_id, gameweek.id, [*known, *opponents])
    adjusted = queries.adjusted(league.id, gameweek.id)
    return _league_gameweek(league, games, (teams, others), sheets, adjusted)


def member_gameweek(
    league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow], member_id: int
) -> LeagueGameweek:
    """As `league_gameweek`, for one member, in the league or not; without adjustments."""
    sheets = queries.sheets_of(league.team_rules_id, gameweek.id, [member_id])
    return _league_gameweek(league, games, ([], [Team(member_id, "", "")]), sheets, {})


def _league_gameweek(
    league: LeagueRow,
    games: Sequence[GameRow],
    ranked_and_others: tuple[Sequence[Team], Sequence[Team]],
    sheets: Iterable[SheetRow],
    adjusted: Mapping[int, int],
) -> LeagueGameweek:
    ranked, others = ranked_and_others
    teams = [*ranked, *others]
    index = {team.member_id: number for number, team in enumerate(teams)}
    sheets = [sheet for sheet in sheets if sheet.member_id in index]
    base = np.array([adjusted.get(team.member_id, 0) for team in teams], np.int64)
    team_of_sheet = np.array([index[sheet.member_id] for sheet in sheets], np.intp)
    base[team_of_sheet] -= np.array([sheet.transfer_cost for sheet in sheets], np.int64)
    ownership = Ownership.of(format_named(league.format), sheets)
    return LeagueGameweek(
        league,
        rules_named(league.rules),
        [game for game in games if league.counts_moved or not game.is_moved],
        teams,
        len(ranked),
        base,
        sheets,
        team_of_sheet,
        players_of(league.season_id, ownership.footballers),
        ownership,
    )


def players_of(season_id: int, ids: Collection[str]) -> dict[str, SheetPlayer]:
    """Load these footballers by id, with the position that they have in the season."""
    season = (FootballerSeason.footballer_id == Footballer.id) & (
        FootballerSeason.season_id == season_id
    )
    rows = db.session.execute(
        select(
            Footballer.id,
            func.coalesce(FootballerSeason.position, Footballer.position),
            Footballer.position,
            Footballer.club_id,
        )
        .outerjoin(FootballerSeason, season)
        .where(Footballer.id.in_(ids))
    )
    return {row[0]: SheetPlayer(*row) for row in rows}
