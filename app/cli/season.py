"""Commands for seasons: listing, making, rolling over to the next, and simulating a whole one."""

from __future__ import annotations

import time

import click

from app.cli.shared import application, progress

SHOWN = 10


@click.group()
def season() -> None:
    """Seasons with their gameweeks and markets."""


@season.command()
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed is the same season.")
@click.option("--gameweeks", type=click.IntRange(1, 40), default=18, show_default=True)
@click.option("--leagues", type=click.IntRange(1, 100), default=12, show_default=True)
@click.option("--gamers", type=click.IntRange(20, 900), default=200, show_default=True)
@click.option("--check", is_flag=True, help="Add everything up anew at the end, and fail when a table changes.")
@click.option("--all", "whole", is_flag=True, help=f"Print whole tables, not their first {SHOWN} places.")
def simulate(seed: int, gameweeks: int, leagues: int, gamers: int, check: bool, whole: bool) -> None:
    """Play a whole season of fictional clubs: gamers pick teams and make transfers, games are played and corrected,
    commissioners adjust scores and change rules; then print every league's final table.

    It takes minutes, and goes on where it was when it is cut short. It has a competition and a clock of its own.
    """
    from app.core import clock
    from app.demo.year.run import Options, simulate
    from app.demo.year.tables import final_tables, rebuild

    began = time.monotonic()
    with application():
        done = simulate(Options(seed, gameweeks, leagues, gamers), progress)
        progress(
            f"{gameweeks} gameweeks, {leagues} leagues, {gamers} gamers, {done.saved} team sheets saved and "
            f"{done.refused} refused in {time.monotonic() - began:.0f} s",
            end=True,
        )
        for table in final_tables(done.season_id):
            click.echo("\n".join(["", *table.lines(None if whole else SHOWN)]))
        if check:
            found = rebuild(done.season_id, clock.now())
            if found:
                raise click.ClickException("Added up anew the tables are others. " + "; ".join(found) + ".")
            click.echo("\nAdded up anew, every gameweek and every table is the same.", err=True)
