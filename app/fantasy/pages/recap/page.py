"""A recap as pages and pictures show it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.fantasy.recaps.power import Strength, power_ranking
from app.fantasy.recaps.rules import Claim, claims
from app.fantasy.recaps.values import Pick, TeamWeek, Week

HEADINGS = {
    "winner": "The winner",
    "decided": "The play that decided the gameweek",
    "game": "The game of the week",
    "game_decided": "The play that decided that game",
    "best_decision": "The best decision",
    "worst_decision": "The costliest decision",
    "bench": "Left on the bench",
    "record": "A record",
    "player_record": "A record of a player",
    "won_streak": "A winning streak",
    "lost_streak": "A losing streak",
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
