"""Commands for the stream and the ways back: tail, republish, archive, restore, rebuild."""

from __future__ import annotations

from datetime import timedelta

import click

from app.cli.shared import application, progress, until_published
from app.setting_reading import settings_from_env


@click.command()
@click.option("--from-beginning", is_flag=True, help="Start with the oldest message on the topic.")
@click.option("--game", "game_id", help="Only events of this game.")
@click.option("--until-end", is_flag=True, help="Stop at the topic's current end.")
def tail(from_beginning: bool, game_id: str | None, until_end: bool) -> None:
    """Print events as they are published: partition, offset and the message. Ctrl-C stops."""
    from app.embedded.stack import with_running_stack
    from app.stream.tail import tail as read

    settings = with_running_stack(settings_from_env())
    for partition, offset, value in read(
        settings, from_beginning=from_beginning, game_id=game_id, until_end=until_end
    ):
        click.echo(f"{partition}\t{offset}\t{value.decode(errors='replace')}")


@click.group()
def stream() -> None:
    """The Kafka side."""


@stream.command()
@click.option("--game", "game_id", help="Only this game, even if the topic is not empty.")
def republish(game_id: str | None) -> None:
    """Fill an empty Kafka from the outbox; ingestion skips what it knows."""
    from app.stream.republish import republish_game, republish_if_empty

    with application(audited=True) as app:
        settings = app.config["PRESSBOX"]
        marked = republish_game(settings, game_id) if game_id else republish_if_empty(settings)
    click.echo(
        f"{marked} events will be published again."
        if marked
        else "Nothing to do: the topic already holds messages, or no event was ever published."
    )


@stream.command()
@click.option(
    "--older-than", type=click.FloatRange(min=0), help="Age in days (default: ARCHIVE_AFTER_DAYS)."
)
@click.option(
    "--check",
    is_flag=True,
    help="Reread all archived objects and repair broken ones. Archives nothing.",
)
def archive(older_than: float | None, check: bool) -> None:
    """Write old messages of the stream into the blob store. Twice changes nothing."""
    from app.core import clock
    from app.core.blob_store import blob_store
    from app.record.rebuild import identifier, identify
    from app.stream import archive as archiving

    with application() as app:
        settings, store, now = app.config["PRESSBOX"], blob_store(), clock.now()
        if check:
            outcome = archiving.check(archiving.ArchiveRun(store, now, identify, progress))
        else:
            before = now - timedelta(
                days=settings.archive_after_days if older_than is None else older_than
            )
            outcome = archiving.archive(
                settings, archiving.ArchiveRun(store, now, identifier(), progress), before=before
            )
    for fault in outcome.faults:
        click.secho(fault, err=True, fg="yellow")
    if outcome.strangers:
        click.echo(
            f"{outcome.strangers} messages on the topic are not events; they stay with the dead "
            "letters."
        )
    progress(
        f"{outcome.messages} messages archived in {outcome.segments} new objects; {outcome.known} "
        "were already there. "
        f"The archive is {store.url}",
        end=True,
    )
    if outcome.unrepaired:
        raise click.ClickException(
            f"{outcome.unrepaired} objects of the archive are broken; see above."
        )


@stream.command()
@click.argument("game_id")
def restore(game_id: str) -> None:
    """Put the archived messages of GAME_ID on the topic again; ingestion skips what it knows."""
    from app.core import clock
    from app.core.blob_store import blob_store
    from app.record.rebuild import identify
    from app.stream.restore import restore as steps

    with application(processes=True, audited=True) as app:
        total = 0
        for done, total in steps(
            app.config["PRESSBOX"], blob_store(), game_id, clock.now(), identify
        ):
            progress(f"{game_id}: {done} of {total} messages")
        progress(f"{game_id}: all {total} archived messages are on the topic again", end=True)


@stream.command()
def keys() -> None:
    """List the ids of the signing keys, and how many messages on the topics each has signed."""
    from app.embedded.stack import with_running_stack
    from app.stream.signing import StreamKeys
    from app.stream.topic_reader import signatures
    from app.stream.topics import TOPICS

    settings = with_running_stack(settings_from_env())
    counts = signatures(settings, TOPICS)
    for place, name in enumerate(StreamKeys.of(settings).ids):
        click.echo(
            f"{name}  {'signs' if place == 0 else 'is accepted'}, {counts.pop(name, 0)} messages"
        )
    if refused := counts.total():
        click.echo(
            f"{refused} messages have no valid signature: `pressbox stream dead-letters` shows "
            "them."
        )


@stream.command("dead-letters")
@click.option(
    "--last", default=20, show_default=True, type=click.IntRange(min=1), help="Number to print."
)
@click.option(
    "--forget-refused", is_flag=True, help="Delete messages that this installation did not write."
)
def dead_letters(last: int, forget_refused: bool) -> None:
    """The messages that could not be taken in, newest first, with their reasons."""
    from app.stream.dead_letters import newest
    from app.stream.refused_messages import forget, refused_by_day

    with application(audited=forget_refused):
        if forget_refused:
            click.echo(f"{forget()} dead letters deleted, along with their daily counts.")
            return
        for letter in newest(last):
            place = f"{letter.topic} {letter.partition}:{letter.offset} key {letter.key!r}"
            click.echo(f"{letter.created_at:%Y-%m-%d %H:%M:%S} {place}: {letter.reason}")
        for row in refused_by_day():
            click.echo(f"{row.day} {row.topic}: {row.messages} messages, {row.reason}")


@click.group()
def rebuild() -> None:
    """Bring back a lost store."""


@rebuild.command("record")
@click.argument("game_id", required=False)
@click.option("--all", "every", is_flag=True, help="Every game that has begun.")
@click.option("--dry-run", is_flag=True, help="Show what would be done without doing it.")
def rebuild_record(game_id: str | None, every: bool, dry_run: bool) -> None:
    """Build the record of GAME_ID anew from Kafka, or from the archive.

    The archive is read for messages that Kafka no longer has. Afterwards it compares every event
    with its message, and the league tables in Redis with PostgreSQL; it fails with what differs.
    `pressbox verify` compares the play tables too.
    """
    from app.ops.comparison import judge
    from app.ops.drills import DRILLS, rebuild_records
    from app.record.rebuild import begun_games

    if (game_id is None) is not every:
        raise click.UsageError("Give one GAME_ID, or --all.")
    with application(processes=True, audited=not dry_run) as app:
        if dry_run:
            click.echo(
                DRILLS["record"].plan() if game_id is None else f"Game {game_id} would be rebuilt."
            )
            return
        until_published()
        games = begun_games() if game_id is None else [game_id]
        rebuilt = rebuild_records(games, app.config["PRESSBOX"], progress)
    for built in rebuilt.done:
        progress(
            f"{built.game_id}: rebuilt from {built.events} messages ({built.from_archive} from the "
            "archive)",
            end=True,
        )
    if rebuilt.refused:
        raise click.ClickException("\n".join(rebuilt.refused))
    click.echo(judge(rebuilt.comparisons))


@rebuild.command("boards")
@click.option("--board", "key", help="One board, game:mode:window.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Every board and all league tables (default).",
)
@click.option("--dry-run", is_flag=True, help="Show what would be done without doing it.")
def rebuild_boards(key: str | None, every: bool, dry_run: bool) -> None:
    """Fill Redis with the boards from PostgreSQL.

    Nobody waits for it but the scores of the mode at work.

    Afterwards it compares every row in Redis with PostgreSQL, and fails with those that differ.
    """
    from app.boards.verification import rebuild as rebuilding
    from app.core.redis.clients import RedisAway
    from app.ops import drills

    if key and every:
        raise click.UsageError("Give one --board, or --all.")
    with application(audited=not dry_run):
        if dry_run:
            click.echo(
                f"Board {key} would be filled from PostgreSQL."
                if key
                else drills.DRILLS["boards"].plan()
            )
            return
        try:
            if key:
                result = drills.rebuild_one_board(rebuilding.find(key), key, progress)
            else:
                result = drills.DRILLS["boards"].run(progress)
        except RedisAway as error:
            raise click.ClickException(
                f"Redis does not answer ({error}): start it or correct BOARDS_REDIS_URL, then run "
                "this again."
            ) from error
        click.echo(result)


@rebuild.command("caches")
@click.option("--dry-run", is_flag=True, help="Show what would be done without doing it.")
def rebuild_caches(dry_run: bool) -> None:
    """Drop what Redis keeps to be fast; the next reader makes it again.

    What Redis keeps of tournaments is written anew, and compared with PostgreSQL: it fails with the
    rows that differ.
    """
    from app.ops.drills import DRILLS

    with application(audited=not dry_run):
        click.echo(DRILLS["caches"].plan() if dry_run else DRILLS["caches"].run(progress))
