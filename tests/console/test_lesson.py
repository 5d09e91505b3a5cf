"""The practice lesson: what is asked for, what a record of it is worth, and where it is begun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from flask.testing import FlaskClient

from app.record import events as ev
from app.record.rules.football.rulebook import rulebook
from app.record.rules.football.situation import next_snap
from app.record.rules.order import Numbered
from scorer_console.lesson import rules
from scorer_console.record.effective_events import EffectiveEvent
from scorer_console.roster.queries import PlayerRow
from tests.console.conftest import CONSOLE

BOOK = rulebook("nfl", 2026)
AWAY, HOME = "DAL", "SF"
TASKS = rules.tasks(AWAY, HOME, BOOK)
Play = list[ev.Body]


def jersey(club: str, number: int) -> str:
    return f"?{club}-{number}"


def snap(
    club: str, spot: int, down: int | None = None, distance: int | None = None, **more: Any
) -> ev.Snap:
    return ev.Snap(
        possession=club, spot=spot, period=1, clock=800, down=down, distance=distance, **more
    )


def tackle(
    club: str, number: int, kind: Any = "solo", tackled: int | None = None, yard: int | None = None
) -> ev.Tackle:
    other = HOME if club == AWAY else AWAY
    return ev.Tackle(
        team=club,
        tackler=jersey(club, number),
        tackled=None if tackled is None else jersey(other, tackled),
        kind=kind,
        yard=yard,
    )


def caught(throw: int, reception: int, number: int = 81) -> ev.Pass:
    return ev.Pass(
        team=AWAY,
        passer=jersey(AWAY, 12),
        receiver=jersey(AWAY, number),
        result="complete",
        throw_yard=throw,
        reception_yard=reception,
    )


def run(club: str, number: int, start: int, end: int, kind: Any = "rush", **more: Any) -> ev.Run:
    return ev.Run(
        team=club, player=jersey(club, number), kind=kind, start_yard=start, end_yard=end, **more
    )


def record(runner: int = 22) -> list[Play]:
    """Every play of the lesson as a scorer records it. `runner`: of the home club."""
    kickoff = {"situation": "kickoff"}
    return [
        [
            snap(HOME, BOOK.kickoff, **kickoff),
            ev.Kick(team=HOME, kind="kickoff", result="touchback", start_yard=BOOK.kickoff),
        ],
        [snap(AWAY, 35, 1, 10), run(AWAY, 22, 35, 38), tackle(HOME, 54, tackled=22, yard=38)],
        [
            snap(AWAY, 38, 2, 7),
            caught(38, 44),
            run(AWAY, 81, 44, 48, "after_catch"),
            tackle(HOME, 24, "assist"),
            tackle(HOME, 31, "assist"),
        ],
        [
            snap(AWAY, 48, 1, 10),
            ev.Pass(
                team=AWAY,
                passer=jersey(AWAY, 12),
                receiver=jersey(AWAY, 85),
                result="incomplete",
                throw_yard=48,
            ),
            ev.Credit(team=HOME, player=jersey(HOME, 24), kind="pass_defended"),
        ],
        [
            snap(AWAY, 48, 2, 10),
            ev.Sack(
                team=AWAY,
                player=jersey(AWAY, 12),
                start_yard=48,
                end_yard=41,
                by_team=HOME,
                by=(jersey(HOME, 91),),
            ),
            tackle(HOME, 91),
            ev.Credit(team=HOME, player=jersey(HOME, 91), kind="qb_hit"),
        ],
        [snap(AWAY, 41, 3, 17), caught(41, 53), tackle(HOME, 54)],
        [
            snap(AWAY, 53, 4, 5),
            ev.Kick(
                team=AWAY,
                kicker=jersey(AWAY, 5),
                kind="punt",
                result="fair_catch",
                start_yard=53,
                distance=35,
            ),
        ],
        [
            snap(HOME, 12, 1, 10),
            ev.Penalty(
                team=HOME,
                player=jersey(HOME, 66),
                foul="False Start",
                yards=5,
                outcome="nullify",
                enforcement_yard=12,
            ),
        ],
        [
            snap(HOME, 7, 1, 15),
            run(HOME, runner, 7, 15),
            ev.Fumble(
                team=HOME,
                player=jersey(HOME, runner),
                yard=15,
                forced_by=jersey(AWAY, 54),
                forced_by_team=AWAY,
            ),
            ev.Recovery(team=AWAY, player=jersey(AWAY, 31), yard=85),
        ],
        [
            snap(AWAY, 85, 1, 10),
            caught(85, 93),
            run(AWAY, 81, 93, 100, "after_catch", is_touchdown=True),
        ],
        [
            snap(AWAY, BOOK.try_spot, situation="try"),
            ev.Kick(
                team=AWAY,
                kicker=jersey(AWAY, 4),
                kind="extra_point",
                result="good",
                start_yard=BOOK.try_spot,
            ),
        ],
        [
            snap(AWAY, BOOK.kickoff, **kickoff),
            ev.Kick(
                team=AWAY, kind="kickoff", result="returned", start_yard=BOOK.kickoff, distance=65
            ),
            run(HOME, 28, 0, 24, "return"),
            tackle(AWAY, 40),
        ],
    ]


def lesson(plays: list[Play]) -> rules.Lesson:
    return rules.lesson(TASKS, plays, {})


def faults(change: Callable[[list[Play]], None]) -> dict[int, tuple[str, ...]]:
    plays = record()
    change(plays)
    return {task.number: task.faults for task in lesson(plays).tasks if task.faults}


def test_a_record_that_is_right_gets_an_a() -> None:
    finished = lesson(record())
    assert (finished.current, finished.right, finished.grade) == (None, 12, "A")
    assert finished.wrong == ()


def test_every_play_of_the_lesson_is_the_one_that_the_rules_propose() -> None:
    numbered: list[Numbered] = []
    for play, bodies in enumerate(record(), 1):
        events = [EffectiveEvent(n, p, body) for n, p, body in numbered]
        proposed = next_snap(events, home=HOME, away=AWAY, book=BOOK)
        asked = next((fact for fact in TASKS[play - 1].events if fact["type"] == "snap"), {})
        for name in ("possession", "spot", "down", "distance"):
            assert asked.get(name, getattr(proposed, name)) == getattr(proposed, name), (play, name)
        for body in bodies:
            numbered.append((len(numbered) + 1, play, body))


def test_the_next_play_is_asked_for_once_the_last_one_is_right() -> None:
    assert lesson([]).current.number == 1
    plays = record()
    assert lesson(plays[:3]).current.number == 4
    without_fumble = [*plays[:8], plays[8][:2]]
    half = lesson(without_fumble).current
    assert (half.number, half.faults) == (
        9,
        ("Fumble by 22 is missing.", "Recovery by 31 is missing."),
    )
    snapped = lesson([*plays[:1], plays[1][:1]]).current
    assert (snapped.number, snapped.faults) == (2, ()), "only snapped: nothing is wrong yet"


def test_what_is_wrong_is_said_with_what_was_expected() -> None:
    def other_tackler(plays: list[Play]) -> None:
        plays[1][2] = tackle(HOME, 55)

    def wrong_spot(plays: list[Play]) -> None:
        plays[1][1] = run(AWAY, 22, 35, 39)

    def no_tackle(plays: list[Play]) -> None:
        del plays[5][2]

    def one_too_many(plays: list[Play]) -> None:
        plays[5].append(tackle(HOME, 91))

    def wrong_down(plays: list[Play]) -> None:
        plays[4][0] = snap(AWAY, 48, 3, 10)

    assert faults(other_tackler) == {2: ("Tackle by 54: who made the tackle is 54, recorded 55.",)}
    assert faults(wrong_spot) == {2: ("Run by 22: where it ended is 38, recorded 39.",)}
    assert faults(no_tackle) == {6: ("Tackle by 54 is missing.",)}
    assert "should not be there." in faults(one_too_many)[6][0]
    assert faults(wrong_down) == {5: ("Snap: the down is 2, recorded 3.",)}


@pytest.mark.parametrize(("wrong", "grade"), [(0, "A"), (1, "B"), (3, "C"), (5, "D"), (8, "F")])
def test_the_mark_follows_from_the_share_of_right_plays(wrong: int, grade: str) -> None:
    plays = record()
    for play in plays[:wrong]:
        play.append(ev.Tackle(team=HOME, kind="solo"))
    assert lesson(plays).grade == grade


def test_players_of_the_roster_count_by_their_jersey() -> None:
    plays = record()
    plays[1][1] = msgspec.structs.replace(plays[1][1], player="dal-22")
    assert rules.lesson(TASKS, plays, {"dal-22": 22}).tasks[1].is_right
    assert not rules.lesson(TASKS, plays, {"dal-22": 23}).tasks[1].is_right


def test_the_lesson_is_begun_from_the_list_and_asks_at_the_console(
    scorer: FlaskClient, game: str
) -> None:
    assert "Start the lesson" in scorer.get("/console/").text
    begun = scorer.post("/console/practice/lesson", data={"home": HOME, "away": AWAY})
    lesson_game = begun.location.rsplit("/", 1)[1]
    page = scorer.get(f"/console/{lesson_game}").text
    assert "play 1 of 12" in page
    assert "SF kicks off: a touchback." in page
    scorer.post(f"/console/{lesson_game}/lease", json={"console": CONSOLE})
    for number, play in enumerate(record(runner=25)):  # the roster's only back of SF
        entries = [{"body": ev.body_to(body)} for body in play]
        entry = {"key": str(uuid4()), "console": CONSOLE, "entries": entries}
        assert scorer.post(f"/console/{lesson_game}/events", json=entry).status_code == 200, number
    page = scorer.get(f"/console/{lesson_game}").text
    assert "Grade A: 12 of 12 plays are right." in page


def test_a_practice_game_is_no_lesson(scorer: FlaskClient, game: str) -> None:
    begun = scorer.post("/console/practice", data={"home": HOME, "away": AWAY})
    assert "Lesson" not in scorer.get(begun.location).text
    assert "Lesson" not in scorer.get("/console/g1").text


def test_the_lesson_is_about_players_of_the_rosters_by_their_position() -> None:
    roster = [
        PlayerRow("a", AWAY, 8, "Al Arm", "QB"),
        PlayerRow("b", AWAY, 2, "Bo Boot", "K"),
        PlayerRow("c", AWAY, 17, "Cy Catch", "WR"),
        PlayerRow("d", HOME, 44, "Di Deep", "LB"),
        PlayerRow("e", HOME, 43, "Ed Edge", "LB"),
        PlayerRow("f", HOME, 43, "Flo Foot", "RB"),
    ]
    asked = rules.tasks(AWAY, HOME, BOOK, roster)
    assert asked[1].words.endswith("22 runs for 3, tackle by 44."), "two wear 43"
    assert asked[5].line == "p8c17+12/44"
    assert asked[10].line == "k2"
    assert asked[3].line == "p8i85/24", "no second receiver and no cornerback: the usual numbers"
