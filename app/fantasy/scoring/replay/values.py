"""The parts of a replayed gameweek (replay.py): teams, steps, and who was ahead. Pure values."""

from __future__ import annotations

from dataclasses import dataclass

from app.record.replay import Moment

Change = tuple[int, int, int]  # index of the team, its points in thousandths, its rank


@dataclass(frozen=True)
class Team:
    """A team that is shown.

    `member_id`: None for the average of the league's head-to-head games. `ranked`: it has a place
    in the table.
    """

    member_id: int | None
    team_name: str
    display_name: str
    ranked: bool


@dataclass(frozen=True)
class Substitution:
    """A substitution by the rule of sheets/lineups.py; a correction may take it back.

    `team`: its index among the teams that are shown.
    """

    team: int
    come_on: tuple[str, ...]
    go_off: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """A play, and what it changed.

    `changed`: the teams with other points or another rank than before. `substitutions`: in the
    order of the teams.
    """

    moment: Moment
    changed: tuple[Change, ...]
    substitutions: tuple[Substitution, ...]


@dataclass(frozen=True)
class Race:
    """Who was ahead.

    `turns`: the steps at which the sole leader changed, or lost the lead, in order. `ahead`: the
    index of the sole leader in the end, None if there is none.
    """

    turns: tuple[int, ...]
    ahead: int | None

    @property
    def decided(self) -> int | None:
        """The deciding step (replay.py)."""
        return self.turns[-1] if self.turns and self.ahead is not None else None


@dataclass(frozen=True)
class Duel:
    """A head-to-head game: the indexes of its teams."""

    home: int
    away: int
    race: Race


@dataclass(frozen=True)
class Replay:
    """A replayed gameweek.

    Attributes:
        teams: Those that are shown.
        start: Points and rank of each of them before the first play.
        steps: The plays.
        leader: Who led the gameweek; that team is shown.
        duels: The head-to-head games.
        members: How many members the league ranks.
    """

    teams: tuple[Team, ...]
    start: tuple[tuple[int, int], ...]
    steps: tuple[Step, ...]
    leader: Race
    duels: tuple[Duel, ...]
    members: int
