"""The demo season in the database: leagues, team sheets, market, and a gameweek to pick a team for."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts import services as accounts
from app.accounts.models import Member
from app.core import clock
from app.core.db import db
from app.demo import seed, seed_teams
from app.demo.next_gameweek import games_to_play
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, SheetDeadline
from app.fantasy.sheets import services as sheets
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League, LeagueMember, Matchup
from tests.worlds.games import make_game


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accounts without the slow hash of the one password that they all have."""

    def register(username: str, display_name: str, password: str, roles: Collection[str]) -> Member:
        made = Member(username=username, display_name=display_name, password_hash="", roles=list(roles))
        db.session.add(made)
        db.session.commit()
        return made

    monkeypatch.setattr(accounts, "register", register)


def entered(game_id: str, steps: int) -> None:
    """The seeding enters games through the console's door; here they are left out."""


def rows(model: type) -> list[tuple[object, ...]]:
    db.session.expire_all()
    keys = model.__table__.columns
    return [tuple(row) for row in db.session.execute(select(*keys).order_by(*model.__table__.primary_key.columns))]


def test_twelve_members_have_full_sheets_in_three_leagues(app: Flask) -> None:
    assert seed.seed_demo(entered)
    leagues = {league.slug: league for league in db.session.scalars(select(League))}
    year = clock.now().year
    assert leagues.keys() == {"the-press-row", "front-page-derby", f"demo-{year}-overall"}
    assert leagues["front-page-derby"].mode == "head_to_head"
    for league in leagues.values():
        assert len(db.session.scalars(select(LeagueMember).where(LeagueMember.league_id == league.id)).all()) == 12
    found = db.session.scalars(select(TeamSheet)).all()
    assert len(found) == 3 * 12
    for sheet in found:
        assert len(sheet.picks) == 13
        assert all(sheet.picks)
        assert 0 <= sheet.bank < 1000
    assert any(sheet.is_carried for sheet in found)
    assert any(sheet.transfers for sheet in found)
    assert len(db.session.scalars(select(Matchup)).all()) == 3 * 6
    assert len(db.session.scalars(select(FootballerSeason)).all()) == 8 * (32 + 1)  # people and D/ST of each club


def test_the_next_gameweek_is_open_and_a_team_can_be_saved_for_it(app: Flask) -> None:
    seed.seed_demo(entered)
    league = db.session.scalars(select(League).where(League.slug == "the-press-row")).one()
    gameweek = db.session.scalars(
        select(Gameweek)
        .join(SheetDeadline, SheetDeadline.gameweek_id == Gameweek.id)
        .where(SheetDeadline.team_rules_id == league.team_rules_id, SheetDeadline.locks_at > clock.now())
    ).one()
    assert gameweek.week == 4
    member = accounts.find_member("member")
    assert member is not None
    last = sheets.sheet_for(member.id, league.team_rules_id, gameweek)
    assert last is not None
    assert last.saved_at is None
    wanted = sheets.Wanted(last.picks, last.vice_captain, last.captain)
    done = sheets.save(member.id, league.team_rules_id, gameweek.id, wanted, clock.now())
    assert isinstance(done, sheets.Saved), done


def test_the_season_goes_by_the_real_clock_once_it_is_made(app: Flask) -> None:
    seed.seed_demo(entered)
    season = db.session.scalars(select(Season)).one()
    assert (season.competition, season.is_simulated) == ("demo", False)
    locked = dict(db.session.execute(select(Gameweek.week, Gameweek.locked_at.is_not(None))).all())
    assert locked == {1: True, 2: True, 3: True, 4: False}


def test_seeding_again_changes_nothing(app: Flask) -> None:
    seed.seed_demo(entered)
    before = [rows(model) for model in (TeamSheet, League, Gameweek, FootballerSeason, Matchup)]
    assert not seed.seed_demo(entered)
    assert [rows(model) for model in (TeamSheet, League, Gameweek, FootballerSeason, Matchup)] == before


def test_a_seeding_that_was_cut_short_goes_on_where_it_was(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = iter(range(100))

    def save(*args: object) -> None:
        if next(saved) == 17:
            raise KeyboardInterrupt
        as_it_is(*args)

    as_it_is = seed_teams._save
    monkeypatch.setattr(seed_teams, "_save", save)
    with pytest.raises(KeyboardInterrupt):
        seed.seed_demo(entered)
    deadlines = rows(Gameweek)
    later = clock.now() + timedelta(minutes=7)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert seed.seed_demo(entered)
    assert [row[:8] for row in rows(Gameweek)] == [row[:8] for row in deadlines]
    assert len(db.session.scalars(select(TeamSheet)).all()) == 3 * 12


def test_games_of_gameweeks_to_come_are_not_played_yet(app: Flask) -> None:
    seed.seed_demo(entered)
    begun = games_to_play(clock.now())
    year = clock.now().year
    assert len(begun) == 11
    assert games_to_play(clock.now(), begun) == [f"demo-{year}-03-PRX-ASH"]
    assert games_to_play(clock.now(), [*begun, f"demo-{year}-03-PRX-ASH"]) == []


def test_the_demo_of_an_earlier_version_stays_as_it_is(app: Flask) -> None:
    make_game("demo-2025-1-SUM-HRB")
    assert not seed.seed_demo(entered)
    assert db.session.scalars(select(League)).all() == []
