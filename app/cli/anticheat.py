"""Commands of the anti-cheat: train the anomaly model, judge a past window, measure the layers."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from app.cli.shared import application, print_table
from app.simulations.anticheat_report import SEED

if TYPE_CHECKING:
    from app.scores.review.judging import Judgement


@click.group()
def anticheat() -> None:
    """Layers against cheating: train the anomaly model, judge past scores, report figures."""


@anticheat.command()
@click.option("--game", required=True, help="The game's short name or id.")
@click.option("--mode", required=True, help="The mode's short name or id.")
def train(game: str, mode: str) -> None:
    """Train the anomaly model of a mode on its newest clean scores now.

    A job trains every mode with enough scores once a day.
    """
    from app.core import clock
    from app.scores.anticheat.models import train as grow

    with application(audited=True):
        name, forest = grow(game, mode, clock.now())
    click.echo(
        f"{name}: {len(forest.trees)} trees on {forest.trained_on} scores, scikit-learn "
        f"{forest.sklearn}"
    )


@anticheat.command()
@click.option("--game", required=True, help="The game's short name or id.")
@click.option("--mode", required=True, help="The mode's short name or id.")
@click.option("--window", default="", help="A window of the mode, e.g. weekly:2026-W14.")
@click.option(
    "--from",
    "start",
    default="",
    help="The start of the window instead, e.g. 2026-04-01T18:00-04:00.",
)
@click.option("--to", "end", default="", help="The end of the window (not included).")
@click.option("--apply", "is_applied", is_flag=True, help="Hold these scores for review.")
@click.option("--reason", default="", help="Reason, kept in the audit log. Required with --apply.")
def judge(game: str, mode: str, window: str, **options: Any) -> None:
    """Judge the scores of a past window again by today's limits, bounds and anomaly model.

    Prints who would be held, and changes nothing without --apply. With it the scores leave the
    boards until a moderator has reviewed them. What a person has decided stays as it is. After an
    interruption, run it again.

    A time without an offset is in the mode's time zone.
    """
    from app.core import clock
    from app.scores.review import judging

    start, end, is_applied = options["start"], options["end"], options["is_applied"]
    reason = options["reason"].strip()
    if window and (start or end):
        raise click.UsageError("Give the window with --window, or with --from and --to.")
    if is_applied and not reason:
        raise click.UsageError("Give a --reason. It is kept in the audit log.")
    moments = (_moment(start, "--from"), _moment(end, "--to"))
    named = window or f"{start} to {end}"
    with application(audited=is_applied, reason=f"{reason} ({game}, {mode}, {named})"):
        past = judging.find_window(game, mode, name=window, start=moments[0], end=moments[1])
        act = judging.apply if is_applied else judging.preview
        _print_judgement(act(past, clock.now()), is_applied=is_applied)


def _moment(text: str, option: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise click.BadParameter(
            f"{text!r} should be like 2026-04-01 or 2026-04-01T18:00-04:00", param_hint=option
        ) from error


def _print_judgement(judgement: Judgement, *, is_applied: bool) -> None:
    if judgement.players:
        columns = ["player", "id", "scores", "was", "becomes", "reasons"]
        rows = [
            [
                row.name,
                str(row.player_id),
                str(row.attempts),
                row.before,
                row.after,
                ", ".join(f"{code} {count}" for code, count in row.reasons),
            ]
            for row in judgement.players
        ]
        print_table(columns, rows, as_csv=False)
    verb = "were taken" if is_applied else "would be taken"
    click.echo(f"Scores that {verb} off the boards: {judgement.withheld} of {judgement.attempts}.")
    if judgement.passing:
        click.echo(
            f"Held scores that would pass today: {judgement.passing}; review them at "
            "/moderation/scores."
        )
    if judgement.players and not is_applied:
        click.echo("Nothing was changed. Add --apply and --reason to hold these scores.")


@anticheat.command()
@click.option("--seed", default=SEED, show_default=True, help="Seed of the simulated traffic.")
def report(seed: int) -> None:
    """Print each layer's false positives and detections on simulated traffic, as Markdown."""
    from app.simulations.anticheat_report import tables

    click.echo(tables(seed))
