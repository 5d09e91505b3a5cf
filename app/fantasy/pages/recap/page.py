"""A recap as pages and pictures show it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.fantasy.recaps.power import Strength, power_ranking
from app.fantasy.recaps.rules import Claim, claims
from app.fantasy.recaps.values import Pick, TeamWeek, Week

HEADINGS = {
    "winner": "Winner",
    "decided": "Deciding play of the week",
    "game": "Matchup of the week",
    "game_decided": "Deciding play of that matchup",
    "best_decision": "Captain of the week",
    "worst_decision": "Costliest decision",
    "bench": "Left on the bench",
    "record": "Season high",
    "player_record": "Player season high",
    "won_streak": "Winning streak",
    "lost_streak": "Losing streak",
}


@dataclass(frozen=True)
class RecapPage:
    """A recap.

    Attributes:
        names: The teams' names by member.
        points: The teams' points in the gameweek by member, in thousandths.
        best_players: Who had the most points for a team, by member; ties in the sheet's order.
    """

    claims: tuple[Claim, ...]
    power: tuple[Strength, ...]
    names: Mapping[int, str]
    points: Mapping[int, int]
    best_players: Mapping[int, Pick] = field(default_factory=dict)


def recap_page(week: Week) -> RecapPage:
    """Return the recap of a gameweek."""
    points = {team.member_id: team.points for team in week.teams}
    earlier: dict[int, dict[int, int]] = defaultdict(dict)
    for score in week.past:
        earlier[score.week][score.member_id] = score.points
    return RecapPage(
        claims(week),
        tuple(power_ranking([*(earlier[number] for number in sorted(earlier)), points])),
        {team.member_id: team.name for team in week.teams},
        points,
        {team.member_id: best for team in week.teams if (best := _best_player(team)) is not None},
    )


def _best_player(team: TeamWeek) -> Pick | None:
    earning = [pick for pick in team.picks if pick.points * pick.multiplier > 0]
    return max(earning, key=lambda pick: pick.points * pick.multiplier, default=None)
