"""Turns a play's official credits (stat ids) into the chain of events after its snap.

This module has the order of a play, returns, loose balls, tries and tackles. Kicks are in kicks.py,
passes and runs in scrimmage.py, snaps, fouls and time in game.py. The chain is built so that
rules/stat_lines.py computes the same credits from it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from app.record import events as ev
from app.record.play_by_play import loose_balls
from app.record.play_by_play.field import Field, recover
from app.record.play_by_play.kicks import kick
from app.record.play_by_play.loose_balls import Loose, Taken
from app.record.play_by_play.scrimmage import passes, rushes, sacks
from app.record.play_by_play.stat_ids import (
    BLOCKED,
    FIELD_GOALS,
    FORCED_FUMBLE,
    FUMBLED_OUT_OF_BOUNDS,
    FUMBLES,
    LATERAL_RECOVERIES,
    LATERAL_RETURNS,
    MISCELLANEOUS,
    PASSES,
    RECOVERIES,
    RETURNS,
    RUSH,
    TACKLE_FOR_LOSS_YARDS,
    TRIES,
    TWO_POINT_RUN_GOOD,
    Play,
    scores,
)


def bodies(play: Play) -> list[ev.Body]:
    """The events after the snap, in order: movements, then tackles and other credits."""
    field = Field(play.possession, play.other, play.spot)
    kicked = kick(field, play)
    loose_first = not kicked and not play.has(TRIES) and _fumbled_first(play)
    if loose_first:
        _loose_balls(field, play)
        if play.has((*PASSES, 20)) or any(row.yards for row in play.all(*RUSH)):
            field.put(
                play.possession, play.spot
            )  # later movements count from the line of scrimmage
    passes(field, play)
    sacks(field, play)
    rushes(field, play)
    _returns(field, play)
    _miscellaneous(field, play, before_fumbles=True)
    if not loose_first:
        _loose_balls(field, play)
    _miscellaneous(field, play, before_fumbles=False)
    _conversion(field, play)
    _safety(field, play)
    _tackles(field, play)
    _credits(field, play)
    return field.bodies


def _fumbled_first(play: Play) -> bool:
    """Whether the snap was lost and recovered before anything else happened.

    The official list then has the recovery before the throw or run.
    """
    first = next((n for n, row in enumerate(play.rows) if row.stat in (*PASSES, 20, *RUSH)), None)
    if first is None or play.has((106,)):
        return False
    return any(row.stat in RECOVERIES and row.team == play.possession for row in play.rows[:first])


def _returns(field: Field, play: Play) -> None:
    for row in play.all(*RETURNS):
        field.carry("return", row.team, row.player, row.yards, scored=scores(row))
    for row in play.all(*LATERAL_RETURNS):
        field.carry("after_lateral", row.team, row.player, row.yards, scored=scores(row))


def _miscellaneous(field: Field, play: Play, *, before_fumbles: bool) -> None:
    """Add miscellaneous yards: a blocked kick picked up, a missed field goal returned."""
    fumble = next((n for n, row in enumerate(play.rows) if row.stat in FUMBLES), len(play.rows))
    for n, row in enumerate(play.rows):
        if row.stat not in MISCELLANEOUS or before_fumbles != (n < fumble):
            continue
        if before_fumbles and play.has(BLOCKED):
            recover(field, row.team, row.player, row.yards, scored=scores(row))
        else:
            # on a punt or kickoff such yards are no official return
            returned = play.has(FIELD_GOALS) or not before_fumbles
            kind: Literal["return", "after_lateral"] = "return" if returned else "after_lateral"
            field.carry(kind, row.team, row.player, row.yards, scored=scores(row))


def _loose_balls(field: Field, play: Play) -> None:
    fumbles, recoveries = _fumbles(play), _recoveries(play)
    laterals = play.all(*LATERAL_RECOVERIES)
    steps = loose_balls.story(fumbles, recoveries, field.team, field.clubs)
    is_kept = any(isinstance(step, Taken) and step.is_own for step in steps)
    for step in steps:
        # An aborted snap rolls back before the offence recovers it, loses it or it goes out of
        # bounds.
        if is_kept != isinstance(step, Loose):
            rolled_back = next(
                (row for row in laterals if row.yards < 0 and row.team == step.team), None
            )
            if rolled_back is not None and (isinstance(step, Loose) or step.is_own):
                laterals.remove(rolled_back)
                field.put(step.team, field.seen_from(step.team) + rolled_back.yards)
        if isinstance(step, Loose):
            _fumble(field, step)
            continue
        if step is steps[-1] and step.is_own and not step.yards:
            _stopped_for_a_loss(field, play, step.team)
        recover(field, step.team, step.player, step.yards, scored=step.scores)
    for row in laterals:
        if scores(row) or row.yards > 0:
            field.carry("after_lateral", row.team, row.player, row.yards, scored=scores(row))


def _stopped_for_a_loss(field: Field, play: Play, team: str) -> None:
    """Move the ball to where a tackle for a loss ended the play, after the fumble."""
    loss = play.first(TACKLE_FOR_LOSS_YARDS)
    if loss is not None and team == play.possession:
        field.put(team, play.spot - loss.yards)


def _fumble(field: Field, step: Loose) -> None:
    field.put(step.team, field.seen_from(step.team))
    field.had(step.player)
    field.add(
        ev.Fumble(
            team=step.team,
            player=step.player,
            yard=field.yard,
            forced_by=step.forced_by,
            forced_by_team=step.forced_by_team,
            out_of_bounds=step.out_of_bounds,
        )
    )


def _fumbles(play: Play) -> list[Loose]:
    """The fumbles, each with the player of the other club who forced it.

    Those who forced one are listed in the order of the fumbles that were forced; what is left of
    them goes to the others.
    """
    lines = [
        Loose(
            row.team,
            row.player,
            False,
            place,
            out_of_bounds=row.stat == FUMBLED_OUT_OF_BOUNDS,
            is_forced=row.stat == FORCED_FUMBLE,
        )
        for place, row in enumerate(play.rows)
        if row.stat in FUMBLES
    ]
    losers = [(row.team, row.player) for row in play.all(106)]
    forcers = play.all(91)
    fumbles = loose_balls.charged(loose_balls.merged(lines), losers)
    for fumble in sorted(fumbles, key=lambda fumble: not fumble.is_forced):
        forcer = next((row for row in forcers if row.team != fumble.team), None)
        if forcer is not None:
            forcers.remove(forcer)
            forced = replace(fumble, forced_by=forcer.player, forced_by_team=forcer.team)
            fumbles[fumbles.index(fumble)] = forced
    return fumbles


def _recoveries(play: Play) -> list[Taken]:
    return [
        Taken(row.team, row.player, row.stat in (55, 56), row.yards, scores(row), place)
        for place, row in enumerate(play.rows)
        if row.stat in RECOVERIES
    ]


def _conversion(field: Field, play: Play) -> None:
    throw, catch, run = play.first(77, 78, 100), play.first(104, 105), play.first(75, 76, 99)
    if throw or catch:
        field.add(
            ev.Conversion(
                team=play.possession,
                kind="pass",
                good=play.has((77, 104)),
                passer=throw.player if throw else None,
                player=catch.player if catch else None,
            )
        )
    elif run:
        field.add(
            ev.Conversion(
                team=play.possession,
                kind="rush",
                good=run.stat == TWO_POINT_RUN_GOOD,
                player=run.player,
            )
        )
    returned = play.first(404, 406) or play.first(403, 405)
    if returned:
        good = returned.stat in (404, 406)
        field.add(
            ev.Conversion(
                team=play.other, side="defence", kind="return", good=good, player=returned.player
            )
        )


def _safety(field: Field, play: Play) -> None:
    """Add the play's one safety, for the club whose score rose.

    Its player is the first defender with a credit for it.
    """
    defender = play.first(89)
    if defender is None and play.safety_team is None and not play.has((96, 99, 100)):
        return
    fallback = play.possession if play.is_try else play.other
    if defender:
        fallback = defender.team
    field.add(
        ev.Safety(
            team=play.safety_team or fallback,
            player=defender.player if defender else None,
            points=1 if play.is_try else 2,
        )
    )


def _tackles(field: Field, play: Play) -> None:
    kinds: dict[int, Literal["solo", "primary", "assist"]] = {
        79: "solo",
        80: "primary",
        82: "assist",
    }
    for row in play.all(*kinds):
        mover = field.opponent_of(row.team)
        field.add(
            ev.Tackle(
                team=row.team,
                tackler=row.player,
                tackled=mover.player if mover else None,
                kind=kinds[row.stat],
                yard=mover.yard if mover else None,
            )
        )


def _credits(field: Field, play: Play) -> None:
    kinds: dict[int, Literal["pass_defended", "qb_hit", "tackle_for_loss"]] = {
        85: "pass_defended",
        110: "qb_hit",
        120: "tackle_for_loss",
    }
    for row in play.all(*kinds):
        field.add(ev.Credit(team=row.team, player=row.player, kind=kinds[row.stat]))
