"""A game as it was first called: the plays of corrections.csv are published as ruled at first, then
taken away.

Lives here: the steps of such a play. Not here: what was called (calls.py), and the record that
remains (game.py).

A nullified play: snap, what was called, the fouls, a nullify of exactly what was called. A reversed
play: snap, what was called, fouls, the challenge pending and overturned; then an overturn of each
event that has a counterpart in the final record, a nullify of those that fall away, and what comes
in. What stands afterwards is, body for body and in the same order, what the final record has for
the play (its challenge may now say by whom).
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
from app.record.play_by_play.first_calls import KINDS, Call, Foul, credits
from app.record.play_by_play.game_rows import Sides
from app.record.play_by_play.stat_ids import Play

_PROCEDURE = ev.Penalty | ev.Challenge
_AFTER_THE_PLAY = ev.Snap | ev.Timeout | ev.Period | ev.GameEnded
_CREDIT = ev.Tackle | ev.Credit
_SAME_KIND, _OTHER_KIND, _IN_OR_OUT = 1, 3, 2


class Retelling:
    """The calls of one game, put into its steps once."""

    def __init__(self, calls: Iterable[Call], sides: Sides) -> None:
        self.sides = sides
        self.plays: dict[int, list[Call]] = {}
        # a review comes before the nullify
        for call in sorted(calls, key=lambda call: KINDS.index(call.kind)):
            self.plays.setdefault(call.play_id, []).append(call)
        self._told: set[int] = set()

    def steps(self, final: Iterable[tuple[Row, ev.Body]]) -> Iterator[tuple[Row, ev.Body]]:
        """The steps of the final record (row of the file and body) with the calls put in.

        Step n is event n.
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
                self._told.add(calls[0].play_id)
                bodies = self._retold(row, bodies, snap, calls, done)
            done += len(bodies)
            for body in bodies:
                yield row, body

    def left_out(self) -> list[str]:
        """Calls that could not be expressed, each with its place and the reason.

        Asked for after `steps`.
        """
        found = []
        for call in (call for calls in self.plays.values() for call in calls):
            if call.play_id not in self._told:
                found.append(f"{call.place}: the play-by-play has no such play")
            elif call.is_live and call.action is None:
                printed = call.row.text("action") or "missing"
                found.append(
                    f"{call.place}: action {printed} does not say what was called; only its fouls "
                    "are in"
                )
        return found

    def _retold(
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
        told = _Told(done + at + 1, snap)
        calls = [call for call in calls if call.action is not None]
        if not calls:  # nothing was called live: the play is what it is, with its fouls
            told.say([*movements, *penalties, *reviews])
        is_nullified = any(call.kind == "nullified" for call in calls)
        for call in calls:
            told.turn_into(self._movements(row, snap, call), call.text)
            if call is calls[0] and call.kind == "nullified":
                told.say(reviews)
            if call.kind == "nullified" or not is_nullified:
                told.say(penalties)
                penalties = []
            if call.kind == "nullified":
                told.nullify(
                    ", ".join(foul.name for foul in call.fouls if foul.status != "declined")[:500]
                )
            else:
                told.say([ev.Challenge(by=call.by, ruling="pending", reason=call.text)])
                told.say([ev.Challenge(by=call.by, ruling="overturned", reason=call.text)])
        if calls:
            told.turn_into(movements, calls[-1].text)
        return [*bodies[:at], *told.steps, *bodies[end:]]

    def _movements(self, row: Row, snap: ev.Snap, call: Call) -> list[ev.Body]:
        """What was called after the snap: movements, then tackles."""
        club, spot = snap.possession, snap.spot
        # files differ in who has a kickoff's ball
        if call.offence not in (None, club) and call.action != "kickoff":
            club, spot = self.sides.other(club), flip(spot)
        found = credits(call, club, self.sides.other(club), spot)
        play = Play(
            possession=club,
            other=self.sides.other(club),
            spot=spot,
            rows=found,
            is_spike=call.action == "spike",
            is_scramble=call.action == "scramble" or row.flag("qb_scramble"),
            is_kneel=call.action == "kneel" or row.flag("qb_kneel"),
            is_free_kick=snap.situation == "free_kick",
            is_try=snap.situation == "try",
        )
        return chain.bodies(play) if found else []


class _Told:
    """The steps of one play as they are told, and what stands of the movements by event number."""

    def __init__(self, number: int, snap: ev.Snap) -> None:
        self.steps: list[ev.Body] = [snap]
        self._first = number
        self._standing: list[tuple[int, ev.Body]] = []

    def say(self, bodies: Iterable[ev.Body]) -> None:
        self.steps += bodies

    def nullify(self, reason: str) -> None:
        if self._standing:
            self.say(
                [ev.Nullify(events=tuple(number for number, _ in self._standing), reason=reason)]
            )
        self._standing = []

    def turn_into(self, bodies: Sequence[ev.Body], reason: str) -> None:
        """Corrects what stands into these bodies, in their order.

        Published where nothing stands yet.
        """
        counterparts = _counterparts(tuple(body for _, body in self._standing), tuple(bodies))
        stays, gone = [], []
        for place, (number, body) in enumerate(self._standing):
            if place not in counterparts:
                gone.append(number)
                continue
            ruling = bodies[counterparts[place]]
            stays.append((number, ruling))
            if ruling != body:
                assert isinstance(ruling, ev.Fact)
                self.say([ev.Overturn(event=number, ruling=ruling, reason=reason)])
        if gone:
            self.say([ev.Nullify(events=tuple(gone), reason=reason)])
        self._standing = stays
        for body in bodies[len(stays) :]:
            self._standing.append((self._first + len(self.steps), body))
            self.say([body])


def _counterparts(was: tuple[ev.Body, ...], becomes: tuple[ev.Body, ...]) -> Mapping[int, int]:
    """Which place in `becomes` each place in `was` turns into; the others of `was` fall away.

    An overturn keeps its event's number and a new event comes last, so the turned ones are the
    first of `becomes`, in order. The cheapest way is taken: nothing to do, then another ruling of
    the same kind, then another kind (not from a movement to a credit for it), then out and in.
    """

    @cache
    def cheapest(i: int, j: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        ways: list[tuple[int, tuple[tuple[int, int], ...]]] = [
            (_IN_OR_OUT * (len(was) - i + len(becomes) - j), ())
        ]
        if i < len(was) and j < len(becomes):
            one, other = was[i], becomes[j]
            if isinstance(one, _CREDIT) == isinstance(other, _CREDIT):
                price = (
                    0 if one == other else _SAME_KIND if type(one) is type(other) else _OTHER_KIND
                )
                cost, pairs = cheapest(i + 1, j + 1)
                ways.append((price + cost, ((i, j), *pairs)))
            cost, pairs = cheapest(i + 1, j)
            ways.append((_IN_OR_OUT + cost, pairs))
        return min(ways, key=lambda way: way[0])

    return dict(cheapest(0, 0)[1])


def _fouls(calls: Sequence[Call], known: Sequence[ev.Penalty]) -> list[ev.Body]:
    """The fouls of the play: those of the final record, and those it has not (declined,
    offsetting), in table order.
    """
    rest, found = list(known), []
    for foul in (foul for call in calls for foul in call.fouls):
        same = next(
            (one for one in rest if (one.team, one.status) == (foul.team, foul.status)), None
        )
        if same is None:
            found.append(_penalty(foul))
        else:
            rest.remove(same)
            found.append(same if same.foul else msgspec.structs.replace(same, foul=foul.name))
    return [*found, *rest]


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
