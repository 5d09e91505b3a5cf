"""The next snap after what has been entered: possession, spot, down, distance, and why. Pure.

The course of a game from snap to snap, by its rulebook. The ball within a play is in ball.py, fouls
in enforcement.py, overtime and the end of the game in overtime.py, the score in state.py. Nothing
here is written to the record: the scorer may override any of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.record import events as ev
from app.record.rules.football.ball import Ball, Play, ball_after, touchback_of
from app.record.rules.football.choices import choices_of
from app.record.rules.football.enforcement import enforced, extends_half, is_replayed, is_taken_back
from app.record.rules.football.overtime import Course, LastPlay, decided, is_opened, opening
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.suggestion import Standing, Suggestion
from app.record.rules.football.tries import after_touchdown, carried_over, played_again, try_of
from app.record.rules.state import ScoringPlay


def last_play(
    events: Sequence[Standing], end: int | None = None
) -> tuple[ev.Snap | None, list[ev.Body]]:
    """The last snap and the later events of its play, in order; None before the first snap.

    `end`: how many of the events to look at, None for all.
    """
    count = len(events) if end is None else end
    for index in range(count - 1, -1, -1):
        snap = events[index].body
        if isinstance(snap, ev.Snap):
            play = events[index].play_number
            return snap, [
                event.body for event in events[index + 1 : count] if event.play_number == play
            ]
    return None, []


def next_snap(
    events: Sequence[Standing],
    *,
    home: str,
    away: str,
    book: Rulebook,
    scores: Sequence[ScoringPlay] | None = None,
) -> Suggestion:
    """The likeliest next snap after these valid events, in order of number.

    `scores` are the scores of these events, if the caller has them.

    Worked example: 3rd and 4 at the own 30, a run to the own 36: first and 10 at the own 36; a run
    to the own 33 instead: 4th and 1; and short again: the other club has it, first and 10.
    """
    snap, action = last_play(events)
    period, clock, restart = _time(events, book)
    if snap is None:
        why = "Opening kickoff: the coin toss decides who kicks."
        first = Suggestion(
            home, book.kickoff, period, clock, "kickoff", by_toss=True, check=True, why=why
        )
        return _tossed(first, events, home, away)
    if restart and period == ev.QUARTERS // 2 + 1:
        kicks = _second_half_kicker(events, home, away)
        why = f"The second half: {kicks} received the opening kickoff."
        return Suggestion(kicks, book.kickoff, period, clock, "kickoff", why=why)
    course = Course(events, home, away, book, scores)
    if restart and is_opened(period, book):
        return _tossed(opening(period, clock, course), events, home, away)
    play_number = next(event.play_number for event in reversed(events) if event.body is snap)

    def following(action: Sequence[ev.Body]) -> Suggestion:
        play = Play(snap, action, ball_after(snap, action, home, away, book))
        suggestion = replace(_after_play(course, play, period), period=period, clock=clock)
        last = LastPlay(
            number=play_number,
            snap=snap,
            is_played=play.ball.outcome != "none",
            is_extended=extends_half(snap, action, book),
        )
        return decided(suggestion, last, course)

    suggestion = following(action)
    if suggestion.over or any(choice.act in ("try", "kickoff") for choice in suggestion.choices):
        return suggestion
    play = Play(snap, action, ball_after(snap, action, home, away, book))
    choices = choices_of(play, (home, away), book, following)
    return replace(suggestion, choices=choices or suggestion.choices)


def _tossed(suggestion: Suggestion, events: Sequence[Standing], home: str, away: str) -> Suggestion:
    """A snap that depends on the toss, once the toss since the last snap is recorded."""
    if not suggestion.by_toss:
        return suggestion
    for event in reversed(events):
        if isinstance(event.body, ev.Snap):
            return suggestion
        if isinstance(event.body, ev.CoinToss):
            receiver = event.body.receiver
            kicks = away if receiver == home else home
            has_ball = kicks if suggestion.situation == "kickoff" else receiver
            return replace(
                suggestion,
                possession=has_ball,
                by_toss=False,
                check=False,
                why=f"By the toss {receiver} receives.",
            )
    return suggestion


def _after_play(course: Course, play: Play, period: int) -> Suggestion:
    """What would follow if this were the last play of the game."""
    book, clubs = course.book, (course.home, course.away)
    snap, action, ball = play.snap, play.action, play.ball
    suggestion = replace(_without_fouls(play, clubs, book), period=period)
    if ball.unsure:
        suggestion = replace(suggestion, check=True, why=f"{suggestion.why} Its spot is a guess.")
    accepted = [
        body for body in action if isinstance(body, ev.Penalty) and body.status == "accepted"
    ]
    if snap.situation == "try" and accepted and is_replayed(accepted[0], ball):
        return played_again(suggestion, snap, accepted[0], book)
    if suggestion.situation == "try" and ball.outcome == "touchdown":
        taken_back = ball.turned and any(is_taken_back(foul, snap, book) for foul in accepted[:1])
        stands = not accepted or not (taken_back or is_replayed(accepted[0], ball))
        if stands:
            return after_touchdown(try_of(suggestion, course), snap, action, clubs, book)
    suggestion = enforced(suggestion, play, clubs, book)
    if suggestion.situation == "kickoff" and snap.situation == "try":
        return carried_over(suggestion, course.events, book)
    return suggestion


def _time(events: Sequence[Standing], book: Rulebook) -> tuple[int, int, bool]:
    """Period, clock, and whether a period has begun since the last snap."""
    ended: int | None = None
    for event in reversed(events):
        body = event.body
        if isinstance(body, ev.Snap):
            return (body.period, body.clock, False) if ended is None else (ended, 0, False)
        if isinstance(body, ev.Period) and body.phase == "start":
            return (
                (body.period, book.period_seconds(body.period), True)
                if ended is None
                else (ended, 0, True)
            )
        if isinstance(body, ev.Period) and ended is None:
            ended = body.period
    return (1, book.period, True) if ended is None else (ended, 0, True)


def _second_half_kicker(events: Sequence[Standing], home: str, away: str) -> str:
    """The club that received the opening kickoff."""
    for event in events:
        if isinstance(event.body, ev.Snap) and event.body.situation == "kickoff":
            return away if event.body.possession == home else home
    return home


def first_down(team: str, spot: int, snap: ev.Snap, why: str) -> Suggestion:
    """A first down at this spot."""
    spot = max(1, min(99, spot))
    return Suggestion(
        team, spot, snap.period, snap.clock, down=1, distance=min(10, 100 - spot), why=why
    )


def _without_fouls(play: Play, clubs: tuple[str, str], book: Rulebook) -> Suggestion:
    """The next snap if no flag lay on the field."""
    snap, ball = play.snap, play.ball
    scorer = ball.scorer or ball.team
    is_try = snap.situation == "try"
    opponent = clubs[1] if scorer == clubs[0] else clubs[0]
    situation: ev.Situation
    match ball.outcome:
        case "none":
            nothing_yet = Suggestion(
                snap.possession, snap.spot, snap.period, snap.clock, snap.situation
            )
            return replace(
                nothing_yet,
                down=snap.down,
                distance=snap.distance,
                why="Nothing is recorded since the snap.",
            )
        case "touchdown" if not is_try:
            team, spot, situation = scorer, book.try_spot, "try"
            why = f"{scorer} scored a touchdown and has a try."
        case "field_goal":
            team, spot, situation = scorer, book.kickoff, "kickoff"
            why = f"{scorer} made the field goal and kicks off."
        case "safety" if not is_try:
            team, spot, situation = opponent, book.free_kick, "free_kick"
            why = f"{opponent} gave up a safety and takes the free kick."
        case _ if is_try:
            team, spot, situation = snap.possession, book.kickoff, "kickoff"
            why = f"{team} kicks off after its try."
        case _:
            defence = clubs[1] if snap.possession == clubs[0] else clubs[0]
            return _ball_dead(snap, ball, defence, book)
    return Suggestion(team, spot, snap.period, snap.clock, situation, why=why)


def _ball_dead(snap: ev.Snap, ball: Ball, defence: str, book: Rulebook) -> Suggestion:
    """The next snap after a play that scored nothing."""
    if ball.yard <= 0 and (not ball.turned or ball.impetus == ball.team):
        # NFL 11-5-1, NCAA 8-5-1, NFHS 8-5-2: dead behind its own goal line by its own impetus.
        why = (
            f"{ball.team} was stopped behind its own goal line: a safety. Record it, or correct "
            "the spot."
        )
        return Suggestion(
            ball.team, book.free_kick, snap.period, snap.clock, "free_kick", why=why, check=True
        )
    if ball.turned and ball.yard <= 0:
        spot = touchback_of(ball.kick, ball.landed, book)
        return first_down(ball.team, spot, snap, f"A touchback: {ball.team} begins at its {spot}.")
    if snap.situation != "scrimmage" or snap.down is None or snap.distance is None:
        why = f"{ball.team} begins where the ball was dead."
        return first_down(ball.team, ball.yard, snap, why)
    if ball.turned:
        took = "took over" if ball.team == defence else "won the ball back, a first down"
        return first_down(ball.team, ball.yard, snap, f"{ball.team} {took}.")
    return _next_down(snap, snap.down, snap.distance, ball, defence)


def _next_down(snap: ev.Snap, down: int, distance: int, ball: Ball, defence: str) -> Suggestion:
    """The next snap after a play from scrimmage in which the ball stayed with the offence."""
    gained = _gained(ball.yard - snap.spot)
    left = snap.spot + distance - ball.yard
    if left <= 0:
        return first_down(ball.team, ball.yard, snap, f"{gained}: a first down.")
    if down == ev.LAST_DOWN:
        # The officials place the ball and the chains anew.
        lost = first_down(
            defence, 100 - ball.yard, snap, f"{gained} on fourth down: {defence} takes over."
        )
        return replace(lost, check=True)
    left = min(snap.spot + distance, 100) - ball.yard
    why = f"{gained}, {left} to go."
    return Suggestion(
        ball.team, ball.yard, snap.period, snap.clock, down=down + 1, distance=left, why=why
    )


def _gained(yards: int) -> str:
    if yards == 0:
        return "No gain"
    return f"{'Gained' if yards > 0 else 'Lost'} {abs(yards)} yard{'' if abs(yards) == 1 else 's'}"
