"""Commands that fill Redis from PostgreSQL for readers."""

from __future__ import annotations

from uuid import UUID

import click

from app.cli.shared import application, progress
from app.core.errors import UserError


@click.group()
def hydrate() -> None:
    """Fill Redis from PostgreSQL."""


@hydrate.command()
@click.option("--tournament", "tournament_id", type=click.UUID, help="The id of one tournament.")
@click.option("--all-active", is_flag=True, help="Every active tournament.")
def scoreboard(tournament_id: UUID | None, all_active: bool) -> None:
    """Make the leaderboard, matches and standings of tournaments anew, as after Redis was lost.

    It is safe to run this twice.

    Afterwards it compares what Redis holds with PostgreSQL, and fails with the rows that differ.
    """
    from app.core.redis.clients import RedisAway
    from app.ops.drills import hydrate_tournaments
    from app.predictions import tournaments

    if (tournament_id is None) is not all_active:
        raise click.UsageError("Give one --tournament, or --all-active.")
    with application():
        chosen = [
            tournament
            for tournament in tournaments.listed()
            if tournament.id == tournament_id or (all_active and tournament.is_active)
        ]
        if tournament_id and not chosen:
            known = (
                ", ".join(
                    f"{tournament.id} ({tournament.name})"
                    for tournament in tournaments.listed()[:10]
                )
                or "none yet"
            )
            raise UserError(f"There is no tournament {tournament_id}. There are: {known}.")
        try:
            compared = hydrate_tournaments(chosen, progress)
        except RedisAway as error:
            raise UserError(
                f"Redis does not answer ({error}): start it or correct REDIS_URL, then run this "
                "again."
            ) from error
        progress(f"Tournaments hydrated: {len(chosen)}", end=True)
        click.echo(compared)
