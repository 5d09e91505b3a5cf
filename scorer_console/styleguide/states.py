"""The states of the components that the server draws, and the situations that the browser draws in.

The states of what the browser draws are in static/js/styleguide/. Reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.record import events as ev
from app.record.rules.football.rulebook import rulebook_of
from scorer_console.entry.page import Screen
from scorer_console.lesson.rules import Checked, Lesson, tasks
from scorer_console.plays.log import LoggedPlay, by_play, found_rows, titles_of
from scorer_console.roster.queries import ClubList, ListRow
from scorer_console.spotter import services as spotter
from scorer_console.spotter.services import SpotterScreen
from scorer_console.styleguide import samples
from scorer_console.styleguide.samples import AWAY, GAME, HOME, NAMES, record_of, screen_for


@dataclass(frozen=True)
class Component:
    """A part of a page. `name` marks its states, and `about` says what it is for.

    `frame` are the CSS classes of the page that it stands in.
    """

    name: str
    title: str
    about: str
    frame: str = "console"


@dataclass(frozen=True)
class Found:
    """An answer of the search. `is_cut`: there are more plays."""

    text: str
    plays: Sequence[LoggedPlay]
    is_cut: bool


COMPONENTS = (
    Component("bar", "Bar", "Back, view switches, sign out."),
    Component("practice", "Practice", "Above the situation of a practice game."),
    Component("situation", "Situation", "Score, clock, next snap. Unrecorded values are dotted."),
    Component("lesson", "Lesson", "Below the situation of a practice lesson."),
    Component("panel", "Command panel", "The whole panel, idle."),
    Component("prompt", "Questions", "Guided entry: the question, its answers, the sentence."),
    Component("sentence", "Sentence", "What Enter records, what is odd, what it changes."),
    Component("line", "One-line entry", "A whole play in one line, explained while it is typed."),
    Component("lease", "Who is scoring", "One console at a time."),
    Component("connection", "Connection", "Which entries have been sent."),
    Component("unsent", "Entries on their way", "What the server has not accepted yet."),
    Component("result", "Result", "What just happened; it is read aloud too."),
    Component("handover", "Hand-over", "Waiting entries next to what was recorded since."),
    Component("log", "Log", "The last plays and the status of each event."),
    Component("find", "Log search", "By name, number, quarter or play."),
    Component("dialogs", "Dialogs", "Shown on top of the console; here, inline."),
    Component("form", "Plain form", "One event without the keyboard console."),
)

DESK_COMPONENTS = (
    Component("plays", "Spotter’s plays", "What is missing, and who was named.", "console spotter"),
    Component("spotter", "Spotter’s panel", "Who did what, in one line.", "console spotter"),
    Component("keys", "Keys", "A scorer’s own keys.", "console-games"),
    Component("macros", "Abbreviations", "A scorer’s own, in one-line entries.", "console-games"),
    Component("roster", "Roster", "Who plays, per club.", "console-games"),
    Component("details", "Details", "Officials, attendance, weather.", "console-games"),
)

SITUATIONS = {
    "empty": samples.EMPTY,
    "between": samples.BETWEEN_PLAYS,
    "live": samples.BALL_LIVE,
    "touchdown": samples.TOUCHDOWN,
    "delayed": samples.DELAYED,
    "over": samples.OVER,
}


def strips() -> list[tuple[str, Screen]]:
    """Return each state of the situation with its title."""
    return [
        ("Before the game", screen_for(samples.EMPTY)),
        ("Between plays", screen_for(samples.BETWEEN_PLAYS)),
        ("Ball live", screen_for(samples.BALL_LIVE)),
        ("A try follows", screen_for(samples.TOUCHDOWN)),
        ("Score unconfirmed", screen_for(samples.UNCONFIRMED)),
        ("Doesn't add up", screen_for(samples.UNBALANCED)),
        ("Under review", screen_for(samples.UNDER_REVIEW)),
        ("Delayed", screen_for(samples.DELAYED)),
        ("Over", screen_for(samples.OVER)),
    ]


def logs() -> list[tuple[str, Screen]]:
    """Return each state of the log with its title."""
    return [
        ("Nothing recorded", screen_for(samples.EMPTY)),
        ("All ingested", screen_for(samples.BETWEEN_PLAYS)),
        ("On their way", screen_for(samples.BETWEEN_PLAYS, samples.UNPUBLISHED)),
        ("Refused by ingestion", screen_for(samples.BALL_LIVE, samples.DEAD)),
        ("Struck out", screen_for(samples.STRUCK)),
        ("Doesn't add up", screen_for(samples.UNBALANCED)),
        ("Practice", screen_for(samples.BETWEEN_PLAYS, game=samples.PRACTICE)),
    ]


def lines() -> list[dict[str, str]]:
    """Return the server's words on how far the record has come, in each state."""
    screens = (
        screen_for(samples.BETWEEN_PLAYS),
        screen_for(samples.BETWEEN_PLAYS, samples.UNPUBLISHED),
        screen_for(samples.BETWEEN_PLAYS, samples.BEHIND),
        screen_for(samples.BALL_LIVE, samples.DEAD),
        screen_for(samples.BETWEEN_PLAYS, game=samples.PRACTICE),
    )
    return [screen.situation["line"] for screen in screens]


def lessons() -> list[tuple[str, Lesson]]:
    """Return each state of the lesson with its title."""
    asked = tasks(AWAY, HOME, rulebook_of(samples.PRACTICE))
    open_tasks = [Checked(number, task, (), False) for number, task in enumerate(asked, 1)]
    right = [Checked(number, task, (), True) for number, task in enumerate(asked, 1)]
    fault = ("Run by 20: the spot is 33, recorded 35.", "Tackle by 54 is missing.")
    wrong = Checked(2, asked[1], fault, True)
    return [
        ("A play is asked for", Lesson((*right[:2], *open_tasks[2:]), open_tasks[2])),
        ("Something is missing", Lesson((right[0], wrong, *open_tasks[2:]), wrong)),
        ("Finished", Lesson((right[0], wrong, *right[2:]), None)),
        ("Finished without mistakes", Lesson(tuple(right), None)),
    ]


def found_plays() -> list[tuple[str, Found]]:
    """Return each state of the search's answer with its title."""
    fold = record_of(samples.TOUCHDOWN).accepted.fold
    rows = found_rows(fold, NAMES, [5, 8])
    titles = titles_of(fold, [row.play for row in rows], (GAME.home.id, GAME.away.id))
    plays = by_play(rows, titles)
    return [
        ("Plays found", Found("hill", plays, is_cut=False)),
        ("One of more", Found("hill", plays[:1], is_cut=True)),
        ("Nothing found", Found("nobody", (), is_cut=False)),
    ]


def spotter_screens() -> list[tuple[str, SpotterScreen]]:
    """Return each state of the spotter's plays with its title."""
    screen = _spotter_screen(samples.SPOTTED)
    return [
        ("No play yet", _spotter_screen(samples.EMPTY)),
        ("Live, missing, named, struck out", screen),
        ("A page of many", replace(screen, plays=screen.plays[:1], newer=24, older=3)),
    ]


def _spotter_screen(bodies: Iterable[ev.Body]) -> SpotterScreen:
    record = record_of(bodies)
    return spotter.screen_of(record.game, record.accepted, "1", samples.ROSTER)


def club_lists() -> list[tuple[str, ClubList]]:
    """Return each state of a club's roster with its title."""
    rows = [
        ListRow(
            id=player.id,
            numbers=str(player.number),
            name=player.name,
            position=player.position,
            starts=status == "starter",
            played=status in ("starter", "in", "ejected"),
            status=status,
        )
        for player, status in zip(
            samples.ROSTER, ("", "starter", "in", "injured", "inactive", "ejected"), strict=False
        )
    ]
    return [
        ("With players", ClubList(GAME.home, rows)),
        ("Nobody is registered", ClubList(GAME.away, [])),
    ]
