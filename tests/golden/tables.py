"""The tables of the demo's leagues after every play of the gameweek that is under way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from flask import Flask
from sqlalchemy import select

from app.core.db import db
from app.demo.season import CURRENT
from app.demo.seed import seed_demo
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import queries
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record.script import GameScript
from app.stream.messages import Message
from tests.golden import world
from tests.worlds.games import ingest, timed_messages


def record(app: Flask, folder: Path) -> None:
    for size in ("small", "large"):
        with world.empty(app, large_leagues=size == "large"):
            seed_demo(lambda *_: None)
            scripts = [fixture.script for fixture in world.season().current.fixtures]
            (folder / f"{size}.txt").write_text("\n".join(after_every_play(scripts, CURRENT)))


def after_every_play(scripts: list[GameScript], week: int) -> Iterator[str]:
    """Each league's table after each play of these games, which are played in turns."""
    leagues = list(db.session.scalars(select(League).order_by(League.id)))
    gameweeks = {
        league.id: db.session.scalars(
            select(Gameweek.id).where(Gameweek.season_id == league.season_id, Gameweek.week == week)
        ).one()
        for league in leagues
    }
    names = [(league.id, league.slug) for league in leagues]
    last: dict[int, str] = {}
    for game_id, play in _in_turns(scripts):
        ingest(play)
        refresh_game(game_id, world.NOW)
        yield f"# {game_id} {play[-1].offset + 1}"
        for league_id, slug in names:
            table = _table(league_id, gameweeks[league_id])
            if table != last.get(league_id):
                last[league_id] = table
                yield f"{slug}: {table}"


def _table(league_id: int, gameweek_id: int) -> str:
    world.end_transaction()
    rows = queries.standings(league_id, gameweek_id)
    return "; ".join(
        f"{row.rank} {row.team_name} {row.points} ({row.held_points} {row.to_play} {row.playing})"
        for row in rows
    )


def _in_turns(scripts: list[GameScript]) -> Iterator[tuple[str, list[Message]]]:
    """One play of each game after the other.

    The messages of a play are its snap and what follows.
    """
    games = {script.game_id: _plays(script) for script in scripts}
    while games:
        for game_id in list(games):
            play = next(games[game_id], None)
            if play is None:
                del games[game_id]
            else:
                yield game_id, play


def _plays(script: GameScript) -> Iterator[list[Message]]:
    bodies = [step.body for step in script.events]
    messages = timed_messages(bodies, script.game_id, int(script.kickoff.timestamp() * 1000))
    play: list[Message] = []
    for body, message in zip(bodies, messages, strict=True):
        if isinstance(body, ev.Snap) and play:
            yield play
            play = []
        play.append(message)
    if play:
        yield play
