"""Commands for the boards: their layout in Redis, and how a mode's scores count."""

from __future__ import annotations

import click

from app.cli.shared import application, progress


@click.group()
def boards() -> None:
    """Move boards to another layout in Redis; change how a mode counts."""


@boards.command()
@click.argument("key")
@click.option("--layout", type=click.Choice(["hash", "range"]), help="Shard by member or by score.")
@click.option("--shards", type=int, default=1, show_default=True, help="Number of shards.")
@click.option("--give-up", is_flag=True, help="Cancel a move in progress.")
def move(key: str, layout: str | None, shards: int, give_up: bool) -> None:
    """Move board KEY (game:mode:window) while its scores go on.

    Run it again to go on after an interruption.
    """
    from app.boards.catalogue import queries as catalogue
    from app.boards.layouts import moving
    from app.core import clock

    if give_up == (layout is not None):
        raise click.UsageError("Give the target with --layout, or --give-up.")
    with application(audited=True):
        board = catalogue.board_named(key)
        if layout is None:
            moving.give_up(board.id, clock.now())
            return
        text = ""

        def say(moved: moving.Moved) -> None:
            nonlocal text
            text = f"{key}: {moved.copied} of {moved.total} players copied"
            progress(text)

        moving.move(board.id, layout, shards, say)
        progress(text or f"{key}: moved. It has no players yet.", end=True)


@boards.command()
@click.argument("mode")
@click.option(
    "--aggregation", help="Which scores count: highest, sum or latest (default: unchanged)."
)
@click.option(
    "--ties", help="How equal scores rank: shared, dense or earliest (default: unchanged)."
)
@click.option(
    "--reason", help="The reason. Applies the change; without it, only a preview is shown."
)
def change(mode: str, aggregation: str | None, ties: str | None, reason: str | None) -> None:
    """Show who would move if MODE (game:mode) counted otherwise; with --reason, make it so."""
    from app.boards.catalogue import queries as catalogue
    from app.core import clock
    from app.scores.standings import mode_change as changing

    with application(audited=reason is not None, reason=reason or ""):
        game_name, _, mode_name = mode.partition(":")
        game = catalogue.find_game(game_name)
        board_mode = catalogue.find_mode(game, mode_name) if game else None
        if board_mode is None:
            raise click.ClickException(
                f"There is no mode {mode}. Write it as game:mode, e.g. bowl:season."
            )
        policy = changing.Policy(aggregation or board_mode.aggregation, ties or board_mode.ties)
        preview = changing.preview(board_mode.id, policy)
        if isinstance(preview, list):
            raise click.ClickException("\n".join(refusal.text for refusal in preview))
        for board in preview.boards:
            click.echo(f"{board.window_id}: {board.moved} of {board.players} players change rank")
            for move in board.moves:
                ranks = f"{move.rank_before} -> {move.rank_after}"
                click.echo(
                    f"  {move.player_id}  rank {ranks}, score {move.score_before} -> "
                    f"{move.score_after}"
                )
        if preview.archived:
            click.echo(f"{preview.archived} archived boards stay as they were when closed.")
        if reason is None:
            click.echo("Nothing has changed yet. Add --reason to apply it.")
            return
        done = changing.apply(preview, reason=reason, by=None, now=clock.now())
        if isinstance(done, list):
            raise click.ClickException("\n".join(refusal.text for refusal in done))
        click.echo(f"{mode} is now {done.aggregation}, {done.ties}; {done.moved} ranks changed.")
