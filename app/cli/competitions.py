"""Commands for competitions: previewing a declaration, and settling what is due."""

from __future__ import annotations

import click

from app.cli.shared import application, print_table
from app.core.errors import UserError


@click.group()
def competitions() -> None:
    """Preview integrators' competitions on past windows; settle what is due."""


@competitions.command()
@click.argument("competition")
@click.option(
    "--windows",
    type=click.IntRange(1, 52),
    default=4,
    show_default=True,
    help="Number of past windows.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def preview(competition: str, windows: int, as_csv: bool) -> None:
    """Show what COMPETITION (game:mode:competition) would have done in past windows.

    Nothing is changed.
    """
    from app.boards.catalogue import queries as catalogue
    from app.competitions import declaration, declaring
    from app.competitions import preview as previewing
    from app.core.clock import now

    rows = []
    with application():
        game_name, _, mode_and_name = competition.partition(":")
        mode_name, _, name = mode_and_name.partition(":")
        game = catalogue.find_game(game_name)
        mode = catalogue.find_mode(game, mode_name) if game else None
        row = declaring.find(mode, name) if mode else None
        if mode is None or row is None:
            raise UserError(
                f"There is no competition {competition}. Write it as game:mode:competition."
            )
        previews = previewing.preview(
            mode, declaration.read(row.declaration), windows, now(), most=None
        )
        for window in previews:
            if not isinstance(window, previewing.WindowPreview):
                raise UserError(window.text)
            starts = f"{window.starts:%Y-%m-%dT%H:%M:%SZ}"
            for tier in window.tiers:
                counts = (tier.players, tier.cohorts, tier.promoted, tier.relegated, tier.absent)
                rows.append([starts, tier.title, *(str(count) for count in counts), ""])
            for band in window.bands:
                amounts = ", ".join(
                    f"{amount} {reward}" for reward, amount in sorted(band.amounts.items())
                )
                rows.append([starts, band.name, str(band.players), "", "", "", "", amounts])
    print_table(
        ["window", "tier or band", "players", "cohorts", "up", "down", "absent", "rewards"],
        rows,
        as_csv,
    )


@competitions.command()
def settle() -> None:
    """Settle the windows that are due, as the scheduler has it done every minute."""
    from app.competitions.settlement import settle_due
    from app.core.clock import now

    with application(audited=True):
        done = settle_due(now())
    click.echo(f"{len(done)} windows settled.")
