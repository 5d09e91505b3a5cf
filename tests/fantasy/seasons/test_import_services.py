"""Imports in the database: whole or not at all, and a second time nothing changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import func, select, update

from app.core.csv_files import FileError
from app.core.db import db
from app.fantasy.gameweeks.moving import move
from app.fantasy.market.choice import TeamRulesChoice
from app.fantasy.market.models import FootballerSeason, Gameweek, Season, SheetDeadline
from app.fantasy.market.seasons import NewSeason, ensure_season, ensure_team_rules
from app.fantasy.scoring.models import PlayerPoints
from app.fantasy.season_setup.importing import import_roster, import_schedule
from app.fantasy.season_setup.rosters import read_roster
from app.fantasy.season_setup.schedule import read_schedule
from app.fantasy.season_setup.storing import ImportRefusedError
from app.fantasy.standings.models import League
from app.record import script
from app.record.models import Club, Footballer, Game
from app.record.services import store_script
from tests.worlds.season_files import ROSTER, SCHEDULE, written


def schedule(folder: Path, text: str = SCHEDULE, before: timedelta = timedelta()) -> None:
    import_schedule(read_schedule(written(folder, "games.csv", text)), before=before)


def roster(folder: Path, text: str = ROSTER, season: int = 2026) -> None:
    import_roster(read_roster(written(folder, "roster.csv", text), season))


def rows() -> list[list[object]]:
    """Everything an import writes, as plain values."""
    db.session.expire_all()
    return [
        [
            {name: value for name, value in vars(row).items() if name[0] != "_"}
            for row in db.session.scalars(
                select(model).order_by(*model.__table__.primary_key.columns)
            )
        ]
        for model in (
            Season,
            Gameweek,
            Club,
            Footballer,
            Game,
            FootballerSeason,
            League,
            SheetDeadline,
        )
    ]


def test_a_schedule_makes_seasons_gameweeks_games_and_the_league_of_everybody(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path)
    rows = db.session.execute(
        select(Gameweek.season_type, Gameweek.week, Gameweek.deadline).order_by(Gameweek.deadline)
    ).all()
    assert rows == [
        ("REG", 1, datetime(2026, 9, 11, 0, 20, tzinfo=UTC)),
        ("REG", 9, datetime(2026, 10, 31, 17, 0, tzinfo=UTC)),
        ("POST", 19, datetime(2027, 1, 9, 18, 0, tzinfo=UTC)),
    ]
    assert db.session.scalar(select(func.count()).select_from(Game)) == 5
    assert db.session.scalars(
        select(League.slug).where(League.is_overall).order_by(League.id)
    ).all() == [
        "nfl-2026-overall",
        "nfl-2026-post-overall",
    ]


def test_importing_the_same_files_again_changes_nothing(app: Flask, tmp_path: Path) -> None:
    schedule(tmp_path)
    roster(tmp_path)
    before = rows()
    schedule(tmp_path)
    roster(tmp_path)
    assert rows() == before


def test_a_moved_game_moves_the_deadline_for_every_team_sheet(app: Flask, tmp_path: Path) -> None:
    schedule(tmp_path)
    season = db.session.scalars(select(Season).where(Season.season_type == "REG")).one()
    team_rules = ensure_team_rules(
        season.id, TeamRulesChoice.of("nfl-classic", "Europe/Berlin", deadline="THU 18:00")
    )
    db.session.commit()
    schedule(tmp_path, SCHEDULE.replace("2026-10-31,Saturday,13:00", "2026-10-29,Thursday,20:15"))
    game = db.session.get(Game, "2026_09_ASH_SUM")
    assert game is not None
    assert game.kickoff == datetime(2026, 10, 30, 0, 15, tzinfo=UTC)
    nine = db.session.scalars(select(Gameweek).where(Gameweek.week == 9)).one()
    locks = select(SheetDeadline.locks_at).where(
        SheetDeadline.gameweek_id == nine.id, SheetDeadline.team_rules_id == team_rules.id
    )
    assert (nine.deadline, db.session.scalar(locks)) == (
        game.kickoff,
        datetime(2026, 10, 29, 17, 0, tzinfo=UTC),
    )


def test_a_schedule_says_which_games_are_not_played(app: Flask, tmp_path: Path) -> None:
    lines = SCHEDULE.splitlines()
    statuses = ["status", "", "Postponed", "", "scheduled", ""]
    text = "\n".join(f"{line},{status}" for line, status in zip(lines, statuses, strict=True))
    (regular, _) = import_schedule(read_schedule(written(tmp_path, "games.csv", text)))
    assert regular.declared == (("2026_01_ASH_QRY", "postponed"),), (
        "the other one is scheduled anyhow"
    )
    with pytest.raises(FileError, match="column status: is 'rained out'"):
        read_schedule(written(tmp_path, "games.csv", text.replace("Postponed", "rained out")))


def test_a_game_that_an_operator_moved_stays_while_the_file_has_its_old_place(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path)
    now, there = datetime(2026, 9, 1, tzinfo=UTC), datetime(2026, 11, 3, 17, tzinfo=UTC)
    move("2026_01_SUM_HRB", there, now)
    schedule(tmp_path)
    game = db.session.get_one(Game, "2026_01_SUM_HRB", populate_existing=True)
    assert (game.week, game.kickoff, game.planned_week) == (9, there, 1)
    gameweek = db.session.scalars(select(Gameweek).where(Gameweek.week == 1)).one()
    assert gameweek.deadline == datetime(2026, 9, 13, 17, tzinfo=UTC), (
        "of its first game, which is the other one now"
    )
    schedule(tmp_path, SCHEDULE.replace("2026-09-10,Thursday,20:20", "2026-09-14,Monday,20:20"))
    db.session.refresh(game)
    assert (game.week, game.kickoff, game.planned_week) == (
        1,
        datetime(2026, 9, 15, 0, 20, tzinfo=UTC),
        None,
    )


def test_a_game_that_leaves_a_gameweek_that_has_locked_is_a_moved_one(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path)
    later = SCHEDULE.replace(
        "2026_01_ASH_QRY,2026,REG,1,2026-09-13", "2026_01_ASH_QRY,2026,REG,9,2026-11-03"
    )
    later = later.replace("QRY,,2026110100", "DEN,,2026110100").replace(
        "2026_09_ASH_SUM", "2026_09_KIT_SUM"
    )
    later = later.replace("Saturday,13:00,ASH", "Saturday,13:00,KIT")
    db.session.execute(
        update(Gameweek).where(Gameweek.week == 1).values(locked_at=Gameweek.deadline)
    )
    db.session.commit()
    schedule(tmp_path, later)
    game = db.session.get_one(Game, "2026_01_ASH_QRY", populate_existing=True)
    assert (game.week, game.planned_week) == (9, 1)


def test_a_gameweek_that_has_locked_keeps_its_deadline(app: Flask, tmp_path: Path) -> None:
    schedule(tmp_path)
    nine = db.session.scalars(select(Gameweek).where(Gameweek.week == 9)).one()
    deadline, nine.locked_at = nine.deadline, nine.deadline
    db.session.commit()
    schedule(tmp_path, before=timedelta(hours=1))
    db.session.refresh(nine)
    assert nine.deadline == deadline


def test_a_game_that_play_by_play_brought_keeps_its_id(app: Flask, tmp_path: Path) -> None:
    db.session.add_all(
        [Club(id=club, name=club, nickname="", colour="#444444") for club in ("HRB", "SUM")]
    )
    db.session.flush()
    kickoff = datetime(2026, 9, 11, tzinfo=UTC)
    db.session.add(
        Game(
            id="2026091000",
            season=2026,
            season_type="REG",
            week=1,
            kickoff=kickoff,
            home_id="HRB",
            away_id="SUM",
        )
    )
    db.session.commit()
    schedule(tmp_path)
    assert db.session.get(Game, "2026_01_SUM_HRB") is None
    game = db.session.get(Game, "2026091000")
    assert game is not None
    assert game.kickoff == datetime(2026, 9, 11, 0, 20, tzinfo=UTC)


def test_play_by_play_under_the_other_id_takes_the_place_of_the_scheduled_game(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path)
    kickoff = datetime(2026, 9, 11, 0, 20, tzinfo=UTC)
    clubs = {club: script.Club(club, club) for club in ("HRB", "SUM")}
    store_script(
        script.GameScript(
            "2026091000",
            2026,
            "REG",
            1,
            kickoff,
            clubs["HRB"],
            clubs["SUM"],
            footballers=(),
            events=(),
        )
    )
    assert db.session.scalars(select(Game.id).where(Game.week == 1).order_by(Game.id)).all() == [
        "2026091000",
        "2026_01_ASH_QRY",
    ]
    schedule(tmp_path)
    assert db.session.scalar(select(func.count()).select_from(Game)) == 5


def test_play_by_play_of_a_game_that_was_moved_takes_the_place_of_the_scheduled_one(
    app: Flask, tmp_path: Path
) -> None:
    """Also before a newer schedule is imported.

    Nflverse has id and gameweek of the day on which it was played.
    """
    schedule(tmp_path)
    kickoff = datetime(2026, 11, 1, 18, tzinfo=UTC)
    clubs = {club: script.Club(club, club) for club in ("HRB", "SUM")}
    store_script(
        script.GameScript(
            "2026_09_SUM_HRB",
            2026,
            "REG",
            9,
            kickoff,
            clubs["HRB"],
            clubs["SUM"],
            footballers=(),
            events=(),
        )
    )
    ids = select(Game.id).where(
        Game.home_id == "HRB", Game.away_id == "SUM", Game.season_type == "REG"
    )
    assert db.session.scalars(ids).all() == ["2026_09_SUM_HRB"]


def test_a_club_is_found_under_its_other_abbreviation(app: Flask, tmp_path: Path) -> None:
    db.session.add(Club(id="LV", name="Las Vegas", nickname="", colour="#444444"))
    db.session.commit()
    roster(tmp_path, ROSTER.replace("HRB", "OAK"))
    quinn = db.session.get(Footballer, "00-0000001")
    assert quinn is not None
    assert quinn.club_id == "LV"


def test_a_roster_fills_the_market_with_prices_by_last_seasons_points(
    app: Flask, tmp_path: Path
) -> None:
    schedule(tmp_path, SCHEDULE.replace("2026", "2025"))
    season = ensure_season(
        NewSeason(
            "nfl", 2026, "REG", name="NFL 2026", time_zone="America/New_York", rules="half_ppr_idp"
        )
    )
    for player, points in (("00-0000002", 100_000), ("00-0000006", 40_000)):
        db.session.add(
            PlayerPoints(
                game_id="2025_01_SUM_HRB", player_id=player, rules=season.rules, points=points
            )
        )
    db.session.commit()
    roster(tmp_path)
    market = dict(
        db.session.execute(select(FootballerSeason.footballer_id, FootballerSeason.price)).all()
    )
    assert market == {
        "00-0000001": 85,  # no quarterback has points: the usual price
        "00-0000002": 130,  # the best runner
        "00-0000004": 50,
        "00-0000005": 45,
        "00-0000006": 125,
        "HRB-DST": 45,
        "SUM-DST": 45,
    }
    defence = db.session.get_one(Footballer, "HRB-DST")
    assert (defence.club_id, defence.position, defence.number) == ("HRB", "DST", None)
    assert defence.name.endswith(" D/ST")


def test_a_newer_roster_changes_status_and_club_but_no_price(app: Flask, tmp_path: Path) -> None:
    roster(tmp_path)
    player = db.session.scalars(
        select(FootballerSeason).where(FootballerSeason.footballer_id == "00-0000002")
    ).one()
    player.price = 99
    db.session.commit()
    newer = ROSTER.replace("22,ACT", "22,RES").replace(
        "2026,HRB,QB,QB,9,ACT,Quinn Harbor,00-0000001,1\n", ""
    )
    roster(tmp_path, newer)
    rows = db.session.execute(
        select(FootballerSeason.footballer_id, FootballerSeason.price, FootballerSeason.status)
        .where(FootballerSeason.footballer_id.in_(["00-0000001", "00-0000002"]))
        .order_by(FootballerSeason.footballer_id)
    ).all()
    assert rows == [("00-0000001", 85, "left"), ("00-0000002", 99, "injured")]


def test_an_older_seasons_roster_moves_nobody_back(app: Flask, tmp_path: Path) -> None:
    roster(tmp_path)
    roster(
        tmp_path,
        ROSTER.replace("2026,", "2025,").replace("2025,SUM,WR,WR,81", "2025,HRB,WR,WR,81"),
        2025,
    )
    mover = db.session.get(Footballer, "00-0000006")
    assert mover is not None
    assert mover.club_id == "SUM"


def test_an_import_that_fails_leaves_nothing_behind(app: Flask, tmp_path: Path) -> None:
    schedule(tmp_path)
    db.session.execute(
        Game.__table__.update().where(Game.id == "2026_09_HRB_QRY").values(competition="other")
    )
    db.session.commit()
    before = rows()
    with pytest.raises(ImportRefusedError, match="--competition"):
        schedule(tmp_path, SCHEDULE.replace("2026-09-10", "2026-09-09").replace("QRY", "FJD", 1))
    assert rows() == before
