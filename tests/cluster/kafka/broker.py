"""One real Apache Kafka broker (KRaft, no ZooKeeper) for the stream tests; its jars come through Maven.

`PRESSBOX_TEST_BROKER=kafka` makes the test session use it instead of the embedded broker (`make test-full`).
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from app.embedded.stack import end_process, free_port
from tests.waiting import until

HERE = Path(__file__).parent
JARS = HERE / "jars"
CLUSTER_ID = "cHJlc3Nib3h0ZXN0cw"

PROPERTIES = """
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
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


class MissingTool(RuntimeError):
    """Java or Maven is not there; the text says how to get it."""


def fetch_jars() -> None:
    """Fetches the jars of pom.xml once. Raises MissingTool, or CalledProcessError when Maven fails."""
    for tool, package in (("java", "openjdk-17-jre-headless"), ("mvn", "maven")):
        if shutil.which(tool) is None:
            raise MissingTool(
                f"`{tool}` is missing, and `make test-full` needs it: install it "
                f"(on Debian: apt-get install {package}; on macOS: brew install openjdk maven)."
            )
    stamp = JARS / ".of"
    plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy-dependencies"
    fetch = ["mvn", "--quiet", "--batch-mode", "--file", str(HERE / "pom.xml"), plugin, f"-DoutputDirectory={JARS}"]
    with open(HERE / "pom.xml") as pom:
        fcntl.flock(pom, fcntl.LOCK_EX)  # the other test worker waits, and then finds them
        wanted = pom.read()
        if stamp.exists() and stamp.read_text() == wanted:
            return
        shutil.rmtree(JARS, ignore_errors=True)
        subprocess.run(fetch, check=True)
        stamp.write_text(wanted)


@contextmanager
def kafka_broker(folder: Path, password: str = "") -> Iterator[str]:
    """A broker with its data in `folder`; gives its address and ends it afterwards.

    `password`: clients sign in as `pressbox` with it (SASL/PLAIN); empty: it takes everybody.
    """
    fetch_jars()
    port = free_port()
    properties = folder / "server.properties"
    text = PROPERTIES.format(port=port, controller=free_port(), folder=folder)
    if password:
        text += SASL.format(jaas=JAAS.format(password=password))  # the last of two equal names counts
    properties.write_text(text)
    java = ["java", "-Xmx512m", "-cp", f"{JARS}/*"]
    format_storage = [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(properties)]
    subprocess.run(format_storage, check=True, capture_output=True)
    with open(folder / "kafka.log", "wb") as log:
        process = subprocess.Popen([*java, "kafka.Kafka", str(properties)], stdout=log, stderr=log)
    address = f"127.0.0.1:{port}"
    try:
        until(lambda: process.poll() is not None or _answers(address, password), "Kafka answers", seconds=300)
        if process.poll() is not None:
            raise RuntimeError(f"Kafka ended at once: see {folder / 'kafka.log'}")
        yield address
    finally:
        end_process(process)


def _answers(address: str, password: str) -> bool:
    signed_in = {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "pressbox",
        "sasl_plain_password": password,
    }
    try:
        KafkaAdminClient(
            bootstrap_servers=address, bootstrap_timeout_ms=1000, **(signed_in if password else {})
        ).close()
    except KafkaError:
        return False
    return True
