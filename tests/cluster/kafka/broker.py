"""Real Apache Kafka (KRaft, no ZooKeeper) for the tests: one broker, or a cluster of three.

Its jars come by Maven.

A cluster for faults and, where it is asked for, the whole suite (tests/cluster/machines.py); one
broker for a test that wants its own. Every process that is started here is ended here, by its id.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from app.embedded.stack import end_process
from tests.cluster.maven import fetch_jars
from tests.ports import kept_port
from tests.waiting import patience, until

HERE = Path(__file__).parent
JARS = HERE / "jars"
CLUSTER_ID = "cHJlc3Nib3h0ZXN0cw"
START_SECONDS = 300
# For brokers that live for minutes: compiling most thoroughly, on several threads, costs more than
# it ever gives back (of 3,000 messages on three brokers all of them together took half the
# processor's time without it).
BRIEF = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]

PROPERTIES = """
process.roles=broker,controller
node.id={node}
listeners=PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller}
advertised.listeners=PLAINTEXT://{host}:{port}
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.quorum.voters={voters}
log.dirs={folder}/data
default.replication.factor={copies}
min.insync.replicas={in_sync}
unclean.leader.election.enable=false
offsets.topic.replication.factor={copies}
offsets.topic.num.partitions=4
transaction.state.log.replication.factor={copies}
transaction.state.log.min.isr={in_sync}
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=6000
replica.lag.time.max.ms=10000
"""

# As in docker-compose.yml: clients and the controller sign in by SASL/PLAIN.
SASL = """
listener.security.protocol.map=PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
sasl.mechanism.controller.protocol=PLAIN
listener.name.plaintext.plain.sasl.jaas.config={jaas}
listener.name.controller.plain.sasl.jaas.config={jaas}
"""
JAAS = (
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="pressbox"'
    ' password="{password}" user_pressbox="{password}";'
)


class Broker:
    """One process, broker and controller, with its data in a folder of its own."""

    def __init__(self, node: int, host: str, folder: Path) -> None:
        self.node, self.host, self.folder = node, host, folder
        self.port, self.controller = kept_port(), kept_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def format(self, properties: str) -> None:
        """Writes its settings and makes its folder of data, once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "server.properties").write_text(properties)
        self._run(
            "kafka.tools.StorageTool",
            "format",
            "-t",
            CLUSTER_ID,
            "-c",
            str(self.folder / "server.properties"),
        )

    def start(self) -> None:
        """Starts it with the data that it has; whether it answers is for the caller to wait for."""
        with open(self.folder / "kafka.log", "ab") as log:
            command = [*_java(), "kafka.Kafka", str(self.folder / "server.properties")]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def kill(self) -> None:
        """Ends it as a power failure would."""
        self._signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait(patience(60))

    def pause(self) -> None:
        """Stops it where it is, as a machine that hangs; its connections stay open."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self.process is not None, f"broker {self.node} does not run"
        self.process.send_signal(number)

    @staticmethod
    def _run(*arguments: str) -> None:
        subprocess.run([*_java(), *arguments], check=True, capture_output=True)


@dataclass
class KafkaCluster:
    """`client`: how kafka-python's clients sign in."""

    brokers: Sequence[Broker]
    client: dict[str, Any]

    @property
    def address(self) -> str:
        return ",".join(broker.address for broker in self.brokers)

    @property
    def living(self) -> list[Broker]:
        return [broker for broker in self.brokers if not broker.has_ended()]

    def leader_of(self, topic: str, partition: int) -> Broker:
        """Who leads the partition now."""
        node = self._partitions(topic)[partition]["leader_id"]
        return next(broker for broker in self.brokers if broker.node == node)

    def is_in_sync(self, topics: Sequence[str]) -> bool:
        """Whether every partition of these has a leader, and all of its replicas are in sync."""
        partitions = [
            partition for topic in topics for partition in self._partitions(topic).values()
        ]
        return bool(partitions) and all(
            partition["leader_id"] >= 0
            and sorted(partition["isr_nodes"]) == sorted(partition["replica_nodes"])
            for partition in partitions
        )

    def revive(self, *brokers: Broker) -> None:
        """Starts them again with their data; returns once each answers."""
        for broker in brokers:
            broker.start()
        for broker in brokers:
            self.wait_for(broker)

    def wait_for(self, broker: Broker) -> None:
        def answers() -> bool:
            assert not broker.has_ended(), f"Kafka ended at once: see {broker.folder / 'kafka.log'}"
            return self._answers(broker.address)

        until(answers, f"Kafka {broker.node} answers", seconds=START_SECONDS)

    def _partitions(self, topic: str) -> dict[int, dict[str, Any]]:
        admin = KafkaAdminClient(
            bootstrap_servers=[broker.address for broker in self.living], **self.client
        )
        try:
            (description,) = admin.describe_topics([topic])
        finally:
            admin.close()
        return {partition["partition_index"]: partition for partition in description["partitions"]}

    def _answers(self, address: str) -> bool:
        try:
            KafkaAdminClient(
                bootstrap_servers=address, bootstrap_timeout_ms=1000, **self.client
            ).close()
        except KafkaError:
            return False
        return True


@contextmanager
def kafka_cluster(
    folder: Path, password: str = "", count: int = 3, host: str = "127.0.0.1"
) -> Iterator[KafkaCluster]:
    """So many brokers with their data below `folder`, ended afterwards.

    Each partition on three of them, of which two must have a message before it is acknowledged (of
    one broker: on it).

    `password`: clients sign in as `pressbox` with it (SASL/PLAIN); empty: it takes everybody.
    `host`: the address at which they listen.
    """
    fetch_jars(HERE)
    brokers = [Broker(node, host, folder / f"kafka-{node}") for node in range(1, count + 1)]
    voters = ",".join(f"{broker.node}@{host}:{broker.controller}" for broker in brokers)
    client: dict[str, Any] = {}
    if password:
        client = {
            "security_protocol": "SASL_PLAINTEXT",
            "sasl_mechanism": "PLAIN",
            "sasl_plain_username": "pressbox",
            "sasl_plain_password": password,
        }
    cluster = KafkaCluster(brokers, client)
    with ExitStack() as stack:
        for broker in brokers:
            text = PROPERTIES.format(
                node=broker.node,
                host=host,
                port=broker.port,
                controller=broker.controller,
                voters=voters,
                folder=broker.folder,
                copies=min(3, count),
                in_sync=min(2, count),
            )
            if password:
                # the last of two equal names counts
                text += SASL.format(jaas=JAAS.format(password=password))
            broker.format(text)
            stack.callback(_end, broker)
            broker.start()
        for broker in brokers:
            cluster.wait_for(broker)
        yield cluster


@contextmanager
def kafka_broker(folder: Path, password: str = "") -> Iterator[str]:
    """As kafka_cluster, of one broker; gives its address."""
    with kafka_cluster(folder, password, count=1) as cluster:
        yield cluster.address


def _java() -> list[str]:
    return ["java", "-Xmx512m", *BRIEF, "-cp", f"{JARS}/*"]


def _end(broker: Broker) -> None:
    if broker.process is not None and not broker.has_ended():
        broker.resume()  # a stopped one would not hear
        end_process(broker.process)
