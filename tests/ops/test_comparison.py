"""Every repair command compares its store with PostgreSQL and reports differences.

docs/recovery.md describes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from uuid import UUID

import msgspec
import pytest
from flask import Flask
from sqlalchemy import text

from app.accounts.models import Member
from app.boards.catalogue import queries as catalogue
from app.boards.layouts.board import Board, open_board
from app.boards.models import BoardRecord, Mode, ScoreGame
from app.boards.rules import Held
from app.boards.verification import rebuild as rebuilding
from app.core.db import db
from app.core.errors import UserError
from app.core.redis.clients import boards_redis, jobs_redis
from app.fantasy.standings.boards import league_board, publish_all_boards
from app.ops import comparison, drills
from app.ops.board_stores import BoardStore
from app.ops.comparison import NAMED, Comparison, compare, judge
from app.predictions import keys
from app.predictions.models import Tournament
from app.predictions.projections import store as projections
from tests.boards.test_verification import HELD, make_board
from tests.predictions.conftest import world as world
from tests.worlds.leagues import make_league
from tests.worlds.score_games import make_score_game
from tests.worlds.tournament import BEFORE, World

PLAYER = sorted(HELD)[0]
STRANGER = str(UUID(int=2**127))
Rows = Mapping[str, object]


def silent(text: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "WAITS", (0.0,))


class Pair:
    """A store of dictionaries.

    `moves`: writers that come in between, one before each look for good.
    """

    name, size = "Pair", 1

    def __init__(self, rows: Rows, rows_in_redis: Rows, *moves: Callable[[Pair], None]) -> None:
        self.rows, self.stored, self.moves = dict(rows), dict(rows_in_redis), list(moves)

    def chunks(self) -> Iterator[Rows]:
        for key, value in self.rows.items():
            yield {key: value}

    def expected(self, keys: Sequence[str]) -> Rows:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def held(self, keys: Sequence[str]) -> Rows:
        return {key: self.stored[key] for key in keys if key in self.stored}

    def counts(self) -> tuple[int, int]:
        return len(self.rows), len(self.stored)

    def strangers(self, most: int) -> list[str]:
        return [key for key in self.stored if key not in self.rows][:most]

    def shown(self, value: object) -> str:
        return comparison.shown(value)

    def at_rest(self) -> nullcontext[bool]:
        if self.moves:
            self.moves.pop(0)(self)
        return nullcontext(True)


def compared(*pairs: Pair) -> Comparison:
    return compare(("pair", "pairs"), pairs, pause=lambda _: None)


def test_equal_stores_are_said_in_one_line_with_their_rows() -> None:
    many = {str(number): number for number in range(1_200)}
    assert (
        judge([compared(Pair(many, many), Pair({}, {}))])
        == "2 pairs, 1,200 rows: equal to PostgreSQL"
    )


@pytest.mark.parametrize(
    ("stored", "differences"),
    [
        ({"a": 1, "b": 3}, ["Pair, b: 3 in the store, 2 in PostgreSQL"]),
        (
            {"a": 1},
            [
                "Pair, b: nothing in the store, 2 in PostgreSQL",
                "Pair: 1 rows in the store, 2 in PostgreSQL",
            ],
        ),
        (
            {"a": 1, "b": 2, "c": 3},
            [
                "Pair, c: in the store, not in PostgreSQL",
                "Pair: 3 rows in the store, 2 in PostgreSQL",
            ],
        ),
        (
            {"a": 1, "c": 3},
            [
                "Pair, b: nothing in the store, 2 in PostgreSQL",
                "Pair, c: in the store, not in PostgreSQL",
            ],
        ),
    ],
    ids=["another value", "missing", "too much", "one for another"],
)
def test_each_kind_of_difference_is_named(stored: Rows, differences: list[str]) -> None:
    comparison = compared(Pair({"a": 1, "b": 2}, stored))
    assert comparison.differences == differences
    with pytest.raises(UserError) as raised:
        judge([comparison])
    assert str(raised.value).splitlines()[1 : len(differences) + 1] == differences


def test_of_many_differences_the_first_are_named_and_all_are_counted() -> None:
    rows = {str(number): number for number in range(50)}
    comparison = compared(Pair(rows, dict.fromkeys(rows, -1)), Pair({"x": 1}, {}))
    assert (len(comparison.differences), comparison.differing) == (NAMED, 51)


def test_a_writer_between_its_two_stores_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """It commits in PostgreSQL, then writes to the store; the comparison looked in between."""
    monkeypatch.setattr(comparison, "WAITS", (0.0, 0.5, 2.0))
    late = Pair(
        {"a": 2, "b": 1}, {"a": 1}, lambda _: None, lambda pair: pair.stored.update(a=2, b=1)
    )
    assert compared(late).differences == []

    def goes_on(pair: Pair) -> None:
        pair.rows["c"] = pair.stored["c"] = 7
        pair.stored["a"] = 2

    assert compared(Pair({"a": 2}, {"a": 1}, goes_on)).differences == []


@pytest.fixture
def game(app: Flask) -> ScoreGame:
    return make_score_game()


def filled(mode: Mode, record: BoardRecord, game: ScoreGame) -> Board:
    db.session.refresh(record)
    return open_board(catalogue.spec_of(game, mode, record))


@pytest.mark.parametrize(
    ("layout", "ties"), [("hash", "shared"), ("range", "dense"), ("hash", "earliest")]
)
def test_a_rebuilt_board_is_compared_and_what_somebody_wrote_into_it_is_named(
    game: ScoreGame, layout: str, ties: str
) -> None:
    mode, record = make_board(game, layout=layout, ties=ties)
    outcome = drills.DRILLS["boards"].run(silent)
    assert outcome.splitlines()[1:] == [
        f"1 board, {len(HELD)} rows: equal to PostgreSQL",
        "0 league tables, 0 rows: equal to PostgreSQL",
    ]
    board = filled(mode, record, game)
    board.put({PLAYER: Held(HELD[PLAYER].score + 5, HELD[PLAYER].at), STRANGER: Held(3, 9)})
    (_, name), *_ = rebuilding.living()
    comparison = compare(("board", "boards"), [BoardStore(record.id, name)])
    assert comparison.differing == 2
    assert f"Board {name}, {PLAYER}: {HELD[PLAYER].score + 5}" in comparison.differences[0]
    assert f"Board {name}, {STRANGER}: in the store, not in PostgreSQL" in comparison.differences
    board.put({PLAYER: None})
    assert (
        ": nothing in the store"
        in compare(("board", "boards"), [BoardStore(record.id, name)]).differences[0]
    )
    assert "equal" in drills.rebuild_one_board(record.id, name, silent)


def test_the_repair_fails_where_what_it_wrote_does_not_stand(
    game: ScoreGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reports what is there, not what it meant to do."""
    make_board(game)
    boards_redis().flushall()
    monkeypatch.setattr(drills.boards, "rebuild", lambda *arguments, **more: None)
    with pytest.raises(
        UserError, match=f"1 board, {len(HELD)} rows: {len(HELD)} differ from PostgreSQL"
    ):
        drills.DRILLS["boards"].run(silent)


def a_table(member: Callable[..., Member]) -> tuple[int, int]:
    """Of two members; the ids of its gameweek and league."""
    ann, bob = member("ann"), member("bob")
    league_id = make_league(
        ann.id, {who.id: who.username for who in (ann, bob)}, rules="ppr", weeks=1
    ).id
    columns = "league_id, gameweek_id, version, game_statuses, updated_at"
    versions = f"INSERT INTO league_versions ({columns}) SELECT :league, id, 3, '', now()"
    db.session.execute(text(f"{versions} FROM gameweeks LIMIT 1"), {"league": league_id})
    db.session.commit()
    publish_all_boards()
    week = db.session.scalar(text("SELECT gameweek_id FROM league_versions"))
    return week, league_id


def test_a_league_table_that_is_not_postgresqls_is_named(
    app: Flask, member: Callable[..., Member]
) -> None:
    week, league_id = a_table(member)
    ann, bob = db.session.scalars(db.select(Member).order_by(Member.id)).all()
    assert (
        str(drills.compare_league_tables(silent)) == "1 league table, 3 rows: equal to PostgreSQL"
    )
    table = league_board(league_id, week)
    table.publish(4, {str(ann.id): 5000, "77": 1})
    comparison = drills.compare_league_tables(silent)
    place = f"Tables of week {week}, league {league_id}"
    assert f"{place}, member {ann.id}: 5000 in the store, 0 in PostgreSQL" in comparison.differences
    assert (
        f"{place}, member {bob.id}: nothing in the store, 0 in PostgreSQL" in comparison.differences
    )
    assert f"{place}, version: 4 in the store, 3 in PostgreSQL" in comparison.differences
    table.publish(5, {str(ann.id): 0, str(bob.id): 0, "77": 1})
    assert (
        f"{place}, member 77: in the store, not in PostgreSQL"
        in drills.compare_league_tables(silent).differences
    )
    boards_redis().flushall()
    assert drills.compare_league_tables(silent).differing == 3


def test_a_repair_writes_a_table_anew_that_only_claims_to_be_right(
    app: Flask, member: Callable[..., Member]
) -> None:
    """Its version in Redis is PostgreSQL's, its rows are not."""
    week, league_id = a_table(member)
    publish_all_boards()
    boards_redis().zadd(league_board(league_id, week).parts[0].ranking, {"1": -5000, "77": 1})
    assert publish_all_boards() == 0
    outcome = drills.DRILLS["boards"].run(silent)
    assert "1 league tables written" in outcome
    assert "1 league table, 3 rows: equal to PostgreSQL" in outcome
    assert league_board(league_id, week).published() == (3, {"1": 0, "2": 0})


def test_a_hydrated_tournament_is_compared(app: Flask, world: Callable[..., World]) -> None:
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    listed = [tournament for tournament in drills.tournaments.listed() if tournament.id == here.id]
    assert drills.hydrate_tournaments(listed, silent) == "1 tournament, 3 rows: equal to PostgreSQL"
    projections.read_matches(here.id, "week-1")
    projections.read_standings(here.id)
    assert (
        str(drills.compare_tournaments(listed, silent))
        == "1 tournament, 5 rows: equal to PostgreSQL"
    )
    jobs_redis().set(keys.standings_key(here.id), b"{}")
    jobs_redis().set(keys.leaderboard_key(here.id), msgspec.msgpack.encode([]))
    jobs_redis().set(keys.version_key(here.id), 99)
    comparison = drills.compare_tournaments(listed, silent)
    version = db.session.get_one(Tournament, here.id).version
    sentences = " ".join(comparison.differences)
    assert f"The Cup, version: 99 in the store, {version} in PostgreSQL" in sentences
    assert "nothing in the store, 0 for Ann in PostgreSQL" in sentences
    assert "standings" in sentences


@pytest.mark.parametrize("kind", ["hydrate", "caches"])
def test_a_repair_of_a_tournament_fails_where_what_it_wrote_does_not_stand(
    app: Flask, world: Callable[..., World], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The fault that was seen.

    The command said that it had written, and Redis kept something else.
    """
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    monkeypatch.setattr(projections, "project", lambda tournament_id: 99)
    repair = {
        "caches": lambda: drills.DRILLS["caches"].run(silent),
        "hydrate": lambda: drills.hydrate_tournaments(drills.tournaments.listed(), silent),
    }
    with pytest.raises(UserError, match="nothing in the store, 0 for Ann in PostgreSQL"):
        repair[kind]()


def test_a_repair_brings_back_a_version_that_went_back(
    app: Flask, world: Callable[..., World]
) -> None:
    """As after a snapshot of PostgreSQL's disk, which begins no timeline."""
    here = world()
    here.match("m1")
    here.poll(BEFORE)
    here.guess("Ann", "m1", 2, 1)
    jobs_redis().set(keys.version_key(here.id), 99)
    jobs_redis().set(keys.leaderboard_key(here.id), msgspec.msgpack.encode([]))
    assert "equal" in drills.hydrate_tournaments(drills.tournaments.listed(), silent)


def test_a_repair_brings_back_a_table_whose_version_went_back(
    app: Flask, member: Callable[..., Member]
) -> None:
    """As above."""
    week, league_id = a_table(member)
    league_board(league_id, week).publish(99, {"77": 1})
    assert "1 league table, 3 rows: equal to PostgreSQL" in drills.DRILLS["boards"].run(silent)
