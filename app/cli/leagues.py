"""`pressbox league export|import`: move a league's whole history between installations."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.shared import application
from app.core.atomic_files import read_file
from app.core.plurals import counted


@click.group("league")
def league() -> None:
    """Take a league's whole history out, or in."""


@league.command("export")
@click.argument("slug")
@click.option("--csv", "as_csv", is_flag=True, help="A zip of CSV tables instead of JSON.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Default: SLUG.json or SLUG.zip.",
)
def export_league(slug: str, as_csv: bool, output: Path | None) -> None:
    """Write the history of the league with the address SLUG.

    `pressbox league import` takes the JSON in.
    """
    from sqlalchemy import select

    from app.core import clock
    from app.core.db import db
    from app.fantasy.leagues import csv_tables
    from app.fantasy.leagues import export as league_export
    from app.fantasy.standings.models import League

    with application():
        row = db.session.scalar(select(League).where(League.slug == slug))
        if row is None:
            raise click.ClickException(
                f"There is no league {slug!r}. Use the last part of its page's address."
            )
        document = league_export.document(row, clock.now(), usernames=True)
    output = output or Path(f"{slug}.{'zip' if as_csv else 'json'}")
    output.write_bytes(csv_tables.as_csv(document) if as_csv else league_export.as_json(document))
    click.echo(
        f"{output}: {counted(len(document['people']), 'person', 'people')}, "
        f"{counted(len(document['scores']), 'weekly score')}"
    )


@league.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def import_league(file: Path) -> None:
    """Take the exported league in FILE in.

    People are found by username; who has no account gets one without a password.
    """
    from app.fantasy.leagues import importing as league_import

    with application(audited=True):
        taken = league_import.take_in(
            league_import.read(read_file(file, league_import.MOST_BYTES)), by=None
        )
        click.echo(f"{taken.name} is here: /leagues/{taken.slug}")
