"""What `pressbox up` starts with: options, what was chosen before, or a question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.cli import first_start as question
from app.cli.first_start import Wishes, choose, welcome
from app.core import clock
from app.embedded.stack import StackError
from app.settings import Settings
from tests.commands import run_pressbox
from workers.supervisor.first_start import (
    DEMO,
    EMPTY,
    SEASON,
    FirstStart,
    prepared,
    remember,
)

NOW = datetime(2026, 11, 29, 18, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _without_demo_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRESSBOX_DEMO", raising=False)
    monkeypatch.setattr(clock, "now", lambda: NOW)


@pytest.fixture
def new(tmp_path: Path) -> Settings:
    return Settings(var=tmp_path / "var")


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, answers: str) -> Iterator[None]:
    """A terminal on which somebody types these lines."""
    monkeypatch.setattr(question, "has_terminal", lambda: True)
    with CliRunner().isolation(input=answers):
        yield


@pytest.mark.parametrize(
    ("answers", "start"),
    [
        ("\n", FirstStart(DEMO)),
        ("4\n3\n", FirstStart(EMPTY)),
        ("2\n\n\n", FirstStart(SEASON, 2026)),
        ("2\nnext\n2019\n\n", FirstStart(SEASON, 2019)),
    ],
)
def test_a_new_installation_asks_on_a_terminal(
    new: Settings, monkeypatch: pytest.MonkeyPatch, answers: str, start: FirstStart
) -> None:
    with terminal(monkeypatch, answers):
        chosen = choose(new, Wishes())
    assert (chosen.kind, chosen.season, chosen.folder) == (start.kind, start.season, "")
    assert chosen.is_remembered


def test_a_folder_that_is_not_there_is_asked_again(
    new: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with terminal(monkeypatch, f"2\n2026\n{tmp_path}/away\n{tmp_path}\n"):
        chosen = choose(new, Wishes())
    assert chosen.folder == str(tmp_path.resolve())


def test_without_a_terminal_there_is_the_demo(new: Settings) -> None:
    assert choose(new, Wishes()) == FirstStart(DEMO)


def test_what_was_chosen_is_not_asked_again(new: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    season = choose(new, Wishes(kind=SEASON))
    assert season.prepare_arguments() == ["--follow", "2026"]
    remember(new, season)
    with terminal(monkeypatch, ""):
        assert choose(new, Wishes()).prepare_arguments() == ["--follow", "2026"], "killed meanwhile"
        remember(new, prepared(season))
        again = choose(new, Wishes())
    assert (again.kind, again.prepare_arguments(), welcome(again)) == (SEASON, [], [])
    assert choose(new, Wishes(demo=False)).kind == EMPTY
    assert json.loads((new.var / "start.json").read_text())["kind"] == SEASON


def test_what_is_for_one_start_is_not_remembered(new: Settings) -> None:
    remember(new, choose(new, Wishes(demo=False)))
    assert not new.var.exists()


def test_the_setting_counts_more_than_the_question(
    new: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRESSBOX_DEMO", "0")
    with terminal(monkeypatch, ""):
        assert choose(Settings(var=new.var, demo=False), Wishes()) == FirstStart(EMPTY)


def test_an_installation_with_data_is_not_asked(
    new: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (new.var / "postgres").mkdir(parents=True)
    with terminal(monkeypatch, ""):
        assert choose(new, Wishes()) == FirstStart(DEMO)


def test_production_has_no_demo(new: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    production = Settings(var=new.var, production=True)
    remember(new, choose(new, Wishes(kind=DEMO)))
    with terminal(monkeypatch, ""):
        assert choose(production, Wishes()) == FirstStart(EMPTY)
    with pytest.raises(click.UsageError, match="There is no demo"):
        choose(production, Wishes(kind=DEMO))


def test_a_choice_that_cannot_be_read_is_said_in_a_sentence(new: Settings) -> None:
    new.var.mkdir()
    (new.var / "start.json").write_text("{")
    with pytest.raises(StackError, match=r"start\.json cannot be read .*: delete it"):
        choose(new, Wishes())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--season", "2026"], "--season and --from belong to `--start season`."),
        (["--start", "demo", "--from", "."], "--season and --from belong to `--start season`."),
        (["--start", "demo", "--no-demo"], "Give either --start, or --demo or --no-demo."),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    result = run_pressbox("up", *arguments, PRESSBOX_VAR=tmp_path / "var")
    assert (result.exit_code, sentence in result.stderr) == (2, True)
    assert not (tmp_path / "var").exists()


def test_an_empty_site_says_how_to_get_an_account(new: Settings) -> None:
    lines = "\n".join(welcome(choose(new, Wishes(kind=EMPTY))))
    assert "pressbox accounts create NAME" in lines
    assert "/console/" in lines
