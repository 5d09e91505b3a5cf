"""`pressbox tournament`: making, listing, polling and ending one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from app.cli import main
from app.cli import tournaments as commands
from app.core.db import db
from app.predictions import tournaments
from app.predictions.models import Match, ProviderSource, Tournament
from tests.commands import use_here
from tests.predictions.providing import Served

Run = Callable[..., Result]


@pytest.fixture
def run(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `pressbox tournament ...` in this process."""
    use_here(monkeypatch, commands, app)
    return lambda *arguments: CliRunner().invoke(main, ["tournament", *arguments])


def create(run: Run, served: Served, *more: str, name: str = "The Cup") -> Result:
    return run("create", name, "--provider", "http-json", "--address", served.address, *more)


def test_the_score_that_counts_is_declared_until_a_match_has_ended(
    run: Run, served: Served
) -> None:
    """The answer is read again, although the provider says that nothing is new (decision 0076)."""
    assert create(run, served, "--simulated", "--counts", "regulation").exit_code == 0
    tournament = db.session.scalars(db.select(Tournament)).one()
    assert tournament.counted_score == "regulation"
    assert (
        "'90' is not one of as_given, overtime, regulation"
        in run("counts", str(tournament.id), "90").output
    )
    declared = run("counts", str(tournament.id), "shootout")
    assert declared.exit_code == 0, declared.output
    assert (
        "The Cup: If a match goes to extra time, the score after extra time counts."
        in declared.output
    )
    assert served.statuses == [200, 200]
    assert ",active,shootout,http-json," in run("list", "--csv").output
    served.at("2026-09-13T20:00:00Z")
    run("poll", str(tournament.id))
    assert (
        "has already ended, so it keeps counting shootout"
        in run("counts", str(tournament.id), "regulation").output
    )


def test_a_tournament_is_made_listed_polled_and_ended(run: Run, served: Served) -> None:
    created = create(run, served, "--simulated", "--rule", "exact")
    assert created.exit_code == 0, created.output
    tournament = db.session.scalars(db.select(Tournament)).one()
    assert created.output.splitlines() == [f"{tournament.id}  The Cup", "rounds: 1"]
    assert (tournament.is_simulated, tournament.rule["exact"]) == (True, 300)
    assert db.session.get_one(ProviderSource, tournament.id).name == "127.0.0.1"
    served.at("2026-09-13T20:00:00Z")
    assert (
        run("poll", str(tournament.id)).output
        == f"{tournament.id}  changed, rounds: 1, settlements: 2\n"
    )
    assert run("poll").output == f"{tournament.id}  unchanged\n"
    listed = run("list", "--csv").output.splitlines()
    assert listed[0] == "id,name,state,counts,provider,last answer,fault"
    assert listed[1].startswith(f"{tournament.id},The Cup,active,as_given,http-json,20")
    assert run("end", str(tournament.id)).output == "The Cup has ended.\n"
    assert ",ended," in run("list", "--csv").output
    assert tournaments.polled() == []
    refused = run("poll", str(tournament.id))
    assert refused.exit_code == 1
    assert "There is no active tournament" in refused.output


def test_a_rule_may_be_a_file(run: Run, served: Served, tmp_path: Path) -> None:
    rule = tmp_path / "rule.json"
    rule.write_text('{"winner": 200, "margin": 50, "margin_within": 7}')
    assert create(run, served, "--rule", str(rule)).exit_code == 0
    rule_stored = db.session.scalars(db.select(Tournament)).one().rule
    assert (rule_stored["winner"], rule_stored["margin_within"], rule_stored["closest"]) == (
        200,
        7,
        0,
    )


def test_games_of_nflverse_come_from_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text(
        "game_id,season,game_type,week,gameday,gametime,away_team,away_score,home_team,home_score\n"
        "2026_01_GB_CHI,2026,REG,1,2026-09-10,20:20,GB,,CHI,\n"
    )
    created = run("create", "NFL", "--provider", "nflverse-games", "--address", f"{path}#2026/REG")
    assert created.exit_code == 0, created.output
    assert db.session.scalars(db.select(Match.external_id)).one() == "2026_01_GB_CHI"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--provider", "ftp", "--address", "x"], "There is no provider 'ftp'. Use http-json"),
        (
            ["--provider", "http-json", "--address", "x"],
            "does not fit http-json. Use an address that starts with",
        ),
        (
            ["--provider", "nflverse-games", "--address", "games.csv#2026"],
            "Give the file's full path",
        ),
        (
            ["--provider", "nflverse-games", "--address", "/games.csv"],
            "End the address with the season",
        ),
        (
            ["--provider", "official-record", "--address", "nfl"],
            "Name competition, season and season type",
        ),
        (
            ["--provider", "official-record", "--address", "nfl/2026/REG", "--rule", "best"],
            "'best' is neither winner",
        ),
    ],
)
def test_what_cannot_be_made_says_what_to_change(
    run: Run, private_providers: None, arguments: list[str], sentence: str
) -> None:
    refused = run("create", "The Cup", *arguments)
    assert refused.exit_code == 1
    assert sentence in refused.output
    assert db.session.scalars(db.select(Tournament)).all() == []


def test_a_rule_that_is_wrong_names_the_field(run: Run, served: Served, tmp_path: Path) -> None:
    rule = tmp_path / "rule.json"
    rule.write_text('{"winner": 20000}')
    assert "winner: expected" in create(run, served, "--rule", str(rule)).output
    rule.write_text('{"win": 1}')
    assert "`win`" in create(run, served, "--rule", str(rule)).output


def test_a_name_is_taken_once(run: Run, served: Served) -> None:
    assert create(run, served).exit_code == 0
    assert "There is already a tournament 'The Cup'" in create(run, served).output
    assert "a name of 1 to 80 characters" in create(run, served, name="x" * 81).output


def test_a_first_poll_that_fails_leaves_the_tournament_and_says_why(
    run: Run, served: Served
) -> None:
    served.provider.fault = "error"
    created = create(run, served)
    assert created.exit_code == 1
    assert "its first poll failed. The provider 127.0.0.1 answered 500" in created.output
    again = run("poll")
    assert again.exit_code == 1
    assert "1 of 1 providers returned nothing" in again.output


@pytest.mark.parametrize("command", ["poll", "end"])
def test_an_id_that_is_none_is_refused(run: Run, command: str) -> None:
    assert "'x' is not an id" in run(command, "x").output
    missing = run(command, "58de2f1b-1374-4c92-bd53-23a81943de4b")
    assert missing.exit_code == 1
    assert "`pressbox tournament list` shows them" in missing.output
