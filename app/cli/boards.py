"""Commands for the boards in Redis: where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from app.cli.shared import application, progress

if TYPE_CHECKING:
    from app.boards.models import BoardRecord


@click.group()
def boards() -> None:
    """Move boards to another layout in Redis."""


@boards.command()
@click.argument("key")
@click.option("--layout", type=click.Choice(["hash", "range"]), help="Shared out by member, or by score.")
@click.option("--shards", type=int, default=1, show_default=True, help="In how many parts.")
@click.option("--give-up", is_flag=True, help="Throw away a move that is under way.")
def move(key: str, layout: str | None, shards: int, give_up: bool) -> None:
    """Move board KEY (game:mode:window) while its scores go on. Run it again to go on after an interruption."""
    from app.boards import moving
    from app.core import clock

    if give_up == (layout is not None):
        raise click.UsageError("Say where to with --layout, or --give-up.")
    with application():
        board = _board(key)
        if layout is None:
            moving.give_up(board.id, clock.now())
            return
        told = ""

        def say(moved: moving.Moved) -> None:
            nonlocal told
            told = f"{key}: {moved.copied} of {moved.total} players copied"
            progress(told)

        moving.move(board.id, layout, shards, say)
        progress(told or f"{key}: moved, it has no players yet", end=True)


def _board(key: str) -> BoardRecord:
    from app.boards import catalogue
    from app.boards.moving import CannotMove

    names = key.split(":", 2)
    if len(names) == 3:
        game = catalogue.find_game(names[0])
        mode = catalogue.find_mode(game, names[1]) if game else None
        board = catalogue.find_board(mode, names[2]) if mode else None
        if board is not None:
            return board
    raise CannotMove(f"There is no board {key}: name it game:mode:window, for example bowl:season:weekly:2026-W14.")
