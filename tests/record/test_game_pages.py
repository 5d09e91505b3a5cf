"""Box score, drives and plays of a game, with filters and empty states, as of any moment."""

from __future__ import annotations

import csv
import gzip
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.core.db import db
from app.demo.seed import simulated_game
from app.record import events as ev
from app.record.asof import valid_events
from app.record.models import GameState
from app.record.pages.box_score import box_score
from app.record.pages.box_tables import average
from app.record.play_by_play import read_games
from app.record.queries import events, game, stat_lines
from app.record.rules.box_statistics import kicking_lines
from app.record.rules.downs import downs
from app.record.rules.drives import RESULTS, drives, snapped, time_of_possession
from app.record.rules.stat_lines import Numbered
from app.record.services import store_script
from tests.conftest import REAL_GAMES
from tests.sizes import size
from tests.statements import count_statements
from tests.worlds.games import ingest, make_game, messages, touchdown_drive

TABS = ("/games/g1", "/games/g1/box", "/games/g1/drives", "/games/g1/plays")


def numbered(bodies: list[ev.Body]) -> list[Numbered]:
    events, number = [], 0
    for event, body in enumerate(bodies, start=1):
        number += isinstance(body, ev.Snap)
        events.append((event, number, body))
    return events


def snap(
    possession: str, spot: int, down: int | None = 1, distance: int | None = 10, clock: int = 600
) -> ev.Snap:
    return ev.Snap(
        possession=possession, spot=spot, period=1, clock=clock, down=down, distance=distance
    )


def rush(team: str, start: int, end: int) -> ev.Run:
    return ev.Run(team=team, player=f"{team[0]}3", kind="rush", start_yard=start, end_yard=end)


@pytest.mark.parametrize("url", TABS)
def test_a_game_without_events_has_an_empty_state_on_every_page(
    client: FlaskClient, url: str
) -> None:
    make_game()
    response = client.get(url)
    assert response.status_code == 200
    assert re.search("No plays yet|No stats yet|No drives yet", response.text)
    assert 'id="rewind"' not in response.text


@pytest.mark.parametrize("url", TABS)
def test_every_page_is_public_polls_itself_and_needs_no_inline_style(
    client: FlaskClient, url: str
) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    text = client.get(url).text
    assert "every 2s" in text
    assert "style=" not in text
    fragment = client.get(url, headers={"HX-Request": "true"})
    assert fragment.status_code == 200
    again = client.get(
        url, headers={"HX-Request": "true", "If-None-Match": fragment.headers["ETag"]}
    )
    assert again.status_code == 304


@pytest.mark.parametrize("url", TABS)
def test_the_number_of_queries_does_not_grow_with_the_plays(client: FlaskClient, url: str) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    with count_statements() as before:
        client.get(url)
    ingest(messages([snap("HRB", 40), rush("HRB", 40, 45)] * 10, first=12))
    with count_statements() as many:
        client.get(url)
    assert before() == many()


def cells(text: str, player: str) -> list[str]:
    row = re.search(
        rf'<th scope="row">(?:<a [^>]*>)?{re.escape(player)}(?:</a>)?</th>(.*?)</tr>',
        text,
        re.DOTALL,
    )
    assert row is not None, player
    return re.findall(r"<td>(.*?)</td>", row[1])


def test_the_box_score_has_players_totals_and_scores(client: FlaskClient) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    text = client.get("/games/g1/box").text
    assert cells(text, "H. Player1") == ["1/1", "65", "1", "0", "65", "0-0"]
    assert cells(text, "H. Player3") == ["1", "10", "10.0", "0", "10"]
    assert cells(text, "H. Player2") == ["1", "1", "65", "1", "65"]
    assert cells(text, "Total yards") == ["0", "75"]
    assert cells(text, "First downs") == ["0", "2"]
    assert cells(text, "First downs by rush, pass, penalty") == ["0-0-0", "1-1-0"]
    assert cells(text, "Third downs") == ["0/0, 0%", "0/0, 0%"]
    assert "H. Player2 65-yard pass from H. Player1 (kick)" in text
    assert "0–7" in text


def test_the_box_score_counts_punts_and_returns(client: FlaskClient) -> None:
    bodies: list[ev.Body] = [
        snap("HRB", 30, down=4),
        ev.Kick(
            team="HRB", kicker="H9", kind="punt", result="returned", start_yard=30, distance=45
        ),
        ev.Run(team="SUM", player="S2", kind="return", start_yard=25, end_yard=37),
        ev.Run(team="SUM", player="S3", kind="after_lateral", start_yard=37, end_yard=40),
    ]
    assert kicking_lines(snapped(numbered(bodies))) == {
        ("H9", "HRB"): {"punts": 1, "punt_yards": 45},
        ("S2", "SUM"): {"punt_return_yards": 12},
        ("S3", "SUM"): {"punt_return_yards": 3},
    }
    make_game()
    ingest(messages(bodies))
    text = client.get("/games/g1/box").text
    assert cells(text, "H. Player9") == ["1", "45", "45.0", "0", "0", "45"]
    assert cells(text, "S. Player2") == ["0", "0", "0", "1", "12", "12", "0"]
    assert cells(text, "Punts, average, net average") == ["0, 0.0, 0.0", "1, 45.0, 30.0"]


def test_a_drive_ends_with_a_score_a_kick_a_loss_or_the_half() -> None:
    period = ev.Period(period=3, phase="start")
    bodies: list[ev.Body] = [
        snap("HRB", 25, clock=900),
        rush("HRB", 25, 30),
        snap("HRB", 30, down=4, clock=800),
        ev.Kick(team="HRB", kind="punt", result="downed", start_yard=30, distance=50),
        snap("SUM", 20, clock=790),
        ev.Pass(team="SUM", passer="S1", result="intercepted", throw_yard=20, reception_yard=40),
        ev.Interception(team="HRB", player="H9", yard=60),
        ev.Fumble(team="HRB", player="H9", yard=60),
        ev.Recovery(team="SUM", player="S2", yard=40),
        snap("SUM", 40, clock=780),
        ev.Kick(team="SUM", kind="field_goal", result="missed", start_yard=40, distance=77),
        snap("HRB", 33, clock=770),
        rush("HRB", 33, 35),
        snap("HRB", 35, down=4, distance=8, clock=760),
        rush("HRB", 35, 36),
        snap("SUM", 64, clock=750),
        rush("SUM", 64, 60),
        period,
        ev.Snap(possession="HRB", spot=25, period=3, clock=900, down=1, distance=10),
    ]
    series = drives(snapped(numbered(bodies)), is_over=False)
    assert [(drive.club, drive.result) for drive in series] == [
        ("HRB", "punt"),
        ("SUM", "interception"),
        ("SUM", "missed"),
        ("HRB", "downs"),
        ("SUM", "half"),
        ("HRB", "open"),
    ]
    assert (series[0].plays, series[0].yards, series[0].seconds) == (1, 5, 110)
    assert (series[4].yards, series[4].seconds) == (-4, 750 + 900)
    assert drives(snapped(numbered(bodies)), is_over=True)[-1].result == "game"
    assert {drive.result for drive in series} < RESULTS.keys()


def test_a_play_that_was_nullified_is_in_the_drive_without_its_gain(client: FlaskClient) -> None:
    make_game()
    ingest(
        messages(
            [
                snap("HRB", 25),
                rush("HRB", 25, 60),
                snap("HRB", 15, distance=20),
                rush("HRB", 15, 18),
            ]
        )
    )
    ingest(messages([ev.Nullify(events=(2,), reason="Holding")], first=5))
    text = client.get("/games/g1/drives").text
    assert "1 play, -7 yards" in text
    assert "In progress" in text


@pytest.mark.parametrize(
    ("query", "visible", "hidden"),
    [
        ("club=SUM", "punts", "Touchdown!"),
        ("kind=pass", "for 65 yards", "runs to the HRB 35"),
        ("kind=run", "runs to the HRB 35", "for 65 yards"),
        ("kind=kick", "kicks off", "runs to the HRB 35"),
        ("kind=scoring", "extra point", "runs to the HRB 35"),
        ("kind=penalty", "Flag on", "runs to the HRB 35"),
        ("kind=turnover", "intercepted by", "runs to the HRB 35"),
        ("quarter=2", "punts", "kicks off"),
        ("player=H3", "runs to the HRB 35", "for 65 yards"),
        ("drive=1", "runs to the HRB 35", "punts"),
        ("kind=pass&quarter=1", "for 65 yards", "intercepted"),
    ],
)
def test_the_play_list_is_filtered(
    client: FlaskClient, query: str, visible: str, hidden: str
) -> None:
    make_game()
    ingest(
        messages(
            [
                *touchdown_drive(),
                ev.Snap(possession="SUM", spot=20, period=2, clock=700, down=4, distance=9),
                ev.Kick(
                    team="SUM",
                    kicker="S9",
                    kind="punt",
                    result="downed",
                    start_yard=20,
                    distance=40,
                ),
                ev.Snap(possession="HRB", spot=40, period=2, clock=600, down=1, distance=10),
                ev.Pass(team="HRB", passer="H1", result="intercepted", throw_yard=40),
                ev.Interception(team="SUM", player="S9", yard=50),
                ev.Penalty(team="SUM", foul="Holding", yards=10),
            ]
        )
    )
    text = client.get(f"/games/g1/plays?{query}").text
    listed = text[text.index('<ol class="plays">') :]
    assert visible in listed
    assert hidden not in listed


def test_plays_stand_below_their_drive_with_its_kickoff_and_its_try(client: FlaskClient) -> None:
    make_game()
    ingest(messages([*touchdown_drive(), snap("SUM", 25), rush("SUM", 25, 29)]))
    text = client.get("/games/g1/plays").text
    newest, oldest = text.split('<details class="drive-plays"')[1:]
    assert "In progress" in newest
    assert "Touchdown" in oldest
    assert re.findall(r'id="play-(\d+)"', newest) == ["5"]
    assert re.findall(r'id="play-(\d+)"', oldest) == ["4", "3", "2", "1", "0"]
    assert "SUM 0, HRB 7" in oldest
    assert re.search(r"\sopen>", newest.partition("<summary")[0])
    assert not re.search(r"\sopen>", oldest.partition("<summary")[0]), "older drives are folded"
    filtered = client.get("/games/g1/plays?kind=pass").text
    assert re.search(r'class="drive-plays"[^>]*\sopen>', filtered), "what was looked for is shown"


def test_a_final_begins_with_its_scores_and_leaders(client: FlaskClient) -> None:
    make_game()
    ingest(messages([*touchdown_drive(), ev.GameEnded(), ev.Final(home_score=7, away_score=0)]))
    text = client.get("/games/g1").text
    scoring, leaders, latest = (
        text.index(f">{heading}</h2>") for heading in ("Scoring", "Leaders", "Latest plays")
    )
    assert max(scoring, leaders) < latest
    assert "Final: SUM 0, HRB 7." in text
    assert 'class="field-svg"' not in text


def test_the_drive_on_the_field_has_a_tick_for_each_play(client: FlaskClient) -> None:
    make_game()
    ingest(messages([snap("HRB", 25), rush("HRB", 25, 29), snap("HRB", 29, down=2, distance=6)]))
    field = client.get("/games/g1").text.partition('class="field-svg"')[2].partition("</svg>")[0]
    assert field.count('class="drive-end"') == 2


@pytest.mark.parametrize(
    "query", ["club=NOPE", "kind=tackle", "quarter=9", "quarter=x", "player=nobody", "drive=77"]
)
def test_a_filter_that_fits_nothing_says_so(client: FlaskClient, query: str) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    response = client.get(f"/games/g1/plays?{query}")
    assert response.status_code == 200
    assert "No plays match" in response.text
    assert "Show all" in response.text


def test_addresses_with_odd_names_do_no_harm(client: FlaskClient) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    assert client.get('/games/g1/plays?game_id=x&_external=1&player="><script>').status_code == 200
    assert "<script>alert" not in client.get("/games/g1/plays?kind=<script>alert").text


def test_average_rounds_halves_away_from_zero() -> None:
    assert [average(5, 4), average(-5, 4), average(-1, 30), average(0, 3)] == [
        "1.3",
        "-1.3",
        "0.0",
        "0.0",
    ]


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_simulated_game_adds_up(client: FlaskClient, seed: int) -> None:
    script = simulated_game(seed, datetime(2026, 9, 13, tzinfo=UTC))
    store_script(script)
    ingest(messages([step.body for step in script.events], script.game_id))
    row = game(script.game_id)
    assert row is not None
    valid = valid_events(events(script.game_id))
    box = box_score(row, valid, stat_lines(script.game_id), {})
    assert (box.scores[-1].away, box.scores[-1].home) == (row.away_score, row.home_score)
    plays = snapped(valid)
    possession = time_of_possession(plays, (row.home.id, row.away.id), is_over=True)
    assert sum(possession.values()) >= 3600
    listed = [
        drive
        for drive in drives(plays, is_over=True)
        if drive.result in ("touchdown", "field_goal")
    ]
    stats = db.session.get_one(GameState, script.game_id).state
    assert sum(stats["home_by_period"]) == row.home_score
    assert listed
    for tab in ("", "/box", "/drives", "/plays"):
        assert client.get(f"/games/{script.game_id}{tab}").status_code == 200


@pytest.mark.realgames
@pytest.mark.sized
def test_first_downs_of_every_real_game_are_the_published_ones() -> None:
    files = sorted(REAL_GAMES.glob("*/pbp/*.csv.gz"))
    assert len(files) == 35
    wrong = []
    for file in files[:: size("PRESSBOX_EVERY_NTH_GAME", 5, 1)]:
        wrong += _different_first_downs(file)
    assert wrong == []


def _different_first_downs(file: Path) -> list[tuple[str, str, int, int]]:
    (script,) = read_games([file], None)
    plays = snapped(numbered([step.body for step in script.events]))
    with gzip.open(file, "rt", newline="") as opened:
        rows = list(csv.DictReader(opened))
    columns = ("first_down_rush", "first_down_pass", "first_down_penalty")
    counts = []
    for club in (script.home.id, script.away.id):
        published = sum(
            row[column] in ("1", "1.0")
            for row in rows
            if row["posteam"] == club
            for column in columns
        )
        if (counted := downs(plays, club).first_downs) != published:
            counts.append((script.game_id, club, counted, published))
    return counts


def test_looking_back_shows_score_plays_and_box_of_then(client: FlaskClient) -> None:
    make_game()
    ingest(messages([*touchdown_drive(), ev.Nullify(events=(8, 9), reason="Holding")]))
    now, then = client.get("/games/g1/box").text, client.get("/games/g1/box?at=11").text
    assert "65" not in cells(now, "H. Player3")
    assert cells(then, "H. Player1") == ["1/1", "65", "1", "0", "65", "0-0"]
    assert "As of Q1 14:20" in then
    assert "every 2s" not in then
    early = client.get("/games/g1?at=6").text
    assert "Player3</a> runs to the HRB 35 for 10." in early
    assert "for 65 yards" not in early
    assert "Back to now" in early
    assert "at=6" in early[early.index('id="tab-box"') :]


def test_looking_back_by_game_clock(client: FlaskClient) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    assert 'at=6"' in client.get("/games/g1?at=Q1-14:59").text
    assert 'at=9"' in client.get("/games/g1?at=q1 14:30").text


@pytest.mark.parametrize(
    "at", ["Q7-1:00", "yesterday", "-3", "2026-09-13T18:00:00", "Q1-16:00", "1.5"]
)
def test_a_moment_that_cannot_be_read_says_how_to_write_one(client: FlaskClient, at: str) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    response = client.get("/games/g1", query_string={"at": at})
    assert response.status_code == 422
    assert "is not a valid moment. Enter an event number" in response.text
    assert (
        client.get("/games/g1", query_string={"at": at}, headers={"HX-Request": "true"}).status_code
        == 422
    )


def test_before_the_first_event_the_game_has_not_begun(client: FlaskClient) -> None:
    make_game()
    ingest(messages(touchdown_drive()))
    text = client.get("/games/g1?at=0").text
    assert "No plays yet" in text
    assert 'class="score"' not in text
