"""The plays of the lesson, and what a trainee's record of them is worth. Pure.

Each play follows from the one before it by the rules, so a record that is right needs no snap but
the proposed ones. Players are jersey numbers of the rosters (cast.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook
from app.record.unknown_numbers import unknown_number
from app.record.words import spot
from scorer_console.lesson.cast import LessonPlayer, eleven

LESSON = "practice-lesson-"
_PLAYERS = {"player", "passer", "receiver", "tackler", "kicker", "forced_by"}
# What a fault calls a field; fields without words are not told apart.
_WORDS = {
    "possession": "the ball",
    "spot": "the spot",
    "down": "the down",
    "distance": "the yards to go",
    "team": "the club",
    "player": "who",
    "passer": "the passer",
    "receiver": "the receiver",
    "tackler": "who made the tackle",
    "kicker": "the kicker",
    "forced_by": "who forced it",
    "by": "who made the sack",
    "kind": "the kind",
    "result": "the result",
    "status": "accepted or not",
    "foul": "the foul",
    "yards": "the yards",
    "reception_yard": "where it was caught",
    "end_yard": "where it ended",
    "yard": "where",
    "distance_kicked": "the length",
    "is_touchdown": "the touchdown",
}
_TITLES = {"tackle": "Tackle", "credit": "Credit", "snap": "Snap", "kick": "Kick", "run": "Run"}
_BESIDE = {"credit", "timeout", "scoreboard", "roster", "game_started", "period", "coin_toss"}
GRADES = ((1.0, "A"), (0.85, "B"), (0.7, "C"), (0.5, "D"), (0.0, "F"))

Facts = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """A play that is asked for. `line` is the shortest one-line entry of it.

    `events` are what the record must have of it, with the fields that the words tell.
    """

    words: str
    line: str
    events: tuple[Facts, ...]


@dataclass(frozen=True)
class Checked:
    """A task and what is wrong with its record, a sentence each. `begun`: it has a play."""

    number: int
    task: Task
    faults: tuple[str, ...]
    is_begun: bool

    @property
    def is_right(self) -> bool:
        """Whether the play is recorded as it happened."""
        return self.is_begun and not self.faults


@dataclass(frozen=True)
class Lesson:
    """How far the lesson is. `current` is the play that is asked for now; None after the last."""

    tasks: tuple[Checked, ...]
    current: Checked | None

    @property
    def right(self) -> int:
        """How many plays are right."""
        return sum(task.is_right for task in self.tasks)

    @property
    def wrong(self) -> tuple[Checked, ...]:
        """The plays with mistakes, without the one that is asked for now."""
        return tuple(
            task for task in self.tasks if task.is_begun and task.faults and task != self.current
        )

    @property
    def grade(self) -> str:
        """The mark, A to F, by the share of plays that are right."""
        share = self.right / len(self.tasks)
        return next(grade for least, grade in GRADES if share >= least)


def is_lesson(game_id: str) -> bool:
    """Whether the practice game is a lesson."""
    return game_id.startswith(LESSON)


def tasks(
    away: str, home: str, book: Rulebook, people: Collection[LessonPlayer] = ()
) -> tuple[Task, ...]:
    """The plays of the lesson: a drive, a punt, a turnover and a touchdown with its try.

    `people`: both rosters, whose players it is about.
    """
    start = book.kickoff_touchback
    visitors, hosts = eleven(people, away), eleven(people, home)
    passer, receiver, other_receiver = (
        visitors.passer,
        visitors.receiver,
        visitors.other_receiver,
    )

    def at(team: str, yard: int) -> str:
        return spot(team, yard, home if team == away else away)

    def snap(team: str, down: int, distance: int, yard: int) -> tuple[Facts, str]:
        ordinal = ("1st", "2nd", "3rd", "4th")[down - 1]
        facts = {"possession": team, "down": down, "distance": distance, "spot": yard}
        return _fact("snap", **facts), f"{ordinal} & {distance} at {at(team, yard)}"

    first, first_words = snap(away, 1, 10, start)
    second, second_words = snap(away, 2, 7, start + 3)
    third, third_words = snap(away, 1, 10, start + 13)
    fourth, fourth_words = snap(away, 2, 10, start + 13)
    fifth, fifth_words = snap(away, 3, 17, start + 6)
    sixth, sixth_words = snap(away, 4, 5, start + 18)
    seventh, seventh_words = snap(home, 1, 10, 12)
    eighth, eighth_words = snap(home, 1, 15, 7)
    ninth, ninth_words = snap(away, 1, 10, 85)
    return (
        Task(
            f"{home} kicks off: a touchback.",
            "kt",
            (_fact("kick", team=home, kind="kickoff", result="touchback"),),
        ),
        Task(
            f"{first_words}: {visitors.runner} runs for 3, tackle by {hosts.linebacker}.",
            f"r{visitors.runner}+3/{hosts.linebacker}",
            (
                first,
                _fact("run", team=away, player=visitors.runner, end_yard=start + 3),
                _fact("tackle", team=home, tackler=hosts.linebacker, kind="solo"),
            ),
        ),
        Task(
            f"{second_words}: {passer} completes to {receiver}, 6 yards through the air and 4 "
            f"after the catch; {hosts.cornerback} and {hosts.safety} share the tackle.",
            f"p{passer}c{receiver}+6+4/{hosts.cornerback},{hosts.safety}",
            (
                second,
                _fact(
                    "pass",
                    passer=passer,
                    receiver=receiver,
                    result="complete",
                    reception_yard=start + 9,
                ),
                _fact("run", player=receiver, kind="after_catch", end_yard=start + 13),
                _fact("tackle", tackler=hosts.cornerback, kind="assist"),
                _fact("tackle", tackler=hosts.safety, kind="assist"),
            ),
        ),
        Task(
            f"{third_words}: {passer} throws to {other_receiver}, incomplete, broken up by "
            f"{hosts.cornerback}.",
            f"p{passer}i{other_receiver}/{hosts.cornerback}",
            (
                third,
                _fact("pass", passer=passer, receiver=other_receiver, result="incomplete"),
                _fact("credit", team=home, player=hosts.cornerback, kind="pass_defended"),
            ),
        ),
        Task(
            f"{fourth_words}: {hosts.rusher} sacks {passer} for a loss of 7.",
            f"s{passer}-7/{hosts.rusher}",
            (fourth, _fact("sack", player=passer, end_yard=start + 6, by=[hosts.rusher])),
        ),
        Task(
            f"{fifth_words}: {passer} completes to {receiver} for 12 yards, down at the catch, "
            f"tackle by {hosts.linebacker}.",
            f"p{passer}c{receiver}+12/{hosts.linebacker}",
            (
                fifth,
                _fact(
                    "pass",
                    passer=passer,
                    receiver=receiver,
                    result="complete",
                    reception_yard=start + 18,
                ),
                _fact("tackle", tackler=hosts.linebacker, kind="solo"),
            ),
        ),
        Task(
            f"{sixth_words}: {visitors.punter} punts, fair catch at the {at(home, 12)}.",
            f"kp{visitors.punter}fo12",
            (
                sixth,
                _fact(
                    "kick",
                    kicker=visitors.punter,
                    kind="punt",
                    result="fair_catch",
                    distance=70 - start,
                ),
            ),
        ),
        Task(
            f"{seventh_words}: false start by {home} {hosts.blocker}, before the snap, accepted.",
            f"n h fs {hosts.blocker}",
            (
                seventh,
                _fact(
                    "penalty",
                    team=home,
                    player=hosts.blocker,
                    foul="False Start",
                    yards=5,
                    status="accepted",
                ),
            ),
        ),
        Task(
            f"{eighth_words}: {hosts.runner} of {home} runs for 8 and fumbles there, forced by "
            f"{visitors.linebacker}; {visitors.safety} of {away} recovers it.",
            f"r{hosts.runner}+8, then f/{visitors.linebacker}va{visitors.safety}",
            (
                eighth,
                _fact("run", team=home, player=hosts.runner, end_yard=15),
                _fact(
                    "fumble",
                    team=home,
                    player=hosts.runner,
                    forced_by=visitors.linebacker,
                    yard=15,
                ),
                _fact("recovery", team=away, player=visitors.safety, yard=85),
            ),
        ),
        Task(
            f"{ninth_words}: {passer} completes to {receiver}, 8 yards through the air, who runs "
            "in: touchdown.",
            f"p{passer}c{receiver}+8t",
            (
                ninth,
                _fact(
                    "pass", passer=passer, receiver=receiver, result="complete", reception_yard=93
                ),
                _fact("run", player=receiver, kind="after_catch", end_yard=100, is_touchdown=True),
            ),
        ),
        Task(
            f"The extra point by {visitors.kicker} is good.",
            f"k{visitors.kicker}",
            (_fact("kick", team=away, kicker=visitors.kicker, kind="extra_point", result="good"),),
        ),
        Task(
            f"{away} kicks off: {hosts.returner} takes it at the goal line and returns it for 24, "
            f"tackle by {visitors.gunner}.",
            f"kr{hosts.returner}g+24/{visitors.gunner}",
            (
                _fact("kick", team=away, kind="kickoff", result="returned"),
                _fact("run", team=home, player=hosts.returner, kind="return", end_yard=24),
                _fact("tackle", team=away, tackler=visitors.gunner, kind="solo"),
            ),
        ),
    )


def _fact(type: str, **fields: Any) -> Facts:  # noqa: A002 - the wire's own name
    return {"type": type, **fields}


def lesson(
    asked: Sequence[Task], plays: Sequence[Sequence[ev.Body]], jerseys: Mapping[str, int]
) -> Lesson:
    """Compare the record with what was asked for.

    `plays` are the events that count of each play, in the order of the game; `jerseys` are by
    player.
    """
    checked = []
    for number, task in enumerate(asked, 1):
        bodies = plays[number - 1] if number <= len(plays) else ()
        facts = [_facts_of(body, jerseys) for body in bodies]
        is_begun = any(fact["type"] not in _BESIDE | {"snap"} for fact in facts)
        faults = tuple(_faults(task.events, facts)) if is_begun else ()
        checked.append(Checked(number, task, faults, is_begun))
    return Lesson(tuple(checked), _current(checked, len(plays)))


def _current(checked: Sequence[Checked], plays: int) -> Checked | None:
    """The play that is asked for: the last one while something of it is missing, else the next."""
    for task in checked:
        if not task.is_begun or (task.faults and task.number == plays < len(checked)):
            return task
    return None


def _facts_of(body: ev.Body, jerseys: Mapping[str, int]) -> Facts:
    """The event as the tasks tell events: jersey numbers for players."""
    facts = ev.body_to(body)
    for name in _PLAYERS & facts.keys():
        facts[name] = _jersey(facts[name], jerseys)
    if "by" in facts:
        facts["by"] = [_jersey(player, jerseys) for player in facts["by"]]
    return facts


def _jersey(player: str | None, jerseys: Mapping[str, int]) -> int | None:
    if player is None:
        return None
    unknown = unknown_number(player)
    return unknown.number if unknown else jerseys.get(player)


def _faults(expected: Iterable[Facts], recorded: Sequence[Facts]) -> Iterable[str]:
    """What is missing, different or too much, a sentence each."""
    left = list(recorded)
    missing = []
    for facts in expected:
        match = next((fact for fact in left if not _differences(facts, fact)), None)
        if match is None:
            missing.append(facts)
        else:
            left.remove(match)
    for facts in missing:
        alike = [fact for fact in left if fact["type"] == facts["type"]]
        if not alike:
            yield f"{_title(facts)} is missing."
            continue
        nearest = min(alike, key=lambda fact: len(_differences(facts, fact)))
        left.remove(nearest)
        yield f"{_title(facts)}: {'; '.join(_differences(facts, nearest))}."
    for fact in left:
        if fact["type"] not in _BESIDE | {"snap", "nullify"} and not _goes_with_sack(
            fact, recorded
        ):
            yield f"{_title(fact)} should not be there."


def _goes_with_sack(fact: Facts, recorded: Sequence[Facts]) -> bool:
    """The tackle of a sack, which the console records with it."""
    return fact["type"] == "tackle" and any(other["type"] == "sack" for other in recorded)


def _differences(expected: Facts, recorded: Facts) -> list[str]:
    if expected["type"] != recorded["type"]:
        return ["something else"]
    return [
        f"{_WORDS.get(name, name)} is {_shown(value)}, recorded {_shown(recorded.get(name))}"
        for name, value in expected.items()
        if recorded.get(name, _usual(name)) != value
    ]


def _usual(name: str) -> Any:
    """The wire leaves out what is usual."""
    return {"status": "accepted", "is_touchdown": False, "kind": "solo"}.get(name)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " and ".join(map(str, value)) or "nobody"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nothing" if value is None else re.sub("_", " ", str(value))


def _title(facts: Facts) -> str:
    who = facts.get("tackler") or facts.get("player") or facts.get("passer")
    name = _TITLES.get(facts["type"], facts["type"].replace("_", " ").capitalize())
    return f"{name} by {who}" if isinstance(who, int) else name
