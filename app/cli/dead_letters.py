"""Commands for dead letters of every kind: listing, sending again, giving up."""

from __future__ import annotations

from typing import Any

import click

from app.cli.shared import application, print_table, progress
from app.core.errors import UserError


@click.group("dead-letters")
def dead_letters() -> None:
    """What could not be done after every try: failed jobs, messages, deliveries of webhooks."""


@dead_letters.command("list")
@click.option("--kind", help="Only this kind: a job's name, a topic or webhooks.")
@click.option("--cause", help="Only this cause, one line per dead letter.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def list_letters(kind: str | None, cause: str | None, as_csv: bool) -> None:
    """List what waits, grouped by cause, with how many, the oldest and the newest."""
    from app.dead_letters import letters

    with application():
        groups = letters.groups(kind, cause)
        waiting = [] if cause is None else letters.waiting(kind, cause)
    if not groups:
        progress("No pending dead letters.", end=True)
    if cause is not None:
        rows = [
            [
                letter.id,
                letter.kind,
                f"{letter.at:%Y-%m-%dT%H:%M:%SZ}",
                str(letter.replays),
                letter.error,
            ]
            for letter in waiting
        ]
        print_table(["id", "kind", "died", "replays", "error"], rows, as_csv)
        return
    rows = [
        [
            group.kind,
            str(group.count),
            *(f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in (group.oldest, group.newest)),
            group.example,
            group.cause,
        ]
        for group in groups
    ]
    print_table(["kind", "count", "oldest", "newest", "example", "cause"], rows, as_csv)


@dead_letters.command()
@click.argument("letter_id", metavar="ID")
def show(letter_id: str) -> None:
    """Print everything that is kept of ID: payload, error, attempts and times."""
    from app.dead_letters import letters

    with application():
        for name, value in letters.details(letters.find(letter_id)).items():
            click.echo(f"{name + ':':<14}{value}")


@dead_letters.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--cause", help="Send all with this cause, as printed by `list`.")
@click.option("--all", "every", is_flag=True, help="Send all pending dead letters.")
@click.option(
    "--canary",
    type=click.IntRange(min=0),
    default=0,
    help="Send this many first, then the rest if they succeed.",
)
@click.option(
    "--wait",
    "seconds",
    type=click.FloatRange(min=1),
    default=60,
    show_default=True,
    help="How long to wait for the canary.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be sent without sending it.")
@click.option(
    "--rate",
    type=click.FloatRange(min=0.1),
    default=10,
    show_default=True,
    help="Maximum number per second.",
)
@click.option("--force", is_flag=True, help="Include letters already sent three times.")
def replay(
    ids: tuple[str, ...], cause: str | None, every: bool, dry_run: bool, **plan: Any
) -> None:
    """Send dead letters again: some by ID, all of a cause, or all. Sending them twice is safe."""
    from app.dead_letters import letters
    from app.dead_letters.replaying import Plan, Replay, refusal

    if (bool(ids), cause is not None, every).count(True) != 1:
        raise click.UsageError("Give one or more IDs, one --cause, or --all.")
    with application() as app:
        chosen = (
            [letters.find(letter_id) for letter_id in ids] if ids else letters.waiting(cause=cause)
        )
        if not chosen:
            with_cause = "" if every else f" with the cause {cause!r}"
            click.echo(f"No pending dead letters{with_cause}.")
            return
        if dry_run:
            for letter in chosen:
                why = refusal(letter, force=plan["force"])
                click.echo(
                    f"{letter.id}  {letter.kind}  "
                    + (f"not sent: {why}" if why else "would be sent")
                )
            return
        done = Replay(app.config["PRESSBOX"], Plan(**plan), progress).run(chosen)
    for letter_id, why in done.refused:
        click.echo(f"{letter_id} was not sent: {why}.", err=True)
    click.echo(f"{len(done.sent)} of {len(chosen)} sent again.")
    if done.stopped:
        raise UserError(f"Stopped: {done.stopped}.")


@dead_letters.command()
@click.argument("letter_id", metavar="ID")
@click.option("--reason", required=True, help="Reason, kept with the dead letter.")
def drop(letter_id: str, reason: str) -> None:
    """Discard the dead letter ID: it is never sent again."""
    from app.core import clock
    from app.dead_letters import letters

    with application():
        letters.drop(letter_id, reason, clock.now())
    click.echo(f"Discarded {letter_id}.")
