"""Leagues from CSV tables. The people and footballers are invented."""

from __future__ import annotations

import pytest

from app.core.refusals import Refusal
from app.draft_leagues.importing.csv_league import read_csv_league
from app.draft_leagues.importing.values import ImportedGame, ImportedLeague, ImportedPlayer
from app.draft_leagues.settings import PRESETS

ROSTERS = b"""Team,Player,Position,Club,Spot
Anchors,Dante Farrow,WR,ARI,
Anchors,Cole Lund,QB,CHI,IR
Badgers,Tariq Vance,RB,KC,taxi
"""
TEAMS = b"Team,Owner,Waiver priority,Budget used,Division\nAnchors,Ann,2,15,1\nBadgers,Bob,1,0,2\n"
RESULTS = b"Week;Home;Away;Home points;Away points\n1;Anchors;Badgers;101.5;99.25\n2;Badgers;;;\n"


def test_the_tables_are_known_by_their_columns() -> None:
    league = read_csv_league(
        {"c.csv": RESULTS, "a.csv": ROSTERS, "b.csv": TEAMS}, "Old", PRESETS["redraft"], "files"
    )
    assert isinstance(league, ImportedLeague), league
    anchors, badgers = league.teams
    assert (anchors.owner, anchors.waiver_priority, anchors.budget_used) == ("Ann", 2, 15)
    assert anchors.players[1] == ImportedPlayer("line-3", "Cole Lund", "QB", "CHI", spot="reserve")
    assert badgers.players[0].spot == "taxi"
    assert league.games == (
        ImportedGame(1, "Anchors", "Badgers", 101_500, 99_250),
        ImportedGame(2, "Badgers", None),
    )
    assert (league.settings.franchises, league.settings.season.divisions) == (2, 2)


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a.csv": TEAMS}, "rosters"),
        ({"a.csv": b"Team,Player\nOnly,One Man\n"}, "teams"),
        ({"a.csv": ROSTERS, "b.csv": b"Week,Home,Away\n1,Anchors,Nobody\n"}, "results"),
        ({"a.csv": ROSTERS, "b.csv": b"Week,Home,Away\n31,Anchors,Badgers\n"}, "results"),
        ({"a.csv": ROSTERS, "b.csv": b"Colour,Size\nred,4\n"}, "columns"),
        ({"a.csv": b"\x00"}, "file"),
        ({"a.csv": b"Team,Player\n,Cole Lund\n"}, "team"),
        ({"a.csv": ROSTERS, "b.csv": TEAMS + TEAMS.splitlines()[1] + b"\n"}, "team_twice"),
        ({"a.csv": ROSTERS, "b.csv": TEAMS.replace(b"15", b"x")}, "number"),
        ({"a.csv": ROSTERS, "b.csv": RESULTS.replace(b"99.25", b"x")}, "number"),
        ({"a.csv": ROSTERS, "b.csv": RESULTS.replace(b"99.25", b"1.090")}, "number"),
        ({"a.csv": ROSTERS, "b.csv": RESULTS.replace(b"99.25", b"")}, "results"),
    ],
)
def test_what_is_missing_or_wrong_is_told(files: dict[str, bytes], code: str) -> None:
    refusal = read_csv_league(files, "Old", PRESETS["redraft"], "files")
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.field) == (code, "files")


@pytest.mark.parametrize(
    ("separator", "typed", "thousandths"),
    [
        # Excel writes 90,5 in German, French and Spanish, with semicolons between the cells.
        (";", "90,5", 90_500),
        (";", "90.5", 90_500),
        ("\t", "101,25", 101_250),
        (",", '"90,5"', 90_500),
        (",", "90.125", 90_125),
        (",", " 88 ", 88_000),
    ],
)
def test_points_are_read_as_the_program_that_wrote_them_means(
    separator: str, typed: str, thousandths: int
) -> None:
    lines = (("Week", "Home", "Away", "Home points", "Away points"), ["1", "Anchors", "Badgers"])
    head, row = separator.join(lines[0]), separator.join((*lines[1], typed, "80"))
    files = {"a.csv": ROSTERS, "b.csv": f"{head}\n{row}\n".encode()}
    league = read_csv_league(files, "Old", PRESETS["redraft"], "files")
    assert isinstance(league, ImportedLeague), league
    assert league.games[0].home_points == thousandths


def test_a_league_with_results_counts_from_the_first_of_them_on() -> None:
    league = read_csv_league(
        {"a.csv": ROSTERS, "b.csv": RESULTS}, "Old", PRESETS["redraft"], "files"
    )
    assert isinstance(league, ImportedLeague)
    assert league.settings.season.first_week == 1


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (
            "1,Anchors,Loewen",
            "Loewen is not in the rosters. Use the same team names as the rosters.",
        ),
        (
            "1,Loewen,Baeren",
            "Loewen and Baeren are not in the rosters. Use the same team names as the rosters.",
        ),
        ("1,,Anchors", "enter the home team."),
        ("1,Anchors,Anchors", "Anchors cannot play itself."),
        ("31,Anchors,Badgers", "enter a week from 1 to 30."),
    ],
)
def test_a_refused_game_says_what_is_wrong_with_it(row: str, fault: str) -> None:
    files = {"a.csv": ROSTERS, "games.csv": f"Week,Home,Away\n{row}\n".encode()}
    refusal = read_csv_league(files, "Old", PRESETS["redraft"], "files")
    assert isinstance(refusal, Refusal)
    assert refusal.text == f"games.csv, line 2: {fault}"


def test_a_refusal_names_the_file_and_the_line() -> None:
    files = {"a.csv": ROSTERS, "games.csv": RESULTS.replace(b"99.25", b"many")}
    refusal = read_csv_league(files, "Old", PRESETS["redraft"], "files")
    assert isinstance(refusal, Refusal)
    assert refusal.text == "games.csv, line 2: “many” is not a number. Write it like 1090.5."
