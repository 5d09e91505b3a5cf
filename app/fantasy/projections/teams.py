"""Team sheets with their projected line-ups: who is expected to count how often in the end. Pure.

The line-up is that of the engine (engine/): a starter who is sure not to play counts as
out, so that a substitute who is expected to play comes on and the armband moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.fantasy.engine.ownership import Counted, Ownership
from app.fantasy.market.formats import Format
from app.fantasy.projections.chances import Side
from app.fantasy.projections.rules import ProjectedWeek, Projection
from app.fantasy.standings.queries import SheetRow


@dataclass(frozen=True)
class ProjectedTeam:
    """A team sheet as it is expected to be in the end.

    Attributes:
        points: Expected in the end, less transfers and with adjustments, in thousandths.
        scored: The points of the projected line-up so far, with the same.
        multipliers: How often each place is expected to count.
    """

    member_id: int
    points: int
    scored: int
    picks: Sequence[str]
    multipliers: Sequence[int]

    def times(self, player: str) -> int:
        """How often the player is expected to count; 0 for one who is not on the sheet."""
        return dict(zip(self.picks, self.multipliers, strict=True)).get(player, 0)

    @property
    def side(self) -> Side:
        """The team as a side of a matchup."""
        return Side(
            self.points,
            {
                player: times
                for player, times in zip(self.picks, self.multipliers, strict=True)
                if player and times
            },
        )


@dataclass(frozen=True)
class ProjectedSheets:
    """The projected teams of some members of a league.

    Attributes:
        teams: Their teams by member; members without a team sheet have none.
        projections: What each of their players is expected to have, by id.
        positions: The position by which each player has a place on a sheet, by id.
        bases: What each member has besides their players, in thousandths.
        weeks: What the projections follow from, by id.
    """

    teams: Mapping[int, ProjectedTeam]
    projections: Mapping[str, Projection]
    positions: Mapping[str, str]
    bases: Mapping[int, int]
    weeks: Mapping[str, ProjectedWeek]

    def side(self, member_id: int) -> Side:
        """The member's team as a side of a matchup; without a team sheet it has no players."""
        team = self.teams.get(member_id)
        return team.side if team is not None else Side(self.bases[member_id], {})

    @property
    def variances(self) -> dict[str, float]:
        """How much each player's points may still change, see `chances.win_chance`."""
        return {player: projection.variance for player, projection in self.projections.items()}


@dataclass(frozen=True)
class Outlook:
    """How a matchup is expected to end.

    Attributes:
        first: The points that the first side is expected to have, in thousandths.
        second: Those of its opponent.
        chance: The first side's chance of winning; the second side has the rest of 1.
        sheets: The teams of both sides and their players.
    """

    first: int | Fraction
    second: int | Fraction
    chance: float
    sheets: ProjectedSheets


def projected_teams(
    team_format: Format,
    sheets: Sequence[SheetRow],
    projections: Mapping[str, Projection],
    positions: Mapping[str, str],
    bases: Mapping[int, int],
) -> list[ProjectedTeam]:
    """The projected team of each sheet, in the same order.

    Args:
        team_format: The format of all sheets.
        sheets: The team sheets.
        projections: What each player is expected to have, by id.
        positions: The position by which each player has a place on a sheet, by id.
        bases: What each member has besides their players, in thousandths by id; 0 if missing.
    """
    ownership = Ownership.of(team_format, sheets)
    expected = {
        player: Counted(
            player,
            positions.get(player, ""),
            projection.points,
            projection.scored,
            has_played=projection.takes_part,
            is_over=True,  # so that those who take no part are out
        )
        for player, projection in projections.items()
    }
    # The engine adds up two amounts: here the points in the end and the points so far.
    totals = ownership.totals(ownership.arrays(expected))
    return [
        ProjectedTeam(
            sheet.member_id,
            int(points) + bases.get(sheet.member_id, 0),
            int(scored) + bases.get(sheet.member_id, 0),
            sheet.picks,
            [int(times) for times in multipliers],
        )
        for sheet, points, scored, multipliers in zip(
            sheets, totals.points, totals.held_points, totals.multipliers, strict=True
        )
    ]
