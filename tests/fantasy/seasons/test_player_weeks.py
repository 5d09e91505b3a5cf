"""Weekly statistics of earlier seasons: read, stored, and what follows from them."""

from __future__ import annotations

import csv
import gzip
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.cli import games as commands
from app.core.csv_files import FileError
from app.core.db import db
from app.fantasy.gameweeks import after_deadline
from app.fantasy.market import listing
from app.fantasy.market.gameweeks import current_gameweek
from app.fantasy.market.history_models import FootballerCareer, PlayerWeek, PreseasonProjection
from app.fantasy.market.listing import Filter
from app.fantasy.market.models import FootballerSeason, Gameweek, Season
from app.fantasy.projections.preseason_store import load_preseason
from app.fantasy.projections.queries import projected_points
from app.fantasy.scoring.rules import HALF_PPR, points
from app.fantasy.season_setup import player_weeks_importing
from app.fantasy.season_setup.importing import import_roster
from app.fantasy.season_setup.player_weeks import read_player_weeks
from app.fantasy.season_setup.player_weeks_importing import import_player_weeks
from app.fantasy.season_setup.rosters import read_roster
from tests.commands import use_here
from tests.conftest import NFLVERSE
from tests.record.test_published_files import table
from tests.worlds.season_files import written
from tests.worlds.weekly_statistics import (
    ADA,
    BEA,
    CAL,
    DAN,
    EVE,
    FAY,
    GUS,
    ROSTER,
    import_season,
    line,
    new_file,
    old_file,
    season_2025,
)


def season_of(year: int = 2026) -> Season:
    return db.session.scalars(
        select(Season).where(Season.season == year, Season.season_type == "REG")
    ).one()


def prices() -> dict[str, int]:
    db.session.expire_all()
    rows = db.session.execute(
        select(FootballerSeason.footballer_id, FootballerSeason.price).where(
            FootballerSeason.season_id == season_of().id
        )
    )
    return dict(rows.all())


def test_a_line_is_worth_what_live_points_would_be(tmp_path: Path) -> None:
    # 250 yards 10, 2 touchdowns 8, interception -2, 20 rushing yards 2, a two-point run 2, and two
    # fumbles lost, one after a sack and one on a run, -4: 16.00. A tackle by the defence is none.
    passer = line(
        DAN,
        "SUM",
        "HRB",
        3,
        position="QB",
        passing_yards=250,
        passing_tds=2,
        interceptions=1,
        rushing_yards=20,
        rushing_2pt_conversions=1,
        sack_fumbles=2,
        sack_fumbles_lost=1,
        rushing_fumbles=1,
        rushing_fumbles_lost=1,
    )
    path = written(tmp_path, "player_stats_2025.csv", old_file(passer))
    stats = read_player_weeks([path])[2025].lines[DAN, 3].stats
    assert points(stats, HALF_PPR, "QB") == 16_000
    assert (stats["fumbles"], stats["fumbles_lost"], stats["fumbles_lost_scoring"]) == (3, 2, 2)


def test_both_formats_say_the_same_and_the_newer_one_has_defenders(tmp_path: Path) -> None:
    passer = line(DAN, "SUM", "HRB", 1, position="QB", interceptions=2, sacks=3, sack_yards=21)
    tackler = line("00-0000201", "SUM", "HRB", 1, position="LB")
    old = written(tmp_path, "player_stats_2025.csv", old_file(passer, tackler))
    new = written(
        tmp_path,
        "stats_player_week_2025.csv",
        new_file(
            passer.replace(",21,", ",-21,") + ",NA,NA,0,0,0,0,0", tackler + ",4,1.5,1,1,0,0,0"
        ),
    )
    older, newer = (read_player_weeks([path])[2025].lines for path in (old, new))
    assert (
        older[DAN, 1].stats
        == newer[DAN, 1].stats
        == {
            "passing_interceptions": 2,
            "sacks_suffered": 3,
            "sack_yards_lost": 21,
        }
    )
    assert ("00-0000201", 1) not in older
    # one and a half sacks are three halves
    assert newer["00-0000201", 1].stats == {
        "tackles_solo": 4,
        "half_sacks": 3,
        "interceptions_made": 1,
        "def_tds": 1,
    }


def test_a_defence_earns_what_its_opponents_lose_and_its_players_score(tmp_path: Path) -> None:
    rows = [
        line(DAN, "SUM", "HRB", 1, position="QB", interceptions=2, sacks=3, sack_fumbles_lost=1),
        line(BEA, "SUM", "HRB", 1, rushing_fumbles_lost=1),
        line(CAL, "HRB", "SUM", 1, position="WR", special_teams_tds=1),
    ]
    path = written(tmp_path, "player_stats_2025.csv", old_file(*rows))
    lines = read_player_weeks([path])[2025].lines
    assert lines["HRB-DST", 1].stats == {
        "dst_interceptions": 2,
        "dst_sacks": 3,
        "dst_fumble_recoveries": 2,
        "dst_touchdowns": 1,
    }
    assert lines["SUM-DST", 1].stats == {}


def test_a_parquet_file_says_the_same(tmp_path: Path) -> None:
    zipped = tmp_path / "player_stats_2025.csv.gz"
    zipped.write_bytes(gzip.compress(season_2025().encode()))
    columns = table(tmp_path / "player_stats_2025.parquet", season_2025())
    assert read_player_weeks([columns]) == read_player_weeks([zipped])
    assert len(read_player_weeks([columns])[2025].lines) == 101


def test_the_playoffs_are_left_out_and_a_zipped_file_is_read(tmp_path: Path) -> None:
    rows = [
        line(ADA, "HRB", "SUM", 18, rushing_yards=5),
        line(ADA, "HRB", "SUM", 19, season_type="POST", rushing_yards=90),
    ]
    path = tmp_path / "player_stats_2025.csv.gz"
    path.write_bytes(gzip.compress(old_file(*rows).encode()))
    assert [key for key in read_player_weeks([path])[2025].lines if key[0] == ADA] == [(ADA, 18)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "injuries_2025.csv",
            "season,week,gsis_id,report_status\n2025,1,x,Out\n",
            "line 1, column player_id: the header has no such column, so this is not weekly",
        ),
        ("roster_2026.csv", ROSTER, "this is a roster, not weekly statistics of players"),
        ("a.csv", old_file(), "it has no players"),
        ("a.csv", old_file(line(ADA, "HRB", "SUM", 0)), "must be a week from 1 to 30, not 0"),
        (
            "a.csv",
            old_file(line(ADA, "HRB", "SUM", 1, carries="many")),
            "line 2, column carries: must be a number, not 'many'",
        ),
        ("a.csv", old_file(line(ADA, "HRB", "SUM", 1, carries="1e99")), "must be a number up to"),
        ("a.csv", old_file(line(ADA, "", "SUM", 1)), "column team: is empty"),
    ],
)
def test_another_file_is_refused_with_its_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(FileError, match=r"give|correct|use `") as refusal:
        read_player_weeks([written(tmp_path, name, text)])
    assert message in str(refusal.value)


def test_a_second_import_changes_nothing_and_a_newer_file_replaces_the_season(
    app: Flask, tmp_path: Path
) -> None:
    import_season(tmp_path)

    def stored() -> list[tuple[object, ...]]:
        rows = db.session.execute(
            select(PlayerWeek.footballer_id, PlayerWeek.week, PlayerWeek.stats).order_by(
                PlayerWeek.footballer_id, PlayerWeek.week
            )
        )
        return [tuple(row) for row in rows]

    projections = load_preseason(season_of().id, "half_ppr")
    before = stored(), prices(), projections
    import_season(tmp_path)
    assert (stored(), prices(), load_preseason(season_of().id, "half_ppr")) == before
    shorter = written(tmp_path, "player_stats_2025.csv", season_2025(weeks=10))
    (imported,) = import_player_weeks(read_player_weeks([shorter]))
    # 9 of Ada, 10 of each other, and 10 of each of two defences
    assert (imported.lines, imported.players, imported.unknown) == (59, 6, 0)
    assert db.session.scalar(select(func.max(PlayerWeek.week))) == 10


def test_careers_come_from_the_roster(app: Flask, tmp_path: Path) -> None:
    import_season(tmp_path, with_weeks=False)
    career = db.session.get_one(FootballerCareer, FAY)
    assert (str(career.born_on), career.first_season, career.draft_number) == (
        "2004-09-01",
        2026,
        4,
    )


def test_a_birth_date_that_is_none_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "roster.csv", ROSTER.replace("2004-09-01", "soon", 1))
    with pytest.raises(FileError, match="column birth_date: must be a date like 1998-05-21"):
        read_roster(path, 2026)


def test_projections_follow_each_scoring(app: Flask, tmp_path: Path) -> None:
    """Catches earn nothing under standard scoring, half a point and a point under the others."""
    import_season(tmp_path)
    season = season_of()
    catcher = [
        load_preseason(season.id, rules)[CAL].per_game for rules in ("standard", "half_ppr", "ppr")
    ]
    # 60 yards and 4 catches: 6, 8 and 10 points a game. He is alone at his position: the mean.
    rate = (17 + 2 * 1.9 - 2 * (1.9 - 0.6) * 0.8081) / 19  # log(90) / log(262) = 0.8081
    assert catcher == pytest.approx([6_000 * rate, 8_000 * rate, 10_000 * rate], abs=600)


@pytest.mark.parametrize("weeks_first", [True, False])
def test_prices_follow_the_projections_whichever_file_comes_first(
    app: Flask, tmp_path: Path, weeks_first: bool
) -> None:
    if weeks_first:
        import_season(tmp_path, with_roster=False)
        import_roster(read_roster(written(tmp_path, "roster_2026.csv", ROSTER), 2026))
    else:
        import_season(tmp_path)
    by_id = prices()
    assert by_id[BEA] > by_id[ADA] > by_id[EVE]
    assert by_id[FAY] > by_id[EVE]
    assert max(by_id[player] for player in (ADA, BEA, EVE, FAY)) == 130  # the ceiling of a back


def test_a_market_that_was_used_keeps_its_prices(app: Flask, tmp_path: Path) -> None:
    import_season(tmp_path, with_weeks=False)
    first = db.session.scalars(select(Gameweek).order_by(Gameweek.deadline)).first()
    assert first is not None
    after_deadline.lock_gameweek(first.id, first.deadline)
    before = prices()
    weeks = written(tmp_path, "player_stats_2025.csv", season_2025())
    import_player_weeks(read_player_weeks([weeks]))
    assert prices() == before
    assert load_preseason(season_of().id, "half_ppr")[BEA].per_game > 8_000


def test_form_before_the_first_game_is_that_of_last_season(app: Flask, tmp_path: Path) -> None:
    import_season(tmp_path)
    season = season_of()
    rows, _ = listing.footballers(season.id, "half_ppr", Filter(sort="form"))
    assert [(row.id, row.form) for row in rows][:4] == [
        (DAN, 16_000),
        (BEA, 10_000),
        (CAL, 8_000),
        (ADA, 7_000),
    ]


def test_a_footballers_page_shows_last_season_under_the_scoring_in_view(
    client: FlaskClient, tmp_path: Path
) -> None:
    import_season(tmp_path)
    page = client.get(f"/footballers/{CAL}?rules=ppr").text
    assert "Last season" in page
    # 17 games of 10 points
    (cells,) = re.findall(r'<th scope="row">2025</th>(.*?)</tr>', page, re.DOTALL)
    assert re.findall(r">([\d.]+)<", cells) == ["17", "170.00", "10.00"]
    assert "Last season" not in client.get(f"/footballers/{FAY}").text


def test_the_page_is_sent_again_after_an_import(client: FlaskClient, tmp_path: Path) -> None:
    import_season(tmp_path, with_weeks=False)
    url = f"/footballers/{CAL}?rules=ppr"
    poll = {"HX-Request": "true"}
    poll["If-None-Match"] = client.get(url, headers=poll).headers["ETag"]
    assert client.get(url, headers=poll).status_code in (286, 304)
    weeks = written(tmp_path, "player_stats_2025.csv", season_2025())
    import_player_weeks(read_player_weeks([weeks]))
    assert "170.00" in client.get(url, headers=poll).text


def test_the_command_says_what_it_stored(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_season(tmp_path, with_weeks=False)
    use_here(monkeypatch, commands, app)
    path = written(tmp_path, "player_stats_2025.csv", season_2025())
    output = CliRunner().invoke(commands.import_group, ["player-weeks", str(path)]).stdout
    # 16 of Ada, 17 of three others and of two defences
    assert output == (
        "2025: 101 lines of 6 players and defenses, 0 of whom are on no roster here\n"
    )


def test_rules_that_nobody_uses_have_no_projections(app: Flask, tmp_path: Path) -> None:
    import_season(tmp_path)
    used = set(db.session.scalars(select(PreseasonProjection.rules).distinct()))
    assert {"standard", "half_ppr", "ppr", "half_ppr_idp", "yahoo", "espn"} <= used
    assert load_preseason(season_of().id, "custom-none") == {}


@pytest.mark.realgames
@pytest.mark.parametrize("season", [2021, 2022, 2023])
def test_points_of_a_real_season_are_the_published_ones(season: int) -> None:
    path = NFLVERSE / f"player_stats_{season}.csv.gz"
    lines = read_player_weeks([path])[season].lines
    compared, different = 0, []
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            key = row["player_id"], int(row["week"])
            if row["season_type"] != "REG" or key not in lines:
                continue
            published = (float(row["fantasy_points"]) + float(row["fantasy_points_ppr"])) / 2
            compared += 1
            if abs(published - points(lines[key].stats, HALF_PPR) / 1000) > 0.005:
                different.append(key)
    assert compared > 5_000
    assert different == []


def test_a_roster_with_other_careers_changes_the_projections(app: Flask, tmp_path: Path) -> None:
    import_season(tmp_path)
    season = season_of()
    before = load_preseason(season.id, "half_ppr")[EVE]
    first_pick = ROSTER.replace("2026,250", "2026,1")
    import_roster(read_roster(written(tmp_path, "roster_2026.csv", first_pick), 2026))
    assert load_preseason(season.id, "half_ppr")[EVE].per_game > 2 * before.per_game


def test_an_import_that_fails_leaves_nothing_behind(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_season(tmp_path, with_weeks=False)
    before = prices()

    def fail(competition: str) -> None:
        raise RuntimeError(competition)

    monkeypatch.setattr(player_weeks_importing, "_reprice_unused_markets", fail)
    weeks = read_player_weeks([written(tmp_path, "player_stats_2025.csv", season_2025())])
    with pytest.raises(RuntimeError, match="nfl"):
        import_player_weeks(weeks)
    assert db.session.scalar(select(func.count()).select_from(PlayerWeek)) == 0
    assert prices() == before


def test_the_first_gameweek_is_projected_by_the_seasons_before(app: Flask, tmp_path: Path) -> None:
    import_season(tmp_path)
    season = season_of()
    first = current_gameweek(season.id, datetime(2026, 9, 1, tzinfo=UTC))
    assert first is not None
    expected = load_preseason(season.id, "half_ppr")
    projections = projected_points(season.id, first, [BEA, FAY], HALF_PPR)
    assert {player: projection.points for player, projection in projections.items()} == {
        player: expected[player].points(1) for player in (BEA, FAY)
    }


def test_the_market_knows_what_is_expected_of_everybody(app: Flask, tmp_path: Path) -> None:
    """`Auto-pick my team` chooses by it."""
    import_season(tmp_path)
    season = season_of()
    market = {row.id: row.expected for row in listing.everybody(season.id, "half_ppr")}
    expected = load_preseason(season.id, "half_ppr")
    assert market[BEA] == expected[BEA].points(1)
    assert market[BEA] > market[ADA] > market[EVE]
    assert GUS not in market
