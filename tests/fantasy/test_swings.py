"""Each play's swing is exactly the change it made to the league's table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

import pytest
from flask import Flask
from sqlalchemy import select, text

from app.accounts.models import Member
from app.core.db import db
from app.core.redis.clients import jobs_redis
from app.embedded.valkey import Valkey
from app.fantasy.gameweeks.live import refresh_game, refresh_league
from app.fantasy.market import gameweeks
from app.fantasy.market.formats import FORMATS
from app.fantasy.scoring.league_gameweek import LeagueGameweek, league_gameweek
from app.fantasy.scoring.swings import cache, swings
from app.fantasy.scoring.swings import steps as steps_module
from app.fantasy.scoring.swings.cache import Latest, Own, Place
from app.fantasy.scoring.swings.steps import (
    KEPT_STEPS,
    LatestState,
    clubs_of,
    latest_states,
    steps_of_games,
)
from app.fantasy.scoring.swings.swings import LATEST, Swing
from app.fantasy.standings import queries
from app.fantasy.standings.models import League
from app.record import events as ev
from app.record import queries as record
from app.record.models import Footballer
from app.record.rules.steps import Step, steps_of
from app.record.rules.team_defence import is_defence
from app.record.services import store_script
from tests.record.test_steps import rows_of
from tests.sizes import size
from tests.statements import count_statements
from tests.worlds.games import (
    DRIVE,
    NOW,
    game_events,
    ingest,
    ingest_and_refresh,
    make_game,
    messages,
    timed_messages,
    touchdown_drive,
)
from tests.worlds.leagues import make_league, make_sheet
from tests.worlds.simulated_games import play

SEEDS = range(5, 5 + size("SWING_GAMES", 1, 8))
FORMAT = "nfl-team-defence"
PLACE = Place(1, 1)


def gameweek_for(league: League, viewer: int) -> LeagueGameweek:
    row = queries.league_for_viewer(league.slug, viewer)
    assert row is not None
    week = gameweeks.gameweek_of(row.season_id, 1)
    assert week is not None
    games = record.gameweek_games(week.competition, week.season, week.season_type, week.week)
    return league_gameweek(row, week, games)


def table(league: League) -> dict[int, tuple[int, int]]:
    """Points and rank of every member, as the league's page has them."""
    gameweek = db.session.scalar(text("SELECT id FROM gameweeks WHERE week = 1"))
    return {
        row.member_id: (row.points, row.rank)
        for row in queries.standings(league.id, int(gameweek or 0))
    }


def latest(gameweek: LeagueGameweek, me: int) -> list[Swing]:
    """What the viewer sees of the latest swings, without a cache."""
    of_all, movers_of = swings.latest_of_all(gameweek)
    return Latest(of_all, None).seen_by(Own(movers_of.get(me, []), None)).swings


def short(swing: Swing) -> tuple[str, int, dict[int, int]]:
    return swing.kind, swing.play_number, {mover.member_id: mover.points for mover in swing.movers}


def effect(swing: Swing) -> Swing:
    """The swing without words, which depend on what else is shown."""
    earned = [replace(earned, name="") for earned in swing.footballers]
    return replace(swing, words=(), when="", footballers=tuple(earned))


def sheet_of(everybody: Sequence[tuple[str, str]], random: Random) -> list[str]:
    """Footballers for every place of the format, as far as two clubs have them."""
    left, picks = list(everybody), []
    for slot in FORMATS[FORMAT].places:
        chosen = random.choice(
            [candidate for candidate in left if candidate[1] in slot.accepts] or [("", "")]
        )
        picks.append(chosen[0])
        left = [candidate for candidate in left if candidate != chosen]
    return picks


@pytest.mark.sized
@pytest.mark.parametrize("seed", SEEDS)
def test_before_and_after_every_play_of_a_whole_game_the_table_is_the_one_that_was_shown(
    seed: int, app: Flask, member: Callable[..., Member]
) -> None:
    """Sheets with substitutes, captains and D/ST; every table comes from real ingestion."""
    game, random = play(seed), Random(seed)  # noqa: S311
    store_script(game)
    ids = [member(f"gamer{number}").id for number in range(6)]
    league = make_league(
        ids[0],
        {member_id: f"Team {member_id}" for member_id in ids},
        rules="ppr_idp",
        team_format=FORMAT,
    )
    everybody = db.session.execute(
        select(Footballer.id, Footballer.position)
        .where(Footballer.club_id.in_((game.home.id, game.away.id)))
        .order_by(Footballer.id)
    ).all()
    for member_id in ids[:-1]:
        picks = sheet_of([(row[0], row[1]) for row in everybody], random)
        captain, vice = [pick for pick in picks if pick][:2]
        make_sheet(member_id, league, picks, captain=captain, vice=vice)
    db.session.commit()
    bodies = [step.body for step in game.events]
    batch, entered = messages(bodies, game.game_id), 0
    steps = steps_of(
        game.game_id, rows_of(game_events(bodies, game.game_id)), (game.home.id, game.away.id)
    )
    looked_at = {steps[place].number for place in random.sample(range(len(steps)), 25)} | {
        steps[-1].number
    }
    before: dict[int, dict[int, tuple[int, int]]] = {}
    after: dict[int, dict[int, tuple[int, int]]] = {}
    for step in steps:
        if step.number in looked_at:
            for upto, tables in ((step.first - 1, before), (step.number, after)):
                ingest(batch[entered:upto])
                refresh_game(game.game_id, NOW)
                entered, tables[step.number] = upto, table(league)
                gameweek = gameweek_for(league, ids[0])
                of_game = swings.of_game(gameweek, game.game_id, ids[0])
                whole = [effect(swing) for swing in of_game][: -LATEST - 1 : -1]
                assert [effect(swing) for swing in latest(gameweek, ids[0])] == whole
    found_swings = {
        swing.number: swing
        for swing in swings.of_game(gameweek_for(league, ids[0]), game.game_id, ids[0])
    }
    assert len(found_swings) > 60
    assert any(
        is_defence(earned.footballer_id)
        for swing in found_swings.values()
        for earned in swing.footballers
    )
    for swing in found_swings.values():
        words = " ".join(swing.words)
        credited = [
            earned.name for earned in swing.footballers if not is_defence(earned.footballer_id)
        ]
        if swing.kind == "play":
            assert [name for name in credited if name not in words] == [], (
                "whoever earns points by a play is named"
            )
    for number in sorted(looked_at):
        moved = (
            {mover.member_id: mover for mover in found_swings[number].movers}
            if number in found_swings
            else {}
        )
        for member_id in ids:
            was, now = before[number][member_id], after[number][member_id]
            mover = moved.get(member_id)
            if mover is None:
                assert was[0] == now[0], number
            else:
                assert (mover.total - mover.points, mover.rank_before) == was, number
                assert (mover.total, mover.rank) == now, number
    summed = {
        member_id: sum(
            mover.points for swing in found_swings.values() if (mover := swing.of(member_id))
        )
        for member_id in ids
    }
    assert summed == {member_id: points for member_id, (points, _) in table(league).items()}


def test_the_end_of_a_game_that_goes_on_is_that_of_all_its_steps(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, random = play(5), Random(5)  # noqa: S311
    store_script(game)
    games = record.games_of([game.game_id])
    read_whole: list[str] = []

    def events_of(games: Mapping[str, None]) -> dict[str, list[record.EventRow]]:
        read_whole.extend(games)
        return record.events_of(games)

    batch, entered, times = messages([step.body for step in game.events], game.game_id), 0, 0
    while entered < len(batch):
        upto = entered + random.randint(1, 30)
        ingest(batch[entered:upto])
        entered, times = upto, times + 1
        with monkeypatch.context() as patched:
            patched.setattr(steps_module, "events_of", events_of)
            last = latest_states(games)[game.game_id]
        (all_steps,) = steps_of_games(games)
        assert last.last(KEPT_STEPS) == all_steps[-KEPT_STEPS:]
        assert latest_states(games) == {game.game_id: last}
    assert 0 < len(read_whole) < times / 3  # the others were continued
    assert len(all_steps) > KEPT_STEPS


def state_and_steps(game_id: str) -> tuple[LatestState, list[Step]]:
    """The game's latest state, and all its steps as they are without a cache."""
    games = record.games_of([game_id])
    steps = steps_of(game_id, record.events_of({game_id: None})[game_id], clubs_of(games[0]))
    return latest_states(games)[game_id], steps


def test_an_event_that_comes_late_changes_the_latest_state(league: League) -> None:
    drive = timed_messages(DRIVE)
    ingest(drive[:5] + drive[6:9])  # the run comes late
    before, _ = state_and_steps("g1")
    assert "H3" not in before.lines
    ingest(drive[9:])
    between, _ = state_and_steps("g1")
    ingest(drive[5:6])
    after, steps = state_and_steps("g1")
    assert "H3" not in between.lines
    assert after.lines["H3"]["rushing_yards"] == 10
    assert after.last(KEPT_STEPS) == steps


def test_the_latest_state_of_a_rebuilt_record_does_not_go_on_from_the_one_before(
    league: League,
) -> None:
    drive = timed_messages(touchdown_drive())
    ingest(drive[:9])
    db.session.execute(
        text("UPDATE events SET body = jsonb_set(body, '{end_yard}', '99') WHERE event_number = 6")
    )
    db.session.execute(text("UPDATE game_states SET version = version + 1"))
    db.session.commit()
    tampered, _ = state_and_steps("g1")
    assert tampered.lines["H3"]["rushing_yards"] == 74
    db.session.execute(
        text("UPDATE events SET body = jsonb_set(body, '{end_yard}', '35') WHERE event_number = 6")
    )
    db.session.execute(text("UPDATE game_states SET version = version + 1, rebuilt_at = now()"))
    db.session.commit()
    ingest(drive[9:])
    rebuilt, steps = state_and_steps("g1")
    assert rebuilt.lines["H3"]["rushing_yards"] == 10
    assert rebuilt.last(KEPT_STEPS) == steps


@pytest.fixture
def moved(league: League) -> tuple[League, int]:
    """The drive is in; the league with Ann's id."""
    ingest_and_refresh(timed_messages(DRIVE))
    return league, db.session.scalar(select(Member.id).where(Member.username == "ann")) or 0


def test_the_latest_swings_say_who_earned_what_and_whose_table_moved(
    moved: tuple[League, int],
) -> None:
    league, ann = moved
    thrown, run = latest(gameweek_for(league, ann), ann)
    assert thrown.words == ("Player1 to Player2 for 65 yards. Touchdown!",)
    assert (thrown.game_id, thrown.play_number, thrown.number, thrown.when) == (
        "g1",
        3,
        9,
        "Q1 14:30",
    )
    assert [
        (earned.name, earned.points, earned.teams, earned.what) for earned in thrown.footballers
    ] == [
        ("Player2", 12_500, 1, "65 receiving yards, receiving touchdown"),
        ("Player1", 6_600, 1, "passing touchdown, 65 passing yards"),
    ]
    assert [
        (mover.name, mover.points, mover.total, mover.rank_before, mover.rank)
        for mover in thrown.movers
    ] == [
        ("Team ann", 13_200, 14_200, 1, 1),  # her captain threw it
        ("Team bob", 12_500, 12_500, 2, 2),
    ]
    assert (run.words, run.moved, run.rest) == (("Player3 runs to the HRB 35 for 10.",), 1, 0)
    assert [(mover.rank_before, mover.rank) for mover in run.movers] == [(1, 1)]


def test_a_corrected_play_shows_its_old_swing_and_its_new_one(moved: tuple[League, int]) -> None:
    league, ann = moved
    ingest_and_refresh(timed_messages([*DRIVE, ev.Nullify(events=(8, 9), reason="Holding")])[-1:])
    old, new = swings.of_play(gameweek_for(league, ann), "g1", 3, ann)
    assert (short(old), short(new)) == (
        ("play", 3, {1: 13_200, 2: 12_500}),
        ("correction", 3, {1: -13_200, 2: -12_500}),
    )
    assert new.words == ("No play (Holding): Player1 to Player2 for 65 yards. Touchdown!",)
    assert swings.of_play(gameweek_for(league, ann), "g1", 4, ann) == []
    newest = latest(gameweek_for(league, ann), ann)[0]
    assert short(newest) == short(new)


def test_my_own_team_comes_first_and_the_others_are_counted(member: Callable[..., Member]) -> None:
    make_game()
    ids = [member(f"m{number:02}").id for number in range(12)]
    league = make_league(ids[0], {member_id: f"Team {member_id:02}" for member_id in ids})
    for member_id in ids:
        make_sheet(member_id, league, ["H2"], captain="H2" if member_id != ids[-1] else None)
    db.session.commit()
    ingest_and_refresh(timed_messages(DRIVE))
    swing = latest(gameweek_for(league, ids[-1]), ids[-1])[0]
    assert [mover.member_id for mover in swing.movers] == [ids[-1], *ids[:7]]
    assert [mover.points for mover in swing.movers][:2] == [12_500, 25_000]
    assert (swing.moved, swing.rest) == (12, 4)
    assert swing.footballers[0].teams == 12


def test_transfers_adjustments_and_who_is_hidden_are_as_in_the_table(
    moved: tuple[League, int],
) -> None:
    league, ann = moved
    db.session.execute(
        text("UPDATE team_sheets SET transfer_cost = 4000 WHERE member_id = :ann"), {"ann": ann}
    )
    db.session.execute(
        text(
            "INSERT INTO score_adjustments (league_id, member_id, gameweek_id, points, reason, "
            "by_id)"
            " SELECT :league, m.id, 1, 5500, 'a bet', :ann FROM members m WHERE username = 'cat'"
        ),
        {"ann": ann, "league": league.id},
    )
    db.session.commit()
    refresh_league(league.id, NOW)
    swing = latest(gameweek_for(league, ann), ann)[0]
    now = table(league)
    assert {mover.member_id: (mover.total, mover.rank) for mover in swing.movers} == {
        member_id: now[member_id] for member_id in (mover.member_id for mover in swing.movers)
    }
    assert [(mover.rank_before, mover.rank) for mover in swing.movers] == [(3, 2), (2, 1)]


def test_the_end_of_a_game_moves_whose_captain_did_not_play_and_says_so(
    member: Callable[..., Member],
) -> None:
    make_game()
    ann = member("ann").id
    league = make_league(ann, {ann: "Team ann"})
    make_sheet(ann, league, ["S1", "H1"], captain="S1", vice="H1")
    db.session.commit()
    ingest_and_refresh(timed_messages([*DRIVE, ev.GameEnded()]))
    ended, thrown = latest(gameweek_for(league, ann), ann)
    assert (ended.words, short(ended)) == (("The game is over.",), ("course", 4, {ann: 6_600}))
    assert short(thrown)[2] == {ann: 6_600}
    assert table(league) == {ann: (13_200, 1)}


def test_what_was_kept_of_a_game_is_not_used_for_a_newer_one_nor_needed(
    moved: tuple[League, int],
) -> None:
    league, ann = moved
    first = latest(gameweek_for(league, ann), ann)
    with count_statements() as statements:
        assert latest(gameweek_for(league, ann), ann) == first
    jobs_redis().flushdb()
    with count_statements() as anew:
        assert latest(gameweek_for(league, ann), ann) == first
    assert anew() == statements() + 1
    ingest_and_refresh(timed_messages([*DRIVE, ev.Nullify(events=(6,))])[-1:])
    assert latest(gameweek_for(league, ann), ann)[0].kind == "correction"


def test_all_who_look_on_share_what_was_worked_out_and_each_has_their_own_team_first(
    member: Callable[..., Member],
) -> None:
    make_game()
    ids = [member(f"gamer{number:02}").id for number in range(12)]
    league = make_league(ids[0], {member_id: f"Team {member_id:02}" for member_id in ids})
    for member_id in ids[:-1]:
        make_sheet(member_id, league, ["H2"], captain="H2" if member_id != ids[10] else None)
    db.session.commit()
    ingest_and_refresh(timed_messages(DRIVE))
    gameweeks_read: list[LeagueGameweek] = []

    def read() -> LeagueGameweek:
        gameweeks_read.append(gameweek_for(league, ids[0]))
        return gameweeks_read[-1]

    for me in ids:
        assert cache.latest(PLACE, "1-1-1", me, read).swings == latest(
            gameweek_for(league, me), me
        ), me
    assert len(gameweeks_read) == 1
    cache.latest(PLACE, "1-1-2", ids[0], read)
    assert len(gameweeks_read) == 2
    key = next(iter(jobs_redis().keys("swings:*")))
    assert 0 < int(str(jobs_redis().ttl(key))) <= cache.KEPT_SECONDS


def test_without_redis_the_swings_come_from_the_record(
    moved: tuple[League, int], own_valkey: Valkey
) -> None:
    league, ann = moved
    expected = latest(gameweek_for(league, ann), ann)
    own_valkey.stop()
    without_redis = cache.latest(PLACE, "1-1-1", ann, lambda: gameweek_for(league, ann))
    assert without_redis.swings == expected
