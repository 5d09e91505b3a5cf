"""What the scorer most likely enters next: pure suggestions, each of which they can overrule.

Lives here: where the ball is within a play, and the next snap. Not here: scores (app/record/rules/state.py),
which events count (effective_events.py). Called by the console's page; nothing here is ever written to the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.record import events as ev
from scorer_console.effective_events import EffectiveEvent

KICKOFF_SPOT = 35
FREE_KICK_SPOT = 20
EXTRA_POINT_SPOT = 85
KICKOFF_TOUCHBACK = 25  # after a kickoff or a free kick
TOUCHBACK = 20  # after a punt, a missed field goal, a ball lost in the end zone
KICKOFF_OUT_OF_BOUNDS = 25  # yards beyond the spot of the kick
HOLDER_YARDS = 7  # a missed field goal is taken over where it was kicked
PERIOD_SECONDS = 900
OVERTIME_SECONDS = 600

Outcome = Literal["none", "going", "touchdown", "field_goal", "safety", "try_over"]
Situation = Literal["scrimmage", "kickoff", "free_kick", "try"]


@dataclass(frozen=True)
class Suggestion:
    """A snap to be. Yards from `possession`'s own goal line; `why` in a few words for the scorer.

    `check`: something happened that cannot be computed from the record; look before accepting.
    """

    possession: str
    spot: int
    period: int
    clock: int
    situation: Situation = "scrimmage"
    down: int | None = None
    distance: int | None = None
    why: str = ""
    check: bool = False

    def as_snap(self) -> ev.Snap:
        """The snap as it would be entered."""
        return ev.Snap(
            possession=self.possession,
            spot=self.spot,
            period=self.period,
            clock=self.clock,
            situation=self.situation,
            down=self.down,
            distance=self.distance,
        )


@dataclass(frozen=True)
class Ball:
    """Who has the ball, where (from that club's own goal line), and how the play stands.

    `turned`: the other side has had it since the snap. `outcome` "none": only snapped so far.
    `scorer` is the club that the outcome gives points to.
    """

    team: str
    yard: int
    player: str | None = None
    turned: bool = False
    outcome: Outcome = "none"
    scorer: str | None = None
    kick: str | None = None


def last_play(events: Sequence[EffectiveEvent], end: int | None = None) -> tuple[ev.Snap | None, list[ev.Body]]:
    """The last snap and everything of its play after it, in order; None before the first snap.

    `end`: how many of the events to look at, None for all.
    """
    count = len(events) if end is None else end
    for index in range(count - 1, -1, -1):
        snap = events[index].body
        if isinstance(snap, ev.Snap):
            play = events[index].play_number
            return snap, [event.body for event in events[index + 1 : count] if event.play_number == play]
    return None, []


def ball_after(snap: ev.Snap, action: Sequence[ev.Body], home: str, away: str) -> Ball:
    """Follows the ball through a play."""
    ball = Ball(snap.possession, snap.spot)
    for body in action:
        ball = _moved(ball, snap, body, home, away)
    return ball


def _moved(ball: Ball, snap: ev.Snap, body: ev.Body, home: str, away: str) -> Ball:
    def to(team: str, yard: int | None, player: str | None, touchdown: bool = False) -> Ball:
        at = (ball.yard if team == ball.team else 100 - ball.yard) if yard is None else yard
        return replace(
            ball,
            team=team,
            yard=at,
            player=player,
            turned=ball.turned or team != snap.possession,
            outcome="touchdown" if touchdown else "going",
            scorer=team if touchdown else None,
        )

    def other(team: str) -> str:
        return away if team == home else home

    match body:
        case ev.Pass(result="complete"):
            return to(body.team, body.reception_yard, body.receiver, body.is_touchdown)
        case ev.Pass(result="intercepted"):
            aim = body.throw_yard if body.reception_yard is None else body.reception_yard
            return to(other(body.team), 100 - aim, None)
        case ev.Pass():
            return to(body.team, snap.spot, body.passer)
        case ev.Run():
            return to(body.team, body.end_yard, body.player, body.is_touchdown)
        case ev.Sack():
            return to(body.team, body.end_yard, body.player)
        case ev.Fumble():
            return to(body.team, body.yard, body.player)
        case ev.Recovery() | ev.Interception():
            return to(body.team, body.yard, body.player, body.is_touchdown)
        case ev.Kick(kind="extra_point") | ev.Conversion():
            return replace(ball, outcome="try_over", scorer=snap.possession, kick=None)
        case ev.Kick(kind="field_goal", result="good"):
            return replace(ball, outcome="field_goal", scorer=body.team, kick="field_goal")
        case ev.Safety():
            return replace(ball, outcome="safety", scorer=body.team)
        case ev.Kick():
            team, yard = _kicked(snap, body, other(body.team))
            return replace(to(team, yard, None), kick=body.kind)
        case _:
            return ball


def _kicked(snap: ev.Snap, kick: ev.Kick, receivers: str) -> tuple[str, int]:
    """Who has the ball and where after the kick itself, before any return."""
    start = snap.spot if kick.start_yard is None else kick.start_yard
    place_kick = kick.kind in ("kickoff", "onside", "free_kick")
    if kick.kind == "field_goal":
        if kick.result == "missed":
            return receivers, max(TOUCHBACK, 100 - (start - HOLDER_YARDS))
        return receivers, 100 - start
    if kick.result == "touchback":
        return receivers, KICKOFF_TOUCHBACK if place_kick else TOUCHBACK
    if kick.result == "out_of_bounds" and place_kick:
        return receivers, max(1, 100 - start - KICKOFF_OUT_OF_BOUNDS)
    if kick.result == "aborted":
        return kick.team, start
    landed = start + (kick.distance or 0)
    return receivers, min(99, max(0, 100 - landed))


def next_snap(events: Sequence[EffectiveEvent], *, home: str, away: str) -> Suggestion:
    """The likeliest next snap after these standing events, in order of number.

    Worked example: 3rd and 4 at the own 30, a run to the own 36: first and 10 at the own 36;
    a run to the own 33 instead: 4th and 1; and short again: the other club has it, first and 10.
    """
    snap, action = last_play(events)
    period, clock, restart = _time(events)
    if snap is None:
        return Suggestion(home, KICKOFF_SPOT, period, clock, "kickoff", why="opening kickoff", check=True)
    if restart and period == 3:
        kicks = _second_half_kicker(events, home, away)
        return Suggestion(kicks, KICKOFF_SPOT, period, clock, "kickoff", why="second half")
    if restart and period >= 5:
        return Suggestion(home, KICKOFF_SPOT, period, clock, "kickoff", why="overtime", check=True)
    ball = ball_after(snap, action, home, away)
    found = _after(snap, ball, home, away)
    found = replace(found, period=period, clock=clock)
    return _penalised(found, snap, ball, action)


def _time(events: Sequence[EffectiveEvent]) -> tuple[int, int, bool]:
    """Period, clock, and whether a period has begun since the last snap."""
    ended: int | None = None
    for event in reversed(events):
        body = event.body
        if isinstance(body, ev.Snap):
            return (body.period, body.clock, False) if ended is None else (ended, 0, False)
        if isinstance(body, ev.Period) and body.phase == "start":
            return (body.period, period_seconds(body.period), True) if ended is None else (ended, 0, True)
        if isinstance(body, ev.Period) and ended is None:
            ended = body.period
    return (1, PERIOD_SECONDS, True) if ended is None else (ended, 0, True)


def period_seconds(period: int) -> int:
    return PERIOD_SECONDS if period <= 4 else OVERTIME_SECONDS


def _second_half_kicker(events: Sequence[EffectiveEvent], home: str, away: str) -> str:
    """The club that received the opening kickoff."""
    for event in events:
        if isinstance(event.body, ev.Snap) and event.body.situation == "kickoff":
            return away if event.body.possession == home else home
    return home


def _after(snap: ev.Snap, ball: Ball, home: str, away: str) -> Suggestion:
    def make(team: str, spot: int, situation: Situation, why: str) -> Suggestion:
        return Suggestion(team, spot, snap.period, snap.clock, situation, why=why)

    def first_down(team: str, spot: int, why: str) -> Suggestion:
        spot = max(1, min(99, spot))
        return replace(make(team, spot, "scrimmage", why), down=1, distance=min(10, 100 - spot))

    defence = away if snap.possession == home else home
    match ball.outcome:
        case "none":
            return replace(
                make(snap.possession, snap.spot, snap.situation, "nothing recorded since the snap"),
                down=snap.down,
                distance=snap.distance,
            )
        case "touchdown" if snap.situation != "try":
            return make(ball.scorer or ball.team, EXTRA_POINT_SPOT, "try", "touchdown")
        case "field_goal":
            return make(ball.scorer or ball.team, KICKOFF_SPOT, "kickoff", "field goal")
        case "safety" if snap.situation != "try":
            conceded = home if ball.scorer == away else away
            return make(conceded, FREE_KICK_SPOT, "free_kick", "safety")
    if snap.situation == "try":
        return make(snap.possession, KICKOFF_SPOT, "kickoff", "after the try")
    spot, why = ball.yard, ""
    if ball.turned and ball.yard <= 0:
        by_kick = ball.kick in ("kickoff", "onside", "free_kick")
        spot, why = (KICKOFF_TOUCHBACK if by_kick else TOUCHBACK), "touchback"
    if ball.turned or snap.situation != "scrimmage" or snap.down is None or snap.distance is None:
        if snap.situation == "scrimmage" and ball.turned and not why:
            why = "change of possession" if ball.team == defence else "first down, ball won back"
        return first_down(ball.team, spot, why or "first down")
    left = snap.spot + snap.distance - spot
    if left <= 0:
        return first_down(ball.team, spot, "first down")
    if snap.down == 4:
        return first_down(defence, 100 - spot, "turnover on downs")
    short = make(
        ball.team, max(1, spot), "scrimmage", f"{spot - snap.spot:+d} yards" if spot != snap.spot else "no gain"
    )
    return replace(short, down=snap.down + 1, distance=min(left, 100 - short.spot), check=spot <= 0)


def _penalised(found: Suggestion, snap: ev.Snap, ball: Ball, action: Sequence[ev.Body]) -> Suggestion:
    """Moves the suggestion for one simple accepted foul; always asks the scorer to look.

    Several fouls, kicks and changes of possession are left to the scorer.
    """
    fouls = [body for body in action if isinstance(body, ev.Penalty) and body.status != "declined"]
    if not fouls:
        return found
    found = replace(found, check=True, why="penalty")
    foul = fouls[0]
    if len(fouls) > 1 or foul.status != "accepted" or found.situation != "scrimmage":
        return found
    same_side = found.possession == snap.possession and not ball.turned
    if foul.outcome == "downfield" and found.down == 1:
        yards = -foul.yards if foul.team == found.possession else foul.yards
        spot = max(1, min(99, found.spot + yards))
        return replace(found, spot=spot, distance=min(10, 100 - spot))
    if not same_side or snap.down is None or snap.distance is None:
        return found
    replay = foul.outcome in ("nullify", "repeat_down") or (foul.outcome == "first_down" and ball.outcome == "none")
    yards = -foul.yards if foul.team == snap.possession else foul.yards
    spot = max(1, min(99, (snap.spot if replay else found.spot) + yards))
    left = snap.spot + snap.distance - spot
    if foul.outcome == "first_down" or (foul.team != snap.possession and left <= 0):
        return replace(found, spot=spot, down=1, distance=min(10, 100 - spot))
    if replay:
        return replace(found, spot=spot, down=snap.down, distance=left)
    if foul.outcome in ("downfield", "change_down") and found.down != 1:
        return replace(found, spot=spot, distance=left)
    return found


@dataclass(frozen=True)
class RecentPlayers:
    """Who did it last, by club: the likeliest player for the next entry."""

    passer: dict[str, str]
    runner: dict[str, str]
    place_kicker: dict[str, str]
    punter: dict[str, str]


def recent_players(events: Sequence[EffectiveEvent]) -> RecentPlayers:
    found = RecentPlayers({}, {}, {}, {})
    for event in events:
        match event.body:
            case ev.Pass(team=team, passer=str(who)):
                found.passer[team] = who
            case ev.Sack(team=team, player=str(who)):
                found.passer[team] = who
            case ev.Run(team=team, player=str(who), kind="rush"):
                found.runner[team] = who
            case ev.Kick(team=team, kicker=str(who), kind="punt"):
                found.punter[team] = who
            case ev.Kick(team=team, kicker=str(who)):
                found.place_kicker[team] = who
    return found
