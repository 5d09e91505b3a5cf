"""What accepted fouls make of the next snap: the spot and the down. Pure.

The rulebook says whether the down counts for each foul; the outcome and the spot that the scorer
entered take precedence. Every suggestion after a flag asks the scorer to look. Fouls on tries and
touchdowns are in tries.py, accepting and declining in choices.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.record import events as ev
from app.record.rules.football.ball import Ball, Play
from app.record.rules.football.rulebook import Foul, Rulebook
from app.record.rules.football.suggestion import Suggestion

# The rule of a foul whose name the book does not know.
_UNKNOWN = {
    True: Foul("a foul", "offence", 0, "foul"),
    False: Foul("a foul", "defence", 0, "end"),
}
_MOVES = {
    "kickoff": "it moves the kickoff",
    "free_kick": "it moves the free kick",
    "try": "it moves the try",
}


def rule_of(foul: ev.Penalty, snap: ev.Snap, book: Rulebook) -> Foul:
    """The rule of this foul; for an unknown name, the mildest rule there is."""
    by_offence = foul.team == snap.possession
    return book.foul(foul.foul, by_offence=by_offence) or _UNKNOWN[by_offence]


def is_replayed(foul: ev.Penalty, ball: Ball) -> bool:
    """Whether the scorer wiped the play out, or nothing was played."""
    return foul.outcome in ("nullify", "repeat_down") or ball.outcome == "none"


def is_taken_back(foul: ev.Penalty, snap: ev.Snap, book: Rulebook) -> bool:
    """Whether a foul of the defence came before the ball was lost.

    The club that snapped it has it again then.
    """
    if foul.team == snap.possession:
        return False
    rule = rule_of(foul, snap, book)
    is_early = rule.basis == "previous" or rule.on_passer
    return foul.outcome == "first_down" or (is_early and foul.outcome != "downfield")


def enforced(
    suggestion: Suggestion, play: Play, clubs: tuple[str, str], book: Rulebook
) -> Suggestion:
    """The next snap with the fouls of the play. `suggestion`: what it would be without them.

    Worked example: 2nd and 8 at the own 30, holding by the offence wipes the play out: 2nd and 18
    at the 20.
    """
    snap, ball = play.snap, play.ball
    fouls = [
        body for body in play.action if isinstance(body, ev.Penalty) and body.status != "declined"
    ]
    if not fouls:
        return suggestion
    accepted = [foul for foul in fouls if foul.status == "accepted"]
    if not accepted:
        if ball.outcome == "none":
            suggestion = again(suggestion, snap, snap.spot)
        why = _offset_words(fouls, suggestion, snap, clubs)
        return replace(suggestion, check=True, why=why)
    if any(is_safety(foul, snap, ball, book) for foul in accepted):
        conceded = next(foul.team for foul in accepted if is_safety(foul, snap, ball, book))
        return _safety(suggestion, conceded, accepted, book)
    first, *more = accepted
    suggestion = _first(suggestion, play, first, clubs, book)
    for foul in more:
        suggestion = _added(suggestion, snap, foul, rule_of(foul, snap, book))
    return replace(suggestion, check=True, why=f"{said(accepted)}: {_so(suggestion, snap)}.")


def _offset_words(
    fouls: Sequence[ev.Penalty], suggestion: Suggestion, snap: ev.Snap, clubs: tuple[str, str]
) -> str:
    offending = {foul.team for foul in fouls}
    if len(offending) > 1:
        return f"Fouls of both clubs offset: {_so(suggestion, snap)}."
    missing = next(club for club in clubs if club not in offending)
    return f"Only one club's foul is recorded as offsetting: enter the flag on {missing}."


def extends_half(snap: ev.Snap, action: Sequence[ev.Body], book: Rulebook) -> bool:
    """Whether a foul of the play gives an untimed down if the half ends with it.

    NFL 4-8-2, NCAA 3-2-3, NFHS 3-3-3. Fouls that offset do; so does an accepted one, unless it came
    with the ball dead or costs the down.
    """
    return any(isinstance(body, ev.Penalty) and _extends(body, snap, book) for body in action)


def _extends(foul: ev.Penalty, snap: ev.Snap, book: Rulebook) -> bool:
    if foul.status != "accepted":
        return foul.status == "offsetting"
    rule = rule_of(foul, snap, book)
    is_live = rule.basis != "dead" and not rule.before_snap and not rule.loss_of_down
    return is_live and (book.extended_by == "either" or foul.team != snap.possession)


def is_safety(foul: ev.Penalty, snap: ev.Snap, ball: Ball, book: Rulebook) -> bool:
    """Whether an accepted foul of the club with the ball is a safety.

    It is if it is enforced from behind its own goal line: NFL 11-5-1 (holding and the like), 8-2-1
    (grounding); NCAA 8-5-1-b; NFHS 8-5-2-c. An unknown spot counts as one there if a safety is
    recorded.
    """
    kicked = ball.kick is not None and ball.outcome != "touchdown"
    with_ball = foul.team == ball.team or (
        foul.team == snap.possession and (kicked or not ball.turned)
    )
    if not with_ball or rule_of(foul, snap, book).basis not in ("foul", "end"):
        return False
    if foul.enforcement_yard is None:
        return ball.outcome == "safety" and ball.scorer != foul.team and foul.outcome != "decline"
    return foul.enforcement_yard == 0


def _safety(
    suggestion: Suggestion, conceded: str, fouls: Sequence[ev.Penalty], book: Rulebook
) -> Suggestion:
    why = f"{said(fouls)}, from behind its own goal line: a safety."
    return replace(
        suggestion,
        possession=conceded,
        spot=book.free_kick,
        situation="free_kick",
        down=None,
        distance=None,
        check=True,
        why=why,
    )


def said(fouls: Sequence[ev.Penalty]) -> str:
    """The fouls in words, as a scorer would name them."""
    words = " and ".join(
        f"{foul.foul or 'a foul'} against {foul.team}, {foul.yards} "
        f"yard{'' if foul.yards == 1 else 's'}"
        for foul in fouls
    )
    return words[:1].upper() + words[1:]


def _so(suggestion: Suggestion, snap: ev.Snap) -> str:
    if suggestion.situation != "scrimmage":
        return _MOVES[suggestion.situation]
    if suggestion.possession != snap.possession or snap.down is None or snap.distance is None:
        return f"{suggestion.possession} has the ball"
    if (suggestion.down, suggestion.spot + (suggestion.distance or 0)) == (
        snap.down,
        min(100, snap.spot + snap.distance),
    ):
        return "the down is played again"
    return "first down" if suggestion.down == 1 else "the down counts"


def _added(suggestion: Suggestion, snap: ev.Snap, foul: ev.Penalty, rule: Foul) -> Suggestion:
    """A further foul, walked off after the others; a first down by itself stays one."""
    after = walked(suggestion, foul, rule)
    is_given = (
        rule.first_down and foul.team != snap.possession and after.possession == snap.possession
    )
    return first_and_ten(after) if is_given and after.down is not None else after


def _first(
    suggestion: Suggestion, play: Play, foul: ev.Penalty, clubs: tuple[str, str], book: Rulebook
) -> Suggestion:
    """The suggestion after the first accepted foul of a play."""
    snap, ball = play.snap, play.ball
    rule = rule_of(foul, snap, book)
    replayed = is_replayed(foul, ball)
    if snap.situation != "scrimmage" or snap.down is None or snap.distance is None:
        start = snap.spot if foul.enforcement_yard is None else _seen(foul, snap.possession)
        return (
            again(suggestion, snap, walk(start, foul, snap.possession, rule))
            if replayed
            else walked(suggestion, foul, rule)
        )
    by_offence = foul.team == snap.possession
    keeps_ball = suggestion.situation == "scrimmage" and not ball.turned
    taken_back = not keeps_ball and is_taken_back(foul, snap, book)
    if not replayed and not taken_back and (not keeps_ball or rule.basis == "dead"):
        after = _added(suggestion, snap, foul, rule)
        is_dead = (
            by_offence
            and after.possession == snap.possession
            and suggestion.down == 1
            and book.line_to_gain == "dead"
        )
        longer = suggestion.spot + (suggestion.distance or 0) - after.spot
        return replace(after, distance=longer) if is_dead and longer > 0 else after
    spot = walk(start_of(snap, ball, foul, rule, replayed=replayed), foul, snap.possession, rule)
    mine = replace(suggestion, possession=snap.possession, situation="scrimmage", spot=spot)
    left = snap.spot + snap.distance - spot
    if foul.outcome == "first_down" or (not by_offence and rule.first_down) or left <= 0:
        return first_and_ten(mine)
    counts = (
        foul.outcome == "change_down"
        or rule.loss_of_down
        or not (replayed or by_offence or taken_back)
    )
    if not counts:
        return replace(again(suggestion, snap, spot), distance=left)
    if snap.down == ev.LAST_DOWN:
        defence = clubs[1] if snap.possession == clubs[0] else clubs[0]
        return first_and_ten(replace(mine, possession=defence, spot=100 - spot))
    return replace(mine, down=snap.down + 1, distance=left)


def start_of(snap: ev.Snap, ball: Ball, foul: ev.Penalty, rule: Foul, *, replayed: bool) -> int:
    """The spot from which the foul is walked off, seen from the club that snapped the ball."""
    if foul.enforcement_yard is not None:
        return _seen(foul, snap.possession)
    if replayed or ball.turned:
        return snap.spot
    # What a play lost is not counted against the offended club, unless the foul came after it.
    is_spared = foul.team != snap.possession and (
        rule.basis in ("previous", "foul") or rule.on_passer
    )
    return max(ball.yard, snap.spot) if is_spared else ball.yard


def _seen(foul: ev.Penalty, team: str) -> int:
    """The spot of enforcement, recorded from the fouling club's goal line, from that of `team`."""
    yard = foul.enforcement_yard or 0
    return yard if foul.team == team else 100 - yard


def first_and_ten(suggestion: Suggestion) -> Suggestion:
    """The same spot as a first down."""
    return replace(suggestion, down=1, distance=min(10, 100 - suggestion.spot))


def again(suggestion: Suggestion, snap: ev.Snap, spot: int) -> Suggestion:
    """The same snap once more, at that spot."""
    return replace(
        suggestion,
        possession=snap.possession,
        situation=snap.situation,
        spot=spot,
        down=snap.down,
        distance=None if snap.distance is None else min(snap.spot + snap.distance, 100) - spot,
    )


def walked(suggestion: Suggestion, foul: ev.Penalty, rule: Foul) -> Suggestion:
    """The suggestion moved against the club that fouled.

    A touchdown's flag waits for the try or kickoff (tries.py). A dead-ball foul without yards says
    where the ball is placed, which the kick has done already.
    """
    if suggestion.situation == "try" or (rule.basis == "dead" and rule.yards == 0):
        return suggestion
    start = suggestion.spot
    if (
        foul.enforcement_yard is not None
        and suggestion.situation == "scrimmage"
        and suggestion.down == 1
    ):
        start = _seen(foul, suggestion.possession)
    spot = walk(start, foul, suggestion.possession, rule)
    if suggestion.down is None or suggestion.distance is None:
        return replace(suggestion, spot=spot)
    left = suggestion.spot + suggestion.distance - spot
    if suggestion.down == 1 or left <= 0:
        return first_and_ten(replace(suggestion, spot=spot))
    return replace(suggestion, spot=spot, distance=left)


def walk(spot: int, foul: ev.Penalty, possession: str, rule: Foul) -> int:
    """The spot after the walk, seen from `possession`.

    The usual yards of a foul never cover more than half the distance to the goal line of the club
    that fouled; other yards are what the officials walked off.
    """
    back = foul.team == possession
    room = spot if back else 100 - spot
    if foul.yards == rule.yards and 0 < rule.stops_at < room:
        return spot + min(foul.yards, room - rule.stops_at) * (-1 if back else 1)
    yards = room // 2 if foul.yards == rule.yards and foul.yards > (room + 1) // 2 else foul.yards
    return max(1, min(99, spot - yards if back else spot + yards))
