"""The `pressbox` command, for operators, integrators and trials.

Every command uses the running stack of the data folder, or starts what it needs. An error is one
sentence that says what to do, on standard error, with exit code 1.
"""

from __future__ import annotations

from importlib import import_module

import click

from app.core.errors import UserError

# The module and the name of each command. A module is imported when its command is called:
# `pressbox up` runs for weeks and must not hold Flask, SQLAlchemy and Kafka in memory
# (tests/test_imports.py).
COMMANDS = {
    "accounts": "accounts:accounts",
    "anticheat": "anticheat:anticheat",
    "audit": "audit:audit",
    "backup": "operations:backup",
    "boards": "boards:boards",
    "competitions": "competitions:competitions",
    "dead-letters": "dead_letters:dead_letters",
    "docs": "operations:docs",
    "doctor": "operations:doctor",
    "draft-league": "draft_leagues:draft_league",
    "export": "record:export",
    "feed": "feeds:feed",
    "game": "game:game",
    "hydrate": "hydrate:hydrate",
    "import": "games:import_group",
    "league": "leagues:league",
    "migrate": "operations:migrate",
    "points": "games:points",
    "prepare": "operations:prepare",
    "query": "record:query",
    "query-plans": "record:query_plans",
    "rankings": "rankings:rankings",
    "rebuild": "stream:rebuild",
    "restore": "operations:restore",
    "replay": "games:replay",
    "scores": "scores:scores",
    "season": "season:season",
    "simulate": "games:simulate",
    "situations": "situations:situations",
    "stats": "games:stats",
    "stream": "stream:stream",
    "tail": "stream:tail",
    "tournament": "tournaments:tournament",
    "up": "operations:up",
    "vapid-key": "accounts:vapid_key",
    "verify": "verify:verify",
    "webhooks": "webhooks:webhooks",
}


class _Group(click.Group):
    """Imports commands by name, and prints errors that people can fix as one sentence."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"app.cli.{module}"), name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except UserError as error:
            raise click.ClickException(str(error)) from error
        except Exception as error:
            if not _is_of_kafka(error):
                raise
            raise click.ClickException(
                f"Kafka is not responding correctly ({error}). Start it or correct "
                "KAFKA_BOOTSTRAP_SERVERS."
            ) from error


def _is_of_kafka(error: Exception) -> bool:
    # Imported only for an error: kafka-python is large, and most commands never use Kafka.
    from kafka.errors import KafkaError

    return isinstance(error, KafkaError)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Pressbox: fantasy football on the official record of the game."""
