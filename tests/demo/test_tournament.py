"""The demo's tournament: guessed by its members, with something left to guess for the visitor."""

from __future__ import annotations

from flask import Flask
from sqlalchemy import func, select

from app.accounts.models import Member
from app.accounts.players import player_of
from app.core import clock
from app.core.db import db
from app.demo import next_gameweek, seed
from app.fantasy.market.models import Season
from app.predictions import guesses, pools
from app.predictions.guesses import NewGuess
from app.predictions.models import Guess, Match, Pool, Round, Tournament, TournamentPoints
from app.predictions.pages import queries
from tests.demo.test_seed import _quick, entered, rows

__all__ = ["_quick"]


def tournament() -> Tournament:
    db.session.expire_all()
    return db.session.scalars(select(Tournament)).one()


def guessed(slug: str, match_id: object = None) -> int:
    query = select(func.count()).select_from(Guess).join(Match, Match.id == Guess.match_id)
    query = query.join(Round, Round.id == Match.round_id).where(Round.slug == slug)
    return db.session.scalar(query if match_id is None else query.where(Match.id == match_id)) or 0


def test_every_week_that_has_begun_is_guessed_and_the_clock_is_the_real_one(app: Flask) -> None:
    seed.seed_demo(entered)
    held = tournament()
    assert (held.is_simulated, held.is_active) == (False, True)
    assert [guessed(f"week-{week}") > 20 for week in (1, 2, 3, 4)] == [True, True, True, False]
    assert len(db.session.scalars(select(TournamentPoints)).all()) == 12
    pool = db.session.scalars(select(Pool)).one()
    assert pools.size(pool.id) == 6


def test_the_visitor_has_one_guess_to_make_and_may_make_it(app: Flask) -> None:
    seed.seed_demo(entered)
    visitor = player_of(db.session.scalars(select(Member).where(Member.username == "member")).one())
    mine = queries.guesses_in(db.session.scalars(select(Match.id)).all(), visitor.id)
    now = clock.now()
    open_now = db.session.scalars(select(Match).join(Round).where(Round.slug == "week-3", Match.kickoff > now)).all()
    (to_guess,) = [match for match in open_now if match.id not in mine]
    assert guesses.save(tournament().id, visitor.id, [NewGuess(to_guess.id, 20, 17)], now) == []
    assert queries.guesses_in([to_guess.id], visitor.id) == {to_guess.id: (20, 17)}


def test_making_it_again_changes_nothing(app: Flask) -> None:
    seed.seed_demo(entered)
    before = [rows(model) for model in (Match, Guess, TournamentPoints, Pool)]
    seed.seed_demo(entered)
    assert [rows(model) for model in (Match, Guess, TournamentPoints, Pool)] == before


def test_it_goes_with_its_season(app: Flask) -> None:
    seed.seed_demo(entered)
    season = db.session.scalars(select(Season)).one()
    next_gameweek.remove_season(season)
    for model in (Tournament, Match, Guess, TournamentPoints, Pool):
        assert db.session.scalars(select(model)).all() == []
