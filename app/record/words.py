"""An event in plain football words, for play lists, the console's log and notices. Pure.

`names` gives the name to show for a player id; an id without a name is shown itself, nobody is 'an unnamed player'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.record import events as ev

Who = Callable[[str | None], str]

UNNAMED = "an unnamed player"
ORDINALS = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th"}

_RUNS = {
    "rush": "runs",
    "scramble": "scrambles",
    "kneel": "kneels",
    "after_catch": "runs after the catch",
    "after_lateral": "takes the lateral",
    "return": "returns it",
    "after_recovery": "runs with it",
}
_KICKS = {
    "kickoff": "kicks off",
    "onside": "kicks onside",
    "free_kick": "takes the free kick",
    "punt": "punts",
    "field_goal": "tries a field goal",
    "extra_point": "tries the extra point",
}
_RESULTS = {
    "good": "good",
    "missed": "no good",
    "blocked": "blocked",
    "aborted": "not kicked",
    "returned": "returned",
    "touchback": "touchback",
    "fair_catch": "fair catch",
    "out_of_bounds": "out of bounds",
    "downed": "downed",
    "recovered": "loose ball recovered",
}
_CREDITS = {
    "pass_defended": "breaks up the pass",
    "qb_hit": "hits the passer",
    "tackle_for_loss": "stops it for a loss",
}
_RULINGS = {
    "pending": "under review",
    "upheld": "the call is upheld",
    "stands": "the call stands",
    "overturned": "the call is overturned",
}


def yards(count: int) -> str:
    """A gain as people say it.

    >>> [yards(count) for count in (7, 1, 0, -3)]
    ['7 yards', '1 yard', 'no gain', 'a loss of 3']
    """
    if count == 0:
        return "no gain"
    return f"a loss of {-count}" if count < 0 else f"{count} yard{'' if count == 1 else 's'}"


def spot(team: str, yard: int, other: str) -> str:
    """A spot by the side of the field it is on: SF's 72 against ATL is `ATL 28`; midfield is `the 50`.

    >>> spot("SF", 72, "ATL"), spot("SF", 24, "ATL"), spot("SF", 50, "ATL")
    ('ATL 28', 'SF 24', 'the 50')
    """
    if yard == 50:
        return "the 50"
    return f"{team} {yard}" if yard < 50 else f"{other} {100 - yard}"


def clock_words(seconds: int) -> str:
    """Seconds left as the stadium shows them.

    >>> clock_words(725), clock_words(9)
    ('12:05', '0:09')
    """
    return f"{seconds // 60}:{seconds % 60:02d}"


def period_words(period: int) -> str:
    """Q1 to Q4, then OT, 2OT, ..."""
    return f"Q{period}" if period <= 4 else "OT" if period == 5 else f"{period - 4}OT"


def down_and_distance(snap: ev.Snap) -> str:
    """`2nd & 7`, `1st & goal`, or the kind of kick or try."""
    if snap.situation != "scrimmage" or snap.down is None:
        return {"kickoff": "Kickoff", "free_kick": "Free kick", "try": "Try"}.get(snap.situation, "Snap")
    if snap.distance is None:
        return ORDINALS[snap.down]
    goal = snap.spot + snap.distance >= 100
    return f"{ORDINALS[snap.down]} & {'goal' if goal else snap.distance}"


def sentence(body: ev.Body, names: Mapping[str, str]) -> str:
    """One sentence with a full stop, and `Touchdown!` after it where the movement scored."""

    def who(player: str | None) -> str:
        return UNNAMED if player is None else names.get(player, player)

    words = _words(body, who)
    scored = " Touchdown!" if getattr(body, "is_touchdown", False) else ""
    return f"{words[:1].upper()}{words[1:]}.{scored}"


def _words(body: ev.Body, who: Who) -> str:
    return _movement(body, who) or _kick_or_score(body, who) or _credit(body, who) or _procedure(body, who)


def _movement(body: ev.Body, who: Who) -> str:
    match body:
        case ev.Pass(result="complete"):
            gain = yards((body.reception_yard or 0) - body.throw_yard)
            return f"{who(body.passer)} passes to {who(body.receiver)} for {gain}"
        case ev.Pass(result="spike"):
            return f"{who(body.passer)} spikes the ball"
        case ev.Pass():
            aimed = f" for {who(body.receiver)}" if body.receiver else ""
            outcome = "intercepted" if body.result == "intercepted" else "incomplete"
            return f"{who(body.passer)} passes{aimed}: {outcome}"
        case ev.Run(kind="kneel"):
            return f"{who(body.player)} kneels"
        case ev.Run():
            return f"{who(body.player)} {_RUNS[body.kind]} for {yards(body.end_yard - body.start_yard)}"
        case ev.Sack():
            by = " and ".join(who(player) for player in body.by)
            loss = yards(body.end_yard - body.start_yard)
            return f"{who(body.player)} is sacked{f' by {by}' if by else ''} for {loss}"
        case ev.Fumble():
            forced = f", forced by {who(body.forced_by)}" if body.forced_by else ""
            return f"{who(body.player)} fumbles{forced}{', out of bounds' if body.out_of_bounds else ''}"
        case ev.Recovery():
            return f"{who(body.player)} recovers for {body.team}"
        case ev.Interception():
            return f"{who(body.player)} intercepts for {body.team}"
        case _:
            return ""


def _kick_or_score(body: ev.Body, who: Who) -> str:
    match body:
        case ev.Kick():
            length = f" from {body.distance} yards" if body.kind == "field_goal" and body.distance else ""
            if body.kind not in ("field_goal", "extra_point") and body.distance:
                length = f" {yards(body.distance)}"
            by = f" by {who(body.blocked_by)}" if body.blocked_by else ""
            return f"{who(body.kicker)} {_KICKS[body.kind]}{length}: {_RESULTS[body.result]}{by}"
        case ev.Conversion(side="defence"):
            return f"{who(body.player)} brings the try back for {body.team}: {'two points' if body.good else 'no good'}"
        case ev.Conversion():
            act = f"passes to {who(body.player)}" if body.kind == "pass" else "runs"
            actor = body.passer if body.kind == "pass" else body.player
            return f"{who(actor)} {act} on the two-point try: {'good' if body.good else 'no good'}"
        case ev.Safety():
            by = f" by {who(body.player)}" if body.player else ""
            return f"safety{by}, {body.points} point{'' if body.points == 1 else 's'} for {body.team}"
        case _:
            return ""


def _credit(body: ev.Body, who: Who) -> str:
    match body:
        case ev.Tackle():
            by = {"solo": "tackle by", "primary": "tackle by", "assist": "tackle assisted by"}[body.kind]
            return f"{by} {who(body.tackler)}"
        case ev.Credit():
            return f"{who(body.player)} {_CREDITS[body.kind]}"
        case _:
            return ""


def _procedure(body: ev.Body, who: Who) -> str:
    match body:
        case ev.GameStarted():
            return f"the game begins: {body.away} at {body.home}"
        case ev.Period():
            name = f"quarter {body.period}" if body.period <= 4 else "overtime"
            return f"{name} {'begins' if body.phase == 'start' else 'ends'}"
        case ev.Snap():
            where = spot("its own", body.spot, "the opponents'")
            return f"{down_and_distance(body)}, {body.possession} ball on {where}"
        case ev.Penalty():
            foul = body.foul or "a foul"
            by = f" ({who(body.player)})" if body.player else ""
            outcome = body.status if body.status != "accepted" else f"{body.yards} yards"
            return f"flag on {body.team}{by}: {foul}, {outcome}"
        case ev.Timeout():
            if body.team is not None:
                return f"timeout {body.team}"
            return f"officials' timeout{f': {body.reason}' if body.reason else ''}"
        case ev.Challenge():
            by = f"challenge by {body.by}" if body.by else "review by the booth"
            return f"{by}: {_RULINGS[body.ruling]}{f' ({body.reason})' if body.reason else ''}"
        case ev.Nullify():
            return f"no play: {_numbers(body.events)} taken back{f' ({body.reason})' if body.reason else ''}"
        case ev.Overturn() | ev.StatCorrection():
            kind = "overturned" if isinstance(body, ev.Overturn) else "credit corrected"
            ruling = _words(body.ruling, who)
            return f"event {body.event} {kind}: {ruling}{f' ({body.reason})' if body.reason else ''}"
        case ev.Scoreboard():
            when = f"{period_words(body.period)} {clock_words(body.clock)}"
            return f"the stadium's board at {when}: home {body.home_score}, away {body.away_score}"
        case ev.GameEnded():
            return "the game is over"
        case ev.Final():
            return f"final score declared: home {body.home_score}, away {body.away_score}"
        case _:
            raise TypeError(f"no words for {type(body).__name__}")


def _numbers(numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return f"event {numbers[0]}"
    return f"events {', '.join(str(number) for number in numbers[:-1])} and {numbers[-1]}"
