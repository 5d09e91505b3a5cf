"""A recap as pages and pictures show it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.fantasy.recaps.power import Strength, power_ranking
from app.fantasy.recaps.rules import Claim, claims
from app.fantasy.recaps.values import Pick, TeamWeek, Week, with_team_names

# The heading of each kind of card, and what its figure counts.
HEADINGS = {
    "winner": ("Winner", "points"),
    "game": ("Matchup of the week", "point margin"),
    "best_decision": ("Captain of the week", "points"),
    "worst_decision": ("Costliest decision", "points missed"),
    "bench": ("Left on the bench", "points"),
    "record": ("Season high", "points"),
    "player_record": ("Player season high", "points"),
    "won_streak": ("Winning streak", "games"),
    "lost_streak": ("Losing streak", "games"),
}


@dataclass(frozen=True)
class RecapPage:
    """A recap.

    Attributes:
        points: The teams' points in the gameweek by member, in thousandths.
        best_players: Who had the most points for a team, by member; ties in the sheet's order.
        names: The teams' names by member, of a recap that is shown (see `named`).
    """

    claims: tuple[Claim, ...]
    power: tuple[Strength, ...]
    points: Mapping[int, int]
    best_players: Mapping[int, Pick] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)


def recap_page(week: Week) -> RecapPage:
    """Return the recap of a gameweek, with marks in place of the names of teams."""
    points = {team.member_id: team.points for team in week.teams}
    earlier: dict[int, dict[int, int]] = defaultdict(dict)
    for score in week.past:
        earlier[score.week][score.member_id] = score.points
    return RecapPage(
        claims(week),
        tuple(power_ranking([*(earlier[number] for number in sorted(earlier)), points])),
        points,
        {team.member_id: best for team in week.teams if (best := _best_player(team)) is not None},
    )


def named(page: RecapPage, names: Mapping[int, str]) -> RecapPage:
    """Return the recap with these names of teams, by member."""
    return replace(
        page, claims=tuple(_named(claim, names) for claim in page.claims), names=dict(names)
    )


def _named(claim: Claim, names: Mapping[int, str]) -> Claim:
    play = claim.play
    return replace(
        claim,
        words=with_team_names(claim.words, names),
        line=with_team_names(claim.line, names),
        play=play and replace(play, words=with_team_names(play.words, names)),
    )


def _best_player(team: TeamWeek) -> Pick | None:
    earning = [pick for pick in team.picks if pick.points * pick.multiplier > 0]
    return max(earning, key=lambda pick: pick.points * pick.multiplier, default=None)
