"""The demo season as it is seeded.

Leagues, team sheets, market, a gameweek to pick a team for, a tournament.

It is seeded once for all tests of this module. None of them changes what another one looks at.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy import func, select

from app.accounts import services as accounts
from app.accounts.models import Member
from app.accounts.players import player_of
from app.core import clock
from app.core.db import db
from app.demo import seed, seed_tournament
from app.demo.next_gameweek import due_steps
from app.draft_leagues import league_clock
from app.draft_leagues.setup.services import settings_for
from app.draft_leagues.trades.models import Trade
from app.draft_leagues.waivers.models import WaiverClaim
from app.draft_leagues.waivers.times import runs_after
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, SheetDeadline
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, LeagueMember, Matchup
from app.predictions import guesses, pools
from app.predictions.entries import NewGuess
from app.predictions.models import Guess, Match, Pool, Round, Tournament, TournamentPoints
from app.predictions.pages import queries
from app.predictions.pages.queries import OwnGuess
from app.record.models import Game
from tests.conftest import emptied
from tests.demo.seeding import enter_nothing, register_without_hash, rows

MADE = (
    TeamSheet,
    League,
    Gameweek,
    FootballerSeason,
    Matchup,
    Match,
    Guess,
    TournamentPoints,
    Pool,
)


@pytest.fixture(scope="module", autouse=True)
def app(_migrated: Flask) -> Iterator[Flask]:
    with emptied(_migrated) as app, pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "register", register_without_hash)
        assert seed.seed_demo(enter_nothing)
        yield app


def test_the_visitor_has_an_offer_to_answer_and_a_claim_before_the_next_deadline() -> None:
    league = db.session.scalars(select(League).where(League.slug == "second-edition")).one()
    league_clock.settle(league.id, clock.now())
    offer = db.session.scalars(select(Trade).where(Trade.league_id == league.id)).one()
    assert (offer.status, 1 in offer.franchises, offer.franchise != 1) == ("offered", True, True)
    claim = db.session.scalars(select(WaiverClaim).where(WaiverClaim.league_id == league.id)).one()
    assert (claim.franchise, claim.run_id, claim.result) == (1, None, None)
    settings = settings_for(league.id)
    run_at = next(runs_after(settings.waivers, settings.time_zone, clock.now()))
    next_deadline = db.session.scalars(
        select(Gameweek.deadline).where(Gameweek.deadline > clock.now()).order_by(Gameweek.deadline)
    ).first()
    assert next_deadline is not None
    assert run_at < next_deadline


def test_twelve_members_have_full_sheets_in_three_leagues_and_one_saves_the_open_gameweek() -> None:
    leagues = {league.slug: league for league in db.session.scalars(select(League))}
    assert leagues.keys() == {
        "the-press-row",
        "front-page-derby",
        f"demo-{clock.now().year}-overall",
        "second-edition",
    }
    draft_league = leagues.pop("second-edition")
    assert draft_league.game == "draft"
    assert leagues["front-page-derby"].mode == "head_to_head"
    for league in leagues.values():
        assert (
            len(
                db.session.scalars(
                    select(LeagueMember).where(LeagueMember.league_id == league.id)
                ).all()
            )
            == 12
        )
    line_ups = select(TeamSheet).where(TeamSheet.team_rules_id == draft_league.team_rules_id)
    assert len(db.session.scalars(line_ups).all()) == 3 * 6
    team_sheets = db.session.scalars(
        select(TeamSheet).where(TeamSheet.team_rules_id != draft_league.team_rules_id)
    ).all()
    assert len(team_sheets) == 3 * 12
    for sheet in team_sheets:
        assert len(sheet.picks) == 13
        assert all(sheet.picks)
        assert 0 <= sheet.bank < 1000
    assert any(sheet.is_carried for sheet in team_sheets)
    assert any(sheet.transfers for sheet in team_sheets)
    locked = select(Matchup).join(Gameweek).where(Gameweek.locked_at.is_not(None))
    assert len(db.session.scalars(locked).all()) == 3 * (6 + 3)
    # people and D/ST of each club
    assert len(db.session.scalars(select(FootballerSeason)).all()) == 8 * (32 + 1)

    rules_id = leagues["the-press-row"].team_rules_id
    gameweek = db.session.scalars(
        select(Gameweek)
        .join(SheetDeadline, SheetDeadline.gameweek_id == Gameweek.id)
        .where(SheetDeadline.team_rules_id == rules_id, SheetDeadline.locks_at > clock.now())
    ).one()
    assert gameweek.week == 4
    member = accounts.find_member("member")
    assert member is not None
    last = sheets.sheet_for(member.id, rules_id, gameweek)
    assert last is not None
    assert last.saved_at is None
    draft = sheets.Draft(last.picks, last.vice_captain, last.captain)
    saved = sheets.save(member.id, rules_id, gameweek.id, draft, clock.now())
    assert isinstance(saved, sheets.Saved), saved


def test_the_season_goes_by_the_real_clock() -> None:
    season = db.session.scalars(select(Season)).one()
    assert (season.competition, season.is_simulated) == ("demo", False)
    locked = dict(db.session.execute(select(Gameweek.week, Gameweek.locked_at.is_not(None))).all())
    assert locked == {1: True, 2: True, 3: True, 4: False}


def test_games_are_played_from_their_kickoff_on() -> None:
    begun = {game.game_id for game in due_steps(clock.now(), 1.0)}
    assert begun == set(db.session.scalars(select(Game.id).where(Game.kickoff <= clock.now())))
    assert len(begun) == 11
    assert due_steps(clock.now(), 1.0, left=begun) == []


def test_seeding_again_changes_nothing() -> None:
    before = [rows(model) for model in MADE]
    assert not seed.seed_demo(enter_nothing)
    assert [rows(model) for model in MADE] == before


def tournament(game: str = seed_tournament.SCORES) -> Tournament:
    db.session.expire_all()
    return db.session.scalars(select(Tournament).where(Tournament.name.endswith(game))).one()


def guesses_of(game: str, slug: str) -> int:
    query = select(func.count()).select_from(Guess).join(Match, Match.id == Guess.match_id)
    query = query.join(Round, Round.id == Match.round_id)
    asked = (Match.tournament_id == tournament(game).id, Round.slug == slug)
    return db.session.scalar(query.where(*asked)) or 0


@pytest.mark.parametrize(
    ("game", "least"), [("guess the scores", 20), ("confidence", 20), ("survivor", 4)]
)
def test_every_week_that_has_begun_is_guessed_and_the_clock_is_the_real_one(
    game: str, least: int
) -> None:
    assert (tournament(game).is_simulated, tournament(game).is_active) == (False, True)
    weeks = [guesses_of(game, f"week-{week}") >= least for week in (1, 2, 3, 4)]
    assert weeks == [True, True, True, False]
    members = select(TournamentPoints).filter_by(tournament_id=tournament(game).id)
    assert len(db.session.scalars(members).all()) == 12


def test_the_demo_has_one_pool() -> None:
    pool = db.session.scalars(select(Pool)).one()
    assert pools.size(pool.id) == 6


def test_the_visitor_has_one_guess_to_make_and_may_make_it() -> None:
    visitor = player_of(db.session.scalars(select(Member).where(Member.username == "member")).one())
    mine = queries.guesses_in(db.session.scalars(select(Match.id)).all(), visitor.id)
    now = clock.now()
    open_now = db.session.scalars(
        select(Match)
        .join(Round)
        .where(
            Round.slug == "week-3",
            Match.kickoff > now,
            Match.tournament_id == tournament().id,
        )
    ).all()
    (to_guess,) = [match for match in open_now if match.id not in mine]
    assert guesses.save(tournament().id, visitor.id, [NewGuess(to_guess.id, 20, 17)], now) == []
    assert queries.guesses_in([to_guess.id], visitor.id) == {to_guess.id: OwnGuess(20, 17)}
