"""Every store on several machines, as far as one machine can.

Kafka on three brokers with SASL, PostgreSQL with a replica, a Valkey for jobs, and a Valkey cluster
of three primaries and three replicas for leaderboards.

Not here: how each of them is started (kafka/, postgres/, valkey/), what is done to them (faults).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.settings import Settings
from tests.cluster.kafka.broker import KafkaCluster, kafka_cluster
from tests.cluster.postgres.servers import APPLICATION, OWNER, Replicated, replicated
from tests.cluster.valkey.servers import Cluster, Server, valkey_cluster, valkey_server
from tests.waiting import patient

PASSWORD = "correct-horse-battery-staple"
PARTITIONS = 6


@dataclass
class Machines:
    """All servers, and the settings with which Pressbox reaches them."""

    kafka: KafkaCluster
    postgres: Replicated
    jobs: Server
    boards: Cluster
    settings: Settings


@contextmanager
def machines(
    folder: Path, *, boards_apart: bool = True, host: str = "127.0.0.1"
) -> Iterator[Machines]:
    """Start all machines below `folder` and end them afterwards.

    Everybody must be able to pass `folder`. Meanwhile the environment names what a process of ours
    is not told otherwise (workers/children.py).

    `boards_apart`: leaderboards lie in the cluster; else with the jobs, as where nothing is said.
    `host`: the address at which all servers listen.
    """
    with ExitStack() as stack:
        postgres = stack.enter_context(replicated(folder, host))
        homes = [folder / "jobs", folder / "boards"]
        for home in homes:
            home.mkdir()
        jobs = stack.enter_context(valkey_server(homes[0], host))
        boards = stack.enter_context(valkey_cluster(homes[1], host))
        kafka = stack.enter_context(kafka_cluster(folder, PASSWORD, host=host))
        settings = patient(
            Settings(
                var=folder / "var",
                database_url=postgres.url(APPLICATION),
                database_owner_url=postgres.url(OWNER),
                redis_url=f"redis://{host}:{jobs.port}/0",
                boards_redis_url=boards.url if boards_apart else "",
                kafka=kafka.address,
                kafka_partitions=PARTITIONS,
                kafka_replication=3,
                kafka_security_protocol="SASL_PLAINTEXT",
                kafka_sasl_mechanism="PLAIN",
                kafka_username="pressbox",
                kafka_password=PASSWORD,
            )
        )
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in (
            ("BOARDS_REDIS_URL", settings.boards_redis_url),
            ("KAFKA_SECURITY_PROTOCOL", settings.kafka_security_protocol),
            ("KAFKA_SASL_MECHANISM", settings.kafka_sasl_mechanism),
            ("KAFKA_USERNAME", settings.kafka_username),
            ("KAFKA_PASSWORD", settings.kafka_password),
            ("KAFKA_PARTITIONS", str(settings.kafka_partitions)),
            ("KAFKA_REPLICATION", str(settings.kafka_replication)),
        ):
            patch.setitem(os.environ, name, value)
        yield Machines(kafka, postgres, jobs, boards, settings)
