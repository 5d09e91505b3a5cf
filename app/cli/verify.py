"""`pressbox verify GAME`: compares the record, and a game book, with the messages."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.shared import application, until_published
from app.core.errors import UserError
from app.core.plurals import counted

MOST_BYTES = 64 * 1024 * 1024


@click.command()
@click.argument("game_id")
@click.option(
    "--book",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Also check the seal of this game book (HTML or JSON).",
)
def verify(game_id: str, book: Path | None) -> None:
    """Compare the record of GAME_ID with its messages in Kafka and the archive, row by row.

    Says what differs, and ends with exit code 1 then. Changes nothing.
    """
    from app.core import clock
    from app.core.blob_store import blob_store
    from app.record import verification
    from app.record.rebuild import Stream
    from app.record.seal import found_in
    from app.stream.signing import StreamKeys

    sealed = None
    if book is not None:
        if book.stat().st_size > MOST_BYTES:
            raise UserError(
                f"{book} is larger than {MOST_BYTES // 1024**2} MB. Choose the game book itself."
            )
        sealed = found_in(book.read_text(errors="replace"))
        if sealed is None:
            raise UserError(
                f"{book} has no seal. Export it with `pressbox export {game_id} --format book`."
            )
    with application() as app:
        until_published()
        settings, now = app.config["PRESSBOX"], clock.now()
        verdict = verification.verify(
            game_id, Stream(settings, blob_store(), now), now, StreamKeys.of(settings), sealed
        )
    for note in verdict.notes:
        click.echo(note)
    if verdict.faults:
        raise click.ClickException(
            "\n".join(
                [
                    *verdict.faults,
                    f"Game {game_id}: {counted(len(verdict.faults), 'difference')}. "
                    "`pressbox rebuild record` repairs the tables if the messages are complete.",
                ]
            )
        )
    compared = "messages, tables and book" if book else "messages and tables"
    click.echo(
        f"Game {game_id}: {compared} agree ({verdict.messages} messages, {verdict.from_archive} of "
        "them from the archive)."
    )
    if verdict.sealed is not None:
        click.echo(verdict.sealed.text)
