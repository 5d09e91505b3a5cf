"""A play re-totals only the team sheets whose footballers now count differently."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, text

from app.core.db import db
from app.fantasy.engine import footballers, write_policy
from app.fantasy.engine.footballers import SheetTerms
from app.fantasy.gameweeks import after_deadline, catching_up
from app.fantasy.gameweeks.live import refresh_game, refresh_gameweek
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import FootballerSeason, Gameweek, TeamRules
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings.models import League
from app.record import events as ev
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest, ingest_and_refresh, messages
from tests.worlds.leagues import make_sheet


def changed(league: League) -> list[str] | None:
    roster_format = FORMATS["nfl-classic"]
    terms = SheetTerms(1, league.season_id, league.team_rules_id, roster_format, True, "standard")
    changed_footballers = footballers.note(terms)
    db.session.commit()
    return changed_footballers


def points_of_sheets() -> dict[int, int]:
    """By member, of the sheets that were added up."""
    statement = (
        "SELECT s.member_id, p.points FROM sheet_points p JOIN team_sheets s ON s.id = "
        "p.team_sheet_id"
    )
    return dict(db.session.execute(text(statement)).all())


def spoil(*members: int) -> None:
    """Gives their sheets points that no refresh gave: whoever is added up again loses them."""
    db.session.execute(
        text("""
            UPDATE sheet_points p SET points = 99 FROM team_sheets s
            WHERE s.id = p.team_sheet_id AND s.member_id = ANY(:members)
        """),
        {"members": list(members)},
    )
    db.session.commit()


@pytest.mark.parametrize(
    "sheets_written", [0, write_policy.SHEETS_WRITTEN], ids=["deferred", "after each play"]
)
def test_a_sheet_that_is_written_after_the_lock_counts_from_the_next_play(
    league: League, monkeypatch: pytest.MonkeyPatch, sheets_written: int
) -> None:
    """The server received it before the deadline, and was busy."""
    monkeypatch.setattr(write_policy, "SHEETS_WRITTEN", sheets_written)
    db.session.get_one(Gameweek, 1).locked_at = KICKOFF
    db.session.commit()
    ingest_and_refresh(messages(DRIVE))
    bob = db.session.scalars(select(TeamSheet).where(TeamSheet.member_id == 2)).one()
    bob.picks = ["H1", *bob.picks[1:]]
    db.session.commit()
    refresh_game("g1", NOW)
    catching_up.league(league.id, NOW)
    assert points_of_sheets()[2] == 6_600


def test_the_first_time_nobody_is_known_and_then_only_what_changed_is_named(league: League) -> None:
    ingest(messages(DRIVE[:6]))
    assert changed(league) is None
    assert changed(league) == []
    ingest(messages(DRIVE[6:], first=7, play=1))
    named = changed(league)
    assert named, "the touchdown gave somebody points"
    everybody = set(
        db.session.scalars(text("SELECT player_id FROM player_points WHERE rules = 'standard'"))
    )
    assert set(named) <= everybody
    assert changed(league) == []


def test_whoever_lost_his_last_point_is_named(league: League) -> None:
    ingest(messages(DRIVE))
    changed(league)
    db.session.execute(text("DELETE FROM player_points WHERE player_id = 'H2'"))
    assert changed(league) == ["H2"]


def test_the_end_of_a_game_names_those_alone_who_did_not_play(league: League) -> None:
    ingest(messages(DRIVE))
    changed(league)
    ingest(messages([ev.GameEnded()], first=1 + len(DRIVE), play=2))
    named = set(changed(league) or [])
    played = set(
        db.session.scalars(text("SELECT player_id FROM player_points WHERE rules = 'standard'"))
    )
    clubs = text(
        "SELECT f.id FROM footballers f JOIN games g ON f.club_id IN (g.home_id, g.away_id)"
    )
    assert named == set(db.session.scalars(clubs)) - played


def test_a_new_position_is_a_change(league: League) -> None:
    ingest(messages(DRIVE))
    changed(league)
    db.session.add(
        FootballerSeason(
            season_id=league.season_id, footballer_id="H3", position="QB", price=50, start_price=50
        )
    )
    db.session.flush()
    assert changed(league) == ["H3"]


def test_a_play_adds_up_the_sheets_of_its_footballers_and_no_other(league: League) -> None:
    ingest_and_refresh(messages(DRIVE))
    before = points_of_sheets()
    spoil(*before)
    bodies: list[ev.Body] = [
        ev.Snap(possession="HRB", spot=30, period=1, clock=700, down=1, distance=10),
        ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=40),
    ]
    ingest_and_refresh(messages(bodies, first=1 + len(DRIVE), play=2))
    after = points_of_sheets()
    assert after[1] == before[1] + 1_000, "ann owns the runner"
    assert after[2] == 99, "bob owns nobody of that play"
    refresh_gameweek(1, NOW)
    assert points_of_sheets() == {**before, 1: before[1] + 1_000}


def test_sheets_that_may_change_after_the_deadline_are_looked_at_though_nobody_in_them_moved(
    league: League,
) -> None:
    ingest_and_refresh(messages(DRIVE))
    before = points_of_sheets()
    spoil(2)
    refresh_game("g1", NOW)
    assert points_of_sheets()[2] == 99, "his sheet was locked"
    db.session.get_one(TeamRules, league.team_rules_id).lock = "game"
    db.session.execute(
        text("UPDATE gameweeks SET deadline = :early"), {"early": KICKOFF - timedelta(hours=2)}
    )
    db.session.commit()
    refresh_game("g1", NOW)
    assert points_of_sheets() == before


def test_sheets_that_the_deadline_made_are_added_up_though_their_refresh_was_killed(
    league: League,
) -> None:
    """`lock_due` refreshes after it has locked; killed in between, the next play has to do it."""
    ingest_and_refresh(messages(DRIVE[:6]))
    db.session.commit()
    assert after_deadline.lock_gameweek(1, NOW) is not None
    make_sheet(3, league, ["H2"])  # as if carried over
    db.session.commit()
    refresh_game("g1", NOW)
    assert 3 in points_of_sheets()
