"""What a press box's box score has beside stat lines: returns, long gains, net punting, red zone.

Lives here: the statistics, from the valid events of a game. Not here: first, third and fourth downs
(downs.py), tables of them (pages/box_tables.py). Pure. Sources: the NFL's Guide for Statisticians
and the NCAA's Football Statisticians' Manual; where the two differ, the docstring says which one it
is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.record import events as ev
from app.record.rules.drives import Drive, Snapped

RED_ZONE = 80  # from the own goal line: the opponents' 20
TOUCHBACK = 20  # what a touchback takes off a punt's net, wherever the next snap is

_PLACE = {"punt": "punt", "kickoff": "kickoff", "onside": "kickoff", "free_kick": "kickoff"}
_KICKOFF_ENDS = {"touchback": "kickoff_touchbacks", "out_of_bounds": "kickoffs_out_of_bounds"}
Person = tuple[str, str]  # player and club
Named = dict[tuple[str | None, str], Counter[str]]  # None: of the club, for nobody was named


def returns_and_longs(plays: Sequence[Snapped]) -> dict[Person, dict[str, int]]:
    """By player and club: yards of returns, longest gains, and where punts came down.

    A long of 0 yards is left out.

    `interception_return_yards`, `fumble_return_yards`; `rushing_long`, `passing_long`,
    `receiving_long` (the whole gain of the play from the line of scrimmage, laterals left out),
    `punt_long`, `fg_long`, `kickoff_return_long`, `punt_return_long`, `interception_return_long`;
    `punt_touchbacks`, `punts_inside_20` (the ball dead, or the catch fair, inside the opponents'
    20, or returned to there; no touchback).
    """
    return _of_players(_followed(plays))


def by_club(plays: Sequence[Snapped]) -> dict[str, Counter[str]]:
    """Both sorts of statistics by club, with those of players whom nobody named: sums, and the
    longest of each long.
    """
    found: dict[str, Counter[str]] = {}
    for named in (_kicked(plays), _followed(plays)):
        for (_, club), stats in named.items():
            sums = found.setdefault(club, Counter())
            for stat, amount in stats.items():
                sums[stat] = (
                    max(sums[stat], amount) if stat.endswith("_long") else sums[stat] + amount
                )
    return found


def _of_players(found: Named) -> dict[Person, dict[str, int]]:
    return {
        (player, club): dict(stats) for (player, club), stats in found.items() if player is not None
    }


def _followed(plays: Sequence[Snapped]) -> Named:
    found: Named = {}
    for play in plays:
        if play.snap.situation != "try":
            _follow(play, found)
    return found


def _follow(play: Snapped, found: Named) -> None:
    def of(player: str | None, club: str) -> Counter[str]:
        return found.setdefault((player, club), Counter())

    def long(player: str | None, club: str, stat: str, yards: int) -> None:
        if yards > 0:
            of(player, club)[stat] = max(yards, of(player, club)[stat])

    account, thrown, gained = "", None, 0
    for body in play.bodies:
        match body:
            case ev.Pass(result="complete", reception_yard=int(caught)):
                account, thrown, gained = "catch", body, caught - body.throw_yard
                long(body.receiver, body.team, "receiving_long", gained)
                long(body.passer, body.team, "passing_long", gained)
            case ev.Run(kind="after_catch") if account == "catch" and thrown is not None:
                gained += body.end_yard - body.start_yard
                long(body.player, body.team, "receiving_long", gained)
                long(thrown.passer, body.team, "passing_long", gained)
            case ev.Run() if body.is_rush:
                long(body.player, body.team, "rushing_long", body.end_yard - body.start_yard)
            case ev.Interception():
                account = "interception"
            case ev.Recovery() | ev.Fumble():
                account = "fumble" if isinstance(body, ev.Recovery) else ""
            case ev.Kick():
                account = _PLACE.get(body.kind, "")
                _kick(play, body, of(body.kicker, body.team), long)
            case ev.Run(kind="return" | "after_lateral") if account in (
                "interception",
                "punt",
                "kickoff",
            ):
                yards = body.end_yard - body.start_yard
                if account == "interception":
                    of(body.player, body.team)["interception_return_yards"] += yards
                long(body.player, body.team, f"{account}_return_long", yards)
            case ev.Run(kind="after_recovery") if account == "fumble":
                of(body.player, body.team)["fumble_return_yards"] += body.end_yard - body.start_yard


def _kick(
    play: Snapped,
    kick: ev.Kick,
    kicker: Counter[str],
    long: Callable[[str | None, str, str, int], None],
) -> None:
    if kick.kind == "field_goal" and kick.result == "good":
        long(kick.kicker, kick.team, "fg_long", kick.distance or 0)
    if kick.kind != "punt" or kick.result == "aborted":
        return
    long(kick.kicker, kick.team, "punt_long", punt_yards(play.snap, kick))
    if kick.result == "touchback":
        kicker["punt_touchbacks"] += 1
    elif kick.result != "blocked" and _came_to_rest(play, kick) > RED_ZONE:
        kicker["punts_inside_20"] += 1


def punt_yards(snap: ev.Snap, punt: ev.Kick) -> int:
    """Its official length; of a touchback of which nobody has noted it, from the line of scrimmage
    to the goal line.
    """
    if punt.distance is None and punt.result == "touchback":
        return 100 - snap.spot
    return punt.distance or 0


def _came_to_rest(play: Snapped, punt: ev.Kick) -> int:
    """Where the receivers' ball was after the punt and its return, from the punters' goal line."""
    yard = play.snap.spot + (punt.distance or 0)
    for body in play.bodies:
        if isinstance(body, ev.Run) and body.team != punt.team:
            yard = 100 - body.end_yard
    return yard


def kicking_lines(plays: Sequence[Snapped]) -> dict[tuple[str, str], dict[str, int]]:
    """Punts, kickoffs and return yards by player and club, statistics of 0 left out.

    `punts`, `punt_yards`, `punt_return_yards`, `kickoff_return_yards`; `kickoffs`, onside kicks
    among them and free kicks after a safety not, `kickoff_touchbacks`, `kickoffs_out_of_bounds`.
    """
    return _of_players(_kicked(plays))


def _kicked(plays: Sequence[Snapped]) -> Named:
    found: Named = {}

    def add(player: str | None, club: str, stat: str, amount: int) -> None:
        found.setdefault((player, club), Counter())[stat] += amount

    for play in plays:
        stat = ""
        for body in play.bodies:
            match body:
                case ev.Kick():
                    stat = _PLACE.get(body.kind, "")
                    if body.kind == "punt" and body.result != "aborted":
                        add(body.kicker, body.team, "punts", 1)
                        add(body.kicker, body.team, "punt_yards", punt_yards(play.snap, body))
                    if body.kind in ("kickoff", "onside"):
                        add(body.kicker, body.team, "kickoffs", 1)
                        if more := _KICKOFF_ENDS.get(body.result):
                            add(body.kicker, body.team, more, 1)
                case ev.Fumble() | ev.Recovery() | ev.Interception() | ev.Pass() | ev.Sack():
                    stat = ""
                case ev.Run(kind="return" | "after_lateral") if stat:
                    add(
                        body.player,
                        body.team,
                        f"{stat}_return_yards",
                        body.end_yard - body.start_yard,
                    )
    return found


@dataclass(frozen=True, slots=True)
class Punting:
    """Of a club.

    `net`: gross yards less the return yards and 20 for each touchback, blocked punts counted as
    punts.
    """

    punts: int
    gross: int
    returned: int
    touchbacks: int

    @property
    def net(self) -> int:
        return self.gross - self.returned - TOUCHBACK * self.touchbacks


def punting(plays: Sequence[Snapped], club: str) -> Punting:
    """The punts of a club (NFL: a blocked punt is a punt of 0 yards in gross and net average)."""
    punts = gross = returned = touchbacks = 0
    for play in plays:
        kick = play.kick
        if kick is None or kick.kind != "punt" or kick.result == "aborted" or kick.team != club:
            continue
        punts += 1
        gross += punt_yards(play.snap, kick)
        touchbacks += kick.result == "touchback"
        returned += sum(
            body.end_yard - body.start_yard
            for body in play.bodies
            if isinstance(body, ev.Run)
            and body.kind in ("return", "after_lateral")
            and body.team != club
        )
    return Punting(punts, gross, returned, touchbacks)


@dataclass(frozen=True, slots=True)
class Chances:
    """Drives that came so far, and how they ended: with a touchdown, with a field goal."""

    drives: int = 0
    touchdowns: int = 0
    field_goals: int = 0


def red_zone(drives: Sequence[Drive], plays: Sequence[Snapped], club: str) -> Chances:
    """Drives of the club with a snap from scrimmage at or inside the opponents' 20."""
    return _chances(drives, plays, club, [_is_in_red_zone(play.snap) for play in plays])


def goal_to_go(drives: Sequence[Drive], plays: Sequence[Snapped], club: str) -> Chances:
    """Drives of the club with a snap from scrimmage whose line to gain was the goal line."""
    return _chances(drives, plays, club, [_is_goal_to_go(play.snap) for play in plays])


def _is_in_red_zone(snap: ev.Snap) -> bool:
    return snap.situation == "scrimmage" and snap.spot >= RED_ZONE


def _is_goal_to_go(snap: ev.Snap) -> bool:
    return (
        snap.situation == "scrimmage"
        and snap.distance is not None
        and snap.spot + snap.distance >= 100
    )


def _chances(
    drives: Sequence[Drive], plays: Sequence[Snapped], club: str, near: Sequence[bool]
) -> Chances:
    places = {play.number: place for place, play in enumerate(plays)}
    found = [
        drive
        for drive in drives
        if drive.club == club and any(near[places[drive.first_play] : places[drive.last_play] + 1])
    ]
    results = Counter(drive.result for drive in found)
    return Chances(len(found), results["touchdown"], results["field_goal"])
