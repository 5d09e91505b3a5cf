"""A league's table as the record stood at any moment of its gameweek (PRODUCT G4). Computed, never stored.

The same pure functions as now: the cut record (record/asof.py), stat lines, scoring, and the team sheets. The sheets
are those saved now: they are locked at the deadline, so they are those of then. Nothing here needs a lock or writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.clock import to_ms
from app.fantasy import queries
from app.fantasy.queries import GameweekRow, LeagueRow, SheetPick, Standing
from app.fantasy.scoring import PRESETS, ScoringRules, points
from app.record import asof
from app.record import queries as record
from app.record.asof import Instant, Moment, NoSuchMoment
from app.record.queries import GameRow

Stats = Mapping[str, int]


@dataclass(frozen=True)
class Cuts:
    """Up to which event each game of the gameweek counts (0: none yet), and that moment in words."""

    numbers: Mapping[str, int]
    words: str


def cuts(games: Sequence[GameRow], at: Moment, game_id: str) -> Cuts:
    """The cut of every game at a moment of one of them, or at an instant of the server's clock.

    An event number or a game clock is one of the game `game_id`; the other games count up to what was accepted by the
    time of that event. Two events of the same millisecond count together, except in that game itself.
    Raises NoSuchMoment when the game is needed and is not one of these.
    """
    ids = [game.id for game in games]
    if isinstance(at, Instant):
        return Cuts(record.numbers_at(ids, at.ms), at.words)
    game = next((game for game in games if game.id == game_id), None)
    if game is None:
        raise NoSuchMoment(
            f"game: {game_id or 'nothing'!r} is no game of this gameweek; choose the game whose event or clock "
            "you mean, or give a time with its zone"
        )
    events = record.events(game.id)
    number = asof.number_at(events, at)
    times = {row.number: row.recorded_at for row in events if row.revision == 0}
    ms = times[number] if number else min(times.values(), default=to_ms(game.kickoff)) - 1
    words = f"event {number} of {game.away.id} at {game.home.id}"
    return Cuts(record.numbers_at(ids, ms) | {game.id: number}, words)


def games_as_of(games: Sequence[GameRow], cuts: Cuts) -> tuple[list[GameRow], dict[str, dict[str, Stats]]]:
    """The games as they stood, in their order; and by game the stats of every player then."""
    events = record.events_of({game.id: cuts.numbers.get(game.id, 0) for game in games})
    then = {game.id: asof.as_of(events.get(game.id, []), cuts.numbers.get(game.id, 0)) for game in games}
    lines: dict[str, dict[str, Stats]] = {
        game_id: {player: stats for player, _, stats in asof.line_rows(rows)} for game_id, rows in then.items()
    }  # fmt: skip
    return [asof.game_as_of(game, then[game.id]) for game in games], lines


def table_as_of(
    league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow], lines: Iterable[Mapping[str, Stats]]
) -> list[Standing]:
    """The table from these games and stat lines, ordered and ranked as now."""
    picks = queries.sheet_picks(league.id, gameweek.id)
    statuses = {club.id: game.status for game in games for club in (game.home, game.away)}
    progress: dict[int, tuple[int, int]] = {}
    for pick in picks:
        status = statuses.get(pick.club_id or "")
        to_play, playing = progress.get(pick.member_id, (0, 0))
        progress[pick.member_id] = (to_play + (status == "scheduled"), playing + (status == "live"))
    return queries.table(league.id, totals(picks, lines, PRESETS[league.rules]), progress)


def totals(
    picks: Iterable[SheetPick], lines: Iterable[Mapping[str, Stats]], rules: ScoringRules
) -> dict[int, int]:  # fmt: skip
    """Thousandths of a point by member: every footballer's points in all games, the captain's twice."""
    by_player: dict[str, int] = {}
    for game in lines:
        for player, stats in game.items():
            by_player[player] = by_player.get(player, 0) + points(stats, rules)
    found: dict[int, int] = {}
    for pick in picks:
        found[pick.member_id] = found.get(pick.member_id, 0) + by_player.get(pick.footballer_id, 0) * pick.multiplier
    return found
