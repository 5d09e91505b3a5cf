"""The four named queries: values by hand, by the stat lines, by the published figures.

And the indexes they use.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import text

from app.core.db import db
from app.demo.seed import simulated_game
from app.plans.record import GAMES, document, index_use
from app.record import events as ev
from app.record.models import RecordedEvent
from app.record.named_queries import (
    NAMED_QUERIES,
    SoloTackles,
    passing_yards_by_player,
    rushing_yards_by_player,
    solo_tackles_by_player,
    touchdowns,
)
from app.record.play_by_play import read_games
from app.record.queries import stat_lines
from app.record.script import GameScript
from app.record.services import store_script
from tests.conftest import REAL_GAMES
from tests.record.test_real_games import expected
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

DOCUMENT = Path(__file__).parents[2] / "docs" / "queries.md"


def snap(spot: int = 25) -> ev.Snap:
    return ev.Snap(possession="HRB", spot=spot, period=2, clock=600, down=1, distance=10)


def test_passing_yards_run_from_the_line_of_scrimmage_to_the_end_of_the_play(app: Flask) -> None:
    make_game()
    # a throw from the 35, caught at the 60, run to the goal line
    ingest(messages(touchdown_drive()))
    assert passing_yards_by_player("g1", "H1") == {"H1": 65}
    assert passing_yards_by_player("g1", "H2") == {}


def test_what_was_overturned_or_nullified_does_not_count(app: Flask) -> None:
    make_game()
    ingest(
        messages(
            [
                snap(),
                ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=85),
                snap(),
                ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=30),
                ev.Overturn(
                    event=2,
                    ruling=ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=65),
                ),
                ev.Nullify(events=(4,)),
            ]
        )
    )
    assert rushing_yards_by_player("g1", "H3") == {"H3": 40}


def test_yards_after_a_lateral_count_for_the_one_who_gained_them(app: Flask) -> None:
    make_game()
    ingest(
        messages(
            [
                snap(),
                ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=30),
                ev.Run(team="HRB", player="H2", kind="after_lateral", start_yard=30, end_yard=42),
                snap(),
                ev.Pass(
                    team="HRB",
                    passer="H1",
                    receiver="H2",
                    result="complete",
                    throw_yard=25,
                    reception_yard=30,
                ),
                ev.Run(team="HRB", player="H3", kind="after_lateral", start_yard=29, end_yard=40),
            ]
        )
    )
    assert rushing_yards_by_player("g1") == {"H2": 12, "H3": 5}
    assert passing_yards_by_player("g1") == {"H1": 16}


def test_a_run_with_a_recovered_ball_belongs_to_no_rush(app: Flask) -> None:
    make_game()
    ingest(
        messages(
            [
                snap(),
                ev.Run(team="HRB", player="H3", kind="rush", start_yard=25, end_yard=30),
                ev.Fumble(team="HRB", player="H3", yard=30),
                ev.Recovery(team="HRB", player="H2", yard=30),
                ev.Run(
                    team="HRB",
                    player="H2",
                    kind="after_recovery",
                    start_yard=30,
                    end_yard=99,
                    is_touchdown=False,
                ),
            ]
        )
    )
    assert rushing_yards_by_player("g1") == {"H3": 5}


def test_official_solo_tackles_include_those_with_help_but_not_the_help(app: Flask) -> None:
    make_game()
    kinds = ("solo", "solo", "primary", "assist")
    ingest(messages([snap(), *(ev.Tackle(team="SUM", tackler="S9", kind=kind) for kind in kinds)]))
    assert solo_tackles_by_player("g1", "S9") == {"S9": SoloTackles(official=3, alone=2)}
    assert solo_tackles_by_player("g1", "S1") == {}


def test_touchdowns_have_the_time_of_their_snap_scorer_and_passer(app: Flask) -> None:
    make_game()
    recovered = ev.Recovery(team="SUM", player="S9", yard=0, is_touchdown=True)
    ingest(
        messages(
            [*touchdown_drive(), snap(), ev.Fumble(team="HRB", player="H1", yard=0), recovered]
        )
    )
    catch, return_ = touchdowns("g1")
    assert (catch.scorer_id, catch.passer_id, catch.kind, catch.team) == (
        "H2",
        "H1",
        "after_catch",
        "HRB",
    )
    assert (catch.start_timestamp, catch.period, catch.clock, catch.play_number) == (
        1_789_000_000_000,
        1,
        870,
        3,
    )
    assert (return_.scorer_id, return_.passer_id, return_.kind) == ("S9", None, "recovery")


def test_a_touchdown_whose_snap_has_not_arrived_is_there_without_a_time(app: Flask) -> None:
    make_game()
    ingest(
        messages(
            [
                ev.Run(
                    team="HRB",
                    player="H3",
                    kind="rush",
                    start_yard=25,
                    end_yard=100,
                    is_touchdown=True,
                )
            ]
        )
    )
    (only,) = touchdowns("g1")
    assert (only.scorer_id, only.start_timestamp, only.period) == ("H3", None, None)


def agree_with_stat_lines(script: GameScript) -> None:
    """Every query gives, player by player, what the stat lines of the game say."""
    lines = {player: stats for player, _, stats in stat_lines(script.game_id)}

    def stat(name: str) -> dict[str, int]:
        return {player: stats[name] for player, stats in lines.items() if stats.get(name)}

    def without_zeros(amounts: dict[str, int]) -> dict[str, int]:
        return {player: amount for player, amount in amounts.items() if amount}

    assert without_zeros(rushing_yards_by_player(script.game_id)) == stat("rushing_yards")
    assert without_zeros(passing_yards_by_player(script.game_id)) == stat("passing_yards")
    tackles = solo_tackles_by_player(script.game_id)
    assert without_zeros({player: row.alone for player, row in tackles.items()}) == stat(
        "tackles_solo"
    )
    with_help = {player: row.official - row.alone for player, row in tackles.items()}
    assert without_zeros(with_help) == stat("tackles_with_assist")
    scored = sum(
        stats.get(name, 0)
        for stats in lines.values()
        for name in ("rushing_tds", "receiving_tds", "def_tds", "own_fumble_recovery_tds")
    )
    assert len(touchdowns(script.game_id)) >= scored


@pytest.mark.parametrize("seed", range(1, 6))
def test_simulated_games_give_what_their_stat_lines_say(app: Flask, seed: int) -> None:
    script = simulated_game(seed, datetime(2026, 9, 13, tzinfo=UTC))
    store_script(script)
    ingest(messages([step.body for step in script.events], script.game_id))
    agree_with_stat_lines(script)


@pytest.mark.realgames
@pytest.mark.parametrize(
    "game", ["post2018/pbp/2019012001", "reg2019/pbp/2019090500", "reg2019/pbp/2019090810"]
)
def test_real_games_give_the_published_yards_of_every_player(app: Flask, game: str) -> None:
    pbp = REAL_GAMES / f"{game}.csv.gz"
    (script,) = read_games([pbp], None)
    store_script(script)
    ingest(messages([step.body for step in script.events], script.game_id))
    agree_with_stat_lines(script)
    published = expected(pbp.parent.parent)[script.game_id]
    rushing, passing = (
        rushing_yards_by_player(script.game_id),
        passing_yards_by_player(script.game_id),
    )
    assert published.keys() >= rushing.keys() | passing.keys()
    for player, row in published.items():
        assert rushing.get(player, 0) == int(row["rushing_yards"] or 0), player
        assert passing.get(player, 0) == int(row["passing_yards"] or 0), player


def test_every_table_of_every_query_is_read_through_an_index(app: Flask) -> None:
    use = index_use()
    assert use.keys() == {"rushing-yards", "passing-yards", "solo-tackles", "touchdowns"}
    for name, tables in use.items():
        assert tables, name
        for table, indexes in tables.items():
            assert indexes, (name, table)
            assert "no index" not in indexes, f"{name} reads {table} from end to end"
            assert all(
                index.startswith((f"ix_{table}", f"uq_{table}", f"pk_{table}")) for index in indexes
            )
    assert use["solo-tackles"] == {"tackles": ["ix_tackles_game_id"]}


def test_explaining_notices_a_missing_index(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere = (
        "",
        "SELECT count(*) FROM tackles WHERE tackler_id <> :player AND game_id <> :game",
    )
    monkeypatch.setitem(NAMED_QUERIES, "bad", everywhere)
    assert index_use()["bad"] == {"tackles": ["no index"]}


def test_explaining_leaves_nothing_behind(app: Flask) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    before = db.session.scalar(text("SELECT count(*) FROM plays"))
    document()
    assert db.session.scalar(text("SELECT count(*) FROM plays")) == before < GAMES
    assert db.session.query(RecordedEvent).count() == 11


def test_the_document_of_the_queries_is_current(app: Flask) -> None:
    assert DOCUMENT.read_text() == document(), "docs/queries.md is old: run `pressbox query-plans`"
