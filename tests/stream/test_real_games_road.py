"""Real games down the whole road: import, replay through outbox, Kafka and workers, points as published."""

from __future__ import annotations

import csv
from collections.abc import Callable
from decimal import Decimal

import pytest
from sqlalchemy import select, text

from app.core.db import db
from app.embedded.stack import Stack
from app.fantasy.export import points_rows
from app.record.models import GameState
from app.record.pbp import read_games
from app.record.play_tables import PLAY_TABLES
from app.record.progress import ingested_count
from app.record.services import store_script
from app.stream.kafka import lag
from app.stream.topics import GAME_EVENTS
from scorer_console.replay import replay
from tests.conftest import REAL_GAMES
from tests.waiting import until
from workers.supervisor import Children

ROWS = ["events", "corrections", "stat_lines", "player_points", *(t.__tablename__ for t in PLAY_TABLES)]


def expected() -> dict[str, dict[str, dict[str, Decimal]]]:
    """Published points by game, rules and player."""
    found: dict[str, dict[str, dict[str, Decimal]]] = {}
    for path in sorted(REAL_GAMES.glob("*/expected_points.csv")):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                game = found.setdefault(row["game_id"], {"standard": {}, "ppr": {}})
                game["standard"][row["player_id"]] = Decimal(row["points_std"])
                game["ppr"][row["player_id"]] = Decimal(row["points_ppr"])
    return found


def fingerprints() -> dict[str, object]:
    """A hash of all rows of every derived table, without the place and time of the message that wrote them."""
    found = {}
    for table in ROWS:
        row = "to_jsonb(t) - 'ingested_at' - 'partition' - 'offset'"
        found[table] = db.session.execute(
            text(f"SELECT count(*), md5(string_agg(md5(({row})::text), '' ORDER BY ({row})::text)) FROM {table} t")
        ).one()
    db.session.rollback()
    return found


@pytest.mark.realgames
@pytest.mark.timeout(600)
def test_every_real_game_gives_the_published_points_and_a_second_delivery_changes_nothing(
    start: Callable[..., Children], stack: Stack
) -> None:
    wanted = expected()
    assert len(wanted) == 35
    start("worker", "worker", "bridge", "relay")
    totals = {}
    for script in read_games(sorted(REAL_GAMES.glob("*/pbp/*.csv.gz"))):
        store_script(script)
        totals[script.game_id] = len(script.events)
        assert [progress.done for progress in replay(script.game_id)][-1] == len(script.events)
    assert totals.keys() == wanted.keys()
    until(lambda: all(ingested_count(g) == n for g, n in totals.items()), "all games in the record", seconds=300)
    assert db.session.scalar(text("SELECT count(*) FROM dead_letters")) == 0

    faults = []
    for game, by_rules in wanted.items():
        for rules, players in by_rules.items():
            got = {row[1]: Decimal(row[5]) for row in points_rows(game, rules)}
            for player in players.keys() | got.keys():
                if players.get(player, Decimal(0)) != got.get(player, Decimal(0)):
                    faults.append((game, rules, player, players.get(player), got.get(player)))
    assert faults == []
    print(
        f"\n{len(totals)} games, {sum(totals.values())} events, {sum(len(p['ppr']) for p in wanted.values())} players"
    )

    before = fingerprints()
    versions = dict(db.session.execute(select(GameState.game_id, GameState.version)).all())
    for game, total in totals.items():
        assert [progress.done for progress in replay(game)] == [total], "a second replay enters nothing"
    db.session.execute(text("UPDATE outbox SET published_at = NULL"))
    db.session.commit()
    until(
        lambda: db.session.scalar(text("SELECT count(*) FROM outbox WHERE published_at IS NULL")) == 0,
        "every message delivered a second time",
        seconds=120,
    )
    until(lambda: not any(lag(stack.settings, GAME_EVENTS).values()), "every second message taken in", seconds=120)
    assert fingerprints() == before
    assert dict(db.session.execute(select(GameState.game_id, GameState.version)).all()) == versions
