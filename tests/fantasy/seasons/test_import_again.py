"""What later files change.

Games that move or are gone, deadlines, clubs under other names, who was released.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from app.cli import games as commands
from app.core.db import db
from app.fantasy.market.models import FootballerSeason, Gameweek, SheetDeadline
from app.fantasy.season_setup.importing import (
    RosterImported,
    ScheduleImported,
    import_roster,
    import_schedule,
)
from app.fantasy.season_setup.matching import StoredGame, match_games
from app.fantasy.season_setup.rosters import read_roster
from app.fantasy.season_setup.schedule import Fixture, read_schedule
from app.record.models import Club, Footballer, Game, GameState
from tests.commands import use_here
from tests.worlds.season_files import written

HEADER = "game_id,season,game_type,week,gameday,gametime,away_team,home_team,old_game_id\n"
STORM = "2027_01_TB_MIA,2027,REG,1,2027-09-12,13:00,TB,MIA,2027091200\n"
LATE = "2027_01_DEN_NE,2027,REG,1,2027-09-12,16:25,DEN,NE,2027091201\n"
ELEVEN = "2027_11_DEN_TB,2027,REG,11,2027-11-21,16:25,DEN,TB,2027112100\n"
PLAYED_LATER = "2027_11_TB_MIA,2027,REG,11,2027-11-21,13:00,TB,MIA,2027112101\n"
BEFORE = HEADER + STORM + LATE + ELEVEN.replace("TB", "BUF")
AFTER = HEADER + LATE + ELEVEN.replace("TB", "BUF") + PLAYED_LATER
ROSTER_HEADER = "season,team,position,jersey_number,status,full_name,gsis_id\n"


def schedule(folder: Path, text: str, before: timedelta = timedelta()) -> ScheduleImported:
    (imported,) = import_schedule(read_schedule(written(folder, "games.csv", text)), before=before)
    return imported


def roster(folder: Path, rows: str, season: int = 2027) -> RosterImported:
    return import_roster(read_roster(written(folder, "roster.csv", ROSTER_HEADER + rows), season))


def deadline(week: int) -> datetime:
    db.session.expire_all()
    return db.session.scalars(select(Gameweek.deadline).where(Gameweek.week == week)).one()


def games() -> list[tuple[str, int]]:
    return [tuple(row) for row in db.session.execute(select(Game.id, Game.week).order_by(Game.id))]


def test_a_game_that_comes_under_another_id_and_gameweek_is_the_same_game(
    app: Flask, tmp_path: Path
) -> None:
    """A hurricane moved Tampa Bay at Miami of 2017 to week 11, and nflverse gave it a new id.

    The deadline is never after the first kickoff of a game that counts in the gameweek (PRODUCT
    G6).
    """
    schedule(tmp_path, BEFORE)
    assert deadline(1) == datetime(2027, 9, 12, 17, tzinfo=UTC)
    imported = schedule(tmp_path, AFTER)
    assert games() == [("2027_01_DEN_NE", 1), ("2027_01_TB_MIA", 11), ("2027_11_DEN_BUF", 11)]
    assert (imported.new, imported.left) == (0, ())
    assert [(moved.week_before, moved.week) for moved in imported.rescheduled] == [(1, 11)]
    assert deadline(1) == datetime(2027, 9, 12, 20, 25, tzinfo=UTC)
    assert deadline(11) == datetime(2027, 11, 21, 18, tzinfo=UTC)
    again = schedule(tmp_path, AFTER)
    assert (again.new, again.rescheduled, again.left) == (0, (), ())


@pytest.mark.parametrize("game_id", ["2027_01_TB_MIA", "2027_01_MIA_TB"])
def test_a_game_that_moves_to_the_other_clubs_stadium_is_the_same_game(
    app: Flask, tmp_path: Path, game_id: str
) -> None:
    """No club plays twice in a week (PRODUCT G6); nflverse's id names who is at home."""
    schedule(tmp_path, BEFORE)
    turned = STORM.replace("2027_01_TB_MIA", game_id).replace(
        "TB,MIA,2027091200", "MIA,TB,2027091209"
    )
    imported = schedule(tmp_path, BEFORE.replace(STORM, turned))
    assert (imported.new, imported.left) == (0, ())
    game = db.session.get_one(Game, "2027_01_TB_MIA")
    assert (game.home_id, game.away_id, game.week) == ("TB", "MIA", 1)
    assert len(games()) == 3


def test_a_game_that_left_the_file_stays_is_listed_and_holds_the_deadline(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path, BEFORE)
    imported = schedule(
        tmp_path, HEADER + LATE + ELEVEN.replace("TB", "BUF"), before=timedelta(minutes=90)
    )
    assert [game.id for game in imported.left] == ["2027_01_TB_MIA"]
    assert deadline(1) == datetime(2027, 9, 12, 15, 30, tzinfo=UTC), (
        "90 minutes before the kickoff at 13:00 Eastern"
    )
    locks = select(SheetDeadline.locks_at).join(Gameweek, Gameweek.id == SheetDeadline.gameweek_id)
    assert db.session.scalars(locks.where(Gameweek.week == 1)).all() == [deadline(1)]


def test_the_gameweek_that_a_game_leaves_gets_a_later_deadline_without_being_in_the_file(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path, BEFORE)
    schedule(tmp_path, HEADER + PLAYED_LATER)
    assert deadline(1) == datetime(2027, 9, 12, 20, 25, tzinfo=UTC)


def test_a_game_that_was_played_is_not_taken_for_another_one(app: Flask, tmp_path: Path) -> None:
    schedule(tmp_path, BEFORE)
    db.session.add(
        GameState(
            game_id="2027_01_TB_MIA",
            status="final",
            home_score=3,
            away_score=0,
            state={},
            version=1,
            updated_at=datetime(2027, 9, 13, tzinfo=UTC),
        )
    )
    db.session.commit()
    imported = schedule(tmp_path, AFTER)
    assert (imported.new, imported.left) == (1, ())
    assert ("2027_01_TB_MIA", 1) in games()


def test_a_rescheduled_game_is_a_moved_one_once_team_sheets_have_locked(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path, BEFORE)
    db.session.execute(
        update(Gameweek).where(Gameweek.week == 1).values(locked_at=Gameweek.deadline)
    )
    db.session.commit()
    schedule(tmp_path, AFTER)
    game = db.session.get_one(Game, "2027_01_TB_MIA", populate_existing=True)
    assert (game.week, game.planned_week) == (11, 1)
    assert deadline(1) == datetime(2027, 9, 12, 17, tzinfo=UTC), (
        "a gameweek that has locked keeps its deadline"
    )


CLUBS = ("BUF", "DEN", "MIA", "NE")
FIXTURES = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.sampled_from([(home, away) for home in CLUBS for away in CLUBS if home != away]),
    ),
    max_size=8,
    unique_by=lambda fixture: fixture[1],
)


def fixture(number: str, week: int, home: str, away: str) -> Fixture:
    return Fixture(
        number,
        None,
        2027,
        "REG",
        week,
        datetime(2027, 9, 5, tzinfo=UTC) + timedelta(weeks=week),
        home,
        away,
    )


@settings(deadline=None, max_examples=60)
@given(
    first=FIXTURES,
    weeks=st.lists(st.integers(1, 3), min_size=8, max_size=8),
    keeps=st.integers(0, 8),
)
def test_every_game_of_a_season_is_found_again_whatever_its_id_and_gameweek(
    first: list[tuple[int, tuple[str, str]]], weeks: list[int], keeps: int
) -> None:
    """Two clubs meet once at the same home in a season of the NFL.

    That is all that identifies a moved game.
    """
    stored = [
        StoredGame(
            f"old-{number}",
            "nfl",
            2027,
            "REG",
            week,
            home,
            away,
            None,
            None,
            "scheduled",
            is_late=False,
        )
        for number, (week, (home, away)) in enumerate(first)
    ]
    fixtures = [
        fixture(f"old-{number}" if number < keeps else f"new-{number}", week, home, away)
        for number, (week, (_, (home, away))) in enumerate(zip(weeks, first, strict=False))
    ]
    matches = match_games(fixtures, {club: club for club in CLUBS}, stored, meet_once=True)
    assert {fixture.id: matches[fixture.id].id for fixture in fixtures} == {
        fixture.id: f"old-{number}" for number, fixture in enumerate(fixtures)
    }


def test_clubs_that_meet_again_at_the_same_home_have_two_games() -> None:
    """In soccer a pair may meet twice at the same home, and files may hold a single gameweek."""
    stored = [
        StoredGame("a", "cup", 2027, "REG", 3, "ACC", "KUM", None, None, "scheduled", is_late=False)
    ]
    second = [Fixture("b", None, 2027, "REG", 9, datetime(2027, 9, 5, tzinfo=UTC), "ACC", "KUM")]
    clubs = {"ACC": "ACC", "KUM": "KUM", "TEM": "TEM"}
    assert match_games(second, clubs, stored, meet_once=False) == {}
    third = Fixture("c", None, 2027, "REG", 3, datetime(2027, 9, 5, tzinfo=UTC), "TEM", "KUM")
    assert match_games([*second, third], clubs, stored, meet_once=False) == {"b": stored[0]}


ARIZONA = HEADER + "2028_11_BUF_ARI,2028,REG,11,2028-11-21,13:00,BUF,ARI,2028112100\n"
KAY = "2028,AZ,QB,1,ACT,Kay Murph,00-0090001\n"
BILL = "2028,BUF,QB,2,ACT,Bill Bufford,00-0090002\n"


@pytest.mark.parametrize("schedule_first", [True, False])
def test_a_club_that_two_files_spell_differently_is_one_club(
    schedule_first: bool, app: Flask, tmp_path: Path
) -> None:
    """nflverse/nflverse-rosters, issue 98.

    Its rosters of 2026 say AZ where everything else says ARI.
    """
    imports = [lambda: schedule(tmp_path, ARIZONA), lambda: roster(tmp_path, KAY + BILL, 2028)]
    results = [imported() for imported in (imports if schedule_first else reversed(imports))]
    kay, game = (
        db.session.get_one(Footballer, "00-0090001"),
        db.session.get_one(Game, "2028_11_BUF_ARI"),
    )
    assert kay.club_id == game.home_id
    assert len(db.session.scalars(select(Club.id)).all()) == 2
    assert results[-1].unjoined.lines == []


def test_a_club_of_which_only_another_abbreviation_is_known_keeps_its_name(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path, ARIZONA)
    roster(tmp_path, KAY, 2028)
    assert db.session.get_one(Club, "ARI").name == "ARI"


def test_a_roster_finds_the_club_that_plays_in_the_season(app: Flask, tmp_path: Path) -> None:
    """Both names may be stored from earlier imports.

    The footballers belong to the one with games.
    """
    schedule(tmp_path, ARIZONA)
    db.session.add(Club(id="AZ", name="AZ", nickname="", colour="#444444"))
    db.session.commit()
    roster(tmp_path, KAY, 2028)
    assert db.session.get_one(Footballer, "00-0090001").club_id == "ARI"


def test_a_season_before_a_move_has_the_club_of_that_time(app: Flask, tmp_path: Path) -> None:
    """The Houston Oilers of 1990 are today's Titans; the Texans took the abbreviation in 2002."""
    old = "1990_01_HOU_BUF,1990,REG,1,1990-09-09,13:00,HOU,BUF,1990090900\n"
    new = "2028_01_HOU_BUF,2028,REG,1,2028-09-10,13:00,HOU,BUF,2028091000\n"
    import_schedule(read_schedule(written(tmp_path, "games.csv", HEADER + old + new)))
    clubs = dict(db.session.execute(select(Game.id, Game.away_id)).all())
    assert clubs == {"1990_01_HOU_BUF": "TEN", "2028_01_HOU_BUF": "HOU"}


def test_an_import_says_what_does_not_join(app: Flask, tmp_path: Path) -> None:
    schedule(tmp_path, ARIZONA)
    imported = roster(tmp_path, "2028,HRB,QB,1,ACT,Quinn Harbor,00-0000001\n" + BILL, 2028)
    assert imported.unjoined.without_games == (("HRB", 1),)
    assert imported.unjoined.without_footballers == (("ARI", 1),)
    assert schedule(tmp_path, ARIZONA).unjoined == imported.unjoined


def test_the_commands_tell_the_operator(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_here(monkeypatch, commands, app)

    def command(*words: str) -> str:
        done = CliRunner().invoke(commands.import_group, words)
        assert done.exit_code == 0, done.output
        return done.output

    files = {
        name: str(written(tmp_path, f"{name}.csv", text))
        for name, text in (("a", BEFORE), ("b", AFTER))
    }
    later = str(written(tmp_path, "c.csv", HEADER + LATE + PLAYED_LATER))
    people = str(
        written(tmp_path, "r.csv", ROSTER_HEADER + "2027,HRB,QB,1,ACT,Quinn Harbor,00-0000001\n")
    )
    command("schedule", files["a"])
    assert "2027_01_TB_MIA: from week 1 to week 11" in command("schedule", files["b"])
    assert "Stored, but not in this file: 2027_11_DEN_BUF (DEN at BUF, week 11)" in command(
        "schedule", later
    )
    output = command("rosters", people, "--season", "2027")
    assert "Clubs without a game in this season: HRB (1 player)" in output
    assert "Clubs with games, but without a player on the market: BUF (1 game)" in output


QUINN = "2027,HRB,QB,9,ACT,Quinn Harbor,00-0000001\n"


@pytest.mark.parametrize(
    ("row", "status", "news"),
    [
        ("2027,HRB,,9,CUT,Quinn Harbor,00-0000001\n", "left", "Released"),
        ("2027,,,,CUT,Quinn Harbor,00-0000001\n", "left", "Released"),
        ("2027,HRB,,9,RES,Quinn Harbor,00-0000001\n", "injured", "Injured reserve"),
        ("2027,HRB,OL,9,RET,Quinn Harbor,00-0000001\n", "left", "Retired"),
        ("2027,HRB,,9,ACT,Quinn Harbor,00-0000001\n", "available", ""),
    ],
)
def test_a_row_without_a_position_of_the_market_still_says_the_status(
    row: str, status: str, news: str, app: Flask, tmp_path: Path
) -> None:
    """Status codes of nflverse: CUT is released, RES injured reserve, RET retired."""
    roster(tmp_path, QUINN)
    imported = roster(tmp_path, row)
    rows = db.session.execute(
        select(FootballerSeason.status, FootballerSeason.news, FootballerSeason.position).where(
            FootballerSeason.footballer_id == "00-0000001"
        )
    ).one()
    assert rows == (status, news, "QB")
    assert imported.left == (status == "left")
    assert roster(tmp_path, row).left == 0
    footballer = db.session.get_one(Footballer, "00-0000001", populate_existing=True)
    assert footballer.position == ("OL" if "OL" in row else "QB")


@pytest.mark.parametrize("is_old_club_last", [True, False])
def test_a_traded_footballer_is_of_his_new_club(
    app: Flask, tmp_path: Path, is_old_club_last: bool
) -> None:
    """The roster of nflverse of the week of a trade has him twice.

    As traded (TRD) by his old club, and as active.
    """
    rows = ["2027,DAL,WR,1,ACT,Wim Mover,00-0000006\n", "2027,NYJ,WR,1,TRD,Wim Mover,00-0000006\n"]
    roster(tmp_path, "".join(rows if is_old_club_last else rows[::-1]))
    footballer = db.session.get_one(Footballer, "00-0000006")
    status = db.session.scalars(
        select(FootballerSeason.status).filter_by(footballer_id=footballer.id)
    ).one()
    assert (footballer.club_id, status) == ("DAL", "available")
