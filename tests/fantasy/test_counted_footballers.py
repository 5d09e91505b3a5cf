"""A play re-totals only the team sheets whose footballers now count differently."""

from __future__ import annotations

from sqlalchemy import select, text

from app.core.db import db
from app.fantasy.engine import footballers
from app.fantasy.engine.footballers import SheetTerms
from app.fantasy.gameweeks import after_deadline
from app.fantasy.gameweeks.live import refresh_game, refresh_gameweek
from app.fantasy.market.formats import FORMATS
from app.fantasy.market.models import FootballerSeason, Gameweek
from app.fantasy.sheets.models import TeamSheet
from app.fantasy.standings import queries
from app.fantasy.standings.live_scores import live_scores
from app.fantasy.standings.models import League
from app.record import events as ev
from tests.worlds.games import DRIVE, KICKOFF, NOW, ingest, ingest_and_refresh, messages
from tests.worlds.leagues import make_league, make_sheet


def changed(league: League) -> list[str] | None:
    roster_format = FORMATS["nfl-classic"]
    terms = SheetTerms(1, league.season_id, league.team_rules_id, roster_format, True, "standard")
    changed_footballers = footballers.note(terms)
    db.session.commit()
    return changed_footballers


def points_of_sheets(league: League) -> dict[int, int]:
    """By member, as they are shown."""
    scores = live_scores([league.id])
    return {
        score.member_id: score.sheet_points for score in scores if score.sheet_points is not None
    }


def table_version(league: League) -> int:
    return queries.table_version(league.id, 1).version


def test_a_sheet_that_is_written_after_the_lock_counts(league: League) -> None:
    """The server received it before the deadline, and was busy."""
    db.session.get_one(Gameweek, 1).locked_at = KICKOFF
    db.session.commit()
    ingest_and_refresh(messages(DRIVE))
    bob = db.session.scalars(select(TeamSheet).where(TeamSheet.member_id == 2)).one()
    bob.picks = ["H1", *bob.picks[1:]]
    db.session.commit()
    assert points_of_sheets(league)[2] == 6_600


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


def test_a_play_raises_the_versions_of_leagues_with_its_footballers_and_no_others(
    league: League,
) -> None:
    ingest_and_refresh(messages(DRIVE))
    other = make_league(2, {2: "Bobs"}, slug="other")
    db.session.commit()
    refresh_gameweek(1, NOW)
    versions = table_version(league), table_version(other)
    before = points_of_sheets(league)
    bodies: list[ev.Body] = [
        ev.Snap(possession="HRB", spot=30, period=1, clock=700, down=1, distance=10),
        ev.Run(team="HRB", player="H3", kind="rush", start_yard=30, end_yard=40),
    ]
    ingest_and_refresh(messages(bodies, first=1 + len(DRIVE), play=2))
    assert points_of_sheets(league) == {**before, 1: before[1] + 1_000}, "ann owns the runner"
    assert (table_version(league), table_version(other)) == (versions[0] + 1, versions[1])


def test_a_sheet_that_is_written_late_raises_the_versions_of_its_leagues(
    league: League,
) -> None:
    ingest_and_refresh(messages(DRIVE))
    other = make_league(1, {1: "Anns"}, slug="other")
    db.session.commit()
    refresh_gameweek(1, NOW)
    versions = table_version(league), table_version(other)
    bob = db.session.scalars(select(TeamSheet).where(TeamSheet.member_id == 2)).one()
    bob.picks = ["H1", *bob.picks[1:]]
    db.session.commit()
    assert (table_version(league), table_version(other)) == (versions[0] + 1, versions[1])
    refresh_game("g1", NOW)
    assert (table_version(league), table_version(other)) == (versions[0] + 1, versions[1])


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
    assert 3 in points_of_sheets(league)


def test_a_gameweek_that_is_locked_after_its_first_play_keeps_its_points(league: League) -> None:
    """The job that locks it comes some seconds after the deadline."""
    ingest_and_refresh(messages(DRIVE))
    before = points_of_sheets(league)
    assert after_deadline.lock_gameweek(1, NOW) is not None
    assert points_of_sheets(league) == before
