"""A league's table as the record stood at any moment of its gameweek (PRODUCT G4). Computed, never stored.

The same pure functions as now: the cut record (record/asof.py), stat lines, scoring, and the team sheets. The sheets
are those saved now: they are locked at the deadline, so they are those of then. Nothing here needs a lock or writes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from app.core.clock import to_ms
from app.core.db import db
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import ScoringRules, points
from app.fantasy.scoring.sheet_points import lineups_of, week_of
from app.fantasy.sheets.lineups import counted
from app.fantasy.sheets.lineups import totals as lineup_totals
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow, SheetRow, Standing
from app.record import asof
from app.record import queries as record
from app.record.asof import Instant, Moment, NoSuchMoment
from app.record.models import Footballer
from app.record.queries import GameRow
from app.record.rules.state import OVER

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
    }
    return [asof.game_as_of(game, then[game.id]) for game in games], lines


def table_as_of(
    league: LeagueRow, gameweek: GameweekRow, games: Sequence[GameRow], lines: Iterable[Mapping[str, Stats]]
) -> list[Standing]:
    """The gameweek's table from these games and stat lines, ordered and ranked as now."""
    format = FORMATS[league.format]
    sheets = queries.sheets_of(league.id, gameweek.id)
    players = _footballers({player for sheet in sheets for player in sheet.picks})
    statuses = {club.id: game.status for game in games for club in (game.home, game.away)}
    progress = {}
    for sheet in sheets:
        now = [
            statuses.get(players[player].club_id or "")
            for player in sheet.picks[: len(format.starters)]
            if player in players
        ]
        progress[sheet.member_id] = (now.count("scheduled"), now.count("live"))
    return queries.table(
        league.id, totals(format, sheets, players, statuses, lines, rules_named(league.rules)), progress
    )


def totals(
    format: Format,
    sheets: Sequence[SheetRow],
    players: Mapping[str, SheetPlayer],
    statuses: Mapping[str, str],
    lines: Iterable[Mapping[str, Stats]],
    rules: ScoringRules,
) -> dict[int, int]:
    """Thousandths of a point by member, by the rule of sheets/lineups.py. `statuses`: of each club's game."""
    earned: dict[str, int] = {}
    for game in lines:
        for player, stats in game.items():
            if stats:
                position = players[player].position if player in players else ""
                earned[player] = earned.get(player, 0) + points(stats, rules, position)
    week = week_of(
        format,
        [
            (
                one.id,
                one.position,
                earned.get(one.id, 0),
                0,
                one.id in earned,
                statuses.get(one.club_id or "", OVER[0]) in OVER,
            )
            for one in players.values()
        ],
    )
    if not sheets:
        return {}
    lineups = lineups_of([(sheet.picks, sheet.captain, sheet.vice_captain) for sheet in sheets], week)
    found, _ = lineup_totals(lineups, counted(format, lineups, week.footballers), week.footballers)
    return {sheet.member_id: total for sheet, total in zip(sheets, found.tolist(), strict=True)}


@dataclass(frozen=True)
class SheetPlayer:
    id: str
    position: str
    club_id: str | None


def _footballers(ids: Collection[str]) -> dict[str, SheetPlayer]:
    found = db.session.execute(
        select(Footballer.id, Footballer.position, Footballer.club_id).where(Footballer.id.in_(ids))
    )
    return {row[0]: SheetPlayer(*row) for row in found}
