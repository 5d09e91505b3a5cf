"""Where the ball is within a play: from the snap through every movement. Pure.

What comes after the play is in situation.py, fouls are in enforcement.py. The browser follows the
ball by the same rules (static/js/console/rules/ball.js, tests/js/examples).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook

HOLDER_YARDS = 7  # from the snap back to the kick of a field goal whose length is unknown
GOAL_POSTS = 10  # behind the goal line: the length of a field goal counts them
PLACE_KICKS = ("kickoff", "onside", "free_kick")

Outcome = Literal["none", "going", "touchdown", "field_goal", "safety", "try_over"]


@dataclass(frozen=True)
class Ball:
    """Who has the ball, where (from that club's own goal line), and how the play stands.

    `turned`: the other side has had it since the snap. `outcome` "none": only snapped so far.
    `scorer`: the club that the outcome gives points to. `unsure`: the record does not say where the
    ball lies. `impetus`: the club whose run, pass, kick or fumble sent the ball where it is, which
    decides between a safety and a touchback (NFL rules 3-17 and 11-5-1). `is_loose`: fumbled and
    not recovered. `is_blocked`: a kick was blocked and nobody has recovered it. `is_dead`: by rule,
    so a later run moves nothing. `landed`: where a kickoff came down first.
    """

    team: str
    yard: int
    player: str | None = None
    turned: bool = False
    outcome: Outcome = "none"
    scorer: str | None = None
    kick: str | None = None
    unsure: bool = False
    impetus: str | None = None
    is_loose: bool = False
    is_blocked: bool = False
    is_dead: bool = False
    landed: str | None = None


@dataclass(frozen=True)
class Play:
    """A play so far: its snap, the later events in order, and where they leave the ball."""

    snap: ev.Snap
    action: Sequence[ev.Body]
    ball: Ball


def ball_after(
    snap: ev.Snap, action: Sequence[ev.Body], home: str, away: str, book: Rulebook
) -> Ball:
    """The ball after these movements of a play."""
    ball = Ball(snap.possession, snap.spot)
    for body in action:
        ball = _after_movement(ball, snap, body, (home, away), book)
    return ball


def _after_movement(
    ball: Ball, snap: ev.Snap, body: ev.Body, clubs: tuple[str, str], book: Rulebook
) -> Ball:
    match body:
        case ev.Pass():
            result = _after_pass(ball, snap, body, clubs)
        case ev.Run():
            result = _after_run(ball, snap, body)
        case ev.Sack():
            moved = _move(ball, snap, body.team, body.end_yard)
            result = replace(moved, player=body.player, impetus=body.team)
        case ev.Fumble():
            result = _after_fumble(ball, snap, body, clubs, book)
        case ev.Recovery() | ev.Interception():
            moved = _move(ball, snap, body.team, body.yard, touchdown=body.is_touchdown)
            result = _secured(ball, replace(moved, player=body.player), snap, body, book)
        case ev.Kick(kind="extra_point") | ev.Conversion():
            result = replace(ball, outcome="try_over", scorer=snap.possession, kick=None)
        case ev.Safety():
            result = replace(ball, outcome="safety", scorer=body.team, unsure=False)
        case ev.Kick(kind="field_goal", result="good"):
            result = replace(ball, outcome="field_goal", scorer=body.team, kick="field_goal")
        case ev.Kick():
            result = _after_kick(ball, snap, body, _other(body.team, clubs), book)
        case _:
            result = ball
    return result


def _move(
    ball: Ball, snap: ev.Snap, team: str, yard: int | None, *, touchdown: bool = False
) -> Ball:
    """The ball with `team`, in nobody's hands yet; without a yard it stays where it is."""
    return replace(
        ball,
        team=team,
        yard=_seen(ball, team) if yard is None else yard,
        player=None,
        turned=ball.turned or team != snap.possession,
        outcome="touchdown" if touchdown else "going",
        scorer=team if touchdown else None,
        is_loose=False,
    )


def _other(team: str, clubs: tuple[str, str]) -> str:
    home, away = clubs
    return away if team == home else home


def _after_pass(ball: Ball, snap: ev.Snap, thrown: ev.Pass, clubs: tuple[str, str]) -> Ball:
    if thrown.result == "complete":
        moved = _move(ball, snap, thrown.team, thrown.reception_yard, touchdown=thrown.is_touchdown)
        return replace(moved, player=thrown.receiver, impetus=thrown.team)
    if thrown.result == "intercepted":
        aim = thrown.throw_yard if thrown.reception_yard is None else thrown.reception_yard
        moved = _move(ball, snap, _other(thrown.team, clubs), 100 - aim)
        return replace(moved, impetus=thrown.team)
    return replace(_move(ball, snap, thrown.team, snap.spot), player=thrown.passer)


def _after_run(ball: Ball, snap: ev.Snap, run: ev.Run) -> Ball:
    if ball.is_dead and not run.is_touchdown:
        return ball
    moved = _move(ball, snap, run.team, run.end_yard, touchdown=run.is_touchdown)
    # How deep in the end zone the ball was caught is an estimate, and so is the end of the return.
    unsure = ball.unsure or (run.kind == "return" and run.start_yard <= 0)
    if run.kind == "after_recovery" and run.start_yard != run.end_yard:
        unsure = False  # where it was recovered may be a guess, where it was brought to is not
    return replace(moved, player=run.player, unsure=unsure, impetus=_impetus_of_run(ball, run))


def _after_fumble(
    ball: Ball, snap: ev.Snap, fumble: ev.Fumble, clubs: tuple[str, str], book: Rulebook
) -> Ball:
    if fumble.out_of_bounds and ev.GOAL_LINE in (fumble.yard, fumble.out_yard):
        # Through the far end zone: a touchback for the club that defends it.
        moved = _move(ball, snap, _other(fumble.team, clubs), 0)
        return replace(moved, impetus=fumble.team)
    lost = replace(_move(ball, snap, fumble.team, fumble.yard), player=fumble.player)
    lost = replace(lost, impetus=_impetus_of_fumble(ball, lost))
    if not fumble.out_of_bounds:
        return replace(lost, is_loose=True)
    if fumble.out_yard is None:
        # A muff is noted where it went out.
        return replace(lost, unsure=ball.unsure or not _is_muff(ball, lost))
    return replace(lost, yard=_returned_fumble(lost.yard, fumble.out_yard, book))


def _returned_fumble(lost_at: int, out_at: int, book: Rulebook) -> int:
    """Where a fumble that went out of bounds between the goal lines comes back.

    Behind the fumble where it went out, ahead of it at the spot of the fumble: NFL 8-7-3, NCAA
    7-2-4-b, NFHS 4-3-1 exception since 2025.
    """
    is_brought_back = out_at > lost_at and book.forward_fumble_out == "fumble"
    return lost_at if is_brought_back else out_at


def _after_kick(ball: Ball, snap: ev.Snap, kick: ev.Kick, receivers: str, book: Rulebook) -> Ball:
    team, yard = _kicked(snap, kick, receivers, book)
    moved = _move(ball, snap, team, yard)
    return replace(
        moved,
        kick=kick.kind,
        # A loose ball lies where somebody recovers it, not where the kick came down.
        unsure=kick.result in ("blocked", "recovered") or _is_length_needed(kick),
        impetus=kick.team,
        is_blocked=kick.result == "blocked",
        landed=_landed(snap, kick, book),
        is_dead=book.kick_dead_in_end_zone and moved.yard <= 0,
    )


def _secured(
    ball: Ball, secured: Ball, snap: ev.Snap, body: ev.Recovery | ev.Interception, book: Rulebook
) -> Ball:
    """The ball after a recovery or an interception, and what the rules make of it."""
    is_recovery = isinstance(body, ev.Recovery)
    # A loose ball seldom lies where it was lost: that spot was likely just taken over.
    is_same_spot = is_recovery and secured.yard == _lost_at(ball, snap, body.team)
    kicked = ball.kick is not None and is_recovery
    secured = replace(
        secured, unsure=(ball.unsure and not kicked) or body.yard is None or is_same_spot
    )
    if ball.is_blocked:
        if (
            body.team == snap.possession
            and secured.yard > snap.spot
            and secured.outcome != "touchdown"
        ):
            # Beyond the line it is a kick like any other, which the kickers do not keep (NFL rule
            # 9), unless the other club had touched it there.
            return replace(
                secured,
                team=ball.team,
                yard=100 - secured.yard,
                player=None,
                turned=True,
                unsure=True,
                is_dead=True,
            )
        # A kick that was stopped behind the line is no change of possession: the down counts (NFL
        # rule 9).
        return replace(
            secured, is_blocked=False, turned=ball.turned and body.team != snap.possession
        )
    if secured.outcome == "touchdown" or not is_recovery:
        return secured
    if (
        ball.is_loose
        and body.team == ball.team
        and body.player != ball.player
        and _is_fumble_held(ball, snap, book)
    ):
        return replace(secured, yard=min(secured.yard, ball.yard), is_dead=True)
    # The kickers may recover their kick, not advance it (NFL rules 6 and 9).
    is_own_kick = (
        ball.kick is not None and body.team == snap.possession and ball.impetus == body.team
    )
    return replace(secured, is_dead=is_own_kick and not ball.is_loose)


def _is_fumble_held(ball: Ball, snap: ev.Snap, book: Rulebook) -> bool:
    """Whether a team-mate's recovery of this fumble does not advance the ball.

    NFL 8-7-5 on fourth down, 8-7-6 after the two-minute warning; NCAA 7-2-2-a on fourth down alone.
    """
    on_fourth = (
        book.fourth_down_fumbles
        and snap.situation == "scrimmage"
        and snap.down == ev.LAST_DOWN
        and not ball.turned
    )
    return on_fourth or (0 < book.late_fumbles >= snap.clock and book.is_late(snap.period))


def _impetus_of_run(ball: Ball, run: ev.Run) -> str:
    """The club whose impetus it is.

    A run that starts and ends behind its goal line sends the ball nowhere.
    """
    if run.end_yard <= 0 and (run.start_yard <= 0 or run.start_yard == run.end_yard):
        return ball.impetus or run.team
    # A muff is recorded as a return of no yards and a fumble: the kick goes on.
    if run.kind == "return" and run.start_yard == run.end_yard:
        return ball.impetus or run.team
    return run.team


def _impetus_of_fumble(ball: Ball, lost: Ball) -> str:
    is_behind = lost.yard <= 0
    return (ball.impetus or lost.team) if is_behind or _is_muff(ball, lost) else lost.team


def _is_muff(ball: Ball, lost: Ball) -> bool:
    return ball.kick is not None and ball.impetus != lost.team


def _seen(ball: Ball, team: str) -> int:
    return ball.yard if team == ball.team else 100 - ball.yard


def _lost_at(ball: Ball, snap: ev.Snap, team: str) -> int:
    """Where the ball came loose, which is proposed for its recovery: of a block, the line."""
    if not ball.is_blocked:
        return _seen(ball, team)
    return snap.spot if team == snap.possession else 100 - snap.spot


def _is_length_needed(kick: ev.Kick) -> bool:
    lands = kick.result in ("returned", "fair_catch", "downed", "recovered") or (
        kick.result == "out_of_bounds" and kick.kind not in PLACE_KICKS
    )
    return lands and kick.distance is None


def _kicked(snap: ev.Snap, kick: ev.Kick, receivers: str, book: Rulebook) -> tuple[str, int]:
    """Who has the ball and where after the kick itself, before any return.

    A spot behind their goal line is negative.
    """
    start = snap.spot if kick.start_yard is None else kick.start_yard
    if kick.result == "aborted":
        return kick.team, start
    if kick.kind == "field_goal":
        return receivers, _missed(start, kick, book)
    landed = min(99, max(-10, 100 - start - (kick.distance or 0)))
    if kick.kind in PLACE_KICKS and _is_placed(kick, landed, book):
        beyond = book.free_kick_out_of_bounds if kick.kind == "free_kick" else 0
        return receivers, max(1, 100 - start - (beyond or book.kickoff_out_of_bounds))
    if kick.result == "touchback":
        return receivers, touchback_of(kick.kind, kick.landed, book)
    is_known = kick.kind in PLACE_KICKS and kick.distance is not None
    if is_known and kick.result == "fair_catch" and landed <= book.kickoff_fair_catch:
        return receivers, book.kickoff_touchback
    return receivers, landed


def _is_placed(kick: ev.Kick, landed: int, book: Rulebook) -> bool:
    """Whether a kickoff or safety kick goes to the receivers at a fixed spot.

    Out of bounds, or short of the landing zone: NFL rule 6 since 2024 treats a kick that comes down
    short as out of bounds.
    """
    if kick.result == "out_of_bounds" or not book.landing_zone:
        return kick.result == "out_of_bounds"
    is_short = (
        kick.result in ("downed", "fair_catch")
        and kick.distance is not None
        and landed > book.landing_zone
    )
    return kick.landed == "short" or (is_short and kick.kind != "onside")


def _landed(snap: ev.Snap, kick: ev.Kick, book: Rulebook) -> str | None:
    """Where a kickoff came down first.

    One that was fielded or muffed in the landing zone came down there.
    """
    if kick.landed or kick.kind not in PLACE_KICKS or kick.distance is None:
        return kick.landed
    start = snap.spot if kick.start_yard is None else kick.start_yard
    return "landing_zone" if 0 < 100 - start - kick.distance <= book.landing_zone else None


def touchback_of(kick: str | None, landed: str | None, book: Rulebook) -> int:
    """Where the ball is put in play after a touchback of that kick.

    `kick` is None after a fumble or an interception.
    """
    if kick not in PLACE_KICKS:
        return book.touchback
    return (
        book.kickoff_landing_touchback
        if book.landing_zone and landed == "landing_zone"
        else book.kickoff_touchback
    )


def _missed(start: int, kick: ev.Kick, book: Rulebook) -> int:
    """Where the other club takes over a field goal that was missed or blocked."""
    spot = 100 - start
    if book.missed_field_goal == "touchback" and kick.result == "missed":
        return book.touchback
    if book.missed_field_goal == "kick":
        spot = spot + HOLDER_YARDS if kick.distance is None else kick.distance - GOAL_POSTS
    return min(99, max(book.touchback if kick.result == "missed" else 1, spot))
