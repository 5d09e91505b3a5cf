"""Weekly line-ups of draft leagues: team sheets whose market is the roster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core import clock
from app.core.db import db, transaction
from app.draft_leagues.franchises.services import locked
from app.draft_leagues.transactions import services as transactions
from app.fantasy.engine.ownership import Counted, Ownership
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.market import seasons
from app.fantasy.market.formats import draft_format_name, format_named
from app.fantasy.market.models import SheetDeadline
from app.fantasy.rosters.queries import active_roster, rosters_of
from app.fantasy.rosters.rules import Move, Transaction
from app.fantasy.sheets import roster_services
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.best_lineup import SquadPlayer, best_lineup
from app.fantasy.sheets.context import begun_among
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.my_teams import my_team
from app.fantasy.sheets.transfers import Draft
from app.record.models import Game
from tests.statements import count_statements
from tests.waiting import patience, until
from tests.worlds.draft_leagues import DRAFTED, FIRST, Days, DraftWorld, make_drafted_league

QB, RB1, RB2, WR1, WR2, TE, FLEX, K, DST, BENCH = range(10)


def save(world: DraftWorld, franchise: int, picks: list[str]) -> sheets.Saved | sheets.Refused:
    return sheets.save(
        world.members[franchise - 1],
        world.league.team_rules_id,
        world.gameweek(1).id,
        Draft(tuple(picks), 0, 0),
        DRAFTED,
    )


def test_the_first_lineup_starts_whoever_finds_a_place(drafted: DraftWorld) -> None:
    roster = active_roster(drafted.members[0], drafted.league.team_rules_id)
    lineup = drafted.lineup(1)
    assert [roster.get(pick, "") for pick in lineup] == [
        *("QB", "RB", "RB", "WR", "WR", "TE", "", "", ""),
        *("", "", "", ""),
    ]


def test_a_team_says_when_its_next_player_locks_and_what_is_empty(drafted: DraftWorld) -> None:
    team = my_team(drafted.members[0], drafted.league.team_rules_id, DRAFTED)
    assert team is not None
    assert team.empty_places == 3  # flex, kicker and defence
    assert team.next_kickoff is not None
    assert team.locks_at is not None
    assert team.next_kickoff <= team.locks_at


def test_a_lineup_takes_the_roster_and_empty_places_but_nobody_else(drafted: DraftWorld) -> None:
    picks = drafted.lineup(1)
    picks[FLEX], picks[RB2] = picks[RB2], ""
    saved = save(drafted, 1, picks)
    assert isinstance(saved, sheets.Saved)
    assert drafted.lineup(1) == picks

    picks[RB2] = drafted.lineup(2)[RB1]
    refused = save(drafted, 1, picks)
    assert isinstance(refused, sheets.Refused)
    assert [refusal.code for refusal in refused.refusals] == ["roster"]
    assert refused.refusals[0].text.endswith("is not on your active roster. Choose another player.")


def test_a_trade_fits_the_lineups_of_both_at_once(drafted: DraftWorld) -> None:
    first, second = drafted.lineup(1), drafted.lineup(2)
    drafted.record(
        Transaction("traded", (Move(first[RB1], 1, 2), Move(second[WR1], 2, 1))),
    )
    assert (drafted.lineup(1)[RB1], drafted.lineup(1)[BENCH]) == ("", second[WR1])
    assert (drafted.lineup(2)[WR1], drafted.lineup(2)[BENCH]) == ("", first[RB1])


def test_nobody_drops_whoever_plays_and_they_count_even_if_a_commissioner_does(
    drafted: DraftWorld,
) -> None:
    now = FIRST + timedelta(hours=7)  # three of four games have begun
    lineup = drafted.lineup(1)
    lock_gameweek(drafted.gameweek(1).id, FIRST)
    begun = begun_among(lineup, drafted.gameweek(1), now)
    plays, waits = min(begun), min({*filter(None, lineup)} - begun)
    drop = (Move(plays, 1, None), Move(waits, 1, None))
    with transaction():
        refused = transactions.record(
            locked(drafted.league.id), [Transaction("dropped", drop)], now
        )
    assert isinstance(refused, transactions.Refused)
    assert [refusal.code for refusal in refused.refusals] == ["begun"]
    drafted.record(Transaction("commissioner", drop), now=now)
    assert plays in drafted.lineup(1)
    assert waits not in drafted.lineup(1)
    lock_gameweek(drafted.gameweek(2).id, drafted.gameweek(2).deadline)
    assert plays not in drafted.lineup(1, week=2)


def test_everybody_has_a_lineup_when_the_gameweek_locks(drafted: DraftWorld) -> None:
    lock_gameweek(drafted.gameweek(1).id, FIRST)
    drafted.record(
        Transaction("dropped", (Move(drafted.lineup(3)[QB], 3, None),)),
        now=drafted.gameweek(2).deadline - timedelta(days=1),
    )
    lock_gameweek(drafted.gameweek(2).id, drafted.gameweek(2).deadline)
    rosters = rosters_of(drafted.league.id)
    for franchise in range(1, 5):
        lineup = set(filter(None, drafted.lineup(franchise, week=2)))
        assert lineup == set(rosters.of(franchise))
    assert drafted.lineup(3, week=2)[QB] == ""


def test_all_lineups_that_an_act_touches_are_fitted_at_once(drafted: DraftWorld) -> None:
    league_id = drafted.league.id
    tight_ends = iter(drafted.free("TE"))
    lock_gameweek(drafted.gameweek(1).id, FIRST)  # so that those of week 2 are carried over first
    now = drafted.gameweek(2).deadline - timedelta(days=1)

    def statements(*franchises: int) -> int:
        acts = [Transaction("added", (Move(next(tight_ends), None, each),)) for each in franchises]
        with count_statements() as counted_statements, transaction():
            assert isinstance(transactions.record(locked(league_id), acts, now), list)
        return counted_statements()

    alone, together = statements(1), statements(1, 2, 3, 4)
    assert together == alone
    for franchise in range(1, 5):
        lineup = set(filter(None, drafted.lineup(franchise, week=2)))
        assert lineup == set(rosters_of(league_id).of(franchise))


def test_a_lineup_that_is_saved_while_the_gameweek_locks_is_kept(
    app: Flask, drafted: DraftWorld
) -> None:
    whole = drafted.lineup(1)
    swapped = [whole[QB], whole[RB2], whole[RB1], *whole[WR1:]]
    without_quarterback = ["", *whole[RB1:]]  # whom the lock would put on the bench
    save_lineup = text("UPDATE team_sheets SET picks = :picks WHERE member_id = :member_id")
    member_id, gameweek_id = drafted.members[0], drafted.gameweek(1).id
    db.session.execute(save_lineup, {"picks": without_quarterback, "member_id": member_id})
    db.session.commit()

    def lock() -> None:
        with app.app_context():
            lock_gameweek(gameweek_id, FIRST)

    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with db.engine.connect() as saving, db.engine.connect() as watch, ThreadPoolExecutor(1) as pool:
        saving.execute(save_lineup, {"picks": swapped, "member_id": member_id})
        locking = pool.submit(lock)
        until(lambda: bool(watch.execute(waiting).scalar()), "the lock waits for the save")
        saving.commit()
        locking.result(patience(60))
    db.session.rollback()
    assert drafted.lineup(1) == swapped


def counted(name: str, squad: dict[str, tuple[str, int, bool]]) -> dict[str, int]:
    """How often each counts, on a sheet in this order; all games are over."""
    team_format = format_named(name)
    picks = [*squad, *[""] * (len(team_format.places) - len(squad))]
    ownership = Ownership.of(team_format, [TeamSheet(picks=picks, captain=1, vice_captain=2)])
    values = {
        who: Counted(who, position, points, 0, has_played, is_over=True)
        for who, (position, points, has_played) in squad.items()
    }
    totals = ownership.totals(ownership.arrays(values))
    return dict(zip(squad, totals.multipliers[0].tolist(), strict=False))


def test_there_are_no_captains_and_substitutes_come_on_only_if_the_league_says_so() -> None:
    places = {"QB": 1, "RB": 1, "FLEX": 1}
    squad = {
        "q": ("QB", 9000, True),
        "r": ("RB", 0, False),
        "f": ("WR", 0, False),
        "w": ("WR", 5000, True),
        "s": ("RB", 4000, True),
    }
    assert counted(draft_format_name(places, 2), squad) == {"q": 1, "r": 1, "f": 1, "w": 0, "s": 0}
    # w comes first and takes the flexible place, the only one that takes a receiver.
    with_substitutes = draft_format_name(places, 2, substitutes_come_on=True)
    assert counted(with_substitutes, squad) == {"q": 1, "r": 0, "f": 0, "w": 1, "s": 1}


def test_best_ball_counts_the_best_lineup_that_any_search_finds() -> None:
    random = np.random.default_rng(7)
    places = {"QB": 1, "RB": 2, "WR": 2, "TE": 1, "FLEX": 1, "SUPERFLEX": 1}
    name = draft_format_name(places, 8, is_best_ball=True)
    for _ in range(30):
        squad = {
            f"p{number}": (str(random.choice(["QB", "RB", "WR", "TE"])), int(points), True)
            for number, points in enumerate(random.integers(-2000, 30000, size=16))
        }
        players = [SquadPlayer(who, line[0], line[1]) for who, line in squad.items()]
        best = best_lineup(format_named(name), players)
        chosen = [who for who, times in counted(name, squad).items() if times]
        assert len(chosen) == len(best.starters)
        assert sum(squad[who][1] for who in chosen) == best.points
        assert best.captain == ""


def test_gameweeks_before_the_leagues_first_do_not_exist_for_its_teams(
    app: Flask,
    member: Callable[..., Member],
    sign_in: Callable[..., FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Founded and drafted between the first and the last kickoff of gameweek 1 (ADR 0088)."""
    days = Days(FIRST + timedelta(hours=1), FIRST + timedelta(hours=2), FIRST)
    world = make_drafted_league(member, days=days)
    now = FIRST + timedelta(hours=3)
    ann, rules = world.members[0], world.league.team_rules_id
    assert world.league.first_week == 2
    weeks = db.session.scalars(
        select(SheetDeadline.gameweek_id).where(SheetDeadline.team_rules_id == rules)
    )
    assert {*weeks} == {world.gameweek(week).id for week in (2, 3, 4)}
    picks = world.lineup(1, week=2)
    picks[FLEX], picks[RB2] = picks[RB2], ""
    draft = Draft(tuple(picks), 0, 0)
    assert isinstance(sheets.save(ann, rules, world.gameweek(2).id, draft, now), sheets.Saved)
    monkeypatch.setattr(clock, "now", lambda: now)
    client = sign_in(username="ann")
    assert "Your lineup" in client.get(f"/team/{rules}").text
    assert "Your lineup" not in client.get(f"/team/{rules}?gameweek={world.gameweek(1).id}").text
    assert client.get("/api/v1/draft-leagues/the-row/franchises/1/line-ups/GW1").status_code == 404


def test_a_postponed_game_does_not_close_the_gameweek_that_is_played(drafted: DraftWorld) -> None:
    """Of two gameweeks with open kickoffs exactly one takes a line-up: the one that is played."""
    ann, rules = drafted.members[0], drafted.league.team_rules_id
    season = drafted.season.season_id
    second = drafted.gameweek(2)
    last = db.session.scalars(
        select(Game).where(Game.week == 1).order_by(Game.kickoff.desc())
    ).first()
    assert last is not None
    last.kickoff = second.deadline + timedelta(days=20)
    seasons.set_deadlines(season)
    db.session.commit()
    lock_gameweek(drafted.gameweek(1).id, drafted.gameweek(1).deadline)
    lock_gameweek(second.id, second.deadline)
    now = second.deadline + timedelta(minutes=1)
    picks = drafted.lineup(1, week=2)
    begun = begun_among(picks, second, now)
    place = next(place for place in (RB1, RB2, WR1, WR2, TE) if picks[place] not in begun)
    picks[place] = ""
    saved = [
        sheets.save(ann, rules, week.id, Draft(tuple(picks), 0, 0), now)
        for week in (drafted.gameweek(1), second)
    ]
    assert isinstance(saved[0], sheets.Refused)
    assert "You already saved your" in saved[0].refusals[0].text
    assert isinstance(saved[1], sheets.Saved)
    opened = roster_services.open_gameweek(rules, now)
    assert opened is not None
    assert opened.id == second.id
