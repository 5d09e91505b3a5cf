"""The league's injury reports on the market: above the roster, below moderators' notes."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from app.accounts.models import Member
from app.core.csv_files import FileError
from app.core.db import db
from app.fantasy.market.models import FootballerSeason, InjuryReport, Season
from app.fantasy.market.player_notes import NewNote, write_note
from app.fantasy.season_setup.importing import import_roster, import_schedule
from app.fantasy.season_setup.injuries import read_injuries
from app.fantasy.season_setup.rosters import read_roster
from app.fantasy.season_setup.schedule import read_schedule
from app.fantasy.season_setup.storing import ImportRefusedError
from app.fantasy.season_setup.storing_injuries import InjuriesImported, import_injuries
from app.record.models import Footballer
from tests.conftest import NFLVERSE
from tests.worlds.season_files import ROSTER, SCHEDULE, written

HEADER = (
    "season,game_type,team,week,gsis_id,full_name,report_primary_injury,report_status,"
    "practice_primary_injury,practice_status,date_modified\n"
)
LIMITED, ABSENT = "Limited Participation in Practice", "Did Not Participate In Practice"
FULL = "Full Participation in Practice"
QUINN, RAFE, LARS, KIM = "00-0000001", "00-0000002", "00-0000004", "00-0000005"


def row(club: str, week: int, player: str, injury: str, status: str, practice: str) -> str:
    name = {QUINN: "Quinn Harbor", RAFE: "Rafe Harbor", LARS: "Lars Summit", KIM: "Kim Summit"}
    cells = (2026, "REG", club, week, player, name.get(player, "Zed Unknown"), injury, status)
    return ",".join(map(str, (*cells, injury, practice, "2026-09-11 19:35:39+00:00"))) + "\n"


WEEK_1 = (
    HEADER
    + row("HRB", 1, QUINN, "Knee", "Questionable", LIMITED)
    + row("HRB", 1, RAFE, "Ankle", "Out", ABSENT)
    + row("SUM", 1, LARS, "Back", "Out", ABSENT)
    + row("SUM", 1, KIM, "Toe", "", FULL)
)


@pytest.fixture
def season(app: Flask, tmp_path: Path) -> Season:
    """A season with a roster: Lars on injured reserve, Kim suspended."""
    import_schedule(read_schedule(written(tmp_path, "games.csv", SCHEDULE)))
    import_roster(read_roster(written(tmp_path, "roster.csv", ROSTER), 2026))
    return db.session.scalars(select(Season).where(Season.season_type == "REG")).one()


def bring_in(folder: Path, text: str) -> InjuriesImported:
    return import_injuries(read_injuries(written(folder, "injuries_2026.csv", text), 2026))


def market() -> dict[str, tuple[str, str]]:
    """Status and news of those whom rosters and reports name."""
    db.session.expire_all()
    rows = db.session.execute(
        select(FootballerSeason.footballer_id, FootballerSeason.status, FootballerSeason.news)
    )
    return {player: (status, news) for player, status, news in rows if player[0] == "0"}


def test_a_report_says_who_is_questionable_and_who_is_out(season: Season, tmp_path: Path) -> None:
    imported = bring_in(tmp_path, WEEK_1)
    assert (imported.rows, imported.new, imported.statuses) == (4, 4, 2)
    players = market()
    assert players[QUINN] == ("questionable", "Questionable: Knee, limited in practice")
    assert players[RAFE] == ("out", "Out: Ankle, did not practice")
    assert players[LARS] == ("injured", "Injured reserve"), "the roster says more"
    assert players[KIM] == ("suspended", "Suspended")


def test_the_same_reports_again_change_nothing(season: Season, tmp_path: Path) -> None:
    bring_in(tmp_path, WEEK_1)
    before = market()
    imported = bring_in(tmp_path, WEEK_1)
    assert (imported.new, imported.removed, imported.statuses, market()) == (0, 0, 0, before)


def test_a_roster_that_comes_later_does_not_heal_anybody(season: Season, tmp_path: Path) -> None:
    bring_in(tmp_path, WEEK_1)
    before = market()
    import_roster(read_roster(written(tmp_path, "roster.csv", ROSTER), 2026))
    assert market() == before
    reserve = ROSTER.replace("QB,9,ACT", "QB,9,RES")
    import_roster(read_roster(written(tmp_path, "roster.csv", reserve), 2026))
    assert market()[QUINN] == ("injured", "Injured reserve")
    import_roster(read_roster(written(tmp_path, "roster.csv", ROSTER), 2026))
    assert market() == before


def test_the_newest_report_of_a_club_counts_until_its_next(season: Season, tmp_path: Path) -> None:
    week_2 = WEEK_1 + row("HRB", 2, QUINN, "Knee", "Doubtful", ABSENT)
    bring_in(tmp_path, week_2)
    players = market()
    assert players[QUINN] == ("doubtful", "Doubtful: Knee, did not practice")
    assert players[RAFE] == ("available", ""), "not in the report of week 2"
    assert bring_in(tmp_path, WEEK_1).removed == 1
    assert market()[RAFE][0] == "out"


def test_who_practices_with_limits_before_the_final_report_is_fit_with_news(
    season: Season, tmp_path: Path
) -> None:
    bring_in(tmp_path, HEADER + row("HRB", 1, QUINN, "Knee", "", LIMITED))
    assert market()[QUINN] == ("available", "Knee, limited in practice")


def test_a_moderators_note_stands_until_the_report_says_something_new(
    season: Season, tmp_path: Path, member: Callable[..., Member]
) -> None:
    bring_in(tmp_path, WEEK_1)
    meg = member("meg", role="moderator")
    note = NewNote("He says that he will play.", status="available")
    write_note(season.id, QUINN, note, by=meg.id, now=datetime(2026, 9, 12, tzinfo=UTC))
    bring_in(tmp_path, WEEK_1)
    assert market()[QUINN] == ("available", "He says that he will play.")
    bring_in(tmp_path, WEEK_1.replace("Knee,Questionable", "Knee,Out"))
    assert market()[QUINN] == ("out", "Out: Knee, limited in practice")


def test_who_is_on_no_roster_is_listed_by_name(season: Season, tmp_path: Path) -> None:
    imported = bring_in(
        tmp_path,
        WEEK_1
        + row("HRB", 1, "00-0009999", "Knee", "Out", ABSENT)
        + row("XYZ", 1, QUINN, "Knee", "Out", ABSENT)
        + row("SUM", 1, "", "Knee", "Out", ABSENT),
    )
    assert imported.unjoined == (
        "Zed Unknown (HRB, 00-0009999) is not on any imported roster, so their injury reports "
        "were left out.",
        "XYZ is not a club of this season, so its injury reports were left out.",
        "Zed Unknown (SUM, without an id) is not on any imported roster, so their injury "
        "reports were left out.",
    )


def test_an_unknown_word_of_the_report_is_named_and_changes_nothing(
    season: Season, tmp_path: Path
) -> None:
    text = WEEK_1.replace("Knee,Questionable", "Knee,Perhaps")
    assert read_injuries(written(tmp_path, "i.csv", text), 2026).unknown_statuses == ("Perhaps",)
    bring_in(tmp_path, text)
    assert market()[QUINN] == ("available", "Knee, limited in practice")


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (WEEK_1.replace("2026,REG,SUM", "2025,REG,SUM", 1), "line 4, column season: is 2025"),
        (WEEK_1.replace("HRB,1,", "HRB,0,", 1), "line 2, column week"),
        (WEEK_1.replace("2026-09-11 19", "yesterday 19", 1), "line 2, column date_modified"),
        (WEEK_1.replace("Knee,Q", "K" * 101 + ",Q"), "line 2, column report_primary_injury"),
        (HEADER, "no injury reports for season 2026"),
        (ROSTER, "this is a roster, not a list of injury reports"),
        (WEEK_1.replace("practice_status", "p"), "column practice_status: the header has no such"),
    ],
    ids=["season", "week", "time", "length", "empty", "kind", "column"],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_place(
    tmp_path: Path, broken: str, says: str
) -> None:
    with pytest.raises(FileError, match=says):
        read_injuries(written(tmp_path, "injuries_2026.csv", broken), 2026)


def test_reports_before_the_roster_are_refused(app: Flask, tmp_path: Path) -> None:
    import_schedule(read_schedule(written(tmp_path, "games.csv", SCHEDULE)))
    with pytest.raises(ImportRefusedError, match="import its rosters first"):
        bring_in(tmp_path, WEEK_1)


@pytest.mark.realgames
@pytest.mark.parametrize("year", [2021, 2023, 2025])
def test_every_row_of_a_real_season_is_stored_as_it_is_in_the_file(app: Flask, year: int) -> None:
    folder = NFLVERSE
    import_schedule(read_schedule(folder / "games.csv", [year]))
    import_roster(read_roster(folder / f"roster_{year}.csv.gz", year))
    reports = read_injuries(folder / f"injuries_{year}.csv.gz", year)
    imported = import_injuries(reports)
    with gzip.open(folder / f"injuries_{year}.csv.gz", "rt", newline="") as lines:
        rows = list(csv.DictReader(lines))
    registered = set(db.session.scalars(select(Footballer.id)))
    expected = {
        (int(line["week"]), line["gsis_id"]): (
            line["report_status"] or None,
            line["report_primary_injury"].strip(),
            line["practice_status"].strip(),
            line["practice_primary_injury"].strip(),
        )
        for line in rows
        if line["gsis_id"] in registered
    }
    stored = {
        (report.week, report.footballer_id): (
            report.report_status,
            report.injury,
            report.practice_status,
            report.practice_injury,
        )
        for report in db.session.scalars(select(InjuryReport))
    }
    assert stored == expected
    absent = {line["full_name"] for line in rows if line["gsis_id"] not in registered}
    assert {line.partition(" (")[0] for line in imported.unjoined} == absent
    assert reports.unknown_statuses == ()
