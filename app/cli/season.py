"""Commands for seasons: listing, making, rolling over to the next, and simulating a whole one."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import Any

import click

from app.cli.shared import application, print_table, progress
from app.core.plurals import counted

SHOWN = 10


@click.group()
def season() -> None:
    """Seasons with their gameweeks and markets."""


@season.command("list")
def list_seasons() -> None:
    """Every season with its sizes."""
    from app.fantasy.season_setup.roll import SeasonRow, seasons

    with application():
        rows = [
            [str(getattr(row, column.name)) for column in fields(SeasonRow)] for row in seasons()
        ]
    print_table([column.name.replace("_", " ") for column in fields(SeasonRow)], rows, as_csv=False)


@season.command()
@click.option("--competition", required=True, help="nfl, premier-league, ...")
@click.option("--season", "year", type=click.IntRange(1869, 2200), required=True)
@click.option(
    "--type",
    "season_type",
    type=click.Choice(["PRE", "REG", "POST"]),
    default="REG",
    show_default=True,
)
@click.option("--name", help="Display name (default: competition and year).")
@click.option("--time-zone", default="America/New_York", show_default=True)
@click.option(
    "--rules",
    default="half_ppr_idp",
    show_default=True,
    help="Default scoring for its leagues.",
)
@click.option(
    "--format",
    default="nfl-classic",
    show_default=True,
    help="Roster format of the league that everyone is in.",
)
def create(competition: str, year: int, name: str | None, **season: Any) -> None:
    """Make a season before its schedule is known, with its league of everybody.

    One that is there stays as it is.
    """
    from app.fantasy.market.seasons import NewSeason
    from app.fantasy.season_setup import roll as rolling

    with application(audited=True):
        new = NewSeason(
            competition,
            year,
            season["season_type"],
            name or f"{competition.upper()} {year}",
            season["time_zone"],
            season["rules"],
        )
        created = rolling.create(new, season["format"])
        click.echo(f"{created.name}: import its schedule for weeks and its rosters for players")


@season.command()
@click.option("--competition", required=True, help="nfl, premier-league, ...")
@click.option(
    "--from",
    "year",
    type=click.IntRange(1869, 2200),
    help="The season that ended (default: the last).",
)
@click.option(
    "--leagues/--no-leagues",
    default=True,
    show_default=True,
    help="Carry over leagues and their members.",
)
def roll(competition: str, year: int | None, leagues: bool) -> None:
    """Carry a season over to the next, whose schedule is imported already.

    It takes over the market, at prices by the points of the season that ended, and the leagues with
    their members. The old season stays as it is. A repetition adds only what is missing.
    """
    from app.fantasy.season_setup import roll as rolling

    with application(audited=True):
        done = rolling.roll(competition, year, leagues=leagues)
    click.echo(
        f"{done.name}: {counted(done.gameweeks, 'week')}, "
        f"{counted(done.footballers, 'player')} to pick, "
        f"{counted(done.leagues, 'league')} carried over"
    )


@season.command()
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed gives the same season."
)
@click.option("--gameweeks", type=click.IntRange(1, 40), default=18, show_default=True)
@click.option("--leagues", type=click.IntRange(1, 100), default=12, show_default=True)
@click.option("--gamers", type=click.IntRange(20, 900), default=200, show_default=True)
@click.option(
    "--check",
    is_flag=True,
    help="Recompute everything at the end, and fail if a table changes.",
)
@click.option(
    "--all", "whole", is_flag=True, help=f"Print whole tables instead of the top {SHOWN}."
)
def simulate(check: bool, whole: bool, **size: int) -> None:
    """Play a whole season of fictional clubs, and print every league's final table.

    Gamers pick teams and make transfers, games are played and corrected, commissioners adjust
    scores and change rules. It takes minutes, and continues where it stopped if it is interrupted.
    The season has its own competition and its own clock.
    """
    from app.core import clock
    from app.demo.year.preparation import Options
    from app.demo.year.run import simulate
    from app.demo.year.tables import final_tables, rebuild

    began = time.monotonic()
    with application():
        options = Options(**size)
        done = simulate(options, progress)
        progress(
            f"{counted(options.gameweeks, 'week')}, {counted(options.leagues, 'league')}, "
            f"{counted(options.gamers, 'member')}, {counted(done.saved, 'lineup')} saved and "
            f"{done.refused} refused in {time.monotonic() - began:.0f} s",
            end=True,
        )
        for table in final_tables(done.season_id):
            click.echo("\n".join(["", *table.lines(None if whole else SHOWN)]))
        if check:
            differences = rebuild(done.season_id, clock.now())
            if differences:
                raise click.ClickException(
                    "Recomputed tables differ. " + "; ".join(differences) + "."
                )
            click.echo("\nRecomputed: all weeks and tables are the same.", err=True)
