"""Commands for the scores: months in PostgreSQL and in the archive."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

import click

from app.cli.shared import application, print_table


class Month(click.ParamType[date]):
    """A month as 2025-03."""

    name = "YYYY-MM"

    def convert(
        self, value: str | date, param: click.Parameter | None, ctx: click.Context | None
    ) -> date:
        """Return the first day of the month."""
        if isinstance(value, date):
            return value
        try:
            return datetime.strptime(value, "%Y-%m").date()  # noqa: DTZ007
        except ValueError:
            self.fail(f"{value!r} is not a month. Write it like 2025-03.", param, ctx)


@click.group()
def scores() -> None:
    """Archive months of scores as Parquet, read them there, and bring them back."""


@scores.command("months")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def list_months(as_csv: bool) -> None:
    """List the months of scores: in PostgreSQL or archived, with the scores and the object."""
    from app.scores.archive.listing import all_months

    with application():
        rows = [
            [f"{row.month:%Y-%m}", row.place, str(row.attempts), row.blob] for row in all_months()
        ]
    print_table(["month", "place", "scores", "object"], rows, as_csv)


@scores.command()
@click.option(
    "--month",
    type=Month(),
    help="Only this month, even if it is not due (default: all due months).",
)
def archive(month: date | None) -> None:
    """Move months older than SCORE_MONTHS to the blob store. Twice changes nothing."""
    from app.core import clock
    from app.core.blob_store import blob_store
    from app.scores.archive.services import ArchiveOutcome, archive_scores

    with application(audited=True) as app:
        outcome = archive_scores(
            blob_store(), clock.now(), app.config["PRESSBOX"].score_months, only=month
        )
    for archived in outcome.archived:
        click.echo(f"{archived:%Y-%m}: archived")
    for rewritten in outcome.rewritten:
        click.echo(f"{rewritten:%Y-%m}: erased data removed")
    for waiting, reasons in outcome.waiting.items():
        click.secho(f"{waiting:%Y-%m} waiting: {'; '.join(reasons)}", err=True, fg="yellow")
    for changed in outcome.changed:
        click.secho(
            f"{changed:%Y-%m} was in use, or changed while it was written: run this again",
            err=True,
            fg="yellow",
        )
    if outcome == ArchiveOutcome():
        click.echo("Nothing to do: no month is due.")


@scores.command()
@click.argument("months", type=Month(), nargs=-1, required=True)
def restore(months: tuple[date, ...]) -> None:
    """Bring archived MONTHS (2025-03) back into PostgreSQL, for corrections and inspection.

    Seven days later the archive takes them again.
    """
    from app.core import clock
    from app.core.blob_store import blob_store
    from app.scores.archive.services import restore as bring_back

    with application(audited=True):
        for month in months:
            count = bring_back(blob_store(), month, clock.now())
            click.echo(f"{month:%Y-%m}: {count} scores are in PostgreSQL again")


@scores.command()
@click.argument("month", type=Month())
@click.option("--player", type=click.UUID, help="Only this player.")
@click.option("--mode", "mode_id", type=click.UUID, help="Only the mode with this id.")
def read(month: date, player: UUID | None, mode_id: UUID | None) -> None:
    """Print the archived scores of MONTH (2025-03), one JSON object per line.

    They are sorted by player, mode and time.
    """
    import msgspec

    from app.core.blob_store import blob_store
    from app.scores.archive.listing import attempts_of_month

    encode = msgspec.json.Encoder().encode
    with application():
        for attempt in attempts_of_month(blob_store(), month, player):
            if mode_id is None or attempt["mode_id"] == mode_id:
                click.echo(encode(attempt).decode())
