"""Commands for operators' decisions about a match, as on /ops/matches."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from app.cli.shared import application, print_table
from app.core.errors import UserError

if TYPE_CHECKING:
    from uuid import UUID

    from app.predictions.decisions.previews import Preview
    from app.predictions.decisions.queries import MatchRow
    from app.predictions.decisions.services import Done, Order

    Look = Callable[[MatchRow], Preview | Any]
    Do = Callable[[MatchRow, Order], Done | Any]


@dataclass(frozen=True)
class _How:
    """How a decision is made, by the options of every command here."""

    reason: str
    preview: bool
    yes: bool


def _decision_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option(
            "--reason", default="", help="Kept in the audit log. Required unless it is a preview."
        ),
        click.option("--preview", is_flag=True, help="Show what would change without changing it."),
        click.option("--yes", is_flag=True, help="Don't ask for confirmation."),
        click.argument("match"),
        click.argument("tournament_id"),
    ):
        command = option(command)
    return command


@click.command()
@_decision_options
def void(tournament_id: str, match: str, **how: Any) -> None:
    """Void MATCH of TOURNAMENT_ID: it counts for nobody, and its round can end.

    `unvoid` has it count again.

    MATCH is the provider's id, as `findings` lists it.
    """
    from app.predictions.decisions import previews
    from app.predictions.decisions import services as decisions

    _decide(
        tournament_id,
        match,
        lambda row: previews.of_void(row.match.id),
        lambda row, order: decisions.void(row.match.id, order),
        _How(**how),
    )


@click.command()
@_decision_options
def unvoid(tournament_id: str, match: str, **how: Any) -> None:
    """Have MATCH of TOURNAMENT_ID count again that was voided: it is what its provider says."""
    from app.predictions.decisions import previews
    from app.predictions.decisions import services as decisions

    _decide(
        tournament_id,
        match,
        lambda row: previews.of_unvoid(row.match.id),
        lambda row, order: decisions.unvoid(row.match.id, order),
        _How(**how),
    )


@click.command()
@_decision_options
@click.option("--kickoff", required=True, help="With time zone, e.g. 2026-10-13T19:00-04:00.")
def redate(tournament_id: str, match: str, kickoff: str, **how: Any) -> None:
    """Give MATCH of TOURNAMENT_ID a new kickoff, until which guesses are open.

    `release` ends that.
    """
    from app.core import clock
    from app.predictions.decisions import previews
    from app.predictions.decisions import services as decisions

    moment = _moment(kickoff)
    _decide(
        tournament_id,
        match,
        lambda row: previews.of_redate(row.match.id, moment, clock.now()),
        lambda row, order: decisions.redate(row.match.id, moment, order),
        _How(**how),
    )


@click.command()
@_decision_options
def release(tournament_id: str, match: str, **how: Any) -> None:
    """Give MATCH of TOURNAMENT_ID back the kickoff of its provider, after `redate`."""
    from app.predictions.decisions import previews
    from app.predictions.decisions import services as decisions

    _decide(
        tournament_id,
        match,
        lambda row: previews.of_release(row.match.id),
        lambda row, order: decisions.release(row.match.id, order),
        _How(**how),
    )


@click.command()
@_decision_options
@click.argument("into")
def merge(tournament_id: str, match: str, into: str, **how: Any) -> None:
    """Merge MATCH of TOURNAMENT_ID into the match INTO that took its place: it gets the guesses.

    Cannot be undone.
    """
    from app.predictions.decisions import previews
    from app.predictions.decisions import services as decisions

    def other(row: MatchRow) -> Any:
        return _find(row.tournament.id, into).match.id

    _decide(
        tournament_id,
        match,
        lambda row: previews.of_merge(row.match.id, other(row)),
        lambda row, order: decisions.merge(row.match.id, other(row), order),
        _How(**how),
    )


@click.command()
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def decisions(as_csv: bool) -> None:
    """List what was decided about matches and stands, with the command that ends it."""
    ends = {"void": "unvoid", "redate": "release"}
    with application():
        from app.predictions.decisions import queries

        rows = queries.decided()
        acts = queries.acts(row.match.id for row in rows)
        table = [
            [
                row.tournament.name,
                row.match.external_id,
                row.name,
                decision.act.kind,
                decision.act.reason,
                command_line(ends[decision.act.kind], row.tournament.id, row.match.external_id)
                if decision.act.kind in ends
                else "",
            ]
            for row in rows
            for decision in acts[row.match.id]
            if decision.act.ended_at is None
        ]
    print_table(["tournament", "id", "match", "decision", "reason", "ended by"], table, as_csv)


COMMANDS = (void, unvoid, redate, release, merge, decisions)


def command_line(names: str, tournament_id: UUID, external_id: str) -> str:
    """Return the beginning of the command that decides about a match."""
    return f"pressbox tournament {names} {tournament_id} {shlex.quote(external_id)}"


def tournament_id_of(text: str) -> UUID:
    """Read the id of a tournament.

    Raises:
        UserError: It is not an id.
    """
    from uuid import UUID

    try:
        return UUID(text)
    except ValueError:
        raise UserError(f"{text!r} is not an id. `pressbox tournament list` shows them.") from None


def _decide(tournament_id: str, match: str, look: Look, do: Do, how: _How) -> None:
    if not how.preview and not how.reason.strip():
        raise UserError("Give a --reason. It is kept in the audit log. --preview changes nothing.")
    with application(audited=not how.preview, reason=how.reason):
        from app.core import clock
        from app.predictions.decisions.services import Order

        row = _find(tournament_id_of(tournament_id), match)
        preview = _unless_refused(look(row)) if how.preview or not how.yes else None
        if preview is not None:
            for line in preview.lines:
                click.echo(line)
        if how.preview:
            return
        if not how.yes:
            click.confirm("Apply this?", abort=True)
        order = Order(None, how.reason, clock.now(), "" if preview is None else preview.digest)
        done = _unless_refused(do(row, order))
        click.echo(
            f"{row.name}: {'done.' if done.is_new else 'nothing changed; it was already so.'}"
        )


def _find(tournament_id: Any, name: str) -> MatchRow:
    from app.predictions.decisions import queries

    row = queries.find_by_name(tournament_id, name)
    if row is None:
        raise UserError(
            f"There is no match {name} in the tournament: `pressbox tournament findings` names "
            "their ids."
        )
    return row


def _unless_refused(result: Any) -> Any:
    from app.core.refusals import Refusal

    if isinstance(result, Refusal):
        raise UserError(result.text)
    return result


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise click.BadParameter(
            f"{text!r} should be like 2026-10-13T19:00-04:00", param_hint="--kickoff"
        ) from error
    if moment.tzinfo is None:
        raise click.BadParameter(
            f"{text!r} has no zone: add it, as in {text}-04:00", param_hint="--kickoff"
        )
    return moment
