"""The `pressbox` command: the front door for operators, integrators and trials.

Every command finds the running stack of the data folder; without one it starts what it needs for itself.
Errors are one sentence that says what to do, on standard error, with exit code 1.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import click
from flask import Flask
from kafka.errors import KafkaError

from app import cli_record
from app.core.errors import Mendable
from app.embedded.stack import StackError
from app.record.script import Variant
from app.settings import Settings

INGEST_WAIT_SECONDS = 120


class _Group(click.Group):
    """Turns the errors that people can mend into one sentence."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except Mendable as error:
            raise click.ClickException(str(error)) from error
        except KafkaError as error:
            raise click.ClickException(
                f"Kafka does not answer as it should ({error}): start it or mend KAFKA_BOOTSTRAP_SERVERS."
            ) from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Pressbox: fantasy football on the official record of the game."""


cli_record.register(main)


@contextmanager
def _application(*, processes: bool = False) -> Iterator[Flask]:
    """The application on the running stack, or on one started for this command (with our processes if needed)."""
    from app import create_app
    from workers.supervisor import running_stack

    with running_stack(Settings.from_env(), processes=processes) as settings:
        app = create_app(settings)
        with app.app_context():
            yield app


@main.command()
@click.option("--demo/--no-demo", default=True, show_default=True, help="Seed and play the demo season.")
def up(demo: bool) -> None:
    """Start everything, until Ctrl-C."""
    from workers.supervisor import up as run

    run(Settings.from_env(), demo=demo)


@main.command()
def migrate() -> None:
    """Bring the database up to date and create missing topics (production: once a release)."""
    from app import create_app
    from app.embedded.stack import with_running_stack
    from workers.supervisor import bring_up_to_date

    settings = with_running_stack(Settings.from_env())
    with create_app(settings).app_context():
        bring_up_to_date(settings)
    click.echo("Database and topics are up to date.")


@main.command()
def doctor() -> None:
    """Say what is up, what is not, and the next step."""
    from app import create_app
    from app.embedded.stack import with_running_stack
    from app.ops.health import check_all

    settings = with_running_stack(Settings.from_env())
    with create_app(settings).app_context():
        parts = check_all(settings)
    for part in parts:
        click.secho(f"{'up  ' if part.up else 'DOWN'}  {part.name:<9} {part.detail}", fg=None if part.up else "red")
        if not part.up:
            click.echo(f"      next: {part.remedy}")
    if any(not part.up for part in parts):
        sys.exit(1)
    click.echo("All parts are up.")


@main.group("import")
def import_group() -> None:
    """Bring in games from public formats."""


@import_group.command("pbp")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--play-stats",
    type=click.Path(path_type=Path),
    help="Official play_stats file (default: play_stats/GAME.csv.gz beside the pbp folder, if there).",
)
def import_pbp(files: tuple[Path, ...], play_stats: Path | None) -> None:
    """Import nflscrapR or nflverse play-by-play FILES (csv or csv.gz); then use `pressbox replay GAME_ID`.

    A corrections.csv beside them (or beside their folder) says how plays were first called: `replay --as-called`.
    """
    from app.record.pbp import read_games
    from app.record.services import store_script

    with _application():
        for script in read_games(files, play_stats):
            store_script(script)
            click.echo(
                f"{script.game_id}  {script.away.id} at {script.home.id}  {len(script.events)} events, "
                f"{len(script.footballers)} footballers"
                + ("" if script.as_called is None else f", {len(script.as_called)} events as first called")
            )
            for line in script.left_out:
                click.echo(f"  not told as first called: {line}", err=True)


@main.command()
@click.argument("game_id")
@click.option("--speed", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
              help="Times real life.")  # fmt: skip
@click.option("--fast", is_flag=True, help="As fast as it goes.")
@click.option("--as-called", is_flag=True, help="Every play as it was first called, then what took it away.")
@click.option("--from-archive", is_flag=True, help="The archived messages, with their numbers; for a lost database.")
def replay(game_id: str, speed: float, fast: bool, as_called: bool, from_archive: bool) -> None:
    """Play an imported or simulated game into the record, like a scorer would. Twice changes nothing."""
    with _application(processes=True):
        if from_archive:
            _play_archive(game_id)
        else:
            _play(game_id, None if fast else speed, "as_called" if as_called else "final")


def _play_archive(game_id: str) -> None:
    from app.core import clock
    from app.core.blobs import blob_store
    from app.record.recovery import recover

    _progress(f"{game_id}: reading the archive")
    total = recover(blob_store(), game_id, clock.now())
    _progress(f"{game_id}: {total} events are in the outbox again", end=True)
    _until_ingested(game_id, total)


@main.command()
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed is the same game.")
@click.option("--speed", type=click.FloatRange(min=0, min_open=True), help="Times real life; without it, all at once.")
def simulate(seed: int, speed: float | None) -> None:
    """Make up a whole game of two demo clubs and play it into the record."""
    from app.core import clock
    from app.demo.seed import simulated_game
    from app.record.services import store_script

    script = simulated_game(seed, clock.now())
    with _application(processes=True):
        store_script(script)
        click.echo(f"Game {script.game_id}: {script.away.name} at {script.home.name}", err=True)
        _play(script.game_id, speed)


def _play(game_id: str, speed: float | None, variant: Variant = "final") -> None:
    from scorer_console.replay import replay as steps

    total = 0
    for progress in steps(game_id, variant, speed=speed):
        total = progress.total
        _progress(f"{game_id}: {progress.done} of {progress.total} events accepted")
    _until_ingested(game_id, total)


def _until_ingested(game_id: str, total: int) -> None:
    from app.record.progress import ingested_count

    deadline = time.monotonic() + INGEST_WAIT_SECONDS
    while (done := ingested_count(game_id)) < total:
        if time.monotonic() > deadline:
            raise StackError(
                f"Only {done} of {total} events of {game_id} are in the record after {INGEST_WAIT_SECONDS} s: "
                "`pressbox doctor` says which part is down; then run this again."
            )
        _progress(f"{game_id}: {done} of {total} events in the record")
        time.sleep(0.1)
    _progress(f"{game_id}: all {total} events are in the record", end=True)


def _progress(text: str, *, end: bool = False) -> None:
    """One line that is written over on a terminal; only the last one goes into a file."""
    if sys.stderr.isatty():
        click.echo(f"\r{text:<78}", err=True, nl=end)
    elif end:
        click.echo(text, err=True)


@main.command()
@click.argument("game_id")
@click.option("--rules", default="standard", show_default=True, help="standard, half_ppr, ppr, ...")
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated, for programs.")
def points(game_id: str, rules: str, as_csv: bool) -> None:
    """Fantasy points of every player with a stat line in GAME_ID."""
    from app.fantasy.export import POINTS_COLUMNS, points_rows
    from app.fantasy.scoring import PRESETS

    if rules not in PRESETS:
        raise click.ClickException(f"There are no rules {rules!r}: choose one of {', '.join(sorted(PRESETS))}.")
    with _application():
        _print_table(POINTS_COLUMNS, points_rows(game_id, rules), as_csv)


@main.command()
@click.argument("game_id")
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated, for programs.")
def stats(game_id: str, as_csv: bool) -> None:
    """Stat lines of every player in GAME_ID."""
    from app.fantasy.export import STATS_COLUMNS, stats_rows

    with _application():
        _print_table(STATS_COLUMNS, stats_rows(game_id), as_csv)


def _print_table(columns: list[str], rows: list[list[str]], as_csv: bool) -> None:
    if as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows([columns, *rows])
        return
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    for row in [columns, *rows]:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@main.command()
@click.option("--from-beginning", is_flag=True, help="Everything the topic still holds, then what comes.")
@click.option("--game", "game_id", help="Events of this game alone.")
@click.option("--until-end", is_flag=True, help="Stop at the end that the topic has now.")
def tail(from_beginning: bool, game_id: str | None, until_end: bool) -> None:
    """Print events as they are published: partition, offset and the message. Ctrl-C stops."""
    from app.embedded.stack import with_running_stack
    from app.stream.tail import tail as read

    settings = with_running_stack(Settings.from_env())
    for partition, offset, value in read(settings, from_beginning=from_beginning, game_id=game_id, until_end=until_end):
        click.echo(f"{partition}\t{offset}\t{value.decode(errors='replace')}")


@main.group()
def stream() -> None:
    """The Kafka side."""


@stream.command()
@click.option("--game", "game_id", help="The events of this game, whatever the topic holds.")
def republish(game_id: str | None) -> None:
    """Fill an empty Kafka from the outbox; ingestion skips what it knows."""
    from app.stream.republish import republish_game, republish_if_empty

    with _application() as app:
        settings = app.config["PRESSBOX"]
        marked = republish_game(settings, game_id) if game_id else republish_if_empty(settings)
    click.echo(
        f"{marked} events will be published again."
        if marked
        else "Nothing to do: the topic already holds messages, or no event was ever published."
    )


@stream.command()
@click.option("--older-than", type=click.FloatRange(min=0), help="Age in days (default: ARCHIVE_AFTER_DAYS).")
@click.option("--check", is_flag=True, help="Read every archived object again and mend broken ones; archive nothing.")
def archive(older_than: float | None, check: bool) -> None:
    """Write old messages of the stream into the blob store. Twice changes nothing."""
    from app.core import clock
    from app.core.blobs import blob_store
    from app.record.rebuild import identifier, identify
    from app.stream import archive as archiving

    with _application() as app:
        settings, store, now = app.config["PRESSBOX"], blob_store(), clock.now()
        if check:
            outcome = archiving.check(store, now=now, identify=identify, say=_progress)
        else:
            before = now - timedelta(days=settings.archive_after_days if older_than is None else older_than)
            outcome = archiving.archive(settings, store, before=before, now=now, identify=identifier(), say=_progress)
    for fault in outcome.faults:
        click.secho(fault, err=True, fg="yellow")
    if outcome.strangers:
        click.echo(f"{outcome.strangers} messages on the topic are no events; they stay with the dead letters.")
    _progress(
        f"{outcome.messages} messages archived in {outcome.segments} new objects; {outcome.known} were there already. "
        f"The archive is {store.url}",
        end=True,
    )
    if outcome.unmended:
        raise click.ClickException(f"{outcome.unmended} objects of the archive are broken; see above.")


@stream.command()
@click.argument("game_id")
def restore(game_id: str) -> None:
    """Put the archived messages of GAME_ID on the topic again; ingestion skips what it knows."""
    from app.core import clock
    from app.core.blobs import blob_store
    from app.record.rebuild import identify
    from app.stream.restore import restore as steps

    with _application(processes=True) as app:
        total = 0
        for done, total in steps(app.config["PRESSBOX"], blob_store(), game_id, clock.now(), identify):
            _progress(f"{game_id}: {done} of {total} messages")
        _progress(f"{game_id}: all {total} archived messages are on the topic again", end=True)


@main.group()
def rebuild() -> None:
    """Bring back a lost store."""


@rebuild.command("record")
@click.argument("game_id", required=False)
@click.option("--all", "every", is_flag=True, help="Every game that has begun.")
def rebuild_record(game_id: str | None, every: bool) -> None:
    """Build the record of GAME_ID anew from Kafka, or from the archive where Kafka no longer has it."""
    from app.core import clock
    from app.core.blobs import blob_store
    from app.fantasy.points import forget_player_points, publish_all_boards, refresh_game, store_player_points
    from app.record.rebuild import Incomplete, Stream, begun_games, rebuild_game

    if (game_id is None) is not every:
        raise click.UsageError("Name one GAME_ID, or say --all.")
    refused = []
    with _application(processes=True) as app:
        _until_published()
        games = begun_games() if game_id is None else [game_id]
        source = Stream(app.config["PRESSBOX"], blob_store(), clock.now())
        for place, game in enumerate(games, start=1):
            _progress(f"Game {place} of {len(games)}: {game}")
            try:
                built = rebuild_game(game, source, clock.now(), store_player_points, forget_player_points)
            except Incomplete as error:
                if not every:
                    raise
                refused.append(str(error))
                continue
            refresh_game(game, clock.now())
            _progress(f"{game}: rebuilt from {built.events} messages ({built.from_archive} from the archive)", end=True)
        publish_all_boards()
    if refused:
        raise click.ClickException("\n".join(refused))


def _until_published() -> None:
    """Waits for the relay, so that what was accepted a moment ago is on the topic."""
    from app.record.progress import unpublished_count

    deadline = time.monotonic() + INGEST_WAIT_SECONDS
    while (waiting := unpublished_count()) and time.monotonic() < deadline:
        _progress(f"{waiting} events wait for the relay")
        time.sleep(0.1)


@rebuild.command("boards")
def rebuild_boards() -> None:
    """Fill Redis with the league tables from PostgreSQL."""
    from app.fantasy.points import publish_all_boards

    with _application():
        click.echo(f"{publish_all_boards()} boards written; the others were up to date.")


@main.command()
@click.option("--to", "folder", default="docs", show_default=True, type=click.Path(path_type=Path))
def docs(folder: Path) -> None:
    """Write the generated documents: the JSON Schema of the stream and the list of settings."""
    from app.docs import generated

    for path, text in generated().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        click.echo(target)


if __name__ == "__main__":
    main()
