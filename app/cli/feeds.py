"""Commands for feeds: follow a publisher's files, run them, and see what they would change."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.shared import (
    FolderType,
    YearType,
    application,
    print_table,
    until_ingested,
    until_published,
)
from app.core.errors import UserError

if TYPE_CHECKING:
    from app.feeds.models import Feed
    from app.feeds.running import RunReport

_names = click.argument("feeds", nargs=-1)
_fewer = click.option(
    "--accept-fewer-rows",
    is_flag=True,
    help="Import a file even if it has 10% fewer rows than the last one.",
)


@click.group()
def feed() -> None:
    """Follow a publisher's files, and enter what is new in them."""


@feed.command()
@click.argument("preset")
@click.option("--season", type=YearType(), required=True)
@click.option(
    "--from",
    "folder",
    type=FolderType(),
    help="Read a folder on this machine instead of the internet, under the publisher's file names.",
)
def add(preset: str, season: int, folder: Path | None) -> None:
    """Follow the files of a publisher (PRESET) in a season.

    The only publisher so far is nflverse. Running Pressbox then asks for new files by itself; `feed
    run` does it at once. Adding them again changes where they are read.
    """
    from app.core import clock
    from app.feeds import services
    from app.feeds.presets import PRESETS

    with application(audited=True):
        following = services.Following(preset, season, str(folder or ""))
        for row in services.add(following, clock.now()):
            click.echo(f"{row.id}  {row.kind} {row.season}  {services.source_words(row)}")
        click.echo(PRESETS[preset].attribution)
    click.echo("`pressbox feed run` imports them now.")


@feed.command("list")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated output, for programs.")
def list_feeds(as_csv: bool) -> None:
    """Every feed with its state, its last file and when it is due again."""
    from app.feeds import services

    with application():
        rows = services.listed()
        print_table(
            ["feed", "season", "kind", "state", "checked", "file of", "rows", "due", "findings"],
            [
                [
                    str(row.id),
                    str(row.season),
                    row.kind,
                    row.state,
                    _moment(row.checked_at),
                    _moment(row.fetched_at),
                    str(row.row_count or ""),
                    _moment(row.due_at) if row.state == "on" else "",
                    str(len(row.findings)),
                ]
                for row in rows
            ],
            as_csv,
        )
        if not as_csv:
            _tell(rows)


@feed.command()
@_names
@_fewer
def run(feeds: tuple[str, ...], accept_fewer_rows: bool) -> None:
    """Fetch and enter what is new: of FEEDS (numbers or kinds), or of all that are on.

    It ends when everything is in the record. The exit code is 1 if a feed could not be
    run, or its file could not be fetched or used. A file that is not published yet is no failure.
    """
    from app.core import clock
    from app.feeds import running, services

    with application(processes=True, audited=True):
        chosen = [row for row in services.chosen(feeds) if feeds or row.state == "on"]
        if not chosen:
            raise UserError(
                "No feeds are on. Resume them with `pressbox feed resume`."
                if services.listed()
                else "No feeds are on. Add some with `pressbox feed add nflverse --season …`."
            )
        events: dict[str, int] = {}
        has_failed = False
        for row in chosen:
            try:
                report = running.run(row.id, clock.now(), accepts_fewer_rows=accept_fewer_rows)
            except (running.FeedBusyError, running.UnknownFeedError) as error:
                click.echo(f"{row.kind} {row.season}: not run. {error}", err=True)
                has_failed = True
                continue
            click.echo(f"{row.kind} {row.season}: {_words(report)}")
            _findings(report.entered.findings)
            events |= report.entered.last_events
            if report.outcome in ("finding", "failed") and not report.is_missing:
                has_failed = True
        _until_in_the_record(events)
    if has_failed:
        sys.exit(1)


@feed.command()
@_names
@_fewer
def preview(feeds: tuple[str, ...], accept_fewer_rows: bool) -> None:
    """Say what a run would change, and change nothing."""
    from app.core import clock
    from app.feeds import running, services
    from app.feeds.fetching import NotFetchedError

    with application():
        for row in services.chosen(feeds):
            try:
                report = running.preview(row.id, clock.now(), accepts_fewer_rows=accept_fewer_rows)
            except (UserError, NotFetchedError) as error:
                is_missing = isinstance(error, NotFetchedError) and error.is_missing
                reason = "there is no file" if is_missing else "the file cannot be used"
                click.echo(f"{row.kind} {row.season}: nothing, because {reason}")
                _findings([str(error)])
                continue
            click.echo(f"{row.kind} {row.season}: {_words(report)}")
            _findings(report.entered.findings)


@feed.command()
@_names
def pause(feeds: tuple[str, ...]) -> None:
    """Ask the publisher no more for FEEDS, or for all that are on, until `feed resume`."""
    from app.feeds import services

    with application(audited=True):
        for row in services.chosen(feeds):
            if not feeds and row.state != "on":
                continue
            services.pause(row.id)
            click.echo(f"{row.kind} {row.season} is paused.")


@feed.command()
@_names
def resume(feeds: tuple[str, ...]) -> None:
    """Go on with FEEDS, or with all that were paused."""
    from app.core import clock
    from app.feeds import services

    with application(audited=True):
        for row in services.chosen(feeds):
            if not feeds and row.state != "paused":
                continue
            services.resume(row.id, clock.now())
            click.echo(f"{row.kind} {row.season} is on.")


@feed.command()
@click.argument("feeds", nargs=-1, required=True)
def remove(feeds: tuple[str, ...]) -> None:
    """Forget FEEDS and their runs. What they entered stays."""
    from app.feeds import services

    with application(audited=True):
        for row in services.chosen(feeds):
            services.remove(row.id)
            click.echo(f"{row.kind} {row.season} is removed.")


def _until_in_the_record(events: Mapping[str, int]) -> None:
    if events:
        until_published()
    for game_id, number in events.items():
        until_ingested(game_id, number)


def _words(report: RunReport) -> str:
    if report.outcome == "failed":
        return "there is no file" if report.is_missing else "the file could not be fetched"
    if report.outcome == "finding":
        return "the file cannot be used, and changed nothing"
    from app.feeds.entered import change_words

    return change_words(report.changes) or "nothing new"


def _findings(findings: Sequence[str]) -> None:
    for finding in findings:
        click.echo(f"  {finding}", err=True)


def _tell(rows: Sequence[Feed]) -> None:
    for row in rows:
        for finding in row.findings:
            click.echo(f"{row.kind} {row.season}: {finding}", err=True)


def _moment(moment: object) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else ""
