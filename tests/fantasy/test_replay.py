"""A gameweek played again.

After every play the table is the one as of then, and the play that decided it is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app.accounts.models import Member
from app.core.db import db
from app.demo.seed import simulated_game
from app.fantasy.gameweeks.live import refresh_gameweek, refresh_league
from app.fantasy.leagues.models import ScoreAdjustment
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.gameweeks import GameweekRow, gameweek_of
from app.fantasy.market.models import TeamRules
from app.fantasy.scoring.replay import moments as as_of
from app.fantasy.scoring.replay.replay import replay
from app.fantasy.scoring.replay.values import Race, Replay
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings import queries
from app.fantasy.standings.models import League, LeagueMember, Matchup
from app.fantasy.standings.queries import LeagueRow
from app.record import asof as record_asof
from app.record import events as ev
from app.record import queries as record
from app.record.models import Footballer, Game, StatLine
from app.record.queries import GameRow
from app.record.services import store_script
from tests.sizes import size
from tests.statements import count_statements
from tests.worlds.games import (
    KICKOFF,
    NOW,
    NULLIFIED_DRIVE,
    RECORDED_AT,
    ingest,
    make_game,
    messages,
    timed_messages,
    touchdown_drive,
)
from tests.worlds.leagues import make_league, make_sheet

NAMES = ("ann", "bob", "cat", "dan")
# of each game: what is compared grows with their square
EVENTS = size("PRESSBOX_REPLAY_EVENTS", 300, 1_000)
Table = dict[int, tuple[int, int]]  # points and rank by member


def seen(league: League, me: int) -> tuple[LeagueRow, GameweekRow, list[GameRow]]:
    row = queries.league_for_viewer(league.slug, me)
    gameweek = gameweek_of(league.season_id, 1)
    assert row is not None
    assert gameweek is not None
    return row, gameweek, record.gameweek_games("nfl", 2026, "REG", 1)


def run(league: League, me: int) -> Replay:
    return replay(*seen(league, me), me)


def tables(replayed: Replay) -> list[Table]:
    """The table before the first play and after each, of who is ranked."""
    rows = list(replayed.start)
    everything = []
    for step in (None, *replayed.steps):
        for row, points, rank in step.changed if step else ():
            rows[row] = (points, rank)
        everything.append(
            {
                team.member_id: place
                for team, place in zip(replayed.teams, rows, strict=True)
                if team.ranked and team.member_id
            }
        )
    return everything


def assert_as_of(league: League, me: int, replayed: Replay) -> None:
    """After every play the points and ranks are those of the table as of then."""
    row, gameweek, games = seen(league, me)
    events = record.events_of({game.id: None for game in games})
    numbers: dict[str, int] = {}
    for step, table in zip((None, *replayed.steps), tables(replayed), strict=True):
        if step:
            numbers[step.moment.game_id] = step.moment.number
        cut = {
            game.id: record_asof.as_of(events.get(game.id, []), numbers.get(game.id, 0))
            for game in games
        }
        then = [record_asof.game_as_of(game, cut[game.id]) for game in games]
        lines = {
            game.id: {
                who: stats
                for who, _, stats in record_asof.line_rows(
                    cut[game.id], (game.home.id, game.away.id)
                )
            }
            for game in games
        }
        expected = {
            standing.member_id: (standing.points, standing.rank)
            for standing in as_of.table_as_of(row, gameweek, then, lines)
        }
        assert table == expected, numbers
    now = {
        standing.member_id: (standing.points, standing.rank)
        for standing in queries.standings(league.id, gameweek.id)
    }
    assert tables(replayed)[-1] == now


def last_of_a_run(ahead: Sequence[int | None]) -> tuple[int | None, int | None]:
    """Plain: who is ahead alone in the end, and the last play before which they were not."""
    winner = ahead[-1]
    before = [number for number, leader in enumerate(ahead) if leader != winner]
    return winner, before[-1] if winner is not None and before else None


def alone(points: dict[int, int]) -> int | None:
    """Who has more than all others."""
    best = [member_id for member_id, total in points.items() if total == max(points.values())]
    return best[0] if len(best) == 1 else None


def member_of(replayed: Replay, race: Race) -> int | None:
    return None if race.ahead is None else replayed.teams[race.ahead].member_id


@pytest.fixture
def evening(app: Flask, member: Callable[..., Member]) -> tuple[League, dict[str, int]]:
    """Two simulated games at once.

    Four teams of their footballers, head to head, one with transfers, one adjusted.
    """
    ids = {name: member(name).id for name in NAMES}
    league = make_league(ids["ann"], {ids[name]: f"Team {name}" for name in NAMES})
    league.mode = "head_to_head"
    for seed in (4, 6):
        store_script(simulated_game(seed, KICKOFF))
        db.session.execute(
            Game.__table__.update()
            .where(Game.id == f"sim-{seed}")
            .values(competition="nfl", week=1, kickoff=KICKOFF)
        )
    for seed in (4, 6):
        game = simulated_game(seed, KICKOFF)
        bodies = [step.body for step in game.events[:EVENTS]]
        # The one game's entries fall between those of the other.
        ingest(timed_messages(bodies, game.game_id, RECORDED_AT + seed * 100))
    query = select(StatLine.player_id).order_by(StatLine.player_id)
    scorers = [
        player for player in db.session.scalars(query.distinct()) if not player.endswith("-DST")
    ]
    for place, name in enumerate(NAMES):
        mine = scorers[place::4][:13]
        make_sheet(ids[name], league, mine, captain=mine[place], vice=mine[place + 4])
    db.session.execute(
        TeamSheet.__table__.update()
        .where(TeamSheet.member_id == ids["bob"])
        .values(transfer_cost=4000)
    )
    gameweek = db.session.scalars(select(TeamSheet.gameweek_id).limit(1)).one()
    db.session.add(
        ScoreAdjustment(
            league_id=league.id,
            member_id=ids["cat"],
            gameweek_id=gameweek,
            points=2500,
            reason="A prize",
            by_id=ids["ann"],
            created_at=NOW,
        )
    )
    db.session.add_all(
        Matchup(league_id=league.id, gameweek_id=gameweek, home_id=ids[home], away_id=ids[away])
        for home, away in (("ann", "bob"), ("cat", "dan"))
    )
    db.session.commit()
    refresh_gameweek(gameweek, NOW)
    return league, ids


@pytest.mark.sized
def test_after_every_play_of_two_games_the_table_is_the_one_as_of_then(
    evening: tuple[League, dict[str, int]],
) -> None:
    league, ids = evening
    replayed = run(league, ids["ann"])
    assert len(replayed.steps) > 100
    assert {step.moment.game_id for step in replayed.steps[:50]} == {"sim-4", "sim-6"}
    assert_as_of(league, ids["ann"], replayed)
    assert replayed.start != tuple((0, 1) for _ in replayed.start), (
        "transfers and adjustments count from the first play on"
    )


def test_what_decided_it_is_the_last_play_before_which_the_winner_was_not_ahead(
    evening: tuple[League, dict[str, int]],
) -> None:
    league, ids = evening
    replayed = run(league, ids["ann"])
    plain = [
        {member: points for member, (points, _) in table.items()} for table in tables(replayed)
    ]
    winner, decided = last_of_a_run([alone(table) for table in plain])
    assert decided is not None
    assert (member_of(replayed, replayed.leader), replayed.leader.decided) == (winner, decided)
    assert len(replayed.duels) == 2
    for duel, pair in zip(replayed.duels, (("ann", "bob"), ("cat", "dan")), strict=True):
        assert (duel.home, duel.away) == tuple(
            next(row for row, team in enumerate(replayed.teams) if team.member_id == ids[name])
            for name in pair
        )
        winner, decided = last_of_a_run(
            [alone({ids[name]: table[ids[name]] for name in pair}) for table in plain]
        )
        assert (member_of(replayed, duel.race), duel.race.decided) == (winner, decided)


def test_a_replay_asks_a_fixed_number_of_queries(evening: tuple[League, dict[str, int]]) -> None:
    league, ids = evening
    seen_by_ann = seen(league, ids["ann"])
    with count_statements() as statements:
        replay(*seen_by_ann, ids["ann"])
    assert statements() <= 8


@pytest.fixture
def drive(league: League) -> League:
    """Ann is ahead with the run, Bob with the touchdown of his catcher.

    Then the touchdown is taken back.
    """
    ingest(timed_messages(NULLIFIED_DRIVE))
    refresh_gameweek(1, NOW)
    return league


def ids_of(league: League) -> dict[str, int]:
    query = select(Member.username, Member.id).join(
        LeagueMember, LeagueMember.member_id == Member.id
    )
    return dict(db.session.execute(query.where(LeagueMember.league_id == league.id)).all())


def test_the_lead_turns_with_each_play_that_changes_it(drive: League) -> None:
    replayed = run(drive, ids_of(drive)["ann"])
    assert_as_of(drive, ids_of(drive)["ann"], replayed)
    assert member_of(replayed, replayed.leader) == ids_of(drive)["ann"]
    assert replayed.leader.decided is not None
    decided = replayed.steps[replayed.leader.decided].moment
    assert [type(row.body) for row in decided.rows] == [ev.Snap, ev.Run]
    assert replayed.steps[-1].moment.rows[-1].body == NULLIFIED_DRIVE[-1]


def test_nothing_decides_a_tie(league: League) -> None:
    ingest(messages(touchdown_drive()[:4]))
    refresh_gameweek(1, NOW)
    replayed = run(league, ids_of(league)["ann"])
    assert (replayed.leader.ahead, replayed.leader.decided) == (None, None)


def test_who_was_ahead_before_the_first_play_and_stayed_so_was_not_decided_by_one(
    drive: League,
) -> None:
    ids = ids_of(drive)
    prize = ScoreAdjustment(
        league_id=drive.id,
        member_id=ids["cat"],
        gameweek_id=1,
        points=90_000,
        reason="x",
        by_id=1,
        created_at=NOW,
    )
    prize.by_id = ids["ann"]
    db.session.add(prize)
    db.session.commit()
    refresh_gameweek(1, NOW)
    replayed = run(drive, ids["ann"])
    assert member_of(replayed, replayed.leader) == ids["cat"]
    assert replayed.leader.decided is None


def test_the_average_is_a_side_and_so_is_who_has_left(drive: League) -> None:
    ids = ids_of(drive)
    drive.mode = "head_to_head"
    db.session.add_all(
        [
            Matchup(league_id=drive.id, gameweek_id=1, home_id=ids["ann"], away_id=ids["bob"]),
            Matchup(league_id=drive.id, gameweek_id=1, home_id=ids["cat"], away_id=None),
        ]
    )
    db.session.delete(db.session.get_one(LeagueMember, (drive.id, ids["bob"])))
    db.session.commit()
    replayed = run(drive, ids["ann"])
    former, average = replayed.teams[replayed.duels[0].away], replayed.teams[replayed.duels[1].away]
    assert (former.team_name, former.ranked, average.member_id) == ("A former member", False, None)
    assert member_of(replayed, replayed.duels[0].race) == ids["ann"]
    assert replayed.teams[replayed.duels[1].race.ahead or 0].team_name == "The average"
    points = {
        team.member_id: row[0]
        for team, row in zip(replayed.teams, last_rows(replayed), strict=True)
    }
    assert points[None] == sum(points[ids[name]] for name in ("ann", "bob", "cat")) // 3


def add_sheet_with_somebody_who_does_not_play(league: League, member_id: int) -> None:
    """Every place is filled.

    Of them all only H1, first on the bench behind S1, has a part in the drive.
    """
    roster_format = FORMATS["nfl-classic"]
    picks = ["S1"]
    for number, slot in enumerate(roster_format.starters[1:], start=20):
        picks.append(f"H{number}")
        db.session.add(
            Footballer(
                id=f"H{number}",
                name=f"H. Reserve{number}",
                club_id="HRB",
                position=slot.accepts[0],
                number=number,
            )
        )
    db.session.flush()
    make_sheet(member_id, league, [*picks, "H1"], captain="H1")
    db.session.commit()


def test_a_substitution_is_told_at_the_play_that_brought_it(
    league: League, sign_in: Callable[..., FlaskClient]
) -> None:
    """PRODUCT B7: a starter is out when all of their games are over and they did not play."""
    cat = ids_of(league)["cat"]
    add_sheet_with_somebody_who_does_not_play(league, cat)
    ingest(timed_messages([*touchdown_drive(), ev.GameEnded()]))
    refresh_gameweek(1, NOW)
    replayed = run(league, cat)
    assert_as_of(league, cat, replayed)
    *earlier, last = replayed.steps
    assert [step.substitutions for step in earlier if step.substitutions] == []
    assert [
        (replayed.teams[substitution.team].member_id, substitution.come_on, substitution.go_off)
        for substitution in last.substitutions
    ] == [(cat, ("H1",), ("S1",))]
    page = sign_in(username="cat").get("/leagues/row/replay/1").text
    assert "The game is over. Auto-sub, Team cat: H. Player1 for S. Player1." in page


def last_rows(replayed: Replay) -> list[tuple[int, int]]:
    rows = list(replayed.start)
    for step in replayed.steps:
        for row, points, rank in step.changed:
            rows[row] = (points, rank)
    return rows


def test_of_a_large_league_the_best_and_mine_are_shown_with_their_ranks_in_all_of_it(
    drive: League, member: Callable[..., Member]
) -> None:
    for number in range(60):
        db.session.add(
            LeagueMember(
                league_id=drive.id,
                member_id=member(f"member-{number}").id,
                team_name=f"Team {number:02d}",
            )
        )
    db.session.flush()
    last = db.session.scalars(
        select(LeagueMember.member_id).order_by(LeagueMember.member_id.desc()).limit(1)
    ).one()
    db.session.add(
        ScoreAdjustment(
            league_id=drive.id,
            member_id=last,
            gameweek_id=1,
            points=-1000,
            reason="x",
            by_id=last,
            created_at=NOW,
        )
    )
    db.session.commit()
    refresh_league(drive.id, NOW)
    replayed = run(drive, last)
    assert replayed.members == 63
    assert len(replayed.teams) == 21
    standings = {
        standing.member_id: (standing.points, standing.rank)
        for standing in queries.standings(drive.id, 1)
    }
    assert tables(replayed)[-1] == {
        member_id: standings[member_id] for member_id in tables(replayed)[-1]
    }
    assert standings[last][1] == max(rank for _, rank in standings.values())


def test_a_gameweek_before_the_leagues_first_has_no_points(drive: League) -> None:
    drive.first_week = 2
    db.session.commit()
    replayed = run(drive, ids_of(drive)["ann"])
    assert set(last_rows(replayed)) == {(0, 1)}


def test_a_game_that_was_moved_here_counts_where_the_rules_say_so_alone(drive: League) -> None:
    db.session.get_one(Game, "g1").planned_week = 5
    db.session.get_one(TeamRules, drive.team_rules_id).postponed_games = "never"
    db.session.commit()
    ann = ids_of(drive)["ann"]
    assert run(drive, ann).steps == ()
    make_game("g2")
    db.session.get_one(Game, "g2").kickoff = KICKOFF + timedelta(days=1)
    db.session.commit()
    ingest(timed_messages(NULLIFIED_DRIVE, "g2"))
    refresh_gameweek(1, NOW)
    replayed = run(drive, ann)
    assert {step.moment.game_id for step in replayed.steps} == {"g2"}
    assert_as_of(drive, ann, replayed)
