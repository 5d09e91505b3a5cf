"""Commands of the anti-cheat: training the anomaly model, and measuring the layers."""

from __future__ import annotations

import click

from app.cli.shared import application
from app.simulations.anticheat_report import SEED


@click.group()
def anticheat() -> None:
    """Layers against cheating: train the anomaly model, report their figures."""


@anticheat.command()
@click.option("--game", required=True, help="The game's short name or id.")
@click.option("--mode", required=True, help="The mode's short name or id.")
def train(game: str, mode: str) -> None:
    """Train the anomaly model of a mode on its newest clean scores (extra `anticheat`)."""
    from app.core import clock
    from app.scores.anticheat.models import train as grow

    with application(audited=True):
        name, forest = grow(game, mode, clock.now())
    click.echo(
        f"{name}: {len(forest.trees)} trees on {forest.trained_on} scores, scikit-learn "
        f"{forest.sklearn}"
    )


@anticheat.command()
@click.option("--seed", default=SEED, show_default=True, help="Of the simulated traffic.")
def report(seed: int) -> None:
    """Print each layer's false positives and detections on simulated traffic, as Markdown."""
    from app.simulations.anticheat_report import tables

    click.echo(tables(seed))
