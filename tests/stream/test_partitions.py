"""Which partition a message goes to."""

from __future__ import annotations

import pytest
from kafka.partitioner import DefaultPartitioner

from app.stream.kafka import KeyPartitioner


class Cluster:
    """What a partitioner asks of kafka-python's metadata."""

    def topics(self) -> set[str]:
        return {"t"}

    def partitions_for_topic(self, _topic: str) -> set[int]:
        return {0, 1, 2, 3, 4, 5, 6}

    available_partitions_for_topic = partitions_for_topic


@pytest.mark.parametrize(
    "key", [b"2019090500", b"dice:ranked:s0", b"dice:ranked:s63", b"", b"\xff"]
)
def test_a_key_goes_where_kafka_python_and_the_java_client_send_it(key: bytes) -> None:
    message = ("t", key, key, b"value", b"value", Cluster())
    expected = DefaultPartitioner().partition(*message)
    assert [KeyPartitioner().partition(*message) for _ in range(2)] == [expected, expected]
