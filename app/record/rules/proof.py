"""Proves a game: what in its valid events does not balance, and what is likely wrong. Pure.

Checks the whole game: plays one after another, timeouts, the score, stored lines against plays. The
checks of one play are in proof_plays.py, messages and hashes in app/record/verification.py. Nothing
is stored: the console shows findings after every entry, the game's page shows them to staff.

A finding is no verdict, because officials place the ball where they like. It says where the entries
contradict each other or the rulebook, so that somebody looks. If the next snap cannot be known (a
club chooses, a loose ball without a spot), only what must hold in any case is checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, is_
from typing import Protocol

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.timeouts import TimeoutsCalled, none_called, timeout_fault
from app.record.rules.order import Numbered, in_order
from app.record.rules.proof_plays import Clubs, Finding, Play, findings
from app.record.rules.stat_lines import game_credits, stat_lines
from app.record.rules.state import GameState, Progress

# Player id, club and statistics.
Lines = Iterable[tuple[str, str, Mapping[str, int]]]


class Recorded(Protocol):
    """A valid event in its last ruling."""

    @property
    def event_number(self) -> int:
        """Its number."""

    @property
    def play_number(self) -> int:
        """The number of its play."""

    @property
    def body(self) -> ev.Body:
        """What happened."""


@dataclass(frozen=True, slots=True)
class _Event:
    event_number: int
    play_number: int
    body: ev.Body


@dataclass(frozen=True)
class Setting:
    """What a proof depends on besides the events."""

    clubs: Clubs
    book: Rulebook
    is_playoff: bool


@dataclass(frozen=True)
class _ProvedPlay:
    """The findings of a play, and what the proof of the next play needs.

    `end` is the number of events up to its last one. `play` is None if it has no snap.
    """

    end: int
    play: Play | None
    findings: list[Finding]
    timeouts: TimeoutsCalled
    progress: Progress


@dataclass(frozen=True)
class Proved:
    """A proof with what it takes to repeat it faster after a change.

    `events` are the valid events in the order of the game, `plays` the proof of each of their
    plays, and `findings` all findings as `proof` returns them.
    """

    setting: Setting
    events: Sequence[Recorded]
    plays: list[_ProvedPlay]
    findings: list[Finding]


def proof(
    events: Iterable[Numbered], *, home: str, away: str, book: Rulebook, is_playoff: bool = False
) -> list[Finding]:
    """The findings in the order of the game, those of the whole game last."""
    ordered = [_Event(*event) for event in in_order(events)]
    return prove(ordered, Setting(Clubs(home, away), book, is_playoff)).findings


def prove(events: Sequence[Recorded], setting: Setting, earlier: Proved | None = None) -> Proved:
    """As `proof`, with what it takes to repeat it faster after a change.

    Args:
        events: The valid events in the order of the game.
        setting: The clubs and their rules.
        earlier: Any earlier proof, which only saves time. The findings of a play depend on the
            play, the play before it and the events before its snap. So they are the same as long
            as the events so far are the same objects.
    """
    plays = [] if earlier is None or earlier.setting != setting else _unchanged(earlier, events)
    end = plays[-1].end if plays else 0
    for _, group in groupby(events[end:], key=attrgetter("play_number")):
        plays.append(_prove_play(events, plays, list(group), setting))
    progress = plays[-1].progress if plays else Progress()
    findings_of_all = [finding for play in plays for finding in play.findings]
    findings_of_all += _score(progress.state((), setting.clubs.home, setting.clubs.away))
    snapped = [proved.play.number for proved in plays if proved.play is not None]
    places = {number: place for place, number in enumerate(snapped)}
    findings_of_all.sort(key=lambda finding: places.get(finding.play_number, len(places)))
    return Proved(setting, events, plays, findings_of_all)


def _unchanged(earlier: Proved, events: Sequence[Recorded]) -> list[_ProvedPlay]:
    """The proofs of the plays before the first change, and before the last play so far.

    Whether the last play is over depends on what follows.
    """
    same = list(map(is_, earlier.events, events))
    count = same.index(False) if False in same else len(same)
    plays = earlier.plays[:-1]
    while plays and not _ends_play(plays[-1].end, count, events):
        plays.pop()
    return plays


def _ends_play(end: int, same: int, events: Sequence[Recorded]) -> bool:
    if end > same or end == len(events):
        return False
    return events[end].play_number != events[end - 1].play_number


def _prove_play(
    events: Sequence[Recorded],
    before: Sequence[_ProvedPlay],
    of_play: Sequence[Recorded],
    setting: Setting,
) -> _ProvedPlay:
    """Prove the next play after those that were proved before."""
    start = before[-1].end if before else 0
    end = start + len(of_play)
    play = _play(of_play, start, is_last=end == len(events))
    play_findings: list[Finding] = []
    if play is not None:
        last = next((proved.play for proved in reversed(before) if proved.play), None)
        play_findings += findings(events[: play.place], last, play, setting.clubs, setting.book)
    timeouts = before[-1].timeouts if before else none_called(setting.book)
    play_findings += _timeouts(of_play, timeouts, setting)
    progress = before[-1].progress if before else Progress()
    numbered = [(event.event_number, event.play_number, event.body) for event in of_play]
    return _ProvedPlay(
        end,
        play,
        play_findings,
        timeouts.then(of_play, setting.book),
        progress.then(numbered),
    )


# The play before them is over, though no snap has followed yet.
_WHISTLE = (ev.Period, ev.GameEnded, ev.Final)


def _play(events: Sequence[Recorded], start: int, *, is_last: bool) -> Play | None:
    """The play from its snap on; None without one. `start` is the place of its first event."""
    for place, event in enumerate(events):
        if isinstance(event.body, ev.Snap):
            bodies = tuple(following.body for following in events[place + 1 :])
            is_over = not is_last or any(isinstance(body, _WHISTLE) for body in bodies)
            return Play(event.play_number, start + place, event.body, bodies, is_over)
    return None


def _timeouts(
    of_play: Sequence[Recorded], before: TimeoutsCalled, setting: Setting
) -> Iterator[Finding]:
    """No club is charged with more timeouts than it has.

    Exceptions are injuries and lost challenges late in a half.
    """
    clubs, book = (setting.clubs.home, setting.clubs.away), setting.book
    for place, event in enumerate(of_play):
        if isinstance(event.body, ev.Timeout) and event.body.team is not None:
            remaining = before.then(of_play[:place], book).left(
                clubs, book, is_playoff=setting.is_playoff
            )
            if timeout_fault(event.body, remaining) is not None:
                yield Finding(
                    "timeouts",
                    event.play_number,
                    f"{event.body.team} has no timeout left for this one",
                    "it was the other club's, or the officials' (an injury, a lost challenge), or "
                    "it was entered twice",
                )


_LIKELY = {
    1: "an extra point",
    2: "a safety or a two-point try",
    3: "a field goal",
    6: "a touchdown",
    7: "a touchdown and its extra point",
    8: "a touchdown and its two points",
}


def _score(state: GameState) -> Iterator[Finding]:
    """The plays add up to the score that the stadium shows or declared."""
    pairs = (
        (state.home, state.reported_home_score, state.home_score),
        (state.away, state.reported_away_score, state.away_score),
    )
    for club, reported, counted in pairs:
        if reported != counted:
            gap = reported - counted
            explanation = _LIKELY.get(abs(gap), f"{abs(gap)} points")
            yield Finding(
                "score",
                0,
                f"{club} has {counted} points by its plays, and {reported} on the stadium's board",
                f"{explanation} is {'missing' if gap > 0 else 'counted once too often'}, or the "
                "board was read wrong",
            )


# What both sides of one act must add up to, in a club's lines.
_TWINS = (
    ("passing_yards", "receiving_yards", "passing yards", "receiving yards"),
    ("completions", "receptions", "completions", "receptions"),
    ("passing_tds", "receiving_tds", "touchdown passes", "touchdowns caught"),
)


def proof_of_lines(
    events: Iterable[Numbered], lines: Lines, names: Mapping[str, str]
) -> list[Finding]:
    """Where stored stat lines differ from the valid events: by player, then by club.

    A club's total is the sum of its players and of what the plays credit to nobody by name.
    """
    earned = game_credits(events)
    expected = {player: line.stats for player, line in stat_lines(earned).items()}
    stored = {player: dict(stats) for player, _, stats in lines}
    findings = []
    for player in sorted(expected.keys() | stored.keys()):
        by_plays, in_table = expected.get(player, {}), stored.get(player, {})
        for stat in sorted(by_plays.keys() | in_table.keys()):
            if by_plays.get(stat, 0) != in_table.get(stat, 0):
                findings.append(
                    Finding(
                        "totals",
                        0,
                        f"{names.get(player, player)}: {stat.replace('_', ' ')} "
                        f"{in_table.get(stat, 0)} in the table, "
                        f"{by_plays.get(stat, 0)} by the plays",
                        _REBUILD,
                    )
                )
    sums: dict[str, Counter[str]] = {}
    for _, club, stats in lines:
        sums.setdefault(club, Counter()).update(stats)
    for credit in earned:
        if credit.player_id is None:
            sums.setdefault(credit.team, Counter())[credit.stat] += credit.amount
    for club, total in sorted(sums.items()):
        for own_stat, twin, stat_words, twin_words in _TWINS:
            if total[own_stat] != total[twin]:
                what = f"{club}: {total[own_stat]} {stat_words}, {total[twin]} {twin_words}"
                findings.append(Finding("totals", 0, what, _REBUILD))
    return findings


_REBUILD = (
    "the stored line is not what ingestion wrote: `pressbox verify` shows more, `pressbox "
    "rebuild record` repairs it"
)
