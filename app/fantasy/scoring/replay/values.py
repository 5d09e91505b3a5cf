"""What a replayed gameweek (replay.py) consists of: teams, steps, and who was ahead.

Pure values.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.record.replay import Moment

Change = tuple[int, int, int]  # index of the team, its points in thousandths, its rank


@dataclass(frozen=True)
class Team:
    """A row.

    `member_id` None: the average of the league's head-to-head games. `ranked`: it stands in the
    table.
    """

    member_id: int | None
    team_name: str
    display_name: str
    ranked: bool


@dataclass(frozen=True)
class Substitution:
    """Who counts from this play on in the place of whom, by the rule of sheets/lineups.py.

    `team`: its index among those shown. A correction may send a substitute off again.
    """

    team: int
    come_on: tuple[str, ...]
    go_off: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """A play: what it made of the teams shown, those with other points or another rank than before
    it alone.

    `substitutions`: those that it brought about, in the order of the teams.
    """

    moment: Moment
    changed: tuple[Change, ...]
    substitutions: tuple[Substitution, ...]


@dataclass(frozen=True)
class Race:
    """Who was ahead.

    `turns`: the steps with which that changed, in order: another team, or nobody alone any more.
    `ahead`: index of the team that is ahead alone in the end, None for nobody.
    """

    turns: tuple[int, ...]
    ahead: int | None

    @property
    def decided(self) -> int | None:
        """The step that decided it; see above."""
        return self.turns[-1] if self.turns and self.ahead is not None else None


@dataclass(frozen=True)
class Duel:
    """A head-to-head game: the indexes of its teams."""

    home: int
    away: int
    race: Race


@dataclass(frozen=True)
class Replay:
    """`start`: points and rank of each team shown before the first play.

    `members`: how many the league ranks.

    `leader`: who leads the gameweek; its team is shown.
    """

    teams: tuple[Team, ...]
    start: tuple[tuple[int, int], ...]
    steps: tuple[Step, ...]
    leader: Race
    duels: tuple[Duel, ...]
    members: int
