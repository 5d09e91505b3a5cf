"""Commands for the whole installation: starting, migrating, health, the generated documents."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from app.cli.shared import FolderType, YearType
from app.setting_reading import settings_from_env
from app.settings import Settings


@click.command()
@click.option(
    "--demo/--no-demo",
    default=None,
    help="With or without the demo season this time (default: PRESSBOX_DEMO, or as before).",
)
@click.option(
    "--start",
    "kind",
    type=click.Choice(["demo", "season", "empty"]),
    help="What to start with from now on: the demo, a real season that is followed, or an empty "
    "site for your own scorers. A new installation asks in a terminal, and otherwise starts "
    "the demo.",
)
@click.option(
    "--season",
    type=YearType(),
    help="With `--start season`: the year in which it begins (default: the current season).",
)
@click.option(
    "--from",
    "folder",
    type=FolderType(),
    help="With `--start season`: read the publisher's files in this folder, not on the internet.",
)
def up(demo: bool | None, kind: str | None, season: int | None, folder: Path | None) -> None:
    """Start everything, until Ctrl-C."""
    from app.cli.first_start import Wishes, choose, welcome
    from workers.supervisor.start import up as run

    settings = settings_from_env()
    start = choose(settings, Wishes(demo, kind, season, folder))
    run(settings, start, welcome(start))


@click.command(hidden=True)
@click.option("--demo", is_flag=True, help="Create the demo season if it is missing.")
@click.option("--follow", type=YearType(), help="Add the feeds of this season.")
@click.option("--from", "folder", default="", help="The folder that these feeds read.")
@click.option(
    "--refill-broker", is_flag=True, help="Publish everything again if the broker is empty."
)
@click.option(
    "--refuse-demo-accounts", is_flag=True, help="Fail if an account has the demo's password."
)
def prepare(
    demo: bool, follow: int | None, folder: str, refill_broker: bool, refuse_demo_accounts: bool
) -> None:
    """What `up` does once before it starts its processes."""
    from app.core import clock
    from app.demo import seed
    from app.demo.next_gameweek import make_ready
    from app.feeds import services as feeds
    from app.feeds.presets import DEFAULT
    from scorer_console.record.replay import enter_steps
    from workers.supervisor.prepare import prepare as run

    settings = settings_from_env()

    def say(text: str) -> None:
        click.echo(f"  {text}")

    def begin() -> None:
        if demo:
            say("Making the demo season")
            make_ready(enter_steps, settings.demo_speed)
        if follow:
            say(f"Adding the feeds of {follow}")
            feeds.add(feeds.Following(DEFAULT, follow, folder), clock.now())

    run(
        settings,
        refill_broker=refill_broker,
        say=say,
        begin=begin,
        known_passwords=seed.has_demo_accounts if refuse_demo_accounts else None,
    )


@click.command()
def migrate() -> None:
    """Bring the database up to date and create missing topics (production: once a release)."""
    from app import create_worker_app
    from app.core.postgres.timeouts import Use
    from app.embedded.stack import with_running_stack
    from app.ops.versions import check_versions
    from workers.supervisor.prepare import bring_up_to_date

    settings = with_running_stack(settings_from_env())
    with create_worker_app(settings, Use.UPKEEP).app_context():
        check_versions()
        bring_up_to_date(settings)
        _refuse_demo(settings)
    click.echo("Database and topics are up to date.")


def _refuse_demo(settings: Settings) -> None:
    from app.core.errors import UserError
    from app.demo.seed import has_demo_accounts

    if settings.production and has_demo_accounts():
        raise UserError(
            "The database has demo accounts, whose passwords are public. With "
            "PRESSBOX_PRODUCTION=1, use a database without the demo."
        )


@click.command()
def doctor() -> None:
    """Say what is up, what is not, and the next step."""
    from app import create_worker_app
    from app.core.postgres.timeouts import Use
    from app.embedded.stack import with_running_stack
    from app.feeds.queries import count_failing
    from app.ops.health import check_all

    settings = with_running_stack(settings_from_env())
    with create_worker_app(settings, Use.UPKEEP).app_context():
        parts = check_all(settings)
        history = _incidents()
        failing = count_failing()
    for part in parts:
        state, color = ("look", "yellow") if part.needs_look else ("up  ", None)
        if not part.up:
            state, color = "DOWN", "red"
        click.secho(f"{state}  {part.name:<13} {part.detail}", fg=color)
        if part.because_of:
            click.echo(f"      because {part.because_of}")
        elif not part.up:
            click.echo(f"      next: {part.remedy}")
    if failing:
        feeds = "1 feed" if failing == 1 else f"{failing} feeds"
        click.secho(
            f"look  {'feeds':<13} {feeds} without a usable file: `pressbox feed list`", fg="yellow"
        )
    if history:
        click.echo("Lately:")
    for line in history:
        click.echo(f"      {line}")
    if any(not part.up for part in parts):
        sys.exit(1)
    marked = sum(part.needs_look for part in parts) + bool(failing)
    see_to = f"; {marked} of them, marked `look`, need attention" if marked else ""
    click.echo(f"All parts are up{see_to}.")


def _incidents() -> list[str]:
    """Return a line for each of the last incidents; none while PostgreSQL does not answer."""
    from sqlalchemy.exc import SQLAlchemyError

    from app.core.db import db
    from app.ops import incidents

    try:
        return [
            f"{incident.began_at:%Y-%m-%d %H:%M:%S} UTC  {incident.part}: {incident.cause}; "
            f"{incident.mended_by or 'ongoing'}"
            for incident in incidents.latest(5)
        ]
    except SQLAlchemyError:
        return []
    finally:
        db.session.rollback()


@click.command()
@click.option("--to", "folder", default="docs", show_default=True, type=click.Path(path_type=Path))
def docs(folder: Path) -> None:
    """Write the generated documents: the JSON Schema of the stream and the list of settings."""
    from app.docs import generated

    for path, text in generated().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        click.echo(target)


@click.command()
@click.option("--list", "listing", is_flag=True, help="List the backups without making one.")
@click.option("--dry-run", is_flag=True, help="Show what would be done without doing it.")
def backup(listing: bool, dry_run: bool) -> None:
    """Dump PostgreSQL to the blob store, try a restore and read the copy back.

    The pages may be used meanwhile. The trial needs as much room as the database.
    """
    from app.cli.shared import application, progress
    from app.core.blob_store import blob_store
    from app.ops import backup as backups
    from app.ops.drills import DRILLS

    with application(audited=not (listing or dry_run)):
        if listing:
            for name in backups.backups(blob_store()):
                manifest = backups.read(blob_store(), name)
                click.echo(
                    f"{name}  {manifest.bytes} bytes  PostgreSQL {manifest.server}  schema "
                    f"{manifest.revision}"
                )
            return
        click.echo(DRILLS["backup"].plan() if dry_run else DRILLS["backup"].run(progress))


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Replace everything in the database without asking.")
def restore(name: str, yes: bool) -> None:
    """Replace the database with backup NAME, as of its moment. Pressbox must be stopped.

    Afterwards it says how the other stores follow.
    """
    from app.audit import restores as audit
    from app.cli.shared import application, progress
    from app.core.blob_store import blob_store
    from app.core.db import db
    from app.ops import backup as backups

    with application() as app:
        manifest = backups.read(blob_store(), name)
        if not yes:
            click.confirm(
                f"Replace the database with backup {name} ({sum(manifest.rows.values())} rows)?",
                abort=True,
            )
        before = audit.head()
        db.session.remove()
        db.engine.dispose()
        backups.restore(app.config["PRESSBOX"], blob_store(), name, progress)
        lost = audit.record_restore(name, before)
        db.session.commit()
    progress(
        f"Backup {name} is restored: {sum(manifest.rows.values())} rows in "
        f"{len(manifest.rows)} tables",
        end=True,
    )
    if lost:
        click.echo(f"{lost} Only the log still has their hashes.")
    click.echo(
        "Now start Pressbox, then: `pressbox rebuild boards --all`, `pressbox rebuild caches`, "
        "`pressbox doctor`."
    )
    click.echo(
        "Everything after the backup is on Kafka and in the archive. docs/recovery.md "
        "explains how to restore it."
    )
