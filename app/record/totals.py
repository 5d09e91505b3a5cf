"""What follows from the valid rows of a game: stat lines, ledger, score and state. Recomputed, never nudged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

import msgspec
from sqlalchemy import delete, select, text
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.record import events as ev
from app.record import ledger
from app.record.models import GameState, StatLine
from app.record.people import register_people
from app.record.rules import team_defence
from app.record.rules.reviews import plays_under_review
from app.record.rules.stat_lines import Credit, Numbered
from app.record.rules.stat_lines import StatLine as Line
from app.record.rules.state import GameState as GameStateNow
from app.record.rules.state import game_state


@dataclass(frozen=True)
class ChangedLines:
    """The stat lines of a game that a batch changed: new stats by player (empty when the line is gone).

    `held`: by player, the part of them from plays under review; players without any are left out.
    """

    game_id: str
    stats: dict[str, dict[str, int]]
    held: dict[str, dict[str, int]]


OnChange = Callable[[ChangedLines], None]

_bodies = msgspec.json.Decoder(ev.Body)


def _valid_events(game_id: str) -> list[tuple[int, int, ev.Body]]:
    """Event number, play number and body of the valid rows, by event number."""
    found = db.session.execute(
        text("SELECT event_number, play_number, body::text FROM events WHERE game_id = :game AND valid ORDER BY 1"),
        {"game": game_id},
    ).all()
    return [(number, play, _bodies.decode(body)) for number, play, body in found]


def recompute(game_id: str, plays: Collection[int], clubs: tuple[str, str], now: datetime, on_change: OnChange) -> None:
    """Brings stat lines, ledger and state of the game up to date with its valid rows, in the caller's transaction.

    `on_change` gets the stat lines that changed, if any. `plays`: those that changed; `clubs`: home
    and away.
    """
    events = _valid_events(game_id)
    register_people(game_id, events)
    state = game_state(events, *clubs)
    # Of a cancelled game nothing counts; its plays stay in the record, so that it can be taken back.
    counts = state.status != "cancelled"
    earned = team_defence.all_credits(events, clubs) if counts else []
    lines = team_defence.all_lines(earned, clubs, has_begun=counts and team_defence.has_begun(events))
    held = _held(events, earned, lines)
    has_corrections = any(isinstance(body, ev.Correction) for _, _, body in events)
    ledger.bring_up_to_date(game_id, plays, clubs, has_corrections=has_corrections)
    # As columns: an object that the session still holds would keep what it had when it was loaded first.
    columns = (StatLine.player_id, StatLine.team, StatLine.stats, StatLine.held)
    before = {line.player_id: line for line in db.session.execute(select(*columns).where(StatLine.game_id == game_id))}
    changed = {
        player: line
        for player, line in lines.items()
        if (was := before.get(player)) is None
        or (was.team, was.stats, was.held) != (line.team, line.stats, held.get(player, {}))
    }
    gone = before.keys() - lines.keys()
    if changed:
        statement = insert(StatLine)
        db.session.execute(
            statement.on_conflict_do_update(
                index_elements=["game_id", "player_id"],
                set_={name: statement.excluded[name] for name in ("team", "stats", "held")},
            ),
            [
                {
                    "game_id": game_id,
                    "player_id": player,
                    "team": line.team,
                    "stats": line.stats,
                    "held": held.get(player, {}),
                }
                for player, line in sorted(changed.items())
            ],
        )
    if gone:
        db.session.execute(delete(StatLine).where(StatLine.game_id == game_id, StatLine.player_id.in_(gone)))
    if changed or gone:
        stats = {player: line.stats for player, line in changed.items()} | {player: {} for player in gone}
        on_change(ChangedLines(game_id, stats, held))
    _store_state(game_id, state, now)


def _held(events: list[Numbered], earned: list[Credit], lines: Mapping[str, Line]) -> dict[str, dict[str, int]]:
    """By player, the statistics that come from plays under review."""
    plays = set(plays_under_review(events))
    numbers = {number for number, play, _ in events if play in plays}
    return team_defence.held_lines(earned, numbers, lines) if numbers else {}


def _store_state(game_id: str, state: GameStateNow, now: datetime) -> None:
    statement = insert(GameState).values(
        game_id=game_id,
        status=state.status,
        home_score=state.home_score,
        away_score=state.away_score,
        state=msgspec.to_builtins(asdict(state)),
        version=1,
        updated_at=now,
    )
    new = statement.excluded
    db.session.execute(
        statement.on_conflict_do_update(
            index_elements=["game_id"],
            set_={
                "status": new.status,
                "home_score": new.home_score,
                "away_score": new.away_score,
                "state": new.state,
                "version": GameState.version + 1,
                "updated_at": new.updated_at,
            },
        )
    )
