"""Which team totals a correction would move: the same as the tables then do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks import moved_totals
from app.fantasy.gameweeks.live import refresh_game
from app.fantasy.gameweeks.moved_totals import MovedTotals, Totals
from app.fantasy.market.formats import FORMATS
from app.fantasy.scoring.points import point_changes
from app.fantasy.standings.boards import table_points
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record.models import StatLine
from tests.worlds.games import DRIVE, NOW, ingest, ingest_and_refresh, messages
from tests.worlds.leagues import make_league, make_sheet

STRIKE = ev.Nullify(events=(8, 9))


def statistics() -> dict[str, dict[str, int]]:
    db.session.expire_all()
    return {line.player_id: dict(line.stats) for line in db.session.scalars(db.select(StatLine))}


@pytest.fixture
def leagues(league: League, member: Callable[..., Member]) -> list[League]:
    """Beside Ann and Bob: Dan has catcher H2 on the bench.

    Bob's sheet counts in a second league too.
    """
    dan, bob = (
        member("dan"),
        db.session.scalars(db.select(Member).where(Member.username == "bob")).one(),
    )
    other = make_league(bob.id, {bob.id: "Bob again", dan.id: "Dan"}, slug="other")
    sheet = make_sheet(dan.id, other, [])
    bench = len(sheet.picks) - 1
    assert bench >= len(FORMATS["nfl-classic"].starters)
    sheet.picks = [*sheet.picks[:bench], "H2"]
    db.session.commit()
    ingest_and_refresh(messages(DRIVE))
    return [league, other]


def struck() -> dict[str, dict[str, int]]:
    """What footballers gain by scoring rules if the touchdown pass is struck out.

    The tables are not refreshed.
    """
    before = statistics()
    ingest(messages([STRIKE], first=12))
    after = statistics()
    changed = {player: (before[player], after.get(player, {})) for player in before}
    return point_changes({player: both for player, both in changed.items() if both[0] != both[1]})


def test_what_is_foretold_is_what_the_tables_do(leagues: list[League]) -> None:
    tables = [table_points(league.id, 1) for league in leagues]
    risen = struck()
    foretold = moved_totals.moved_totals("g1", risen)
    assert foretold == Totals(3, [MovedTotals(-13_200, 1, 1), MovedTotals(-12_500, 1, 2)])
    refresh_game("g1", NOW)
    moved: Counter[int] = Counter()
    for league, before in zip(leagues, tables, strict=True):
        after = table_points(league.id, 1)
        moved += Counter(
            after[member] - before[member] for member in before if after[member] != before[member]
        )
    assert moved == {-13_200: 1, -12_500: 2}


def test_nobody_is_counted_whose_points_stay(leagues: list[League]) -> None:
    assert moved_totals.moved_totals("g1", {}) == Totals(0, [])
    assert moved_totals.moved_totals("g1", {"standard": {"nobody": 1_000}}) == Totals(0, [])
    assert point_changes({"H1": ({"passing_yards": 10}, {"passing_yards": 10})}) == {}


def test_of_too_many_teams_only_the_number_is_said(
    leagues: list[League], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moved_totals, "WORKED_OUT", 2)
    assert moved_totals.moved_totals("g1", struck()) == Totals(3, None)
