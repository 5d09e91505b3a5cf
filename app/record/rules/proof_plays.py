"""Checks of one play, and from one play to the next. Pure; used by proof.py.

The clock, the snap that follows, penalties, the ball within a play, and matching credits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from app.record import events as ev
from app.record.rules.football.ball import GOAL_POSTS, ball_after
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.situation import next_snap
from app.record.rules.football.suggestion import Standing, Suggestion
from app.record.rules.misplaced import fault, misplaced
from app.record.words import clock_words, distance, down_and_distance, period_words, spot

Kind = Literal[
    "clock",
    "next snap",
    "situation",
    "yards",
    "credit",
    "goal line",
    "nothing",
    "score",
    "timeouts",
    "totals",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that does not balance.

    `play_number` 0: the game as a whole. `cause`: the likely one, and what to do.
    """

    kind: Kind
    play_number: int
    what: str
    cause: str


@dataclass(frozen=True, slots=True)
class Play:
    """A snap and the valid events of its play. `place`: of the snap in the order of the game.

    `is_over`: something has come after it, so nothing of it is still to be entered.
    """

    number: int
    place: int
    snap: ev.Snap
    bodies: tuple[ev.Body, ...]
    is_over: bool

    @property
    def fouls(self) -> list[ev.Penalty]:
        """The fouls that were not declined."""
        return [
            body
            for body in self.bodies
            if isinstance(body, ev.Penalty) and body.status != "declined"
        ]


@dataclass(frozen=True, slots=True)
class Clubs:
    """The clubs of a game."""

    home: str
    away: str

    def other(self, club: str) -> str:
        """The other club."""
        return self.away if club == self.home else self.home

    def at(self, club: str, yard: int) -> str:
        """A spot of the club in words."""
        return spot(club, yard, self.other(club))


def findings(
    before: Sequence[Standing], last: Play | None, play: Play, clubs: Clubs, book: Rulebook
) -> Iterator[Finding]:
    """The findings of a play and of the transition to it.

    `before`: everything valid before its snap; `last`: the play before it.
    """
    if last is not None:
        yield from _clock(last, play, book)
        yield from _nothing(last)
        yield from _snap(before, last, play, clubs, book)
    yield from _impossible(play)
    yield from _ball(play)
    if play.is_over:
        yield from _credits(play)
        yield from _goal_line(play)


def _clock(before: Play, play: Play, book: Rulebook) -> Iterator[Finding]:
    """The clock runs down within a period, and periods follow each other."""
    old, new = before.snap, play.snap
    if new.period < old.period:
        yield Finding(
            "clock",
            play.number,
            f"{period_words(new.period)} after {period_words(old.period)}",
            "the period of one of the two snaps is wrong, or the play is in the wrong place",
        )
    elif new.period == old.period and new.clock > old.clock:
        yield Finding(
            "clock",
            play.number,
            f"the clock goes up from {clock_words(old.clock)} to {clock_words(new.clock)}",
            f"a typo in one of the two clocks, or play {play.number} is in the wrong place",
        )
    if new.period <= ev.QUARTERS and new.clock > book.period:
        yield Finding(
            "clock",
            play.number,
            f"{clock_words(new.clock)} on a clock that begins at {clock_words(book.period)}",
            "a typo in the snap's clock",
        )


def _nothing(play: Play) -> Iterator[Finding]:
    idle = (
        ev.Timeout,
        ev.Challenge,
        ev.Period,
        ev.Scoreboard,
        ev.GameStatus,
        ev.Delay,
        ev.Tackle,
        ev.Credit,
    )
    if all(isinstance(body, idle) for body in play.bodies):
        yield Finding(
            "nothing",
            play.number,
            "nothing is recorded between this snap and the next",
            "the play was forgotten, or undone without its snap: enter it, or undo the snap too",
        )


def _snap(
    before: Sequence[Standing], last: Play, play: Play, clubs: Clubs, book: Rulebook
) -> Iterator[Finding]:
    """The snap is the one that follows from the plays before it, by the rulebook."""
    proposed, entered = next_snap(before, home=clubs.home, away=clubs.away, book=book), play.snap
    if _is_equal(proposed, entered):
        return
    if proposed.check:
        yield from _walked(last, play, clubs, book)
        return
    yield Finding(
        "next snap",
        play.number,
        f"{_words(entered, clubs)}; the plays before it lead to "
        f"{_words(proposed.as_snap(), clubs)}",
        _snap_cause(proposed, last, entered),
    )


def _walked(last: Play, play: Play, clubs: Clubs, book: Rulebook) -> Iterator[Finding]:
    """After a walked-off foul, the ball moved that far from the snap or a known spot."""
    fouls = [foul for foul in last.fouls if foul.status == "accepted"]
    was, entered = last.snap, play.snap
    goes_on = (was.situation, was.possession) == (
        entered.situation,
        entered.possession,
    ) and entered.situation == "scrimmage"
    if not fouls or not goes_on:
        return
    ball = ball_after(was, last.bodies, clubs.home, clubs.away, book)
    if ball.turned or ball.unsure or any(isinstance(body, ev.Kick) for body in last.bodies):
        return
    spots = {
        was.spot,
        ball.yard,
        *(foul.enforcement_yard for foul in fouls if foul.enforcement_yard is not None),
    }
    for body in last.bodies:
        spots |= {
            yard
            for name in ("reception_yard", "end_yard", "yard")
            if isinstance(yard := getattr(body, name, None), int)
        }
    walk = sum(-foul.yards if foul.team == was.possession else foul.yards for foul in fouls)
    if entered.spot in {max(1, min(99, spot + walk)) for spot in spots}:
        return
    nearest = min(spots, key=lambda spot: (abs(spot + walk - entered.spot), spot))
    yield Finding(
        "yards",
        play.number,
        f"{clubs.at(entered.possession, entered.spot)} is not {abs(walk)} penalty yards from any "
        f"spot of play {last.number}",
        f"the penalty was {abs(entered.spot - nearest)} yards, or walked off from a spot that is "
        "not recorded",
    )


def _is_equal(proposed: Suggestion, entered: ev.Snap) -> bool:
    return (proposed.possession, proposed.spot, proposed.down, proposed.distance) == (
        entered.possession,
        entered.spot,
        entered.down,
        entered.distance,
    )


def _words(snap: ev.Snap, clubs: Clubs) -> str:
    return f"{down_and_distance(snap)}, {snap.possession} at {clubs.at(snap.possession, snap.spot)}"


def _snap_cause(proposed: Suggestion, last: Play, entered: ev.Snap) -> str:
    before = f"play {last.number}"
    if proposed.situation != entered.situation:
        if entered.situation == "try":
            return f"the touchdown of {before} is not marked as one"
        if proposed.situation == "try":
            return (
                f"the try after the touchdown of {before} is missing, or {before} is no touchdown"
            )
        return f"a play between {before} and this one is missing, or {before} ended differently"
    if proposed.possession != entered.possession:
        return f"{before} lacks a change of possession (or has one too many), or a play is missing"
    if proposed.spot != entered.spot:
        gap = entered.spot - proposed.spot
        walk = (
            f"a penalty of {abs(gap)} yards is missing"
            if abs(gap) in (5, 10, 15)
            else "its end yard is wrong"
        )
        return (
            f"{distance(abs(gap))} {'further on' if gap > 0 else 'back'}: {before}: {walk}, or the "
            "spot of this snap is"
        )
    return "the down or distance of this snap is a typo, or an earlier play or penalty is missing"


def _impossible(play: Play) -> Iterator[Finding]:
    """No action is in a play that cannot have it; it counts for nothing."""
    for body in misplaced([play.snap, *play.bodies]):
        what, _, remedy = fault(body, play.snap.situation).rstrip(".").partition(": ")
        yield Finding("situation", play.number, f"{what[0].lower()}{what[1:]}", remedy)


def _ball(play: Play) -> Iterator[Finding]:
    """Each movement begins where the one before it ended.

    A field goal is as long as its snap says.
    """
    at: int | None = play.snap.spot  # None: a loose ball, which may lie anywhere
    for body in play.bodies:
        match body:
            case ev.Run(kind="rush" | "scramble" | "kneel" | "after_catch") | ev.Sack() if (
                at is not None and body.start_yard != at
            ):
                yield Finding(
                    "yards",
                    play.number,
                    f"a movement begins at yard {body.start_yard}, where the ball was at {at}",
                    "a typo in one of the two, or a movement between them is missing",
                )
            case ev.Kick(kind="field_goal", distance=int(length)):
                least = 100 - play.snap.spot + GOAL_POSTS
                if not least + 5 <= length <= least + 10:
                    yield Finding(
                        "yards",
                        play.number,
                        f"a field goal from {length} yards, snapped {100 - play.snap.spot} yards "
                        "from the goal line",
                        "its length counts from the kick to the posts: about 17 or 18 yards more "
                        "than from the snap",
                    )
        match body:
            case ev.Pass(result="complete", reception_yard=int(yard)):
                at = yard
            case ev.Run() | ev.Sack():
                at = body.end_yard
            case ev.Fumble() | ev.Recovery() | ev.Interception() | ev.Kick():
                at = None


def _credits(play: Play) -> Iterator[Finding]:
    """What one side lost on the play the other side has, and a throw has its end."""
    throws = [body for body in play.bodies if isinstance(body, ev.Pass)]
    picks = [body for body in play.bodies if isinstance(body, ev.Interception)]
    thrown = sum(body.result == "intercepted" for body in throws)
    if thrown != len(picks) and play.snap.situation != "try":
        yield Finding(
            "credit",
            play.number,
            f"{thrown} passes intercepted, {len(picks)} interceptions made",
            "the throw is not marked as intercepted, or the interceptor is not recorded",
        )
    runs = [body for body in play.bodies if isinstance(body, ev.Run)]
    if any(body.kind == "after_catch" for body in runs) and not any(
        body.result == "complete" for body in throws
    ):
        yield Finding(
            "credit",
            play.number,
            "a run after the catch without a catch",
            "the pass is missing, or not complete",
        )
    if any(body.kind == "after_recovery" for body in runs) and not any(
        isinstance(body, ev.Recovery) for body in play.bodies
    ):
        yield Finding(
            "credit", play.number, "a run after a recovery without one", "the recovery is missing"
        )
    starts = [body for body in play.bodies if _starts_a_play(body)]
    if len(starts) > 1:
        yield Finding(
            "credit",
            play.number,
            f"{' and '.join(f'a {ev.type_of(body)}' for body in starts)} on one play",
            "only one of them started it: strike the others out, or the snap of the next play is "
            "missing",
        )


def _starts_a_play(body: ev.Body) -> bool:
    """Whether only the snap can come before it, or a fumble of the snap."""
    match body:
        case ev.Run():
            return body.is_rush
        case ev.Conversion():
            return body.side == "offence"
        case _:
            return isinstance(body, ev.Pass | ev.Sack | ev.Kick)


def _goal_line(play: Play) -> Iterator[Finding]:
    """A touchdown ends in the end zone, and what ends there with the ball is one."""
    scored = [body for body in play.bodies if getattr(body, "is_touchdown", False)]
    moves = [
        body
        for body in play.bodies
        if isinstance(body, ev.Run | ev.Pass | ev.Recovery | ev.Interception)
    ]
    for body in scored:
        end = (
            getattr(body, "end_yard", None)
            or getattr(body, "reception_yard", None)
            or getattr(body, "yard", None)
        )
        if isinstance(body, ev.Run | ev.Pass) and end != ev.GOAL_LINE:
            yield Finding(
                "goal line",
                play.number,
                f"a touchdown that ends at yard {end}",
                "its end yard is wrong, or it is no touchdown",
            )
    if not scored and moves and play.snap.situation != "try":
        last = moves[-1]
        if isinstance(last, ev.Run) and last.end_yard == ev.GOAL_LINE and not play.fouls:
            yield Finding(
                "goal line",
                play.number,
                "a run into the end zone without a touchdown",
                "it is not marked as one",
            )
