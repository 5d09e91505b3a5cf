"""Exports of a game.

The columns of the CSV, every revision in the JSON, the play-by-play on one page.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from app.cli import main
from app.cli.record import QUERIES
from app.demo.seed import simulated_game
from app.embedded.stack import Stack
from app.record import events as ev
from app.record.named_queries import NAMED_QUERIES
from app.record.pages.box_tables import TABLES
from app.record.pages.exports.wide_columns import PlayColumns
from app.record.pages.exports.wide_csv import COLUMNS
from app.record.rules.drives import Snapped
from app.record.services import store_script
from tests.conftest import REAL_GAMES
from tests.record.exports import H, S
from tests.worlds.games import KICKOFF, ingest, make_game, messages, touchdown_drive


def test_the_columns_are_those_of_the_public_files(client: FlaskClient) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    rows = list(csv.DictReader(io.StringIO(client.get("/games/g1/export.csv").text)))
    assert len(set(COLUMNS)) == len(COLUMNS)
    assert [row["play_type"] for row in rows] == ["kickoff", "run", "pass", "extra_point"]
    kickoff, run, catch, _ = rows
    assert (
        kickoff["posteam"],
        kickoff["defteam"],
        kickoff["yardline_100"],
        kickoff["kick_distance"],
    ) == (
        H,
        S,
        "35",
        "40",
    )
    assert (run["rusher_player_id"], run["rusher_player_name"], run["rushing_yards"]) == (
        "H3",
        "H. Player3",
        "10",
    )
    assert (catch["passing_yards"], catch["air_yards"], catch["yards_after_catch"]) == (
        "65",
        "25",
        "40",
    )
    assert (catch["td_player_id"], catch["pass_touchdown"], catch["down"], catch["ydstogo"]) == (
        "H2",
        "1",
        "1",
        "10",
    )
    assert (
        catch["total_home_score"],
        rows[3]["total_home_score"],
        catch["qtr"],
        catch["time"],
    ) == (
        "6",
        "7",
        "1",
        "14:30",
    )


@pytest.mark.realgames
def test_every_column_is_one_of_the_public_ones() -> None:
    """But for those that nflverse has and our extract of it leaves out."""
    import gzip

    public: set[str] = set()
    for folder in ("post2018", "reg2019"):
        file = sorted((REAL_GAMES / folder / "pbp").glob("*.csv.gz"))[0]
        with gzip.open(file, "rt", newline="") as opened:
            public |= set(next(csv.reader(opened)))
    columns = {column for column in COLUMNS if not column.startswith("tackle_with_assist")}
    charting = {"is_drop", "is_throw_away"}  # of nflverse's files of charted plays
    assert columns - public - charting <= {"desc", "home_score", "away_score", "start_time"}


def test_the_json_has_every_revision_and_the_stat_lines(client: FlaskClient) -> None:
    make_game()
    ruling = ev.Run(team=H, player="H2", kind="rush", start_yard=25, end_yard=30)
    bodies = [
        *touchdown_drive(),
        ev.Overturn(event=6, ruling=ruling, reason="film"),
        ev.Nullify(events=(8, 9)),
    ]
    ingest(messages(bodies))
    response = client.get("/games/g1/export.json")
    assert response.mimetype == "application/json"
    data = json.loads(response.text)
    assert (data["v"], data["game"]["game_id"], data["as_of_event"]) == (1, "g1", 13)
    of_six = [row for row in data["events"] if row["event_number"] == 6]
    assert [(row["revision"], row["valid"], row["taken_by"]) for row in of_six] == [
        (0, False, 12),
        (12, True, None),
    ]
    assert len(data["events"]) == 14
    assert [
        json.loads(json.dumps(ev.body_to(ev.body_from(row["body"])))) for row in data["events"]
    ] == [row["body"] for row in data["events"]]
    assert {line["player_id"]: line["stats"] for line in data["stat_lines"] if line["stats"]} == {
        "H2": {"carries": 1, "rushing_yards": 5}
    }
    then = json.loads(client.get("/games/g1/export.json?at=11").text)
    assert (then["as_of_event"], len(then["events"]), then["game"]["home_score"]) == (11, 11, 7)


def test_the_book_has_everything_on_one_page(client: FlaskClient) -> None:
    make_game()
    ingest(messages([*touchdown_drive(), ev.Timeout(team=S)]))
    text = client.get("/games/g1/book").text
    for words in (
        "Summit at Harbor",
        "H. Player2 65-yard pass from H. Player1 (kick)",
        "Total yards",
        "Passing",
        "HRB: Q1 15:00 from HRB 25",
        "2 plays, 75 yards, 0:40. Touchdown",
        "Timeout SUM.",
        "<h4>Played</h4>",
    ):
        assert words in text, words
    assert "style=" not in text
    assert "<script" not in text


def fact(player: str, status: ev.RosterStatus) -> ev.RosterFact:
    return ev.RosterFact(team=H, player=player, status=status)


def test_who_took_part_is_in_every_book_page_and_file(client: FlaskClient) -> None:
    """H1 starts and is hurt, H9 replaces H3, S3 does not play, a hand-made one is inactive."""
    make_game()
    inactive = ev.RosterFact(
        team=H, player="made-1", name="Nan New", position="CB", number=84, status="inactive"
    )
    dressed = ev.RosterFact(team=H, player="S3", position="TE", number=47, status="dressed")
    drive = touchdown_drive()
    catch = ev.Run(team=H, player="?HRB-85", kind="after_lateral", start_yard=35, end_yard=36)
    changes = [catch, fact("H3", "out"), fact("H9", "in"), fact("H1", "injured")]
    bodies = [
        *drive[:2],
        fact("H1", "starter"),
        fact("H9", "starter"),
        inactive,
        dressed,
        *drive[2:6],
        *changes,
        *drive[6:],
    ]
    ingest(messages(bodies))
    for path in ("book", "box"):
        text = client.get(f"/games/g1/{path}").text
        for words in (
            *("Starters, offense", "1 H. Player1 (QB): injured Q1 15:00", "Starters, defense"),
            *(
                "9 H. Player9 (LB): in Q1 15:00",
                "Also played",
                "3 H. Player3 (RB): out Q1 15:00",
                "<li>unknown number 85 of HRB<",
            ),
            *(
                "Did not play",
                "47 S. Player3 (TE): back before the first snap",
                "Inactive",
                "84 Nan New (CB)<",
            ),
        ):
            assert words in text, (path, words)
    sides = json.loads(client.get("/games/g1/export.json").text)["participation"]
    assert [side["club_id"] for side in sides] == [S, H]
    assert [
        (player["player_id"], player["took_part"], player["unit"], player["status"])
        for player in sides[1]["players"]
    ] == [
        ("H1", "starter", "offence", "injured"),
        ("H9", "starter", "defence", "in"),
        ("H2", "played", "offence", ""),
        ("H3", "played", "offence", "out"),
        ("?HRB-85", "played", "", ""),
        ("S3", "did_not_play", "offence", "dressed"),
        ("made-1", "inactive", "defence", "inactive"),
    ]
    archive = zipfile.ZipFile(io.BytesIO(client.get("/games/g1/export.zip").data))
    rows = list(csv.DictReader(io.StringIO(archive.read("participation.csv").decode())))
    first = [rows[0][name] for name in ("club", "player_id", "number", "took_part")]
    assert first == [H, "H1", "1", "starter"]
    changed = list(csv.DictReader(io.StringIO(archive.read("substitutions.csv").decode())))
    assert [
        (row["player_id"], row["status"], row["play"], row["period"], row["clock"])
        for row in changed
    ] == [
        *[("H1", "starter", "0", "", ""), ("H1", "injured", "2", "1", "900")],
        *[("H9", "starter", "0", "", ""), ("H9", "in", "2", "1", "900")],
        *[
            ("H3", "out", "2", "1", "900"),
            ("S3", "dressed", "0", "", ""),
            ("made-1", "inactive", "0", "", ""),
        ],
    ]
    assert "<h4>Played</h4>" not in client.get("/games/g1/book").text
    before = json.loads(client.get("/games/g1/export.json?at=4").text)["participation"]
    assert [len(side["players"]) for side in before] == [0, 2], "as of a moment"


def test_every_play_of_a_simulated_game_is_in_the_book(client: FlaskClient) -> None:
    game = simulated_game(2, KICKOFF)
    store_script(game)
    ingest(messages([step.body for step in game.events], game.game_id))
    text = client.get(f"/games/{game.game_id}/book").text
    snaps = sum(isinstance(step.body, ev.Snap) for step in game.events)
    assert snaps <= text[text.index("Play-by-play") :].count("<li>") <= snaps + 1
    for period in ("Q1", "Q2", "Q3", "Q4"):
        assert text.count(f'<h3 class="period">{period}</h3>') == 1


@pytest.mark.parametrize("what", ["export.csv", "export.json", "book"])
def test_exports_of_nothing_are_there_and_of_no_game_are_not(
    client: FlaskClient, what: str
) -> None:
    make_game()
    assert client.get(f"/games/g1/{what}").status_code == 200
    assert client.get(f"/games/none/{what}").status_code == 404
    refused = client.get(f"/games/g1/{what}?at=whenever")
    assert refused.status_code == 422
    assert "is not a valid moment. Enter an event number" in refused.text


@pytest.fixture
def pressbox(app: Flask, stack: Stack, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """The command on the test's stores."""
    settings = stack.settings
    for name, value in (
        ("PRESSBOX_VAR", str(settings.var)),
        ("DATABASE_URL", settings.database_url),
        ("REDIS_URL", settings.redis_url),
        ("KAFKA_BOOTSTRAP_SERVERS", settings.kafka),
    ):
        monkeypatch.setenv(name, value)
    make_game()
    ingest(messages(touchdown_drive()))
    return CliRunner()


def test_the_command_writes_all_three(pressbox: CliRunner, tmp_path: Path) -> None:
    result = pressbox.invoke(main, ["export", "g1"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("season,season_type,week,play_id,game_id")
    target = tmp_path / "g1.html"
    assert (
        pressbox.invoke(main, ["export", "g1", "--format", "book", "--to", str(target)]).exit_code
        == 0
    )
    book = target.read_text()
    assert "@media print" in book
    assert "Summit at Harbor" in book
    assert 'href="/' not in book
    result = pressbox.invoke(main, ["export", "g1", "--format", "json", "--at", "6"])
    assert json.loads(result.stdout)["as_of_event"] == 6


def test_the_command_answers_the_named_queries(pressbox: CliRunner) -> None:
    assert tuple(NAMED_QUERIES) == QUERIES
    for arguments, line in (
        (["passing-yards", "g1", "H1"], "g1,H1,H. Player1,65"),
        (["rushing-yards", "g1"], "g1,H3,H. Player3,10"),
        (["rushing-yards", "g1", "H1"], "g1,H1,H. Player1,0"),
        (["solo-tackles", "g1", "S9"], "g1,S9,S. Player9,0,0"),
        (
            ["touchdowns", "g1"],
            "2026-09-10T00:26:40.000+00:00,Q1 14:30,3,HRB,after_catch,H2,H. Player2,H1,H. Player1",
        ),
    ):
        result = pressbox.invoke(main, ["query", *arguments, "--csv"])
        assert result.exit_code == 0, result.output
        assert result.output.splitlines()[1] == line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["export", "none"], "There is no game none"),
        (["query", "touchdowns", "none"], "There is no game none"),
        (["query", "touchdowns", "g1", "H1"], "Leave PLAYER_ID out"),
        (["export", "g1", "--at", "noon"], "is not a valid moment. Enter an event number"),
    ],
)
def test_the_commands_say_what_is_wrong(
    pressbox: CliRunner, arguments: list[str], sentence: str
) -> None:
    result = pressbox.invoke(main, arguments)
    assert result.exit_code != 0
    assert sentence in result.output


def test_the_box_score_as_csv_has_a_file_a_table_and_adds_up(client: FlaskClient) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    answer = client.get("/games/g1/export.zip")
    assert (answer.status_code, answer.mimetype) == (200, "application/zip")
    assert 'filename="g1.zip"' in answer.headers["Content-Disposition"]
    assert client.get("/games/g1/export.zip").data == answer.data
    with zipfile.ZipFile(io.BytesIO(answer.data)) as opened:
        files = {
            name: list(csv.DictReader(io.StringIO(opened.read(name).decode())))
            for name in opened.namelist()
        }
    assert {f"{spec[0].lower()}.csv" for spec in TABLES} | {
        *(
            "clubs.csv",
            "scoring.csv",
            "drives.csv",
            "game.csv",
            "officials.csv",
            "participation.csv",
        ),
        "substitutions.csv",
    } == files.keys()
    assert files["rushing.csv"] == [
        {
            "club": "HRB",
            "player_id": "H3",
            "name": "H. Player3",
            "carries": "1",
            "rushing_yards": "10",
            "rushing_tds": "0",
            "rushing_long": "10",
            "rushing_2pt": "0",
        }
    ]
    away, home = files["clubs.csv"]
    assert (away["club"], away["total_yards"], home["club"], home["points"]) == (
        "SUM",
        "0",
        "HRB",
        "7",
    )
    assert [(row["HRB"], row["drive"]) for row in files["scoring.csv"]] == [("7", "1")]
    assert files["drives.csv"][0]["yards"] == "75"
    for page in ("/games/g1/box", "/games/g1/book"):
        assert "/games/g1/export.zip" in client.get(page).text


def test_what_was_noted_of_a_throw_and_of_a_hole_is_in_the_columns_of_nflverse() -> None:
    snap = ev.Snap(possession=H, spot=30, period=1, clock=900, down=1, distance=10)
    thrown = ev.Pass(
        team=H,
        result="incomplete",
        throw_yard=30,
        length="deep",
        location="left",
        incompletion="dropped",
    )
    rush = ev.Run(team=H, kind="rush", start_yard=30, end_yard=33, location="right", gap="guard")
    bodies: list[ev.Body] = [thrown, rush]
    cells = [
        PlayColumns(Snapped(number=1, snap=snap, events=((1, snap), (2, body))), {}).cells()
        for body in bodies
    ]
    assert [
        cells[0][name] for name in ("pass_length", "pass_location", "is_drop", "is_throw_away")
    ] == [
        "deep",
        "left",
        1,
        0,
    ]
    assert [cells[1][name] for name in ("run_location", "run_gap")] == ["right", "guard"]
