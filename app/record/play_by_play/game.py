"""Turns the rows of a game into its scripted events, from the start to the final score.

This module has the order of events and the situation before each snap. The events within a play are
in chain.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from app.core.csv_files import Row
from app.record import events as ev
from app.record.play_by_play import chain, wide_credits
from app.record.play_by_play.as_called import Retelling
from app.record.play_by_play.field import flip, within
from app.record.play_by_play.game_rows import Line, Sides, read_lines
from app.record.play_by_play.playstats import GameStats
from app.record.play_by_play.sidecar import Gap
from app.record.play_by_play.stat_ids import (
    EXTRA_POINTS,
    FIRST_DOWN_BY_PENALTY,
    KICKOFFS,
    PENALTY,
    PUNTS,
    SAFETY,
    TIMEOUT,
    TRIES,
    Landed,
    Play,
)
from app.record.play_by_play.timing import Pace
from app.record.rules.state import scoring_plays

_OFFENSIVE = frozenset(
    (2, 10, 11, 14, 15, 16, 19, 20, 21, 22, 29, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 104, 105)
)
_KICKERS = frozenset((41, 42, 43, 44, 107, 108, 410))
_TWO_MINUTES = 120
_LAST_PERIOD = 10  # the last one that an event may name
_SAFETY_POINTS, _FIELD_GOAL_POINTS = 2, 3
_RULINGS: dict[str, Literal["upheld", "stands", "overturned"]] = {
    "upheld": "upheld",
    "confirmed": "upheld",
    "denied": "upheld",
    "stands": "stands",
    "reversed": "overturned",
}


@dataclass(frozen=True, slots=True)
class GameSource:
    """What the files have about a game.

    `stats`: the league's credits, None if only the wide columns have them. `gaps`: scores without a
    play. `final`: the official score if it is known.
    """

    rows: Sequence[Row]
    sides: Sides
    stats: GameStats | None
    gaps: Sequence[Gap]
    final: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Before:
    """The situation before a snap."""

    possession: str
    spot: int
    situation: ev.Situation


_SHORT = "Kickoff Short of Landing Zone"
_LANDING_TOUCHBACK = 20  # the yard line of a touchback through the landing zone (since 2024)


def _landed(row: Row) -> Landed | None:
    """Where a kickoff came down, by the foul or touchback in the row's description."""
    described = row.text("desc") or ""
    if _SHORT.lower() in f"{row.text('penalty_type') or ''} {described}".lower():
        return "short"
    touchback = re.search(r"touchback to the (?:[A-Z]+ )?(\d{1,3})\b", described, re.IGNORECASE)
    if touchback is None:
        return None
    return "landing_zone" if int(touchback[1]) == _LANDING_TOUCHBACK else "end_zone"


def script(
    source: GameSource, retelling: Retelling | None = None
) -> Iterator[tuple[Row, ev.ScriptedEvent]]:
    """All events of a game in order, with its first calls if there is a `retelling`.

    Each comes with the row of the file that it was read from.
    """
    pace = Pace()
    steps = _Game(source, frozenset(retelling.plays if retelling else ())).bodies()
    for line, body in retelling.steps(steps) if retelling else steps:
        try:
            checked = ev.check(body)
        except ev.InvalidEventError as error:
            raise line.error("play_id", f"the play makes no valid event ({error})") from error
        yield line, ev.ScriptedEvent(at_ms=pace.at_ms(checked), body=checked)


class _Game:
    """Follows the course of a game through its rows.

    `called`: plays that were begun, although the file may have nothing else about them (offsetting
    fouls).
    """

    def __init__(self, source: GameSource, called: frozenset[int]) -> None:
        self.source = source
        self.called = called
        self.sides = source.sides
        self.lines = read_lines(source.rows, self.sides, source.stats)
        if not self.lines:
            raise source.rows[0].error("play_deleted", "marks every play of the game as deleted")
        self.period = 0
        self.clock = ev.PERIOD_SECONDS
        self.after_safety = False
        self.scores = [0, 0]

    def bodies(self) -> Iterator[tuple[Row, ev.Body]]:
        first, last = self.lines[0].row, self.lines[-1].row
        yield first, ev.GameStarted(home=self.sides.home, away=self.sides.away)
        for place, line in enumerate(self.lines):
            for body in self._steps(place, line):
                yield line.row, body
            for body in self._missing(line):
                yield line.row, body
        yield last, ev.Period(period=max(1, self.period), phase="end")
        yield last, ev.GameEnded()
        home, away = self.source.final or self._declared() or (self.scores[0], self.scores[1])
        yield last, ev.Final(home_score=home, away_score=away)

    def _declared(self) -> tuple[int, int] | None:
        """The final score in the columns of the file."""
        for line in reversed(self.lines):
            for columns in (("home_score", "away_score"), ("total_home_score", "total_away_score")):
                home, away = (line.row.number(column) for column in columns)
                if home is not None and away is not None:
                    return home, away
        return None

    def _steps(self, place: int, line: Line) -> Iterator[ev.Body]:
        row = line.row
        self._tick(row)
        if line.is_play or row.number("play_id") in self.called:
            yield from self._period_of(row)
            yield from self._play(place, line)
        elif (
            row.text("play_type") is None
            and self.clock == _TWO_MINUTES
            and self.period in (ev.QUARTERS // 2, ev.QUARTERS)
            and not line.aside
        ):
            yield ev.Timeout(reason="two-minute warning")
        for team in self._timeouts(line):
            yield ev.Timeout(team=team)

    def _tick(self, row: Row) -> None:
        clock = row.number("quarter_seconds_remaining")
        printed = re.fullmatch(r"(\d{0,2}):(\d\d)(?::\d\d)?", row.text("time") or "")
        if clock is None and printed:
            clock = int(printed[1] or 0) * 60 + int(printed[2])
        if clock is not None:
            self.clock = max(0, min(ev.PERIOD_SECONDS, clock))

    def _timeouts(self, line: Line) -> list[str | None]:
        called = [row.team for row in line.aside if row.stat == TIMEOUT]
        if not called and line.row.flag("timeout"):
            return [self.sides.club(line.row.text("timeout_team"))]
        return list(called)

    def _period_of(self, row: Row) -> Iterator[ev.Body]:
        period = row.number("qtr", "quarter")
        if period is None or not 1 <= period <= _LAST_PERIOD:
            raise row.error("qtr", "must be 1 to 4, or from 5 in overtime")
        while self.period < period:
            if self.period:
                yield ev.Period(period=self.period, phase="end")
            self.period += 1
            yield ev.Period(period=self.period, phase="start")

    def _play(self, place: int, line: Line) -> Iterator[ev.Body]:
        row, before = line.row, self._before(place, line)
        down = row.number("down")
        distance = row.number("ydstogo")
        is_scrimmage = (
            before.situation == "scrimmage" and down is not None and 1 <= down <= ev.LAST_DOWN
        )
        yield ev.Snap(
            possession=before.possession,
            spot=before.spot,
            period=self.period,
            clock=self.clock,
            situation=before.situation,
            down=down if is_scrimmage else None,
            distance=within(distance) if is_scrimmage and distance is not None else None,
        )
        play = Play(
            possession=before.possession,
            other=self.sides.other(before.possession),
            spot=before.spot,
            rows=line.rows,
            is_spike=row.flag("qb_spike"),
            is_scramble=row.flag("qb_scramble"),
            is_kneel=row.flag("qb_kneel"),
            is_free_kick=before.situation == "free_kick",
            is_try=before.situation == "try",
            try_distance=row.number("kick_distance") if line.ids & EXTRA_POINTS else None,
            safety_team=self._safety_team(line, before),
            landed=_landed(row),
        )
        bodies = chain.bodies(play)
        yield from bodies
        self._count(bodies)
        if line.rows:
            self.after_safety = any(
                isinstance(body, ev.Safety) and body.points == _SAFETY_POINTS for body in bodies
            )
        yield from self._penalties(line)
        yield from self._review(row)

    def _before(self, place: int, line: Line) -> Before:
        """The situation before the snap.

        On a kickoff the kickers have the ball, although the files name the receivers.
        """
        row = line.row
        called_back = None
        if not line.rows and row.number("down") is None:
            called_back = next((later for later in self.lines[place + 1 :] if later.rows), None)
        ids = called_back.ids if called_back and not called_back.row.number("down") else line.ids
        kickoff = bool(ids & KICKOFFS) or row.text("play_type") == "kickoff"
        possession = self._kickers(called_back or line) if kickoff else self._attack(line)
        situation: ev.Situation = "scrimmage"
        if ids & TRIES or row.flag("two_point_attempt") or row.text("play_type") == "extra_point":
            situation = "try"
        elif self.after_safety and (kickoff or ids & PUNTS):
            situation = "free_kick"
        elif kickoff:
            situation = "kickoff"
        return Before(possession, self._spot(line, possession, situation), situation)

    def _kickers(self, line: Line) -> str:
        for row in line.rows:
            if row.stat in _KICKERS:
                return row.team
            if row.stat in KICKOFFS:
                return self.sides.other(row.team)
        return line.defence or self.sides.home

    def _attack(self, line: Line) -> str:
        named = next((row.team for row in line.rows if row.stat in _OFFENSIVE), None)
        return named or line.offence or self.sides.home

    def _spot(self, line: Line, possession: str, situation: ev.Situation) -> int:
        row = line.row
        to_go = row.number("yardline_100", "yrdline100")
        if to_go is not None:
            return within(flip(to_go) if line.offence in (None, possession) else to_go)
        printed = re.fullmatch(r"([A-Z]{2,3}) ?(\d{1,2})|(?:MID ?)?(50)", row.text("yrdln") or "")
        if printed and printed[3]:
            return int(printed[3])
        if printed:
            return (
                int(printed[2])
                if self.sides.club(printed[1]) == possession
                else flip(int(printed[2]))
            )
        return {"scrimmage": 50, "kickoff": 35, "free_kick": 20, "try": 85}[situation]

    def _safety_team(self, line: Line, before: Before) -> str | None:
        """The club that scored the safety, by the score after it if the file has it."""
        row = line.row
        if not row.flag("safety"):
            return None
        points = 1 if before.situation == "try" else 2
        for column, club, score in (
            ("total_home_score", self.sides.home, 0),
            ("total_away_score", self.sides.away, 1),
        ):
            if row.number(column) == self.scores[score] + points:
                return club
        return next(
            (credit.team for credit in line.rows if credit.stat == SAFETY),
            self.sides.other(before.possession),
        )

    def _penalties(self, line: Line) -> Iterator[ev.Body]:
        row = line.row
        fouls = [credit for credit in line.aside if credit.stat == PENALTY]
        named = row.text("penalty_type") or (_SHORT if _landed(row) == "short" else "")
        called_back = row.text("play_type") == "no_play" and not line.rows
        accepted: Literal["nullify", "first_down", "downfield"] = (
            "nullify" if called_back else "downfield"
        )
        if not called_back and (
            row.flag("first_down_penalty")
            or any(credit.stat == FIRST_DOWN_BY_PENALTY for credit in line.aside)
        ):
            accepted = "first_down"
        wide_player = wide_credits.penalized(row)
        for foul in fouls:
            is_named = len(fouls) == 1 or foul.player == wide_player
            yield ev.Penalty(
                team=foul.team,
                player=foul.player,
                foul=named if is_named else "",
                yards=within(abs(foul.yards)),
                outcome=accepted,
            )
        team = self.sides.club(row.text("penalty_team"))
        if not fouls and row.flag("penalty") and team is not None:
            yield ev.Penalty(
                team=team, player=wide_player, foul=named, status="offsetting", outcome="offsetting"
            )

    def _review(self, row: Row) -> Iterator[ev.Body]:
        if row.flag("replay_or_challenge"):
            yield ev.Challenge(ruling="pending")
            ruling = _RULINGS.get(row.text("replay_or_challenge_result") or "", "stands")
            # the file has the play as it was ruled
            yield ev.Challenge(ruling=ruling, is_entered=ruling == "overturned")

    def _missing(self, line: Line) -> Iterator[ev.Body]:
        """The scores that the file has no play for (known_gaps.csv), as a try or a field goal."""
        for gap in self.source.gaps:
            team = self.sides.club(gap.team)
            if team is None or gap.after_play != line.row.number("play_id"):
                continue
            bodies = list(self._gap_play(gap, team))
            self._count(bodies)
            yield from bodies

    def _gap_play(self, gap: Gap, team: str) -> Iterator[ev.Body]:
        period = max(1, self.period)
        if gap.points == _FIELD_GOAL_POINTS:
            yield ev.Snap(possession=team, spot=75, period=period, clock=self.clock)
            yield ev.Kick(
                team=team, kicker=gap.kicker, kind="field_goal", result="good", start_yard=75
            )
        elif gap.points in (1, 2):
            yield ev.Snap(
                possession=team, spot=85, period=period, clock=self.clock, situation="try"
            )
            if gap.points == 1:
                yield ev.Kick(
                    team=team, kicker=gap.kicker, kind="extra_point", result="good", start_yard=85
                )
            else:
                yield ev.Conversion(team=team, kind="rush", good=True)

    def _count(self, bodies: Sequence[ev.Body]) -> None:
        """Add the points of these events to the score."""
        for play in scoring_plays((n, 1, body) for n, body in enumerate(bodies, 1)):
            self.scores[0 if play.team == self.sides.home else 1] += play.points
