"""The swing of a play: which teams of a league it moved, and by how much.

Computed from the record on every read, never stored. A play is one step at the time of its last
event; a correction is a swing of its own beside that of the play it corrects. The swings of a
gameweek therefore add up to its table. Steps are in record/rules/steps.py, totals in engine/.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.fantasy.scoring import statistics
from app.fantasy.scoring.league_gameweek import LeagueGameweek
from app.fantasy.scoring.rules import ScoringRules, credit_points
from app.fantasy.scoring.swings.steps import (
    KEPT_STEPS,
    in_order,
    latest_states,
    steps_of_games,
)
from app.fantasy.scoring.timeline import Timeline, dense_ranks
from app.fantasy.sheets.lineups import Numbers
from app.record import events as ev
from app.record.correction_words import NOTHING, Corrected, bodies_of, corrected_by, told
from app.record.play_sentence import Clubs, play_sentences, surnames
from app.record.queries import names as names_of
from app.record.rules.steps import Kind, Stats, Step
from app.record.words import clock_words, period_words

LATEST = 5
# How many of the last steps are searched for the latest swings: first a few, then more.
LOOKED_AT = (20, KEPT_STEPS)
MOVERS = 8
FOOTBALLERS = 6


@dataclass(frozen=True)
class Mover:
    """A team whose points a play moved.

    `points`: by how much, in thousandths; `total`, `rank`: after the play.
    """

    member_id: int
    name: str
    points: int
    total: int
    rank_before: int
    rank: int


@dataclass(frozen=True)
class Earned:
    """A footballer whose points changed.

    `points`: by how much under the league's rules, in thousandths; `what`: the statistics that
    changed them, as in `tackle`; `teams`: how many teams count the footballer.
    """

    footballer_id: str
    name: str
    points: int
    teams: int
    what: str


@dataclass(frozen=True)
class Swing:
    """What one step did in a league.

    Attributes:
        game_id: The game.
        kind: Whether it is a play, a correction, or what became of the game.
        play_number: The number of the play.
        number: The number of the step's event.
        when: The game clock at the snap, empty without one.
        words: The sentences of the step, first that of the play.
        footballers: At most FOOTBALLERS of those whom a team counts, the most points first.
        movers: At most MOVERS teams: the viewer's first (also if only its rank changed), then
            those that moved most (ties by name, then member).
        moved: How many teams moved.
    """

    game_id: str
    kind: Kind
    play_number: int
    number: int
    when: str
    words: tuple[str, ...]
    footballers: tuple[Earned, ...]
    movers: tuple[Mover, ...]
    moved: int

    @property
    def rest(self) -> int:
        """How many teams moved that are not among the movers."""
        return self.moved - sum(mover.points != 0 for mover in self.movers)

    def of(self, member_id: int) -> Mover | None:
        """The member's team, if it is among the movers."""
        return next((mover for mover in self.movers if mover.member_id == member_id), None)


@dataclass(frozen=True)
class _Moved:
    """A step that moved a team.

    Totals are in the order of the teams; multipliers are how often each place of each sheet counts.
    """

    step: Step
    before: Numbers
    after: Numbers
    multipliers_before: NDArray[np.int8]
    multipliers_after: NDArray[np.int8]

    @property
    def change(self) -> Numbers:
        return self.after - self.before


def latest_of_all(gameweek: LeagueGameweek) -> tuple[list[Swing], dict[int, list[Mover | None]]]:
    """Work out the LATEST swings of the last KEPT_STEPS steps, newest first, for all viewers.

    Returns:
        The swings as somebody without a team sees them; and for each member whom a swing moved,
        their team in each of the swings, None where it was not moved.
    """
    latest_moved = _latest(gameweek)
    movers_of: dict[int, list[Mover | None]] = {}
    for number, moved in enumerate(latest_moved):
        teams = _Teams(gameweek, moved)
        for team in np.flatnonzero((teams.change != 0) | teams.has_new_rank).tolist():
            mover = teams.mover(team)
            movers_of.setdefault(mover.member_id, [None] * len(latest_moved))[number] = mover
    return _swings(gameweek, latest_moved, 0), movers_of


def _latest(gameweek: LeagueGameweek) -> list[_Moved]:
    games = latest_states(gameweek.games)
    moved: list[_Moved] = []
    for count in LOOKED_AT:
        steps = in_order(game.last(count) for game in games.values())[-count:]
        timeline = Timeline(gameweek)
        for game_id, game in games.items():
            lines: dict[str, Stats] = dict(game.lines)
            status = game.status
            for step in reversed(steps):
                if step.game_id == game_id:
                    lines.update(step.before)
                    status = step.status_before
            timeline.take(game_id, lines, status)
        moved = _moved(timeline, steps, {(step.game_id, step.number) for step in steps})
        if len(moved) >= LATEST or len(steps) < count:
            break
    return moved[::-1][:LATEST]


def of_play(gameweek: LeagueGameweek, game_id: str, play_number: int, me: int) -> list[Swing]:
    """The swing of the play, then those of its corrections; empty if they moved nobody."""
    return [
        swing
        for swing in of_game(gameweek, game_id, me, [play_number])
        if swing.play_number == play_number
    ]


def of_game(
    gameweek: LeagueGameweek, game_id: str, me: int, plays: Collection[int] | None = None
) -> list[Swing]:
    """The swings of one game, or of these plays of it, in the order in which they happened."""
    steps = in_order(steps_of_games(gameweek.games))
    keys = {
        (step.game_id, step.number)
        for step in steps
        if step.game_id == game_id and (plays is None or step.play_number in plays)
    }
    return _swings(gameweek, _moved(Timeline(gameweek), steps, keys), me)


@dataclass(frozen=True)
class Largest:
    """The play that gained a team the most, after its corrections.

    `points`: how much, in thousandths; `member_ids`: who gained it, in the order of the teams.
    """

    game_id: str
    play_number: int
    points: int
    member_ids: tuple[int, ...]


def largest(gameweek: LeagueGameweek) -> Largest | None:
    """The play of the gameweek that gained a team the most; None if several plays did."""
    timeline = Timeline(gameweek)
    gains: dict[tuple[str, int], Numbers] = {}
    before = timeline.totals()
    for step in in_order(steps_of_games(gameweek.games)):
        timeline.take(step.game_id, step.after, step.status)
        after = timeline.totals()
        if step.kind in ("play", "correction"):
            key = (step.game_id, step.play_number)
            change = (after - before)[: gameweek.ranked]
            gains[key] = gains[key] + change if key in gains else change
        before = after
    most = max((int(gain.max(initial=0)) for gain in gains.values()), default=0)
    plays = [key for key, gain in gains.items() if most and (gain == most).any()]
    if len(plays) != 1:
        return None
    game_id, play_number = plays[0]
    teams = np.flatnonzero(gains[plays[0]] == most).tolist()
    members = tuple(gameweek.teams[team].member_id for team in teams)
    return Largest(game_id, play_number, most, members)


def _moved(
    timeline: Timeline, steps: Sequence[Step], keys: Collection[tuple[str, int]]
) -> list[_Moved]:
    """The steps with these keys (game and number) that moved a team.

    `timeline`: before the first of the steps; it takes all of them in.
    """
    moved = []
    for step in steps:
        if (step.game_id, step.number) not in keys:
            timeline.take(step.game_id, step.after, step.status)
            continue
        before, multipliers = timeline.totals(), timeline.multipliers()
        timeline.take(step.game_id, step.after, step.status)
        after = timeline.totals()
        if (before != after).any():
            moved.append(_Moved(step, before, after, multipliers, timeline.multipliers()))
    return moved


def _swings(gameweek: LeagueGameweek, all_moved: Sequence[_Moved], me: int) -> list[Swing]:
    """The swings of these steps for the viewer `me`."""
    corrected = corrected_by(
        {
            (moved.step.game_id, moved.step.number)
            for moved in all_moved
            if moved.step.kind == "correction"
        }
    )
    bodies = [body for moved in all_moved for body in moved.step.bodies]
    earned = [_earned(gameweek, moved) for moved in all_moved]
    named = [*bodies, *bodies_of(corrected)]
    names = surnames(
        names_of(
            {player for body in named for player in ev.players_of(body)}
            | {player for players in earned for player, *_ in players}
        )
    )
    clubs = {game.id: (game.home.id, game.away.id) for game in gameweek.games}
    snaps = {
        (moved.step.game_id, moved.step.play_number): body
        for moved in all_moved
        for body in moved.step.bodies
        if isinstance(body, ev.Snap)
    }
    my_team = gameweek.index_of(me)
    swings = []
    for moved, players in zip(all_moved, earned, strict=True):
        step, teams = moved.step, _Teams(gameweek, moved)
        snap = snaps.get((step.game_id, step.play_number))
        swings.append(
            Swing(
                game_id=step.game_id,
                kind=step.kind,
                play_number=step.play_number,
                number=step.number,
                when=f"{period_words(snap.period)} {clock_words(snap.clock)}" if snap else "",
                words=_words(
                    step,
                    names,
                    corrected.get((step.game_id, step.number), NOTHING),
                    clubs[step.game_id],
                ),
                footballers=tuple(
                    Earned(player, names.get(player, player), points, owners, what)
                    for player, points, owners, what in players
                ),
                movers=teams.movers(my_team),
                moved=int(np.count_nonzero(teams.change)),
            )
        )
    return swings


def _earned(gameweek: LeagueGameweek, moved: _Moved) -> list[tuple[str, int, int, str]]:
    """Footballers whom a team counts before or after the step.

    Each with thousandths, how many teams count them, and what they earned the points with.
    """
    ownership = gameweek.ownership
    counts = (moved.multipliers_before > 0) | (moved.multipliers_after > 0)
    earned = []
    for player, before in moved.step.before.items():
        points = gameweek.worth(player, moved.step.after[player]) - gameweek.worth(player, before)
        number = ownership.index.get(player)
        if points and number is not None:
            teams = int(((ownership.lineups.owned == number) & counts).any(axis=1).sum())
            if teams:
                what = _what(before, moved.step.after[player], gameweek.rules)
                earned.append((player, points, teams, what))
    return sorted(earned, key=lambda row: (-abs(row[1]), row[0]))[:FOOTBALLERS]


def _what(before: Mapping[str, int], after: Mapping[str, int], rules: ScoringRules) -> str:
    """What changed between two stat lines and counts, as in `catch, 10 receiving yards`."""
    changes = {
        stat: change
        for stat in statistics.in_order({**before, **after})
        if (change := after.get(stat, 0) - before.get(stat, 0))
    }
    return ", ".join(
        statistics.counted(stat, change)
        for stat, change in changes.items()
        if credit_points(stat, change, rules)
    )


def _words(
    step: Step, names: Mapping[str, str], corrected: Corrected, clubs: Clubs
) -> tuple[str, ...]:
    """The sentences of a step. `corrected`: what it took away if it is a correction.

    A play is its movement; without one, what else happened.
    """
    ball = [body for body in step.bodies if body.part in ("action", "credit")]
    if step.kind == "play" and ball:
        snaps = [body for body in step.bodies if isinstance(body, ev.Snap)]
        return tuple(map(str, play_sentences([*snaps, *ball], names, clubs)))
    bodies = [body for body in step.bodies if not isinstance(body, ev.Snap)]
    return tuple(dict.fromkeys(str(told(body, names, corrected, clubs)) for body in bodies))


class _Teams:
    """How a step moved each team of the league."""

    def __init__(self, gameweek: LeagueGameweek, moved: _Moved) -> None:
        self.teams, self.after, self.change = gameweek.teams, moved.after, moved.change
        self.rank_before, self.rank = dense_ranks(moved.before), dense_ranks(moved.after)
        self.has_new_rank = self.rank_before != self.rank

    def movers(self, my_team: int | None) -> tuple[Mover, ...]:
        """See Swing: the viewer's team first, also if it only changed its rank."""
        moved = np.flatnonzero(self.change).tolist()
        if my_team is not None and not self.change[my_team] and self.has_new_rank[my_team]:
            moved.append(my_team)
        order = sorted(
            moved,
            key=lambda team: (
                team != my_team,
                -abs(int(self.change[team])),
                self.teams[team].name,
                team,
            ),
        )
        return tuple(self.mover(team) for team in order[:MOVERS])

    def mover(self, team: int) -> Mover:
        return Mover(
            self.teams[team].member_id,
            self.teams[team].name,
            int(self.change[team]),
            int(self.after[team]),
            int(self.rank_before[team]),
            int(self.rank[team]),
        )
