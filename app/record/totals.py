"""Recomputes what follows from the valid rows of games: stat lines, ledger, score and state.

Totals are recomputed, never incremented. All games of a batch together: each table is read and
written by one statement.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import select, text

from app.core.db import db
from app.core.db.bulk_insert import as_json, insert_rows
from app.record import events as ev
from app.record import ledger
from app.record.models import StatLine
from app.record.new_footballers import register_people
from app.record.rules import team_defence
from app.record.rules.reviews import plays_under_review
from app.record.rules.stat_lines import Credit, Numbered
from app.record.rules.stat_lines import StatLine as Line
from app.record.rules.state import GameState as GameStateNow
from app.record.rules.state import game_state
from app.record.rules.team_defence import Clubs


@dataclass(frozen=True)
class ChangedLines:
    """The stat lines of a game that a batch changed: new stats by player, empty for a deleted line.

    `held_stats`: the part that comes from plays under review, by player; players without such a
    part are left out.
    """

    game_id: str
    stats: dict[str, dict[str, int]]
    held_stats: dict[str, dict[str, int]]


OnChange = Callable[[Sequence[ChangedLines]], None]


@dataclass(frozen=True)
class _Game:
    """The recomputed totals of a game. `held_stats`: see ChangedLines."""

    state: GameStateNow
    lines: dict[str, Line]
    held_stats: dict[str, dict[str, int]]


def recompute(
    plays: Mapping[str, Collection[int]],
    clubs: Mapping[str, Clubs],
    now: datetime,
    on_change: OnChange,
) -> None:
    """Update stat lines, ledger and state of these games, in the caller's transaction.

    `plays`: those that changed, by game; `clubs`: home and away, by game. `on_change` gets the stat
    lines that changed, if any.
    """
    if not plays:
        return
    games = sorted(plays)
    events = _valid_events(games)
    corrected = [
        game_
        for game_ in games
        if any(isinstance(body, ev.Correction) for _, _, body in events[game_])
    ]
    changed_plays = ledger.plays_of({game_id: plays[game_id] for game_id in games}, corrected)
    for game_id in games:
        if any(
            isinstance(row.body, ev.RosterFact)
            for play in changed_plays[game_id]
            for row in play.rows
        ):
            register_people(game_id, events[game_id])
    ledger.bring_up_to_date(changed_plays, clubs)
    totals_by_game = {game_id: _worked_out(events[game_id], clubs[game_id]) for game_id in games}
    if changed := _store_lines(totals_by_game):
        on_change(changed)
    _store_states({game_id: game.state for game_id, game in totals_by_game.items()}, now)


_EVENTS = text("""
    SELECT game_id, '[' || string_agg('[' || event_number || ',' || play_number || ',' || body::text
      || ']', ','
      ORDER BY event_number) || ']'
    FROM events WHERE game_id = ANY(:games) AND valid GROUP BY game_id
""")
_events = msgspec.json.Decoder(list[tuple[int, int, ev.Body]])


def _valid_events(games: Sequence[str]) -> dict[str, list[Numbered]]:
    """Event number, play number and body of the valid rows by game, in order of event number."""
    by_game: dict[str, list[Numbered]] = {game_id: [] for game_id in games}
    by_game |= {
        game_id: _events.decode(rows)
        for game_id, rows in db.session.execute(_EVENTS, {"games": list(games)})
    }
    return by_game


def _worked_out(events: list[Numbered], clubs: Clubs) -> _Game:
    state = game_state(events, *clubs)
    # Of a cancelled game nothing counts; its plays stay in the record, so that it can be taken
    # back.
    counts = state.status != "cancelled"
    earned = team_defence.all_credits(events, clubs) if counts else []
    lines = team_defence.all_lines(
        earned, clubs, has_begun=counts and team_defence.has_begun(events)
    )
    return _Game(state, lines, _held(events, earned, lines))


def _held(
    events: list[Numbered], earned: list[Credit], lines: Mapping[str, Line]
) -> dict[str, dict[str, int]]:
    """The statistics that come from plays under review, by player."""
    plays = set(plays_under_review(events))
    numbers = {number for number, play, _ in events if play in plays}
    return team_defence.held_lines(earned, numbers, lines) if numbers else {}


def _store_lines(games: Mapping[str, _Game]) -> list[ChangedLines]:
    """Write the stat lines that differ; returns them by game."""
    # As columns: an object that the session still holds would keep what it had when it was loaded
    # first.
    columns = (StatLine.game_id, StatLine.player_id, StatLine.team, StatLine.stats, StatLine.held)
    before: dict[str, dict[str, tuple[object, ...]]] = {game_id: {} for game_id in games}
    for game_id, player, *old_values in db.session.execute(
        select(*columns).where(StatLine.game_id.in_(list(games)))
    ):
        before[game_id][player] = tuple(old_values)
    changed_lines: list[ChangedLines] = []
    rows: list[dict[str, Any]] = []
    deleted: list[dict[str, str]] = []
    for game_id, game in games.items():
        stats: dict[str, dict[str, int]] = {}
        for player, line in sorted(game.lines.items()):
            held_stats = game.held_stats.get(player, {})
            if before[game_id].pop(player, None) != (line.team, line.stats, held_stats):
                stats[player] = line.stats
                rows.append(
                    {
                        "game_id": game_id,
                        "player_id": player,
                        "team": line.team,
                        "stats": line.stats,
                        "held": held_stats,
                    }
                )
        deleted += [{"game_id": game_id, "player_id": player} for player in before[game_id]]
        stats |= {player: {} for player in before[game_id]}
        if stats:
            changed_lines.append(ChangedLines(game_id, stats, game.held_stats))
    insert_rows(StatLine, rows, key=("game_id", "player_id"))
    if deleted:
        db.session.execute(_GONE, {"gone": as_json(deleted)})
    return changed_lines


_GONE = text("""
    DELETE FROM stat_lines WHERE (game_id, player_id) IN (
      SELECT game_id, player_id FROM json_to_recordset(CAST(:gone AS json)) AS g(game_id text,
        player_id text))
""")


def _store_states(states: Mapping[str, GameStateNow], now: datetime) -> None:
    rows = [
        {
            "game_id": game_id,
            "status": state.status,
            "home_score": state.home_score,
            "away_score": state.away_score,
            "state": state,
            "updated_at": now,
        }
        for game_id, state in states.items()
    ]
    db.session.execute(_STORE_STATES, {"rows": as_json(rows)})


_STORE_STATES = text("""
    INSERT INTO game_states AS s (game_id, status, home_score, away_score, state, version,
      updated_at)
    SELECT game_id, status, home_score, away_score, state, 1, updated_at
    FROM json_populate_recordset(CAST(NULL AS game_states), CAST(:rows AS json))
    ON CONFLICT (game_id) DO UPDATE SET status = excluded.status, home_score = excluded.home_score,
      away_score = excluded.away_score, state = excluded.state, version = s.version + 1,
      updated_at = excluded.updated_at
""")
