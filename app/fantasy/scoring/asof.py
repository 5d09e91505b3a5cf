"""A league's table as the record stood at any moment of its gameweek (PRODUCT G4).

Computed, never stored.

The same pure functions as now: the cut record (record/asof.py), stat lines, scoring, and the team
sheets. The sheets are those saved now: they are locked at the deadline, so they are those of then.
Nothing here needs a lock or writes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from app.core.clock import to_ms
from app.core.db import db
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.market.models import FootballerSeason
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.scoring.rules import ScoringRules, points
from app.fantasy.scoring.sheet_points import Week, lineups_of, week_of
from app.fantasy.sheets.lineups import counted
from app.fantasy.sheets.lineups import totals as lineup_totals
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow, SheetRow, Standing
from app.record import asof
from app.record import queries as record
from app.record.asof import Instant, Moment, NoSuchMoment
from app.record.models import Footballer
from app.record.queries import GameRow
from app.record.rules.state import NOT_AWAITED

Stats = Mapping[str, int]


@dataclass(frozen=True)
class Cuts:
    """Up to which event each game of the gameweek counts (0: none yet), and that moment in
    words."""

    numbers: Mapping[str, int]
    words: str


def cuts(games: Sequence[GameRow], at: Moment, game_id: str) -> Cuts:
    """The cut of every game at a moment of one of them, or at an instant of the server's clock.

    An event number or a game clock is one of the game `game_id`; the other games count up to what
    was accepted by the time of that event. Two events of the same millisecond count together,
    except in that game itself. Raises NoSuchMoment when the game is needed and is not one of these.
    """
    ids = [game.id for game in games]
    if isinstance(at, Instant):
        return Cuts(record.numbers_at(ids, at.ms), at.words)
    game = next((game for game in games if game.id == game_id), None)
    if game is None:
        raise NoSuchMoment(
            f"game: {game_id or 'nothing'!r} is no game of this gameweek; choose the game whose "
            "event or clock "
            "you mean, or give a time with its zone"
        )
    events = record.events(game.id)
    number = asof.number_at(events, at)
    times = {row.number: row.recorded_at for row in events if row.revision == 0}
    ms = times[number] if number else min(times.values(), default=to_ms(game.kickoff)) - 1
    words = f"event {number} of {game.away.id} at {game.home.id}"
    return Cuts(record.numbers_at(ids, ms) | {game.id: number}, words)


def games_as_of(
    games: Sequence[GameRow], cuts: Cuts
) -> tuple[list[GameRow], dict[str, dict[str, Stats]]]:
    """The games as they stood, in their order; and by game the stats of every player then."""
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

    What transfers cost, and what the commissioner gave or took, counts from the first play on: the
    table as of the last event is the one of now.
    """
    games = [game for game in games if league.counts_moved or not game.is_moved]
    format = FORMATS[league.format]
    counts = gameweek.week >= league.first_week
    sheets = queries.sheets_of(league.id, gameweek.id) if counts else []
    players = players_of(league.season_id, {player for sheet in sheets for player in sheet.picks})
    statuses = club_statuses(games)
    progress = {}
    for sheet in sheets:
        now = [
            status
            for player in sheet.picks[: len(format.starters)]
            if player in players
            for status in statuses.get(players[player].club_id or "", ())
        ]
        progress[sheet.member_id] = (now.count("scheduled"), now.count("live"))
    counting = [lines[game.id] for game in games if game.id in lines]
    scores = totals(
        format, sheets, players, over_clubs(statuses), counting, rules_named(league.rules)
    )
    given = before_play(sheets, queries.adjusted(league.id, gameweek.id) if counts else {})
    for member, more in given.items():
        scores[member] = scores.get(member, 0) + more
    return queries.table(league.id, scores, progress)


def before_play(sheets: Iterable[SheetRow], adjusted: Mapping[int, int]) -> dict[int, int]:
    """What each member has before anything is played: the commissioner's adjustments less the cost
    of transfers.
    """
    found = dict(adjusted)
    for sheet in sheets:
        found[sheet.member_id] = found.get(sheet.member_id, 0) - sheet.transfer_cost
    return found


def club_statuses(games: Iterable[GameRow]) -> dict[str, list[str]]:
    """The statuses of each club's games."""
    found: dict[str, list[str]] = {}
    for game in games:
        for club in (game.home.id, game.away.id):
            found.setdefault(club, []).append(game.status)
    return found


def over_clubs(statuses: Mapping[str, Iterable[str]]) -> dict[str, bool]:
    """By club, whether all of its games are over; `statuses`: of each club's games.

    A club without any is left out.
    """
    return {
        club: all(status in NOT_AWAITED for status in theirs) for club, theirs in statuses.items()
    }


def totals(
    format: Format,
    sheets: Sequence[SheetRow],
    players: Mapping[str, SheetPlayer],
    over: Mapping[str, bool],
    lines: Iterable[Mapping[str, Stats]],
    rules: ScoringRules,
) -> dict[int, int]:
    """Thousandths of a point by member, by the rule of sheets/lineups.py.

    `over`: by club, see over_clubs.
    """
    if not sheets:
        return {}
    week = week_then(format, players, over, lines, rules)
    lineups = lineups_of(
        [(sheet.picks, sheet.captain, sheet.vice_captain) for sheet in sheets], week
    )
    found, _ = lineup_totals(lineups, counted(format, lineups, week.footballers), week.footballers)
    return {sheet.member_id: total for sheet, total in zip(sheets, found.tolist(), strict=True)}


def week_then(
    format: Format,
    players: Mapping[str, SheetPlayer],
    over: Mapping[str, bool],
    lines: Iterable[Mapping[str, Stats]],
    rules: ScoringRules,
) -> Week:
    """These footballers as they stood with these stat lines; `over` as in totals."""
    earned: dict[str, int] = {}
    for game in lines:
        for player, stats in game.items():
            if stats:
                position = players[player].position if player in players else ""
                earned[player] = earned.get(player, 0) + points(stats, rules, position)
    return week_of(
        format,
        [
            (
                one.id,
                one.position,
                earned.get(one.id, 0),
                0,
                one.id in earned,
                over.get(one.club_id or "", True),
            )
            for one in players.values()
        ],
    )


@dataclass(frozen=True)
class SheetPlayer:
    id: str
    position: str
    club_id: str | None


def players_of(season_id: int, ids: Collection[str]) -> dict[str, SheetPlayer]:
    """These footballers by id, with the position that they have in the season."""
    season = (FootballerSeason.footballer_id == Footballer.id) & (
        FootballerSeason.season_id == season_id
    )
    found = db.session.execute(
        select(
            Footballer.id,
            func.coalesce(FootballerSeason.position, Footballer.position),
            Footballer.club_id,
        )
        .outerjoin(FootballerSeason, season)
        .where(Footballer.id.in_(ids))
        .order_by(Footballer.id)
    )
    return {row[0]: SheetPlayer(*row) for row in found}
