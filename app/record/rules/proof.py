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

from app.record import events as ev
from app.record.rules.football.rulebook import Rulebook
from app.record.rules.football.timeouts import timeout_fault, timeouts_of
from app.record.rules.order import Numbered, in_order
from app.record.rules.proof_plays import Clubs, Finding, Play, findings
from app.record.rules.stat_lines import game_credits, stat_lines
from app.record.rules.state import GameState, game_state

# Player id, club and statistics.
Lines = Iterable[tuple[str, str, Mapping[str, int]]]


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
class Proved:
    """A proof with what it takes to repeat it faster after a change.

    Valid events in the order of the game, their plays, the findings of each play, and all findings
    as `proof` returns them.
    """

    setting: Setting
    ordered: list[Numbered]
    plays: list[Play]
    of_plays: list[list[Finding]]
    findings: list[Finding]


def proof(
    events: Iterable[Numbered], *, home: str, away: str, book: Rulebook, is_playoff: bool = False
) -> list[Finding]:
    """The findings in the order of the game, those of the whole game last."""
    return prove(events, Setting(Clubs(home, away), book, is_playoff)).findings


def prove(events: Iterable[Numbered], setting: Setting, earlier: Proved | None = None) -> Proved:
    """As `proof`, with what it takes to repeat it faster after a change.

    `earlier` is any earlier proof and only saves time: the findings of a play depend on the play,
    the play before it and the events before its snap, so they are the same as long as those are.
    """
    ordered = in_order(events)
    standing = [_Event(*event) for event in ordered]
    plays = _plays(standing)
    clubs, book = setting.clubs, setting.book
    unchanged = (
        []
        if earlier is None or earlier.setting != setting
        else _unchanged_findings(earlier, ordered, plays)
    )
    of_plays = [
        *unchanged,
        *(
            list(
                findings(
                    standing[: play.place], plays[place - 1] if place else None, play, clubs, book
                )
            )
            for place, play in enumerate(plays[len(unchanged) :], start=len(unchanged))
        ),
    ]
    all_findings = [finding for of_play in of_plays for finding in of_play]
    all_findings += _timeouts(standing, clubs, book, setting.is_playoff)
    all_findings += _score(game_state(ordered, clubs.home, clubs.away))
    places = {play.number: place for place, play in enumerate(plays)}
    all_findings.sort(key=lambda listed: places.get(listed.play_number, len(plays)))
    return Proved(setting, ordered, plays, of_plays, all_findings)


def _unchanged_findings(
    earlier: Proved, ordered: Sequence[Numbered], plays: Sequence[Play]
) -> list[list[Finding]]:
    """The earlier findings of the first plays, up to the first change."""
    same = 0
    for event, earlier_event in zip(ordered, earlier.ordered, strict=False):
        if event != earlier_event:
            break
        same += 1
    unchanged = []
    for play, was_play, of_play in zip(plays, earlier.plays, earlier.of_plays, strict=False):
        if play.place > same or play != was_play:
            break
        unchanged.append(of_play)
    return unchanged


# The play before them is over, though no snap has followed yet.
_WHISTLE = (ev.Period, ev.GameEnded, ev.Final)


def _plays(ordered: Sequence[_Event]) -> list[Play]:
    plays, start = [], 0
    for number, group in groupby(ordered, key=lambda event: event.play_number):
        bodies = [event.body for event in group]
        end = start + len(bodies)
        for place, body in enumerate(bodies):
            if isinstance(body, ev.Snap):
                of_play = tuple(bodies[place + 1 :])
                is_over = end < len(ordered) or any(
                    isinstance(event, _WHISTLE) for event in of_play
                )
                plays.append(Play(number, start + place, body, of_play, is_over))
                break
        start = end
    return plays


def _timeouts(
    ordered: Sequence[_Event], clubs: Clubs, book: Rulebook, is_playoff: bool
) -> Iterator[Finding]:
    """No club is charged with more timeouts than it has.

    Exceptions are injuries and lost challenges late in a half.
    """
    for place, event in enumerate(ordered):
        if isinstance(event.body, ev.Timeout) and event.body.team is not None:
            remaining = timeouts_of(
                ordered[:place], (clubs.home, clubs.away), book, is_playoff=is_playoff
            )
            if timeout_fault(event.body, remaining) is not None:
                yield Finding(
                    "timeouts",
                    event.play_number,
                    f"{event.body.team} has no time-out left for this one",
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
                f"{explanation} is {'missing' if gap > 0 else 'counted too many'}, or the board "
                "was read wrong",
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
    "the stored line is not what ingestion wrote: `pressbox verify` tells more, `pressbox rebuild "
    "record` mends it"
)
