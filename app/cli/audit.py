"""Commands for the audit: checking and listing it."""

from __future__ import annotations

from datetime import UTC

import click

from app.cli.shared import application, print_table
from app.core.errors import UserError


@click.group()
def audit() -> None:
    """The audit: who did what, when and why."""


@audit.command("verify")
@click.option(
    "--head",
    help="A hash noted elsewhere, e.g. from the log. It must be in the chain.",
)
def verify(head: str | None) -> None:
    """Recompute the chain of hashes; anything changed, removed or inserted is named."""
    with application():
        from sqlalchemy import select

        from app.audit.models import AuditEntry
        from app.audit.rights import rights
        from app.audit.verification import verify as verified
        from app.core.db import db

        chain = verified()
        protection = rights()
        if (
            head is not None
            and db.session.scalar(select(AuditEntry.id).where(AuditEntry.hash == head)) is None
        ):
            chain.faults.append(
                f"No entry has the hash {head}. The chain was rebuilt or cut off before it."
            )
    for fault in chain.faults:
        click.echo(fault)
    if chain.faults:
        raise UserError(
            "The audit log was tampered with. Compare it with a backup (`pressbox restore`) and "
            "find out who did it."
        )
    for gap in chain.gaps:
        click.echo(gap)
    state = "unchanged, with the gaps above" if chain.gaps else "whole"
    click.echo(
        f"The audit is {state}: {chain.entries} entries. Its head is {chain.hash or 'empty'}."
    )
    click.echo(protection.sentence)
    if not protection.by_triggers:
        raise SystemExit(1)


@audit.command("list")
@click.option("--act", help="Only this action, e.g. account.signed_in.")
@click.option("--subject", help="Only this subject, e.g. member:7.")
@click.option("--limit", default=50, show_default=True)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def list_entries(act: str | None, subject: str | None, limit: int, as_csv: bool) -> None:
    """List entries, the newest first."""
    with application():
        from app.audit import queries
        from app.audit.queries import Wanted

        entries, _ = queries.page(
            Wanted(acts=None if act is None else [act], subject=subject), 1, limit
        )
        rows = [
            [
                str(entry.id),
                f"{entry.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
                entry.act,
                "" if entry.actor_id is None else str(entry.actor_id),
                entry.subject,
                (entry.personal or {}).get("address", ""),
                entry.reason,
            ]
            for entry in entries
        ]
    print_table(["entry", "at", "act", "member", "subject", "address", "reason"], rows, as_csv)
