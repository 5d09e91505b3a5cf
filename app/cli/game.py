"""Commands for games that are not played as planned, and for games and clubs registered by hand."""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args

import click

from app.cli.shared import application, until_ingested
from app.core.errors import UserError
from app.record.events import Declared


@click.group()
def game() -> None:
    """A game that is not played as planned or is registered by hand.

    /ops/games does the same with a preview.
    """


_reason = click.option("--reason", required=True, help="Kept in the record and in the audit log.")
_over = click.option(
    "--take-over", is_flag=True, help="Go ahead even while someone is scoring the game."
)


@game.command()
@click.argument("game_id")
@click.argument("status", type=click.Choice(get_args(Declared)))
@_reason
@_over
def status(game_id: str, status: Declared, reason: str, take_over: bool) -> None:
    """Say what becomes of GAME_ID; `scheduled`: it is played after all.

    A gameweek settles without cancelled and postponed games. Nothing of a cancelled game counts.
    """
    from app.core import clock
    from scorer_console.games.declaring import Declarer, declare

    with application(processes=True, audited=True, reason=reason):
        number = declare(game_id, status, reason, clock.now(), Declarer(take_over=take_over))
        until_ingested(game_id, number)
        click.echo(f"Game {game_id}: {status} (event {number})")


@game.command()
@click.argument("game_id")
@click.option("--kickoff", required=True, help="With time zone, e.g. 2026-10-13T19:00-04:00.")
@_reason
@_over
def move(game_id: str, kickoff: str, reason: str, take_over: bool) -> None:
    """Give GAME_ID another kickoff.

    It counts in the gameweek in which it is played; deadlines and locks go with it.
    """
    from app.core import clock
    from scorer_console.games import declaring

    try:
        at = datetime.fromisoformat(kickoff)
    except ValueError as error:
        raise click.BadParameter(
            f"{kickoff!r} should be like 2026-10-13T19:00-04:00", param_hint="--kickoff"
        ) from error
    if at.tzinfo is None:
        raise click.BadParameter(
            f"{kickoff!r} has no zone: add it, as in {kickoff}-04:00", param_hint="--kickoff"
        )
    with application(processes=True, audited=True, reason=reason):
        done, number = declaring.move(
            game_id, at, reason, clock.now(), declaring.Declarer(take_over=take_over)
        )
        if number is not None:
            until_ingested(game_id, number)
        click.echo(
            f"Game {game_id}: {done.gameweek or f'week {done.week}'}, kickoff "
            f"{done.kickoff:%a %d %b %Y %H:%M %Z}"
        )
        for deadline in done.deadlines:
            after = f"{deadline.after:%a %d %b %H:%M %Z}"
            click.echo(f"  {deadline.gameweek}: the deadline is {after} now")
        if done.without:
            click.echo(
                f"  it no longer counts in {done.without} of {done.leagues} leagues, by their rules"
            )


@game.command()
@click.argument("short")
@click.option("--name", required=True, help="E.g. Port Harrow Lamplighters.")
@click.option("--nickname", default="", help="E.g. Lamplighters.")
@click.option("--colour", default="#224466", show_default=True, help="# and six digits.")
def club(short: str, name: str, nickname: str, colour: str) -> None:
    """Register the club SHORT, for a competition that nobody imports."""
    from scorer_console.games.registering import NewClub, register_club

    with application(audited=True):
        click.echo(f"Club {_done(register_club(NewClub(short, name, nickname, colour), None))}")


@game.command()
@click.argument("away")
@click.argument("home")
@click.option(
    "--kickoff", required=True, help="In the stadium's local time, e.g. 2026-10-13T19:00."
)
@click.option("--zone", required=True, help="The stadium's time zone, e.g. America/New_York.")
@click.option("--week", type=int, default=1, show_default=True)
@click.option("--season-type", default="REG", show_default=True)
@click.option("--competition", default="nfl", show_default=True, help="Determines the rules.")
@click.option("--id", "game_id", default="", help="Default: built from the day and clubs.")
def register(**fields: Any) -> None:
    """Register a game of AWAY at HOME."""
    from scorer_console.entry.services import Registration, register_game

    with application(audited=True):
        result = register_game(Registration(**fields))
        click.echo(f"Game {_done(result if isinstance(result, dict) else str(result.id))}")


@game.command()
@click.argument("game_id")
@click.option("--home", help="The new home club.")
@click.option("--away", help="The new visiting club.")
@click.option("--competition", help="The new competition.")
@_reason
def correct(
    game_id: str, home: str | None, away: str | None, competition: str | None, reason: str
) -> None:
    """Correct how GAME_ID is registered.

    Clubs can change until its first event; `move` changes its kickoff.
    """
    from scorer_console import queries
    from scorer_console.games.registering import RegisteredAs, correct_registration
    from scorer_console.lease.leases import UnknownGameError

    with application(audited=True, reason=reason):
        registered = queries.game(game_id)
        if registered is None:
            raise UnknownGameError(f"There is no game {game_id}. Register it.")
        correction = RegisteredAs(
            home or registered.home.id,
            away or registered.away.id,
            competition or registered.competition,
        )
        changes = correct_registration(game_id, correction, reason, None)
        for field, (before, after) in changes.items():
            click.echo(f"Game {game_id}: {field.removesuffix('_id')} {before} -> {after}")


def _done(result: str | dict[str, str]) -> str:
    """Return what was registered.

    Raises:
        UserError: It says what to change.
    """
    if isinstance(result, dict):
        raise UserError("; ".join(f"{field}: {fault}" for field, fault in result.items()))
    return result
