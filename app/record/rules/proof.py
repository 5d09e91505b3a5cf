"""Continuous proof: what in a game's standing events does not balance, and what is likely wrong.

Pure.

Lives here: the whole game: its plays one after another, time-outs, the score, the stored lines
against the plays. Not here: what is asked of a play (proof_plays.py), messages and their hashes
(app/record/verification.py). Nothing of it is written; the console shows it after every entry, the
game's page to staff.

A finding is no verdict: officials place the ball where they like. It says where the entries
contradict each other, or the rulebook, so that somebody looks. Where the next snap cannot be known
(a club chooses, a loose ball without a spot) only what must hold in any case is asked.
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
class Proved:
    """Standing events in the order of the game, their plays, and the findings: of each play, and
    all of them as `proof` has them. `asked`: of which clubs, under which rules.
    """

    asked: tuple[Clubs, Rulebook, bool]
    ordered: list[Numbered]
    plays: list[Play]
    of_plays: list[list[Finding]]
    found: list[Finding]


def proof(
    events: Iterable[Numbered], *, home: str, away: str, book: Rulebook, is_playoff: bool = False
) -> list[Finding]:
    """The findings over these valid events, in the order of the game; of the whole game last.

    The order is that of order.py, whenever an event was entered.
    """
    return prove(events, home=home, away=away, book=book, is_playoff=is_playoff).found


def prove(
    events: Iterable[Numbered],
    *,
    home: str,
    away: str,
    book: Rulebook,
    is_playoff: bool = False,
    earlier: Proved | None = None,
) -> Proved:
    """As `proof`, and what it takes to find the same faster once more events stand or some have
    changed.

    `earlier`, of any events, only saves time: what is found of a play depends on it, on the play
    before it and on what stands before its snap, so as far as all that is the same the findings are
    too.
    """
    ordered = in_order(events)
    standing = [_Event(*event) for event in ordered]
    plays = _plays(standing)
    clubs = Clubs(home, away)
    asked = (clubs, book, is_playoff)
    known = (
        [] if earlier is None or earlier.asked != asked else _still_right(earlier, ordered, plays)
    )
    of_plays = [
        *known,
        *(
            list(
                findings(
                    standing[: play.place], plays[place - 1] if place else None, play, clubs, book
                )
            )
            for place, play in enumerate(plays[len(known) :], start=len(known))
        ),
    ]
    found = [finding for of_play in of_plays for finding in of_play]
    found += _timeouts(standing, clubs, book, is_playoff)
    found += _score(game_state(ordered, home, away))
    places = {play.number: place for place, play in enumerate(plays)}
    found.sort(key=lambda one: places.get(one.play_number, len(plays)))
    return Proved(asked, ordered, plays, of_plays, found)


def _still_right(
    earlier: Proved, ordered: Sequence[Numbered], plays: Sequence[Play]
) -> list[list[Finding]]:
    """The earlier findings of the first plays, as long as they and all before them are what they
    were.
    """
    same = 0
    for one, was in zip(ordered, earlier.ordered, strict=False):
        if one != was:
            break
        same += 1
    found = []
    for play, was_play, of_play in zip(plays, earlier.plays, earlier.of_plays, strict=False):
        if play.place > same or play != was_play:
            break
        found.append(of_play)
    return found


# The play before them is over, though no snap has followed yet.
_WHISTLE = (ev.Period, ev.GameEnded, ev.Final)


def _plays(ordered: Sequence[_Event]) -> list[Play]:
    found, start = [], 0
    for number, group in groupby(ordered, key=lambda one: one.play_number):
        bodies = [one.body for one in group]
        end = start + len(bodies)
        for place, body in enumerate(bodies):
            if isinstance(body, ev.Snap):
                of_play = tuple(bodies[place + 1 :])
                is_over = end < len(ordered) or any(isinstance(one, _WHISTLE) for one in of_play)
                found.append(Play(number, start + place, body, of_play, is_over))
                break
        start = end
    return found


def _timeouts(
    ordered: Sequence[_Event], clubs: Clubs, book: Rulebook, is_playoff: bool
) -> Iterator[Finding]:
    """No club is charged with more time-outs than it has, but for an injury or a lost challenge
    late in a half.
    """
    for place, one in enumerate(ordered):
        if isinstance(one.body, ev.Timeout) and one.body.team is not None:
            now = timeouts_of(
                ordered[:place], (clubs.home, clubs.away), book, is_playoff=is_playoff
            )
            if timeout_fault(one.body, now) is not None:
                yield Finding(
                    "timeouts",
                    one.play_number,
                    f"{one.body.team} has no time-out left for this one",
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
    """The plays add up to what the stadium shows, or declared."""
    pairs = (
        (state.home, state.reported_home_score, state.home_score),
        (state.away, state.reported_away_score, state.away_score),
    )
    for club, said, counted in pairs:
        if said != counted:
            gap = said - counted
            what = _LIKELY.get(abs(gap), f"{abs(gap)} points")
            yield Finding(
                "score",
                0,
                f"{club} has {counted} points by its plays, and {said} on the stadium's board",
                f"{what} is {'missing' if gap > 0 else 'counted too many'}, or the board was read "
                "wrong",
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
    """Where stored stat lines are not what the valid events give: player by player, then club by
    club.

    A club's total is the sum of its players and of what the plays credit to nobody by name.
    """
    earned = game_credits(events)
    wanted = {player: line.stats for player, line in stat_lines(earned).items()}
    stored = {player: dict(stats) for player, _, stats in lines}
    found = []
    for player in sorted(wanted.keys() | stored.keys()):
        by_plays, in_table = wanted.get(player, {}), stored.get(player, {})
        for stat in sorted(by_plays.keys() | in_table.keys()):
            if by_plays.get(stat, 0) != in_table.get(stat, 0):
                found.append(
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
        for one, other, words, other_words in _TWINS:
            if total[one] != total[other]:
                what = f"{club}: {total[one]} {words}, {total[other]} {other_words}"
                found.append(Finding("totals", 0, what, _REBUILD))
    return found


_REBUILD = (
    "the stored line is not what ingestion wrote: `pressbox verify` tells more, `pressbox rebuild "
    "record` mends it"
)
