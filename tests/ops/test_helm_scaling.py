"""KEDA scales by Pressbox's groups, topics, queues and metrics, and signs in from Secrets."""

from __future__ import annotations

import pytest

from app.core.jobs import QUEUES, WORKER_KINDS
from app.stream.topics import INGESTION_GROUP, SCORES_GROUP, TOPICS
from tests.ops.chart import environment, kinds_of, needs_helm, processes, rendered
from tests.ops.test_deploy import check_expression

SCALED = ("scaled", "queues-by-length")

pytestmark = needs_helm


def test_without_keda_nothing_of_it_is_there_and_every_deployment_says_how_many() -> None:
    chart = rendered("least")
    assert not any(document["apiVersion"].startswith("keda.sh") for document in chart.documents)
    assert all("replicas" in deployment["spec"] for deployment in chart.of("Deployment").values())


@pytest.mark.parametrize("values", SCALED)
def test_with_keda_one_alone_says_how_many(values: str) -> None:
    chart = rendered(values)
    scaled = chart.of("ScaledObject")
    expected = {
        name for name, process in processes().items() if process.keys() & {"topic", "queues", "cpu"}
    }
    assert scaled.keys() == expected
    for name, deployment in chart.of("Deployment").items():
        assert ("replicas" in deployment["spec"]) is (name not in scaled), name
    for name, scaled_object in scaled.items():
        assert scaled_object["spec"]["scaleTargetRef"]["name"] == f"pressbox-{name}"
        assert (
            2
            <= scaled_object["spec"]["minReplicaCount"]
            <= scaled_object["spec"]["maxReplicaCount"]
        )
        names = [
            trigger["name"] for trigger in scaled_object["spec"]["triggers"] if "name" in trigger
        ]
        assert len(set(names)) == len(names)


def test_lag_is_asked_of_the_groups_and_topics_that_there_are() -> None:
    groups = {"game-events.v1": INGESTION_GROUP, "score-events.v1": SCORES_GROUP}
    assert groups.keys() == {topic.name for topic in TOPICS}
    scaled_objects = rendered("scaled").of("ScaledObject")
    kafka = {
        name: trigger["metadata"]
        for name, scaled_object in scaled_objects.items()
        for trigger in scaled_object["spec"]["triggers"]
        if trigger["type"] == "kafka"
    }
    assert kafka.keys() == {"bridge", "scores", "ingest"}
    for name, scaled_object in kafka.items():
        assert scaled_object["consumerGroup"] == f"east-{groups[scaled_object['topic']]}", name
        assert (
            scaled_object["sasl"],
            scaled_object["tls"],
            scaled_object["offsetResetPolicy"],
        ) == (
            "scram_sha512",
            "enable",
            "earliest",
        )
    plain = rendered("queues-by-length").of("ScaledObject")["bridge"]["spec"]["triggers"][0]
    assert "sasl" not in plain["metadata"]
    assert "authenticationRef" not in plain


@pytest.mark.parametrize("values", SCALED)
def test_every_queue_scales_the_workers_that_take_from_it(values: str) -> None:
    watched: dict[str, set[str]] = {}
    for name, scaled_object in rendered(values).of("ScaledObject").items():
        for trigger in scaled_object["spec"]["triggers"]:
            if trigger["type"] == "redis":
                watched.setdefault(name, set()).add(
                    trigger["metadata"]["listName"].removeprefix("rq:queue:")
                )
            if trigger["type"] == "prometheus":
                query = trigger["metadata"]["query"]
                check_expression(query.replace(',namespace="pressbox"', ""))
                assert 'namespace="pressbox"' in query
                assert set(query.split('=~"')[1].split('"')[0].split("|")) == set(
                    processes()[name]["queues"]
                )
    assert {queue for queues in watched.values() for queue in queues} == set(QUEUES)
    for name, queues in watched.items():
        kinds = kinds_of(processes()[name]["run"])
        assert queues == {queue for kind in kinds for queue in WORKER_KINDS[kind]}, name


@pytest.mark.parametrize("values", SCALED)
def test_keda_signs_in_with_what_is_in_secrets(values: str) -> None:
    chart = rendered(values)
    authentications = {
        authentication["metadata"]["name"]
        for authentication in chart.of("TriggerAuthentication").values()
    }
    triggers = [
        trigger
        for scaled_object in chart.of("ScaledObject").values()
        for trigger in scaled_object["spec"]["triggers"]
    ]
    referred = {
        trigger["authenticationRef"]["name"]
        for trigger in triggers
        if "authenticationRef" in trigger
    }
    assert (
        referred
        == authentications
        == ({"pressbox-kafka", "pressbox-redis"} if values == "scaled" else set())
    )
    if authentications:
        kafka = chart.of("TriggerAuthentication")["kafka"]["spec"]
        assert {reference["parameter"] for reference in kafka["secretTargetRef"]} == {
            "password",
            "ca",
        }
        (user,) = kafka["env"]
        for name in ("bridge", "scores", "ingest"):
            assert environment(chart.pods()[name])[user["name"]]["value"] == "pressbox"
