"""What `pressbox up` starts with: what its options say, what was chosen before, or a question."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from app.cli.shared import YearType
from app.settings import Settings
from workers.supervisor.first_start import (
    DEMO,
    EMPTY,
    SEASON,
    FirstStart,
    is_new,
    remembered,
)


@dataclass(frozen=True)
class Wishes:
    """The options of `pressbox up`; None for what was not given."""

    demo: bool | None = None
    kind: str | None = None
    season: int | None = None
    folder: Path | None = None


def choose(settings: Settings, wishes: Wishes) -> FirstStart:
    """Return what to start with.

    That is what the options say, else PRESSBOX_DEMO if it is set, else what was chosen for this
    data folder, else the answer to a question if the installation is new and has a terminal. The
    demo without all that; in production an empty site.

    Raises:
        click.UsageError: The options contradict each other, or there can be no demo.
        StackError: What was chosen cannot be read.
    """
    _expect_consistent(settings, wishes)
    if wishes.kind is not None:
        return _wished(wishes)
    if wishes.demo is not None:
        return FirstStart(DEMO if wishes.demo else EMPTY)
    usual = FirstStart(DEMO if settings.demo and not settings.production else EMPTY)
    if os.environ.get("PRESSBOX_DEMO"):
        return usual
    start = remembered(settings)
    if start is None and is_new(settings) and has_terminal() and not settings.production:
        start = ask()
    if start is None or (start.is_demo and settings.production):
        return usual
    return start


def _wished(wishes: Wishes) -> FirstStart:
    if wishes.kind != SEASON:
        return FirstStart(wishes.kind or DEMO, is_remembered=True)
    folder = "" if wishes.folder is None else str(wishes.folder)
    return FirstStart(SEASON, wishes.season or _present_season(), folder, is_remembered=True)


def has_terminal() -> bool:
    """Whether somebody can read a question and answer it."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask() -> FirstStart:
    """Ask what to start with. Raises click.Abort on Ctrl-C."""
    click.echo(
        "Pressbox is new here. Start with\n"
        "  1  the demo: a season of made-up clubs, with logins to explore\n"
        "  2  a real season: the games, players and plays of the NFL, downloaded automatically\n"
        "  3  games of your own scorers: an empty site"
    )
    kinds = {"1": DEMO, "2": SEASON, "3": EMPTY}
    number = click.prompt("Your choice", type=click.Choice(list(kinds)), default="1")
    if kinds[number] != SEASON:
        return FirstStart(kinds[number], is_remembered=True)

    season = click.prompt(
        "Season (the year in which it begins)",
        type=YearType(),
        default=_present_season(),
    )
    folder = click.prompt(
        "Folder with the publisher's files (Enter for the internet)",
        default="",
        show_default=False,
        value_proc=_folder,
    )
    return FirstStart(SEASON, season, folder, is_remembered=True)


def welcome(start: FirstStart) -> list[str]:
    """Return the lines that are printed when everything is ready."""
    if start.is_demo:
        return _demo_logins()
    if not start.is_remembered or start.is_prepared:
        return []
    account = 'pressbox accounts create NAME --name "Your Name" --role operator'
    if start.kind == SEASON:
        return [
            f"The games and players of {start.season} arrive within minutes and are then updated "
            "automatically. `pressbox feed list` shows the progress.",
            f"Your account, in another terminal: `{account}`. Then see /ops/feeds.",
        ]
    return [
        f"Your account, in another terminal: `{account} --role scorer`.",
        "Then register a game at /console/, or import a season: `pressbox import --help`.",
    ]


def _demo_logins() -> list[str]:
    from app.demo.logins import DEMO_PASSWORD, demo_logins

    logins = [f"  {username:<10} {role:<10} {what}" for role, username, what in demo_logins()]
    return [f"Demo logins (password for all: {DEMO_PASSWORD})", *logins]


def _expect_consistent(settings: Settings, wishes: Wishes) -> None:
    if wishes.kind is not None and wishes.demo is not None:
        raise click.UsageError("Give either --start, or --demo or --no-demo.")
    if wishes.kind != SEASON and (wishes.season is not None or wishes.folder is not None):
        raise click.UsageError("--season and --from belong to `--start season`.")
    if settings.production and (wishes.demo or wishes.kind == DEMO):
        raise click.UsageError(
            "There is no demo with PRESSBOX_PRODUCTION=1, because its passwords are public."
        )


def _folder(answer: str) -> str:
    """The whole path of a folder that exists, or empty."""
    if not answer.strip():
        return ""
    path = Path(answer.strip()).expanduser().resolve()
    if not path.is_dir():
        raise click.UsageError(f"There is no folder {path}. Create it, or correct the path.")
    return str(path)


def _present_season() -> int:
    from app.core import clock
    from app.feeds.presets import season_of

    return season_of(clock.now().date())
