"""`pressbox tournament void|unvoid|redate|release|merge|decisions`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from app.cli import main, match_acts, tournaments
from app.core.db import db
from app.predictions.points import PRESETS
from tests.commands import use_here
from tests.predictions.deciding import LATER, dropped_match, entries, stored
from tests.worlds.tournament import KICKOFF, World

Run = Callable[..., Result]


@pytest.fixture
def here(world: Callable[..., World]) -> World:
    return dropped_match(world(PRESETS["margin"]))


@pytest.fixture
def run(here: World, app: Flask, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `pressbox tournament COMMAND TOURNAMENT ...` in this process.

    `typed`: what is answered.
    """
    for commands in (match_acts, tournaments):
        use_here(monkeypatch, commands, app)

    def invoke(command: str, *arguments: str, typed: str = "") -> Result:
        db.session.rollback()
        return CliRunner().invoke(
            main, ["tournament", command, str(here.id), *arguments], input=typed
        )

    return invoke


def test_a_preview_changes_nothing(here: World, run: Run) -> None:
    preview = run("void", "2", "--preview")
    assert preview.exit_code == 0, preview.output
    assert "2 picks kept without points." in preview.output
    assert (stored(here, "2").fate, entries()) == (None, [])


def test_it_asks_and_does_nothing_without_a_yes(here: World, run: Run) -> None:
    refused = run("void", "2", "--reason", "Dropped", typed="n\n")
    assert refused.exit_code == 1
    assert "Apply this? [y/N]" in refused.output
    assert (stored(here, "2").fate, entries()) == (None, [])
    assert run("void", "2", "--reason", "Dropped", typed="y\n").output.endswith(
        "Liv vs Mun: done.\n"
    )
    assert stored(here, "2").fate == "void"


def test_a_match_is_voided_listed_and_counts_again(here: World, run: Run) -> None:
    assert run("void", "2", "--reason", "Dropped", "--yes").output.endswith("Liv vs Mun: done.\n")
    again = run("void", "2", "--reason", "Dropped", "--yes")
    assert (again.exit_code, "nothing changed" in again.output) == (0, True)
    listed = CliRunner().invoke(main, ["tournament", "decisions", "--csv"]).output
    assert f"The Cup,2,Liv vs Mun,void,Dropped,pressbox tournament unvoid {here.id} 2" in listed
    assert run("unvoid", str(here.id_of("2")), "--reason", "Played", "--yes").exit_code == 0
    assert stored(here, "2").status == "open"
    assert entries() == [("operations.match_voided", "2"), ("operations.match_counted_again", "2")]


def test_a_new_kickoff_is_given_and_ended(here: World, run: Run) -> None:
    assert (
        run(
            "redate", "2", "--kickoff", "2499-01-01T19:00+02:00", "--reason", "Rain", "--yes"
        ).exit_code
        == 0
    )
    assert stored(here, "2").kickoff.isoformat() == "2499-01-01T17:00:00+00:00"  # type: ignore[union-attr]
    assert run("release", "2", "--reason", "Dry", "--yes").exit_code == 0
    assert stored(here, "2").kickoff == KICKOFF
    refused = run("redate", "2", "--kickoff", "2499-01-01T19:00", "--reason", "Rain", "--yes")
    assert (refused.exit_code, "has no zone" in refused.output) == (2, True)


def test_a_match_is_merged(here: World, run: Run) -> None:
    for match_id in ("98", "99"):
        here.match(match_id, "liv", "mun", round="week-2")
    here.poll(LATER)
    merged = run("merge", "2", "99", "--reason", "A new id", typed="y\n")
    assert merged.exit_code == 0, merged.output
    assert "Picks that move to it: 2." in merged.output
    assert here.guesses("Ann")[here.id_of("99")] == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("void", "7", "--yes", "--reason", "x"), "There is no match 7 in the tournament"),
        (("void", "2", "--yes"), "Give a --reason."),
        (("merge", "2", "1", "--yes", "--reason", "x"), "The other match has different teams"),
        (("unvoid", "2", "--yes", "--reason", "x"), "there is nothing to undo"),
    ],
)
def test_what_is_refused_says_what_to_do(run: Run, arguments: tuple[str, ...], words: str) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 1
    assert words in refused.output
    assert entries() == []


def test_findings_name_the_command_that_decides(here: World, run: Run) -> None:
    listed = CliRunner().invoke(main, ["tournament", "findings", "--csv"]).output
    assert f"pressbox tournament void|merge|redate {here.id} 2" in listed
