"""Commands for tournaments of predictions: creating, listing, polling and ending them.

Deciding about a match is in match_acts.py.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli import match_acts
from app.cli.match_acts import command_line, tournament_id_of
from app.cli.shared import application, print_table
from app.core import json_decoding
from app.core.atomic_files import read_file
from app.core.errors import UserError

if TYPE_CHECKING:
    from app.predictions.counted_score import CountedScore
    from app.predictions.points import PointRule

RULE_BYTES = 64 * 1024


@click.group()
def tournament() -> None:
    """Tournaments: matches that members guess."""


for command in match_acts.COMMANDS:
    tournament.add_command(command)


@tournament.command("create")
@click.argument("name")
@click.option(
    "--provider", "kind", required=True, help="http-json, nflverse-games or official-record."
)
@click.option(
    "--address",
    required=True,
    help=(
        "Web address; a file or web address and #SEASON/REG (nflverse-games); or nfl/2026/REG "
        "(official-record)."
    ),
)
@click.option(
    "--rule",
    default="margin",
    help="What members pick and what it earns: winner, margin, exact, pickem, confidence, "
    "survivor, or a JSON file with a rule.",
)
@click.option(
    "--counts",
    help="Which score counts after extra time or penalties: regulation, extra_time, shootout (the "
    "winner only), or"
    " as_given by the provider.",
)
@click.option(
    "--simulated",
    is_flag=True,
    help="For past or future dates: picks count at the time they give, not at the current time.",
)
def create(name: str, rule: str, counts: str | None, simulated: bool, **provider: str) -> None:
    """Make the tournament NAME and poll its provider once."""
    point_rule = _rule(rule)
    declared = None if counts is None else _counted_score(counts)
    with application(audited=True):
        from app.core import clock
        from app.predictions import tournaments
        from app.predictions.matches import polling

        created = tournaments.create(
            name,
            point_rule,
            tournaments.Provider(**provider),
            is_simulated=simulated,
            declared=declared,
        )
        tournament_id = created.id
        polled = polling.poll(tournament_id, clock.now())
    click.echo(f"{tournament_id}  {name}")
    if polled.fault:
        raise UserError(
            f"The tournament was created, but its first poll failed. {polled.fault} It will "
            "be polled again."
        )
    click.echo(f"rounds: {polled.rounds}")


@tournament.command("list")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def list_tournaments(as_csv: bool) -> None:
    """List tournaments, where they come from, and how the last poll went."""
    with application():
        from app.predictions import tournaments

        rows = [
            [
                str(row.id),
                row.name,
                "active" if row.is_active else "ended",
                row.counted_score,
                source.kind if source else "",
                _moment(source.succeeded_at) if source else "",
                (source.fault or "") if source else "",
            ]
            for row, source in tournaments.sources()
        ]
    print_table(["id", "name", "state", "counts", "provider", "last answer", "fault"], rows, as_csv)


@tournament.command("poll")
@click.argument("tournament_id", required=False)
def poll(tournament_id: str | None) -> None:
    """Ask the provider of TOURNAMENT_ID now, or those of all active tournaments."""
    with application():
        from app.core import clock
        from app.predictions import tournaments
        from app.predictions.matches import polling
        from app.predictions.pictures import services as pictures

        active = tournaments.polled()
        chosen = active if tournament_id is None else [tournament_id_of(tournament_id)]
        if not set(chosen) <= set(active):
            raise UserError(
                f"There is no active tournament {tournament_id}: `pressbox tournament list` shows "
                "them."
            )
        faults = 0
        for chosen_id in chosen:
            polled = polling.poll(chosen_id, clock.now())
            fetched = pictures.fetch_missing(chosen_id, clock.now())
            faults += polled.fault is not None
            line = f"{chosen_id}  {polled.outcome}"
            if polled.rounds:
                line += f", rounds: {polled.rounds}, settlements: {polled.settlements}"
            if fetched:
                line += f", pictures: {fetched}"
            if polled.bad_rows:
                line += f", bad rows: {polled.bad_rows} (`pressbox tournament findings`)"
            if polled.fault:
                line += f": {polled.fault}"
            click.echo(line)
    if faults:
        raise UserError(
            f"{faults} of {len(chosen)} providers returned nothing. Fix what is reported "
            "above, then poll again."
        )


@tournament.command("counts")
@click.argument("tournament_id")
@click.argument("score")
def declare(tournament_id: str, score: str) -> None:
    """Declare which SCORE counts in TOURNAMENT_ID after extra time or penalties.

    This is possible until its first match ends. SCORE is regulation, extra_time, shootout (for the
    winner only), overtime, or as_given by the provider.
    """
    declared = _counted_score(score)
    with application(audited=True):
        from app.core import clock
        from app.predictions import tournaments
        from app.predictions.counted_score import RULES as SENTENCES
        from app.predictions.matches import polling

        name = tournaments.declare(tournament_id_of(tournament_id), declared)
        polled = polling.poll(tournament_id_of(tournament_id), clock.now())
    click.echo(f"{name}: {SENTENCES[declared]}")
    if polled.fault:
        raise UserError(f"Saved, but the next poll failed. {polled.fault} It will be polled again.")


@tournament.command("findings")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def list_findings(as_csv: bool) -> None:
    """List findings in the providers' answers: words, scores, vanished matches, bad rows, ..."""
    with application():
        from app.core import clock
        from app.predictions.decisions import queries
        from app.predictions.matches import findings

        current = findings.current(clock.now())
        matches = queries.matches_of(current)
        rows = []
        for row, tournament in current:
            decide = (
                command_line("void|merge|redate", row.tournament_id, row.subject)
                if row.id in matches
                else ""
            )
            rows.append([tournament, row.kind, row.subject, _moment(row.seen_at), row.text, decide])
    print_table(["tournament", "finding", "of", "since", "what to do", "decide"], rows, as_csv)


@tournament.command("end")
@click.argument("tournament_id")
def end(tournament_id: str) -> None:
    """End TOURNAMENT_ID: its provider is asked no more, its leaderboard stays."""
    with application(audited=True):
        from app.predictions import tournaments

        name = tournaments.end(tournament_id_of(tournament_id))
    click.echo(f"{name} has ended.")


def _counted_score(text: str) -> CountedScore:
    from app.predictions.counted_score import CountedScore

    try:
        return CountedScore(text)
    except ValueError:
        raise UserError(f"{text!r} is not one of {', '.join(CountedScore)}.") from None


def _rule(text: str) -> PointRule:
    import msgspec

    from app.predictions.points import PRESETS as RULES
    from app.predictions.points import PointRule

    if text in RULES:
        return RULES[text]
    if not Path(text).is_file():
        raise UserError(f"{text!r} is neither {', '.join(RULES)} nor a file.")
    try:
        data = read_file(Path(text), RULE_BYTES)
        return json_decoding.decode(msgspec.json.Decoder(PointRule), data, most_bytes=RULE_BYTES)
    except json_decoding.InvalidJsonError as error:
        raise UserError(
            f"{text} is not a point rule: {error}. docs/providers.md has an example."
        ) from None


def _moment(moment: datetime | None) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if moment else ""
