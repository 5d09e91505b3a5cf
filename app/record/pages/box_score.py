"""The box score of a game as values: tables of each club's players, club totals, the scoring summary. Pure.

Numbers of players come from stat lines; punts and the yards of returns, which no stat line holds, from the events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.record import events as ev
from app.record.pages.box_tables import TABLES, TableSpec
from app.record.pages.box_totals import Total, totals
from app.record.queries import ClubRow, GameRow
from app.record.rules.box import punt_yards, returns_and_longs
from app.record.rules.drives import Snapped, snapped
from app.record.rules.stat_lines import Numbered
from app.record.rules.state import ScoringPlay, scoring_plays
from app.record.words import UNNAMED, clock_words, period_words

Lines = Sequence[tuple[str, str, dict[str, int]]]


@dataclass(frozen=True)
class PlayerRow:
    player_id: str
    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One part of a club's box score. `columns`: abbreviation and what it means; `rows` may be empty."""

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[PlayerRow, ...]


@dataclass(frozen=True)
class ClubBoxScore:
    club: ClubRow
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Score:
    """A scoring play and the score after it."""

    club_id: str
    clock: str
    words: str
    away: int
    home: int
    play_number: int


@dataclass(frozen=True)
class BoxScore:
    """Away club first, as everywhere."""

    clubs: tuple[ClubBoxScore, ...]
    totals: tuple[Total, ...]
    scores: tuple[Score, ...]


def box_score(game: GameRow, events: Sequence[Numbered], lines: Lines, names: Mapping[str, str]) -> BoxScore:
    """The box score of these valid events. Players by their main figure, the most first, then by id."""
    plays = snapped(events)
    kicked = kicking_lines(plays)
    for who, more in returns_and_longs(plays).items():
        kicked[who] = kicked.get(who, {}) | more
    whole = {player: (club, stats | kicked.pop((player, club), {})) for player, club, stats in lines}
    for (player, club), stats in kicked.items():
        whole.setdefault(player, (club, dict(stats)))
    clubs = (game.away, game.home)
    return BoxScore(
        clubs=tuple(
            ClubBoxScore(club, tuple(_table(spec, club.id, whole, names) for spec in TABLES)) for club in clubs
        ),
        totals=totals(game, events, plays),
        scores=_scores(game, scoring_plays(events), names),
    )


def _table(
    spec: TableSpec,
    club: str,
    lines: Mapping[str, tuple[str, Mapping[str, int]]],
    names: Mapping[str, str],
) -> Table:
    title, triggers, columns, order = spec
    of_club = [
        (player, stats)
        for player, (team, stats) in lines.items()
        if team == club and any(stats.get(trigger) for trigger in triggers)
    ]
    of_club.sort(key=lambda one: (-sum(one[1].get(stat, 0) for stat in order), one[0]))
    return Table(
        title,
        tuple((short, meaning) for short, meaning, _ in columns),
        tuple(
            PlayerRow(player, names.get(player, player), tuple(cell(stats) for _, _, cell in columns))
            for player, stats in of_club
        ),
    )


def kicking_lines(plays: Sequence[Snapped]) -> dict[tuple[str, str], dict[str, int]]:
    """Punts and return yards by player and club: `punts`, `punt_yards`, `punt_return_yards`, `kickoff_return_yards`."""
    found: dict[tuple[str, str], Counter[str]] = {}

    def add(player: str | None, club: str, stat: str, amount: int) -> None:
        if player is not None:
            found.setdefault((player, club), Counter())[stat] += amount

    for play in plays:
        stat = ""
        for body in play.bodies:
            match body:
                case ev.Kick():
                    kinds = {"punt": "punt", "kickoff": "kickoff", "onside": "kickoff", "free_kick": "kickoff"}
                    stat = kinds.get(body.kind, "")
                    if body.kind == "punt" and body.result != "aborted":
                        add(body.kicker, body.team, "punts", 1)
                        add(body.kicker, body.team, "punt_yards", punt_yards(play.snap, body))
                case ev.Fumble() | ev.Recovery() | ev.Interception() | ev.Pass() | ev.Sack():
                    stat = ""
                case ev.Run(kind="return" | "after_lateral") if stat:
                    add(body.player, body.team, f"{stat}_return_yards", body.end_yard - body.start_yard)
    return {who: dict(stats) for who, stats in found.items()}


def _scores(game: GameRow, plays: Sequence[ScoringPlay], names: Mapping[str, str]) -> tuple[Score, ...]:
    away = home = 0
    found = []
    for play in plays:
        away += play.points if play.team == game.away.id else 0
        home += play.points if play.team == game.home.id else 0
        clock = f"{period_words(play.period)} {clock_words(play.clock)}"
        found.append(Score(play.team, clock, _scored(play, names), away, home, play.play_number))
    return tuple(found)


_KINDS = {
    "touchdown": "Touchdown",
    "extra_point": "Extra point",
    "two_point": "Two points",
    "defensive_two_point": "Two points for the defence",
    "field_goal": "Field goal",
    "safety": "Safety",
}


def _scored(play: ScoringPlay, names: Mapping[str, str]) -> str:
    player = UNNAMED if play.player is None else names.get(play.player, play.player)
    thrown = play.passer is not None and play.kind in ("touchdown", "two_point")
    by = f", pass from {names.get(play.passer or '', play.passer)}" if thrown else ""
    if play.kind == "safety" and play.player is None:
        return "Safety"
    return f"{_KINDS[play.kind]}: {player}{by}"
