"""Projections of players and teams from what the database has: before, during and after a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import event

from app.accounts.models import Member
from app.core.db import db
from app.fantasy.gameweeks import live
from app.fantasy.market.gameweeks import GameweekRow, gameweek_of
from app.fantasy.market.models import FootballerSeason
from app.fantasy.projections import queries
from app.fantasy.projections.chance_line_queries import load_chance_line
from app.fantasy.projections.queries import matchup_outlooks, projected_points, projected_sheets
from app.fantasy.projections.rules import (
    DECAY,
    Figures,
    Projection,
    expectation,
)
from app.fantasy.projections.teams import Outlook
from app.fantasy.projections.typical_lines import typical_figures
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rules import PRESETS, STANDARD
from app.fantasy.standings.models import League, LeagueMember, Matchup
from app.fantasy.standings.queries import LeagueRow, league_for_viewer
from app.record import events as ev
from app.record.models import GameState, StatLine
from tests.worlds.games import (
    DRIVE,
    KICKOFF,
    NULLIFIED_DRIVE,
    ingest_and_refresh,
    make_game,
    messages,
    timed_messages,
)
from tests.worlds.leagues import make_league, make_sheet

WEEKS = 3


@pytest.fixture
def league(app: Flask, member: Callable[..., Member]) -> League:
    """Gameweeks 1 and 2 are over, 3 is to come. Ann has the runner as captain, Bob the catcher."""
    ann, bob = member("ann"), member("bob")
    make_game("g1", 1)
    league = make_league(ann.id, {ann.id: "Ann FC", bob.id: "Bob FC"}, weeks=WEEKS)
    league.mode = "head_to_head"
    for week, lines in ((1, {"H3": 90, "S3": 40}), (2, {"H3": 130})):
        play(
            f"g{week}", week, {player: {"rushing_yards": yards} for player, yards in lines.items()}
        )
    make_game("g3", 3)
    make_sheet(ann.id, league, ["", "H3"], captain="H3", week=3)
    make_sheet(bob.id, league, ["", "", "", "H2"], week=3)
    db.session.add(
        Matchup(
            league_id=league.id, gameweek_id=week_row(league, 3).id, home_id=ann.id, away_id=bob.id
        )
    )
    db.session.commit()
    return league


def play(game: str, week: int, lines: Mapping[str, Mapping[str, int]]) -> None:
    """A game that is over, with these stat lines."""
    if week > 1:
        make_game(game, week)
    db.session.add(
        GameState(
            game_id=game,
            status="final",
            home_score=7,
            away_score=3,
            state={"period": 4, "clock": 0, "last_event_number": 1},
            version=1,
            updated_at=KICKOFF,
        )
    )
    for player, stats in lines.items():
        db.session.add(StatLine(game_id=game, player_id=player, team="HRB", stats=stats, held={}))
    db.session.flush()
    for scoring in PRESETS.values():
        if scoring.sport == "football":
            store_points_of([game], scoring)
    db.session.commit()
    gameweek = gameweek_of(1, week)
    assert gameweek is not None
    live.refresh_gameweek(gameweek.id, KICKOFF + timedelta(hours=4))


def week_row(league: League, week: int) -> GameweekRow:
    row = gameweek_of(league.season_id, week)
    assert row is not None
    return row


def row_of(league: League) -> LeagueRow:
    row = league_for_viewer(league.slug, league.commissioner_id or 0)
    assert row is not None
    return row


def of(league: League, player: str, week: int = 3) -> Projection:
    return projected_points(league.season_id, week_row(league, week), [player], STANDARD)[player]


def test_before_a_game_it_is_what_the_games_so_far_say(league: League) -> None:
    """Runs of 13.0 and 9.0. Three games of runners are too few for figures of the season."""
    expected = expectation([13_000, 9_000], typical_figures("RB", STANDARD))
    assert of(league, "H3") == Projection(
        round(expected.points), 0, expected.variance, 1.0, takes_part=True
    )


def test_a_position_with_enough_games_has_the_figures_of_the_season(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "ENOUGH_GAMES", 3)
    runners = Figures(3, 26_000, 13_000**2 + 9_000**2 + 4_000**2)
    assert of(league, "H3").points == round(expectation([13_000, 9_000], runners).points)
    # Summit's runner did nothing in the second game: (0 + 4 x DECAY + prior) / (1 + DECAY + prior)
    assert of(league, "S3").points == round(expectation([0, 4_000], runners).points)
    assert 0 < DECAY < 1
    # Before the second gameweek only the first counts.
    monkeypatch.setattr(queries, "ENOUGH_GAMES", 2)
    first = Figures(2, 13_000, 9_000**2 + 4_000**2)
    assert (
        projected_points(league.season_id, week_row(league, 2), ["S3"], STANDARD)["S3"].scored == 0
    )
    assert queries._figures(league.season_id, week_row(league, 2), STANDARD)["RB"] == first


def test_the_projection_moves_with_the_play_and_ends_with_the_points(league: League) -> None:
    before = of(league, "H3")
    ingest_and_refresh(messages(DRIVE, "g3"))
    after = of(league, "H3")
    # A run of 10 yards; 860 seconds of the first quarter are left, 3560 of 3600.
    share = 3_560 / 3_600
    assert (after.scored, after.games_left) == (1_000, share)
    assert after.points == pytest.approx(1_000 + before.points * share, abs=1)
    whistle: list[ev.Body] = [ev.GameEnded(), ev.Final(home_score=7, away_score=0)]
    ingest_and_refresh(messages(whistle, "g3", first=12))
    assert of(league, "H3") == Projection(1_000, 1_000, 0.0, 0.0, takes_part=True)
    assert of(league, "S3") == Projection(0, 0, 0.0, 0.0, takes_part=False)


def test_nothing_is_expected_of_the_injured_or_without_a_game(league: League) -> None:
    db.session.add(
        FootballerSeason(
            season_id=league.season_id,
            footballer_id="H3",
            position="RB",
            price=50,
            start_price=50,
            status="injured",
        )
    )
    db.session.commit()
    assert of(league, "H3") == Projection(0, 0, 0.0, 0.0, takes_part=False)


def test_any_number_of_players_is_one_query(league: League) -> None:
    gameweek = week_row(league, 3)
    projected_points(league.season_id, gameweek, ["H1"], STANDARD)  # caches the positions' figures
    statements: list[str] = []

    def note(*arguments: object) -> None:
        statements.append(str(arguments[2]))

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        players = [f"{club}{number}" for club in "HS" for number in (1, 2, 3, 9)]
        loaded = projected_points(league.season_id, gameweek, [*players, "nobody"], STANDARD)
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    assert loaded.keys() == set(players)
    assert len(statements) == 1


def test_a_matchup_has_projected_points_and_a_chance_that_ends_as_the_result(
    league: League,
) -> None:
    gameweek, row = week_row(league, 3), row_of(league)
    ann, bob = db.session.scalars(
        db.select(LeagueMember.member_id).order_by(LeagueMember.member_id)
    ).all()
    (outlook,) = matchup_outlooks(row, gameweek, [(ann, bob)])
    assert outlook is not None
    assert outlook.first == 2 * of(league, "H3").points
    assert outlook.second == of(league, "H2").points
    assert 0 < outlook.chance < 1
    (turned,) = matchup_outlooks(row, gameweek, [(bob, ann)])
    assert turned is not None
    assert turned.chance == pytest.approx(1 - outlook.chance)

    whistle: list[ev.Body] = [ev.GameEnded(), ev.Final(home_score=7, away_score=0)]
    ingest_and_refresh(messages([*DRIVE, *whistle], "g3"))
    (final,) = matchup_outlooks(row, gameweek, [(ann, bob)])
    assert final is not None
    # 10 yards twice against 65 yards and a touchdown.
    assert (final.first, final.second, final.chance) == (2_000, 12_500, 0.0)


def test_the_chance_has_a_line_over_all_plays_that_ends_where_it_is_now(league: League) -> None:
    gameweek, row = week_row(league, 3), row_of(league)
    ann, bob = db.session.scalars(
        db.select(LeagueMember.member_id).order_by(LeagueMember.member_id)
    ).all()

    def outlook() -> Outlook:
        (expected,) = matchup_outlooks(row, gameweek, [(ann, bob)])
        assert expected is not None
        return expected

    before = outlook()
    assert load_chance_line(row, before, (ann, bob)) is None, "nothing is played"
    ingest_and_refresh(timed_messages(DRIVE, "g3"))
    line = load_chance_line(row, outlook(), (ann, bob))
    assert line is not None
    assert line.start == pytest.approx(before.chance)
    # The run of Ann's captain, then the catch and the touchdown of Bob's receiver.
    run, catch = line.plays
    assert catch.chance < run.chance
    assert (catch.chance, line.now) == (outlook().chance, outlook().chance)

    whistle: list[ev.Body] = [ev.GameEnded(), ev.Final(home_score=7, away_score=0)]
    ingest_and_refresh(timed_messages([*DRIVE, *whistle], "g3"))
    final = load_chance_line(row, outlook(), (ann, bob))
    assert final is not None
    assert final.now == 0.0
    (turned,) = matchup_outlooks(row, gameweek, [(bob, ann)])
    assert turned is not None
    mirrored = load_chance_line(row, turned, (bob, ann))
    assert mirrored is not None
    assert mirrored.chances == pytest.approx([1 - chance for chance in final.chances])


def test_a_play_that_is_called_back_is_a_step_back_of_the_line(league: League) -> None:
    gameweek, row = week_row(league, 3), row_of(league)
    ann, bob = db.session.scalars(
        db.select(LeagueMember.member_id).order_by(LeagueMember.member_id)
    ).all()
    ingest_and_refresh(timed_messages(DRIVE, "g3"))
    ingest_and_refresh(timed_messages(NULLIFIED_DRIVE, "g3"))
    (outlook,) = matchup_outlooks(row, gameweek, [(ann, bob)])
    assert outlook is not None
    line = load_chance_line(row, outlook, (ann, bob))
    assert line is not None
    run, catch, called_back = line.plays
    assert catch.chance < run.chance
    assert called_back.chance > catch.chance
    assert called_back.play_number == catch.play_number


def test_against_the_average_everybody_counts_and_a_member_without_a_sheet_has_nothing(
    league: League, member: Callable[..., Member]
) -> None:
    cat, gameweek = member("cat"), week_row(league, 3)
    db.session.add(LeagueMember(league_id=league.id, member_id=cat.id, team_name="Cat FC"))
    db.session.add(
        Matchup(league_id=league.id, gameweek_id=gameweek.id, home_id=cat.id, away_id=None)
    )
    db.session.commit()
    (outlook,) = matchup_outlooks(row_of(league), gameweek, [(cat.id, None)])
    assert outlook is not None
    assert outlook.first == 0
    assert outlook.second * 3 == 2 * of(league, "H3").points + of(league, "H2").points
    assert outlook.chance < 0.5
    assert projected_sheets(row_of(league), gameweek, [cat.id]).teams == {}
