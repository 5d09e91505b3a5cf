"""What a gameweek came to in a league, as values. Points are in thousandths. Pure.

Teams have marks in place of names, so that a recap which is stored shows the names of the day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.core.bidi import isolated
from app.fantasy.market.formats import Format

FORMER = "A former member"
# Around a member's id: a character of Unicode's private use area, which no text is typed with.
_MARK = "\ue003"
_MARKED = re.compile(f"{_MARK}([0-9]+){_MARK}")


def team_mark(member_id: int) -> str:
    """Return what stands in place of the name of a member's team."""
    return f"{_MARK}{member_id}{_MARK}"


def with_team_names(text: str, names: Mapping[int, str]) -> str:
    """Return the text with the names of the teams that it marks.

    >>> with_team_names(f"{team_mark(1)} beat {team_mark(2)}.", {1: "Ann FC"})
    'Ann FC beat A former member.'
    """
    return _MARKED.sub(lambda mark: isolated(names.get(int(mark[1]), FORMER)), text)


@dataclass(frozen=True)
class PlayRef:
    """A play of a game, and its sentence."""

    game_id: str
    play_number: int
    words: str


@dataclass(frozen=True)
class Pick:
    """A place of a team sheet when the gameweek was over.

    Attributes:
        points: The player's own.
        multiplier: How often the place counts: 0 on the bench, 2 for the captain.
        has_played: Whether the player has a stat line.
        club: The id of the player's present club; empty without one.
    """

    player_id: str
    name: str
    position: str
    points: int
    multiplier: int
    has_played: bool
    club: str = ""


@dataclass(frozen=True)
class TeamWeek:
    """A team's gameweek.

    Attributes:
        points: As in the gameweek's table, with transfers and adjustments.
        picks: All places of the format, starters first; empty without a sheet.
        captain: The captain's place, from 1.
        vice_captain: The vice-captain's place, from 1.
    """

    member_id: int
    name: str
    points: int
    picks: tuple[Pick, ...]
    captain: int = 1
    vice_captain: int = 2


@dataclass(frozen=True)
class Match:
    """A head-to-head game of two teams. `decided`: the play that decided it, if one did."""

    home: int
    away: int
    decided: PlayRef | None


@dataclass(frozen=True)
class PastScore:
    """A team's points in an earlier gameweek of the season."""

    member_id: int
    team_name: str
    week: int
    points: int


@dataclass(frozen=True)
class PlayerScore:
    """A player's points in an earlier gameweek of the season, on a team sheet of the league."""

    name: str
    week: int
    points: int


@dataclass(frozen=True)
class Week:
    """A gameweek of a league that is over.

    Attributes:
        teams: The teams of the table.
        matches: Games between two of these teams.
        decided: The play with which the winner of the gameweek went ahead for good, if one did.
        best_plays: The play that earned each player the most, by player.
        past: The results of the league's earlier gameweeks.
        results: The match points of each team's head-to-head games so far, in order, this
            gameweek's last; none of a team without a game in it.
        best_before: The most points of a player in an earlier gameweek; None without one.
    """

    name: str
    team_format: Format
    teams: tuple[TeamWeek, ...]
    matches: tuple[Match, ...]
    decided: PlayRef | None
    best_plays: Mapping[str, PlayRef]
    past: tuple[PastScore, ...]
    results: Mapping[int, Sequence[int]] = field(default_factory=dict)
    best_before: PlayerScore | None = None
