"""The Helm chart renders what Kubernetes and KEDA take, and refuses wrong values by their names."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from app.setting_values import SECRETS
from app.settings import Settings
from tests.ops.chart import (
    CHART,
    SETS,
    Document,
    needs_helm,
    processes,
    ran,
    refusal,
    rendered,
    schema,
    secrets,
    values_of,
)

KEDA = json.loads(Path(__file__).with_name("keda.v1alpha1.json").read_text())
OLDEST = (
    yaml.safe_load((CHART / "Chart.yaml").read_text())["kubeVersion"]
    .removeprefix(">=")
    .removesuffix("-0")
)
# Set by the chart itself, and of `make run` on one machine.
OF_THE_CHART = {
    "HOST",
    "PORT",
    "PRESSBOX_VAR",
    "PRESSBOX_PRODUCTION",
    "SECURE_COOKIES",
    "KAFKA_CA_FILE",
}
OF_ONE_MACHINE = {"PRESSBOX_DEMO", "DEMO_SPEED", "KAFKA_IN_MEMORY"}
BESIDE_A_SECRET = {"AWS_ACCESS_KEY_ID"}


def check(document: Document) -> None:
    """Raises ValidationError where Kubernetes or KEDA would not take it as it stands."""
    if document["apiVersion"].startswith("keda.sh/"):
        jsonschema.validate(document, KEDA)
        return
    import kubernetes_validate  # one of the tools that may be missing

    for version in (OLDEST, kubernetes_validate.latest_version()):
        kubernetes_validate.validate(document, version, strict=True)


@needs_helm
@pytest.mark.parametrize("values", SETS)
def test_helm_finds_nothing_to_say_of_a_set_of_values(values: str) -> None:
    done = ran("lint", "--strict", "--quiet", str(CHART), "-f", values_of(values))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@needs_helm
@pytest.mark.parametrize("values", SETS)
def test_every_document_is_what_kubernetes_and_keda_take(values: str) -> None:
    for document in rendered(values).documents:
        check(document)


@needs_helm
@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("Deployment", ("spec", "template", "spec", "containers", 0, "livenes"), {}),
        ("Deployment", ("spec", "replicas"), "two"),
        ("NetworkPolicy", ("spec", "policyTypes"), "Ingress"),
        ("PodDisruptionBudget", ("spec", "maxUnavailible"), 1),
        ("ScaledObject", ("spec", "minReplicas"), 1),
        ("ScaledObject", ("spec", "triggers", 0, "metadata", "lagTreshold"), "5"),
        ("TriggerAuthentication", ("spec", "secretTargetRef", 0, "key"), None),
    ],
)
def test_a_document_with_a_fault_is_found(
    kind: str, path: tuple[str | int, ...], value: Any
) -> None:
    document: Any = copy.deepcopy(next(iter(rendered("scaled").of(kind).values())))
    check(document)
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        check(document)


@needs_helm
def test_without_values_everything_that_must_be_set_is_named_at_once() -> None:
    done = ran("template", "pressbox", str(CHART))
    assert done.returncode != 0
    for name in (
        "settings.PUBLIC_URL",
        "settings.KAFKA_BOOTSTRAP_SERVERS",
        "settings.BLOBS_URL",
        "secrets.values.DATABASE_URL",
        "secrets.values.SECRET_KEY",
        "secrets.values.KAFKA_PASSWORD",
    ):
        assert f"\n{name}: " in done.stderr, name


@needs_helm
@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("settings.KAFKA_PARTITIONS=8", "settings.KAFKA_PARTITIONS: Invalid type"),
        ("settings.KAFKA_SECURITY_PROTOCOL=TLS", "settings.KAFKA_SECURITY_PROTOCOL"),
        ("settings.PUBLIC_URL=http://pressbox.example.com", "settings.PUBLIC_URL"),
        ("settings.DATABASE_URL=postgresql://a@b/c", "Additional property DATABASE_URL"),
        ("settings.NO_SUCH_SETTING=1", "Additional property NO_SUCH_SETTING"),
        ("settings.BLOBS_URL=/srv/blobs", "settings.BLOBS_URL"),
        ("settings.KAFKA_USERNAME=", "settings.KAFKA_USERNAME: must be set"),
        ("secrets.values.SECRET_KEY=short", "secrets.values.SECRET_KEY"),
        (
            "secrets.values.DATABASE_URL=postgresql://a@b/c",
            "secrets.values: secrets.existingSecret is set too",
        ),
        ("secrets.existingSecret=", "secrets.existingOwnerSecret: goes with"),
        ("secrets.existingSecret=Not A Name", "secrets.existingSecret"),
        ("blobs.existingClaim=archive", "blobs.existingClaim: settings.BLOBS_URL is set too"),
        ("processes.scheduler.replicas=2", "processes.scheduler: Additional property replicas"),
        ("processes.verifier.maxReplicas=2", "processes.verifier: Additional property maxReplicas"),
        ("processes.web.replicas=0", "processes.web.replicas"),
        ("processes.web.resources.limits.memory=much", "processes.web.resources.limits.memory"),
        ("processes.demo.replicas=1", "processes: Additional property demo"),
        ("keda.enabled=true", "keda.prometheus.serverAddress: workers are scaled by"),
        ("networkPolicy.stores.kafka.ports={70000}", "networkPolicy.stores.kafka.ports.0"),
        ("pod.whenUnsatisfiable=Never", "pod.whenUnsatisfiable"),
        ("image.digest=latest", "image.digest"),
    ],
)
def test_a_wrong_value_is_refused_with_its_name(wrong: str, named: str) -> None:
    assert named in refusal("least", wrong)


@needs_helm
def test_values_that_do_not_fit_together_are_refused() -> None:
    message = refusal(
        "queues-by-length", "processes.ingest.maxReplicas=1", "kafkaCA.secret=authority"
    )
    assert "processes.ingest.maxReplicas: must not be below processes.ingest.replicas" in message
    assert "kafkaCA.secret: settings.KAFKA_SECURITY_PROTOCOL has no TLS" in message


def test_the_schema_knows_the_settings_the_secrets_and_the_processes_that_there_are() -> None:
    known = {f.metadata["env"] for f in fields(Settings)}
    values = schema()["properties"]
    all_secrets = {*secrets(), "DATABASE_OWNER_URL"}
    assert all_secrets == {*SECRETS, *BESIDE_A_SECRET}
    assert values["secrets"]["properties"]["values"]["properties"].keys() == all_secrets
    assert (
        values["settings"]["properties"].keys()
        == known - all_secrets - OF_THE_CHART - OF_ONE_MACHINE
    )
    assert values["processes"]["properties"].keys() == processes().keys()
    for name, process in processes().items():
        figures = values["processes"]["properties"][name]["properties"].keys() - {"resources"}
        expected = set() if process.get("single") else {"replicas"}
        if process.get("topic"):
            expected |= {"maxReplicas", "lagMessages"}
        if process.get("queues"):
            expected |= {"maxReplicas", "queueSeconds", "queueJobs"}
        if process.get("cpu"):
            expected |= {"maxReplicas", "cpuPercent"}
        assert figures == expected, name


def test_every_part_of_the_values_says_what_it_is_for() -> None:
    lines = (CHART / "values.yaml").read_text().splitlines()
    parts = "\n".join(lines).split("\n\n")
    keys = {
        line.split(":")[0]
        for part in parts
        for line in part.splitlines()
        if re.match(r"[a-z]", line)
    }
    assert keys == schema()["properties"].keys() - {"global"}
    for part in parts:
        assert "# " in part, part


def test_the_chart_is_of_the_version_that_it_installs() -> None:
    project = tomllib.loads((CHART.parents[2] / "pyproject.toml").read_text())["project"]
    assert yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"] == project["version"]
