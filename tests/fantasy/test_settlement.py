"""A gameweek becomes a result once, and a later correction reopens exactly what it touches."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select, text

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks.live import refresh_game, refresh_gameweek
from app.fantasy.gameweeks.settlement import settle, settle_due
from app.fantasy.leagues import services as leagues
from app.fantasy.market.models import FootballerTotals, Gameweek
from app.fantasy.notices import choices
from app.fantasy.notices.models import Notice, NoticeDelivery
from app.fantasy.scoring.points import store_player_points
from app.fantasy.standings import schedules
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League, LeagueMember, LeagueScore
from app.record import events as ev
from app.record.ingest import ingest_batch
from tests.worlds.games import DRIVE, NOW, ingest_and_refresh, make_game, messages
from tests.worlds.leagues import make_league, make_sheet
from workers.jobs import settle_gameweeks

END = [*DRIVE, ev.GameEnded()]
LATER = NOW + timedelta(days=2)


def lock(week: int = 1) -> None:
    db.session.execute(
        text("UPDATE gameweeks SET locked_at = :now WHERE week = :week"), {"now": NOW, "week": week}
    )
    db.session.commit()


def scores(league: League, week: int = 1) -> dict[int, tuple[int, int | None, int | None]]:
    """Points, total and rank by member."""
    scores = db.session.scalars(
        select(LeagueScore)
        .join(Gameweek, Gameweek.id == LeagueScore.gameweek_id)
        .where(LeagueScore.league_id == league.id, Gameweek.week == week),
        execution_options={"populate_existing": True},
    )
    return {score.member_id: (score.points, score.total, score.rank) for score in scores}


def notices(kind: str, member_id: int) -> list[Notice]:
    return list(
        db.session.scalars(
            select(Notice)
            .where(Notice.kind == kind, Notice.member_id == member_id)
            .order_by(Notice.id)
        )
    )


def test_a_gameweek_is_settled_when_its_games_are_over_and_its_sheets_are_locked(
    league: League,
) -> None:
    ingest_and_refresh(messages(DRIVE))
    lock()
    assert settle_due(NOW) == []
    ingest_and_refresh(messages([ev.GameEnded()], first=12))
    assert settle_due(NOW) == [1]
    assert scores(league) == {1: (14_200, 14_200, 1), 2: (12_500, 12_500, 2), 3: (0, 0, 3)}
    assert notices("result", 2)[0].title == "Week 1 in Row: 12.50 points"
    assert "2nd of 3" in notices("result", 2)[0].body


def test_a_gameweek_whose_sheets_are_not_locked_yet_is_not_settled(league: League) -> None:
    ingest_and_refresh(messages(END))
    assert not settle(1, NOW)
    assert db.session.get_one(Gameweek, 1).settled_at is None


def test_settling_twice_changes_nothing(league: League) -> None:
    ingest_and_refresh(messages(END))
    lock()
    settle_gameweeks.run()
    before, sent = scores(league), len(notices("result", 1))
    settled_at = db.session.get_one(Gameweek, 1).settled_at
    settle_gameweeks.run()
    assert not settle(1, LATER)
    assert (scores(league), len(notices("result", 1))) == (before, sent)
    assert db.session.get_one(Gameweek, 1).settled_at == settled_at


def test_a_correction_whose_refresh_died_holds_no_gameweek_up(league: League) -> None:
    ingest_and_refresh(messages(DRIVE))
    bodies: list[ev.Body] = [ev.Nullify(events=(8, 9), reason="Holding"), ev.GameEnded()]
    ingest_batch(messages(bodies, first=12), NOW, store_player_points)
    lock()
    assert settle(1, NOW)
    assert scores(league)[1] == (1_000, 1_000, 1)
    assert [notice.delta for notice in notices("correction", 1)] == [-13_200]


def test_a_correction_after_the_result_reopens_what_it_touches_and_says_so(league: League) -> None:
    ingest_and_refresh(messages(END))
    lock()
    settle(1, NOW)
    ingest_batch(
        messages([ev.Nullify(events=(8, 9), reason="Holding")], first=13),
        LATER,
        store_player_points,
    )
    refresh_game("g1", LATER)
    assert scores(league) == {1: (1_000, 1_000, 1), 2: (0, 0, 2), 3: (0, 0, 2)}
    (notice,) = notices("correction", 1)
    assert (notice.delta, notice.title) == (-13_200, "Stat correction in Row: -13.20 in Week 1")
    assert "from 14.20 to 1.00 points" in notice.body
    assert "No play (Holding): H. Player1 to H. Player2 for 65 yards. Touchdown!" in notice.body
    assert "event" not in notice.body, "members have never seen the number of an event"
    assert notices("correction", 3) == [], "nothing of hers moved"
    refresh_game("g1", LATER)
    assert len(notices("correction", 1)) == 1


def test_a_correction_without_an_effect_is_looked_at_once(league: League) -> None:
    ingest_and_refresh(messages([*DRIVE, ev.Timeout(team="HRB"), ev.GameEnded()]))
    lock()
    settle(1, NOW)
    ingest_batch(messages([ev.Nullify(events=(12,))], first=14), LATER, store_player_points)
    refresh_game("g1", LATER)
    looked_at = text("SELECT count(*) FROM notified_corrections WHERE event_number = 14")
    assert db.session.scalar(looked_at) == 1
    assert notices("correction", 1) == []


def test_a_correction_during_the_game_tells_its_own_part_of_the_difference(league: League) -> None:
    ingest_and_refresh(messages(DRIVE))
    bodies: list[ev.Body] = [
        ev.Snap(possession="HRB", spot=30, period=1, clock=700, down=1, distance=10),
        ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=40),
        ev.Nullify(events=(8, 9)),
    ]
    ingest_and_refresh(messages(bodies, first=12))
    (notice,) = notices("correction", 1)
    assert notice.delta == -13_200, "the run of 10 that came with it is no part of the correction"


def test_a_correction_is_one_notice_per_league_and_is_sent_once(
    app: object, member: Callable[..., Member]
) -> None:
    make_game()
    ann, bob = member("ann"), member("bob")
    rows = make_league(ann.id, {ann.id: "Anns", bob.id: "Bobs"})
    make_league(ann.id, {ann.id: "Anns"}, slug="work")
    make_league(ann.id, {ann.id: "Anns"}, slug="pub", rules="ppr")
    make_sheet(ann.id, rows, ["H1"])
    ann.email = "ann@example.com"
    db.session.commit()
    choices.choose(ann.id, mail=["correction"])
    ingest_and_refresh(messages(END))
    lock()
    settle(1, NOW)
    assert len(notices("result", ann.id)) == 3
    ingest_batch(
        messages([ev.Nullify(events=(8, 9), reason="Holding")], first=13),
        LATER,
        store_player_points,
    )
    refresh_game("g1", LATER)
    corrections = notices("correction", ann.id)
    assert [notice.path.split("/")[2] for notice in corrections] == ["row", "work", "pub"]
    assert all(notice.body.count("Holding") == 1 for notice in corrections)
    assert notices("correction", bob.id) == []
    mailed = select(func.count()).select_from(NoticeDelivery)
    assert db.session.scalar(mailed) == 1, "a phone rings once"


def test_a_correction_that_turns_a_head_to_head_game_tells_both(
    app: object, member: Callable[..., Member]
) -> None:
    make_game()
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {ann.id: "Anns", bob.id: "Bobs"})
    league.mode = "head_to_head"
    make_sheet(ann.id, league, ["H1"])
    make_sheet(bob.id, league, ["H3"])
    schedules.pair_gameweek(1)
    db.session.commit()
    ingest_and_refresh(messages(END))
    lock()
    settle(1, NOW)
    points = select(LeagueScore.member_id, LeagueScore.match_points).order_by(LeagueScore.member_id)
    assert db.session.execute(points).all() == [(ann.id, 3), (bob.id, 0)]
    ingest_batch(messages([ev.Nullify(events=(8, 9))], first=13), LATER, store_player_points)
    refresh_game("g1", LATER)
    assert db.session.execute(points).all() == [(ann.id, 0), (bob.id, 3)]
    assert "You lost to Bobs, 0.00 to 1.00." in notices("correction", ann.id)[0].body
    notice = notices("correction", bob.id)[0]
    words = "You beat Anns, 1.00 to 0.00. Previously 1.00 to 6.60."
    assert (notice.delta, words in notice.body) == (
        None,
        True,
    )
    standing = select(LeagueMember.member_id, LeagueMember.standing).order_by(
        LeagueMember.member_id
    )
    assert db.session.execute(standing).all() == [(ann.id, [0, 0]), (bob.id, [3, 1_000])]


def test_a_correction_moves_the_totals_and_ranks_of_every_later_gameweek(
    app: object, member: Callable[..., Member]
) -> None:
    make_game("g1", week=1)
    make_game("g2", week=2)
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {ann.id: "Anns", bob.id: "Bobs"}, weeks=2)
    for week in (1, 2):
        make_sheet(ann.id, league, ["H1"], week=week)
        make_sheet(bob.id, league, ["H3"], week=week)
    db.session.commit()
    for week, bodies in ((1, END), (2, [*DRIVE[:6], ev.GameEnded()])):
        ingest_and_refresh(messages(bodies, game_id=f"g{week}"))
        lock(week)
    assert len(settle_due(NOW)) == 2
    assert scores(league, 2) == {ann.id: (0, 6_600, 1), bob.id: (1_000, 2_000, 2)}
    ingest_and_refresh(messages([ev.Nullify(events=(8, 9))], first=13))
    assert scores(league, 2) == {ann.id: (0, 0, 2), bob.id: (1_000, 2_000, 1)}
    assert [
        m.total_points
        for m in db.session.scalars(select(LeagueMember).order_by(LeagueMember.member_id))
    ] == [
        0,
        2_000,
    ]


def test_footballers_have_a_total_points_by_gameweek_and_form(league: League) -> None:
    ingest_and_refresh(messages(DRIVE))
    season_totals = db.session.get_one(FootballerTotals, (league.season_id, "standard", "H1"))
    assert (season_totals.total_points, season_totals.form, season_totals.gameweeks) == (
        6_600,
        6_600,
        {"1": 6_600},
    )
    ingest_and_refresh(messages([ev.Nullify(events=(8, 9))], first=12))
    query = select(FootballerTotals.footballer_id).where(FootballerTotals.footballer_id == "H1")
    assert db.session.scalars(query).all() == []


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("shared", [1, 1]), ("fewest_transfers", [1, 2]), ("latest_gameweek", [2, 1])],
)
def test_ties_are_broken_as_the_league_chose(
    app: object, member: Callable[..., Member], ties: str, expected: list[int]
) -> None:
    """Ann and Bob both have 6.60 in all.

    Ann in the first gameweek, Bob in the second, with a transfer.
    """
    make_game("g1", week=1)
    make_game("g2", week=2)
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {ann.id: "Anns", bob.id: "Bobs"}, weeks=2)
    league.ties = ties
    make_sheet(ann.id, league, ["H1"], week=1)
    sheet = make_sheet(bob.id, league, ["H1"], week=2)
    sheet.transfers = 1
    db.session.commit()
    for week in (1, 2):
        ingest_and_refresh(messages(END, game_id=f"g{week}"))
        lock(week)
    settle_due(NOW)
    assert [rank for _, (_, _, rank) in sorted(scores(league, 2).items())] == expected
    standings = dict(
        db.session.execute(select(LeagueMember.member_id, LeagueMember.standing)).all()
    )
    if ties == "shared":
        assert standings[ann.id] == standings[bob.id]
    else:
        assert (standings[ann.id] > standings[bob.id]) == (expected[0] < expected[1])


def test_a_correction_reaches_the_gameweek_of_a_member_who_has_left(league: League) -> None:
    ingest_and_refresh(messages(END))
    lock()
    assert settle(1, NOW)
    assert leagues.leave(2, league.id, LATER) is None
    assert scores(league)[2] == (12_500, 12_500, 2)
    # The catcher's run after the catch ended a yard short of the goal line.
    shorter = ev.Run(team="HRB", player="H2", kind="after_catch", start_yard=60, end_yard=99)
    ingest_and_refresh(messages([ev.Overturn(event=9, ruling=shorter, reason="Short")], first=13))
    assert scores(league)[2] == (6_400, 6_400, 1)


def test_a_team_that_is_renamed_keeps_its_old_name_in_old_gameweeks(league: League) -> None:
    ingest_and_refresh(messages(END))
    lock()
    settle(1, NOW)
    leagues.rename_team(league.id, 1, "Anns New Eleven")
    ingest_and_refresh(messages([ev.Nullify(events=(8, 9))], first=13))
    names = select(LeagueScore.team_name).where(LeagueScore.member_id == 1)
    assert db.session.scalars(names).all() == ["Team ann"]


def test_the_table_shows_who_moved_since_the_last_gameweek_while_the_next_is_played(
    app: object, member: Callable[..., Member], sign_in: Callable[..., FlaskClient]
) -> None:
    make_game("g1", week=1)
    make_game("g2", week=2)
    ann, bob = member("ann"), member("bob")
    league = make_league(ann.id, {ann.id: "Anns", bob.id: "Bobs"}, weeks=2)
    for week, anns, bobs in ((1, "H1", "H3"), (2, "H3", "H2")):
        make_sheet(ann.id, league, [anns], week=week)
        make_sheet(bob.id, league, [bobs], week=week)
    db.session.execute(
        text("UPDATE gameweeks SET deadline = now() - interval '1 day' WHERE week = 2")
    )
    db.session.execute(
        text("UPDATE gameweeks SET deadline = now() - interval '8 days' WHERE week = 1")
    )
    db.session.commit()
    ingest_and_refresh(messages(END, game_id="g1"))
    lock(1)
    settle(1, NOW)
    ingest_and_refresh(messages(DRIVE, game_id="g2"))  # Ann 6.60 + 1.00, Bob 1.00 + 12.50
    table = sign_in(username="ann").get("/leagues/row").text
    bobs, anns = (
        table[table.index(f'id="member-{who.id}"') :].split("</td>")[0] for who in (bob, ann)
    )
    assert "▲1" in bobs
    assert "▼1" in anns


@pytest.mark.parametrize("status", ["postponed", "cancelled", "forfeited"])
def test_a_game_that_is_not_played_holds_no_gameweek_up(league: League, status: str) -> None:
    make_game("g2")
    ingest_and_refresh(messages(END))
    lock()
    assert settle_due(NOW) == [], "g2 is still to be played"
    ingest_and_refresh(messages([ev.GameStatus(status=status)], game_id="g2"))  # type: ignore[arg-type]
    assert settle_due(NOW) == [1]
    assert scores(league)[1] == (14_200, 14_200, 1)


def test_a_suspended_game_is_waited_for_until_somebody_says_what_becomes_of_it(
    league: League,
) -> None:
    ingest_and_refresh(messages([*DRIVE, ev.GameStatus(status="suspended", reason="Lightning")]))
    lock()
    assert settle_due(NOW) == []
    ingest_and_refresh(messages([ev.GameStatus(status="forfeited")], first=13, play=4))
    assert settle_due(NOW) == [1]
    assert scores(league)[1] == (14_200, 14_200, 1), "what was played of a forfeited game stands"


def test_nothing_of_a_cancelled_game_counts_until_the_cancellation_is_taken_back(
    league: League,
) -> None:
    ingest_and_refresh(messages(DRIVE))
    lock()
    ingest_and_refresh(messages([ev.GameStatus(status="cancelled", reason="Storm")], first=12))
    assert settle_due(NOW) == [1]
    assert scores(league) == {1: (0, 0, 1), 2: (0, 0, 1), 3: (0, 0, 1)}
    (notice,) = notices("correction", 1)
    assert (notice.delta, "The game is cancelled (Storm)." in notice.body) == (-14_200, True)
    ingest_and_refresh(messages([ev.Nullify(events=(12,), reason="Played on after all")], first=13))
    assert scores(league) == {1: (14_200, 14_200, 1), 2: (12_500, 12_500, 2), 3: (0, 0, 3)}
    assert [notice.delta for notice in notices("correction", 1)] == [-14_200, 14_200]
    assert db.session.scalar(text("SELECT status FROM game_states WHERE game_id = 'g1'")) == "live"


def test_a_game_that_was_moved_here_counts_only_where_its_league_says_so(league: League) -> None:
    db.session.execute(text("UPDATE games SET planned_week = 7 WHERE id = 'g1'"))
    ingest_and_refresh(messages(DRIVE))
    assert {score.member_id: score.points for score in live_scores([league.id])}[1] == 14_200
    db.session.execute(text("UPDATE team_rules SET postponed_games = 'never'"))
    db.session.commit()
    refresh_gameweek(1, NOW)
    points = {score.member_id: score.points for score in live_scores([league.id])}
    assert points == {1: 0, 2: 0}
