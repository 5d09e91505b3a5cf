"""Drives and time of possession from the valid events of a game. Pure.

Which snaps make a drive, how it ended, what it gained. Downs are in downs.py, display is in
app/record/pages. Yards count from the goal line of the club in possession, as in the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.record import events as ev
from app.record.rules.order import in_order
from app.record.rules.stat_lines import Numbered, touchdown_of


@dataclass(frozen=True, slots=True)
class Snapped:
    """A play: its valid snap and its other valid events, in order."""

    number: int
    snap: ev.Snap
    events: tuple[tuple[int, ev.Body], ...]

    @property
    def half(self) -> int:
        """1 and 2; each overtime period is one of its own."""
        period = self.snap.period
        return (period + 1) // 2 if period <= ev.QUARTERS else period - 2

    @property
    def seconds(self) -> int:
        """Seconds of game time gone at the snap."""
        return self.snap.game_seconds_played

    @property
    def bodies(self) -> tuple[ev.Body, ...]:
        """The play's events without their numbers."""
        return tuple(body for _, body in self.events)

    @property
    def touchdown(self) -> ev.Pass | ev.Run | ev.Recovery | ev.Interception | None:
        """The movement that scored, if one did."""
        number = touchdown_of(self.events)
        return next((body for n, body in self.events if n == number), None)  # type: ignore[return-value]

    @property
    def kick(self) -> ev.Kick | None:
        """The play's kick, if there is one."""
        return next((body for body in self.bodies if isinstance(body, ev.Kick)), None)

    @property
    def lost_by(self) -> ev.Interception | ev.Recovery | None:
        """What gave the ball to the other club; None if it stayed or a kick gave it away."""
        if self.kick is not None:
            return None
        for body in self.bodies:
            if (
                isinstance(body, ev.Interception | ev.Recovery)
                and body.team != self.snap.possession
            ):
                return body
        return None

    @property
    def is_from_scrimmage(self) -> bool:
        """Whether it is a pass, a run or a sack that stands; kicks and nullified plays are not."""
        return self.snap.situation == "scrimmage" and any(
            isinstance(body, ev.Pass | ev.Sack) or (isinstance(body, ev.Run) and body.is_rush)
            for body in self.bodies
        )

    @property
    def end_yard(self) -> int:
        """Where the club that snapped last had the ball.

        Before a kick or a turnover, else at the end of the play.
        """
        yard = self.snap.spot
        for body in self.bodies:
            match body:
                case ev.Kick() | ev.Interception():
                    break
                case ev.Recovery() if body.team != self.snap.possession:
                    break
                case ev.Run() | ev.Sack() if body.team == self.snap.possession:
                    yard = body.end_yard
                case ev.Pass(result="complete") if body.team == self.snap.possession:
                    yard = yard if body.reception_yard is None else body.reception_yard
        return yard


@dataclass(frozen=True, slots=True)
class Drive:
    """A club's possession.

    `plays` counts passes, runs and sacks; `yards` is net, penalties included. `seconds`: game time
    until the ball was put in play again. `result`: see RESULTS.
    """

    number: int
    club: str
    period: int
    clock: int
    start_yard: int
    end_yard: int
    plays: int
    yards: int
    seconds: int
    result: str
    first_play: int
    last_play: int


RESULTS = {
    "touchdown": "Touchdown",
    "field_goal": "Field goal",
    "missed": "Missed field goal",
    "blocked": "Blocked kick",
    "punt": "Punt",
    "interception": "Interception",
    "fumble": "Fumble lost",
    "safety": "Safety",
    "downs": "Turnover on downs",
    "half": "End of half",
    "game": "End of game",
    "open": "In progress",
}


def snapped(events: Iterable[Numbered]) -> list[Snapped]:
    """The plays with a valid snap, in the order of the game (order.py)."""
    plays: dict[int, list[tuple[int, ev.Body]]] = {}
    for number, play_number, body in in_order(events):
        plays.setdefault(play_number, []).append((number, body))
    snapped_plays = []
    for number, play in plays.items():
        snap = next((body for _, body in play if isinstance(body, ev.Snap)), None)
        if snap is not None:
            after = tuple((n, body) for n, body in play if not isinstance(body, ev.Snap))
            snapped_plays.append(Snapped(number, snap, after))
    return snapped_plays


def drives(plays: Sequence[Snapped], *, is_over: bool) -> list[Drive]:
    """The drives in order. `is_over`: the game has ended, so the last drive has ended too.

    A drive ends with a score, a kick or a turnover, even if the same club snaps next.
    """
    groups: list[list[Snapped]] = []
    fresh = True
    for play in plays:
        if play.snap.situation != "scrimmage":
            fresh = True
            continue
        last = groups[-1][-1] if groups else None
        if (
            fresh
            or last is None
            or last.snap.possession != play.snap.possession
            or last.half != play.half
        ):
            groups.append([])
        groups[-1].append(play)
        fresh = ends(play)
    return [
        _drive(number, group, plays, is_over=is_over)
        for number, group in enumerate(groups, start=1)
    ]


def ends(play: Snapped) -> bool:
    """Whether the drive is over with the play: a score, a kick or a loss of the ball."""
    safety = any(isinstance(body, ev.Safety) for body in play.bodies)
    kicked = play.kick is not None and play.kick.result != "aborted"
    return bool(play.touchdown) or safety or kicked or play.lost_by is not None


def _drive(
    number: int, group: Sequence[Snapped], plays: Sequence[Snapped], *, is_over: bool
) -> Drive:
    first, last = group[0], group[-1]
    after = next((play for before, play in pairwise(plays) if before is last), None)
    result = _result(last, after, is_over=is_over)
    if after is not None and after.half == last.half:
        end = after.seconds
    elif after is not None or is_over:
        end = _end_of_half(last)
    else:
        end = last.seconds
    return Drive(
        number=number,
        club=first.snap.possession,
        period=first.snap.period,
        clock=first.snap.clock,
        start_yard=first.snap.spot,
        end_yard=last.end_yard,
        plays=sum(play.is_from_scrimmage for play in group),
        yards=last.end_yard - first.snap.spot,
        seconds=max(0, end - first.seconds),
        result=result,
        first_play=first.number,
        last_play=last.number,
    )


def _end_of_half(play: Snapped) -> int:
    """Seconds played when the half of the play was over.

    An overtime period is over with its last snap.
    """
    if play.snap.period > ev.QUARTERS:
        return play.seconds
    return ev.PERIOD_SECONDS * 2 * play.half


def _result(last: Snapped, after: Snapped | None, *, is_over: bool) -> str:
    club, scored = last.snap.possession, last.touchdown
    if scored is not None and scored.team == club:
        return "touchdown"
    if any(isinstance(body, ev.Safety) and body.team != club for body in last.bodies):
        return "safety"
    if last.lost_by is not None:
        return "interception" if isinstance(last.lost_by, ev.Interception) else "fumble"
    if last.kick is not None and last.kick.result != "aborted":
        return _kick_result(last.kick)
    if after is None:
        return "game" if is_over else "open"
    return "half" if after.half != last.half else "downs"


def _kick_result(kick: ev.Kick) -> str:
    if kick.kind == "field_goal":
        return {"good": "field_goal", "blocked": "blocked"}.get(kick.result, "missed")
    return "blocked" if kick.result == "blocked" else "punt"


def drive_of_plays(drive_list: Iterable[Drive], plays: Iterable[int]) -> dict[int, int]:
    """The number of the drive by play number; kickoffs and tries belong to none.

    `plays`: the numbers of all plays in the order of the game, including those without a valid
    snap.
    """
    numbers = list(dict.fromkeys(plays))
    place = {number: index for index, number in enumerate(numbers)}
    return {
        number: drive.number
        for drive in drive_list
        for number in numbers[place[drive.first_play] : place[drive.last_play] + 1]
    }


def time_of_possession(
    plays: Sequence[Snapped],
    clubs: tuple[str, str],
    *,
    is_over: bool,
    quarter_seconds: int = ev.PERIOD_SECONDS,
    overtime_seconds: int = 0,
) -> dict[str, int]:
    """Seconds by club: from each snap to the next in its period, for the club in possession.

    They add up to the time played. A kickoff's time belongs to the receivers. The time from the
    start of a period to its first snap belongs to the club that has the ball then: a drive
    continues over the end of a quarter. The time after the last snap of a period belongs to that
    snap's club, once the next period has begun or the game is over; a game that overtime decides
    ends with its last snap. `overtime_seconds`: 0 if overtime has no clock.
    """
    seconds = dict.fromkeys(clubs, 0)
    before: Snapped | None = None
    elapsed = 0  # the most seconds at a snap so far: a clock that was set back counts once
    for play, after in pairwise([*plays, None]):
        assert play is not None
        club = play.snap.possession
        if play.snap.situation in ("kickoff", "free_kick"):
            club = clubs[1] if club == clubs[0] else clubs[0]
        length = quarter_seconds if play.snap.period <= ev.QUARTERS else overtime_seconds
        elapsed = max(elapsed, play.seconds)
        if club in seconds:
            if before is None or before.snap.period != play.snap.period:
                seconds[club] += max(0, length - play.snap.clock)
            seconds[club] += _held(play, after, elapsed, is_over=is_over, is_timed=length > 0)
        before = play
    return seconds


def _held(
    play: Snapped, after: Snapped | None, elapsed: int, *, is_over: bool, is_timed: bool
) -> int:
    """Seconds from a snap to the next one, or to the end of its period.

    `elapsed`: what had been played at the snap.
    """
    if after is not None and after.snap.period == play.snap.period:
        return max(0, after.seconds - elapsed)
    has_run_out = after is not None or (is_over and play.snap.period <= ev.QUARTERS)
    return play.snap.clock - (elapsed - play.seconds) if has_run_out and is_timed else 0
