"""The swing of a play: whose table it moved, and by how much.

Computed from the record on every read, never stored.

Lives here: which steps of the gameweek's games moved points in a league, and what each did. Not
here: the steps (record/rules/steps.py), the arrays (swing_table.py), pages. A play counts as one
step at the time of its last event; a correction is a swing of its own beside that of the play it
corrects. So the swings of a gameweek add up to its table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.fantasy.scoring.swing_steps import steps_of_games
from app.fantasy.scoring.swing_table import Ground, Table, ranks, timeline
from app.fantasy.sheets.lineups import Numbers
from app.record import events as ev
from app.record.correction_words import corrected_by, told
from app.record.queries import names as names_of
from app.record.rules.steps import Kind, Step
from app.record.words import clock_words, period_words

LATEST = 5
# steps, from the last one back, among which the latest swings are looked for; first few
LOOKED_AT = (20, 120)
MOVERS = 8
FOOTBALLERS = 6


@dataclass(frozen=True)
class Mover:
    """A team whose points a play moved: by how many thousandths, its total after it, and its rank
    before and after.
    """

    member_id: int
    name: str
    points: int
    total: int
    rank_before: int
    rank: int


@dataclass(frozen=True)
class Earned:
    """A footballer whose points changed, thousandths under the league's rules, and how many teams
    count them.
    """

    footballer_id: str
    name: str
    points: int
    teams: int


@dataclass(frozen=True)
class Swing:
    """What one step did in a league.

    `when`: the game clock at its snap, empty without one. `words`: its sentences.

    `movers`: the viewer's team first (also where it only changed its rank), then those that moved
    most (ties by name, then member), MOVERS at most; `moved`: how many teams moved. `footballers`:
    those whom some team counts, the most points first, FOOTBALLERS at most.
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
        return next((mover for mover in self.movers if mover.member_id == member_id), None)


@dataclass(frozen=True)
class _Moved:
    """A step with the table before and after it, in the order of the ground's teams, and what each
    place counted.
    """

    step: Step
    before: Numbers
    after: Numbers
    counting: tuple[NDArray[np.int8], NDArray[np.int8]]


def latest(ground: Ground, me: int) -> list[Swing]:
    """The LATEST swings, newest first. `me`: the viewer."""
    return _told(ground, _latest(ground), me)


def latest_of_all(ground: Ground) -> tuple[list[Swing], dict[int, list[Mover | None]]]:
    """As latest for nobody in particular; and by member who moved, their own in each of them."""
    moved = _latest(ground)
    mine: dict[int, list[Mover | None]] = {}
    for number, one in enumerate(moved):
        change, rank_before, rank = one.after - one.before, ranks(one.before), ranks(one.after)
        for place in np.flatnonzero((change != 0) | (rank != rank_before)).tolist():
            mover = _mover(ground, place, change, one.after, rank_before, rank)
            mine.setdefault(mover.member_id, [None] * len(moved))[number] = mover
    return _told(ground, moved, 0), mine


def _latest(ground: Ground) -> list[_Moved]:
    steps = timeline(steps_of_games(ground.games))
    found: list[_Moved] = []
    for count in LOOKED_AT:
        found = _moved(ground, steps, {(step.game_id, step.number) for step in steps[-count:]})
        if len(found) >= LATEST or len(steps) <= count:
            break
    return found[::-1][:LATEST]


def of_play(ground: Ground, game_id: str, play_number: int, me: int) -> list[Swing]:
    """What the play did, and after it what each of its corrections did.

    Empty when it moved nobody.
    """
    return [
        swing
        for swing in of_game(ground, game_id, me, [play_number])
        if swing.play_number == play_number
    ]


def of_game(
    ground: Ground, game_id: str, me: int, plays: Collection[int] | None = None
) -> list[Swing]:
    """The swings of one game, or of these plays of it, in the order in which they happened."""
    steps = timeline(steps_of_games(ground.games))
    wanted = {
        (step.game_id, step.number)
        for step in steps
        if step.game_id == game_id and (plays is None or step.play_number in plays)
    }
    return _told(ground, _moved(ground, steps, wanted), me)


def _moved(
    ground: Ground, steps: Sequence[Step], wanted: Collection[tuple[str, int]]
) -> list[_Moved]:
    """Those of the wanted steps that moved a team."""
    table, found = Table(ground), []
    for step in steps:
        if (step.game_id, step.number) not in wanted:
            table.go_on(step)
            continue
        before, counted = table.scores(), table.counting()
        table.go_on(step)
        after = table.scores()
        if (before != after).any():
            found.append(_Moved(step, before, after, (counted, table.counting())))
    return found


def _told(ground: Ground, moved: Sequence[_Moved], me: int) -> list[Swing]:
    corrected = corrected_by(
        {(one.step.game_id, one.step.number) for one in moved if one.step.kind == "correction"}
    )
    bodies = [body for one in moved for body in one.step.bodies]
    bodies += [body for taken in corrected.values() for body in taken]
    earned = [_earned(ground, one) for one in moved]
    names = names_of(
        {player for body in bodies for player in ev.players_of(body)}
        | {one for some in earned for one, *_ in some}
    )
    snaps = {
        (step.game_id, step.play_number): body
        for step in (one.step for one in moved)
        for body in step.bodies
        if isinstance(body, ev.Snap)
    }
    found = []
    for one, some in zip(moved, earned, strict=True):
        step, mine = one.step, ground.place_of(me)
        snap = snaps.get((step.game_id, step.play_number))
        found.append(
            Swing(
                step.game_id,
                step.kind,
                step.play_number,
                step.number,
                f"{period_words(snap.period)} {clock_words(snap.clock)}" if snap else "",
                _words(
                    step,
                    {player for player, *_ in some},
                    names,
                    corrected.get((step.game_id, step.number), ()),
                ),
                tuple(
                    Earned(player, names.get(player, player), worth, teams)
                    for player, worth, teams in some
                ),
                *_movers(ground, one.before, one.after, mine),
            )
        )
    return found


def _earned(ground: Ground, moved: _Moved) -> list[tuple[str, int, int]]:
    """Footballer, thousandths and how many teams count them: of those whom some team counts, before
    it or after.
    """
    worth, owned, found = Table(ground).worth, ground.lineups.owned, []
    counts = (moved.counting[0] > 0) | (moved.counting[1] > 0)
    for player, before in moved.step.before.items():
        points, index = (
            worth(player, moved.step.after[player]) - worth(player, before),
            ground.index.get(player),
        )
        if points and index is not None:
            found.append((player, points, int(((owned == index) & counts).any(axis=1).sum())))
    return sorted((one for one in found if one[2]), key=lambda one: (-abs(one[1]), one[0]))[
        :FOOTBALLERS
    ]


def _words(
    step: Step, credited: Collection[str], names: Mapping[str, str], corrected: Sequence[ev.Body]
) -> tuple[str, ...]:
    """The sentences of a step. `corrected`: what a correction took away."""
    return tuple(str(told(body, names, corrected)) for body in _told_of(step, credited))


def _told_of(step: Step, credited: Collection[str]) -> Sequence[ev.Body]:
    """What of a step is said: of a play its movements, where there is none its credits; else all.

    `credited`: who earned points by it; each of them is named.
    """
    if step.kind != "play":
        return step.bodies
    told: Sequence[ev.Body] = [body for body in step.bodies if not isinstance(body, ev.Snap)]
    for part in ("action", "credit"):
        if found := [body for body in step.bodies if body.part == part]:
            told = found
            break
    unnamed = set(credited).difference(*(ev.players_of(body) for body in told))
    return [
        body for body in step.bodies if body in told or unnamed.intersection(ev.players_of(body))
    ]


def _movers(
    ground: Ground, before: Numbers, after: Numbers, mine: int | None
) -> tuple[tuple[Mover, ...], int]:
    change, rank_before, rank = after - before, ranks(before), ranks(after)
    moved = np.flatnonzero(change)
    overtaken = (
        [mine] if mine is not None and not change[mine] and rank_before[mine] != rank[mine] else []
    )
    order = sorted(
        [*overtaken, *moved.tolist()],
        key=lambda place: (
            place != mine,
            -abs(int(change[place])),
            ground.teams[place].name,
            place,
        ),
    )[:MOVERS]
    return tuple(_mover(ground, place, change, after, rank_before, rank) for place in order), len(
        moved
    )


def _mover(
    ground: Ground, place: int, change: Numbers, after: Numbers, rank_before: Numbers, rank: Numbers
) -> Mover:
    team = ground.teams[place]
    return Mover(
        team.member_id,
        team.name,
        int(change[place]),
        int(after[place]),
        int(rank_before[place]),
        int(rank[place]),
    )
