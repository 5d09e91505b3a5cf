"""A commissioner sets line-ups of gameweeks that have begun, and of the open one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import or_, select
from sqlalchemy.exc import DBAPIError

from app.core.db import db
from app.draft_leagues.commissioner import lineups
from app.draft_leagues.commissioner.lineup_rules import NO_CHANGE, corrected, refusals
from app.draft_leagues.commissioner.lineups import Act, ChangedGame, Correction, Preview
from app.draft_leagues.commissioner.services import REASON
from app.draft_leagues.season.queries import load_season
from app.fantasy.gameweeks import live
from app.fantasy.gameweeks.after_deadline import lock_gameweek
from app.fantasy.leagues.models import ScoreAdjustment
from app.fantasy.market.formats import format_named
from app.fantasy.market.models import Gameweek
from app.fantasy.notices.models import Notice
from app.fantasy.rosters.queries import names_of, transactions_of
from app.fantasy.scoring.points import store_points_of
from app.fantasy.scoring.rulebook import rules_named
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.sheets.transfers import Draft
from app.record.models import Footballer, Game, GameState, StatLine
from tests.worlds.draft_leagues import DRAFTED, DraftWorld

RUNNER, BENCH = 1, 9


@pytest.fixture
def benched(drafted: DraftWorld) -> str:
    """A runner whom franchise 1 left on the bench in the first gameweek, where he earned 10 points.

    Its opponent has 5 points, and the gameweek is settled.
    """
    picks = drafted.lineup(1)
    runner = picks[RUNNER]
    picks[RUNNER], picks[BENCH] = "", runner
    gameweek = drafted.gameweek(1)
    saved = sheets.save(
        drafted.members[0],
        drafted.league.team_rules_id,
        gameweek.id,
        Draft(tuple(picks), 0, 0),
        DRAFTED,
    )
    assert isinstance(saved, sheets.Saved)
    lock_gameweek(gameweek.id, gameweek.deadline)
    _run(drafted, runner, yards=100)
    _settle(drafted)
    return runner


def _run(world: DraftWorld, runner: str, yards: int) -> None:
    club = db.session.get_one(Footballer, runner).club_id
    game = db.session.scalars(
        select(Game).where(Game.week == 1, or_(Game.home_id == club, Game.away_id == club))
    ).one()
    db.session.add_all(
        [
            GameState(
                game_id=game.id,
                status="final",
                home_score=7,
                away_score=3,
                state={},
                version=1,
                updated_at=game.kickoff,
            ),
            StatLine(
                game_id=game.id,
                player_id=runner,
                team=club,
                stats={"rushing_yards": yards, "carries": 9},
                held={},
            ),
        ]
    )
    db.session.flush()
    store_points_of([game.id], rules_named(world.settings.scoring))
    db.session.commit()


def opponent(world: DraftWorld) -> int:
    pairs = load_season(world.league.id).pairs[world.gameweek(1).id]
    [other] = [({*pair} - {1}).pop() for pair in pairs if 1 in pair]
    assert other is not None
    return other


def _settle(world: DraftWorld) -> None:
    now = world.gameweek(1).deadline + timedelta(days=3)
    db.session.add(
        ScoreAdjustment(
            league_id=world.league.id,
            member_id=world.members[opponent(world) - 1],
            gameweek_id=world.gameweek(1).id,
            points=5000,
            reason="Played",
            by_id=world.members[0],
            created_at=now,
        )
    )
    db.session.get_one(Gameweek, world.gameweek(1).id).settled_at = now
    db.session.commit()
    live.refresh_league(world.league.id, now)


def correction(world: DraftWorld, runner: str) -> Correction:
    starters = world.lineup(1)[:BENCH]
    starters[RUNNER] = runner
    return Correction(1, 1, tuple(starters))


def test_the_preview_is_what_happens_and_writes_nothing(drafted: DraftWorld, benched: str) -> None:
    league, other, now = drafted.league, opponent(drafted), DRAFTED + timedelta(days=9)
    new = correction(drafted, benched)
    stored, table = drafted.lineup(1), load_season(league.id).table
    preview = lineups.preview(league, new, now)
    assert isinstance(preview, Preview)
    assert preview.words == f"{names_of([benched])[benched]} starts."
    assert preview.points == (0, 10_000)
    [game] = preview.games
    is_home = game.home == 1
    assert game == ChangedGame(
        *(
            (1, other, (0, 5000), (10_000, 5000))
            if is_home
            else (other, 1, (5000, 0), (5000, 10_000))
        )
    )
    first = next(place for place in preview.places if place.before.franchise == 1)
    assert (first.before.record.losses, first.after.record.wins) == (1, 1)
    assert (drafted.lineup(1), load_season(league.id).table) == (stored, table)

    act = Act(drafted.members[0], "Ann asked in time", version_seen=lineup_version(drafted))
    assert lineups.correct(league, new, act, now) == []
    after = load_season(league.id)
    assert after.points[drafted.gameweek(1).id][1] == 10_000
    places = {place.franchise: place for place in after.table}
    for moved in preview.places:
        assert places[moved.after.franchise] == moved.after
    assert drafted.lineup(1)[RUNNER] == benched
    last = transactions_of(league.id)[-1].transaction
    assert (last.kind, last.by_member_id) == ("commissioner", drafted.members[0])
    assert last.reason.endswith("starts. Ann asked in time")
    notices = db.session.scalars(select(Notice).where(Notice.key.startswith("lineup:"))).all()
    assert {notice.member_id for notice in notices} == {*drafted.members}
    assert lineups.correct(league, new, act, now) == [lineups.SEEN]


def lineup_version(world: DraftWorld) -> int:
    lineup = lineups.stored_lineup(world.league, 1, 1, DRAFTED + timedelta(days=9))
    assert isinstance(lineup, lineups.StoredLineup)
    return lineup.version


def test_what_cannot_be_corrected_is_refused(drafted: DraftWorld, benched: str) -> None:
    league, now = drafted.league, DRAFTED + timedelta(days=9)
    new = correction(drafted, benched)
    no_reason = Act(drafted.members[0], " ", lineup_version(drafted))
    assert lineups.correct(league, new, no_reason, now) == [REASON]
    assert lineups.preview(league, Correction(1, 3, new.starters), now) == [lineups.GAMEWEEK]
    same = Correction(1, 1, tuple(drafted.lineup(1)[:BENCH]))
    assert lineups.preview(league, same, now) == [NO_CHANGE]
    rival = drafted.lineup(2)[RUNNER]
    stranger = lineups.preview(league, correction(drafted, rival), now)
    assert isinstance(stranger, list)
    assert "was not on the team when the week locked" in stranger[0].text


def test_nobody_else_changes_a_locked_lineup(drafted: DraftWorld, benched: str) -> None:
    sheet = db.session.scalars(
        select(TeamSheet).where(
            TeamSheet.gameweek_id == drafted.gameweek(1).id,
            TeamSheet.member_id == drafted.members[0],
        )
    ).one()
    sheet.picks = ["", *sheet.picks[1:]]
    with pytest.raises(DBAPIError, match="has begun"):
        db.session.flush()
    db.session.rollback()


def test_rules_of_a_correction() -> None:
    team_format = format_named("draft:QB1,RB1,BN2")
    stored = ("q1", "r1", "q2", "")
    eligible = {"q1": "QB", "q2": "QB", "r1": "RB", "r2": "RB"}
    names = {"q1": "Quinn", "q2": "Quade", "r1": "Ray", "r2": "Rex"}

    def texts(*starters: str) -> list[str]:
        return [each.text for each in refusals(team_format, starters, stored, eligible, names)]

    assert texts("q2", "r2") == []
    assert texts("", "r1") == []
    assert texts("q1") == ["The lineup slots have changed. Set the lineup again."]
    assert texts("r1", "r1") == [
        "Ray plays RB: QB takes QB.",
        "Ray starts twice. Choose another player for RB.",
    ]
    # Whoever came after the bench was full leaves the line-up last.
    assert corrected(team_format, ("q2", "r2"), stored) == ("q2", "r2", "q1", "r1")
    assert corrected(team_format, ("", "r1"), ("q1", "r1", "q2", "r2")) == ("", "r1", "q2", "r2")


def test_an_open_lineup_is_set_for_somebody_and_stays_secret(drafted: DraftWorld) -> None:
    lineup = lineups.stored_lineup(drafted.league, 2, 1, DRAFTED)
    assert isinstance(lineup, lineups.StoredLineup)
    assert lineup.is_open
    starters = ["", *lineup.stored[1 : len(lineup.team_format.starters)]]
    version, benched = lineup.version, lineup.names[lineup.stored[0]]
    db.session.rollback()
    correction = Correction(2, 1, tuple(starters))
    preview = lineups.preview(drafted.league, correction, DRAFTED)
    assert isinstance(preview, Preview)
    assert preview.points == (0, 0)
    act = Act(drafted.members[0], "Bob is on a boat.", version)
    assert lineups.correct(drafted.league, correction, act, DRAFTED) == []
    assert drafted.lineup(2)[0] == ""
    reason = transactions_of(drafted.league.id)[-1].transaction.reason
    assert reason == "Bob FC in Week 1: The lineup was set. Bob is on a boat."
    stored_notices = db.session.scalars(select(Notice).where(Notice.kind == "adjustment")).all()
    assert [notice.member_id for notice in stored_notices] == [drafted.members[1]]
    assert benched in stored_notices[0].body


def test_a_gameweek_that_is_not_open_yet_is_refused(drafted: DraftWorld) -> None:
    assert lineups.stored_lineup(drafted.league, 2, 2, DRAFTED) == lineups.GAMEWEEK
