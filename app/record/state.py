"""Score and situation of a game from its valid events. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from app.record import events as ev

TOUCHDOWN = 6
FIELD_GOAL = 3
EXTRA_POINT = 1
TWO_POINTS = 2

Status = Literal["scheduled", "live", "ended", "final"]


@dataclass(frozen=True)
class ScoringPlay:
    """Points that `team` scored by an event; one touchdown a play, whichever movement carries the flag."""

    event_number: int
    play_number: int
    team: str
    kind: Literal["touchdown", "field_goal", "extra_point", "conversion", "safety"]
    points: int


@dataclass(frozen=True)
class GameState:
    """Where the game stands. Spots from the own goal line of the team in possession; clock in seconds left.

    `home_periods` and `away_periods`: points by period, in order; overtime periods follow the fourth.
    The situation is that of the last snap, None before the first one.
    """

    status: Status = "scheduled"
    home: str | None = None
    away: str | None = None
    home_score: int = 0
    away_score: int = 0
    home_periods: tuple[int, ...] = ()
    away_periods: tuple[int, ...] = ()
    period: int | None = None
    clock: int | None = None
    possession: str | None = None
    spot: int | None = None
    down: int | None = None
    distance: int | None = None
    situation: str | None = None
    play_number: int = 0
    last_event_number: int = 0


def scoring_plays(events: Iterable[tuple[int, int, ev.Body]]) -> list[ScoringPlay]:
    """All points of the game, in order of event number. `events`: (event number, play number, body)."""
    found: list[ScoringPlay] = []
    touchdowns: set[int] = set()
    for number, play, body in events:
        match body:
            case ev.Pass() | ev.Run() | ev.Recovery() | ev.Interception() if body.is_touchdown:
                if play not in touchdowns:
                    touchdowns.add(play)
                    found.append(ScoringPlay(number, play, body.team, "touchdown", TOUCHDOWN))
            case ev.Kick(kind="field_goal", result="good"):
                found.append(ScoringPlay(number, play, body.team, "field_goal", FIELD_GOAL))
            case ev.Kick(kind="extra_point", result="good"):
                found.append(ScoringPlay(number, play, body.team, "extra_point", EXTRA_POINT))
            case ev.Conversion(good=True):
                found.append(ScoringPlay(number, play, body.team, "conversion", TWO_POINTS))
            case ev.Safety():
                found.append(ScoringPlay(number, play, body.team, "safety", body.points))
    return found


def game_state(events: Iterable[tuple[int, int, ev.Body]]) -> GameState:
    """The state after these valid events, given in order of event number as (event number, play number, body)."""
    events = list(events)
    status: Status = "scheduled"
    home = away = None
    period: int | None = None
    clock: int | None = None
    snap: ev.Snap | None = None
    period_of_play: dict[int, int] = {}
    last = play = 0
    for number, play_number, body in events:
        last = number
        match body:
            case ev.GameStarted():
                home, away, status = body.home, body.away, "live"
            case ev.Period():
                period = body.period
                clock = None if body.phase == "start" else 0
            case ev.Snap():
                snap, period, clock, play = body, body.period, body.clock, play_number
                period_of_play[play_number] = body.period
                status = "live" if status == "scheduled" else status
            case ev.GameEnded():
                status = "ended" if status != "final" else status
            case ev.Final():
                status = "final"
    scores = _by_period(scoring_plays(events), period_of_play, period or 1, home, away)
    return GameState(
        status=status,
        home=home,
        away=away,
        home_score=sum(scores[0]),
        away_score=sum(scores[1]),
        home_periods=scores[0],
        away_periods=scores[1],
        period=period,
        clock=clock,
        possession=snap.possession if snap else None,
        spot=snap.spot if snap else None,
        down=snap.down if snap else None,
        distance=snap.distance if snap else None,
        situation=snap.situation if snap else None,
        play_number=play,
        last_event_number=last,
    )


def _by_period(
    plays: list[ScoringPlay], period_of_play: dict[int, int], last_period: int, home: str | None, away: str | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Points of home and away by period. A play without its snap counts in the last period."""
    rows = {team: [0] * max(last_period, *period_of_play.values(), 0) for team in (home, away)}
    for play in plays:
        if play.team in rows:
            rows[play.team][period_of_play.get(play.play_number, last_period) - 1] += play.points
    return tuple(rows[home]), tuple(rows[away])
