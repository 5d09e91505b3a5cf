"""Games taken away: the CSV comes back with the same points, JSON has every revision, the book is all on one page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from app.cli import main
from app.cli.record import QUERIES
from app.demo.seed import simulated_game
from app.embedded.stack import Stack
from app.fantasy.scoring.points import store_player_points
from app.fantasy.scoring.rules import PRESETS, points
from app.record import events as ev
from app.record.asof import valid_events
from app.record.ingest import ingest_batch
from app.record.named_queries import NAMED_QUERIES
from app.record.pages.wide_csv import COLUMNS, wide_csv
from app.record.play_by_play import read_games
from app.record.queries import ClubRow, GameRow, events
from app.record.rules.stat_lines import Numbered, StatLine, credits, stat_lines
from app.record.rules.state import game_state
from app.record.script import GameScript
from app.record.services import store_script
from tests.conftest import REAL_GAMES
from tests.record.factory import KICKOFF, NOW, make_game, messages, touchdown_drive

H, S = "HRB", "SUM"


def numbered(bodies: Iterable[ev.Body]) -> list[Numbered]:
    found, play = [], 0
    for number, body in enumerate(bodies, start=1):
        play += isinstance(body, ev.Snap)
        found.append((number, play, body))
    return found


def row_of(valid: list[Numbered], home: str = H, away: str = S, game_id: str = "g1") -> GameRow:
    state = game_state(valid, home, away)
    clubs = [ClubRow(club, club, "", "#224466") for club in (home, away)]
    return GameRow(
        game_id, 2026, "REG", 1, KICKOFF, clubs[0], clubs[1], state.status, state.home_score, state.away_score, {}, 1
    )


def back(text: str, folder: Path) -> tuple[GameScript, list[Numbered]]:
    file = folder / "game.csv"
    file.write_text(text)
    (script,) = read_games([file], None)
    return script, numbered(step.body for step in script.events)


def lines(valid: list[Numbered]) -> dict[str, StatLine]:
    """Stat lines, without those of nothing but zeros."""
    return {player: line for player, line in stat_lines(credits(valid)).items() if line.stats}


def points_of(found: dict[str, StatLine]) -> dict[tuple[str, str], int]:
    return {
        (player, name): points(line.stats, rules) for player, line in found.items() for name, rules in PRESETS.items()
    }


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_simulated_game_comes_back_with_the_same_points_for_everybody(
    client: FlaskClient, tmp_path: Path, seed: int
) -> None:
    game = simulated_game(seed, KICKOFF)
    store_script(game)
    ingest_batch(messages([step.body for step in game.events], game.game_id), NOW, store_player_points)
    response = client.get(f"/games/{game.game_id}/export.csv")
    assert response.mimetype == "text/csv"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{game.game_id}.csv"'
    script, again = back(response.text, tmp_path)
    here = valid_events(events(game.game_id))
    assert len(lines(here)) > 40
    assert points_of(lines(again)) == points_of(lines(here))
    assert lines(again) == lines(here)
    assert (script.game_id, script.season, script.season_type, script.week, script.kickoff) == (
        game.game_id,
        game.season,
        game.season_type,
        game.week,
        game.kickoff,
    )
    then, now = game_state(again), game_state(here, game.home.id, game.away.id)
    assert (then.home_by_period, then.away_by_period, then.status) == (
        now.home_by_period,
        now.away_by_period,
        now.status,
    )


@pytest.mark.realgames
def test_every_real_game_comes_back_with_the_same_points_for_everybody(tmp_path: Path) -> None:
    files = sorted(REAL_GAMES.glob("*/pbp/*.csv.gz"))
    assert len(files) == 35
    for file in files:
        (script,) = read_games([file], None)
        here = numbered(step.body for step in script.events)
        game = row_of(here, script.home.id, script.away.id, script.game_id)
        _, again = back(wide_csv(game, here, {}), tmp_path)
        assert points_of(lines(again)) == points_of(lines(here)), file.name


def snap(possession: str = H, spot: int = 40, situation: str = "scrimmage") -> ev.Snap:
    down = 1 if situation == "scrimmage" else None
    return ev.Snap(
        possession=possession,
        spot=spot,
        period=1,
        clock=600,
        situation=situation,
        down=down,
        distance=10 if down else None,
    )  # type: ignore[arg-type]


ODD_PLAYS: list[tuple[str, list[ev.Body]]] = [
    (
        "a lateral after a catch that scores",
        [
            snap(),
            ev.Pass(team=H, passer="H1", receiver="H2", result="complete", throw_yard=40, reception_yard=60),
            ev.Run(team=H, player="H2", kind="after_catch", start_yard=60, end_yard=70),
            ev.Run(team=H, player="H3", kind="after_lateral", start_yard=70, end_yard=100, is_touchdown=True),
        ],
    ),
    (
        "a lateral on a rush that comes back to the runner",
        [
            snap(),
            ev.Run(team=H, player="H3", kind="rush", start_yard=40, end_yard=45),
            ev.Run(team=H, player="H2", kind="after_lateral", start_yard=45, end_yard=55),
            ev.Run(team=H, player="H3", kind="after_lateral", start_yard=55, end_yard=60),
        ],
    ),
    (
        "a punt returned for a touchdown",
        [
            snap(),
            ev.Kick(team=H, kicker="H9", kind="punt", result="returned", start_yard=40, distance=40),
            ev.Run(team=S, player="S2", kind="return", start_yard=20, end_yard=100, is_touchdown=True),
        ],
    ),
    (
        "a muffed punt",
        [
            snap(),
            ev.Kick(team=H, kicker="H9", kind="punt", result="recovered", start_yard=40, distance=40),
            ev.Fumble(team=S, player="S2", yard=20),
            ev.Recovery(team=H, player="H3", yard=80),
        ],
    ),
    (
        "a blocked punt brought in",
        [
            snap(),
            ev.Kick(
                team=H, kicker="H9", kind="punt", result="blocked", start_yard=40, blocked_by="S9", blocked_by_team=S
            ),
            ev.Recovery(team=S, player="S3", yard=70),
            ev.Run(team=S, player="S3", kind="after_recovery", start_yard=70, end_yard=100, is_touchdown=True),
        ],
    ),
    (
        "an own kickoff recovered in the end zone",
        [
            snap(H, 35, "kickoff"),
            ev.Kick(team=H, kicker="H9", kind="kickoff", result="recovered", start_yard=35, distance=65),
            ev.Recovery(team=H, player="H3", yard=100, is_touchdown=True),
        ],
    ),
    (
        "a fumble lost on a sack and brought in",
        [
            snap(),
            ev.Sack(team=H, player="H1", start_yard=40, end_yard=33, by_team=S, by=("S9", "S3")),
            ev.Fumble(team=H, player="H1", yard=33, forced_by="S9", forced_by_team=S),
            ev.Recovery(team=S, player="S3", yard=67),
            ev.Run(team=S, player="S3", kind="after_recovery", start_yard=67, end_yard=100, is_touchdown=True),
        ],
    ),
    (
        "an own fumble recovered and brought in",
        [
            snap(),
            ev.Run(team=H, player="H3", kind="rush", start_yard=40, end_yard=50),
            ev.Fumble(team=H, player="H3", yard=50),
            ev.Recovery(team=H, player="H2", yard=52),
            ev.Run(team=H, player="H2", kind="after_recovery", start_yard=52, end_yard=100, is_touchdown=True),
        ],
    ),
    (
        "an interception returned, with a lateral that scores",
        [
            snap(),
            ev.Pass(team=H, passer="H1", receiver="H2", result="intercepted", throw_yard=40, reception_yard=60),
            ev.Interception(team=S, player="S9", yard=40),
            ev.Run(team=S, player="S9", kind="return", start_yard=40, end_yard=60),
            ev.Run(team=S, player="S3", kind="after_lateral", start_yard=60, end_yard=100, is_touchdown=True),
        ],
    ),
    (
        "two points by pass",
        [snap(H, 98, "try"), ev.Conversion(team=H, kind="pass", good=True, passer="H1", player="H2")],
    ),
    ("two points by run", [snap(H, 98, "try"), ev.Conversion(team=H, kind="rush", good=True, player="H3")]),
    (
        "a try brought back",
        [
            snap(H, 98, "try"),
            ev.Conversion(team=H, kind="pass", good=False, passer="H1", player="H2"),
            ev.Conversion(team=S, side="defence", kind="return", good=True, player="S9"),
        ],
    ),
    (
        "a safety",
        [
            snap(H, 5),
            ev.Sack(team=H, player="H1", start_yard=5, end_yard=0, by_team=S, by=("S9",)),
            ev.Safety(team=S, player="S9"),
        ],
    ),
    (
        "a field goal from 61",
        [snap(H, 56), ev.Kick(team=H, kicker="H9", kind="field_goal", result="good", start_yard=56, distance=61)],
    ),
    (
        "a blocked extra point",
        [
            snap(H, 85, "try"),
            ev.Kick(
                team=H,
                kicker="H9",
                kind="extra_point",
                result="blocked",
                start_yard=85,
                distance=33,
                blocked_by="S9",
                blocked_by_team=S,
            ),
        ],
    ),
    ("a catch wiped out by a foul", [snap(), ev.Penalty(team=H, player="H3", foul="Offensive Holding", yards=10)]),
    (
        "a spike, a kneel and a scramble",
        [
            snap(),
            ev.Pass(team=H, passer="H1", result="spike", throw_yard=40),
            snap(),
            ev.Run(team=H, player="H1", kind="kneel", start_yard=40, end_yard=39),
            snap(),
            ev.Run(team=H, player="H1", kind="scramble", start_yard=39, end_yard=52),
        ],
    ),
    (
        "credits of the defence",
        [
            snap(),
            ev.Run(team=H, player="H3", kind="rush", start_yard=40, end_yard=38),
            ev.Tackle(team=S, tackler="S9", tackled="H3", kind="primary", yard=38),
            ev.Tackle(team=S, tackler="S3", tackled="H3", kind="assist", yard=38),
            ev.Credit(team=S, player="S9", kind="tackle_for_loss"),
            snap(),
            ev.Pass(team=H, passer="H1", receiver="H2", result="incomplete", throw_yard=38),
            ev.Credit(team=S, player="S3", kind="pass_defended"),
            ev.Credit(team=S, player="S9", kind="qb_hit"),
        ],
    ),
]


@pytest.mark.parametrize("bodies", [bodies for _, bodies in ODD_PLAYS], ids=[word for word, _ in ODD_PLAYS])
def test_an_odd_play_comes_back_as_it_was(tmp_path: Path, bodies: list[ev.Body]) -> None:
    here = numbered([ev.GameStarted(home=H, away=S), *bodies])
    _, again = back(wide_csv(row_of(here), here, {}), tmp_path)
    assert lines(again) == lines(here)
    scores = [(state.home_score, state.away_score) for state in (game_state(again), game_state(here))]
    assert scores[0] == scores[1]


def test_what_no_column_can_say_is_the_third_man_of_a_chain(tmp_path: Path) -> None:
    """As docs/exports.md says: a second lateral's yards have no column; the first two runners' are right."""
    here = numbered(
        [
            ev.GameStarted(home=H, away=S),
            snap(),
            ev.Run(team=H, player="H3", kind="rush", start_yard=40, end_yard=45),
            ev.Run(team=H, player="H2", kind="after_lateral", start_yard=45, end_yard=50),
            ev.Run(team=H, player="H1", kind="after_lateral", start_yard=50, end_yard=58),
        ]
    )
    _, again = back(wide_csv(row_of(here), here, {}), tmp_path)
    assert lines(again)["H3"].stats["rushing_yards"] == 5
    assert lines(again)["H2"].stats["rushing_yards"] == 5
    assert "H1" not in lines(again)


def test_the_columns_are_those_of_the_public_files(client: FlaskClient) -> None:
    make_game()
    ingest_batch(messages(touchdown_drive()), NOW, store_player_points)
    rows = list(csv.DictReader(io.StringIO(client.get("/games/g1/export.csv").text)))
    assert len(set(COLUMNS)) == len(COLUMNS)
    assert [row["play_type"] for row in rows] == ["kickoff", "run", "pass", "extra_point"]
    kickoff, run, catch, _ = rows
    assert (kickoff["posteam"], kickoff["defteam"], kickoff["yardline_100"], kickoff["touchback"]) == (H, S, "35", "1")
    assert (run["rusher_player_id"], run["rusher_player_name"], run["rushing_yards"]) == ("H3", "H. Player3", "10")
    assert (catch["passing_yards"], catch["air_yards"], catch["yards_after_catch"]) == ("65", "25", "40")
    assert (catch["td_player_id"], catch["pass_touchdown"], catch["down"], catch["ydstogo"]) == ("H2", "1", "1", "10")
    assert (catch["total_home_score"], rows[3]["total_home_score"], catch["qtr"], catch["time"]) == (
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
    ours = {column for column in COLUMNS if not column.startswith("tackle_with_assist")}
    assert ours - public <= {"desc", "home_score", "away_score", "start_time"}


def test_the_json_has_every_revision_and_the_stat_lines(client: FlaskClient) -> None:
    make_game()
    ruling = ev.Run(team=H, player="H2", kind="rush", start_yard=25, end_yard=30)
    bodies = [*touchdown_drive(), ev.Overturn(event=6, ruling=ruling, reason="film"), ev.Nullify(events=(8, 9))]
    ingest_batch(messages(bodies), NOW, store_player_points)
    response = client.get("/games/g1/export.json")
    assert response.mimetype == "application/json"
    data = json.loads(response.text)
    assert (data["v"], data["game"]["game_id"], data["as_of_event"]) == (1, "g1", 13)
    of_six = [row for row in data["events"] if row["event_number"] == 6]
    assert [(row["revision"], row["valid"], row["taken_by"]) for row in of_six] == [(0, False, 12), (12, True, None)]
    assert len(data["events"]) == 14
    assert [json.loads(json.dumps(ev.body_to(ev.body_from(row["body"])))) for row in data["events"]] == [
        row["body"] for row in data["events"]
    ]
    assert {line["player_id"]: line["stats"] for line in data["stat_lines"] if line["stats"]} == {
        "H2": {"carries": 1, "rushing_yards": 5}
    }
    then = json.loads(client.get("/games/g1/export.json?at=11").text)
    assert (then["as_of_event"], len(then["events"]), then["game"]["home_score"]) == (11, 11, 7)


def test_the_book_has_everything_on_one_page(client: FlaskClient) -> None:
    make_game()
    ingest_batch(messages([*touchdown_drive(), ev.Timeout(team=S)]), NOW, store_player_points)
    text = client.get("/games/g1/book").text
    for shown in (
        "Summit at Harbor",
        "Touchdown: H. Player2, pass from H. Player1",
        "Total yards",
        "Passing",
        "HRB: Q1 15:00 from HRB 25",
        "2 plays, 75 yards, 0:40. Touchdown",
        "Timeout SUM.",
    ):
        assert shown in text, shown
    assert "style=" not in text
    assert "<script" not in text


def test_every_play_of_a_simulated_game_is_in_the_book(client: FlaskClient) -> None:
    game = simulated_game(2, KICKOFF)
    store_script(game)
    ingest_batch(messages([step.body for step in game.events], game.game_id), NOW, store_player_points)
    text = client.get(f"/games/{game.game_id}/book").text
    snaps = sum(isinstance(step.body, ev.Snap) for step in game.events)
    assert snaps <= text[text.index("Play by play") :].count("<li>") <= snaps + 1
    for period in ("Q1", "Q2", "Q3", "Q4"):
        assert text.count(f'<h3 class="period">{period}</h3>') == 1


@pytest.mark.parametrize("what", ["export.csv", "export.json", "book"])
def test_exports_of_nothing_are_there_and_of_no_game_are_not(client: FlaskClient, what: str) -> None:
    make_game()
    assert client.get(f"/games/g1/{what}").status_code == 200
    assert client.get(f"/games/none/{what}").status_code == 404
    refused = client.get(f"/games/g1/{what}?at=whenever")
    assert refused.status_code == 422
    assert "is no moment; write an event number" in refused.text


@pytest.fixture
def pressbox(app: Flask, stack: Stack, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """The command on the test's stores."""
    monkeypatch.setenv("PRESSBOX_VAR", str(stack.settings.var))
    make_game()
    ingest_batch(messages(touchdown_drive()), NOW, store_player_points)
    return CliRunner()


def test_the_command_writes_all_three(pressbox: CliRunner, tmp_path: Path) -> None:
    result = pressbox.invoke(main, ["export", "g1"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("season,season_type,week,play_id,game_id")
    target = tmp_path / "g1.html"
    assert pressbox.invoke(main, ["export", "g1", "--format", "book", "--to", str(target)]).exit_code == 0
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
        (["touchdowns", "g1"], "2026-09-10T00:26:40.000+00:00,Q1 14:30,3,HRB,after_catch,H2,H. Player2,H1,H. Player1"),
    ):
        result = pressbox.invoke(main, ["query", *arguments, "--csv"])
        assert result.exit_code == 0, result.output
        assert result.output.splitlines()[1] == line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["export", "none"], "There is no game none"),
        (["query", "touchdowns", "none"], "There is no game none"),
        (["query", "touchdowns", "g1", "H1"], "leave PLAYER_ID out"),
        (["export", "g1", "--at", "noon"], "is no moment; write an event number"),
    ],
)
def test_the_commands_say_what_is_wrong(pressbox: CliRunner, arguments: list[str], sentence: str) -> None:
    result = pressbox.invoke(main, arguments)
    assert result.exit_code != 0
    assert sentence in result.output
