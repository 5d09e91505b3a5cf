"""Turns a game into the game as it was first called, with the plays of corrections.csv.

Such a play is published as first ruled and then corrected. The calls are read in first_calls.py,
the final record in game.py.

The steps of a nullified play: the snap, the call, the fouls, and a nullify of exactly what was
called. The steps of a reversed play: the snap, the call, the fouls, a pending challenge and its
overturn; then an overturn of each event that has a counterpart in the final record, a nullify of
the others, and the events that are new. Afterwards the valid events are those of the final record,
in the same order; only the challenge may now name the club.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Literal

import msgspec

from app.core.csv_files import Row
from app.record import events as ev
from app.record.play_by_play import chain
from app.record.play_by_play.field import flip
from app.record.play_by_play.first_calls import KINDS, Call, Foul, credits_of_call
from app.record.play_by_play.game_rows import Sides
from app.record.play_by_play.stat_ids import Play

_PROCEDURE = ev.Penalty | ev.Challenge
_AFTER_THE_PLAY = ev.Snap | ev.Timeout | ev.Period | ev.GameEnded
_CREDIT = ev.Tackle | ev.Credit
_SAME_KIND, _OTHER_KIND, _IN_OR_OUT = 1, 3, 2


class Retelling:
    """Puts the first calls of a game into its steps; used once."""

    def __init__(self, calls: Iterable[Call], sides: Sides) -> None:
        self.sides = sides
        self.plays: dict[int, list[Call]] = {}
        # a play's review comes before its nullification
        for call in sorted(calls, key=lambda call: KINDS.index(call.kind)):
            self.plays.setdefault(call.play_id, []).append(call)
        self._retold: set[int] = set()

    def steps(self, final: Iterable[tuple[Row, ev.Body]]) -> Iterator[tuple[Row, ev.Body]]:
        """The steps (row of the file and body) of the final record with the calls put in.

        The nth step becomes event number n.
        """
        done = 0
        for _, group in groupby(final, key=lambda step: id(step[0])):
            pairs = list(group)
            row, bodies = pairs[0][0], [body for _, body in pairs]
            calls = self.plays.get(row.number("play_id") or 0)
            snap = next(
                (place for place, body in enumerate(bodies) if isinstance(body, ev.Snap)), None
            )
            if calls and snap is not None:
                self._retold.add(calls[0].play_id)
                bodies = self._steps_of_play(row, bodies, snap, calls, done)
            done += len(bodies)
            for body in bodies:
                yield row, body

    def left_out(self) -> list[str]:
        """Calls that could not be expressed, each with its place and the reason.

        Complete once `steps` is exhausted.
        """
        reasons = []
        for call in (call for calls in self.plays.values() for call in calls):
            if call.play_id not in self._retold:
                reasons.append(f"{call.place}: the play-by-play has no such play")
            elif call.is_live and call.action is None:
                printed = call.row.text("action") or "missing"
                reasons.append(
                    f"{call.place}: action {printed} does not say what was called; only its fouls "
                    "are imported"
                )
        return reasons

    def _steps_of_play(
        self, row: Row, bodies: list[ev.Body], at: int, calls: Sequence[Call], done: int
    ) -> list[ev.Body]:
        end = next(
            (n for n in range(at + 1, len(bodies)) if isinstance(bodies[n], _AFTER_THE_PLAY)),
            len(bodies),
        )
        snap, play = bodies[at], bodies[at + 1 : end]
        assert isinstance(snap, ev.Snap)
        penalties = _fouls(calls, [body for body in play if isinstance(body, ev.Penalty)])
        movements = [body for body in play if not isinstance(body, _PROCEDURE)]
        reviews: list[ev.Body] = [body for body in play if isinstance(body, ev.Challenge)]
        steps = _PlaySteps(done + at + 1, snap)
        calls = [call for call in calls if call.action is not None]
        if not calls:  # nothing was called live, so the play has its final events and the fouls
            steps.publish([*movements, *penalties, *reviews])
        is_nullified = any(call.kind == "nullified" for call in calls)
        for call in calls:
            steps.correct_to(self._movements(row, snap, call), call.text)
            if call is calls[0] and call.kind == "nullified":
                steps.publish(reviews)
            if call.kind == "nullified" or not is_nullified:
                steps.publish(penalties)
                penalties = []
            if call.kind == "nullified":
                steps.nullify(
                    ", ".join(foul.name for foul in call.fouls if foul.status != "declined")[:500]
                )
            else:
                steps.publish([ev.Challenge(by=call.by, ruling="pending", reason=call.text)])
                steps.publish([ev.Challenge(by=call.by, ruling="overturned", reason=call.text)])
        if calls:
            steps.correct_to(movements, calls[-1].text)
        return [*bodies[:at], *steps.published, *bodies[end:]]

    def _movements(self, row: Row, snap: ev.Snap, call: Call) -> list[ev.Body]:
        """The call as events after the snap: movements, then tackles."""
        club, spot = snap.possession, snap.spot
        # files differ in which club has the ball on a kickoff
        if call.offence not in (None, club) and call.action != "kickoff":
            club, spot = self.sides.other(club), flip(spot)
        rows = credits_of_call(call, club, self.sides.other(club), spot)
        play = Play(
            possession=club,
            other=self.sides.other(club),
            spot=spot,
            rows=rows,
            is_spike=call.action == "spike",
            is_scramble=call.action == "scramble" or row.flag("qb_scramble"),
            is_kneel=call.action == "kneel" or row.flag("qb_kneel"),
            is_free_kick=snap.situation == "free_kick",
            is_try=snap.situation == "try",
        )
        return chain.bodies(play) if rows else []


class _PlaySteps:
    """The published steps of one play, and its valid movements by event number."""

    def __init__(self, number: int, snap: ev.Snap) -> None:
        self.published: list[ev.Body] = [snap]
        self._first = number
        self._standing: list[tuple[int, ev.Body]] = []

    def publish(self, bodies: Iterable[ev.Body]) -> None:
        self.published += bodies

    def nullify(self, reason: str) -> None:
        if self._standing:
            self.publish(
                [ev.Nullify(events=tuple(number for number, _ in self._standing), reason=reason)]
            )
        self._standing = []

    def correct_to(self, bodies: Sequence[ev.Body], reason: str) -> None:
        """Correct the valid movements to these bodies, in their order.

        Without valid movements the bodies are simply published.
        """
        counterparts = _counterparts(tuple(body for _, body in self._standing), tuple(bodies))
        remaining, nullified = [], []
        for place, (number, body) in enumerate(self._standing):
            if place not in counterparts:
                nullified.append(number)
                continue
            ruling = bodies[counterparts[place]]
            remaining.append((number, ruling))
            if ruling != body:
                assert isinstance(ruling, ev.Fact)
                self.publish([ev.Overturn(event=number, ruling=ruling, reason=reason)])
        if nullified:
            self.publish([ev.Nullify(events=tuple(nullified), reason=reason)])
        self._standing = remaining
        for body in bodies[len(remaining) :]:
            self._standing.append((self._first + len(self.published), body))
            self.publish([body])


def _counterparts(was: tuple[ev.Body, ...], becomes: tuple[ev.Body, ...]) -> Mapping[int, int]:
    """The place in `becomes` for each place in `was` that is corrected; the others are nullified.

    An overturn keeps the number of its event and a new event comes last, so the corrected ones are
    the first of `becomes`, in order. The cheapest alignment wins: an unchanged event costs nothing,
    then comes another ruling of the same kind, then another kind (but never a credit in place of a
    movement), then a nullify and a new event.
    """

    @cache
    def cheapest(i: int, j: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        alignments: list[tuple[int, tuple[tuple[int, int], ...]]] = [
            (_IN_OR_OUT * (len(was) - i + len(becomes) - j), ())
        ]
        if i < len(was) and j < len(becomes):
            before, after = was[i], becomes[j]
            if isinstance(before, _CREDIT) == isinstance(after, _CREDIT):
                cost, pairs = cheapest(i + 1, j + 1)
                alignments.append((_price(before, after) + cost, ((i, j), *pairs)))
            cost, pairs = cheapest(i + 1, j)
            alignments.append((_IN_OR_OUT + cost, pairs))
        return min(alignments, key=lambda alignment: alignment[0])

    return dict(cheapest(0, 0)[1])


def _price(before: ev.Body, after: ev.Body) -> int:
    if before == after:
        return 0
    return _SAME_KIND if type(before) is type(after) else _OTHER_KIND


def _fouls(calls: Sequence[Call], known: Sequence[ev.Penalty]) -> list[ev.Body]:
    """The fouls of the play in the order of the table, then other fouls of the final record.

    The final record lacks declined and offsetting ones.
    """
    unmatched, fouls = list(known), []
    for foul in (foul for call in calls for foul in call.fouls):
        same = next(
            (
                penalty
                for penalty in unmatched
                if (penalty.team, penalty.status) == (foul.team, foul.status)
            ),
            None,
        )
        if same is None:
            fouls.append(_penalty(foul))
        else:
            unmatched.remove(same)
            fouls.append(same if same.foul else msgspec.structs.replace(same, foul=foul.name))
    return [*fouls, *unmatched]


def _penalty(foul: Foul) -> ev.Penalty:
    outcomes: dict[str, Literal["nullify", "decline", "offsetting"]] = {
        "accepted": "nullify",
        "declined": "decline",
        "offsetting": "offsetting",
    }
    return ev.Penalty(
        team=foul.team,
        foul=foul.name,
        yards=foul.yards,
        status=foul.status,
        outcome=outcomes[foul.status],
    )
