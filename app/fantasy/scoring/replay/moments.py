"""A league's table as the record stood at any moment of its gameweek (PRODUCT G4).

Computed, never stored: the engine adds up the team sheets with the stat lines of the record as of
the moment (record/asof.py). Sheets are locked at the deadline, so they have not changed since.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.clock import to_ms
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.scoring.league_gameweek import LeagueGameweek, Stats, league_gameweek
from app.fantasy.scoring.timeline import Timeline
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow, Standing
from app.record import asof
from app.record import events as ev
from app.record import queries as record
from app.record.asof import Instant, Moment, MomentError
from app.record.queries import EventRow, GameRow
from app.record.words import clock_words, period_words


@dataclass(frozen=True)
class Cuts:
    """The number of the last event that counts in each game (0: none), and the moment in words."""

    numbers: Mapping[str, int]
    words: str


def cuts(games: Sequence[GameRow], at: Moment, game_id: str) -> Cuts:
    """The cut of every game at a moment of one of them, or at an instant of the server's clock.

    An event number or a game clock is of the game `game_id`; the other games count up to what was
    accepted by the time of that event. Two events of the same millisecond count together, except in
    that game itself.

    Raises:
        MomentError: The game is needed and is not one of these.
    """
    ids = [game.id for game in games]
    if isinstance(at, Instant):
        return Cuts(record.numbers_at(ids, at.ms), at.words)
    game = next((game for game in games if game.id == game_id), None)
    if game is None:
        raise MomentError(
            f"game: {game_id or 'nothing'!r} is not a game of this week; choose the game whose "
            "event or clock you mean, or give a time with its zone"
        )
    events = record.events(game.id)
    number = asof.number_at(events, at)
    times = {row.number: row.recorded_at for row in events if row.revision == 0}
    ms = times[number] if number else min(times.values(), default=to_ms(game.kickoff)) - 1
    words = f"{_clock(asof.as_of(events, number))}, {game.away.id} at {game.home.id}"
    return Cuts(record.numbers_at(ids, ms) | {game.id: number}, words)


def _clock(events: Sequence[EventRow]) -> str:
    """The game clock after these events, as in `Q1 14:20`."""
    snaps = [row.body for row in events if row.valid and isinstance(row.body, ev.Snap)]
    if not snaps:
        return "the kickoff"
    return f"{period_words(snaps[-1].period)} {clock_words(snaps[-1].clock)}"


def games_as_of(
    games: Sequence[GameRow], cuts: Cuts
) -> tuple[list[GameRow], dict[str, dict[str, Stats]]]:
    """The games as they stood, in their order, and the statistics of every player by game."""
    events = record.events_of({game.id: cuts.numbers.get(game.id, 0) for game in games})
    then = {
        game.id: asof.as_of(events.get(game.id, []), cuts.numbers.get(game.id, 0)) for game in games
    }
    lines: dict[str, dict[str, Stats]] = {
        game.id: {
            player: stats
            for player, _, stats in asof.line_rows(then[game.id], (game.home.id, game.away.id))
        }
        for game in games
    }
    return [asof.game_as_of(game, then[game.id]) for game in games], lines


def table_as_of(
    league: LeagueRow,
    gameweek: GameweekRow,
    games: Sequence[GameRow],
    lines: Mapping[str, Mapping[str, Stats]],
) -> list[Standing]:
    """The gameweek's table from these games and their stat lines, ordered and ranked as now.

    The cost of transfers and the commissioner's adjustments count from the first play on, so that
    the table as of the last event is the present table.
    """
    counting = league_gameweek(league, gameweek, games)
    totals = timeline_as_of(counting, lines).totals().tolist()
    points = {team.member_id: total for team, total in zip(counting.teams, totals, strict=True)}
    return queries.table(
        [(team.member_id, team.display_name, team.name) for team in counting.teams],
        points,
        _progress(counting),
    )


def timeline_as_of(gameweek: LeagueGameweek, lines: Mapping[str, Mapping[str, Stats]]) -> Timeline:
    """A timeline at the moment at which the gameweek's games stood so, with these stat lines."""
    timeline = Timeline(gameweek)
    for game in gameweek.games:
        timeline.take(game.id, lines.get(game.id, {}), game.status)
    return timeline


def _progress(gameweek: LeagueGameweek) -> dict[int, tuple[int, int]]:
    """For each member with a sheet, how many starters' games are to begin and are under way."""
    statuses: dict[str, list[str]] = defaultdict(list)
    for game in gameweek.games:
        for club in (game.home.id, game.away.id):
            statuses[club].append(game.status)
    progress = {}
    for sheet in gameweek.sheets:
        starters = sheet.picks[: len(gameweek.ownership.format.starters)]
        players = [gameweek.players[pick] for pick in starters if pick in gameweek.players]
        now = [status for player in players for status in statuses[player.club_id or ""]]
        progress[sheet.member_id] = now.count("scheduled"), now.count("live")
    return progress
