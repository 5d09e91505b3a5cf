"""What the console keeps of a game is what the whole record gives, whatever is entered.

Random games with corrections of any earlier event, undone corrections, moved plays, late events and
plays that are struck out. One process follows every event, another one looks now and then; both are
compared with a computation from all events, which is the rules' own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from uuid import uuid4

import msgspec
import pytest

from app.record import events as ev
from app.record.queries import ClubRow
from app.record.rules.football.rulebook import rulebook_of
from app.record.rules.football.situation import next_snap
from app.record.rules.football.timeouts import timeouts_of
from app.record.rules.order import Numbered, in_order
from app.record.rules.proof import proof
from app.record.rules.reviews import challenges_of
from app.record.rules.state import game_state, scoring_plays
from app.record.script import GameScript
from scorer_console.entry.page import Beside, Record, screen_of
from scorer_console.entry.recent_players import recent_players
from scorer_console.queries import ConsoleGame, Deliveries
from scorer_console.record.accepted import AcceptedEvents
from scorer_console.record.effective_events import Fold, fold, inverse
from scorer_console.record.unbalanced import unbalanced_in
from tests.worlds.simulated_games import KICKOFF, play

NOW = datetime(2026, 9, 13, 18, tzinfo=UTC)
PLAYED_BEFORE, STEPS = 90, 110


def history(script: GameScript, random: Random) -> Iterator[ev.GameEvent]:
    """The events of the script, with corrections and late events of a scorer between them."""
    standing = Fold()
    number = play_number = 0
    facts = [step.body for step in script.events if isinstance(step.body, ev.Fact)]
    position = 0
    while position < len(facts):
        bodies = [(facts[position], None)]
        if number > 5 and random.random() < 0.3:
            bodies = list(_late(standing, random, (script.home.id, script.away.id)))
        else:
            position += 1
        for body, of_play in bodies:
            number += 1
            play_number += isinstance(body, ev.Snap) and of_play is None
            event = ev.GameEvent(
                game_id=script.game_id,
                event_number=number,
                play_number=play_number if of_play is None else of_play,
                epoch=1,
                recorded_at=0,
                body=body,
            )
            standing = standing.with_events([event])
            yield event


def _late(
    standing: Fold, random: Random, clubs: tuple[str, str]
) -> Iterator[tuple[ev.Body, int | None]]:
    """What a scorer may do to an earlier event: strike out, rule anew, undo, move, add."""
    target = random.choice(standing.entered)
    number, play_number = target.event_number, target.play_number
    if isinstance(target.body, ev.Correction):
        for body in inverse(standing, [number]):
            yield body, play_number
        return
    latest = standing.last_body(target)
    match random.choice(("strike out", "rule anew", "move", "add", "move the play")):
        case "strike out":
            numbers = [event.event_number for event in standing.in_play(play_number)] or [number]
            chosen = random.choice((numbers, [number]))
            yield ev.Nullify(events=tuple(sorted(chosen)), reason="random"), play_number
        case "rule anew":
            other = random.choice(standing.entered).body
            ruling = other if isinstance(other, ev.Fact) else latest
            yield ev.Overturn(event=number, ruling=ruling, reason="random"), play_number
        case "move":
            ruling = msgspec.structs.replace(latest, place=random.uniform(1, number))
            yield ev.Overturn(event=number, ruling=ruling, reason="random"), play_number
        case "move the play" if isinstance(latest, ev.Snap):
            ruling = msgspec.structs.replace(latest, play_place=random.uniform(0.5, play_number))
            yield ev.Overturn(event=number, ruling=ruling, reason="random"), play_number
        case _:
            yield ev.Timeout(team=random.choice((*clubs, None))), play_number


def record_of(game_id: str, script: GameScript, standing: Fold) -> Record:
    last = standing.entered[-1]
    game = ConsoleGame(
        id=game_id,
        home=ClubRow(script.home.id, script.home.name, "", "#000000"),
        away=ClubRow(script.away.id, script.away.name, "", "#ffffff"),
        kickoff=KICKOFF,
        week=1,
        competition="demo",
        season=2026,
        season_type="REG",
        last_event_number=last.event_number,
        last_play_number=max(standing.plays),
        is_practice=False,
    )
    entries = [str(event.event_number) for event in standing.entered]
    return Record(game, AcceptedEvents(standing, entries), rulebook_of(game))


def shown(record: Record) -> dict[str, object]:
    """The whole screen, without the game's id."""
    beside = Beside(
        version="1",
        now=NOW,
        roster=(),
        people=(),
        deliveries=Deliveries({}, 0, 0, 0),
        lease=None,
        waiting=(),
    )
    return vars(screen_of(record, beside)) | {"game": None}


def compare_with_the_rules(record: Record) -> None:
    """Each part against the rule that computes it from all events."""
    standing, (home, away), book = record.accepted.fold, record.clubs, record.book
    counted: list[Numbered] = [
        (event.event_number, event.play_number, event.body) for event in standing.effective
    ]
    corrections = [
        (event.event_number, event.play_number, event.body) for event in standing.corrections
    ]
    expected = game_state([*counted, *corrections])
    # Corrections change neither; the console shows the numbers of the game.
    assert record.state == replace(
        expected,
        last_event_number=record.state.last_event_number,
        play_number=record.state.play_number,
    )
    ordered = in_order(counted)
    assert [
        (event.event_number, event.play_number, event.body) for event in record.events
    ] == ordered
    assert record.snapshot.timeouts.left((home, away), book, is_playoff=False) == timeouts_of(
        record.events, (home, away), book
    )
    assert record.snapshot.recent == recent_players(record.events)
    assert [score.event_number for score in record.snapshot.progress.scores] == [
        score.event_number for score in scoring_plays(counted)
    ]
    assert record.suggestion == next_snap(record.events, home=home, away=away, book=book)
    assert challenges_of(record.challenges, (home, away)) == challenges_of(counted, (home, away))
    assert unbalanced_in(record.game.id, record.setting, record.events) == proof(
        counted, home=home, away=away, book=book
    )


@pytest.mark.parametrize("seed", range(6))
def test_what_is_kept_is_what_the_whole_record_gives(seed: int) -> None:
    random, script = Random(seed), play(seed)  # noqa: S311
    events = list(history(script, random))[: PLAYED_BEFORE + STEPS]
    standing = fold(events[:PLAYED_BEFORE])
    follower, visitor = f"follower-{uuid4()}", f"visitor-{uuid4()}"
    kinds = set()
    for event in events[PLAYED_BEFORE:]:
        kinds.add(type(event.body))
        standing = standing.with_events([event])
        followed = record_of(follower, script, standing)
        screen = shown(followed)
        compare_with_the_rules(followed)
        if random.random() < 0.2:
            assert shown(record_of(visitor, script, standing)) == screen
            anew = fold(standing.entered)
            assert anew == standing
            assert shown(record_of(str(uuid4()), script, anew)) == screen
    assert {ev.Nullify, ev.Overturn, ev.Snap} <= kinds
