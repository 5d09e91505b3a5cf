"""The `pressbox` command: the front door for operators, integrators and trials.

Every command finds the running stack of the data folder; without one it starts what it needs for itself.
Errors are one sentence that says what to do, on standard error, with exit code 1.
"""

from __future__ import annotations

import click
from kafka.errors import KafkaError

from app.cli import anticheat, boards, games, leagues, operations, record, season, stream, webhooks
from app.core.errors import UserError


class _Group(click.Group):
    """Turns the errors that people can mend into one sentence."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except UserError as error:
            raise click.ClickException(str(error)) from error
        except KafkaError as error:
            raise click.ClickException(
                f"Kafka does not answer as it should ({error}): start it or mend KAFKA_BOOTSTRAP_SERVERS."
            ) from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Pressbox: fantasy football on the official record of the game."""


for command in (
    operations.up,
    operations.migrate,
    operations.doctor,
    operations.docs,
    games.import_group,
    games.replay,
    games.simulate,
    games.points,
    games.stats,
    record.query,
    record.query_plans,
    record.export,
    stream.tail,
    stream.stream,
    stream.rebuild,
    boards.boards,
    anticheat.anticheat,
    webhooks.webhooks,
    season.season,
    leagues.league,
):
    main.add_command(command)
