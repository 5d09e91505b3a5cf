"""Adjustments and changes of scoring (PRODUCT G5).

Previewed first, and what is done is what was previewed.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import func, select, update

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core.db import db
from app.fantasy.leagues import adjustments, rule_changes
from app.fantasy.leagues import services as leagues
from app.fantasy.leagues.adjustments import NewAdjustment
from app.fantasy.leagues.models import RuleChange, ScoreAdjustment
from app.fantasy.leagues.rule_changes import NewScoring
from app.fantasy.market.models import FootballerTotals, Gameweek
from app.fantasy.notices.models import Notice
from app.fantasy.scoring import rulebook
from app.fantasy.scoring.models import CustomRules, PlayerPoints
from app.fantasy.scoring.rules import STANDARD_IDP
from app.fantasy.standings import preview as league_preview
from app.fantasy.standings.models import League, LeagueScore
from app.fantasy.standings.preview import Ledger, moves, table
from app.moderation import sanctions
from app.moderation.models import Sanction
from tests.worlds.played_league import FOUNDED, SETTLED, Played, played_league, totals

Members = Callable[..., Member]
YARDS = ({"ann": 50, "bob": 40, "cat": 30, "dan": 20}, {"ann": 10, "bob": 40, "cat": 30, "dan": 90})


@pytest.fixture(params=["total", "head_to_head"])
def played(request: pytest.FixtureRequest, member: Members) -> Played:
    ids = {name: member(name).id for name in ("ann", "bob", "cat", "dan")}
    return played_league(ids, YARDS, mode=request.param)


def ranks_written(league: League) -> dict[int, tuple[int, int]]:
    """Total and rank after the last settled gameweek, as they are stored."""
    query = select(LeagueScore.member_id, LeagueScore.total, LeagueScore.rank).where(
        LeagueScore.league_id == league.id
    )
    places: dict[int, tuple[int, int]] = {}
    for member, total, rank in db.session.execute(query.order_by(LeagueScore.gameweek_id)):
        places[member] = (total, rank)
    return places


def in_preview(league: League) -> dict[int, tuple[int, int]]:
    places = table(league_preview.ledger_of(league))
    return {member: (place.total, place.rank) for member, place in places.items()}


def test_the_ledgers_table_is_the_one_that_is_stored(played: Played) -> None:
    assert in_preview(played.league) == ranks_written(played.league)
    places = table(league_preview.ledger_of(played.league))
    assert {member: place.total for member, place in places.items()} == totals(played.league)


@pytest.mark.parametrize("ties", ["shared", "fewest_transfers", "latest_gameweek"])
def test_ties_in_the_ledger_are_broken_as_in_the_table(ties: str, member: Members) -> None:
    ids = {name: member(name).id for name in ("ann", "bob", "cat")}
    season = played_league(
        ids, ({"ann": 10, "bob": 30, "cat": 20}, {"ann": 30, "bob": 10, "cat": 20}), ties=ties
    )
    written = ranks_written(season.league)
    assert in_preview(season.league) == written
    ranks = [written[ids[name]][1] for name in ("ann", "bob", "cat")]
    assert ranks == ([1, 3, 2] if ties == "latest_gameweek" else [1, 1, 1])


def test_what_is_adjusted_is_what_was_previewed(played: Played) -> None:
    league, ann, dan = played.league, played.members["ann"], played.members["dan"]
    adjustment = NewAdjustment(dan, played.gameweeks[0].id, -9_500)
    before = ranks_written(league)
    previewed = adjustments.preview(league, adjustment)
    assert ranks_written(league) == before
    applied = adjustments.apply(league, adjustment, " Fielded twice ", ann, SETTLED)
    assert isinstance(applied, ScoreAdjustment)
    after = ranks_written(league)
    assert all(after[move.member_id] == (move.new.total, move.new.rank) for move in previewed)
    assert {move.member_id for move in previewed} >= {
        member for member in after if after[member] != before[member]
    }
    assert totals(league)[dan] == 2 * (20 + 90) * 100 - 9_500
    assert adjustments.reasons(league.id, played.gameweeks[0].id) == {
        dan: [(-9_500, "Fielded twice")]
    }
    assert [(row.name, row.points, row.by) for row in adjustments.of(league.id)] == [
        ("Dan", -9_500, "Ann")
    ]


def test_everybody_who_moves_is_notified_once_with_the_difference(member: Members) -> None:
    ids = {name: member(name).id for name in ("ann", "bob", "cat", "dan")}
    season = played_league(ids, YARDS)
    adjustments.apply(
        season.league,
        NewAdjustment(ids["dan"], season.gameweeks[0].id, -9_500),
        "Fielded twice",
        ids["ann"],
        SETTLED,
    )
    received = db.session.execute(
        select(Notice.member_id, Notice.delta, Notice.body)
        .where(Notice.kind == "adjustment")
        .order_by(Notice.id)
    ).all()
    assert {who: delta for who, delta, _ in received} == {ids["bob"]: None, ids["dan"]: -9_500}
    assert all("Fielded twice" in body for _, _, body in received)


def test_a_banned_members_name_is_gone_from_what_the_commissioner_changed(member: Members) -> None:
    """What was done stays readable, as their opponents' games do.

    The name does not (decision 22).
    """
    ids = {name: member(name).id for name in ("ann", "bob")}
    season = played_league(ids, ({"ann": 50, "bob": 40},))
    gameweek = season.gameweeks[0].id
    for receiver, giver in (("bob", "ann"), ("ann", "bob")):
        adjustments.apply(
            season.league,
            NewAdjustment(ids[receiver], gameweek, 1_000),
            "A prize",
            ids[giver],
            SETTLED,
        )
    bob = player_of(db.session.get_one(Member, ids["bob"])).id
    assert isinstance(
        sanctions.impose(
            bob, sanctions.Measure(sanctions.BAN), by=None, reason="a bot", now=SETTLED
        ),
        Sanction,
    )
    named = [(row.name, row.by) for row in adjustments.of(season.league.id)]
    assert named == [("Ann", "A former member"), ("A former member", "Ann")]


def test_an_adjustment_can_decide_a_match(member: Members) -> None:
    ids = {name: member(name).id for name in ("ann", "bob")}
    season = played_league(ids, ({"ann": 50, "bob": 40},), mode="head_to_head")
    adjustment = NewAdjustment(ids["bob"], season.gameweeks[0].id, 2_000)
    previewed = adjustments.preview(season.league, adjustment)
    assert [(move.old.match_points, move.new.match_points) for move in previewed] == [
        (0, 1),
        (3, 1),
    ]
    adjustments.apply(season.league, adjustment, "A forgotten run", ids["ann"], SETTLED)
    assert ranks_written(season.league) == {ids["ann"]: (10_000, 1), ids["bob"]: (10_000, 1)}


def test_an_adjustment_needs_a_member_a_gameweek_points_and_a_reason(played: Played) -> None:
    league = played.league
    refused = adjustments.read(
        league, "999", str(played.gameweeks[-1].id), "0", played.gameweeks[0].deadline
    )
    assert isinstance(refused, list)
    assert [refusal.field for refusal in refused] == ["member", "gameweek", "points"]
    good = adjustments.read(
        league, str(played.members["bob"]), str(played.gameweeks[0].id), "-2,5", SETTLED
    )
    assert good == NewAdjustment(played.members["bob"], played.gameweeks[0].id, -2_500)
    refused = adjustments.apply(league, good, "  ", played.members["ann"], SETTLED)
    assert isinstance(refused, list)
    assert [refusal.field for refusal in refused] == ["reason"]
    assert db.session.scalar(select(func.count()).select_from(ScoreAdjustment)) == 0


def test_changed_scoring_is_what_was_previewed_for_all_gameweeks(played: Played) -> None:
    league, ann = played.league, played.members["ann"]
    scoring = NewScoring(
        "Standard", dict(STANDARD_IDP.milli_points) | {"rushing_yards": 200, "carries": -1_000}
    )
    rows = select(func.count()).select_from(PlayerPoints)
    before, points_before = ranks_written(league), db.session.scalar(rows)
    previewed = rule_changes.preview(league, scoring)
    db.session.commit()
    assert (ranks_written(league), db.session.scalar(rows)) == (before, points_before)
    assert db.session.scalar(select(func.count()).select_from(CustomRules)) == 0
    change = rule_changes.apply(league, scoring, "Runs are too cheap", ann, SETTLED)
    assert isinstance(change, RuleChange)
    after = ranks_written(league)
    assert {move.member_id: (move.new.total, move.new.rank) for move in previewed} == after
    assert totals(league)[ann] == 2 * (60 * 200 - 2 * 1_000)
    # Pages of players read their season from these totals at once.
    of_players = select(func.sum(FootballerTotals.total_points)).where(
        FootballerTotals.rules == change.new_rules
    )
    of_games = select(func.sum(PlayerPoints.points)).where(PlayerPoints.rules == change.new_rules)
    assert db.session.scalar(of_players) == db.session.scalar(of_games)
    received = db.session.scalars(select(Notice).where(Notice.kind == "rules")).all()
    assert {notice.member_id: notice.delta for notice in received} == {
        move.member_id: move.delta for move in previewed
    }
    [row] = rule_changes.of(league.id)
    assert (row.new_title, row.reason, row.by) == (
        "Standard, custom",
        "Runs are too cheap",
        "Ann",
    )
    assert list(row.numbers) == ["Rushing yard: 0.10 → 0.20", "Carry: 0.00 → -1.00"]
    assert rule_changes.apply(league, scoring, "Again", ann, SETTLED) == [rule_changes.SAME]


def test_numbers_of_a_preset_are_that_preset(played: Played) -> None:
    scoring = NewScoring("Standard", dict(STANDARD_IDP.milli_points) | {"receptions": 1_000})
    assert isinstance(
        rule_changes.apply(played.league, scoring, "More catches", 1, SETTLED), RuleChange
    )
    assert played.league.rules == "ppr_idp"


def test_before_the_first_deadline_scoring_is_set_without_a_reason(played: Played) -> None:
    """And while no settled gameweek counts, which by an earlier clock would still do."""
    league = played.league
    numbers = {"rushing_yards": 300, "pat_made": 1_000, "tackles_solo": 1_000}
    scoring = NewScoring("Standard", numbers)
    assert rule_changes.set_scoring(league, scoring, SETTLED) == [leagues.rules.SET_TOO_LATE]
    assert rule_changes.set_scoring(league, scoring, FOUNDED) == [leagues.rules.SET_TOO_LATE]
    db.session.execute(update(Gameweek).values(settled_at=None))
    assert rule_changes.set_scoring(league, scoring, FOUNDED) == []
    assert rulebook.rules_named(league.rules).milli_points == numbers


def test_a_move_of_rank_alone_is_a_move() -> None:
    ledger = Ledger(
        "total", "shared", (1, 2, 3), (7,), {(7, 1): 30, (7, 2): 20, (7, 3): 10}, {}, {}
    )
    moved = moves(
        ledger, ledger.with_points({(7, 3): 15}), {n: (f"M{n}", f"T{n}") for n in (1, 2, 3)}
    )
    assert [(move.member_id, move.delta, move.old.rank, move.new.rank) for move in moved] == [
        (3, 15, 3, 2),
        (2, 0, 2, 3),
    ]
