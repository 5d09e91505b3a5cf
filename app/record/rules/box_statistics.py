"""Statistics of a box score beyond stat lines: returns, long gains, net punting, red zone.

Computed from the valid events of a game. Downs are in downs.py, their tables in
pages/box_tables.py. Pure. Sources: the NFL's Guide for Statisticians and the NCAA's Football
Statisticians' Manual; where they differ, the docstring says which one applies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.record import events as ev
from app.record.rules.drives import Drive, Snapped

RED_ZONE = 80  # from the own goal line: the opponents' 20
TOUCHBACK = 20  # deducted from a punt's net for a touchback, wherever the next snap is

_PLACE = {"punt": "punt", "kickoff": "kickoff", "onside": "kickoff", "free_kick": "kickoff"}
_KICKOFF_ENDS = {"touchback": "kickoff_touchbacks", "out_of_bounds": "kickoffs_out_of_bounds"}
Person = tuple[str, str]  # player and club
Named = dict[tuple[str | None, str], Counter[str]]  # None: credited to the club only


def returns_and_longs(plays: Sequence[Snapped]) -> dict[Person, dict[str, int]]:
    """Return yards, longest gains and punt placement by player and club.

    `interception_return_yards`, `fumble_return_yards` (not those with a blocked kick, which are
    miscellaneous yards: NFL: Guide for Statisticians); `rushing_long`, `passing_long`,
    `receiving_long` (the whole gain of the play from the line of scrimmage, without laterals),
    `punt_long`, `fg_long`, `kickoff_return_long`, `punt_return_long`, `interception_return_long`;
    `punt_touchbacks`, `punts_inside_20` (dead, fair caught, or returned to inside the opponents'
    20; no touchback). Longs of 0 yards are left out.
    """
    return _of_players(_followed(plays))


def by_club(plays: Sequence[Snapped]) -> dict[str, Counter[str]]:
    """Both kinds of statistics by club, including those of unnamed players.

    Statistics are summed, except that of each long the longest counts.
    """
    totals: dict[str, Counter[str]] = {}
    for named in (_kicked(plays), _followed(plays)):
        for (_, club), stats in named.items():
            sums = totals.setdefault(club, Counter())
            for stat, amount in stats.items():
                sums[stat] = (
                    max(sums[stat], amount) if stat.endswith("_long") else sums[stat] + amount
                )
    return totals


def _of_players(statistics: Named) -> dict[Person, dict[str, int]]:
    return {
        (player, club): dict(stats)
        for (player, club), stats in statistics.items()
        if player is not None
    }


def _followed(plays: Sequence[Snapped]) -> Named:
    statistics: Named = {}
    tally = _Tally(statistics)
    for play in plays:
        if play.snap.situation != "try":
            _follow(play, tally)
    return statistics


class _Tally:
    """Statistics by player and club."""

    def __init__(self, statistics: Named) -> None:
        self._statistics = statistics

    def of(self, player: str | None, club: str) -> Counter[str]:
        return self._statistics.setdefault((player, club), Counter())

    def long(self, player: str | None, club: str, stat: str, yards: int) -> None:
        """Count the gain if it is the player's longest so far."""
        if yards > 0:
            stats = self.of(player, club)
            stats[stat] = max(yards, stats[stat])


def _follow(play: Snapped, tally: _Tally) -> None:
    movement, thrown, gained, was_fumbled = "", None, 0, False
    for body in play.bodies:
        match body:
            case ev.Pass(result="complete", reception_yard=int(caught)):
                movement, thrown, gained = "catch", body, caught - body.throw_yard
                tally.long(body.receiver, body.team, "receiving_long", gained)
                tally.long(body.passer, body.team, "passing_long", gained)
            case ev.Run(kind="after_catch") if movement == "catch" and thrown is not None:
                gained += body.end_yard - body.start_yard
                tally.long(body.player, body.team, "receiving_long", gained)
                tally.long(thrown.passer, body.team, "passing_long", gained)
            case ev.Run() if body.is_rush:
                tally.long(body.player, body.team, "rushing_long", body.end_yard - body.start_yard)
            case ev.Interception():
                movement = "interception"
            case ev.Fumble():
                movement, was_fumbled = "", True
            case ev.Recovery():  # of a blocked kick without a fumble: miscellaneous yards
                movement = "fumble" if was_fumbled else ""
            case ev.Kick():
                was_fumbled = False
                movement = _PLACE.get(body.kind, "")
                _kick(play, body, tally)
            case ev.Run(kind="return" | "after_lateral") if movement in (
                "interception",
                "punt",
                "kickoff",
            ):
                yards = body.end_yard - body.start_yard
                if movement == "interception":
                    tally.of(body.player, body.team)["interception_return_yards"] += yards
                tally.long(body.player, body.team, f"{movement}_return_long", yards)
            case ev.Run(kind="after_recovery") if movement == "fumble":
                tally.of(body.player, body.team)["fumble_return_yards"] += (
                    body.end_yard - body.start_yard
                )


def _kick(play: Snapped, kick: ev.Kick, tally: _Tally) -> None:
    kicker = tally.of(kick.kicker, kick.team)
    if kick.kind == "field_goal" and kick.result == "good":
        tally.long(kick.kicker, kick.team, "fg_long", kick.distance or 0)
    if kick.kind != "punt" or kick.result == "aborted":
        return
    tally.long(kick.kicker, kick.team, "punt_long", punt_yards(play.snap, kick))
    if kick.result == "touchback":
        kicker["punt_touchbacks"] += 1
    elif kick.result != "blocked" and _came_to_rest(play, kick) > RED_ZONE:
        kicker["punts_inside_20"] += 1


def punt_yards(snap: ev.Snap, punt: ev.Kick) -> int:
    """The official length of a punt.

    An unrecorded touchback counts from the line of scrimmage to the goal line.
    """
    if punt.distance is None and punt.result == "touchback":
        return 100 - snap.spot
    return punt.distance or 0


def _came_to_rest(play: Snapped, punt: ev.Kick) -> int:
    """Where the receivers had the ball after punt and return, from the punters' goal line."""
    yard = play.snap.spot + (punt.distance or 0)
    for body in play.bodies:
        if isinstance(body, ev.Run) and body.team != punt.team:
            yard = 100 - body.end_yard
    return yard


def kicking_lines(plays: Sequence[Snapped]) -> dict[tuple[str, str], dict[str, int]]:
    """Punts, kickoffs and return yards by player and club, without statistics of 0.

    `punts`, `punt_yards`, `punt_return_yards`, `kickoff_return_yards`, `kickoffs` (with onside
    kicks, without free kicks after a safety), `kickoff_touchbacks`, `kickoffs_out_of_bounds`. A
    blocked punt is its club's alone (NFL and NCAA).
    """
    return _of_players(_kicked(plays))


def _kicked(plays: Sequence[Snapped]) -> Named:
    statistics: Named = {}

    def add(player: str | None, club: str, stat: str, amount: int) -> None:
        statistics.setdefault((player, club), Counter())[stat] += amount

    for play in plays:
        stat = ""
        for body in play.bodies:
            match body:
                case ev.Kick():
                    stat = _PLACE.get(body.kind, "")
                    if body.kind == "punt" and body.result != "aborted":
                        punter = None if body.result == "blocked" else body.kicker
                        add(punter, body.team, "punts", 1)
                        add(punter, body.team, "punt_yards", punt_yards(play.snap, body))
                    if body.kind in ("kickoff", "onside"):
                        add(body.kicker, body.team, "kickoffs", 1)
                        if end_statistic := _KICKOFF_ENDS.get(body.result):
                            add(body.kicker, body.team, end_statistic, 1)
                case ev.Fumble() | ev.Recovery() | ev.Interception() | ev.Pass() | ev.Sack():
                    stat = ""
                case ev.Run(kind="return" | "after_lateral") if stat:
                    add(
                        body.player,
                        body.team,
                        f"{stat}_return_yards",
                        body.end_yard - body.start_yard,
                    )
    return statistics


@dataclass(frozen=True, slots=True)
class Punting:
    """The punting of a club in yards."""

    punts: int
    gross: int
    returned: int
    touchbacks: int

    @property
    def net(self) -> int:
        """Gross yards less return yards and 20 per touchback; blocked punts count as punts."""
        return self.gross - self.returned - TOUCHBACK * self.touchbacks


def punting(plays: Sequence[Snapped], club: str) -> Punting:
    """The punts of a club (NFL: a blocked punt counts as a punt of 0 yards)."""
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
    """Drives that came this far, and how many ended with a touchdown or a field goal."""

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
        and snap.spot + snap.distance >= ev.GOAL_LINE
    )


def _chances(
    drives: Sequence[Drive], plays: Sequence[Snapped], club: str, near: Sequence[bool]
) -> Chances:
    places = {play.number: place for place, play in enumerate(plays)}
    club_drives = [
        drive
        for drive in drives
        if drive.club == club and any(near[places[drive.first_play] : places[drive.last_play] + 1])
    ]
    results = Counter(drive.result for drive in club_drives)
    return Chances(len(club_drives), results["touchdown"], results["field_goal"])
