"""`pressbox accounts ...`: staff accounts from the command line, such as the first operator."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from app.accounts.rules import ROLES
from app.cli.shared import application, print_table
from app.core.errors import UserError

if TYPE_CHECKING:
    from flask import Flask

    from app.accounts.models import Member

BY_COMMAND = "by a command on the server"
reason_option = click.option(
    "--reason", default=BY_COMMAND, show_default=True, help="Kept in the audit log."
)


@click.group()
def accounts() -> None:
    """Make accounts and staff, and hand out links for a new password."""


@accounts.command()
@click.argument("username")
@click.option("--name", help="The name shown to others (default: the username).")
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="Can be repeated.")
@reason_option
def create(username: str, name: str | None, roles: tuple[str, ...], reason: str) -> None:
    """Make an account, such as the first operator, and print a link to set its password."""
    from app.accounts import staff
    from app.core import clock

    with application() as app:
        account = staff.NewAccount(username, name or username, roles)
        created = staff.create(account, clock.now(), actor_id=None, reason=reason)
        if isinstance(created, dict):
            raise _refused(created)
        click.echo(f"Created {created.member.username}, {_words(created.member.roles)}.", err=True)
        _print_link(app, created.token)


@accounts.command("role")
@click.argument("username")
@click.argument("roles", nargs=-1, type=click.Choice(ROLES))
@click.option("--none", "is_none", is_flag=True, help="Remove all roles.")
@click.option(
    "--game",
    "games",
    multiple=True,
    help="Limit the scorer to this game. Can be repeated.",
)
@reason_option
def set_roles(
    username: str, roles: tuple[str, ...], is_none: bool, games: tuple[str, ...], reason: str
) -> None:
    """Give USERNAME exactly these ROLES."""
    from app.accounts import staff

    if bool(roles) is is_none:
        raise click.UsageError("Give one or more roles, or --none.")
    with application():
        member = _find(username)
        if faults := staff.set_roles(member, roles, games, actor_id=None, reason=reason):
            raise _refused(faults)
        click.echo(f"{member.username} is {_words(member.roles)}.")


@accounts.command()
@click.argument("username")
@click.option(
    "--second-factor", is_flag=True, help="Also remove their authenticator app and passkeys."
)
@reason_option
def reset(username: str, second_factor: bool, reason: str) -> None:
    """Print a link with which USERNAME sets a new password: good for one use and a day."""
    from app.accounts import staff
    from app.core import clock

    with application() as app:
        token = staff.reset(
            _find(username), clock.now(), actor_id=None, reason=reason, second_factor=second_factor
        )
        if isinstance(token, dict):
            raise _refused(token)
        _print_link(app, token)


@accounts.command()
@click.argument("username")
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M"]),
    help="When access returns, in UTC.",
)
@click.option("--lift", "is_lifted", is_flag=True, help="Restore access now.")
@reason_option
def suspend(username: str, until: datetime | None, is_lifted: bool, reason: str) -> None:
    """Keep USERNAME out and off every board until a moment, from their next click on."""
    from app.accounts.players import player_of
    from app.core import clock
    from app.core.refusals import Refusal
    from app.moderation import sanctions

    if (until is None) is not is_lifted:
        raise click.UsageError("Give --until with a date, or --lift.")
    with application():
        player, now = player_of(_find(username)).id, clock.now()
        if until is None:
            done = sanctions.lift(player, by=None, reason=reason, now=now)
        else:
            measure = sanctions.Measure(sanctions.SUSPENSION, until.replace(tzinfo=UTC))
            done = sanctions.impose(player, measure, by=None, reason=reason, now=now)
        if isinstance(done, Refusal):
            raise UserError(f"{done.field} {done.text}".strip())
        if until is None:
            click.echo(f"{username} can sign in again.")
        else:
            click.echo(f"{username} is suspended until {until:%Y-%m-%d %H:%M} UTC.")


@accounts.command("list")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated output, for programs.")
def list_staff(as_csv: bool) -> None:
    """Everybody who has a role."""
    from app.accounts import second_factors, staff

    with application():
        members, _ = staff.search("", "staff", 1, 10_000)
        rows = [
            [
                member.username,
                " ".join(member.roles),
                " ".join(staff.games_of(member.id)) or "all",
                second_factors.of(member.id).word,
            ]
            for member in members
        ]
        print_table(["username", "roles", "games", "second_factor"], rows, as_csv)


def _find(username: str) -> Member:
    from app.accounts.services import find_member

    member = find_member(username)
    if member is None:
        raise UserError(
            f"There is no account {username!r}: `pressbox accounts list` shows the staff."
        )
    return member


def _print_link(app: Flask, token: str) -> None:
    """Print the link; only the link itself goes to standard output."""
    click.echo("Open this link within a day to set the password (it works once):", err=True)
    click.echo(f"{app.config['PRESSBOX'].origin}/reset?token={token}")


def _refused(faults: dict[str, str]) -> UserError:
    return UserError(" ".join(f"{field}: {text}" for field, text in faults.items()))


def _words(roles: list[str]) -> str:
    return " and ".join(roles) or "a member"


@click.command("vapid-key")
def vapid_key() -> None:
    """Print a new VAPID_KEY: with it in the environment, members may have notices pushed."""
    from app.accounts.push import new_key

    click.echo(f"VAPID_KEY={new_key()}")
