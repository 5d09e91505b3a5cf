"""Turns the credits of passers, receivers and runners into movements of the ball.

This module has passes, interceptions, sacks and rushes, each with laterals. Loose balls and returns
are in chain.py.
"""

from __future__ import annotations

from typing import Literal

from app.record import events as ev
from app.record.play_by_play.field import Field, flip, span, within
from app.record.play_by_play.playstats import StatRow
from app.record.play_by_play.stat_ids import (
    CATCH,
    INTERCEPTED,
    INTERCEPTION,
    LATERAL_CATCH,
    LATERAL_INTERCEPTION,
    LATERAL_RUSH,
    PASS_TOUCHDOWN,
    PASSES,
    RECEPTION,
    RUSH,
    Play,
    scores,
)


def passes(field: Field, play: Play) -> None:
    """Add the play's passes with their catches, runs and interceptions."""
    throws = play.all(*PASSES)
    catches, laterals = play.all(*CATCH), play.all(*LATERAL_CATCH)
    if not throws and (catches or laterals):
        _complete(field, play, None, catches[0] if catches else None, laterals)
        return
    caught = {row.player for row in catches}
    targets = [row for row in play.all(115) if row.player not in caught]
    completions = [row for row in throws if row.stat in (15, 16)]
    for throw in throws:
        if throw.stat in (15, 16):
            catch = catches.pop(0) if catches else None
            _complete(field, play, throw, catch, laterals if throw is completions[-1] else [])
        else:
            _incomplete(field, play, throw, targets.pop(0).player if targets else None)


def _complete(
    field: Field, play: Play, throw: StatRow | None, catch: StatRow | None, laterals: list[StatRow]
) -> None:
    """Add a catch, its run, and laterals.

    The yards that the passer has beyond those of the receivers go to an unknown runner.
    """
    team = play.possession
    passer, receiver = throw.player if throw else None, catch.player if catch else None
    handed_on = sum(row.yards for row in laterals)
    gained = 0
    if catch:
        gained = catch.yards
    elif throw:
        gained = throw.yards - handed_on
    unknown = throw.yards - gained - handed_on if throw else 0
    by_lateral = any(scores(row) for row in laterals)
    by_nobody = (
        not by_lateral
        and throw is not None
        and throw.stat == PASS_TOUCHDOWN
        and catch is not None
        and catch.stat == RECEPTION
    )
    by_catch = not by_lateral and not by_nobody and any(scores(row) for row in (throw, catch))

    base = field.seen_from(team)
    if (by_catch or by_lateral) and not unknown:
        base = flip(gained + handed_on)
    base = max(0, -gained, min(base, 100, 100 - gained))
    end = base + gained
    air = next((row for row in play.all(111) if row.player == passer), None)
    at = within(base + air.yards) if air else end
    if unknown and by_catch:
        at = base
    straight = at == end and not unknown and not by_nobody
    field.put(team, at)
    field.had(receiver)
    field.add(
        ev.Pass(
            team=team,
            passer=passer,
            receiver=receiver,
            result="complete",
            throw_yard=base,
            reception_yard=at,
            is_touchdown=by_catch and straight,
        )
    )
    if (unknown and by_catch) or (unknown and not laterals):
        field.carry("after_lateral", team, None, unknown)
    if not straight and (at != end or by_catch):
        field.carry("after_catch", team, receiver, end - at, scored=by_catch)
    if by_nobody or (unknown and laterals and not by_catch):
        field.carry("after_lateral", team, None, unknown if laterals else 0, scored=by_nobody)
    for row in laterals:
        field.carry("after_lateral", row.team, row.player, row.yards, scored=scores(row))


def _incomplete(field: Field, play: Play, throw: StatRow, receiver: str | None) -> None:
    air = next((row for row in play.all(112) if row.player == throw.player), None)
    aim = within(field.seen_from(play.possession) + air.yards) if air else None
    intercepted = throw.stat == INTERCEPTED
    result: Literal["spike", "intercepted", "incomplete"] = (
        "intercepted" if intercepted else "incomplete"
    )
    if play.is_spike and not intercepted:
        result = "spike"
    field.add(
        ev.Pass(
            team=play.possession,
            passer=throw.player,
            receiver=receiver,
            result=result,
            throw_yard=field.seen_from(play.possession),
            reception_yard=aim,
        )
    )
    if intercepted:
        _interception(field, play, aim if aim is not None else field.seen_from(play.possession))


def _interception(field: Field, play: Play, at: int) -> None:
    team = play.other
    row = play.first(*INTERCEPTION)
    laterals = play.all(*LATERAL_INTERCEPTION)
    yards, scored = (row.yards, scores(row)) if row else (0, False)
    start = flip(min(100, yards)) if scored and yards >= 0 else flip(at)
    field.put(team, start)
    player = row.player if row else None
    field.had(player)
    field.add(
        ev.Interception(
            team=team, player=player, yard=field.yard, is_touchdown=scored and not yards
        )
    )
    if yards:
        field.carry("return", team, player, yards, scored=scored)
    for lateral in laterals:
        field.carry("after_lateral", team, lateral.player, lateral.yards, scored=scores(lateral))


def sacks(field: Field, play: Play) -> None:
    """Add the play's sacks with the defenders who made them, and the laterals after them."""
    passers, team = play.all(20), play.possession
    whole, halves = play.all(83), play.all(84)
    sackers: list[list[StatRow | None]] = [[row] for row in whole]
    sackers += [
        [*halves[n : n + 2], *[None] * (2 - len(halves[n : n + 2]))]
        for n in range(0, len(halves), 2)
    ]
    for n in range(max(len(passers), len(sackers))):
        passer = passers[n] if n < len(passers) else None
        by = sackers[n] if n < len(sackers) else []
        start, end = span(field.seen_from(team), passer.yards if passer else 0)
        field.put(team, end)
        field.had(passer.player if passer else None)
        field.add(
            ev.Sack(
                team=team,
                player=passer.player if passer else None,
                start_yard=start,
                end_yard=end,
                by_team=play.other if by else None,
                by=tuple(row.player if row else None for row in by),
            )
        )
    for row in play.all(103):
        field.carry("after_lateral", row.team, row.player, row.yards)


def rushes(field: Field, play: Play) -> None:
    """Add the play's carries and the laterals after them."""
    carries, laterals = play.all(*RUSH), play.all(*LATERAL_RUSH)
    kind: Literal["rush", "scramble", "kneel"] = "rush"
    if play.is_scramble:
        kind = "scramble"
    elif play.is_kneel:
        kind = "kneel"
    if laterals and not carries:
        field.carry("rush", laterals[0].team, None, 0)
    for row in carries:
        field.carry(kind, row.team, row.player, row.yards, scored=scores(row))
    for row in laterals:
        field.carry("after_lateral", row.team, row.player, row.yards, scored=scores(row))
