"""Gameweeks of a draft league on the record: a runner of each franchise carries the ball once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import select

from app.core.db import db
from app.draft_leagues.season.services import update_behind
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.gameweeks.settlement import settle
from app.fantasy.scoring.points import store_player_points
from app.record import events as ev
from app.record.backlog import ingested_count
from app.record.ingest import ingest_batch
from app.record.models import Footballer, Game
from app.stream.messages import Message
from tests.worlds.draft_leagues import DraftWorld
from tests.worlds.games import messages

START_YARD = 25


@dataclass(frozen=True)
class Carry:
    """A run on the record, with the number of its event in its game."""

    game_id: str
    event: int
    run: ev.Run


def play_gameweek(world: DraftWorld, week: int, yards: Mapping[int, int]) -> dict[int, Carry]:
    """Play and settle a gameweek, and bring the league up to date as the workers do.

    Args:
        world: The league.
        week: Number of the gameweek.
        yards: What the first runner of each franchise gains; ten yards earn a point.

    Returns:
        The runs by franchise.
    """
    gameweek = world.gameweek(week)
    lock_gameweek(gameweek.id, gameweek.deadline)
    runs = {franchise: _run(world, franchise, week, gain) for franchise, gain in yards.items()}
    carries: dict[int, Carry] = {}
    batch: list[Message] = []
    games = db.session.scalars(select(Game).where(Game.week == week).order_by(Game.id)).all()
    for game in games:
        bodies: list[ev.Body] = [
            ev.GameStarted(home=game.home_id, away=game.away_id),
            ev.Period(period=1, phase="start"),
        ]
        for franchise, run in runs.items():
            if run.team in (game.home_id, game.away_id):
                bodies += [_snap(run.team), run]
                carries[franchise] = Carry(game.id, len(bodies), run)
        batch += messages([*bodies, ev.GameEnded()], game.id)
    now = gameweek.deadline + timedelta(days=3)
    _ingest(batch, [game.id for game in games], now)
    assert settle(gameweek.id, now)
    assert update_behind(now) == 1
    return carries


def correct_run(carry: Carry, yards: int, now: datetime) -> None:
    """Correct what a run gained, and bring the league up to date as the workers do."""
    run = msgspec.structs.replace(carry.run, end_yard=START_YARD + yards)
    correction = ev.Overturn(event=carry.event, ruling=run, reason="Spot of the ball")
    batch = messages([correction], carry.game_id, first=ingested_count(carry.game_id) + 1)
    _ingest(batch, [carry.game_id], now)
    assert update_behind(now) == 1


def _run(world: DraftWorld, franchise: int, week: int, yards: int) -> ev.Run:
    """A run of the first runner in a franchise's line-up."""
    lineup = world.lineup(franchise, week)
    runners = select(Footballer).where(Footballer.id.in_(lineup), Footballer.position == "RB")
    runner = min(db.session.scalars(runners), key=lambda footballer: lineup.index(footballer.id))
    assert runner.club_id is not None
    return ev.Run(
        team=runner.club_id,
        player=runner.id,
        kind="rush",
        start_yard=START_YARD,
        end_yard=START_YARD + yards,
    )


def _snap(club: str) -> ev.Snap:
    return ev.Snap(possession=club, spot=START_YARD, period=1, clock=800, down=1, distance=10)


def _ingest(batch: Sequence[Message], games: Sequence[str], now: datetime) -> None:
    outcome = ingest_batch(batch, now, store_player_points)
    assert (outcome.dead, outcome.deferred) == (0, [])
    for game_id in games:
        refresh_game(game_id, now)
