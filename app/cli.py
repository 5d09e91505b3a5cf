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
from pathlib import Path

import click
from flask import Flask

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
def replay(game_id: str, speed: float, fast: bool, as_called: bool) -> None:
    """Play an imported or simulated game into the record, like a scorer would. Twice changes nothing."""
    with _application(processes=True):
        _play(game_id, None if fast else speed, "as_called" if as_called else "final")


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
    from app.record.progress import ingested_count
    from scorer_console.replay import replay as steps

    total = 0
    for progress in steps(game_id, variant, speed=speed):
        total = progress.total
        _progress(f"{game_id}: {progress.done} of {progress.total} events accepted")
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
def republish() -> None:
    """Fill an empty Kafka from the outbox; ingestion skips what it knows."""
    from flask import current_app

    from app.stream.republish import republish_if_empty

    with _application():
        marked = republish_if_empty(current_app.config["PRESSBOX"])
    click.echo(
        f"{marked} events will be published again."
        if marked
        else "Nothing to do: the topic already holds messages, or no event was ever published."
    )


@main.group()
def rebuild() -> None:
    """Bring back a lost store."""


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
