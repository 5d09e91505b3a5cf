"""Tries for one point or two, and fouls on touchdowns and tries. Pure.

Such a foul moves the try or the kickoff after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from app.record import events as ev
from app.record.rules.football.enforcement import again, rule_of, said, walk, walked
from app.record.rules.football.overtime import Course
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.suggestion import Choice, Standing, Suggestion

_LAST_QUARTER = 4


def try_of(suggestion: Suggestion, course: Course) -> Suggestion:
    """The try after a touchdown: for two if the book's chart says so late in the game.

    The club chooses.
    """
    book = course.book
    if book.try_spot == book.two_point_spot:
        return suggestion
    wants_two = (
        suggestion.period >= _LAST_QUARTER
        and course.margin(suggestion.possession) in book.two_point_margins
    )
    kick = replace(suggestion, spot=book.try_spot, why="A kick for one point.")
    conversion = replace(suggestion, spot=book.two_point_spot, why="A run or pass for two points.")
    chosen = conversion if wants_two else kick
    choices = (
        kick.as_choice(suggestion.possession, "one"),
        conversion.as_choice(suggestion.possession, "two"),
    )
    why = (
        f"{suggestion.possession} scored a touchdown and tries for {'two' if wants_two else 'one'}."
    )
    return replace(chosen, why=why, check=True, choices=choices)


def after_touchdown(
    suggestion: Suggestion,
    snap: ev.Snap,
    action: Sequence[ev.Body],
    clubs: tuple[str, str],
    book: Rulebook,
) -> Suggestion:
    """The try with the fouls of a valid touchdown: they move it, or wait for the kickoff.

    If the offended club may choose, the scorers' own fouls are proposed for the try and the other
    club's for the kickoff, because nobody gains much by a closer try.
    """
    fouls = _accepted(action)
    if not fouls:
        return suggestion
    own_fouls = [foul for foul in fouls if foul.team == suggestion.possession]
    spot = suggestion.spot
    for foul in own_fouls or fouls:
        spot = walk(spot, foul, suggestion.possession, rule_of(foul, snap, book))
    moved = replace(
        suggestion,
        spot=spot,
        check=True,
        choices=(),
        why=f"{said(own_fouls or fouls)}: it moves the try.",
    )
    waits = replace(
        suggestion, check=True, why=f"{said(fouls)}: it waits for the kickoff after the try."
    )
    if book.touchdown_fouls != "choice":
        return moved if book.touchdown_fouls == "try" else waits
    choices: tuple[Choice, ...] = ()
    if len(fouls) == 1:
        by = clubs[1] if fouls[0].team == clubs[0] else clubs[0]
        choices = (moved.as_choice(by, "try"), waits.as_choice(by, "kickoff"))
    return replace(moved if own_fouls else waits, choices=choices)


def played_again(
    suggestion: Suggestion, snap: ev.Snap, foul: ev.Penalty, book: Rulebook
) -> Suggestion:
    """The try after a foul that stopped it or wiped it out.

    The defence's foul before the snap waits for the kickoff, because nobody gains by a closer kick;
    yards that are half the distance from the spot of a two-point try say that the club goes for
    two.
    """
    rule = rule_of(foul, snap, book)
    if foul.team != snap.possession and foul.enforcement_yard is None:
        near = 100 - book.two_point_spot
        if foul.yards < rule.yards and foul.yards == near // 2 and snap.spot != book.two_point_spot:
            suggestion = again(suggestion, snap, book.two_point_spot + foul.yards)
            return replace(
                suggestion,
                check=True,
                why=f"{said([foul])}: half the distance, so {suggestion.possession} tries for two.",
            )
        if rule.before_snap and snap.spot == book.try_spot != book.two_point_spot:
            suggestion = again(suggestion, snap, snap.spot)
            return replace(
                suggestion,
                check=True,
                why=f"{said([foul])}: it waits for the kickoff after the try.",
            )
    start = snap.spot if foul.enforcement_yard is None else foul.enforcement_yard
    if foul.enforcement_yard is not None and foul.team != snap.possession:
        start = 100 - start
    suggestion = again(suggestion, snap, walk(start, foul, snap.possession, rule))
    return replace(suggestion, check=True, why=f"{said([foul])}: it moves the try.")


def carried_over(suggestion: Suggestion, events: Sequence[Standing], book: Rulebook) -> Suggestion:
    """The kickoff after a try, with the fouls that no try was moved by."""
    plays = _plays_since_touchdown(events)
    waiting = [
        foul
        for (snap, action), (following, _) in pairwise(plays)
        for foul in _accepted(action)
        if following.spot in (book.try_spot, book.two_point_spot)
        and (snap.situation != "try" or snap.spot == following.spot)
    ]
    for foul in waiting:
        snap = plays[0][0] if plays else None
        if snap is not None:
            suggestion = walked(suggestion, foul, rule_of(foul, snap, book))
    if waiting:
        suggestion = replace(
            suggestion, check=True, why=f"{said(waiting)}: waited for this kickoff."
        )
    return suggestion


def _plays_since_touchdown(events: Sequence[Standing]) -> list[tuple[ev.Snap, list[ev.Body]]]:
    """The last tries and the play before them, in order, each with its recorded events."""
    plays: list[tuple[ev.Snap, list[ev.Body]]] = []
    for index in range(len(events) - 1, -1, -1):
        snap = events[index].body
        if isinstance(snap, ev.Snap):
            number = events[index].play_number
            plays.insert(
                0,
                (
                    snap,
                    [event.body for event in events[index + 1 :] if event.play_number == number],
                ),
            )
            if snap.situation != "try":
                break
    return plays


def _accepted(action: Sequence[ev.Body]) -> list[ev.Penalty]:
    return [body for body in action if isinstance(body, ev.Penalty) and body.status == "accepted"]
